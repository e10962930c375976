/*
 * watch_commands.c - the command that counts the accesses to an object
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "command/interpreter.h"
#include "condition.h"
#include "perftool/base/alloc.h"

/* Takes the last word of the text away if it is `word`. */
static bool take_last(char *text, const char *word)
{
	size_t length = strlen(text), size = strlen(word);

	if (length <= size || strcasecmp(text + length - size, word) != 0 ||
	    !isspace((unsigned char)text[length - size - 1]))
		return false;
	length -= size;
	while (length && isspace((unsigned char)text[length - 1]))
		length--;
	text[length] = '\0';
	return true;
}

static struct error *run_watch(struct call *call)
{
	const char *condition = condition_find(call->rest);
	size_t length = condition ? (size_t)(condition - call->rest)
				  : token_without_comment(call->rest);
	CLEANUP(free_pointer) char *text = NULL;
	bool reads;
	uint32_t id;

	while (length && isspace((unsigned char)call->rest[length - 1]))
		length--;
	text = xstrndup(call->rest, length);
	reads = take_last(text, "access");
	if (!reads)
		take_last(text, "write");
	if (!*text)
		return call_usage(call, "an expression is missing");
	if (condition) {
		condition = token_skip_blanks(condition + 2);
		if (!*condition)
			return call_usage(call, "no condition after `if'");
	}
	return session_watch(call->session, text, reads, condition, &id,
			     &call->said);
}

const struct command watch_commands[] = {
	{.words = "watch",
	 .arguments = "EXPR [access|write] [if COND]",
	 .summary = "count the writes to an object in memory",
	 .help = "The processor watches the object for each thread, so the "
		 "program runs at its own speed between the hits. Each write "
		 "counts, also one that does not change the value; the value "
		 "of the hit, for `value=' and histograms, is the new one. "
		 "`access' counts reads, too. The object has 1, 2, 4 or 8 "
		 "bytes: a global variable, or a member or element of one, "
		 "which is found in each process; or, while the program is "
		 "stopped, a local variable or what a pointer points to, which "
		 "is then watched at that address. Four objects can be "
		 "watched. What the kernel writes for the program, as in "
		 "read(), does not count.\n"
		 "    watch requests if 1\n"
		 "    watch table.count access if table.count > 100",
	 .complete = "@expression access|write|if @expression...",
	 .flags = COMMAND_REST,
	 .asks = "expression",
	 .run = run_watch},
	{.words = NULL},
};
