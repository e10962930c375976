/*
 * print_commands.c - commands that print what was measured, or write a trace
 *
 * Each command takes the tables as they are when the command is given, and
 * passes them to the report layer in the form that `set format` chose.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "perftool/base/alloc.h"
#include "perftool/session/measurements.h"
#include "perftool/session/session_settings.h"

#include "appended_profiles.h"
#include "command/arguments.h"
#include "command/interpreter.h"
#include "command/output.h"
#include "legs_view.h"
#include "save.h"
#include "written_tables.h"

static struct report_options look(const struct call *call, bool verbose)
{
	const struct interpreter *interpreter = call->interpreter;

	return output_look(interpreter,
			   call->tokens.output ? NULL
					       : interpreter->options.output,
			   verbose);
}

static struct error *print_parts(struct call *call, unsigned parts,
				 bool verbose)
{
	struct report_options options = look(call, verbose);

	write_tables(session_tables(call->session), parts,
		     session_format(call->session), &options, &call->printed);
	return NULL;
}

static struct error *run_print_tables(struct call *call)
{
	struct report_options options = look(call, false);

	TRY(print_parts(call, PART_ALL, false));
	append_contention(call->session, session_format(call->session),
			  &options, &call->printed);
	return NULL;
}

static struct error *run_print_nodes(struct call *call)
{
	return print_parts(call, PART_NODES, false);
}

struct error *interpreter_tables(struct interpreter *interpreter)
{
	struct session *session = interpreter->options.session;
	struct report_options options =
		output_look(interpreter, interpreter->options.output, false);
	struct str text = {0};
	struct error *error;

	write_tables(session_tables(session), PART_ALL, session_format(session),
		     &options, &text);
	append_contention(session, session_format(session), &options, &text);
	error = output_print(interpreter, str_text(&text), text.length);
	str_deinit(&text);
	return error;
}

/* The options of `print legs' apply to text only: JSON and CSV always contain
 * all legs in the order of their numbers. */
static struct error *run_print_legs(struct call *call)
{
	enum report_format format = session_format(call->session);
	struct legs_selection selection;
	struct report_options options;
	struct legs_request request;

	TRY(legs_request_parse(call, &request));
	if (request.view.glob)
		TRY(legs_check_glob(session_tables(call->session),
				    &request.view));
	options = look(call, request.verbose);
	options.by_process = request.view.by_process;
	if (request.columns)
		report_choose_columns(&options, request.columns);
	if (format != FORMAT_TEXT)
		return print_parts(call,
				   request.view.by_process ? PART_PROCESSES
							   : PART_LEGS,
				   request.verbose);
	legs_select(session_tables(call->session), &request.view, &selection);
	options.unexecuted = selection.unexecuted;
	options.beyond = selection.beyond;
	write_tables(&selection.tables, PART_LEGS, format, &options,
		     &call->printed);
	legs_selection_deinit(&selection);
	return NULL;
}

/* ---- histograms ---------------------------------------------------------- */

static struct error *find_histogram(const struct tables *tables, bool of_leg,
				    uint32_t id,
				    struct report_histogram *histogram)
{
	const char *what = of_leg ? "leg" : "node";
	bool found = false;

	*histogram = (struct report_histogram){.histogram = NULL};
	for (size_t i = 0; !of_leg && i < tables->node_count; i++) {
		if (tables->nodes[i].stats->id != id)
			continue;
		*histogram = report_node_histogram(&tables->nodes[i]);
		found = true;
	}
	for (size_t i = 0; of_leg && i < tables->leg_count; i++) {
		if (tables->legs[i].stats->id != id)
			continue;
		*histogram = report_leg_histogram(&tables->legs[i]);
		found = true;
	}
	if (histogram->histogram)
		return NULL;
	if (!found)
		return error_create(ERROR_NOT_FOUND, "there is no %s %u", what,
				    id);
	return error_create(ERROR_NOT_FOUND,
			    "%s %u has no histogram: `add histogram' gives it "
			    "one",
			    what, id);
}

static struct error *run_print_histogram(struct call *call)
{
	struct report_options options = look(call, false);
	struct report_histogram histogram;
	bool of_leg;
	uint32_t id;

