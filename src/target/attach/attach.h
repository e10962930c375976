/*
 * attach.h - how the tool begins to trace a process: the tool launches it, or
 * seizes its threads
 *
 * The kernel may refuse to let the tool trace a process; refusal.c finds out
 * why. Other processes may have the same memory; the tool traces them, too
 * (memory_sharers.c).
 */
#ifndef TARGET_ATTACH_H
#define TARGET_ATTACH_H

#include "target/target_state.h"

/* Do two processes use the same memory, according to the kernel? The function
 * returns `unknown` if the kernel does not tell. */
bool have_one_memory(pid_t one, pid_t other, bool unknown);
/* Return a thread of the process that still has the memory of the process. A
 * leader that has ended has no memory any more. */
pid_t living_thread(const struct process *process);

/* Seize all threads that the process has now. `found` is set if there was a new
 * thread. */
struct error *seize_threads(struct process *process, bool *found);

/*
 * Seize all other processes that have the memory of this process, which must
 * have a STOPPED thread. Note for each thread in vfork(2) the child for which
 * it waits. `found` is set if there was a new thread.
 */
struct error *seize_sharers(struct process *process, bool *found);

/* Detach from the seized processes that have a different memory by now, because
 * they have executed a program while the tool was seizing them. All of them are
 * STOPPED. */
void drop_strangers(struct process *process);

/* Does the thread wait in the kernel until its vfork child leaves the
 * memory? */
bool is_in_vfork(pid_t pid, pid_t tid);

/* Is the file a 32-bit ELF file? */
bool is_32_bit(const char *path);

/* Make the error that says why the kernel did not let the tool trace this
 * thread. `errno_value` is the errno of the refusal. */
struct error *explain_refusal(pid_t pid, pid_t tid, int errno_value);

#endif
