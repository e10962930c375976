/* spy_outline.c - see spy_outline.h */
#include "spy_outline.h"

#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/profile/containment.h"

/* ---- what is shown, and where -------------------------------------------- */

struct ranked {
	uint32_t procedure;
	uint64_t weight;
	const char *name;
};

/* Greater weight first; the names make the order of equal weights the same in
 * each display. */
static int compare_ranks(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;
	int order = (a->weight < b->weight) - (a->weight > b->weight);

	if (!order)
		order = strcmp(a->name, b->name);
	if (!order)
		order = (a->procedure > b->procedure) -
			(a->procedure < b->procedure);
	return order;
}

static void find_shown(struct outline *outline)
{
	const struct spy_text *text = outline->text;
	const struct procedures *all = &text->report->stacks->procedures;
	VEC(struct ranked) ranks = {0};

	for (uint32_t i = 0; i < all->list.count; i++) {
		const struct procedure *procedure = &all->list.data[i];
		const struct sample_weight *weight =
			&text->figures.procedures[i].weight;

		if (procedure->is_wait || !weight->total ||
		    !spy_is_listed(text, weight, text->report->min))
			continue;
		outline->is_shown[i] = true;
		vec_push(&ranks, (struct ranked){.procedure = i,
						 .weight = weight->total,
						 .name = procedure->name});
	}
	if (ranks.count)
		qsort(ranks.data, ranks.count, sizeof(*ranks.data),
		      compare_ranks);
	for (size_t i = 0; i < ranks.count; i++)
		vec_push(&outline->order, ranks.data[i].procedure);
	vec_free(&ranks);
}

static void find_children(struct outline *outline)
{
	for (size_t i = outline->order.count; i-- > 0;) {
		uint32_t child = outline->order.data[i];
		uint32_t parent = outline->parents[child];
		uint32_t *first = parent == NO_PROCEDURE
					  ? &outline->first_at_top
					  : &outline->first_child[parent];

		outline->next[child] = *first;
		*first = child;
	}
}

static uint32_t *none_for_each(size_t count)
{
	uint32_t *numbers = xcalloc(count + 1, sizeof(*numbers));

	for (size_t i = 0; i < count; i++)
		numbers[i] = NO_PROCEDURE;
	return numbers;
}

/* ---- levels -------------------------------------------------------------- */

/* Puts the members of a set after each other. Within a set the order stays. */
static void sort_by_set(struct level *level)
{
	uint32_t *members = xcalloc(level->count, sizeof(*members));
	uint32_t *sets = xcalloc(level->count, sizeof(*sets));
	size_t *from = xcalloc(level->count + 1, sizeof(*from));

	for (size_t i = 0; i < level->count; i++)
		from[level->sets[i] + 1]++;
	for (size_t i = 0; i < level->count; i++)
		from[i + 1] += from[i];
	for (size_t i = 0; i < level->count; i++) {
		size_t at = from[level->sets[i]]++;

		members[at] = level->members[i];
		sets[at] = level->sets[i];
	}
	free(from);
	free(level->members);
	free(level->sets);
	level->members = members;
	level->sets = sets;
}

/* Makes the list that begins with `first` the innermost level. */
static void push_level(struct outline *outline, uint32_t first)
{
	struct level level = {.prefix = outline->prefix.length};

	for (uint32_t i = first; i != NO_PROCEDURE; i = outline->next[i])
		level.count++;
	level.members = xcalloc(level.count, sizeof(*level.members));
	level.sets = xcalloc(level.count, sizeof(*level.sets));
	level.count = 0;
	for (uint32_t i = first; i != NO_PROCEDURE; i = outline->next[i])
		level.members[level.count++] = i;
	disjoint_sets_assign(outline->disjoint, level.members, level.count,
			     level.sets);
	sort_by_set(&level);
	vec_push(&outline->levels, level);
}

static void pop_level(struct outline *outline)
{
	struct level *level = &outline->levels.data[--outline->levels.count];

	free(level->members);
	free(level->sets);
}

static bool is_last_of_set(const struct level *level, size_t member)
{
	return member + 1 == level->count ||
	       level->sets[member + 1] != level->sets[member];
}

/* Is the set of a member a set of one? */
static bool is_single(const struct level *level, size_t member)
{
	return is_last_of_set(level, member) &&
	       (!member || is_last_of_set(level, member - 1));
}

/* Makes the prefix that of the lines of a member itself. */
static void mark_member(struct outline *outline, const struct level *level,
			size_t member)
{
	const char *mark = !is_single(level, member) ? "! "
			   : level->count > 1        ? ". "
						     : "  ";

	outline->prefix.length = level->prefix;
	if (level->count > 1 || level != outline->levels.data)
		str_append(&outline->prefix, mark);
}

/* Makes the prefix that of the lines between a member and the next one. */
static void mark_below(struct outline *outline, const struct level *level,
		       size_t member)
{
	const char *mark = !is_last_of_set(level, member) ? "! "
			   : member + 1 < level->count    ? ". "
							  : "  ";

	outline->prefix.length = level->prefix;
	if (level->count > 1 || level != outline->levels.data)
		str_append(&outline->prefix, mark);
}

/* ---- the whole ----------------------------------------------------------- */

void outline_init(struct outline *outline, const struct spy_text *text)
{
	const struct call_stacks *stacks = text->report->stacks;
	size_t count = stacks->procedures.list.count;

	*outline = (struct outline){.text = text,
				    .first_at_top = NO_PROCEDURE,
				    .last = NO_PROCEDURE};
	outline->is_shown = xcalloc(count + 1, sizeof(*outline->is_shown));
	outline->parents = none_for_each(count);
	outline->first_child = none_for_each(count);
	outline->next = none_for_each(count);
	find_shown(outline);
	containment_find(stacks, &text->figures, outline->is_shown,
			 outline->parents);
	find_children(outline);
	outline->disjoint =
		disjoint_sets_create(stacks, &text->figures, outline->is_shown);
	if (outline->order.count)
		push_level(outline, outline->first_at_top);
}

void outline_deinit(struct outline *outline)
{
	free(outline->is_shown);
	free(outline->parents);
	free(outline->first_child);
	free(outline->next);
	vec_free(&outline->order);
	while (outline->levels.count)
		pop_level(outline);
	vec_free(&outline->levels);
	str_deinit(&outline->prefix);
	disjoint_sets_destroy(outline->disjoint);
}

/* ---- lines --------------------------------------------------------------- */

enum outline_line outline_next(struct outline *outline, uint32_t *procedure)
{
	struct level *level;

	if (outline->last != NO_PROCEDURE) {
		uint32_t child = outline->first_child[outline->last];

		level = &outline->levels.data[outline->levels.count - 1];
		mark_below(outline, level, level->next - 1);
		if (child != NO_PROCEDURE)
			push_level(outline, child);
		outline->last = NO_PROCEDURE;
	}
	for (;;) {
		if (!outline->levels.count)
			return OUTLINE_END;
		level = &outline->levels.data[outline->levels.count - 1];
		if (level->next < level->count)
			break;
		pop_level(outline);
	}
	if (level->next && is_last_of_set(level, level->next - 1) &&
	    !level->is_parted) {
		mark_below(outline, level, level->next - 1);
		level->is_parted = true;
		return OUTLINE_GAP;
	}
	level->is_parted = false;
	mark_member(outline, level, level->next);
	*procedure = level->members[level->next++];
	outline->last = *procedure;
	return OUTLINE_PROCEDURE;
}
