/*
 * spy_heading.c - the first section of the Spy's display: what was measured,
 * what the numbers mean, the figures of the whole, and how the Spy worked
 */
#include <inttypes.h>

#include "report/figures/figures.h"
#include "spy_text.h"

/* ---- what was measured --------------------------------------------------- */

/* Append the name of a line of the heading, so that what follows is aligned. */
static void label(const char *name, struct str *out)
{
	str_printf(out, "%-14s", name);
}

static void text_line(const char *name, const char *text, struct str *out)
{
	if (!text)
		return;
	label(name, out);
	printable(text, out);
	str_append_char(out, '\n');
}

static void watching_line(const struct spy_report *report, struct str *out)
{
	label("Watching:", out);
	switch (report->watch) {
	case SPY_CPU:
		str_append(out, "cpu, ");
		shortest(report->rate, out);
		str_printf(out, " ticks a second of %s\n",
			   report->scope == SPY_ALL_THREADS
				   ? "each thread's CPU time"
				   : "the wall clock");
		break;
	case SPY_PAGEFAULTS:
		str_append(out, "pagefaults, each fault of the program\n");
		break;
	case SPY_ALLOCATIONS:
		str_append(out, "allocations, each of the program\n");
		break;
	case SPY_WORDS:
		str_append(out, "words, the allocated words of 8 bytes\n");
		break;
	case SPY_SPACES:
		str_append(out, "spaces, mappings that were created, deleted, "
				"grown or shrunk\n");
		break;
	case SPY_BREAKS:
		str_append(out, "breaks, each hit of a break of the Spy\n");
		break;
	}
}

static void threads_line(const struct spy_report *report, struct str *out)
{
	label("Threads:", out);
	if (report->scope == SPY_ALL_THREADS)
		str_append(out, report->watch == SPY_CPU ? "all that ran\n"
							 : "all\n");
	else if (!report->tid)
		str_append(out, "that of the first start break, which no "
				"thread has reached\n");
	else
		str_printf(out, "only %" PRId32 "%s%s\n", report->tid,
			   report->scope == SPY_BREAK_THREAD
				   ? ", which reached the first start break"
				   : "",
			   report->watch == SPY_CPU ? ", whatever it did" : "");
}

static void breaks_line(const char *name, const struct spy_breaks *breaks,
			struct str *out)
{
	if (!breaks->count)
		return;
	label(name, out);
	for (size_t i = 0; i < breaks->count; i++) {
		if (i)
			str_append(out, "; ");
		printable(breaks->list[i].location, out);
		str_append(out, " (");
		spy_number_of(breaks->list[i].hits, "hit", "hits", out);
		str_append_char(out, ')');
	}
	str_append_char(out, '\n');
}

static void measurement(const struct spy_report *report, struct str *out)
{
	text_line("Spy of:", report->begun, out);
	text_line("Executed at:", report->at, out);
	if (report->program) {
		size_t room = report->columns > 40
				      ? (size_t)report->columns - 40
				      : 40;

		label("Program:", out);
		printable_cut(report->program, report->columns > 0 ? room : 0,
			      out);
		if (report->pid)
			str_printf(out, " (process %" PRId32 ")", report->pid);
		str_append_char(out, '\n');
	}
	watching_line(report, out);
	threads_line(report, out);
	breaks_line("Breaks:", &report->breaks, out);
	breaks_line("Start breaks:", &report->starts, out);
	breaks_line("Stop breaks:", &report->stops, out);
	if (report->starts.count + report->stops.count && !report->uses_starts)
		str_append(
			out,
			"              (not used: `spy on' recorded at once; "
			"`spy starts on' uses them)\n");
}

/* ---- what the numbers mean ----------------------------------------------- */

static const char *meaning_of_count(const struct spy_report *report)
{
	switch (report->watch) {
	case SPY_CPU:
		return report->scope == SPY_ALL_THREADS
			       ? "a tick at which a thread ran"
			       : "a tick, whatever the thread did; "
				 "waiting.NAME is a wait";
	case SPY_PAGEFAULTS:
		return "a page fault";
	case SPY_ALLOCATIONS:
		return "a call that allocates memory";
	case SPY_WORDS:
		return "an allocated word of 8 bytes";
	case SPY_SPACES:
		return "a mapping created, deleted, grown or shrunk";
	default:
		return "a hit of a break";
	}
}

static void meaning_of_columns(const struct spy_report *report, struct str *out)
{
	if (report->watch == SPY_PAGEFAULTS)
		str_append(out, "  minor, major   faults without and with "
				"reading from a file or from swap\n");
	if (report->watch == SPY_SPACES)
		str_append(
			out,
			"  created        mappings that were created below the "
			"procedure\n"
			"  deleted        of these: deleted later, by "
			"whomever. "
			"A mapping that is older\n"
			"                 than the measurement counts where it "
			"was deleted.\n"
			"  left           created and not deleted\n");
}

