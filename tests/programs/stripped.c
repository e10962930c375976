/*
 * stripped.c - calls.h as a program with dynamic symbols only, and no debug
 * information
 *
 * Flags: -s -rdynamic
 */
#include "calls.h"
