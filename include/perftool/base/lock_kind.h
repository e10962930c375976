/*
 * lock_kind.h - what a thread can wait for in the functions of POSIX threads
 *
 * The probe layer finds out where threads wait and what for, and the profile of
 * contention adds the waits up.
 */
#ifndef PERFTOOL_BASE_LOCK_KIND_H
#define PERFTOOL_BASE_LOCK_KIND_H

enum lock_kind {
	LOCK_UNKNOWN,
	LOCK_MUTEX,
	/* a mutex that a wait for a condition takes again at its end */
	LOCK_RELOCK,
	LOCK_READ,  /* a read-write lock, for reading */
	LOCK_WRITE, /* the same, for writing */
	LOCK_CONDITION,
	LOCK_SEMAPHORE,
	LOCK_KINDS
};

#endif
