/*
 * table.c - see table.h. All commands in one table, and how entries are read.
 */
#include "table.h"

#include <string.h>
#include <strings.h>

const struct command_family command_families[] = {
	{"The program", program_commands},
	{"Looking at it", look_commands},
	{"Breakpoints", break_commands},
	{"Nodes and legs", node_commands},
	{"Histograms and splits", histogram_commands},
	{"Tables", print_commands},
	{"Session", session_commands},
	{NULL, NULL},
};

static const struct {
	const char *alias, *word;
} aliases[] = {
	{"b", "break"}, {"bt", "where"}, {"c", "continue"}, {"d", "delete"},
	{"h", "help"},  {"i", "list"},   {"l", "list"},     {"p", "print"},
	{"q", "quit"},  {"r", "run"},
};

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
