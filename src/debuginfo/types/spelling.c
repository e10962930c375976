/* spelling.c - see spelling.h */
#include "spelling.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

/* The deepest nesting of template arguments that is rewritten. */
#define MAX_DEPTH 64

struct speller {
	const char *at;
	enum spelling how;
	struct str out;
	/* for each depth: where the current argument begins in `out` */
	size_t starts[MAX_DEPTH];
	/* for each depth: `const` or `volatile`, which was read and must still
	 * be written; or NULL */
	const char *pending[MAX_DEPTH];
	int depth;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static size_t word_length(const char *text)
{
	size_t length = 0;

	while (is_word(text[length]))
		length++;
	return length;
}

static bool is_name(const char *word, size_t length, const char *name)
{
	return strlen(name) == length && memcmp(word, name, length) == 0;
}

static char last_of(const struct str *out)
{
	return out->length ? out->data[out->length - 1] : '\0';
}

/* Append a blank if one is needed before the next word. */
static void separate(struct speller *speller)
{
	char last = last_of(&speller->out);

	if (is_word(last) || strchr("*&>", last))
		str_append_char(&speller->out, ' ');
}

static void append_word(struct speller *speller, const char *word,
			size_t length)
{
	if (last_of(&speller->out))
		separate(speller);
	str_append_n(&speller->out, word, length);
}

/* Append the name of an integer type. `longs` is the number of its words
 * `long`, `small` means `short`. */
static void append_integer(struct speller *speller, unsigned longs, bool small,
			   bool is_unsigned)
{
	bool gcc = speller->how == SPELLING_GCC;
	bool plain = !longs && !small;
	struct str words = {0};

	if (is_unsigned && (!gcc || plain))
		str_append(&words, "unsigned ");
	for (unsigned i = 0; i < longs; i++)
		str_append(&words, "long ");
	if (small)
		str_append(&words, "short ");
	if (is_unsigned && gcc && !plain)
		str_append(&words, "unsigned ");
	if (gcc || plain)
		str_append(&words, "int ");
	append_word(speller, str_text(&words), words.length - 1);
	str_deinit(&words);
}

/* If the words of an integer type are next, in any order, read them and append
 * the type's name in the wanted spelling. False: no such words are next, or
 * they belong to another type, such as `long double` or `unsigned char`. */
static bool take_integer(struct speller *speller)
{
	unsigned longs = 0;
	bool small = false, is_unsigned = false, any = false;
	const char *at = speller->at, *end = at;

	for (;;) {
		size_t length = word_length(at);

		if (is_name(at, length, "long"))
			longs++;
		else if (is_name(at, length, "short"))
			small = true;
		else if (is_name(at, length, "unsigned"))
			is_unsigned = true;
		else if (!is_name(at, length, "int") &&
			 !is_name(at, length, "signed"))
			break;
		any = true;
		end = at += length;
		while (*at == ' ')
			at++;
	}
	if (!any || str_starts(at, "char") || str_starts(at, "double") ||
	    str_starts(at, "__int128"))
		return false;
	append_integer(speller, longs > 2 ? 2 : longs, small, is_unsigned);
	speller->at = end;
	return true;
}

/* Append the pending qualifier, if there is one: gcc writes `const` behind the
 * type that `const` qualifies. */
static void append_pending(struct speller *speller)
{
	const char *word = speller->pending[speller->depth];

	speller->pending[speller->depth] = NULL;
	if (word)
		append_word(speller, word, strlen(word));
}

/* Append a qualifier: for gcc behind the type, for clang behind a pointer but
 * before any other type. */
static void append_qualifier(struct speller *speller, const char *word)
{
	size_t start = speller->starts[speller->depth];
	struct str *out = &speller->out;
	CLEANUP(free_pointer) char *rest = NULL;

	if (speller->how == SPELLING_GCC) {
		if (out->length == start)
			speller->pending[speller->depth] = word;
		else
			append_word(speller, word, strlen(word));
		return;
	}
	if (last_of(out) == '*' || last_of(out) == '&') {
		str_append(out, word);
		return;
	}
	rest = xstrndup(str_text(out) + start, out->length - start);
	out->length = start;
	str_append(out, word);
	if (*rest)
		str_append_char(out, ' ');
	str_append(out, rest);
}

static void take_word(struct speller *speller)
{
	size_t length = word_length(speller->at);

	if (take_integer(speller))
		return;
	if (is_name(speller->at, length, "const"))
		append_qualifier(speller, "const");
	else if (is_name(speller->at, length, "volatile"))
		append_qualifier(speller, "volatile");
	else
		append_word(speller, speller->at, length);
	speller->at += length;
}

static void take_sign(struct speller *speller)
{
	struct str *out = &speller->out;
	char c = *speller->at++, last;

	if (strchr("*&,>", c))
		append_pending(speller);
	last = last_of(out);
	if (c == '>' && last == '>' && speller->how != SPELLING_CLANG_NEW)
		str_append_char(out, ' ');
	if ((c == '*' || c == '&') && speller->how != SPELLING_GCC &&
	    last != '*' && last != '&')
		str_append_char(out, ' ');
	str_append_char(out, c);
	if (c == ',')
		str_append_char(out, ' ');
	if (c == '<' && speller->depth < MAX_DEPTH - 1)
		speller->starts[++speller->depth] = out->length;
	else if (c == ',')
		speller->starts[speller->depth] = out->length;
	else if (c == '>' && speller->depth)
		speller->depth--;
}

char *spell(const char *name, enum spelling how)
{
	struct speller speller = {.at = name, .how = how};

	while (*speller.at)
		if (is_word(*speller.at))
			take_word(&speller);
		else if (*speller.at == ' ')
			speller.at++;
		else
			take_sign(&speller);
	append_pending(&speller);
	return str_take(&speller.out);
}