	TRY(argument_owner(call, 0, &of_leg, &id));
	TRY(find_histogram(session_tables(call->session), of_leg, id,
			   &histogram));
	switch (session_format(call->session)) {
	case FORMAT_TEXT:
		report_histogram_text(&histogram, &options, &call->printed);
		break;
	case FORMAT_JSON:
		report_histogram_json(&histogram, &call->printed);
		break;
	case FORMAT_CSV:
		report_histogram_csv(&histogram, &call->printed);
		break;
	}
	return NULL;
}

static struct error *find_split(const struct tables *tables, bool of_leg,
				uint32_t id, const struct report_node **node,
				const struct report_leg **leg)
{
	*node = NULL;
	*leg = NULL;
	for (size_t i = 0; !of_leg && i < tables->node_count; i++)
		if (tables->nodes[i].stats->id == id)
			*node = &tables->nodes[i];
	for (size_t i = 0; of_leg && i < tables->leg_count; i++)
		if (tables->legs[i].stats->id == id)
			*leg = &tables->legs[i];
	if (!*node && !*leg)
		return error_create(ERROR_NOT_FOUND, "there is no %s %u",
				    of_leg ? "leg" : "node", id);
	if (*node ? (*node)->stats->split : (*leg)->stats->split)
		return NULL;
	return error_create(ERROR_NOT_FOUND,
			    "%s %u is not split; `split %s %u by=EXPR' splits "
			    "it",
			    of_leg ? "leg" : "node", id,
			    of_leg ? "leg" : "node", id);
}

/* Parses the options at the end of the arguments. `*words` gets the number of
 * words before the options. */
static struct error *view_options(const struct call *call,
				  struct split_view *view, size_t *words)
{
	bool found = false;

	for (size_t i = 0; i < call_count(call); i++) {
		bool before = found;

		TRY(argument_view(call_word(call, i), view, &found));
		if (before && !found)
			return call_usage(call, "unexpected `%s'",
					  call_word(call, i));
		*words += !found;
	}
	return NULL;
}

static struct error *run_print_split(struct call *call)
{
	struct report_options options = look(call, false);
	const struct report_node *node;
	const struct tables *tables;
	const struct report_leg *leg;
	size_t words = 0;
	bool of_leg;
	uint32_t id;

	TRY(view_options(call, &options.view, &words));
	if (!words) {
		write_tables(session_tables(call->session), PART_SPLITS,
			     session_format(call->session), &options,
			     &call->printed);
		return NULL;
	}
	if (words != 2)
		return call_usage(call, "`node N' or `leg N' is missing");
	TRY(argument_owner(call, 0, &of_leg, &id));
	if (!of_leg &&
	    (options.view.sort == SORT_TIME || options.view.sort == SORT_MEAN))
		return error_create(ERROR_USAGE,
				    "sort=time and sort=mean are for legs; a "
				    "node has no times");
	tables = session_tables(call->session);
	TRY(find_split(tables, of_leg, id, &node, &leg));
	switch (session_format(call->session)) {
	case FORMAT_TEXT:
		if (leg)
			report_leg_split_text(leg, &options, &call->printed);
		else
			report_node_split_text(node, &options, &call->printed);
		break;
	case FORMAT_JSON:
		report_split_json(node, leg, &call->printed);
		break;
	case FORMAT_CSV:
		report_split_csv(node, leg, &call->printed);
		break;
	}
	return NULL;
}

/* ---- single executions --------------------------------------------------- */

struct slowest_request {
	bool inside;
	int64_t most, leg; /* leg < 0: all legs */
};

/* Parses the arguments [inside] [N] [leg ID]. */
static struct error *parse_slowest(struct call *call,
				   struct slowest_request *out)
{
	size_t next = 0;
	uint32_t id;

	*out = (struct slowest_request){.most = 10, .leg = -1};
	out->inside = call_count(call) &&
		      strcasecmp(call_word(call, 0), "inside") == 0;
	next += out->inside;
	if ((call_count(call) - next) % 2 == 1)
		TRY(argument_number(call_word(call, next++), "count", 1,
				    INT32_MAX, &out->most));
	if (call_count(call) == next)
		return NULL;
	if (call_count(call) != next + 2 ||
	    strcasecmp(call_word(call, next), "leg") != 0)
		return call_usage(call, "unexpected `%s'",
				  call_word(call, next));
	TRY(argument_id(call_word(call, next + 1), "leg", &id));
	out->leg = id;
	return NULL;
}

