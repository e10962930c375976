/*
 * numbers_fast.c - numbers.h optimized: its variables are in registers
 *
 * Flags: -O2
 */
#include "numbers.h"
