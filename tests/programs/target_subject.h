/*
 * target_subject.h - what a subject of the target layer's tests and the test
 * both see
 */
#ifndef TARGET_SUBJECT_H
#define TARGET_SUBJECT_H

#include <stdatomic.h>

#define RIG_COUNTERS 128

struct shared {
	atomic_ulong ready, stop, errors;
	atomic_ulong counters[RIG_COUNTERS];
};

/* Counters of target_subject.c. */
enum { COUNT, SIGNALS, WAKES };

#endif
