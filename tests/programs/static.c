/*
 * static.c - calls.h as a static program
 *
 * Flags: -static -no-pie -fno-pie
 */
#include "calls.h"