static void meaning(const struct spy_report *report, bool has_columns,
		    struct str *out)
{
	struct str left_out = {0};

	if (report->minson > 0)
		str_printf(&left_out, "; OWN%% is left out up to %g%%",
			   report->minson);
	str_printf(
		out,
		"\nWhat the numbers mean:\n"
		"  Procedure NAME (REFS refs) = OWN, BELOW (OWN%%) (ALL%%).\n"
		"    (FILE:LINE) CALLEE = COUNT (COUNT%%).\n"
		"  A count is %s.\n",
		meaning_of_count(report));
	str_printf(out,
		   "  REFS           places in the code from which NAME was "
		   "called\n"
		   "  OWN            counts in NAME itself%s\n"
		   "  BELOW          counts in what NAME called, directly or "
		   "not\n"
		   "  ALL%%           how much of all counts has NAME in the "
		   "call stack. These\n"
		   "                 add up to more than 100%%: a stack has "
		   "many procedures.\n"
		   "  COUNT          counts below this call of NAME\n",
		   str_text(&left_out));
	str_deinit(&left_out);
	meaning_of_columns(report, out);
	str_printf(
		out,
		"  Listed are procedures above %g%%, and calls above %g%%%s.\n"
		"  A procedure stands under the lowest one that is above it "
		"in all its stacks;\n"
		"  %s: that one does not call it directly. Those along "
		"a line of `!' are\n"
		"  never in a stack together; `.' joins such sets.\n",
		report->min, report->minson,
		has_columns ? ",\n  of all counts or of a column" : "",
		report->is_terminal ? "in italics" : "`~'");
}

/* ---- the whole ----------------------------------------------------------- */

static void per_second(uint64_t count, uint64_t ns, struct str *out)
{
	if (ns)
		str_printf(out, "%.1f a second",
			   (double)count * 1e9 / (double)ns);
}

static void counts_line(const struct spy_text *text, struct str *out)
{
	const struct spy_report *report = text->report;
	uint64_t count = text->figures.all.total;

	label("Counts:", out);
	spy_number_of(count, spy_noun(report->watch, false),
		      spy_noun(report->watch, true), out);
	if (report->recorded) {
		str_append(out, ", ");
		per_second(count, report->recorded, out);
	}
	/* One thread has ticks while it waits, too. */
	if (report->cpu_time && report->watch == SPY_CPU &&
	    report->scope == SPY_ALL_THREADS && !report->faults.are_least) {
		str_append(out, ", ");
		per_second(count, report->cpu_time, out);
		str_append(out, " of CPU time");
	}
	str_append_char(out, '\n');
}

static void duration_line(const char *name, double ns, struct str *out)
{
	label(name, out);
	report_duration(ns, out);
	str_append_char(out, '\n');
}

static void number_line(const char *name, uint64_t number, struct str *out)
{
	label(name, out);
	report_number(number, out);
	str_append_char(out, '\n');
}

/* Says what a thread did at the ticks of the wall clock that were missed. */
static void missed_line(const struct spy_account *account, struct str *out)
{
	const struct {
		uint64_t count;
		const char *word;
	} parts[] = {{account->missed_running, "it ran"},
		     {account->missed_waiting, "it waited"},
		     {account->missed_preempted, "it was preempted"}};
	const char *separator = " (";

	label("Ticks missed:", out);
	report_number(account->missed, out);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (!parts[i].count)
			continue;
		str_append(out, separator);
		str_printf(out, "%s at ", parts[i].word);
		report_number(parts[i].count, out);
		separator = ", ";
	}
	str_append(out, *separator == ',' ? ")\n" : "\n");
}

static void priorities_line(const struct spy_report *report, struct str *out)
{
	const struct call_stacks *stacks = report->stacks;
	struct spy_priorities priorities = {0};

	for (size_t i = 0; i < stacks->threads.count; i++)
		spy_add_priorities(&priorities,
				   stacks->threads.data[i].priorities);
	if (priorities.text.length) {
		label("Priorities:", out);
		str_append(out, str_text(&priorities.text));
		str_append_char(out, '\n');
	}
	spy_priorities_deinit(&priorities);
}

/* Says why the kernel had no room for records, and what helps. */
static void why_lost(const struct spy_account *account, struct str *out)
{
	str_printf(out,
		   "              (no room in the kernel's log: %zu KiB for a "
		   "thread; ",
		   account->least_log / 1024);
	if (account->least_log < account->wanted_log)
		str_append(out, "a\n"
				"              higher `ulimit -l' or "
				"kernel.perf_event_mlock_kb gives more)\n");
	else
		str_append(out, "the tool\n"
				"              did not read it in time)\n");
}

