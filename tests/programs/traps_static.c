/*
 * traps_static.c - the same, and its libc is within
 *
 * Flags: -static
 */
#include "traps.c"
