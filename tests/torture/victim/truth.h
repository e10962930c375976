/*
 * truth.h - what a victim knows of itself, in memory it shares with whoever
 * judges it
 *
 * Calls of the measured functions are counted by their callers: `begun` before
 * the call, `returned` after it, `unwound` where a call that will not return
 * was caught. At any moment the number of entries is between returned +
 * unwound and begun, and while no work is in hand they are equal; the number
 * of normal exits is `returned`.
 *
 * Threads work in rounds. A round begins only while `gate` is open and `active`
 * says how many are in one, so that with the gate closed and `active` zero
 * nothing is under way, in any process or signal handler.
 */
#ifndef TRUTH_H
#define TRUTH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum function {
	F0,  /* plain C */
	F1,  /* push %rbx first, a leaf of four bytes */
	F2,  /* a jump first */
	F3,  /* nothing but ret: entry and exit are one place */
	F4,  /* recursive, may be jumped out of as a whole */
	F5,  /* returns, jumps out, or faults and is jumped out of */
	F6,  /* ends in a tail jump to f1 */
	F7,  /* called in signal handlers */
	F8,  /* a conditional jump first, the carry, the red zone, two rets */
	F9,  /* a call first */
	F10, /* a load relative to the pc first */
	F11, /* leaves its stack in the middle, and comes back (coroutine) */
	F12, /* cancelled inside */
	F13, /* a system call first */
	G0,  /* in a library that comes and goes */
	FUNCTIONS
};

/* Who called: which kind of process that is. The last three are the children of
 * the victim after it executed itself. */
enum kind {
	MAIN,    /* the victim */
	FORKED,  /* a child of it that has executed nothing else */
	SPAWNED, /* a child that has executed the victim's file */
	AMID,    /* a forked child that ended amid its work */
	AGAIN,   /* the victim after it executed itself */
	AGAIN_FORKED,
	AGAIN_SPAWNED,
	AGAIN_AMID,
	KINDS
};

enum { SLOTS = 128, FAULTS = 32 };

struct calls {
	atomic_ulong begun, returned, unwound;
};

/* A thread that lasts as long as the victim. */
struct slot {
	atomic_ulong tid; /* 0: free */
	atomic_ulong feature;
	atomic_ulong beat;           /* rounds, and looks at the closed gate */
	atomic_ulong over;           /* it has come to its end */
	atomic_ulong sent, received; /* one at a time */
	atomic_ulong queued, dequeued;             /* real-time queue */
	atomic_ulong waited_sent, waited_received; /* by sigtimedwait etc. */
	atomic_ulong blocks_trap;       /* it wants SIGTRAP blocked */
	atomic_ulong child, child_beat; /* a process that lasts as long */
};

/* Something was not as it should be: `line` of file number `file`. */
struct fault {
	atomic_ulong file, line, got, wanted, tid;
};

struct truth {
	/* by the judge */
	atomic_ulong gate, quit;
	/* by the victim */
	atomic_ulong interrupted; /* waits that saw EINTR, see waits.c */
	atomic_ulong pid, ready, done, active, bad;
	atomic_ulong threads_born, children_born, libraries_loaded, unwindings;
	struct fault faults[FAULTS];
	struct calls calls[KINDS][FUNCTIONS];
	struct slot slots[SLOTS];
};

extern struct truth *truth;
extern enum kind kind; /* of this process */

/* What a child of this process is. */
enum kind child_kind(enum kind as);

extern const char *const function_names[FUNCTIONS];
extern const char *const kind_names[KINDS];

void note_bad(unsigned file, unsigned line, uint64_t got, uint64_t wanted);

/* Each file of the victim has a number, for `struct fault`. */
#define CHECK_EQUAL(got, wanted)                                               \
	do {                                                                   \
		uint64_t got_ = (uint64_t)(got), wanted_ = (uint64_t)(wanted); \
		if (got_ != wanted_)                                           \
			note_bad(FILE_NUMBER, __LINE__, got_, wanted_);        \
	} while (0)

#endif