static void whole(const struct spy_text *text, struct str *out)
{
	const struct spy_report *report = text->report;

	str_append_char(out, '\n');
	duration_line("Recorded for:", (double)report->recorded, out);
	if (report->cpu_time) {
		label("CPU time:", out);
		if (report->faults.are_least)
			str_append(out, "at least ");
		report_duration((double)report->cpu_time, out);
		str_append_char(out, '\n');
	}
	counts_line(text, out);
	number_line("Wake-ups:", report->account.wakeups, out);
	priorities_line(report, out);
	if (report->faults.has_faults) {
		label("Page faults:", out);
		if (report->faults.are_least)
			str_append(out, "at least ");
		report_number(report->faults.minor_faults +
				      report->faults.major_faults,
			      out);
		str_append(out, ", of them major ");
		report_number(report->faults.major_faults, out);
		str_append_char(out, '\n');
	}
	if (report->watch == SPY_CPU)
		missed_line(&report->account, out);
	number_line("Samples lost:", report->account.lost, out);
	if (report->account.lost && report->account.least_log)
		why_lost(&report->account, out);
}

/* ---- statistics on the execution of the Spy ------------------------------ */

static void stacks_line(const struct spy_account *account, struct str *out)
{
	double stacks = (double)account->stacks;

	str_append(out, "  ");
	spy_number_of(account->stacks, "stack", "stacks", out);
	str_append(out, ", ");
	spy_number_of(account->frames, "frame", "frames", out);
	if (account->stacks)
		str_printf(out, ", %.1f us a stack, %.1f%% broken",
			   account->unwinding / 1e3 / stacks,
			   (double)account->broken * 100 / stacks);
	str_append_char(out, '\n');
}

static void delays_line(const struct spy_account *account, struct str *out)
{
	static const char *const bounds[] = {" below 10 us", " below 100 us",
					     " below 1 ms", " below 10 ms",
					     " longer"};
	uint64_t all = 0;

	for (size_t i = 0; i < 5; i++)
		all += account->delays[i];
	if (!all)
		return;
	str_append(out, "  Delays of the ticks: ");
	for (size_t i = 0; i < 5; i++) {
		if (i)
			str_append(out, i == 3 ? ",\n    " : ", ");
		report_number(account->delays[i], out);
		str_append(out, bounds[i]);
	}
	str_append_char(out, '\n');
}

static void share_of(double part, double whole, struct str *out)
{
	report_duration(part, out);
	if (whole > 0)
		str_printf(out, " (%.2f%% of the time)", part * 100 / whole);
}

/* Says who took the ticks, and why it was not the kernel. */
static void who_ticked(const struct spy_report *report, struct str *out)
{
	const struct spy_account *account = &report->account;

	if (report->scope != SPY_ALL_THREADS)
		str_append(out, "  The tool took the ticks by the wall clock");
	else if (account->by_kernel)
		str_append(out, "  The kernel took the ticks");
	else
		str_append(out, "  The tool took the ticks itself, and stopped "
				"the threads for each");
	if (account->why) {
		str_append(out, ":\n  ");
		printable(account->why, out);
		str_append_char(out, '\n');
	} else {
		str_append(out, ".\n");
	}
}

static void statistics(const struct spy_report *report, struct str *out)
{
	const struct spy_account *account = &report->account;

	str_append(out, "\nStatistics on the execution of the Spy:\n");
	if (report->watch == SPY_CPU) {
		who_ticked(report, out);
	} else if (report->watch == SPY_PAGEFAULTS && account->why) {
		str_append(out, "  ");
		printable(account->why, out);
		str_append(out, ".\n");
	}
	stacks_line(account, out);
	if (report->watch == SPY_CPU)
		delays_line(account, out);
	str_append(out, "  The Spy itself took ");
	share_of(account->spent > account->unwinding ? account->spent
						     : account->unwinding,
		 (double)report->recorded, out);
	if (account->stopped > 0) {
		str_append(out, ";\n  threads stood still for ");
		share_of(account->stopped, (double)report->recorded, out);
	}
	str_append(out, ".\n");
	for (size_t i = 0; i < report->remark_count; i++) {
		str_append(out, "  ");
		printable(report->remarks[i], out);
		str_append_char(out, '\n');
	}
}

void spy_heading(const struct spy_text *text, struct str *out)
{
	measurement(text->report, out);
	meaning(text->report, text->column_count, out);
	whole(text, out);
	statistics(text->report, out);
}
