/*
 * recorded_hits.h - making hits from the records of fast nodes
 */
#ifndef PROBE_RECORDED_HITS_H
#define PROBE_RECORDED_HITS_H

struct fast_site;
struct probe;
struct ring;

/* Makes the hits of the ring's next record, which the site has written. The
 * record stays in the ring. Its values may be anything, because the program may
 * have written into it. */
void recorded_hits_tell(struct probe *probe, const struct fast_site *at,
			struct ring *ring);

#endif
