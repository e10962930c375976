/*
 * pie.c - calls.h as a position-independent program
 *
 * Flags: -fPIE -pie
 */
#include "calls.h"
