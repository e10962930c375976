/*
 * node_commands.c - commands on nodes, legs and tables, most of them from the
 * memo
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "perftool/base/alloc.h"
#include "perftool/session/measurements.h"

#include "command/arguments.h"
#include "command/interpreter.h"
#include "condition.h"
#include "leg_places.h"

static struct error *run_monitor(struct call *call)
{
	static const char *const choices[] = {"on", "off", NULL};
	size_t choice = 0;

	if (call_count(call)) {
		TRY(command_choose(call_word(call, 0), "state of the monitor",
				   choices, &choice));
		return session_monitor(call->session, choice == 0);
	}
	str_printf(&call->said, "The monitor is %s\n",
		   session_monitor_is_on(call->session) ? "on" : "off");
	return NULL;
}

static struct error *run_collect_nodes(struct call *call)
{
	return session_collect_nodes(call->session, &call->said);
}

/* ---- legs ---------------------------------------------------------------- */

/* Parses one end of a leg: the number of a node, `*`, or a place. `*at` is the
 * index of the first word of this end, and the function moves it past the end.
 * `spare` is the number of words that are left for a second word of this end.
 */
static struct error *leg_end(const struct call *call, size_t spare, size_t *at,
			     struct leg_end *end)
{
	const char *word = call_word(call, (*at)++);

	*end = (struct leg_end){0};
	if (str_equal(word, "*"))
		return NULL;
	if (argument_is_number(word)) {
		TRY(argument_id(word, "node", &end->id));
		if (end->id == 0)
			return error_create(ERROR_NOT_FOUND,
					    "there is no breakpoint 0");
		return NULL;
	}
	if (*word == '-')
		return error_create(ERROR_USAGE, "`%s' is not a node number",
				    word);
	if (!leg_place_whole(call, word, &end->kind) && spare &&
	    leg_place_keyword(word, &end->kind))
		word = call_word(call, (*at)++);
	end->place = word;
	return NULL;
}

/* Returns the number of the arguments before the first argument that has the
 * form of an option. */
static size_t count_place_words(const struct call *call)
{
	static const char *const options[] = {"owner", "match", "key",  "by",
					      "rows",  "sort",  "name", NULL};
	size_t count = 0;

	for (; count < call_count(call); count++)
		for (size_t i = 0; options[i]; i++)
			if (argument_value(call_word(call, count), options[i]))
				return count;
	return count;
}

/* Parses both ends of a leg. `*at` gets the index of the first word after
 * them. */
static struct error *leg_ends(struct call *call, size_t *at,
			      struct leg_request *request)
{
	size_t count = leg_places_join(call, count_place_words(call));

	if (count < 2)
		return call_usage(call, "an argument is missing");
	*at = 0;
	TRY(leg_end(call, count - 2, at, &request->from));
	return leg_end(call, count - *at - 1, at, &request->to);
}

static bool is_wildcard(const struct leg_end *end)
{
	return !end->id && !end->place;
}

static struct error *leg_owner(const char *value, struct leg_request *request)
{
	static const char *const choices[] = {"thread", "leg", "goroutine",
					      NULL};
	static const enum leg_owner owners[] = {OWNER_THREAD, OWNER_LEG,
						OWNER_GOROUTINE};
	size_t choice = 0;

	if (argument_value(value, "key")) {
		request->key = argument_value(value, "key");
		return NULL;
	}
	TRY(command_choose(value, "owner", choices, &choice));
	request->owner = owners[choice];
	request->owner_given = true;
	return NULL;
}

static struct error *leg_match(const char *value, struct leg_request *request)
{
	static const char *const choices[] = {"last", "first", "nested",
					      "outermost", NULL};
	static const enum leg_match matches[] = {MATCH_LAST, MATCH_FIRST,
						 MATCH_NESTED, MATCH_OUTERMOST};
	size_t choice = 0;

	TRY(command_choose(value, "match", choices, &choice));
	request->match = matches[choice];
	request->match_given = true;
	return NULL;
}

static struct error *leg_option(const struct call *call, const char *word,
				struct leg_request *request)
{
	const char *value;
	bool found;

