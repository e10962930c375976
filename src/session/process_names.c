/*
 * process_names.c - what processes are called, for tables by process
 *
 * A process that has ended cannot be asked any more. So its name is read when
 * it comes, when it executes another program, and whenever tables are made: one
 * that is renamed and ends before that keeps the name that it had.
 */
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/command_line.h"
#include "session_state.h"

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
	/* one that is ending has none */
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
