/*
 * breakpoint_commands.c - commands that set breakpoints and give them
 * conditions
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"

#include "command/arguments.h"
#include "command/interpreter.h"
#include "condition.h"
#include "placing.h"

const char *break_keyword_alone(struct session *session, const char *rest)
{
	static const char *const keywords[] = {"entry", "xit", "return",
					       "blocks", "calls"};
	CLEANUP(free_pointer)
	char *word = xstrndup(rest, token_without_comment(rest));

	for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++) {
		if (strcasecmp(word, keywords[i]) == 0)
			return is_program_function(session, word) ? NULL
								  : keywords[i];
	}
	return NULL;
}

static struct error *run_break(struct call *call)
{
	const char *keyword = break_keyword_alone(call->session, call->rest);

	if (keyword)
		return error_create(ERROR_USAGE,
				    "a function is missing; usage: break %s "
				    "FUNC [mechanism=auto|int3|fast] [if COND]",
				    keyword);
	return place_breakpoint(call, call->rest, BREAK_PLACE);
}

static struct error *run_break_entry(struct call *call)
{
	return place_breakpoint(call, call->rest, BREAK_ENTRY);
}

static struct error *run_break_exit(struct call *call)
{
	return place_breakpoint(call, call->rest, BREAK_EXIT);
}

static struct error *run_break_return(struct call *call)
{
	return place_breakpoint(call, call->rest, BREAK_RETURN);
}

/* ---- conditions ---------------------------------------------------------- */

/* Parses the arguments `N COND` or `N, COND`: the number of a breakpoint, and
 * the position where the condition starts. */
static struct error *numbered(struct call *call, uint32_t *id,
			      const char **condition)
{
	const char *text = call->rest;
	CLEANUP(free_pointer) char *number = NULL;
	size_t length;

	text += *text == '#';
	length = strcspn(text, ", \t");
	if (!length)
		return call_usage(call, "a breakpoint's number is missing");
	number = xstrndup(text, length);
	TRY(argument_id(number, "breakpoint", id));
	text = token_skip_blanks(text + length);
	if (*text == ',')
		text = token_skip_blanks(text + 1);
	*condition = text;
	return NULL;
}

static struct error *run_condition(struct call *call)
{
	const char *condition;
	uint32_t id;

	TRY(numbered(call, &id, &condition));
	if (token_is_comment(condition))
		condition = "";
	return session_condition(call->session, id,
				 *condition ? condition : NULL, &call->said);
}

/* Does a single `=` stand at text[i], which belongs neither to ==, !=, <= or >=
 * nor to an assignment such as +=? Assignments are left for the evaluator,
 * which refuses them. */
static bool is_lone_equals(const char *text, size_t i)
{
	if (text[i] != '=' || text[i + 1] == '=')
		return false;
	return i == 0 || !strchr("=!<>+-*/%&|^", text[i - 1]);
}

/* Copies a condition and writes == for each single =, because in the memo's
 * language `pages = 1` is a comparison. */
static void memo_condition(const char *text, struct str *out)
{
	char quote = '\0';

	for (size_t i = 0; text[i]; i++) {
		if (!quote && is_lone_equals(text, i))
			str_append_char(out, '=');
		if (quote && text[i] == '\\' && text[i + 1])
			str_append_char(out, text[i++]);
		else if (quote)
			quote = text[i] == quote ? '\0' : quote;
		else if (text[i] == '"' || text[i] == '\'')
			quote = text[i];
		str_append_char(out, text[i]);
	}
}

static struct error *run_attach_condition(struct call *call)
{
	struct str condition = {0};
	struct error *error;
	const char *text;
	uint32_t id;

	TRY(numbered(call, &id, &text));
	memo_condition(text, &condition);
	error = condition.length
			? session_attach_condition(call->session, id,
						   str_text(&condition),
						   &call->said)
			: call_usage(call, "a condition is missing");
	str_deinit(&condition);
	return error;
}

static struct error *run_condition_breaks(struct call *call)
{
	return session_condition_breaks(call->session, &call->said);
}

/* ---- the rest ------------------------------------------------------------ */

typedef struct error *each_fn(struct session *session, uint32_t id);

/* Calls `each` for every breakpoint that the arguments name. If one of the
 * words is not a number, no breakpoint is changed. */
static struct error *for_each(const struct call *call, each_fn *each)
{
	uint32_t id;

	for (size_t i = 0; i < call_count(call); i++)
		TRY(argument_id(call_word(call, i), "breakpoint", &id));
	for (size_t i = 0; i < call_count(call); i++) {
		TRY(argument_id(call_word(call, i), "breakpoint", &id));
		TRY(each(call->session, id));
	}
	return NULL;
}

