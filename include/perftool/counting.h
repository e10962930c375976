/*
 * counting.h - how threads match and add up the executions of legs by
 * themselves: memory that the program's thread writes and the tool reads
 *
 * A trampoline at the entry or the exit of a function calls the counting code
 * (counting.S), which works on the thread's block (ring.h). The block has these
 * arrays for it:
 *
 *	COUNTING_LEGS		struct counting_leg, indexed by the number of
 *				the leg
 *	COUNTING_OPEN		struct counting_open: activations
 *	COUNTING_OUT		frames that a function has left by a tail jump
 *	COUNTING_BUCKETS	sets of buckets, for histograms of durations
 *	COUNTING_ORDER		struct counting_open, indexed by the number of
 *				the leg: the activations of legs that match by
 *				order
 *	COUNTING_CALLS		struct call_block: the calls of a profile
 *
 * The rules are those of the measure layer (doc/RULES.md, "Matching from with
 * to") for a leg that is nested, matches by frame, and whose owner is the
 * thread:
 *
 *  - On *from* the activations of the leg whose frame is equal or shallower
 *    are gone: they are unwound. A new activation is opened.
 *  - On *to* the activations whose frame is shallower are unwound. If the frame
 *    of the innermost activation is that of the hit, it is closed. Otherwise
 *    the *to* is ignored.
 *
 * These rules hold on the thread's own stack. A hit whose frame is not there is
 * recorded in the ring, and the tool matches it.
 *
 * A leg whose owner is the thread can also match by order. It has one
 *activation at most, and no frame or stack matters:
 *
 *  - On *from* an activation is opened. If one is open already, either it is
 *    replaced (`last`), or it stays and the *from* opens none (`first`). One
 *    *from* is ignored in both cases.
 *  - On *to* the activation is closed. If none is open, the *to* is ignored.
 *
 * An execution that is shorter than `most` is added up. A longer one is told:
 * the thread writes one record of it into its ring, because the tool needs to
 * know what else happened meanwhile (context switches, stops of the thread).
 *
 * Only the thread writes to its counts, so the tool never sets them back. The
 * tool remembers what it has read, and computes differences.
 */
#ifndef PERFTOOL_COUNTING_H
#define PERFTOOL_COUNTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

#include "perftool/arch.h"
#include "perftool/base/call_block.h"

/* Legs with smaller numbers can be counted by threads. */
#define COUNTING_MOST_LEGS 4095
/* The number of the leg of the calibration, which is no leg of the user. */
#define COUNTING_CALIBRATION COUNTING_MOST_LEGS
/* How many activations a thread can have open. The first one in the array is
 * none: it ends every list. */
#define COUNTING_MOST_OPEN 32768
/* How many frames that functions have left by tail jumps a thread can have at
 * one time, the first one in the array is none. More frames are forgotten. */
#define COUNTING_MOST_OUT 16384
/* How many legs of one thread can have buckets. The executions of further legs
 * are all told. */
#define COUNTING_MOST_SETS 2048

/* The argument of the functions for legs that match by order has the number of
 * a leg, shifted by COUNTING_NEXT_SHIFT the number of the next leg, and the bit
 * COUNTING_KEEPS if the leg that the hit opens matches by `first`. */
#define COUNTING_NEXT_SHIFT 12
#define COUNTING_KEEPS (UINT32_C(1) << 24)

/* The size of the call block of a thread. Functions of a profile have smaller
 * numbers than COUNTING_MOST_FUNCTIONS; the last number is that of the
 * calibration. */
#define COUNTING_MOST_FUNCTIONS 65535
#define COUNTING_CALIBRATED_FUNCTION COUNTING_MOST_FUNCTIONS
#define COUNTING_MOST_CALLS 262144
#define COUNTING_MOST_ARCS 32768

/*
 * Durations are counted in buckets of whole nanoseconds, in the manner of an
 * hdr histogram: up to 255 ns each nanosecond has a bucket, up to 511 ns two
 * nanoseconds have one, and above that four.
 */
#define COUNTING_BITS 7
#define COUNTING_BUCKETS_OF_LEG 480
/* Executions of this duration and longer ones have no bucket, ns. A context
 * switch away from a thread and back takes longer. */
