/*
 * expectation_completion.c - complete an expectation that the user is typing
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "perftool/base/alloc.h"

#include "expectation.h"

/* The last words of the text that the user has typed, the latest word first. If
 * the text has fewer words, the remaining entries are WORD_END. */
enum { LAST = 4 };

struct ending {
	struct word words[LAST];
	bool is_apart; /* a blank follows the last word */
};

static void read_ending(const char *text, struct ending *out)
{
	struct word word = expectation_word(text);

	*out = (struct ending){.words = {{.kind = WORD_END, .start = text},
					 {.kind = WORD_END, .start = text},
					 {.kind = WORD_END, .start = text},
					 {.kind = WORD_END, .start = text}}};
	for (; word.kind != WORD_END;
	     word = expectation_word(word.start + word.length)) {
		memmove(&out->words[1], &out->words[0],
			(LAST - 1) * sizeof(out->words[0]));
		out->words[0] = word;
		out->is_apart = word.start[word.length] == ' ' ||
				word.start[word.length] == '\t';
	}
}

static bool is_word(const struct word *word, const char *name)
{
	return word->kind == WORD_NAME && word->length == strlen(name) &&
	       strncasecmp(word->start, name, word->length) == 0;
}

static void offer(struct words *out, const char *typed, const char *candidate)
{
	if (strncasecmp(candidate, typed, strlen(typed)) == 0)
		vec_push(out, xstrdup(candidate));
}

/* Offers the name of a leg as a candidate, with what follows the name:
 * `"NAME").'. If the user has typed a single quote, the name stands in single
 * quotes. */
static void offer_name(struct words *out, const char *typed, const char *name)
{
	char quote = *typed == '\'' ? '\'' : '"';
	struct str text = {0};

	str_append_char(&text, quote);
	for (; *name; name++) {
		if (*name == quote || *name == '\\')
			str_append_char(&text, '\\');
		str_append_char(&text, *name);
	}
	str_printf(&text, "%c).", quote);
	offer(out, typed, str_text(&text));
	str_deinit(&text);
}

static void offer_number(struct words *out, const char *typed, uint32_t id)
{
	char text[16];

	snprintf(text, sizeof(text), "%" PRIu32 ").", id);
	offer(out, typed, text);
}

static void offer_owners(struct words *out, const char *typed, bool of_leg,
			 const struct tables *tables)
{
	for (size_t i = 0; of_leg && i < tables->leg_count; i++) {
		offer_number(out, typed, tables->legs[i].stats->id);
		offer_name(out, typed, tables->legs[i].name);
	}
	for (size_t i = 0; !of_leg && i < tables->node_count; i++)
		offer_number(out, typed, tables->nodes[i].stats->id);
}

static void offer_members(struct words *out, const char *typed, bool of_leg)
{
	enum member member;
	const char *name;

	for (size_t i = 0; (name = expectation_member(of_leg, i, &member)); i++)
		offer(out, typed, name);
}

/* Do the words `leg ( N ) .' or `node ( N ) .' stand before the cursor? `dot`
 * is the last word. */
static bool is_behind_owner(const char *text, const struct word *dot,
			    bool *of_leg)
{
	CLEANUP(free_pointer)
	char *before = xstrndup(text, (size_t)(dot->start - text));
	struct ending ending;

	read_ending(before, &ending);
	*of_leg = is_word(&ending.words[3], "leg");
	return dot->kind == WORD_DOT && ending.words[0].kind == WORD_CLOSE &&
	       ending.words[2].kind == WORD_OPEN &&
	       (*of_leg || is_word(&ending.words[3], "node"));
}

/* Can this word be the end of a value? */
static bool ends_value(const struct word *word)
{
	return word->kind == WORD_NUMBER || word->kind == WORD_NAME ||
	       word->kind == WORD_CLOSE;
}

static void offer_operators(struct words *out)
{
	const char *text;

	for (size_t i = 0; (text = expectation_operator(i)); i++)
		vec_push(out, xstrdup(text));
}

void expectation_complete(const char *text, expectation_tables_fn *tables,
			  void *context, size_t *start, struct words *out)
{
	const struct word *before;
	struct ending ending;
	struct word last;
	const char *typed;
	bool of_leg;

	read_ending(text, &ending);
	last = ending.words[0];
	/* complete the last word, or, if the user has not begun the next word,
	 * an empty word at the end */
	if (ending.is_apart ||
	    (last.kind != WORD_NAME && last.kind != WORD_NUMBER &&
	     last.kind != WORD_STRING)) {
		typed = text + strlen(text);
		before = &ending.words[0];
	} else {
		typed = last.start;
		before = &ending.words[1];
	}
	*start = (size_t)(typed - text);
	of_leg = is_word(before + 1, "leg");
	if (before->kind == WORD_OPEN &&
	    (of_leg || is_word(before + 1, "node"))) {
		offer_owners(out, typed, of_leg, tables(context));
	} else if (is_behind_owner(text, before, &of_leg)) {
		offer_members(out, typed, of_leg);
	} else if (ends_value(before)) {
		if (!*typed)
			offer_operators(out);
	} else if (before->kind != WORD_DOT) {
		offer(out, typed, "leg(");
		offer(out, typed, "node(");
	}
}
