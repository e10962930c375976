/*
 * place_commands.c - commands that set breakpoints at places that the tool
 * finds in the code: basic blocks, calls, allocations and locks
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "command/arguments.h"
#include "command/interpreter.h"
#include "condition.h"
#include "perftool/base/alloc.h"
#include "placing.h"

static struct error *run_break_blocks(struct call *call)
{
	return place_breakpoint(call, call->rest, BREAK_BLOCKS);
}

static struct error *run_break_calls(struct call *call)
{
	return place_breakpoint(call, call->rest, BREAK_CALLS);
}

/* Does the text begin with this word? */
static bool begins_with(const char *text, const char *word)
{
	size_t length = strlen(word);

	return strncasecmp(text, word, length) == 0 &&
	       !isalnum((unsigned char)text[length]) && text[length] != '_';
}

static struct error *run_break_allocations(struct call *call)
{
	bool has_in = begins_with(token_skip_blanks(call->rest), "in");
	CLEANUP(free_pointer) char *text = NULL;

	text = xasprintf("allocations %s", token_skip_blanks(call->rest));
	return place_breakpoint(
		call, text,
		!has_in && is_program_function(call->session, "allocations")
			? BREAK_PLACE
			: BREAK_ALLOCATIONS);
}

static struct error *run_break_sync(struct call *call)
{
	static const struct {
		const char *word;
		enum break_kind kind;
	} events[] = {{"test", BREAK_SYNC_TEST},
		      {"enter", BREAK_SYNC_ENTER},
		      {"exit", BREAK_SYNC_EXIT}};
	const char *rest = token_skip_blanks(call->rest);
	CLEANUP(free_pointer) char *text = xasprintf("sync %s", rest);

	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		if (begins_with(rest, events[i].word))
			return place_breakpoint(call, text, events[i].kind);
	/* sync() is also a function of libc. */
	if (begins_with(rest, "mechanism"))
		return place_breakpoint(call, text, BREAK_PLACE);
	return call_usage(call, "`%.*s' is none of enter, exit, test",
			  (int)strcspn(rest, " \t"), rest);
}

const struct command place_commands[] = {
	{.words = "break blocks",
	 .arguments = "FUNC [mechanism=auto|int3|fast] [if COND]",
	 .summary = "break at each basic block of a function",
	 .help = "One breakpoint at the first instruction of each basic block: "
		 "a run of instructions without a branch and without a jump "
		 "into it. A call does not end a block. The breakpoint counts "
		 "the sum; `list breaks' has each block with its line and its "
		 "count. Tables of switches and the places where exceptions "
		 "continue are found as far as the code shows them; perftool "
		 "says what it does not know. Inlined copies of FUNC do not "
		 "count. `blocks' is a keyword only in full and when a "
		 "function follows.\n"
		 "    break blocks parse\n"
		 "    break blocks parse if depth > 3",
	 .complete = "@function if @expression...",
	 .flags = COMMAND_REST | COMMAND_IN_FULL,
	 .asks = "function",
	 .run = run_break_blocks},
	{.words = "break calls",
	 .arguments = "CALLEE [in FUNC] [mechanism=auto|int3|fast] [if COND]",
	 .summary = "break where a function is called",
	 .help = "One breakpoint at each instruction that calls CALLEE, in the "
		 "program and its libraries, or only in the code of FUNC. A "
		 "jump to CALLEE that takes the place of a call (a tail call) "
		 "is a call. `list breaks' tells direct calls, calls through "
		 "the procedure linkage table (PLT) or the global offset table "
		 "(GOT), jumps and indirect calls apart, each with its count. "
		 "With `in FUNC', indirect and virtual calls in FUNC count "
		 "when they lead to CALLEE; without it they are not watched. "
		 "CALLEE may be a glob. `calls' is a keyword only in full and "
		 "when a function follows.\n"
		 "    break calls malloc in parse\n"
		 "    break calls Shape::area in draw if 1",
	 .complete = "@function in|if @function|@expression if @expression...",
	 .flags = COMMAND_REST | COMMAND_IN_FULL,
	 .asks = "function",
	 .run = run_break_calls},
	{.words = "break allocations",
	 .arguments = "[in FUNC] [mechanism=auto|int3|fast] [if COND]",
	 .summary = "break where memory is allocated",
	 .help = "One breakpoint at the entries of malloc, calloc, realloc, "
		 "aligned_alloc, memalign, posix_memalign, valloc, pvalloc, "
		 "reallocarray and new, wherever they are. What one of them "
		 "calls of the others does not count again. With `in FUNC', "
		 "the breakpoint is at the calls of these functions in the "
		 "code of FUNC. `allocations' is a keyword only in full.\n"
		 "    break allocations if 1\n"
		 "    break allocations in parse if 1",
	 .complete = "in|if @function|@expression if @expression...",
	 .flags = COMMAND_REST | COMMAND_IN_FULL | COMMAND_ALONE,
	 .run = run_break_allocations},
	{.words = "break sync",
	 .arguments = "enter|exit|test [in FUNC] [mechanism=auto|int3|fast] "
		      "[if COND]",
	 .summary = "break where locks are taken and released",
	 .help = "The mutexes, read-write locks and semaphores of libc. `test' "
		 "is before a thread tries to take one, `enter' where it has "
		 "been taken, `exit' before it is released. Waiting for a "
		 "condition is exit, then enter. What was not taken (trylock, "
		 "a time limit) is no enter. With `in FUNC', only calls in the "
		 "code of FUNC count. `sync' is a keyword only in full and "
		 "when one of the three words follows.\n"
		 "    break sync enter if 1\n"
		 "    break sync exit in serve if 1",
	 .complete = "enter|exit|test in|if @function|@expression "
		     "if @expression...",
	 .flags = COMMAND_REST | COMMAND_IN_FULL,
	 .run = run_break_sync},
	{.words = NULL},
};
