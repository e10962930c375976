/*
 * breakpoint.h - a breakpoint: what the user asked for, at which places it is,
 * and how often it was reached
 *
 * The folder request makes breakpoints and finds their places. The folders site
 * and fast put int3s and jumps there. Only files of the probe layer use the
 * members of struct breakpoint; other layers call functions of
 * perftool/probe.h.
 */
#ifndef PROBE_BREAKPOINT_H
#define PROBE_BREAKPOINT_H

#include "perftool/probe.h"

/* An expression that legs or splits refer to by its index. The index stays
 * valid as long as a leg or split uses the expression. */
struct used_expr {
	struct expr *expr; /* NULL if nothing uses this entry */
	unsigned users;
};
VEC_STRUCT(used_expr_list, struct used_expr);
struct breakpoint {
	/* the number by which the user knows it, or PROBE_APART and a number of
	 * its own; 0: the tool's own breakpoint, which is in no table */
	uint32_t id;
	uint32_t entry; /* its index in the table of breakpoints, plus 1 */
	enum request_kind kind;
	enum mechanism mechanism;
	bool enabled;
	/* probe_suspend(): it is not in the program for the time being. */
	bool is_suspended;
	/* Its sites are about to be updated (update_changed_sites()). */
	bool is_changed;
	/* It is one of probe_add_calls(). */
	bool is_of_calls;
	struct location location;
	struct expr *condition; /* NULL if the breakpoint is unconditional */
	/* As in the memo: the condition only names the variable that a
	 * histogram counts, and every hit counts. */
	bool only_names;
	/* The expression whose values the histogram of the breakpoint records:
	 * the one given with `value=`, else the first variable of the
	 * condition. NULL: the histogram has no values. */
	struct expr *value;
	bool value_given;
	struct used_expr_list keys, labels;
	/* The user has deleted the breakpoint. It is kept because the node
	 * table still shows its row. */
	bool deleted;
	/* the caller reads the registers of the threads that hit it */
	bool wants_thread;
	bool wants_frame; /* a hit must report its frame and its stack */
	/* a hit must report its stack and its stack pointer */
	bool wants_stack;
	/* in a Go program, a hit must report which goroutine makes it */
	bool wants_goroutine;
	/* The breakpoint had a place, in this run of the program or in an
	 * earlier one. */
	bool was_found;
	/* The breakpoint has a place in the program that the user has named. */
	bool is_of_program;
	/* The function of the breakpoint was also inlined elsewhere, and these
	 * copies are not places of the breakpoint. */
	bool leaves_out_copies;
	/* The function was inlined, and of some copy the optimizer left no
	 * code. */
	bool is_gone;
	/* The function that was asked for is there, but has no such place. */
	bool is_without;
	struct place_list places;
	/* offset in the file -> number (from 1) of a place in `places` */
	struct map place_at;
	/* For ROLE_CALL_INDIRECT, the targets that were looked up: an address
	 * -> 1 if no function that was asked for is there, 2 if one is. */
	struct map leads;
	/* for REQUEST_WATCH: as in struct watch_request, and the expression
	 * that gives the address of the object */
	struct {
		struct expr *address;
		uint64_t fixed;
		pid_t pid; /* the process in which `fixed` is an address */
		uint8_t size;
		bool reads;
	} watch;
	/* the reason why the breakpoint has no place; empty if it has one */
	struct str problem;
	/* The user was told that the condition cannot be evaluated. */
	bool told;
	/* The expressions of the breakpoint were bound at a place that was
	 * added, and the user was not told the outcome yet. */
	bool is_bound_anew;
	/* The condition is a constant that is true. */
	bool is_always;
	/* how often the breakpoint was reached with its condition true */
	uint64_t hits;
	/* how often the breakpoint was reached with its condition false */
	uint64_t misses;
	/* There may be more misses than `misses` says, because fast nodes do
	 * not count theirs. */
	bool misses_unknown;
	/* how many places of the breakpoint are jumps, and how many are int3s;
	 * after the program has ended, the numbers at its end */
	size_t fast, int3;
	uint64_t counting; /* the fast_count() that has counted them */
	/* the reason why one of the int3s is no jump; NULL if that was not
	 * determined */
	const char *slow;
	/* The mechanisms of places whose memory has gone while the program was
	 * measured, because a process executed another program or ended, or
	 * because a library was unloaded. */
	bool was_fast, was_int3;
	const char *was_slow;
	/* how often a thread hit an int3 of this breakpoint since cliff.c began
	 * its present look at a process */
	uint64_t recent;
	/* The user was told that the int3s of this breakpoint slow the program
	 * down. */
	bool is_told_of_cliff;
};

/* Are threads to reach the breakpoint? */
static inline bool breakpoint_is_in(const struct breakpoint *breakpoint)
{
	return breakpoint->enabled && !breakpoint->is_suspended;
}

/* Does no list or table show the breakpoint's places, and does no expression of
 * it look names up there? */
static inline bool
breakpoint_is_shown_nowhere(const struct breakpoint *breakpoint)
{
	return breakpoint->is_of_calls || request_is_of_waits(breakpoint->kind);
}

#endif
