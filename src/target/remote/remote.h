/*
 * remote.h - system calls that a stopped thread makes for the tool (remote
 * calls), and memory that the tool maps into a process by such calls
 *
 * remote_call.c makes the calls in a thread that calling_thread.c chooses. The
 * thread makes them by executing a script (code that the tool writes into the
 * process), for which script_space.c finds room. A tool that died may have left
 * a thread inside a script; interrupted_scripts.c leads the thread out of the
 * script.
 */
#ifndef TARGET_REMOTE_H
#define TARGET_REMOTE_H

#include "target/target_state.h"

/*
 * Suspend the seccomp filters of a thread, because a filter might kill the
 * thread for a remote call. Nothing is done if the thread has no filters, or
 * only those that the tool itself is under. The function fails if the kernel
 * does not let the tool suspend the filters. `*suspended` says whether the
 * caller must call resume_filters() afterwards.
 */
struct error *suspend_filters(struct thread *thread, bool *suspended);
void resume_filters(struct thread *thread);

/* Let a thread in a script go on to the entry, or to the return, of its next
 * system call. */
struct error *step_to_call(struct thread *thread);

/* The offset of a script's data from the beginning of the script. */
#define SCRIPT_DATA 8

/* remote_call.c: the same as target_remote_calls(), but the tool runs `look`
 * (may be NULL) while the thread is stopped at the return of one of the
 * calls. */
struct remote_look {
	/* the index of the call after which `run` is called */
	size_t after;
	struct error *(*run)(void *context, const int64_t *results);
	void *context;
};
struct error *remote_calls(struct thread *thread,
			   const struct script_call *calls, size_t count,
			   const void *data, size_t data_size,
			   const struct remote_look *look, int64_t *results);

/* memfd.c: the same as target_map_at(), but while pages of the process are kept
 * the memory is mapped when they are written (kept_defer_mapping()). */
struct error *map_at_some_time(struct thread *thread, uint64_t address,
			       uint64_t size, const char *name);

#endif