	TRY(argument_by(call, word, &request->by, &request->view, &found));
	if (found)
		return NULL;
	value = argument_value(word, "owner");
	if (value)
		return leg_owner(value, request);
	value = argument_value(word, "match");
	if (value)
		return leg_match(value, request);
	value = argument_value(word, "name");
	if (value && !*value)
		return call_usage(call, "no name after `name='");
	if (value) {
		request->name = value;
		return NULL;
	}
	value = argument_value(word, "key");
	if (!value)
		return call_usage(call, "unexpected `%s'", word);
	if (!*value)
		return call_usage(call, "no expression after `key='");
	request->key = value;
	return NULL;
}

static struct error *run_add_leg(struct call *call)
{
	struct leg_request request = {0};
	size_t next;

	argument_unquote(&call->tokens.words);
	TRY(leg_ends(call, &next, &request));
	for (size_t i = next; i < call_count(call); i++)
		TRY(leg_option(call, call_word(call, i), &request));
	if (request.name &&
	    (is_wildcard(&request.from) || is_wildcard(&request.to)))
		return error_create(
			ERROR_USAGE,
			"`name=' names one leg, and `*' makes several legs");
	if (request.key && request.owner_given)
		return error_create(ERROR_USAGE,
				    "a leg with a key is owned by the key: "
				    "`owner=' cannot be given too");
	if (request.key) {
		request.owner = OWNER_KEY;
		request.owner_given = true;
	}
	TRY(argument_check_by(call, request.by, &request.view));
	return session_add_leg(call->session, &request, &call->said);
}

static struct error *run_delete_leg(struct call *call)
{
	uint32_t id;

	for (size_t i = 0; i < call_count(call); i++) {
		TRY(argument_id(call_word(call, i), "leg", &id));
		TRY(session_delete_leg(call->session, id));
	}
	return NULL;
}

static struct error *run_add_none(struct call *call)
{
	return session_set_add(call->session, false);
}

static struct error *run_add_successor(struct call *call)
{
	return session_set_add(call->session, true);
}

static struct error *run_track(struct call *call)
{
	static const char *const choices[] = {"none", "successor", "all", NULL};
	static const enum measure_track tracks[] = {TRACK_NONE, TRACK_SUCCESSOR,
						    TRACK_ALL};
	size_t choice = 0;

	TRY(command_choose(call_word(call, 0), "mode of tracking", choices,
			   &choice));
	return session_set_track(call->session, tracks[choice]);
}

/* ---- tables -------------------------------------------------------------- */

static struct error *run_initialize_tables(struct call *call)
{
	return session_initialize_tables(call->session);
}

static struct error *run_zero_tables(struct call *call)
{
	return session_zero_tables(call->session);
}

/* Parses the option `most=N'. `*found` says whether the word is this option. */
static struct error *argument_most(const char *word, size_t *most, bool *found)
{
	const char *value = argument_value(word, "most");
	int64_t number;

	*found = value != NULL;
	if (!value)
		return NULL;
	TRY(argument_number(value, "most", 1, INT32_MAX, &number));
	*most = (size_t)number;
	return NULL;
}

/* Parses the arguments of `time': first FUNC... and options, then perhaps an
 * `if`, a condition and further options. */
static struct error *split_time(struct call *call, struct words *patterns,
				char **condition, struct time_request *request)
{
	const char *text = call->rest, *found = condition_find(text), *name;
	const unsigned flags = TOKEN_COMMENTS | TOKEN_NAMES;
	CLEANUP(free_pointer) char *names = NULL;
	struct words *words = &call->tokens.words;
	size_t after;
	bool is_option;

	names = found ? xstrndup(text, (size_t)(found - text)) : xstrdup(text);
	TRY(tokenize(names, flags, &call->tokens));
	after = words->count;
	if (found) {
		struct tokens options;

		text = token_skip_blanks(found + 2);
		*condition = xstrndup(text, condition_length(text));
		TRY(tokenize(text + strlen(*condition), TOKEN_COMMENTS,
			     &options));
		for (size_t i = 0; i < options.words.count; i++)
			vec_push(words, options.words.data[i]);
		vec_clear(&options.words);
		vec_free(&options.words);
		request->condition = *condition;
	}
	argument_unquote(words);
	for (size_t i = 0; i < words->count; i++) {
		TRY(argument_by(call, words->data[i], &request->by,
				&request->view, &is_option));
		if (!is_option)
			TRY(argument_most(words->data[i], &request->most,
					  &is_option));
		name = is_option ? NULL
				 : argument_value(words->data[i], "name");
		if (name && !*name)
			return call_usage(call, "no name after `name='");
		if (name) {
			request->name = name;
			is_option = true;
		}
		if (!is_option && i >= after)
			return call_usage(call, "unexpected `%s'",
					  words->data[i]);
		if (!is_option)
			vec_push(patterns, words->data[i]);
	}
	return NULL;
}