static struct error *print_inside(struct call *call,
				  const struct slowest_request *request)
{
	struct report_options options = look(call, false);
	struct execution_list list = {0};
	const struct tables *tables;

	/* (The tables may count hits, by which a leg forgets executions. So the
	 * list is made after them.) */
	tables = session_tables(call->session);
	TRY(session_slowest_inside(call->session, request->leg,
				   (size_t)request->most, &list));
	switch (session_format(call->session)) {
	case FORMAT_TEXT:
		report_inside_text(list.data, list.count, tables, &options,
				   &call->printed);
		break;
	case FORMAT_JSON:
		report_inside_json(list.data, list.count, tables,
				   &call->printed);
		break;
	case FORMAT_CSV:
		report_inside_csv(list.data, list.count, tables,
				  &call->printed);
		break;
	}
	vec_free(&list);
	return NULL;
}

static struct error *run_print_slowest(struct call *call)
{
	struct report_options options = look(call, false);
	struct slowest_request request;
	struct execution_list list = {0};
	const struct tables *tables;
	bool added_up;

	TRY(parse_slowest(call, &request));
	if (request.inside)
		return print_inside(call, &request);
	TRY(session_slowest(call->session, request.leg, (size_t)request.most,
			    &list, &added_up));
	tables = session_tables(call->session);
	switch (session_format(call->session)) {
	case FORMAT_TEXT:
		report_slowest_text(list.data, list.count, tables, &options,
				    &call->printed);
		if (added_up)
			str_append(
				&call->printed,
				"Executions shorter than a microsecond were "
				"added up in the program, and are not among "
				"these\n(`set counting ring' has each of them "
				"recorded).\n");
		break;
	case FORMAT_JSON:
		report_slowest_json(list.data, list.count, tables,
				    &call->printed);
		break;
	case FORMAT_CSV:
		report_slowest_csv(list.data, list.count, tables,
				   &call->printed);
		break;
	}
	vec_free(&list);
	return NULL;
}

static struct error *run_print_remains(struct call *call)
{
	struct report_options options = look(call, false);
	const struct left_counts *counts;
	size_t count;

	counts = session_left_counts(call->session, &count);
	switch (session_format(call->session)) {
	case FORMAT_TEXT:
		report_left_counts_text(counts, count, &options,
					&call->printed);
		break;
	case FORMAT_JSON:
		report_left_counts_json(counts, count, &call->printed);
		break;
	case FORMAT_CSV:
		report_left_counts_csv(counts, count, &call->printed);
		break;
	}
	return NULL;
}

static struct error *leg_list(const struct call *call, size_t from,
			      uint32_t *legs, size_t *count)
{
	for (size_t i = from; i < call_count(call); i++) {
		if (strcasecmp(call_word(call, i), "leg") == 0)
			continue;
		TRY(argument_id(call_word(call, i), "leg", &legs[*count]));
		(*count)++;
	}
	return NULL;
}

static struct error *run_trace(struct call *call)
{
	CLEANUP(free_pointer) uint32_t *legs = NULL;
	CLEANUP(free_pointer) char *path = NULL;
	size_t count = 0;

	if (call_count(call) == 1 && strcasecmp(call_word(call, 0), "off") == 0)
		return session_trace_off(call->session);
	TRY(output_path(call->session, call_word(call, 0), &path));
	legs = xcalloc(call_count(call), sizeof(*legs));
	TRY(leg_list(call, 1, legs, &count));
	return session_trace(call->session, path, count ? legs : NULL, count);
}

