/*
 * rseq_nopie.c - rseq.c where its descriptors need no relocation
 *
 * Flags: -no-pie
 */
#include "rseq.c"
