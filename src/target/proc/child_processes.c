/*
 * child_processes.c - finds the children of a process, and in turn their
 * children, as the kernel lists them in /proc/PID/task/TID/children
 *
 * The kernel lists a child whether or not a process traces it.
 */
#include "perftool/target.h"
#include "perftool/target/process_status.h"
#include "proc.h"

struct search {
	pid_t pid;
	struct pid_list *found;
};

static void add_children_of_thread(void *context, pid_t tid)
{
	const struct search *search = context;

	proc_children(search->pid, tid, search->found);
}

static void add_children(pid_t pid, struct pid_list *out)
{
	struct search search = {pid, out};

	proc_each_thread(pid, add_children_of_thread, &search);
}

bool target_is_alive(pid_t pid)
{
	struct proc_status status;

	return target_read_status(pid, &status) &&
	       !proc_has_ended(status.state);
}

void target_find_children(pid_t pid, struct pid_list *out)
{
	*out = (struct pid_list){0};
	add_children(pid, out);
	for (size_t i = 0; i < out->count; i++)
		add_children(out->data[i], out);
}
