/*
 * leg_places.c - see leg_places.h
 */
#include "leg_places.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "command/interpreter.h"
#include "perftool/base/alloc.h"
#include "placing.h"

static bool is_word(const struct call *call, size_t index, const char *word)
{
	return strcasecmp(call->tokens.words.data[index], word) == 0;
}

/* Joins `count` words from number `at` on. */
static void join(struct call *call, size_t at, size_t count)
{
	struct words *words = &call->tokens.words;

	for (size_t i = 1; i < count; i++) {
		char *joined = xasprintf("%s %s", words->data[at],
					 words->data[at + 1]);

		free(words->data[at]);
		free(words->data[at + 1]);
		words->data[at] = joined;
		vec_remove(words, at + 1);
	}
}

static bool is_event(const struct call *call, size_t index)
{
	return is_word(call, index, "test") || is_word(call, index, "enter") ||
	       is_word(call, index, "exit");
}

size_t leg_places_join(struct call *call, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t first = i;

		/* `sync exit` alone is the leg from sync() to exit(). */
		if (is_word(call, i, "sync") && count > 2 && i + 1 < count &&
		    is_event(call, i + 1)) {
			join(call, i, 2);
			count--;
		} else if (is_word(call, i, "calls") && i + 1 < count) {
			first = ++i;
		} else if (!is_word(call, i, "allocations")) {
			continue;
		}
		if (first + 2 < count && is_word(call, first + 1, "in")) {
			join(call, first, 3);
			count -= 2;
		}
	}
	return count;
}

bool leg_place_keyword(const char *word, enum break_kind *kind)
{
	static const struct {
		const char *word;
		enum break_kind kind;
	} kinds[] = {{"entry", BREAK_ENTRY},   {"exit", BREAK_EXIT},
		     {"xit", BREAK_EXIT},      {"return", BREAK_RETURN},
		     {"blocks", BREAK_BLOCKS}, {"calls", BREAK_CALLS}};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		*kind = kinds[i].kind;
		if (strcasecmp(word, kinds[i].word) == 0)
			return true;
	}
	*kind = BREAK_PLACE;
	return false;
}

bool leg_place_whole(const struct call *call, const char *word,
		     enum break_kind *kind)
{
	static const struct {
		const char *word;
		enum break_kind kind;
	} kinds[] = {{"allocations", BREAK_ALLOCATIONS},
		     {"sync test", BREAK_SYNC_TEST},
		     {"sync enter", BREAK_SYNC_ENTER},
		     {"sync exit", BREAK_SYNC_EXIT}};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		size_t length = strlen(kinds[i].word);

		if (strncasecmp(word, kinds[i].word, length) != 0 ||
		    (word[length] && word[length] != ' '))
			continue;
		*kind = kinds[i].kind;
		return *kind != BREAK_ALLOCATIONS || word[length] ||
		       !is_program_function(call->session, "allocations");
	}
	return false;
}
