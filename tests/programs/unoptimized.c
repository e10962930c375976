/*
 * unoptimized.c - calls.h as a program not optimized at all
 *
 * Flags: -O0
 */
#include "calls.h"
