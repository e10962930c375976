/*
 * segments.h - what the two modules of the sample `swapper' call of each other
 */
#ifndef SEGMENTS_H
#define SEGMENTS_H

/* swapper.c: allocate some pages. How many were given so far. */
unsigned AllocVM(unsigned pages);

/* segmentsb.c: allocate pages, as many at a time as `requests` says. */
void AllocatePages(const unsigned *requests, unsigned count);

#endif
