/*
 * filtered.c - which thread is under a seccomp filter
 */
#include <linux/seccomp.h>

#include "internal.h"
#include "proc.h"

/* The tool's own came with the container: what it allows the tool has tried. */
static bool is_filtered(const struct proc_status *status,
			const struct proc_status *own)
{
	return status->seccomp == SECCOMP_MODE_FILTER &&
	       (own->seccomp != SECCOMP_MODE_FILTER ||
		status->filters > own->filters);
}

struct thread *target_find_filtered(struct process *process)
{
	struct proc_status own, status;

	if (!proc_status(0, 0, &own))
		own = (struct proc_status){0};
	for (size_t i = 0; i < process->threads.count; i++) {
		struct thread *thread = process->threads.data[i];

		if (proc_status(process->pid, thread->tid, &status) &&
		    is_filtered(&status, &own))
			return thread;
	}
	return NULL;
}
