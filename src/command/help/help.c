/*
 * help.c - see help.h. This file finds what a topic of `help' means, and lays
 * out the text for a terminal.
 */
#include "help.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "command/fields.h"
#include "command/tokenizer.h"
#include "perftool/base/alloc.h"
#include "perftool/session.h"
#include "perftool/session/session_settings.h"
#include "topics.h"

enum { COLUMNS = 79, NAME_WIDTH = 23 };

void help_spellings(const struct command *command, struct str *out)
{
	str_append(out, command->words);
}

/* Appends a paragraph, with line breaks at blanks, so that the lines fit a
 * terminal. */
static void write_wrapped(const char *text, size_t length, struct str *out)
{
	size_t column = 0;

	for (size_t i = 0; i < length;) {
		size_t word = strcspn(&text[i], " \n");

		if (word > length - i)
			word = length - i;
		if (column && column + 1 + word > COLUMNS) {
			str_append_char(out, '\n');
			column = 0;
		} else if (column) {
			str_append_char(out, ' ');
			column++;
		}
		str_append_n(out, &text[i], word);
		column += word;
		i += word;
		i += i < length;
	}
	str_append_char(out, '\n');
}

/* Appends the paragraphs of a help text. A line that starts with blanks is an
 * example and stays as it is. */
static void write_text(const char *text, struct str *out)
{
	bool example = false;

	while (*text) {
		size_t length = strcspn(text, "\n");

		if (*text == ' ') {
			if (!example)
				str_append_char(out, '\n');
			str_append_n(out, text, length);
			str_append_char(out, '\n');
			example = true;
		} else {
			str_append_char(out, '\n');
			write_wrapped(text, length, out);
			example = false;
		}
		text += length;
		text += *text == '\n';
	}
}

static void write_long(const struct command *command, struct str *out)
{
	CLEANUP(str_deinit) struct str usage = {0};

	help_spellings(command, &usage);
	if (*command->arguments)
		str_printf(&usage, " %s", command->arguments);
	write_wrapped(str_text(&usage), usage.length, out);
	str_printf(out, "%c%s.\n", toupper((unsigned char)*command->summary),
		   command->summary + 1);
	write_text(command->help, out);
}

static void write_line(const struct command *command, struct str *out)
{
	struct str name = {0};

	help_spellings(command, &name);
	str_printf(out, "  %-*s %s\n", NAME_WIDTH, str_text(&name),
		   command->summary);
	str_deinit(&name);
}

static void write_overview(struct str *out)
{
	const struct command_family *family = command_families;

	for (; family->name; family++) {
		str_printf(out, "%s\n", family->name);
		for (const struct command *command = family->commands;
		     command->words; command++)
			write_line(command, out);
		str_append_char(out, '\n');
	}
	str_append(out, "Topics\n");
	for (const struct topic *topic = topics; topic->name; topic++)
		str_printf(out, "  %-*s %s\n", NAME_WIDTH, topic->name,
			   topic->summary);
	str_append(out, "\n`help COMMAND' or `help TOPIC' tells all about one. "
			"Words may be shortened as\nlong as they are "
			"unambiguous; b c d h i l p q r bt are short for break "
			"continue\ndelete help list list print quit run "
			"where.\n");
}

/* Is `wanted` one of the command's words, as it is or with an s at its end? */
static bool has_word(const struct command *command, const char *wanted)
{
	size_t length = strlen(wanted);
	const char *at = command->words;

	while ((at = strstr(at, wanted))) {
		bool begins = at == command->words || at[-1] == ' ';
		const char *end = at + length + (at[length] == 's');

		if (begins && (*end == '\0' || *end == ' ' || *end == '|'))
			return true;
		at = end;
	}
	return false;
}

static void write_about(const struct topic *topic, struct str *out)
{
	const struct command *command;

	str_printf(out, "%s: %s.\n", topic->name, topic->summary);
	write_text(topic->text, out);
	if (str_equal(topic->name, "fields")) {
		str_append_char(out, '\n');
		fields_describe(out);
	}
	if (!topic->word)
		return;
	str_append(out, "\nIts commands\n");
	for (size_t i = 0; (command = command_at(i)); i++)
		if (has_word(command, topic->word))
			write_line(command, out);
}

/* Is the topic asked for as people say it: `help where should i look'? */
static bool asks_where(const struct words *words)
{
	return words->count > 1 && strcasecmp(words->data[0], "where") == 0 &&
	       strncasecmp(words->data[words->count - 1], "look",
			   strlen("look")) == 0;
}

static const struct topic *find_topic(const struct words *words)
{
	const char *name = asks_where(words) ? "look"
			   : words->count    ? words->data[0]
					     : "";

	for (const struct topic *topic = topics; topic->name; topic++)
		if ((words->count == 1 || asks_where(words)) &&
		    strcasecmp(topic->name, name) == 0)
			return topic;
	return NULL;
}

/* Returns how well the words of a topic that the user asked for fit the words
 * of a command. 0: they do not fit. 1: they are a beginning of the command's
 * words. 2: they are the command's words. */
static int fit(const struct command *command, const struct words *topic)
{
	int result = 2;

	for (unsigned word = 0; word < 2; word++) {
		size_t cursor = 0, length;
		const char *typed, *text;
		int best = 0;

		if (word >= topic->count) {
			if (command_spelling(command, word, &cursor, &text,
					     &length))
				return 1;
			break;
		}
		typed = topic->data[word];
		if (word == 0 && command_alias(typed))
			typed = command_alias(typed);
		while (command_spelling(command, word, &cursor, &text,
					&length)) {
			size_t typed_length = strlen(typed);

			if (typed_length > length ||
			    strncasecmp(text, typed, typed_length) != 0)
				continue;
			if (typed_length == length)
				best = 2;
			else if (best == 0)
				best = 1;
		}
		if (best == 0)
			return 0;
		result = best < result ? best : result;
	}
	return result;
}

