/*
 * tail_function.h - what is known about a function whose frames are followed,
 * in the memory of one space: tail_functions.c; what is followed
 * and watched: tails.c, tail_watchers.c, tail_needs.c
 */
#ifndef PROBE_TAIL_FUNCTION_H
#define PROBE_TAIL_FUNCTION_H

#include "perftool/base/vec.h"
#include "perftool/debuginfo.h"

struct attachment;
struct module;
struct probe;
struct space;

struct tail_function {
	struct function function;
	uint64_t entry; /* a run-time address */
	/* for a stub: the address of the function to which it leads; 0: not
	 * known yet */
	uint64_t goes_to;
	bool is_stub;
	/* A function of the run-time linker in which threads bind. Its exits
	 * are watched while they do. */
	bool is_linker;
	bool is_watched, is_followed;
	bool has_jumps; /* the function has jumps to other functions */
	bool sees_entry;
	/* the breakpoints that wait for the end of its frames; they may be
	 * disabled */
	VEC(uint32_t) watchers;
	/* The run-time addresses of jumps that lead to this function and that
	 * no thread has taken yet. */
	VEC(uint64_t) untaken;
};

/* Returns the function in the table; adds it if it is not there yet. */
struct tail_function *tail_function_enter(struct space *space,
					  const struct module *module,
					  const struct function *function);
void tail_function_destroy(struct tail_function *function);
/* Returns the function of the attachment, or NULL if nobody follows it. */
struct tail_function *tail_function_at(const struct space *space,
				       const struct attachment *attachment);

/* Watches a function of the table from now on (tails.c). */
struct error *tails_begin_to_watch(struct probe *probe, struct space *space,
				   struct module *module,
				   struct tail_function *at);

#endif
