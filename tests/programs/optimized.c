/*
 * optimized.c - calls.h as a program with the highest optimization
 *
 * Flags: -O3 -fomit-frame-pointer
 */
#include "calls.h"
