/*
 * context_commands.c - commands that set where names are looked up: the memo's
 * `SEt Root configuration' and `SEt Module context'
 */
#include <string.h>
#include <strings.h>

#include "perftool/base/str.h"

#include "command/interpreter.h"

static struct error *run_set_root(struct call *call)
{
	static const char word[] = "configuration";
	const char *first = call_word(call, 0);

	if (call_count(call) == 2 && !str_starts_nocase(word, first))
		return call_usage(call, "unexpected `%s'", first);
	if (call_count(call) == 1 && strcasecmp(first, word) == 0)
		return call_usage(call, "the program's name is missing");
	return session_set_root(call->session,
				call_word(call, call_count(call) - 1),
				&call->said);
}

/* Is the text `context' or a beginning of it, with or without a colon? */
static bool is_context(const char *text)
{
	static const char word[] = "context";
	size_t length = strlen(text);

	length -= length > 1 && text[length - 1] == ':';
	return length < sizeof(word) && strncasecmp(word, text, length) == 0;
}

/* The table of commands could declare the word `context' as a label, which the
 * tool removes. It does not, because `context: context' must differ from
 * `context:' alone, which removes the context. */
static struct error *run_set_module(struct call *call)
{
	const char *name;

	if (!is_context(call_word(call, 0)))
		return call_usage(call, "unexpected `%s'", call_word(call, 0));
	name = call_count(call) == 2 ? call_word(call, 1) : "none";
	return session_set_context(call->session,
				   strcasecmp(name, "none") == 0 ? NULL : name,
				   &call->said);
}

const struct command context_commands[] = {
	{.words = "set root",
	 .arguments = "configuration PROGRAM",
	 .summary = "look names up in all of the program",
	 .help = "What the Mesa memo calls the root configuration is the "
		 "program, so that PROGRAM must be its name. The module "
		 "context ends.\n"
		 "    set root configuration swapper\n"
		 "    SEt Root configuration: swapper",
	 .complete = "configuration|@program @program",
	 .labels = "configuration",
	 .flags = COMMAND_MEMO | COMMAND_LABEL_IS_WORD,
	 .least = 1,
	 .most = 2,
	 .asks = "configuration",
	 .run = run_set_root},
	{.words = "set module",
	 .arguments = "context [NAME|none]",
	 .summary = "look names up in a source file or library first",
	 .help = "NAME is a source file of the program, with its suffix or "
		 "without, or a library that is loaded. The places of `break', "
		 "`time', `list functions' and `list source' are looked for "
		 "there, and elsewhere only if they are not there; a line "
		 "number alone is a line of that file. FILE:FUNC and "
		 "FUNC@MODULE do not depend on the context. Without NAME, or "
		 "with `none', names are looked up in all of the program "
		 "again. `show module' shows the context.\n"
		 "    set module context swapper.c\n"
		 "    set module context libm.so.6\n"
		 "    set module context none\n"
		 "    SEt Module context: Swapper",
	 .complete = "context @module|none",
	 .flags = COMMAND_MEMO,
	 .least = 1,
	 .most = 2,
	 .run = run_set_module},
	{.words = NULL},
};