const struct command print_commands[] = {
	{.words = "print tables",
	 .arguments = "[> FILE]",
	 .summary = "everything measured so far",
	 .help = "The summary, the node table, the leg table, what is "
		 "split, and the histograms that were asked for with `add "
		 "histogram', in the form `set format' chose. Each function "
		 "that `time' times has a line (of more than ten, the ten that "
		 "took the longest in all): minimum, percentiles, maximum, and "
		 "a spark line, which shows how dense the times are from Min "
		 "to Max on a logarithmic scale. `print histogram leg N' draws "
		 "it in full. JSON and CSV have all histograms. As CSV the "
		 "tables follow each other after an empty line. Ctrl-C aborts "
		 "printing.\n"
		 "    print tables\n    pr ta > tables.txt\n    Print Tables!",
	 .complete = "",
	 .flags = COMMAND_MEMO | COMMAND_PRINTS | COMMAND_TWO_LETTERS,
	 .run = run_print_tables},
	{.words = "print nodes",
	 .arguments = "[> FILE]",
	 .summary = "the node table",
	 .help = "A number followed by * has a histogram. (As JSON: the whole "
		 "object of `print tables'.)\n    print nodes\n    Print "
		 "Nodes!",
	 .complete = "",
	 .flags = COMMAND_MEMO | COMMAND_PRINTS | COMMAND_TWO_LETTERS,
	 .run = run_print_nodes},
	{.words = "print legs",
	 .arguments = "[GLOB] [by=process] "
		      "[sort=id|total|mean|count|max|p99|name] [top=N] "
		      "[columns=auto|memo|NAME,NAME...] [all] [-v] [> FILE]",
	 .summary = "the leg table",
	 .help = "GLOB is a pattern of legs' names. With it, or with sort= or "
		 "top=, legs that were never executed are left out; `all' "
		 "shows them, too. With GLOB the leg that took the longest in "
		 "all comes first, unless sort= or `all' is there; top=N "
		 "without sort= has the N legs that took the longest. "
		 "columns=memo shows the table of the Mesa memo, with its "
		 "columns and no others (`set columns memo' does that for the "
		 "node table, too). Or columns= has names of columns, in the "
		 "order in which they are to stand, with commas between; all "
		 "of them are shown, in tables below each other where a "
		 "terminal is too narrow. The names are id, name, nodes, "
		 "count, total, mean, percent, min, p50, p90, p99, max, "
		 "cpu_mean, waiting_mean; of -v p999, stddev, cpu, waiting, "
		 "cpu_unknown, owner, match, interrupted, from_hits, "
		 "ignored_from, unwound, discarded, open, to_hits, ignored_to; "
		 "and from, to, from_place, to_place. `set columns' chooses "
		 "the columns for all tables. A number followed by * has a "
		 "histogram; a count followed by ~ has something left out: "
		 "some starts or ends were ignored or lost, or the program was "
		 "stopped during some executions; those count with the time "
		 "that the program ran, but not in Min, Max, percentiles and "
		 "histograms. With -v each of those figures is shown, and no "
		 "column is left out. On CPU and Waiting are empty where they "
		 "are not known; a line below the table says why. (As JSON: "
		 "the whole object of `print tables'.)\n"
		 "by=process has a row for each leg and process that has "
		 "executed it, with the pid, and the command or name where "
		 "those differ; GLOB, sort= and top= choose among these rows, "
		 "and the rows of a leg add up to the leg's. A process that "
		 "has ended keeps its rows, and what it executes (exec) has "
		 "rows of its own. An execution begins and ends in one and the "
		 "same process. (As JSON: each leg's `processes'; as CSV a "
		 "table of its own.)\n"
		 "    print legs\n"
		 "    print legs sort=total top=10\n"
		 "    print legs sqlite3_* columns=memo\n"
		 "    print legs -v\n"
		 "    print legs columns=name,count,p99\n"
		 "    print legs by=process sort=p99\n"
		 "    Print Legs!",
	 .complete = "-v|all|by=process|sort=id|sort=total|sort=mean|sort="
		     "count|sort=max|"
		     "sort=p99|sort=name|top=|@columns|"
		     "@name...",
	 .flags = COMMAND_MEMO | COMMAND_PRINTS | COMMAND_TWO_LETTERS,
	 .most = 7,
	 .run = run_print_legs},
	{.words = "print histogram",
	 .arguments = "node N|leg N [> FILE]",
	 .summary = "one histogram",
	 .help = "`time' makes a histogram for each leg, of which `print "
		 "tables' shows only one line. `help add histogram' says what "
		 "the bars mean.\n"
		 "    print histogram node 1\n"
		 "    print histogram leg 0\n"
		 "    Type: leg  Histogram Leg: 0\n"
		 "    Print!",
	 .complete = "node|leg @owned",
	 .flags = COMMAND_MEMO | COMMAND_PRINTS | COMMAND_TWO_LETTERS,
	 .least = 2,
	 .most = 2,
	 .asks = "Type (node or leg)|its number",
	 .run = run_print_histogram},
	{.words = "print split",
	 .arguments = "[node N|leg N] [rows=N] [sort=time|count|mean] "
		      "[> FILE]",
	 .summary = "counts and times by the value of an expression",
	 .help = "Of one node or leg, or of all that are split: see `split'. "
		 "rows= and sort= are for once; JSON and CSV have all rows, "
		 "in the same order.\n"
		 "    print split\n    print split leg 0\n"
		 "    print split leg 0 sort=mean rows=20",
	 .complete = "node|leg|rows=|sort=time|sort=count|sort=mean "
		     "@owned|rows=|sort=time|sort=count|sort=mean "
		     "rows=|sort=time|sort=count|sort=mean...",
	 .flags = COMMAND_PRINTS | COMMAND_TWO_LETTERS,
	 .most = 4,
	 .run = run_print_split},
	{.words = "print slowest",
	 .arguments = "[inside] [N] [leg ID] [> FILE]",
	 .summary = "the longest single executions",
	 .help = "The N (10) longest executions of one leg, or of all: how "
		 "long, when, which thread, and the key, value, and row of a "
		 "split. 100 are kept for each leg. With `inside': what their "
		 "threads recorded meanwhile of other legs and nodes, as a "
		 "time line; `set inside N' keeps it of the N slowest of each "
		 "leg.\n"
		 "    print slowest\n    print slowest 20 leg 0\n"
		 "    set inside 3\n    print slowest inside leg 0",
	 .complete = "inside|@none|leg leg|@none|@leg leg|@leg @leg",
	 .flags = COMMAND_PRINTS | COMMAND_TWO_LETTERS,
	 .most = 4,
	 .run = run_print_slowest},
	{.words = "print remains",
	 .arguments = "[> FILE]",
	 .summary = "what a perftool that died has left",
	 .help = "If a perftool is killed while it measures a program by -p, "
		 "the next perftool that attaches reads what the program's "
		 "threads had counted by themselves until then: how many "
		 "executions of each leg, and the times of those that took "
		 "less than a microsecond (Short). It reads this once. The "
		 "times of longer executions, what threads had counted that "
		 "have ended, and legs that were not counted by threads were "
		 "known to the perftool that died.\n    print remains",
	 .complete = "",
	 .flags = COMMAND_PRINTS | COMMAND_TWO_LETTERS,
	 .run = run_print_remains},
	{.words = "save tables",
	 .arguments = "FILE",
	 .summary = "keep the tables in a file",
	 .help = "The form goes by FILE's ending: .json, .csv or .txt. As CSV "
		 "it is one file a table: x.csv makes x-nodes.csv, "
		 "x-legs.csv, x-histograms.csv and x-by.csv (of what is "
		 "split), x-processes.csv where several processes have "
		 "executed legs, "
		 "and x-contention.csv if waits for locks were recorded.\n"
		 "    save tables monday.json",
	 .complete = "@file",
	 .least = 1,
	 .most = 1,
	 .asks = "file (.json, .csv or .txt)",
	 .run = run_save_tables},
	{.words = "trace",
	 .arguments = "FILE [LEG...]",
	 .summary = "write every execution of legs to a file",
	 .help = "From now on each execution is a row: leg, thread, start, "
		 "duration, key, value, split's row. Without LEG: of all legs. "
		 "A FILE that "
		 "ends in .json has the Chrome trace form, any other is CSV. "
		 "`trace off' completes the file.\n"
		 "    trace runs.csv\n    trace runs.json 0 3\n    trace off",
	 .complete = "off|@file @leg...",
	 .least = 1,
	 .most = ANY_NUMBER,
	 .asks = "file, or off",
	 .run = run_trace},
	{.words = NULL},
};
