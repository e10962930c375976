/*
 * stack_weights.h - how much each stack of procedures weighs, for formats that
 * tell neither lines, nor the threads of one name, nor the reasons of samples
 * apart
 */
#ifndef REPORT_STACK_WEIGHTS_H
#define REPORT_STACK_WEIGHTS_H

#include "perftool/base/str.h"
#include "perftool/base/vec.h"
#include "perftool/profile/call_stacks.h"

struct stack_weight {
	uint32_t stack; /* the first of the stacks that have these procedures */
	uint32_t name;  /* index into `names` */
	uint64_t weight;
};

/* All zero is empty. */
struct stack_weights {
	VEC(struct stack_weight) list; /* in the order of the samples */
	VEC(char *) names;             /* of threads, each once */
	uint64_t total;
};

/* Add up the samples of each stack and name. Samples of no weight are left
 * out. */
void stack_weights_init(struct stack_weights *weights,
			const struct call_stacks *stacks,
			void (*write)(const char *name, struct str *out));
void stack_weights_deinit(struct stack_weights *weights);

#endif
