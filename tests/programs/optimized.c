/*
 * optimized.c - calls.h as a program optimized as far as it goes
 *
 * Flags: -O3 -fomit-frame-pointer
 */
#include "calls.h"
