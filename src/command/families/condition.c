/*
 * condition.c - see condition.h. This file reads words and quotes, and does not
 * parse expressions.
 */
#include "condition.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "perftool/command.h"

#include "command/tokenizer.h"

typedef bool begins_fn(const char *text);

/* Returns the first word outside quotes and parentheses for which `begins`
 * returns true, or NULL. */
static const char *find_word(const char *text, begins_fn *begins)
{
	bool after_blank = true;
	size_t depth = 0;
	char quote = '\0';

	for (const char *at = text; *at; at++) {
		if (after_blank && !quote && depth == 0 && begins(at))
			return at;
		if (quote && *at == '\\' && at[1])
			at++;
		else if (quote)
			quote = *at == quote ? '\0' : quote;
		else if (*at == '"' || *at == '\'')
			quote = *at;
		else if (*at == '(')
			depth++;
		else if (*at == ')' && depth > 0)
			depth--;
		after_blank = isspace((unsigned char)*at) != 0;
	}
	return NULL;
}

static bool begins_if(const char *text)
{
	return strncasecmp(text, "if", 2) == 0 &&
	       !isalnum((unsigned char)text[2]) && text[2] != '_' &&
	       text[2] != '$';
}

static bool begins_if_or_comment(const char *text)
{
	return begins_if(text) || token_is_comment(text);
}

const char *condition_find(const char *text)
{
	const char *found = find_word(text, begins_if_or_comment);

	return found && begins_if(found) ? found : NULL;
}

/* Does an option begin here? `by == 2' and `by==2' compare a variable with the
 * name `by' and are not options. */
static bool begins_option(const char *text)
{
	static const char *const options[] = {
		"by=", "rows=", "sort=", "most=", "name="};

	text += *text == '\'';
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		size_t length = strlen(options[i]);

		if (strncasecmp(text, options[i], length) == 0 &&
		    text[length] != '=')
			return true;
	}
	return false;
}

static bool begins_if_or_option(const char *text)
{
	return begins_if(text) || begins_option(text);
}

/* Returns the length of the text without the blanks at its end. `length` is the
 * length with them. */
static size_t trimmed(const char *text, size_t length)
{
	while (length && isspace((unsigned char)text[length - 1]))
		length--;
	return length;
}

size_t command_time_function(const char *text)
{
	const char *rest = find_word(text, begins_if_or_option);

	return rest && rest > text ? trimmed(text, (size_t)(rest - text))
				   : strlen(text);
}

size_t condition_length(const char *text)
{
	const char *option = find_word(text, begins_option);

	return trimmed(text, option ? (size_t)(option - text) : strlen(text));
}
