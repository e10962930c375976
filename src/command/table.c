/*
 * table.c - see table.h. This file has the list of all families of commands,
 * and the functions that read entries of the commands.
 */
#include "table.h"

#include <string.h>
#include <strings.h>

#include "tokenizer.h"

const struct command_family command_families[] = {
	{"The program", program_commands},
	{"Looking at it", look_commands},
	{"Where names are looked up", context_commands},
	{"Breakpoints", break_commands},
	{"Breakpoints at many places", place_commands},
	{"Watchpoints", watch_commands},
	{"Nodes and legs", node_commands},
	{"Histograms and splits", histogram_commands},
	{"Tables", print_commands},
	{"Pictures", picture_commands},
	{"Where to look", top_commands},
	{"The Spy", spy_commands},
	{"Profiles", profile_commands},
	{"Checks", expect_commands},
	{"Session", session_commands},
	{NULL, NULL},
};

static const struct {
	const char *alias, *word;
} aliases[] = {
	{"b", "break"}, {"bt", "where"}, {"c", "continue"}, {"d", "delete"},
	{"h", "help"},  {"i", "list"},   {"l", "list"},     {"p", "print"},
	{"q", "quit"},  {"r", "run"},    {"w", "where"},
};

/* The commands of gdb and perf that the tool does not have, for users who know
 * gdb or perf. */
static const struct {
	const char *words; /* the commands, separated by blanks */
	const char *instead;
} others[] = {
	{"up down", "`frame N' chooses a frame, `where' numbers them"},
	{"info inf", "`list functions', `list breaks', `list threads', `list "
		     "locals', `list modules' and `show' show it"},
	{"next step nexti stepi n ni finish fin until advance u",
	 "perftool does not step; `break LOC' and `continue' go on to a place"},
	{"jump call return", "perftool never changes what the program does: it "
			     "neither calls nor jumps"},
	{"ptype whatis pt",
	 "`print *POINTER' shows members, `print sizeof(TYPE)' sizes"},
	{"x", "`print *(TYPE *)ADDRESS' shows memory"},
	{"backtrace", "`where' (bt) is the backtrace"},
	{"display undisplay", "`list locals' and `print EXPR' show values"},
	{"rwatch awatch", "`watch EXPR access' counts reads and writes"},
	{"catch", "breakpoints are at places only: `break LOC if COND'"},
	{"tbreak start", "`break main', then `run'"},
	{"disassemble", "there is no listing of instructions; `list' has "
			"source lines"},
	{"signal handle", "signals are delivered as they come"},
	{"stat top report record", "`time FUNC', `run', then `print tables'"},
};

unsigned command_token_flags(const struct command *command)
{
	unsigned flags = TOKEN_COMMENTS;

	if (command->flags & COMMAND_PRINTS)
		flags |= TOKEN_OUTPUT;
	if (command->flags & COMMAND_NAMES)
		flags |= TOKEN_NAMES;
	return flags;
}

const char *command_instead(const char *word)
{
	size_t length = strlen(word);

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		const char *at = others[i].words;

		while (*at) {
			size_t span = strcspn(at, " ");

			if (span == length && strncasecmp(at, word, span) == 0)
				return others[i].instead;
			at += span + (at[span] == ' ');
		}
	}
	return NULL;
}

const struct command *command_at(size_t index)
{
	const struct command_family *family = command_families;

	for (; family->name; family++) {
		const struct command *command = family->commands;

		for (; command->words; command++)
			if (index-- == 0)
				return command;
	}
	return NULL;
}

const char *command_alias(const char *word)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(*aliases); i++)
		if (strcasecmp(word, aliases[i].alias) == 0)
			return aliases[i].word;
	return NULL;
}

bool command_spelling(const struct command *command, unsigned word,
		      size_t *cursor, const char **text, size_t *length)
{
	const char *at = command->words;
	size_t all;

	if (word == 1) {
		at = strchr(at, ' ');
		if (!at)
			return false;
		at++;
	}
	all = strcspn(at, " ");
	if (*cursor >= all)
		return false;
	*text = at + *cursor;
	*length = strcspn(*text, " |");
	*cursor += *length + 1;
	return true;
}

void command_name(const struct command *command, struct str *out)
{
	for (unsigned word = 0; word < 2; word++) {
		size_t cursor = 0, length;
		const char *text;

		if (!command_spelling(command, word, &cursor, &text, &length))
			return;
		if (word)
			str_append_char(out, ' ');
		str_append_n(out, text, length);
	}
}
