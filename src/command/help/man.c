/*
 * man.c - write the table of commands as a section of the man page, in man(7)
 * form
 */
#include "perftool/command.h"
#include "perftool/session/session_settings.h"

#include <ctype.h>
#include <string.h>

#include "help.h"
#include "topics.h"

/* Appends the text of one line. Characters that have a meaning for troff are
 * escaped. */
static void write_text(const char *text, size_t length, struct str *out)
{
	for (size_t i = 0; i < length; i++) {
		switch (text[i]) {
		case '\\':
			str_append(out, "\\e");
			break;
		case '-':
			str_append(out, "\\-");
			break;
		case '\'':
			str_append(out, "\\(aq");
			break;
		case '`':
			str_append(out, "\\(ga");
			break;
		case '^':
			str_append(out, "\\(ha");
			break;
		case '~':
			str_append(out, "\\(ti");
			break;
		case '.':
			str_append(out, i == 0 ? "\\&." : ".");
			break;
		default:
			str_append_char(out, text[i]);
		}
	}
	str_append_char(out, '\n');
}

static void write_line(const char *text, struct str *out)
{
	size_t length = 0;

	while (text[length] && text[length] != '\n')
		length++;
	write_text(text, length, out);
}

static void write_help(const char *text, struct str *out)
{
	bool example = false;

	while (*text) {
		if ((*text == ' ') != example) {
			example = !example;
			str_append(out, example ? ".PP\n.RS 4\n.EX\n"
						: ".EE\n.RE\n");
		} else if (!example) {
			str_append(out, ".PP\n");
		}
		while (*text == ' ')
			text++;
		write_line(text, out);
		while (*text && *text != '\n')
			text++;
		text += *text == '\n';
	}
	if (example)
		str_append(out, ".EE\n.RE\n");
}

static void write_command(const struct command *command, struct str *out)
{
	struct str head = {0};

	str_append(out, ".TP\n");
	help_spellings(command, &head);
	str_append(out, ".BI \"");
	for (size_t i = 0; i < head.length; i++) {
		if (head.data[i] == '-')
			str_append_char(out, '\\');
		str_append_char(out, head.data[i]);
	}
	str_append(out, "\"");
	if (*command->arguments) {
		str_deinit(&head);
		write_text(command->arguments, strlen(command->arguments),
			   &head);
		head.data[head.length - 1] = '\0';
		str_printf(out, " \" %s\"", str_text(&head));
	}
	str_deinit(&head);
	str_append_char(out, '\n');
	str_deinit(&head);
	str_append_char(&head, (char)toupper((unsigned char)*command->summary));
	str_append(&head, command->summary + 1);
	str_append_char(&head, '.');
	write_line(str_text(&head), out);
	str_deinit(&head);
	str_append(out, ".RS\n");
	write_help(command->help, out);
	str_append(out, ".RE\n");
}

static void write_topic(const struct topic *topic, struct str *out)
{
	str_append(out, ".TP\n.B ");
	write_line(topic->name, out);
	str_append_char(out, (char)toupper((unsigned char)*topic->summary));
	str_append(out, topic->summary + 1);
	str_append(out, ".\n");
	str_append(out, ".RS\n");
	write_help(topic->text, out);
	str_append(out, ".RE\n");
}

static void write_setting(const struct session_setting *setting,
			  struct str *out)
{
	struct str text = {0};

	str_append(out, ".TP\n");
	str_printf(&text, "set %s %s", setting->name, setting->values);
	str_append(out, ".B ");
	write_line(str_text(&text), out);
	str_deinit(&text);
	help_setting(setting, &text);
	text.data[0] = (char)toupper((unsigned char)text.data[0]);
	str_append_char(&text, '.');
	write_line(str_text(&text), out);
	str_deinit(&text);
}

void command_man_section(struct str *out)
{
	const struct command_family *family = command_families;
	const struct session_setting *setting;

	for (; family->name; family++) {
		str_append(out, ".SS \"");
		str_append(out, family->name);
		str_append(out, "\"\n");
		for (const struct command *command = family->commands;
		     command->words; command++)
			write_command(command, out);
	}
	str_append(out, ".SS \"Settings\"\n");
	for (size_t i = 0; (setting = session_setting_at(i)); i++)
		write_setting(setting, out);
	str_append(out, ".SS \"Topics of help\"\n");
	for (const struct topic *topic = topics; topic->name; topic++)
		write_topic(topic, out);
}
