/*
 * suggestion.c - the known name that is most like a misspelt word; see
 * suggestion.h
 */
#include "suggestion.h"

#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

void suggestion_init(struct suggestion *suggestion, const char *word)
{
	size_t length = strlen(word);

	/* up to a third of the letters may be wrong, and at least one */
	*suggestion = (struct suggestion){
		.word = word,
		.distance = (length < 3 ? 1 : length / 3) + 1,
	};
}

void suggestion_deinit(struct suggestion *suggestion)
{
	free(suggestion->name);
}

bool suggestion_consider(void *context, const char *name)
{
	struct suggestion *suggestion = context;
	size_t length = strlen(suggestion->word), distance;

	/* The distance is never less than the difference of the lengths, so a
	 * name of very different length needs no computation. The computation
	 * takes time and memory in proportion to the product of the lengths. */
	if (strlen(name) > length + suggestion->distance ||
	    length > strlen(name) + suggestion->distance ||
	    str_equal(name, suggestion->word))
		return true;
	distance = str_distance(suggestion->word, name);
	if (distance < suggestion->distance && distance < length) {
		free(suggestion->name);
		suggestion->name = xstrdup(name);
		suggestion->distance = distance;
	}
	return true;
}

struct error *suggestion_not_found(const struct node *node, const char *what,
				   struct suggestion *suggestion,
				   const char *sigil)
{
	struct error *error;

	if (suggestion->name)
		error = error_create(
			ERROR_NOT_FOUND,
			"column %zu: %s '%s'; is '%s%s' what was meant?",
			node->column, what, node->text, sigil,
			suggestion->name);
	else
		error = error_create(ERROR_NOT_FOUND, "column %zu: %s '%s'",
				     node->column, what, node->text);
	suggestion_deinit(suggestion);
	return error;
}