static struct error *enable(struct session *session, uint32_t id)
{
	return session_enable_break(session, id, true);
}

static struct error *disable(struct session *session, uint32_t id)
{
	return session_enable_break(session, id, false);
}

static struct error *run_delete_break(struct call *call)
{
	return for_each(call, session_delete_break);
}

static struct error *run_delete_breaks(struct call *call)
{
	if (call_count(call))
		return error_create(
			ERROR_USAGE,
			"`delete breaks' deletes all of them; `delete break "
			"%s' only the breakpoints that it names",
			call_word(call, 0));
	return session_delete_breaks(call->session);
}

static struct error *run_enable(struct call *call)
{
	return for_each(call, enable);
}

static struct error *run_disable(struct call *call)
{
	return for_each(call, disable);
}

static struct error *run_list_breaks(struct call *call)
{
	session_list_breaks(call->session, &call->printed);
	return NULL;
}

const struct command break_commands[] = {
	{.words = "break",
	 .arguments = "LOC [mechanism=auto|int3|fast] [if COND]",
	 .summary = "set a breakpoint",
	 .help = "LOC is FUNC (after its prologue, and wherever it is "
		 "inlined), FILE:FUNC, FILE:LINE, LINE, *ADDRESS, *FUNC (its "
		 "first instruction) or FUNC+OFFSET, each with an optional "
		 "@MODULE (or, of a function, @VERSION: realpath@GLIBC_2.3); "
		 "strdup@plt is where modules call strdup through their "
		 "procedure linkage tables. probe:PROVIDER:NAME is a static "
		 "probe (`list probes'). FUNC may be a glob, which makes "
		 "one breakpoint with many addresses. A place in a library "
		 "that is not loaded yet is pending. ADDRESS is an address in "
		 "the process, or, with @MODULE and before the program has "
		 "run, an address in the file. MODULE+0xADDRESS, as tables "
		 "call a function without a name, is *0xADDRESS@MODULE. With a "
		 "condition the breakpoint "
		 "is a node as soon as the monitor is on and it is reached. "
		 "`mechanism=' is as `set mechanism', for this breakpoint "
		 "alone; `list breaks' shows which mechanism it has.\n"
		 "    break main\n"
		 "    break parse.c:120 if depth > 3\n"
		 "    break malloc@libc.so.6\n"
		 "    break entry strdup@plt@myprogram\n"
		 "    break ns::Tree::insert(int, char)",
	 .complete = "@function if @expression...",
	 .labels = "procedure|location|loc",
	 .flags = COMMAND_REST | COMMAND_MEMO,
	 .asks = "place",
	 .run = run_break},
	{.words = "break entry",
	 .arguments = "FUNC [mechanism=auto|int3|fast] [if COND]",
	 .summary = "break at a function's first instruction",
	 .help = "Parameters named in COND are read as the calling convention "
		 "passes them. Calls that were inlined are not covered, unless "
		 "there are no others: `break FUNC' has them too. `entry' "
		 "counts as a keyword only in full and when a function "
		 "follows: `break entry' alone breaks at the function entry(), "
		 "if the program has one. For *ADDRESS or FILE:LINE, it is the "
		 "function that contains the place; without symbols, perftool "
		 "finds that function in .eh_frame.\n"
		 "    break entry AllocVM\n"
		 "    Break Entry procedure: AllocVM\n"
		 "    break entry AllocVM if pages > 4",
	 .complete = "@function if @expression...",
	 .labels = "procedure",
	 .flags = COMMAND_REST | COMMAND_MEMO | COMMAND_IN_FULL,
	 .asks = "function",
	 .run = run_break_entry},
	{.words = "break exit|xit",
	 .arguments = "FUNC [mechanism=auto|int3|fast] [if COND]",
	 .summary = "break where the code leaves a function",
	 .help = "Covers each return of the function and each jump with which "
		 "it goes on in another function (a tail call), but not calls "
		 "that were inlined, which have no exit. `break return' is at "
		 "the end of the frame instead. $ret is the value it returns. "
		 "`xit' is the memo's spelling. Both are keywords only in full "
		 "and when a function follows.\n"
		 "    break exit AllocVM if $ret == 0\n"
		 "    Break Xit procedure: AllocVM",
	 .complete = "@function if @expression...",
	 .labels = "procedure",
	 .flags = COMMAND_REST | COMMAND_MEMO | COMMAND_IN_FULL,
	 .asks = "function",
	 .run = run_break_exit},
	{.words = "break return",
	 .arguments = "FUNC [mechanism=auto|int3|fast] [if COND]",
	 .summary = "break where a frame of a function ends",
	 .help = "The frame ends when it returns to its caller. Where the "
		 "function ends with a jump to another function (a tail call), "
		 "the return of that other function ends the frame; its "
		 "returns from other frames are no hits. A frame that is "
		 "unwound (by longjmp or an exception) has no return. $ret is "
		 "the value that is returned. COND is evaluated in FUNC "
		 "itself: where the frame ends in another function, a COND "
		 "that names a variable or anything else is an error of the "
		 "hit. `return' is a keyword only in full and when a function "
		 "follows.\n"
		 "    break return AllocVM\n"
		 "    break return AllocVM if 1",
	 .complete = "@function if @expression...",
	 .labels = "procedure",
	 .flags = COMMAND_REST | COMMAND_IN_FULL,
	 .asks = "function",
	 .run = run_break_return},
	{.words = "condition",
	 .arguments = "N [COND]",
	 .summary = "give a breakpoint a condition, or clear it",
	 .help = "COND is an expression as `help evaluate' describes it. Its "
		 "value must be a number: name a member of a structure, not "
		 "the structure. A hit at which COND cannot be evaluated does "
		 "not count, except among the node's errors. Without COND the "
		 "condition is cleared; the condition of a node becomes 1, so "
		 "that a node never becomes a breakpoint that stops the "
		 "program.\n"
		 "    condition 1 pages == 1\n"
		 "    condition 1 request->user.name == \"root\"\n"
		 "    condition 1",
	 .complete = "@break @expression...",
	 .labels = "#|condition",
	 .flags = COMMAND_REST,
	 .asks = "breakpoint|condition",
	 .run = run_condition},
	{.words = "condition breaks",
	 .arguments = "",
	 .summary = "make every breakpoint conditional",
	 .help = "Every breakpoint without a condition gets the condition 1, "
		 "and can then be a node.\n"
		 "    condition breaks\n"
		 "    Condition Breaks!",
	 .complete = "",
	 .flags = COMMAND_MEMO,
	 .run = run_condition_breaks},
	{.words = "attach condition",
	 .arguments = "N, COND",
	 .summary = "the memo's form of `condition'",
	 .help = "As in the memo the condition filters nothing: each hit "
		 "counts, and a histogram of the node counts the values of "
		 "the condition's first variable. `condition' filters; `set "
		 "conditions' decides for all. "
		 "Here, and only here, a single = compares, as in the memo's "
		 "language.\n"
		 "    attach condition 1, pages == 1\n"
		 "    ATtach Condition #: 1, condition: pages = 1",
	 .complete = "@break @expression...",
	 .labels = "#|condition",
	 .flags = COMMAND_REST | COMMAND_MEMO,
	 .asks = "#|condition",
	 .run = run_attach_condition},
	{.words = "delete",
	 .arguments = "N...",
	 .summary = "delete breakpoints: the same as `delete break'",
	 .help = "    delete 1 2",
	 .complete = "@break...",
	 .least = 1,
	 .most = ANY_NUMBER,
	 .asks = "breakpoint",
	 .run = run_delete_break},
	{.words = "delete break",
	 .arguments = "N...",
	 .summary = "delete breakpoints",
	 .help = "A breakpoint that is a node keeps its row in the node table, "
		 "marked deleted, and its legs stop counting. A row that has "
		 "counted nothing goes, too, if no leg needs it.\n"
		 "    delete break 3",
	 .complete = "@break...",
	 .least = 1,
	 .most = ANY_NUMBER,
	 .asks = "breakpoint",
	 .run = run_delete_break},
	{.words = "delete breaks",
	 .arguments = "",
	 .summary = "delete all breakpoints",
	 .help = "    delete breaks",
	 .complete = "",
	 .most = ANY_NUMBER,
	 .run = run_delete_breaks},
	{.words = "enable",
	 .arguments = "N...",
	 .summary = "enable disabled breakpoints again",
	 .help = "    enable 2",
	 .complete = "@break...",
	 .least = 1,
	 .most = ANY_NUMBER,
	 .asks = "breakpoint, or breaks",
	 .run = run_enable},
	{.words = "disable",
	 .arguments = "N...",
	 .summary = "disable breakpoints without deleting them",
	 .help = "A disabled breakpoint neither stops nor counts.\n"
		 "    disable 2",
	 .complete = "@break...",
	 .least = 1,
	 .most = ANY_NUMBER,
	 .asks = "breakpoint, or breaks",
	 .run = run_disable},
	{.words = "list breaks|breakpoints",
	 .arguments = "[> FILE]",
	 .summary = "all breakpoints, and where they are",
	 .help = "Number, kind, place, condition, and the addresses each has "
		 "been set at; pending ones say what they wait for.\n"
		 "    list breaks",
	 .complete = "",
	 .flags = COMMAND_PRINTS,
	 .run = run_list_breaks},
	{.words = NULL},
};
