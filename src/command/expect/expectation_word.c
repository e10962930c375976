/*
 * expectation_word.c - the words of an expectation; see expectation.h
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/duration.h"

#include "command/arguments.h"
#include "expectation.h"

/* If two operators begin with the same character, the longer one stands first,
 * because the search takes the first operator that fits. */
static const struct {
	const char *text;
	enum operation operation;
} operators[] = {
	{"<=", OPERATION_LESS_EQUAL}, {">=", OPERATION_GREATER_EQUAL},
	{"==", OPERATION_EQUAL},      {"!=", OPERATION_NOT_EQUAL},
	{"&&", OPERATION_AND},        {"||", OPERATION_OR},
	{"<", OPERATION_LESS},        {">", OPERATION_GREATER},
	{"+", OPERATION_ADD},         {"-", OPERATION_SUBTRACT},
	{"*", OPERATION_MULTIPLY},    {"/", OPERATION_DIVIDE},
	{"!", OPERATION_NOT},
};

static const struct {
	const char *name;
	enum member member;
	bool of_node; /* does a node have this member, too? */
} members[] = {
	{"count", MEMBER_COUNT, true}, {"total", MEMBER_TOTAL, false},
	{"mean", MEMBER_MEAN, false},  {"min", MEMBER_MIN, false},
	{"max", MEMBER_MAX, false},    {"p50", MEMBER_P50, false},
	{"p90", MEMBER_P90, false},    {"p99", MEMBER_P99, false},
	{"p999", MEMBER_P999, false},  {"open", MEMBER_OPEN, false},
};

const char *expectation_member(bool of_leg, size_t index, enum member *member)
{
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
		if ((!of_leg && !members[i].of_node) || index-- > 0)
			continue;
		*member = members[i].member;
		return members[i].name;
	}
	return NULL;
}

const char *expectation_operator(size_t index)
{
	size_t count = sizeof(operators) / sizeof(*operators);

	/* the last operator, `!', is the only one that does not stand between
	 * two values */
	return index + 1 < count ? operators[index].text : NULL;
}

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Reads a number. Letters that follow the number directly must be a unit of
 * time. */
static struct word number_word(const char *text)
{
	struct word word = {.kind = WORD_NUMBER, .start = text};
	const char *at = text;
	double ns = 0;
	char *end;

	word.number = strtold(text, &end);
	word.is_time = isalpha((unsigned char)*end);
	while (word.is_time && duration_take(&at, false, &ns))
		;
	if (word.is_time) {
		word.number = ns;
		end = (char *)at;
	}
	if (is_of_name(*end) || !isfinite(word.number)) {
		word.kind = WORD_BAD;
		while (is_of_name(*end) || *end == '.')
			end++;
	}
	word.length = (size_t)(end - text);
	return word;
}

static struct word string_word(const char *text)
{
	struct word word = {.kind = WORD_STRING, .start = text, .length = 1};

	while (text[word.length] && text[word.length] != *text)
		word.length +=
			text[word.length] == '\\' && text[word.length + 1] ? 2
									   : 1;
	word.length += text[word.length] != '\0';
	return word;
}

struct word expectation_word(const char *text)
{
	struct word word = {.kind = WORD_BAD, .length = 1};

	word.start = text = token_skip_blanks(text);
	if (isdigit((unsigned char)*text) ||
	    (*text == '.' && isdigit((unsigned char)text[1])))
		return number_word(text);
	if (*text == '"' || *text == '\'')
		return string_word(text);
	if (*text == '\0') {
		word.kind = WORD_END;
		word.length = 0;
	} else if (is_of_name(*text)) {
		word.kind = WORD_NAME;
		while (is_of_name(text[word.length]))
			word.length++;
	} else if (*text == '(') {
		word.kind = WORD_OPEN;
	} else if (*text == ')') {
		word.kind = WORD_CLOSE;
	} else if (*text == '.') {
		word.kind = WORD_DOT;
	} else {
		/* skip all bytes of a character in UTF-8 */
		while (((unsigned char)text[word.length] & 0xc0) == 0x80)
			word.length++;
	}
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		if (!str_starts(text, operators[i].text))
			continue;
		word.kind = WORD_OPERATOR;
		word.operation = operators[i].operation;
		word.length = strlen(operators[i].text);
		break;
	}
	return word;
}

char *expectation_unquote(const struct word *word)
{
	const char *at = word->start + 1, *end = word->start + word->length - 1;
	struct str text = {0};

	if (word->length < 2 || *end != *word->start)
		return NULL;
	for (; at < end; at++) {
		if (*at == '\\' && (at[1] == *word->start || at[1] == '\\'))
			at++;
		str_append_char(&text, *at);
	}
	/* A backslash stands before the last quote, so the quote does not close
	 * the string. */
	if (at > end) {
		str_deinit(&text);
		return NULL;
	}
	return text.length ? str_take(&text) : xstrdup("");
}
