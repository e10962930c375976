/*
 * thread_figures.h - what the kernel tells of the threads of processes
 */
#ifndef OPERATIONS_THREAD_FIGURES_H
#define OPERATIONS_THREAD_FIGURES_H

#include <stdint.h>
#include <sys/types.h>

#include "perftool/base/vec.h"
#include "perftool/session.h"

struct thread_figures {
	pid_t tid;
	char name[17];
	char state; /* the letter of proc(5) */
	/* ns on a CPU, and ns during which it waited for a CPU */
	int64_t cpu, queue;
	uint64_t switches; /* how often it went on a CPU */
};
VEC_STRUCT(thread_figures_list, struct thread_figures);

/* Appends the threads of all measured processes. The caller frees the list. */
void thread_figures_read(const struct session *session,
			 struct thread_figures_list *out);

#endif
