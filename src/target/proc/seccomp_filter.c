/*
 * seccomp_filter.c - finds threads that are under a seccomp filter
 */
#include <linux/seccomp.h>

#include "perftool/target.h"
#include "perftool/target/process_status.h"
#include "proc.h"

/* A kernel that does not count the filters shows only the seccomp mode. If the
 * tool is in the same mode, too, the tool takes the filters for those of its
 * container. */
bool proc_is_filtered(const struct proc_status *thread,
		      const struct proc_status *tool)
{
	return thread->seccomp == SECCOMP_MODE_FILTER &&
	       (tool->seccomp != SECCOMP_MODE_FILTER ||
		thread->filters > tool->filters);
}

struct thread *target_find_filtered(struct process *process)
{
	struct proc_status own, status;

	if (!proc_status(0, 0, &own))
		own = (struct proc_status){0};
	for (size_t i = 0; i < process->threads.count; i++) {
		struct thread *thread = process->threads.data[i];

		if (proc_status(process->pid, thread->tid, &status) &&
		    proc_is_filtered(&status, &own))
			return thread;
	}
	return NULL;
}
