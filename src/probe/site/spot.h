/*
 * spot.h - a spot: where a breakpoint is to be in a file, and in which role
 */
#ifndef PROBE_SPOT_H
#define PROBE_SPOT_H

#include "perftool/probe.h"

/* What the instruction of a site means to a breakpoint. */
enum role {
	ROLE_PLACE,  /* any instruction */
	ROLE_ENTRY,  /* the first instruction of a function */
	ROLE_RETURN, /* a return (ret), which is an exit */
	ROLE_JUMP,   /* a tail jump, which is an exit */
	/* a conditional jump, which is an exit when it is taken */
	ROLE_JUMP_IF,
	/* an indirect jump, which is an exit when it leaves the function */
	ROLE_JUMP_INDIRECT,
	/* an indirect call or jump, which counts when it leads to a function
	 * that the request names (callees.h) */
	ROLE_CALL_INDIRECT,
	/* the last instruction of an unwinding (unwind_spots.c): the stack
	 * pointer is already that of the frame in which the thread goes on,
	 * or 8 less */
	ROLE_UNWIND,
	/* the first instruction of a function that ends the process */
	ROLE_PROCESS_END,
	/* no instruction: an object that the processor watches (watches.h) */
	ROLE_WATCH,
};

/* Which result of a function that takes a lock makes a hit of its return. */
enum lock_taken {
	TAKEN_ANY,
	TAKEN_LOCK, /* 0, or EOWNERDEAD: the lock was taken */
	/* these, or ETIMEDOUT: the wait for a condition has taken the mutex
	 * again */
	TAKEN_AGAIN,
};

#define MOST_UNLESS 4

/* A place in a file where a breakpoint is to be. All addresses are those of the
 * file. */
struct spot {
	uint64_t address;
	enum role role;
	/* the function that contains the address; its name is NULL if it is not
	 * known */
	struct function function;
	/* the FILE of FILE:LINE; NULL: the address determines it */
	const char *file;
	uint32_t line;
	/* the spot is the entry of an inlined copy of `function` */
	bool inlined;
	/* for an inlined copy: the number of its frame among the source frames
	 * at the address; 0 is the innermost frame */
	unsigned frame;
	/* the address to which a jump leads that is not indirect */
	uint64_t target;
	/* a ROLE_JUMP_INDIRECT in a stub of a procedure linkage table, which
	 * always leaves the stub */
	bool is_stub;
	/* How many bytes the CFA is above rsp + 8, which is where it is at most
	 * exits. */
	int8_t shift;
	/* For a ROLE_JUMP_INDIRECT through a thunk: the DWARF number plus one
	 * of the register that holds the target. 0: the instruction itself has
	 * the target. */
	uint8_t thunk;
	bool is_last; /* the return behind a call of __morestack */
	/* an indirect jump as only code of another calling convention has it,
	 * see arch_jumps_through_saved() */
	bool is_foreign;
	/* If the return address is in one of these ranges, the spot is not
	 * reached. Either the function runs on a stack of its own, and will go
	 * back to its real frame (-fsplit-stack), or the call comes from a
	 * function whose calls do not count. */
	struct range unless[MOST_UNLESS];
	uint8_t unless_count;
	/* the result that eax must have */
	enum lock_taken taken;
	/* The spot counts only if rdi, the first argument, is not 0. */
	bool needs_argument;
	enum place_form form;
	uint8_t marks; /* RUN_..., for REQUEST_RUNS, or wait_marks() */
	/* The spot is a static probe, and where its semaphore is (struct
	 * static_probe); 0: it has none. */
	bool is_probe;
	uint64_t semaphore;
};
VEC_STRUCT(spot_list, struct spot);

static inline bool is_jump(enum role role)
{
	return role == ROLE_JUMP || role == ROLE_JUMP_IF ||
	       role == ROLE_JUMP_INDIRECT;
}

#endif
