/*
 * histogram_commands.c - commands for what nodes and legs can have besides
 * their counts: histograms, and rows by the value of an expression
 */
#include <inttypes.h>

#include "command/arguments.h"
#include "command/interpreter.h"
#include "perftool/base/alloc.h"
#include "perftool/session/measurements.h"
#include "perftool/session/user_interface.h"

static struct error *histogram_class(const char *word,
				     struct histogram_spec *spec)
{
	static const char *const choices[] = {"linear", "log", "hdr", NULL};
	static const enum histogram_class classes[] = {
		HISTOGRAM_LINEAR, HISTOGRAM_LOG, HISTOGRAM_HDR};
	size_t choice = 0;

	TRY(command_choose(word, "class of histogram", choices, &choice));
	spec->class = classes[choice];
	return NULL;
}

static struct error *histogram_option(const struct call *call, const char *word,
				      struct histogram_request *request)
{
	struct histogram_spec *spec = &request->spec;
	const char *value;
	int64_t number;

	value = argument_value(word, "class");
	if (value)
		return histogram_class(value, spec);
	value = argument_value(word, "buckets");
	if (value) {
		TRY(argument_number(value, "number of buckets", 1, 65536,
				    &number));
		spec->buckets = (uint32_t)number;
		return NULL;
	}
	value = argument_value(word, "scale");
	if (value)
		return argument_number(value, "scale", 0, INT64_MAX,
				       &spec->scale);
	value = argument_value(word, "base");
	if (value)
		return argument_number(value, "base", INT64_MIN, INT64_MAX,
				       &spec->base);
	value = argument_value(word, "value");
	if (!value)
		return call_usage(call, "unexpected `%s'", word);
	if (!*value)
		return call_usage(call, "no expression after `value='");
	request->value = value;
	return NULL;
}

/* Asks the user before a new histogram replaces a histogram that has values.
 * Where no user can be asked, returns an error that names the word `replace'.
 */
static struct error *check_replaced(struct call *call,
				    const struct histogram_request *request)
{
	const struct interpreter *interpreter = call->interpreter;
	const struct session_ui *ui = interpreter->options.ui;
	const char *what = request->of_leg ? "leg" : "node";
	uint64_t values = session_histogram_lost(call->session, request);
	CLEANUP(free_pointer) char *question = NULL;

	if (!values)
		return NULL;
	if (!interpreter->options.interactive ||
	    interpreter_is_script(interpreter) || !ui || !ui->confirm)
		return error_create(ERROR_USAGE,
				    "%s %" PRIu32 " has a histogram of %" PRIu64
				    " values already; `replace' as the last "
				    "word replaces it",
				    what, request->id, values);
	question = xasprintf("Replace the histogram of %s %" PRIu32
			     ", which has %" PRIu64 " values?",
			     what, request->id, values);
	if (ui->confirm(ui->context, question))
		return NULL;
	return error_create(ERROR_OTHER, "the histogram was not replaced");
}

static struct error *run_add_histogram(struct call *call)
{
	struct histogram_request request = {.spec.scale = -1};
	size_t next = 3, count = call_count(call);

	request.replace = str_equal(call_word(call, count - 1), "replace");
	argument_unquote(&call->tokens.words);
	TRY(argument_owner(call, 0, &request.of_leg, &request.id));
	if (argument_value(call_word(call, 2), "class"))
		next = 2;
	else
		TRY(histogram_class(call_word(call, 2), &request.spec));
	for (size_t i = next; i < count - request.replace; i++)
		TRY(histogram_option(call, call_word(call, i), &request));
	if (request.value && request.of_leg)
		return error_create(ERROR_USAGE, "`value=' is for nodes: the "
						 "value of a leg is its time");
	if (!request.replace)
		TRY(check_replaced(call, &request));
	return session_add_histogram(call->session, &request, &call->said);
}

static struct error *run_delete_histogram(struct call *call)
{
	bool of_leg;
	uint32_t id;

	TRY(argument_owner(call, 0, &of_leg, &id));
	return session_delete_histogram(call->session, of_leg, id);
}

/* ---- splits -------------------------------------------------------------- */

static struct error *run_split(struct call *call)
{
	struct split_request request = {0};

	argument_unquote(&call->tokens.words);
	TRY(argument_owner(call, 0, &request.of_leg, &request.id));
	for (size_t i = 2; i < call_count(call); i++) {
		const char *word = call_word(call, i);
		bool found;

		TRY(argument_by(call, word, &request.by, &request.view,
				&found));
		if (!found)
			return call_usage(call, "unexpected `%s'", word);
	}
	return session_split(call->session, &request, &call->said);
}

