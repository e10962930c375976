/*
 * process_names.c - the names of processes, for tables by process
 *
 * The tool cannot read the name of a process that has ended. So it reads the
 * name when the process appears, when the process executes another program, and
 * whenever tables are made. If a process is renamed and ends before the next of
 * these moments, the tables show the earlier name.
 */
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/command_line.h"
#include "perftool/target/process_status.h"
#include "run.h"

static void set_name(char **name, char *value)
{
	free(*name);
	*name = value;
}

void read_process_name(struct followed *followed)
{
	const struct process *process = followed->process;
	char comm[17] = "?", state, *title;

	if (process->threads.count)
		target_thread_info(process->threads.data[0], &state, comm);
	if (!str_equal(comm, "?"))
		set_name(&followed->comm, xstrdup(comm));
	/* The kernel reports no command line for a process that is ending. */
	title = target_title(followed->pid);
	if (title)
		set_name(&followed->command, title);
}

void tell_process_name(struct session *session, const struct followed *followed)
{
	measure_name_process(session->measure, followed->pid, followed->comm,
			     followed->command);
}

void renew_process_names(struct session *session)
{
	for (size_t i = 0; i < session->followed.count; i++) {
		read_process_name(&session->followed.data[i]);
		tell_process_name(session, &session->followed.data[i]);
	}
}

void followed_deinit(struct followed *followed)
{
	free(followed->comm);
	free(followed->command);
}
