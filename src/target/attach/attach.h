/*
 * attach.h - how a process comes to be traced: it is launched, or its threads
 * are seized
 *
 * The kernel may refuse to let the tool trace a process (refusal.c). Other
 * processes may have the same memory, and are traced with it
 * (memory_sharers.c).
 */
#ifndef TARGET_ATTACH_H
#define TARGET_ATTACH_H

#include "target/target_state.h"

/* Do the two have one memory? As the kernel sees it; `unknown` where it does
 * not tell. */
bool have_one_memory(pid_t one, pid_t other, bool unknown);
/* A thread of the process that has its memory: a leader that has ended has none
 * any more. */
pid_t living_thread(const struct process *process);

/* Seize all threads of the process that are there now; `found` is set if there
 * was a new one. */
struct error *seize_threads(struct process *process, bool *found);

/*
 * Seize all other processes that have the memory of this one, of which a thread
 * is STOPPED, and note which thread waits for which in vfork(2); `found` is
 * set if there was a new thread.
 */
struct error *seize_sharers(struct process *process, bool *found);

/* Let go of those that have other memory by now: they have executed a program
 * while they were being seized. All are STOPPED. */
void drop_strangers(struct process *process);

/* Does the thread wait in the kernel for its child to leave the memory? */
bool is_in_vfork(pid_t pid, pid_t tid);

/* Is a file an ELF one of 32 bits? */
bool is_32_bit(const char *path);

/* Why the kernel did not let us trace this thread; it said `errno_value`. */
struct error *explain_refusal(pid_t pid, pid_t tid, int errno_value);

#endif
