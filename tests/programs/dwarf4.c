/*
 * dwarf4.c - calls.h as a program with debug information in DWARF 4
 *
 * Flags: -gdwarf-4
 */
#include "calls.h"