void help_setting(const struct session_setting *setting, struct str *out)
{
	str_append(out, setting->summary);
	if (setting->help)
		str_printf(out, "; %s", setting->help);
}

/* Appends the values of a setting, and what they mean. */
static void write_setting(const struct session_setting *setting,
			  struct str *out)
{
	struct str text = {0};

	str_printf(out, "set %s %s\n", setting->name, setting->values);
	help_setting(setting, &text);
	write_wrapped(str_text(&text), text.length, out);
	str_deinit(&text);
}

/* If the topic is `set NAME' or `show NAME' and nothing else, returns the
 * setting. With `begins`, NAME may be a prefix that only one setting has.
 * Otherwise returns NULL. */
static const struct session_setting *find_setting(const struct words *words,
						  bool begins)
{
	const struct session_setting *at, *found = NULL;
	size_t count = 0;

	if (words->count != 2 || (strcasecmp(words->data[0], "set") != 0 &&
				  strcasecmp(words->data[0], "show") != 0))
		return NULL;
	for (size_t i = 0; (at = session_setting_at(i)); i++) {
		if (begins ? !str_starts_nocase(at->name, words->data[1])
			   : strcasecmp(at->name, words->data[1]) != 0)
			continue;
		count++;
		found = at;
	}
	return count == 1 ? found : NULL;
}

static void write_settings(struct str *out)
{
	const struct session_setting *at;

	str_append(out, "\nSettings\n");
	for (size_t i = 0; (at = session_setting_at(i)); i++)
		str_printf(out, "  %-*s %s\n", NAME_WIDTH, at->name,
			   at->values);
}

static struct error *write_topic(const char *topic, const struct words *words,
				 struct str *out)
{
	const struct session_setting *setting = find_setting(words, false);
	const struct topic *about = find_topic(words);
	const struct command *command, *exact = NULL, *only = NULL;
	size_t count = 0;

	if (about) {
		write_about(about, out);
		return NULL;
	}
	if (setting) {
		write_setting(setting, out);
		return NULL;
	}
	for (size_t i = 0; (command = command_at(i)); i++) {
		int how = fit(command, words);

		count += how > 0;
		if (how == 2)
			exact = command;
		if (how > 0)
			only = command;
	}
	if (count == 0) {
		const char *rest;

		setting = find_setting(words, true);
		if (setting) {
			write_setting(setting, out);
			return NULL;
		}

		TRY(command_resolve(topic, &only, &rest));
		return error_create(ERROR_USAGE, "no command `%s'", topic);
	}
	if (exact || count == 1)
		write_long(exact ? exact : only, out);
	if (exact && str_equal(exact->words, "set"))
		write_settings(out);
	if (count == 1)
		return NULL;
	if (exact)
		str_append(out, "\nSee also\n");
	for (size_t i = 0; (command = command_at(i)); i++)
		if (command != exact && fit(command, words) > 0)
			write_line(command, out);
	return NULL;
}

/* Returns the topic without the `!` or `:` that the memo writes after a command
 * word. After `Add:` the text stays, because `Add: successor' sets a mode whose
 * value is a word of a command here. In all other cases the text after a colon
 * is a value and is removed. `length` is the length of the text before the
 * mark. The caller frees the result. */
static char *without_mark(const char *topic, size_t length)
{
	static const char mode[] = "add:";

	if (strncasecmp(topic, mode, strlen(mode)) == 0)
		return xasprintf("add %s",
				 token_skip_blanks(topic + strlen(mode)));
	while (length && topic[length - 1] == ' ')
		length--;
	return xstrndup(topic, length);
}

/* Returns the topic in the tool's own words: without a `!', and without the
 * text after a colon. The memo's fields are not commands: the topic `fields'
 * describes them. `Add!', `Delete!' and `Print!' alone are about histograms.
 * The caller frees the result. */
static char *memo_topic(const char *topic)
{
	static const char *const longer[] = {" configuration", " context"};
	static const char *const of_histogram[] = {"add", "delete", "print"};
	size_t length = strcspn(topic, ":!");
	char *plain;

	/* `help leg' is about more than the field of this name, which holds the
	 * number of a leg */
	if (fields_is_name(topic) && strcasecmp(topic, "leg") != 0)
		return xstrdup("fields");
	plain = without_mark(topic, length);
	for (size_t i = 0; i < sizeof(of_histogram) / sizeof(*of_histogram);
	     i++)
		if (topic[length] == '!' &&
		    strcasecmp(plain, of_histogram[i]) == 0) {
			free(plain);
			return xasprintf("%s histogram", of_histogram[i]);
		}
	length = strlen(plain);
	for (size_t i = 0; i < sizeof(longer) / sizeof(*longer); i++) {
		size_t tail = strlen(longer[i]);

		if (length > tail && strncasecmp(plain, "set ", 4) == 0 &&
		    strcasecmp(&plain[length - tail], longer[i]) == 0)
			plain[length - tail] = '\0';
	}
	return plain;
}

struct error *help_write(const char *topic, struct str *out)
{
	CLEANUP(free_pointer) char *plain = memo_topic(topic);
	struct tokens tokens;
	struct error *error;

	if (!*topic) {
		write_overview(out);
		return NULL;
	}
	TRY(tokenize(plain, 0, &tokens));
	error = write_topic(plain, &tokens.words, out);
	tokens_deinit(&tokens);
	return error;
}
