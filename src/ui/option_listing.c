/*
 * option_listing.c - the options and subcommands as lines for the completions
 * of shells, and as tables for doc/reference.md
 */
#include <string.h>

#include "option_table.h"

void option_summary(const struct option_entry *option, struct str *out)
{
	size_t length = strcspn(option->help, "(:;");

	while (length && option->help[length - 1] == ' ')
		length--;
	str_append_n(out, option->help, length);
}

/* Appends the subcommands that take the option, with `between` between them. */
static void append_subcommands(const struct option_entry *option,
			       const char *between, struct str *out)
{
	const char *separator = "";

	for (size_t i = 0; i < SUBCOMMAND_COUNT; i++) {
		if (!(option->of & OF(i)))
			continue;
		str_printf(out, "%s%s", separator,
			   i ? subcommand_table[i].word : "perftool");
		separator = between;
	}
}

void option_lines(struct str *out)
{
	for (const struct option_entry *at = option_table; at->name; at++) {
		if (!at->help)
			continue;
		if (at->key < OPTION_FOR)
			str_append_char(out, (char)at->key);
		str_printf(out, "|%s|%s|%s|", at->name,
			   at->argument ? at->argument : "",
			   at->completes ? at->completes : "");
		append_subcommands(at, " ", out);
		str_append_char(out, '|');
		option_summary(at, out);
		str_append_char(out, '\n');
	}
}

void subcommand_lines(struct str *out)
{
	static const char *const operands[] = {
		[OPERANDS_PROGRAM] = "program",
		[OPERANDS_NOTHING] = "nothing",
		[OPERANDS_SERVED] = "served",
		[OPERANDS_FILES] = "files",
	};

	for (size_t i = SUBCOMMAND_NONE + 1; i < SUBCOMMAND_COUNT; i++)
		str_printf(out, "%s|%s|%s|%s\n", subcommand_table[i].word,
			   operands[subcommand_table[i].operands],
			   subcommand_table[i].words ? subcommand_table[i].words
						     : "",
			   subcommand_table[i].summary);
}

void option_reference(struct str *out)
{
	str_append(out, "| option | of | what it does |\n|---|---|---|\n");
	for (const struct option_entry *at = option_table; at->name; at++) {
		if (!at->help)
			continue;
		str_append(out, "| ");
		if (at->key < OPTION_FOR)
			str_printf(out, "`-%c`, ", at->key);
		str_printf(out, "`--%s%s%s` | ", at->name,
			   at->argument && *at->argument != '[' ? " " : "",
			   at->argument ? at->argument : "");
		append_subcommands(at, ", ", out);
		str_printf(out, " | %s |\n", at->help);
	}
}

void subcommand_reference(struct str *out)
{
	str_append(out, "| what is typed | what it is for |\n|---|---|\n");
	for (size_t i = 0; i < SUBCOMMAND_COUNT; i++) {
		const char *line = subcommand_table[i].synopsis;

		while (*line) {
			size_t length = strcspn(line, "\n");

			str_printf(out, "| `perftool %.*s` | %s |\n",
				   (int)length, line,
				   subcommand_table[i].summary);
			line += length + 1;
		}
	}
}
