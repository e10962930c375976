/*
 * stacks.h - the call stacks of all threads at one moment, as data
 */
#ifndef PERFTOOL_SESSION_STACKS_H
#define PERFTOOL_SESSION_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "perftool/base/error.h"
#include "perftool/base/vec.h"

struct session;

/* A call that the thread has not returned from. Texts are NULL where the debug
 * information does not tell. */
struct stack_frame {
	char *function; /* readable, with its parameters in C++ */
	char *module;   /* file name of the program or library */
	char *file;     /* source file, without the directory */
	uint32_t line;
	uint64_t address;
	/* The call is inlined into the next frame. */
	bool is_inlined;
	/* The kernel has called a signal handler here. */
	bool is_signal;
};

struct thread_stack {
	pid_t pid, tid;
	char *name; /* the kernel's name of the thread */
	/* the state letter of /proc/PID/stat before the tool looked; '?': not
	 * known */
	char state;
	VEC(struct stack_frame) frames; /* innermost first */
	/* There are more frames than were asked for. */
	bool is_cut;
	/* why there are no frames, or NULL */
	char *problem;
};
VEC_STRUCT(thread_stack_list, struct thread_stack);

/* Reads the stacks of all threads of all measured processes, with at most
 * `most` machine frames each. The program stands still while the frames are
 * found, for `*stood_ns`, and goes on before they get names. The caller calls
 * thread_stacks_deinit(), also after an error. */
struct error *session_read_stacks(struct session *session, size_t most,
				  struct thread_stack_list *out,
				  uint64_t *stood_ns);
void thread_stacks_deinit(struct thread_stack_list *stacks);

#endif
