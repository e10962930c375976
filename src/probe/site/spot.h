/*
 * spot.h - where a breakpoint wants to be, in a file, and as what
 */
#ifndef PROBE_SPOT_H
#define PROBE_SPOT_H

#include "perftool/probe.h"

/* In which way a site belongs to a breakpoint. */
enum role {
	ROLE_PLACE,         /* any instruction */
	ROLE_ENTRY,         /* a function's first instruction */
	ROLE_RETURN,        /* ret: an exit */
	ROLE_JUMP,          /* a tail jump: an exit */
	ROLE_JUMP_IF,       /* an exit when taken */
	ROLE_JUMP_INDIRECT, /* an exit when it leaves the function */
};

/* Where a breakpoint wants to be, in addresses of the file. */
struct spot {
	uint64_t address;
	enum role role;
	struct function function; /* name NULL: unknown */
	const char *file; /* of a FILE:LINE, else NULL: by the address */
	uint32_t line;
	bool inlined;    /* the entry of a copy, in `function` */
	unsigned frame;  /* of a copy: which one is it at the address */
	uint64_t target; /* of a jump, unless it is an indirect one */
	bool is_stub;    /* ROLE_JUMP_INDIRECT that always leaves */
	/* The CFA is so many bytes above where it usually is at an exit, 8
	 * above rsp. */
	int8_t shift;
	/* ROLE_JUMP_INDIRECT by a thunk: where it leads is in the register that
	 * DWARF numbers one less; 0: the instruction says it */
	uint8_t thunk;
	bool is_last; /* the return behind a call of __morestack */
	/* None, where the return address is in here: the function runs on a
	 * stack of its own, and goes back to its real frame (-fsplit-stack). */
	struct range unless; /* `high` 0: there is no such range */
};
VEC_STRUCT(spot_list, struct spot);

static inline bool is_jump(enum role role)
{
	return role == ROLE_JUMP || role == ROLE_JUMP_IF ||
	       role == ROLE_JUMP_INDIRECT;
}

#endif