static struct error *run_time(struct call *call)
{
	CLEANUP(free_pointer) char *condition = NULL;
	struct time_request request = {0};
	struct words patterns = {0}; /* the call owns the texts of the words */
	struct error *error;

	error = split_time(call, &patterns, &condition, &request);
	request.patterns = (const char *const *)patterns.data;
	request.count = patterns.count;
	if (!error && !patterns.count)
		error = call_usage(call, "a function is missing");
	else if (!error && condition && !*condition)
		error = call_usage(call, "no condition after `if'");
	if (!error)
		error = argument_check_by(call, request.by, &request.view);
	if (!error)
		error = session_time(call->session, &request, &call->said);
	vec_free(&patterns);
	return error;
}

const struct command node_commands[] = {
	{.words = "monitor",
	 .arguments = "on|off",
	 .summary = "whether conditional breakpoints measure or stop",
	 .help = "On: conditional breakpoints are nodes, which count and never "
		 "stop the program. Off, as at the start: they are ordinary "
		 "breakpoints that stop it when their condition is true. "
		 "Without an argument, `monitor' shows its state.\n"
		 "    monitor on\n"
		 "    Monitor: on",
	 .complete = "on|off",
	 .flags = COMMAND_MEMO,
	 .most = 1,
	 .run = run_monitor},
	{.words = "collect nodes",
	 .arguments = "",
	 .summary = "enter all conditional breakpoints as nodes",
	 .help = "A conditional breakpoint becomes a node by itself when it is "
		 "hit; this command enters also those that were not hit yet, "
		 "so that legs can be made of them.\n"
		 "    collect nodes\n"
		 "    Collect Nodes!",
	 .complete = "",
	 .flags = COMMAND_MEMO,
	 .run = run_collect_nodes},
	{.words = "add leg",
	 .arguments = "FROM TO [owner=thread|goroutine|leg] "
		      "[match=last|first|nested|outermost] [key=EXPR[:EXPR]] "
		      "[by=[:]EXPR [rows=N] [sort=time|count|mean]] "
		      "[name=NAME]",
	 .summary = "measure the code between two nodes",
	 .help = "FROM and TO are node numbers, or places as `break' takes "
		 "them; * stands for every current node. A function is its "
		 "entry there, and where inlined copies of it begin; `exit F' "
		 "and `return F' are as in `break'. A place gets a breakpoint "
		 "unless it has one, and a breakpoint that is not a node yet "
		 "becomes one. Of several breakpoints at a place, the leg gets "
		 "the first one that counts always; if each has a condition, "
		 "its number must be given.\n"
		 "A leg between places turns the monitor on, and at a prompt "
		 "any first node does, unless you have turned it on or off "
		 "yourself. Of a leg that is there already only the name is "
		 "changed, by name=.\n"
		 "owner= says who holds a start that has no end yet: each "
		 "thread its own (thread), each goroutine (goroutine, the "
		 "default in Go programs), or only the thread that started "
		 "last (leg).\n"
		 "With key=, each value of EXPR has its own start, so that a "
		 "leg can measure a request that one thread begins and another "
		 "thread ends: `help keys'.\n"
		 "match= says what a second start before the end means: it "
		 "replaces the first (last), is ignored (first), is inside it "
		 "(nested), or is part of it (outermost).\n"
		 "by= splits the leg: see `split'. name= is the leg's name in "
		 "the tables; without it, the name is the function that the "
		 "leg times, or the leg's two places.\n"
		 "    add leg 1 2\n"
		 "    add leg begin finish\n"
		 "    add leg server.c:120 return reply match=nested\n"
		 "    add leg 3 4 key=request:job\n"
		 "    add leg 3 4 key=request by=request->kind\n"
		 "    add leg * *\n"
		 "    Add Leg! From Node: 1 To Node: 2",
	 .complete = "@node|@function|* @node|@function|* "
		     "owner=thread|owner=goroutine|owner=leg|match=last|"
		     "match=first|match=nested|match=outermost|key=|by=|"
		     "rows=|sort=time|sort=count|sort=mean|name=...",
	 .labels = "from node|to node",
	 .flags = COMMAND_MEMO | COMMAND_NAMES,
	 .least = 2,
	 .most = 11,
	 .asks = "From Node|To Node",
	 .run = run_add_leg},
	{.words = "delete leg",
	 .arguments = "ID...",
	 .summary = "delete legs",
	 .help = "    delete leg 0\n    delete leg 1 2\n    Delete Leg! Leg: 0",
	 .complete = "@leg...",
	 .labels = "leg",
	 .flags = COMMAND_MEMO,
	 .least = 1,
	 .most = ANY_NUMBER,
	 .asks = "Leg",
	 .run = run_delete_leg},
	{.words = "add none",
	 .arguments = "",
	 .summary = "measure only the legs that were added by hand",
	 .help = "The mode perftool starts in.\n    add none\n    Add: none",
	 .complete = "",
	 .flags = COMMAND_MEMO,
	 .run = run_add_none},
	{.words = "add successor",
	 .arguments = "",
	 .summary = "add a leg for every two nodes that follow each other",
	 .help = "When a thread hits a node, perftool adds the leg from the "
		 "last node that the thread hit, if it is not in the table.\n"
		 "    add successor\n"
		 "    Add: successor",
	 .complete = "",
	 .flags = COMMAND_MEMO,
	 .run = run_add_successor},
	{.words = "track",
	 .arguments = "none|successor|all",
	 .summary = "which legs are measured",
	 .help = "all: every leg of which the node is a part. successor: only "
		 "the leg from the last node this thread hit. none: nodes are "
		 "counted, legs are not measured.\n"
		 "    track all\n    Track: successor",
	 .complete = "none|successor|all",
	 .flags = COMMAND_MEMO,
	 .least = 1,
	 .most = 1,
	 .asks = "none, successor or all",
	 .run = run_track},
	{.words = "time",
	 .arguments = "FUNC... [if COND] [by=[:]EXPR [rows=N] "
		      "[sort=time|count|mean]] [most=N] [name=NAME]",
	 .summary = "time every call of functions",
	 .help = "For each function: a breakpoint at its entry and one at its "
		 "return (`break return'), a nested leg between them and an "
		 "hdr histogram (`print histogram'; `print tables' has a line "
		 "of it); then the monitor is turned on. FUNC may be a glob, "
		 "which makes a leg for each function that it names, now and "
		 "in libraries that the program loads itself; or *ADDRESS, an "
		 "address within the function. Where a function ends with a "
		 "jump to another function (a tail call), its time goes on "
		 "until that other function returns. COND is the condition of "
		 "the entry: calls for which it is false are not timed (their "
		 "returns count as Ignored To). by= splits the legs (see "
		 "`split'): by a parameter, or :$ret. If a glob names more "
		 "than 1,000 functions, perftool asks at a terminal, and "
		 "elsewhere that is an error, unless most= allows that many. "
		 "name= is the name of the leg of one function. After an error "
		 "nothing is timed.\n"
		 "    time parse\n"
		 "    time 'json_*' main\n"
		 "    time ns::Store<ns::Item, 64>::cost\n"
		 "    time execute if argc > 2 by=command->name\n"
		 "    time execute if argc > 9 name=long\n"
		 "    time 'sqlite3*' most=5000",
	 .complete = "@function|if|by=|rows=|sort=time|sort=count|sort=mean|"
		     "most=...|name=...",
	 .flags = COMMAND_REST,
	 .asks = "function",
	 .run = run_time},
	{.words = "initialize tables",
	 .arguments = "",
	 .summary = "clear nodes, legs, histograms and counters",
	 .help = "    initialize tables\n    Initialize Tables!",
	 .complete = "",
	 .flags = COMMAND_MEMO,
	 .run = run_initialize_tables},
	{.words = "zero tables",
	 .arguments = "",
	 .summary = "set counts, sums and times to zero",
	 .help = "Nodes, legs and histograms stay, empty: for measuring again "
		 "from here.\n"
		 "    zero tables\n    Zero Tables!",
	 .complete = "",
	 .flags = COMMAND_MEMO,
	 .run = run_zero_tables},
	{.words = NULL},
};
