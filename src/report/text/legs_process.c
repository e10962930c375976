/* legs_process.c - how the leg table by process tells the processes apart */
#include "legs_process.h"

#include <inttypes.h>
#include <string.h>

#include "perftool/base/alloc.h"

/* The most letters of a command line that are shown, because a command line can
 * have thousands. */
#define MOST_COMMAND 60

static const char *name_of(const struct measure_process *process,
			   enum process_names names)
{
	if (!process)
		return NULL;
	return names == PROCESS_COMMANDS ? process->command : process->comm;
}

/* Do the shares have different names of this kind? Processes whose name is not
 * known do not matter. */
static bool differ(const struct tables *shares, enum process_names names)
{
	const char *first = NULL;

	for (size_t i = 0; i < shares->leg_count; i++) {
		const char *name =
			name_of(report_row(shares, i)->process, names);

		if (first && name && !str_equal(first, name))
			return true;
		if (!first)
			first = name;
	}
	return false;
}

enum process_names process_names_of(const struct tables *shares)
{
	if (differ(shares, PROCESS_COMMANDS))
		return PROCESS_COMMANDS;
	return differ(shares, PROCESS_COMMS) ? PROCESS_COMMS : PROCESS_PIDS;
}

void process_pid_cell(struct grid *grid, const struct report_leg *share)
{
	const struct measure_process *process = share->process;

	if (!share->is_share)
		grid_text(grid, "-");
	else if (share->has_rank)
		grid_printf(grid, "%" PRId64, share->rank);
	else if (!process)
		grid_text(grid, "(other)");
	else if (!process->pid)
		/* of several files, in which it has several pids */
		grid_printf(grid, "#%" PRIu32, process->number);
	else if (share->shares_pid)
		grid_printf(grid, "%" PRId32 "#%" PRIu32, process->pid,
			    process->number);
	else
		grid_printf(grid, "%" PRId32, process->pid);
}

/* Return the command line without the directory of the program. Long command
 * lines lose their end, so a long directory would leave no room for the rest.
 */
static const char *without_directory(const char *command)
{
	size_t word = strcspn(command, " ");

	for (size_t i = word; i > 0; i--)
		if (command[i - 1] == '/')
			return command + i;
	return command;
}

void process_name_cell(struct grid *grid, const struct report_leg *share,
		       enum process_names names)
{
	const char *name = name_of(share->process, names);

	if (!name) {
		grid_text(grid, "-");
		return;
	}
	name = without_directory(name);
	if (strlen(name) > MOST_COMMAND)
		grid_printf(grid, "%.*s...", MOST_COMMAND - 3, name);
	else
		grid_text(grid, name);
}

void process_notes(const struct tables *shares, struct str *out)
{
	bool same_pid = false, other = false;

	for (size_t i = 0; i < shares->leg_count; i++) {
		const struct report_leg *share = report_row(shares, i);

		same_pid |= share->shares_pid;
		other |= share->is_share && !share->process && !share->has_rank;
	}
	if (same_pid)
		str_append(out, "# Two processes had the same pid, one after "
				"the other, or one process executed\n"
				"  two programs; the number behind # tells "
				"them apart.\n");
	if (!other)
		return;
	if (shares->is_sum) {
		str_append(out, "(other) has the processes of the files in "
				"which one alone has executed legs.\n");
		return;
	}
	str_append(out, "(other) has the processes that came when all ");
	report_number(PROCESS_SHARES, out);
	str_append(out, " rows were in use.\n");
}

void processes_note(const struct tables *tables, struct str *out)
{
	if (tables->process_count < 2)
		return;
	if (tables->is_sum)
		str_append(out, "Several processes or programs executed legs: "
				"JSON (`-o FILE.json') has each.\n");
	else
		str_append(out, "Several processes or programs executed legs: "
				"`print legs by=process' has each.\n");
}
