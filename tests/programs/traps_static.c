/*
 * traps_static.c - traps.c as a static program, whose libc is inside of it
 *
 * Flags: -static
 */
#include "traps.c"
