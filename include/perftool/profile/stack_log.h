/*
 * stack_log.h - the samples as they were recorded: stacks of code addresses
 *
 * The log keeps each stack once, as a path in a tree whose root is the
 * outermost frame, so that an hour of samples fits in memory. Nothing has a
 * name yet: stack_log_resolve() asks for the names when a report is made.
 */
#ifndef PERFTOOL_PROFILE_STACK_LOG_H
#define PERFTOOL_PROFILE_STACK_LOG_H

#include "perftool/base/map.h"
#include "perftool/base/vec.h"
#include "perftool/profile/call_stacks.h"

/* Where code is, whatever the load bias: an address of a module's file. */
struct code_address {
	/* the number that the caller gave to the module; 0: no module, and
	 * `address` is a run-time address */
	uint32_t module;
	/* The frame executes the instruction at `address`. False: `address` is
	 * a return address, and the call is before it. */
	bool is_exact;
	uint64_t address;
};

/* One recorded stack. */
struct logged_stack {
	uint32_t thread; /* the thread's serial (struct thread of target.h) */
	enum sample_reason reason;
	bool is_delayed;
	bool is_broken;
	/* what the thread waits for: "ML", "CV", "pagefault", "preempted", the
	 * name of a system call, or "?"; NULL: it does not wait, or it is not
	 * known because many threads are sampled */
	const char *wait;
	uint64_t weight;
	const struct code_address *frames; /* innermost first */
	size_t depth;
};

struct stack_log_node {
	struct code_address at;
	uint32_t
		parent; /* index into `nodes`; 0: none, this is the outermost */
	bool is_broken;
};

struct stack_log_sample {
	uint32_t node;
	uint32_t thread;
	uint32_t wait; /* index into `waits` plus 1; 0: none */
	enum sample_reason reason;
	bool is_delayed;
	uint64_t weight;
};

/* All zero is empty. */
struct stack_log {
	VEC(struct stack_log_node) nodes; /* element 0 is unused */
	VEC(struct stack_log_sample) samples;
	VEC(char *) waits;
	struct map node_hash, sample_hash;
	/* What was recorded: the number of stacks and frames, and of stacks
	 * that could not be unwound to their end. */
	uint64_t stacks, frames, broken;
};

void stack_log_deinit(struct stack_log *log);
/* Return the node of the stack's innermost frame. */
uint32_t stack_log_add(struct stack_log *log, const struct logged_stack *stack);
/* Add a sample of a stack that was recorded before: it counts for those who
 * were in that stack. */
void stack_log_credit(struct stack_log *log,
		      const struct stack_log_sample *sample);

/* What gives names to the addresses of a log. */
struct stack_namer {
	void *context;
	/* Append to `places` the places of an address: the inlined calls there,
	 * innermost first, and last the function itself; at least one. The
	 * numbers are those of call_stacks_place(). */
	void (*name)(void *context, const struct code_address *address,
		     struct call_stacks *stacks,
		     struct call_place_list *places);
	/* Return the index of a thread (call_stacks_thread()). */
	uint32_t (*thread)(void *context, uint32_t serial,
			   struct call_stacks *stacks);
};

/* Add all samples of the log to `out`. Each address and each thread is named
 * once. */
void stack_log_resolve(const struct stack_log *log,
		       const struct stack_namer *namer,
		       struct call_stacks *out);

#endif
