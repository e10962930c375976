/*
 * segments.h - the functions of each module of `swapper' that the other calls
 */
#ifndef SEGMENTS_H
#define SEGMENTS_H

/* swapper.c: allocates pages. Returns how many pages were given so far. */
unsigned AllocVM(unsigned pages);

/* segmentsb.c: allocates pages `count` times; `requests` has the numbers. */
void AllocatePages(const unsigned *requests, unsigned count);

#endif
