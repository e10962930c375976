/* nearest.c - see nearest.h */
#include "nearest.h"

#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

void nearest_init(struct nearest *nearest, const char *word)
{
	size_t length = strlen(word);

	/* a third of the letters may be wrong, but one always */
	*nearest = (struct nearest){
		.word = word,
		.distance = (length < 3 ? 1 : length / 3) + 1,
	};
}

void nearest_deinit(struct nearest *nearest)
{
	free(nearest->name);
}

bool nearest_consider(void *context, const char *name)
{
	struct nearest *nearest = context;
	size_t length = strlen(nearest->word), distance;

	/* The distance is never less than the difference of the lengths. To
	 * compute it takes time and memory in proportion to their product. */
	if (strlen(name) > length + nearest->distance ||
	    length > strlen(name) + nearest->distance ||
	    str_equal(name, nearest->word))
		return true;
	distance = str_distance(nearest->word, name);
	if (distance < nearest->distance && distance < length) {
		free(nearest->name);
		nearest->name = xstrdup(name);
		nearest->distance = distance;
	}
	return true;
}

struct error *nearest_not_found(const struct node *node, const char *what,
				struct nearest *nearest, const char *sigil)
{
	struct error *error;

	if (nearest->name)
		error = error_create(
			ERROR_NOT_FOUND,
			"column %zu: %s '%s'; is '%s%s' what was meant?",
			node->column, what, node->text, sigil, nearest->name);
	else
		error = error_create(ERROR_NOT_FOUND, "column %zu: %s '%s'",
				     node->column, what, node->text);
	nearest_deinit(nearest);
	return error;
}
