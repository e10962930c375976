/*
 * reference.c - write the table of commands as sections of doc/reference.md, in
 * Markdown
 */
#include "perftool/command.h"
#include "perftool/session/session_settings.h"

#include <ctype.h>
#include <string.h>

#include "help.h"
#include "topics.h"

/* Appends one line of text. What the help texts have in quotes (`word') becomes
 * code. Characters that have a meaning for Markdown are escaped. */
static void write_text(const char *text, size_t length, struct str *out)
{
	size_t code_end = 0; /* where the code ends that has begun; 0: none */

	for (size_t i = 0; i < length; i++) {
		const char *quote;

		if (code_end && i == code_end) {
			str_append_char(out, '`');
			code_end = 0;
			continue;
		}
		if (text[i] == '`' && !code_end) {
			quote = memchr(text + i, '\'', length - i);
			if (quote)
				code_end = (size_t)(quote - text);
		} else if (!code_end && strchr("*_<>[]\\|#", text[i])) {
			str_append_char(out, '\\');
		}
		str_append_char(out, text[i]);
	}
	str_append_char(out, '\n');
}

/* Appends a text whose lines are paragraphs, or examples if they begin with
 * blanks. */
static void write_help(const char *text, struct str *out)
{
	bool example = false;

	while (*text) {
		size_t length = strcspn(text, "\n");

		if (*text != ' ' || !example)
			str_append_char(out, '\n');
		example = *text == ' ';
		if (example) {
			size_t blanks = strspn(text, " ");

			str_append(out, "    ");
			str_append_n(out, text + blanks, length - blanks);
			str_append_char(out, '\n');
		} else {
			write_text(text, length, out);
		}
		text += length;
		text += *text == '\n';
	}
}

/* Appends a phrase as a sentence in a paragraph of its own. */
static void write_sentence(const char *phrase, struct str *out)
{
	struct str text = {0};

	str_append_char(&text, (char)toupper((unsigned char)*phrase));
	str_append(&text, phrase + 1);
	str_append_char(&text, '.');
	str_append_char(out, '\n');
	write_text(str_text(&text), text.length, out);
	str_deinit(&text);
}

static void write_command(const struct command *command, struct str *out)
{
	struct str spellings = {0};

	str_append(out, "\n### ");
	command_name(command, out);
	str_append(out, "\n\n    ");
	help_spellings(command, &spellings);
	str_append(out, str_text(&spellings));
	str_deinit(&spellings);
	if (*command->arguments)
		str_printf(out, " %s", command->arguments);
	str_append_char(out, '\n');
	write_sentence(command->summary, out);
	write_help(command->help, out);
}

static void write_cell(const char *text, struct str *out)
{
	for (; *text; text++) {
		if (*text == '|')
			str_append_char(out, '\\');
		str_append_char(out, *text);
	}
}

static void write_setting(const struct session_setting *setting,
			  struct str *out)
{
	struct str help = {0}, line = {0};

	str_printf(out, "| `set %s ", setting->name);
	write_cell(setting->values, out);
	str_append(out, "` | ");
	help_setting(setting, &help);
	write_text(str_text(&help), help.length, &line);
	str_append_n(out, str_text(&line), line.length - 1);
	str_append(out, " |\n");
	str_deinit(&line);
	str_deinit(&help);
}

void command_reference(struct str *out)
{
	const struct command_family *family = command_families;
	const struct session_setting *setting;

	for (; family->name; family++) {
		str_printf(out, "\n## %s\n", family->name);
		for (const struct command *command = family->commands;
		     command->words; command++)
			write_command(command, out);
	}
	str_append(out, "\n## Settings\n\n"
			"| what is typed | what it sets |\n|---|---|\n");
	for (size_t i = 0; (setting = session_setting_at(i)); i++)
		write_setting(setting, out);
	str_append(out, "\n## Topics of help\n");
	for (const struct topic *topic = topics; topic->name; topic++) {
		str_printf(out, "\n### help %s\n", topic->name);
		write_sentence(topic->summary, out);
		write_help(topic->text, out);
	}
}