#define COUNTING_MOST_NS 896

/* The unit of durations is a sixteenth of a tick of the time-stamp counter, and
 * the unit of costs is a 256th. */
#define COUNTING_UNIT_BITS 4
#define COUNTING_COST_BITS 8

/* The low bound of bucket `index`, ns. The bucket ends where the next one
 * begins. */
static inline unsigned counting_bucket_low(unsigned index)
{
	unsigned shift = index < 256 ? 0 : (index - 128) >> COUNTING_BITS;

	return (index - (shift << COUNTING_BITS)) << shift;
}

struct counting_leg {
	/* the innermost activation: its offset in the array, 0 if none is
	 * open */
	uint32_t top;
	uint32_t buckets; /* offset of its buckets in the block; 0: none yet */
	uint64_t entered; /* number of activations that were opened */
	uint64_t count;   /* number of executions that were added up */
	/* the sum of their durations, and of the squares of these; units */
	int64_t sum;
	uint64_t squares;
	uint32_t min, max; /* ns; a duration below 0 counts as 0 */
	uint32_t ignored;  /* number of *to*s that were ignored */
	/* number of *from*s that were ignored: because of HIT_MOST_BACK, or
	 * because an activation was open and the leg matches by order */
	uint32_t ignored_from;
	/* A leg that matches by order: how often *from* was hit on another
	 * stack than that of the open activation. */
	uint32_t unwound;
	/* The number of activations that found no room here, so that the tool
	 * has them (they are deeper than all others). */
	uint32_t outside;
};

struct counting_open {
	uint64_t frame; /* UINT64_MAX in the first activation of the array */
	/* The time-stamp counter at *from*. In COUNTING_ORDER: 0 if no
	 * activation is open. */
	uint64_t start;
	uint64_t taken; /* `taken` of struct counting_state at *from* */
	/* the offset of the next outer activation of the leg; of a free one:
	 * of the next free one */
	uint32_t below;
	/* how often tail jumps had brought the function back to the frame */
	uint32_t back;
};

/*
 * The function of a leg has left its frame by a tail jump. Its frame ends with
 * the return of another function that has the same frame (tails.h of the probe
 * layer). The array is a stack: the deepest frames come last.
 */
struct counting_out {
	uint64_t frame;  /* UINT64_MAX in the first element of the array */
	uint64_t caller; /* the return address of the frame */
	uint32_t leg;
	uint32_t state; /* enum counting_left */
	/* how often the function has come back to the frame and left it once
	 * more */
	uint32_t backs;
	uint32_t spare;
};

/* The states have the meaning of those in tail_frames.c of the probe layer. */
enum counting_left {
	/* another function runs in the frame */
	COUNTING_OUT_OF_FRAME,
	/* a tail jump is about to lead back to the function */
	COUNTING_COMING,
	/* the function runs in the frame again */
	COUNTING_IN_FRAME,
};

/* The part of a block's header that belongs to counting. */
struct counting_state {
	/* The thread writes these members. */
	/* number of hits that the thread has counted by itself */
	uint64_t counted;
	/* what all hits of the thread at jumps have cost it, cost units */
	uint64_t taken;
	uint32_t free;         /* offset of the first free activation, or 0 */
	uint32_t fresh;        /* offset of the first one that was never used */
	uint32_t next_buckets; /* offset of the next free set of buckets */
	uint32_t out; /* offset of the last frame that was left, or 0 */
	/* number of hits at places where frames are only followed; these are
	 * not in `counted` */
	uint64_t followed;
	uint64_t spare[3];

	/* The tool writes these members. */
	/* Activations that began before this value of the time-stamp counter
	 * were discarded. It is never 0. */
	uint64_t since;
	uint64_t cost;        /* what a hit that the thread counts costs it */
	uint64_t record_cost; /* what a hit that it records costs it */
	/* What an execution seems to take that takes no time and has no hits
	 * inside, less half a unit of durations, so that durations are rounded;
	 * cost units. */
	int64_t own;
	int64_t most;   /* an execution of this duration is told; units */
	uint64_t scale; /* ns per unit, times 2^32 */
	/* the thread's own stack */
	uint64_t stack_low, stack_size;
	/* The next hit with this frame and this `site` of a record was counted
	 * before: a signal has interrupted the thread behind the jump, and its
	 * handler has led the thread back to the site by another way than a
	 * return. Frame 0: there is no such hit. (The thread clears it.) */
	uint64_t skip_frame;
	uint32_t skip_site, spare3;
	/* what a hit costs at a place where frames are only followed */
	uint64_t follow_cost;
	/* addresses of the counting code */
	uint64_t enter, enter_again, enter_and_go, leave, follow, arrive, jump,
		come, end, order_from, order_to, order_both;
};

