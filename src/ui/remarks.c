/*
 * remarks.c - what perftool says to the user: what it has done, and what has
 * failed
 */
#include <stdio.h>
#include <string.h>

#include "ui.h"
#include "ui/terminal/terminal.h"

void ui_say(struct ui *ui, struct str *text)
{
	if (text->length && !ui->options.quiet) {
		if (text->data[text->length - 1] != '\n')
			str_append_char(text, '\n');
		message_write(&ui->writer, stderr, str_text(text));
	}
	str_deinit(text);
}

/* MESSAGE_MAX, in bytes, is long enough for every message of the tool. Only a
 * message that repeats a very long word of the user can be longer. Of such a
 * message, the MESSAGE_END bytes at the end are kept. */
enum { MESSAGE_MAX = 1000, MESSAGE_END = 300 };

static bool continues_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Appends the message. Leaves out the middle of a very long message. */
static void append_message(struct str *out, const char *message)
{
	size_t length = strlen(message), begin = MESSAGE_MAX - MESSAGE_END;
	const char *end = message + length - MESSAGE_END;

	if (length <= MESSAGE_MAX) {
		str_append(out, message);
		return;
	}
	while (continues_character(message[begin]))
		begin--;
	while (continues_character(*end))
		end++;
	str_append_n(out, message, begin);
	str_append(out, " [...] ");
	str_append(out, end);
}

void ui_report_error(const struct ui *ui, const char *prefix,
		     struct error *error)
{
	const struct writer forever = {0};
	struct str text = {0};

	fflush(stdout);
	str_append(&text, prefix);
	append_message(&text, error_message(error));
	str_append_char(&text, '\n');
	message_write(ui ? &ui->writer : &forever, stderr, str_text(&text));
	str_deinit(&text);
	error_destroy(error);
}
