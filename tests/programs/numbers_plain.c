/*
 * numbers_plain.c - numbers.h not optimized: its variables are in the frame
 *
 * Flags: -O0
 */
#include "numbers.h"