/* Registers that the counting code saves. */
struct counting_saved {
	uint64_t rsi, rdi, rsp, r8, r9, r10, r11;
	uint64_t wait_rax, wait_rdx; /* while the thread waits for room */
	uint64_t end_rsi, end_rdx, end_rcx; /* arguments of `end` */
	uint64_t end_step;                  /* used by `end` */
	uint32_t again_state, again_backs;  /* used by `enter_again` */
};

/* Used by `order_both`: what the opening of the next leg will store. */
struct counting_next {
	uint64_t leg, open; /* addresses of the leg and of its activation */
	uint64_t frame, start, taken; /* of this activation */
	/* what is added to `entered` and to `ignored_from` of the leg */
	uint32_t entered, ignored_from;
};

struct counting_calls {
	/* addresses of functions of the counting code */
	uint64_t enter, leave, jump;
	/* registers that a trampoline keeps during the call of one of these */
	uint64_t rsi, rdx;
	/* What stops of the thread by the tool have taken from it, cost units.
	 * Together with `taken` of struct counting_state this is `taken` of the
	 * call block. */
	uint64_t held;
	/* When the thread goes on from a stop, it adds the time-stamp counter
	 * to `held`, in cost units, as far as this mask has bits: the tool has
	 * subtracted the beginning of the stop. All bits, or 0: it adds
	 * nothing. */
	uint64_t resume_mask;
};

#define COUNTING_LEGS_SIZE                                                     \
	((COUNTING_MOST_LEGS + 1) * sizeof(struct counting_leg))
#define COUNTING_OPEN_SIZE (COUNTING_MOST_OPEN * sizeof(struct counting_open))
#define COUNTING_OUT_SIZE (COUNTING_MOST_OUT * sizeof(struct counting_out))
#define COUNTING_SET_SIZE (COUNTING_BUCKETS_OF_LEG * sizeof(uint32_t))
#define COUNTING_SETS_SIZE (COUNTING_MOST_SETS * COUNTING_SET_SIZE)
#define COUNTING_ORDER_SIZE                                                    \
	((COUNTING_MOST_LEGS + 1) * sizeof(struct counting_open))
/* The header of the call block and its arrays, in their order: see
 * call_block_init(). */
#define COUNTING_CALLS_HEADER 4096
#define COUNTING_CALLS_OPEN_SIZE                                               \
	(COUNTING_MOST_CALLS * sizeof(struct call_activation))
#define COUNTING_CALLS_ARCS_SIZE                                               \
	(COUNTING_MOST_ARCS * sizeof(struct call_block_arc))
#define COUNTING_CALLS_COLD_SIZE                                               \
	(COUNTING_MOST_ARCS * sizeof(struct call_block_cold))
#define COUNTING_CALLS_INDEX_SIZE (2 * COUNTING_MOST_ARCS * sizeof(uint32_t))
#define COUNTING_CALLS_DEPTHS_SIZE                                             \
	((COUNTING_MOST_FUNCTIONS + 1) * sizeof(uint32_t))
#define COUNTING_CALLS_SIZE                                                    \
	(COUNTING_CALLS_HEADER + COUNTING_CALLS_OPEN_SIZE +                    \
	 COUNTING_CALLS_ARCS_SIZE + COUNTING_CALLS_COLD_SIZE +                 \
	 COUNTING_CALLS_INDEX_SIZE + COUNTING_CALLS_DEPTHS_SIZE)
#define COUNTING_SIZE                                                          \
	(COUNTING_LEGS_SIZE + COUNTING_OPEN_SIZE + COUNTING_OUT_SIZE +         \
	 COUNTING_SETS_SIZE + COUNTING_ORDER_SIZE + COUNTING_CALLS_SIZE)