static struct error *run_delete_split(struct call *call)
{
	bool of_leg;
	uint32_t id;

	TRY(argument_owner(call, 0, &of_leg, &id));
	return session_unsplit(call->session, of_leg, id);
}

const struct command histogram_commands[] = {
	{.words = "add histogram",
	 .arguments = "node N|leg N linear|log|hdr [buckets=N] [scale=N] "
		      "[base=N] [value=EXPR] [replace]",
	 .summary = "record the distribution of a value or of a leg's time",
	 .help = "Of a node: the first variable of its condition, or value=. "
		 "Of a leg: its time in nanoseconds. linear: buckets of equal "
		 "width (8), from base= on; scale= divides a node's value and "
		 "shifts a leg's time. log: powers of two (48). hdr: every "
		 "value within 1 %, no parameters. The length of a bar is how "
		 "dense the values of its row are: the count, or, for hdr, "
		 "whose rows have different widths, the count divided by the "
		 "row's width on a logarithmic scale. A row with ... stands "
		 "for several empty rows; linear and log have such rows if "
		 "there are more than 16 buckets. A histogram that has values "
		 "is replaced only if you agree: at a terminal perftool asks, "
		 "in a script the last word must be `replace'. Where `time' "
		 "has made an hdr histogram and you add hdr, the histogram "
		 "keeps its values, and `print tables' prints it from then "
		 "on.\n"
		 "    add histogram node 1 linear\n"
		 "    add histogram node 1 linear buckets=16 base=100 "
		 "scale=10\n"
		 "    add histogram leg 0 log\n"
		 "    Add Histogram Node 1 Class: linear Buckets: 8\n"
		 "    Type: leg  Histogram Leg: 0  Class: log\n"
		 "    Add!",
	 .complete = "node|leg @owned linear|log|hdr "
		     "buckets=|scale=|base=|value=|replace...",
	 .labels = "class=|buckets=|scale=|base=|value=|type",
	 .flags = COMMAND_MEMO,
	 .least = 3,
	 .most = 8,
	 .asks = "Type (node or leg)|its number|Class (linear, log or hdr)",
	 .run = run_add_histogram},
	{.words = "delete histogram",
	 .arguments = "node N|leg N",
	 .summary = "delete a histogram",
	 .help = "    delete histogram leg 0\n"
		 "    Type: leg  Histogram Leg: 0\n"
		 "    Delete!",
	 .complete = "node|leg @owned",
	 .labels = "type",
	 .flags = COMMAND_MEMO,
	 .least = 2,
	 .most = 2,
	 .asks = "Type (node or leg)|its number",
	 .run = run_delete_histogram},
	{.words = "split",
	 .arguments = "node N|leg N [by=[:]EXPR] [rows=N] "
		      "[sort=time|count|mean]",
	 .summary = "count and time by the value of an expression",
	 .help = "Below the tables `print tables' and `print split' then show "
		 "a row for each of the rows= (10) first values, the others "
		 "together as one row, and what could not be evaluated as "
		 "(error). The first row is that of the value that took the "
		 "longest in all (sort=time), or on average (sort=mean), or "
		 "that is the most frequent (sort=count, the only order for "
		 "nodes). Strings are compared by their contents, and "
		 "enumerators have their names. EXPR is evaluated where the "
		 "node or leg begins, :EXPR where the leg ends. The split "
		 "begins now: what was counted before is in no row. `split' "
		 "with another EXPR begins anew; with rows= or sort= alone it "
		 "shows the same counts in another way, and `print split' does "
		 "so for once. `add leg' and `time' take by=, rows= and sort=, "
		 "too.\n"
		 "    split leg 0 by=command->name\n"
		 "    split leg 0 by=:$ret\n"
		 "    split leg 0 by=$caller\n"
		 "    split node 1 by=size rows=20\n"
		 "    split leg 0 rows=50 sort=mean",
	 .complete = "node|leg @owned "
		     "by=|rows=|sort=time|sort=count|sort=mean...",
	 .least = 3,
	 .most = 5,
	 .asks = "Type (node or leg)|its number|by=EXPR",
	 .run = run_split},
	{.words = "delete split",
	 .arguments = "node N|leg N",
	 .summary = "end a split, and count all values together again",
	 .help = "    delete split leg 0",
	 .complete = "node|leg @owned",
	 .least = 2,
	 .most = 2,
	 .asks = "Type (node or leg)|its number",
	 .run = run_delete_split},
	{.words = NULL},
};
