/*
 * unoptimized.c - calls.h as a program without any optimization
 *
 * Flags: -O0
 */
#include "calls.h"
