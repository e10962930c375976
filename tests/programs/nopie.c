/*
 * nopie.c - calls.h as a program at a fixed address
 *
 * Flags: -fno-pie -no-pie
 */
#include "calls.h"
