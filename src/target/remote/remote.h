/*
 * remote.h - system calls that a stopped thread makes for the tool, and memory
 * that the tool maps into a process with them
 *
 * remote_call.c makes the calls, in a thread that calling_thread.c chooses, by
 * a script that script_space.c finds room for. A tool that died may have left a
 * thread inside a script: interrupted_scripts.c leads it out.
 */
#ifndef TARGET_REMOTE_H
#define TARGET_REMOTE_H

#include "target/target_state.h"

/*
 * A seccomp filter that the tool does not live under too must not see a call
 * of ours: suspend it, or fail.
 */
struct error *suspend_filters(struct thread *thread, bool *suspended);
void resume_filters(struct thread *thread);

/* In a script: up to the entry, or the return, of its next system call. */
struct error *step_to_call(struct thread *thread);

/* Where a script's data is. */
#define SCRIPT_DATA 8

/* Behind the vdso, to the end of its last page. */
struct error *find_vdso_room(struct process *process, uint64_t *low,
			     uint64_t *high);

/* remote_call.c: target_remote_calls(), with a look at the process while the
 * thread stands behind one of the calls. */
struct remote_look {
	size_t after; /* index of the call */
	struct error *(*run)(void *context, const int64_t *results);
	void *context;
};
struct error *remote_calls(struct thread *thread,
			   const struct script_call *calls, size_t count,
			   const void *data, size_t data_size,
			   const struct remote_look *look, int64_t *results);

#endif
