/*
 * affinity.c - puts the tool and the program on the same CPU
 *
 * At a stop, the CPU goes from the program to the tool and back. On one CPU
 * this takes two context switches. On two CPUs it takes two wake-ups of an idle
 * CPU, which is 6 to 20 times slower (doc/RULES.md, "Int3 nodes"). The caller
 * calls target_pin() only for a program of one thread, because several threads
 * on one CPU could not run at the same time.
 */
#include <errno.h>

#include "target/proc/proc.h"
#include "target_state.h"

struct error *target_pin(struct process *process)
{
	struct target *target = process->target;
	struct proc_stat stat;
	cpu_set_t one;

	if (target->pinned)
		return NULL;
	if (!proc_stat(process->pid, process->pid, &stat))
		return error_create(ERROR_GONE, "process %d is gone",
				    process->pid);
	if (sched_getaffinity(0, sizeof(cpu_set_t), &target->own_affinity) < 0)
		return error_system(errno, "sched_getaffinity");
	if (sched_getaffinity(process->pid, sizeof(cpu_set_t),
			      &target->program_affinity) < 0)
		return error_system(errno, "sched_getaffinity");
	CPU_ZERO(&one);
	CPU_SET((size_t)stat.cpu, &one);
	if (sched_setaffinity(process->pid, sizeof(one), &one) < 0)
		return error_system(errno, "sched_setaffinity");
	if (sched_setaffinity(0, sizeof(one), &one) < 0) {
		int saved = errno;

		sched_setaffinity(process->pid, sizeof(cpu_set_t),
				  &target->program_affinity);
		return error_system(saved, "sched_setaffinity");
	}
	target->pinned = true;
	target->pinned_to = one;
	return NULL;
}

static void unpin_thread(const struct target *target, pid_t tid)
{
	cpu_set_t now;

	/* an affinity that the program has chosen itself stays */
	if (target->pinned && sched_getaffinity(tid, sizeof(now), &now) == 0 &&
	    CPU_EQUAL(&now, &target->pinned_to))
		sched_setaffinity(tid, sizeof(now), &target->program_affinity);
}

void target_unpin(struct process *process)
{
	struct target *target = process->target;

	if (!target->pinned)
		return;
	for (size_t i = 0; i < process->threads.count; i++)
		unpin_thread(target, process->threads.data[i]->tid);
	target_unpin_tool(target);
}

void target_unpin_tool(struct target *target)
{
	if (!target->pinned)
		return;
	sched_setaffinity(0, sizeof(cpu_set_t), &target->own_affinity);
	target->pinned = false;
}

void target_unpin_child(struct process *child)
{
	unpin_thread(child->target, child->pid);
}
