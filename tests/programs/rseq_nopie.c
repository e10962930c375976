/*
 * rseq_nopie.c - rseq.c as a program whose sequence descriptors need no
 * relocation
 *
 * Flags: -no-pie
 */
#include "rseq.c"
