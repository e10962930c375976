/*
 * arguments.c - see arguments.h. This file parses single words and knows no
 * command.
 */
#include "arguments.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Returns the base of the number in the word: 8 if the word is an octal number
 * in the memo's form (10B is eight), otherwise `base`. `*end` gets the position
 * where the digits must end: at the B, or at the end of the word. */
static int octal_or(int base, const char *word, const char **end)
{
	const char *digits = word + (*word == '-');
	size_t length = strspn(digits, "01234567");

	*end = word + strlen(word);
	if (!length || (digits[length] != 'B' && digits[length] != 'b') ||
	    digits[length + 1])
		return base;
	*end = digits + length;
	return 8;
}

bool argument_is_number(const char *word)
{
	size_t digits = strspn(word, "0123456789");
	const char *last;

	octal_or(10, word, &last);
	return digits && word + digits == last;
}

struct error *argument_number(const char *word, const char *what, int64_t least,
			      int64_t most, int64_t *number)
{
	const char *last;
	long long value;
	char *end;
	int base = octal_or(0, word, &last);

	errno = 0;
	value = strtoll(word, &end, base);
	if (end == word || end != last || isspace((unsigned char)*word))
		return error_create(ERROR_USAGE, "`%s' is not a %s", word,
				    what);
	if (errno || value < least || value > most)
		return error_create(
			ERROR_USAGE, "%s `%s' is out of range (%lld to %lld)",
			what, word, (long long)least, (long long)most);
	*number = value;
	return NULL;
}

struct error *argument_id(const char *word, const char *what, uint32_t *id)
{
	const char *last;
	unsigned long value;
	char *end;
	int base = octal_or(10, word, &last);

	errno = 0;
	value = strtoul(word, &end, base);
	if (!isdigit((unsigned char)*word) || end != last || errno ||
	    value > UINT32_MAX)
		return error_create(ERROR_USAGE, "`%s' is not a %s number",
				    word, what);
	*id = (uint32_t)value;
	return NULL;
}

const char *argument_value(const char *word, const char *name)
{
	size_t length = strlen(name);

	if (strncasecmp(word, name, length) != 0 || word[length] != '=')
		return NULL;
	return word + length + 1;
}

struct error *argument_owner(const struct call *call, size_t index,
			     bool *of_leg, uint32_t *id)
{
	static const char *const choices[] = {"node", "leg", NULL};
	size_t choice = 0;

	if (index + 1 >= call_count(call))
		return call_usage(call, "`node N' or `leg N' is missing");
	TRY(command_choose(call_word(call, index), "owner of a histogram",
			   choices, &choice));
	*of_leg = choice == 1;
	return argument_id(call_word(call, index + 1), choices[choice], id);
}

/* ---- the memo's labels -------------------------------------------------- */

size_t argument_label(const char *text, const char *labels,
		      const char **becomes, size_t *length_of)
{
	while (labels && *labels) {
		size_t all = strcspn(labels, "|");
		bool named = labels[all - 1] == '=';
		size_t length = named ? all - 1 : all;

		if (strncasecmp(text, labels, length) == 0 &&
		    text[length] == ':' &&
		    (text[length + 1] == '\0' ||
		     isspace((unsigned char)text[length + 1]))) {
			*becomes = labels;
			*length_of = named ? all : 0;
			return length + 1;
		}
		labels += all;
		labels += *labels == '|';
	}
	return 0;
}

void argument_labels(const char *text, const char *labels, struct str *out)
{
	bool starts = true;
	char quote = '\0';

	while (*text) {
		const char *name;
		size_t named, length = 0;

		if (starts && !quote)
			length = argument_label(text, labels, &name, &named);
		if (length) {
			str_append_n(out, name, named);
			text = token_skip_blanks(text + length);
			continue;
		}
		if (quote && *text == '\\' && text[1])
			str_append_char(out, *text++);
		else if (quote)
			quote = *text == quote ? '\0' : quote;
		else if (*text == '"' || *text == '\'')
			quote = *text;
		starts = isspace((unsigned char)*text) || *text == ',';
		str_append_char(out, *text++);
	}
}

/* Is the value one quoted text? A literal of a single character such as 'x' is
 * not one. */
static bool is_quoted(const char *value)
{
	size_t length = strlen(value), end = 1;

	if (length < 3 || (*value != '"' && *value != '\''))
		return false;
	while (value[end] && value[end] != *value)
		end += value[end] == '\\' && value[end + 1] ? 2 : 1;
	if (end != length - 1)
		return false;
	return *value == '"' || (length > 3 && value[1] != '\\');
}

void argument_unquote(struct words *words)
{
	for (size_t i = 0; i < words->count; i++) {
		char *word = words->data[i], *to;
		size_t name = 0;
		char quote;

		while (isalpha((unsigned char)word[name]))
			name++;
		if (!name || word[name] != '=' || !is_quoted(word + name + 1))
			continue;
		to = word + name + 1;
		quote = *to;
		for (const char *at = to + 1; at[1]; at++) {
			if (*at == '\\' && at[1] == quote)
				at++;
			*to++ = *at;
		}
		*to = '\0';
	}
}

struct error *argument_view(const char *word, struct split_view *view,
			    bool *found)
{
	static const char *const choices[] = {"time", "count", "mean", NULL};
	static const enum split_sort sorts[] = {SORT_TIME, SORT_COUNT,
						SORT_MEAN};
	const char *value = argument_value(word, "rows");
	size_t choice = 0;
	int64_t number;

	*found = true;
	if (value) {
		TRY(argument_number(value, "number of rows", 1, SPLIT_VALUES,
				    &number));
		view->rows = (uint32_t)number;
		return NULL;
	}
	value = argument_value(word, "sort");
	if (value) {
		TRY(command_choose(value, "order", choices, &choice));
		view->sort = sorts[choice];
		return NULL;
	}
	*found = false;
	return NULL;
}

struct error *argument_by(const struct call *call, const char *word,
			  const char **by, struct split_view *view, bool *found)
{
	const char *value = argument_value(word, "by");

	if (!value)
		return argument_view(word, view, found);
	*found = true;
	if (!*value)
		return call_usage(call, "no expression after `by='");
	*by = value;
	return NULL;
}

struct error *argument_check_by(const struct call *call, const char *by,
				const struct split_view *view)
{
	if (by || (!view->rows && view->sort == SORT_AS_SET))
		return NULL;
	return call_usage(call, "`%s=' without `by='",
			  view->rows ? "rows" : "sort");
}
