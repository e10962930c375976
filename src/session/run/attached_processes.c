/*
 * attached_processes.c - processes that are measured beside the first attached
 * one: other processes that the user names, and children that existed before
 *
 * All measured processes stand still while the tool adds a process. If the tool
 * cannot attach to the new process, the others stay as they were.
 */
#include <unistd.h>

#include "perftool/base/duration.h"
#include "perftool/target/process_status.h"

#include "run.h"
#include "session/requests/requests.h"

/* The state of the measured processes before the tool began to add a process.
 */
struct addition {
	bool ran; /* did the processes run at that time? */
	uint64_t since;
};

static struct error *begin_addition(struct session *session,
				    struct addition *addition)
{
	addition->ran = session_runs_on(session) && session->state != RUN_HELD;
	addition->since = clock_now(&session->clock);
	if (addition->ran)
		TRY(stand_still(session));
	return need_process(session);
}

static struct error *end_addition(struct session *session,
				  const struct addition *addition,
				  struct error *error)
{
	return error_first(error, addition->ran ? go_on(session) : NULL);
}

/* Attaches to a process and adds it to the measured processes, all of which
 * stand still. */
static struct error *join(struct session *session, pid_t pid,
			  struct process **out)
{
	struct process *process;
	struct error *error;

	target_set_bystander(session->target, bystander_event, session);
	error = target_attach(session->target, pid, &process);
	target_set_bystander(session->target, NULL, NULL);
	TRY(error);
	follow(session, process);
	note_stopped(session, process);
	error = probe_join(session->probe, process);
	if (error) {
		error_destroy(probe_release(session->probe, process));
		process_left(session, process, pid);
		return error;
	}
	session_time_pending(session);
	*out = process;
	return NULL;
}

static struct error *need_other(struct session *session, pid_t pid)
{
	if (!session->attached)
		return error_create(ERROR_OTHER,
				    "process %d is being measured already; "
				    "`kill' or `detach' first",
				    session_pid(session));
	if (find_followed(session, pid))
		return error_create(ERROR_OTHER,
				    "process %d is being measured already; "
				    "`detach' first",
				    pid);
	return NULL;
}

struct error *attach_another(struct session *session, pid_t pid,
			     struct str *out)
{
	struct process *process;
	struct addition addition;
	struct error *error;

	TRY(need_other(session, pid));
	TRY(target_check_attach(pid));
	probe_preload(session->probe, pid);
	TRY(begin_addition(session, &addition));
	error = join(session, pid, &process);
	if (!error)
		describe_attached(process, out);
	error = end_addition(session, &addition, error);
	if (error)
		return error;
	str_append(out, "; all stood still for ");
	duration_describe(clock_now(&session->clock) - addition.since, out);
	str_append_char(out, '\n');
	return NULL;
}

/* ---- children ---------------------------------------------------------- */

static bool is_in(const struct pid_list *list, pid_t pid)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->data[i] == pid)
			return true;
	return false;
}

/* Finds the descendants of a process that are not measured. The tool itself may
 * be a descendant; the list does not contain it. The caller frees `out`. */
static void find_unmeasured(struct session *session, pid_t pid,
			    struct pid_list *out)
{
	struct pid_list all;

	*out = (struct pid_list){0};
	target_find_children(pid, &all);
	for (size_t i = 0; i < all.count; i++)
		if (all.data[i] != getpid() &&
		    !target_find_process(session->target, all.data[i]) &&
		    target_is_alive(all.data[i]))
			vec_push(out, all.data[i]);
	vec_free(&all);
}

/* Attaches to those descendants of the process that the tool has not tried to
 * attach to yet. Returns whether there were such descendants. */
static bool join_children(struct session *session, pid_t pid,
			  struct pid_list *tried, size_t *joined)
{
	struct pid_list found;
	bool any = false;

	find_unmeasured(session, pid, &found);
	for (size_t i = 0; i < found.count; i++) {
		struct process *process;
		struct error *error;
		pid_t child = found.data[i];

		if (is_in(tried, child))
			continue;
		any = true;
		vec_push(tried, child);
		error = join(session, child, &process);
		*joined += !error;
		if (error && error_code(error) != ERROR_GONE)
			session_note(session, "process %d is not measured: %s",
				     child, error_message(error));
		error_destroy(error);
	}
	vec_free(&found);
	return any;
}

struct error *session_attach_children(struct session *session, pid_t pid,
				      struct str *out)
{
	struct pid_list tried = {0};
	struct addition addition;
	size_t joined = 0;

	TRY(need_process(session));
	if (!pid)
		pid = session_pid(session);
	TRY(begin_addition(session, &addition));
	/* A child may have forked another child before the tool attached to it,
	 * so the tool searches until it finds no new child. */
	while (join_children(session, pid, &tried, &joined))
		;
	vec_free(&tried);
	TRY(end_addition(session, &addition, NULL));
	if (!joined) {
		str_printf(out,
			   "Process %d has no children that are not measured\n",
			   pid);
		return NULL;
	}
	str_printf(out,
		   "Attached to %zu %s of process %d; all stood still for ",
		   joined, joined == 1 ? "child" : "children", pid);
	duration_describe(clock_now(&session->clock) - addition.since, out);
	str_append_char(out, '\n');
	return NULL;
}

/* How many pids of unmeasured children the remark lists. */
#define MOST_NAMED 4

void session_note_children(struct session *session, pid_t pid)
{
	struct pid_list found;
	struct str names = {0};

	find_unmeasured(session, pid, &found);
	for (size_t i = 0; i < found.count && i < MOST_NAMED; i++)
		str_printf(&names, "%s%d", i ? ", " : "", found.data[i]);
	if (found.count > MOST_NAMED)
		str_append(&names, ", ...");
	if (found.count)
		session_note(
			session,
			"process %d has %zu %s already (%s), not measured: "
			"-p %d --children, or `attach children', measures "
			"%s, too",
			pid, found.count,
			found.count == 1 ? "child" : "children",
			str_text(&names), pid,
			found.count == 1 ? "it" : "them");
	str_deinit(&names);
	vec_free(&found);
}
