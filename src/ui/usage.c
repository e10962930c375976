/*
 * usage.c - see usage.h
 */
#include "usage.h"

#include <string.h>

#define HELP_COLUMN 24u /* in which the texts about options begin */
#define MOST_COLUMNS 79u

/* Appends `text` in lines that begin in HELP_COLUMN, broken at blanks. The
 * present line has `column` characters already. */
static void append_wrapped(const char *text, size_t column, struct str *out)
{
	while (*text) {
		size_t length = strcspn(text, " ");

		if (column > HELP_COLUMN &&
		    column + 1 + length > MOST_COLUMNS) {
			str_append_char(out, '\n');
			column = 0;
		}
		if (column > HELP_COLUMN) {
			str_append_char(out, ' ');
			column++;
		}
		for (; column < HELP_COLUMN; column++)
			str_append_char(out, ' ');
		str_append_n(out, text, length);
		column += length;
		text += length;
		text += strspn(text, " ");
	}
	str_append_char(out, '\n');
}

/* Appends the words of the subcommands that alone take the option, with a
 * colon: "serve, ctl: ". Appends nothing if perftool without a subcommand takes
 * it, too. */
static void append_owners(const struct option_entry *option, struct str *out)
{
	const char *separator = "";

	if (option->of & OF(SUBCOMMAND_NONE))
		return;
	for (size_t i = SUBCOMMAND_NONE + 1; i < SUBCOMMAND_COUNT; i++) {
		if (!(option->of & OF(i)))
			continue;
		str_printf(out, "%s%s", separator, subcommand_table[i].word);
		separator = ", ";
	}
	str_append(out, ": ");
}

static void append_option(const struct option_entry *option,
			  bool names_subcommands, struct str *out)
{
	struct str head = {0}, help = {0};

	if (option->key < OPTION_FOR)
		str_printf(&head, "  -%c, --%s", option->key, option->name);
	else
		str_printf(&head, "      --%s", option->name);
	if (option->argument)
		str_printf(&head, "%s%s", *option->argument == '[' ? "" : " ",
			   option->argument);
	if (head.length >= HELP_COLUMN) {
		str_append_char(&head, '\n');
		str_append(out, str_text(&head));
		str_deinit(&head);
	} else {
		str_append(out, str_text(&head));
	}
	if (names_subcommands)
		append_owners(option, &help);
	str_append(&help, option->help);
	append_wrapped(str_text(&help), head.length, out);
	str_deinit(&head);
	str_deinit(&help);
}

/* Appends the lines of a synopsis. The first line of all begins with Usage. */
static void append_synopsis(enum subcommand subcommand, struct str *out)
{
	const char *line = subcommand_table[subcommand].synopsis;

	while (*line) {
		size_t length = strcspn(line, "\n") + 1;

		str_append(out, out->length ? "       " : "Usage: ");
		str_append(out, "perftool ");
		str_append_n(out, line, length);
		line += length;
	}
}

/* Appends the subcommands, each with what it is for. */
static void append_subcommands(struct str *out)
{
	str_append_char(out, '\n');
	for (size_t i = SUBCOMMAND_NONE + 1; i < SUBCOMMAND_COUNT; i++) {
		size_t before = out->length;

		str_printf(out, "  %s", subcommand_table[i].word);
		append_wrapped(subcommand_table[i].summary,
			       out->length - before, out);
	}
}

void usage_print(FILE *file, enum subcommand subcommand)
{
	const struct subcommand_entry *entry = &subcommand_table[subcommand];
	bool whole = subcommand == SUBCOMMAND_NONE;
	struct str text = {0};

	append_synopsis(subcommand, &text);
	for (size_t i = SUBCOMMAND_NONE + 1; whole && i < SUBCOMMAND_COUNT; i++)
		append_synopsis((enum subcommand)i, &text);
	str_append(&text, entry->about);
	if (whole)
		append_subcommands(&text);
	str_append_char(&text, '\n');
	for (const struct option_entry *at = option_table; at->name; at++)
		if (at->help && (whole || at->of & OF(subcommand)))
			append_option(at, whole, &text);
	if (entry->examples)
		str_printf(&text, "\n%s", entry->examples);
	fputs(str_text(&text), file);
	str_deinit(&text);
}
