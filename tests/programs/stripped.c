/*
 * stripped.c - calls.h as a program that has only dynamic symbols, and no debug
 * information
 *
 * Flags: -s -rdynamic
 */
#include "calls.h"
