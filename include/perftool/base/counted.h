/*
 * counted.h - what a thread has counted of a leg by itself: the plain value
 * that is shared by the code that reads it and the code that adds it to the
 * tables
 */
#ifndef PERFTOOL_BASE_COUNTED_H
#define PERFTOOL_BASE_COUNTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many durations (ns) were about as long as `ns`. */
struct counted_bucket {
	int64_t ns;
	uint64_t count;
};

/* The figures since they were last told. */
struct counted {
	uint64_t entered; /* number of activations that were opened */
	uint64_t unwound; /* how many of all activations were unwound */
	uint64_t ignored; /* number of *to*s that were ignored */
	/* number of *from*s that were ignored, because too many activations
	 * were open in the frame to which tail jumps came back, or because an
	 * activation was open and the leg matches by order */
	uint64_t ignored_from;
	/* The hits of *to* are hits of the *from* of another counted leg, or of
	 * the same leg, which tells how many hits the node has. */
	bool shares_to;
	/* The thread has hit *from* on another stack than that of the open
	 * activation. */
	bool is_mixed;
	uint64_t count; /* number of executions that were added up */
	/* If `count` is 0, the other members mean nothing. */
	int64_t total; /* the sum of the durations, ns */
	/* the mean of the durations, and the sum of the squared differences
	 * from it; ns */
	double mean, m2;
	int64_t min, max; /* ns; a duration below 0 counts as 0 */
	const struct counted_bucket *buckets;
	size_t bucket_count;
};

#endif