/* ---- the counting code --------------------------------------------------- */

/* `leg` of a call for a function that has no leg of its own. */
#define COUNTING_NO_LEG UINT32_MAX

/*
 * The code may be copied to any address. The first members are the offsets of
 * functions, which a trampoline calls:
 *
 *	enter	at *from* of a leg
 *	enter_again
 *		at *from* of a leg whose function may come back to its own frame
 *		by tail jumps, instead of `arrive` and `enter`
 *	enter_and_go
 *		the same, if the function begins with a tail jump; `jump` and
 *		`come` are called before
 *	leave	at *to* of a leg
 *	arrive	at the entry of a function to which tail jumps lead; and, with
 *		COUNTING_NO_LEG, at a tail jump out of a function that has no
 *		leg, in order to drop frames that have gone
 *	jump	at a tail jump out of the function of a leg
 *	come	at a tail jump to the function of a leg, after `jump`; rcx has
 *		the leg to whose function the jump leads
 *	end	at a return where frames end that were left by tail jumps
 *	follow	after some of these four, if there is nothing else to count
 *	order_from
 *		at *from* of a leg that matches by order
 *	order_to
 *		at *to* of such a leg
 *	order_both
 *		at *to* of such a leg, and *from* of the next such leg, which
 *		may be the same
 *
 *	call_enter
 *		at the entry of a function of a profile
 *	call_leave
 *		at a return of such a function, and at one of a function in
 *		which its frames end after tail jumps
 *	call_jump
 *		at a tail jump out of such a function
 *
 * `arrive`, `jump`, `come` and `end` are called before one of the others, or
 *before the hit is recorded; they change no register but rax. They may be
 *executed again for the same hit. All functions return with `ret`. At the call
 *
 *	rdi	the address of the block
 *	rsi	the frame (CFA)
 *	rdx	the time-stamp counter; for `follow`, and for what is called
 *		before it: 0, because they seldom need it
 *	rcx	the number of the leg of the function, and in its upper half
 *		the `site` of a record of the hit (ring.h); for the functions
 *		for legs that match by order, see COUNTING_NEXT_SHIFT; for those
 *		of calls, the number of the function, or for call_jump that of
 *		the function to which the jump leads, or CALL_NO_FUNCTION or
 *		CALL_ANY_FUNCTION
 *	rsp	a stack with room for 64 bytes: COUNTING_STACK in the
 *		block, or the program's stack in a program that is to
 *		outlive the tool
 *
 * The other functions change rax, rcx, rdx, rsi and the flags. A thread in them
 * traps at `wait` while its ring is full; the tool lets it go on at `again`. A
 * thread traps at `untold` if it cannot count a call by itself: the tool makes
 * the hit, and lets the thread go on behind the site.
 */
struct counting_code {
	size_t size;
	size_t enter, enter_again, enter_and_go, leave, follow, arrive, jump,
		come, end, order_from, order_to, order_both, wait, again;
	size_t call_enter, call_leave, call_jump, untold;
};

void arch_counting(struct counting_code *out);
/* Write the code, which has `size` bytes. */
void arch_counting_write(uint8_t *out);
/* The size of the call block in a thread's block. */
extern const struct call_block_size counting_calls_size;

/* What became of the hit of a thread that was found in the counting code. */
struct counting_undone {
	bool counted;  /* the hit is counted; else it must be made again */
	bool reserved; /* one cell of the ring is reserved but not complete */
	uint64_t position; /* of this cell, modulo the size of the ring */
};

/* Write `size` bytes at an address of the process. Returns false if that is not
 * possible. */
typedef bool counting_write_fn(void *context, uint64_t address,
			       const void *data, size_t size);

/*
 * A thread was found at `offset` of the counting code, with these registers. If
 * the code has begun to change the counts, do what remains to be done of it, so
 * that the hit is counted as a whole. Then set r8 to r11 in `regs` to the
 * program's values. (The trampoline has the other registers.) Returns false if
 * memory cannot be read or written.
 */
bool counting_finish(uint64_t offset, struct user_regs_struct *regs,
		     arch_read_fn *read, counting_write_fn *write,
		     void *context, struct counting_undone *out);

#endif
