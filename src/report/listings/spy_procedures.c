/*
 * spy_procedures.c - the Spy's "Breakdown of interesting procedures": each
 * procedure with its call sites, indented under the procedure that contains its
 * calls
 *
 * A level of indentation is two columns wide. Its mark is `!' along a set of
 * disjoint procedures, and `.' between sets. If there is one procedure only at
 * the top level, that level has no mark, and takes no room.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/path.h"
#include "perftool/profile/containment.h"
#include "perftool/profile/disjoint_sets.h"
#include "report/figures/figures.h"
#include "spy_text.h"

/* The procedures of one level, under one parent: set after set. */
struct level {
	uint32_t *members;
	uint32_t *sets; /* the set of each */
	size_t count;
	size_t next;   /* the member that is printed next */
	size_t prefix; /* length of what is before the mark of this level */
};

struct outline {
	const struct spy_text *text;
	bool *is_shown;
	uint32_t *parents;
	struct disjoint_sets *disjoint;
	/* The procedures that are shown, those of greater weight first, and of
	 * each parent its first child and of each child the next. */
	VEC(uint32_t) order;
	uint32_t *first_child, *next;
	uint32_t first_at_top;
	VEC(struct level) levels;
	struct str prefix; /* the marks of the levels above */
	struct str *out;
};

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

static void outline_init(struct outline *outline, const struct spy_text *text,
			 struct str *out)
{
	const struct call_stacks *stacks = text->report->stacks;
	size_t count = stacks->procedures.list.count;

	*outline = (struct outline){
		.text = text, .first_at_top = NO_PROCEDURE, .out = out};
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
}

static void outline_deinit(struct outline *outline)
{
	free(outline->is_shown);
	free(outline->parents);
	free(outline->first_child);
	free(outline->next);
	vec_free(&outline->order);
	vec_free(&outline->levels);
	str_deinit(&outline->prefix);
	disjoint_sets_destroy(outline->disjoint);
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

/* ---- lines --------------------------------------------------------------- */

static void begin_line(const struct outline *outline,
		       const struct sample_weight *weight)
{
	spy_columns(outline->text, weight, outline->out);
	str_append_n(outline->out, str_text(&outline->prefix),
		     outline->prefix.length);
}

/* The line between two sets. */
static void line_between(const struct outline *outline)
{
	struct str *out = outline->out;

	begin_line(outline, NULL);
	while (out->length && out->data[out->length - 1] == ' ')
		out->length--;
	str_append_char(out, '\n');
}

/* Is there a call site in `caller` that led to `callee`? */
static bool is_direct(const struct spy_text *text, uint32_t caller,
		      uint32_t callee)
{
	const struct procedure_figures *figures =
		&text->figures.procedures[caller];

	for (size_t i = 0; i < figures->site_count; i++) {
		if (figures->sites[i].callee == callee)
			return true;
	}
	return false;
}

static void put_marked_name(const struct outline *outline, uint32_t procedure,
			    size_t begin, size_t rest)
{
	uint32_t parent = outline->parents[procedure];
	bool is_terminal = outline->text->report->is_terminal;
	bool is_marked = parent != NO_PROCEDURE &&
			 !is_direct(outline->text, parent, procedure);

	if (is_marked && !is_terminal)
		str_append_char(outline->out, '~');
	if (is_marked && is_terminal) {
		struct str name = {0};

		/* the escape sequences take no room on the line */
		str_append(&name, str_text(outline->out) + begin);
		begin = name.length;
		spy_put_name(outline->text, procedure, 0, rest, &name);
		str_printf(outline->out, "\033[3m%s\033[0m",
			   str_text(&name) + begin);
		str_deinit(&name);
		return;
	}
	spy_put_name(outline->text, procedure, begin, rest, outline->out);
}

static void procedure_line(const struct outline *outline, uint32_t procedure)
{
	const struct spy_text *text = outline->text;
	const struct procedure_figures *figures =
		&text->figures.procedures[procedure];
	uint64_t below = figures->weight.total - figures->own;
	size_t begin = outline->out->length;
	struct str rest = {0};

	str_printf(&rest, " (%zu %s) = %" PRIu64 ", %" PRIu64, figures->refs,
		   figures->refs == 1 ? "ref" : "refs", figures->own, below);
	if (below && spy_is_above(text, figures->own, text->report->minson))
		spy_percent(text, figures->own, &rest);
	spy_percent(text, figures->weight.total, &rest);
	str_append(&rest, ".");
	begin_line(outline, &figures->weight);
	str_append(outline->out, "Procedure ");
	put_marked_name(outline, procedure, begin, rest.length);
	str_printf(outline->out, "%s\n", str_text(&rest));
	str_deinit(&rest);
}

/* Where a call is: FILE:LINE, or, if that is not known, MODULE+OFFSET. */
static void put_place(const struct outline *outline,
		      const struct call_place *place)
{
	const struct call_stacks *stacks = outline->text->report->stacks;
	const struct procedure *procedure =
		&stacks->procedures.list.data[place->procedure];
	int columns = outline->text->report->columns;
	struct str text = {0};

	if (place->file && place->line)
		str_printf(&text, "%s:%" PRIu32, path_file_name(place->file),
			   place->line);
	else if (*procedure->module)
		str_printf(&text, "%s+0x%" PRIx64, procedure->module,
			   place->address);
	else
		str_printf(&text, "0x%" PRIx64, place->address);
	printable_cut(str_text(&text), columns > 0 ? 40 : 0, outline->out);
	str_deinit(&text);
}

static void site_line(const struct outline *outline,
		      const struct call_site *site)
{
	const struct spy_text *text = outline->text;
	struct str rest = {0};
	size_t begin = outline->out->length;

	begin_line(outline, &site->weight);
	str_append(outline->out, "  (");
	put_place(outline, &text->report->stacks->places.data[site->place]);
	str_append(outline->out, ") ");
	spy_count(text, site->weight.total, &rest);
	spy_put_name(text, site->callee, begin, rest.length - 1, outline->out);
	str_append(outline->out, str_text(&rest));
	str_deinit(&rest);
}

static void put_procedure(const struct outline *outline, uint32_t procedure)
{
	const struct spy_text *text = outline->text;
	const struct procedure_figures *figures =
		&text->figures.procedures[procedure];

	procedure_line(outline, procedure);
	for (size_t i = 0; i < figures->site_count; i++) {
		const struct call_site *site = &figures->sites[i];

		if (spy_is_listed(text, &site->weight, text->report->minson))
			site_line(outline, site);
	}
}

/* Prints the next member of the innermost level, and goes on with what is
 * indented under it. */
static void put_next(struct outline *outline)
{
	struct level *level = &outline->levels.data[outline->levels.count - 1];
	size_t member = level->next++;
	uint32_t procedure = level->members[member];

	if (member && is_last_of_set(level, member - 1)) {
		mark_below(outline, level, member - 1);
		line_between(outline);
	}
	mark_member(outline, level, member);
	put_procedure(outline, procedure);
	mark_below(outline, level, member);
	if (outline->first_child[procedure] != NO_PROCEDURE)
		push_level(outline, outline->first_child[procedure]);
}

/* ---- the section --------------------------------------------------------- */

/* Says why nothing is listed, and what lists something. */
static void put_none(const struct outline *outline)
{
	const struct spy_text *text = outline->text;
	const struct procedures *all = &text->report->stacks->procedures;
	uint32_t most = NO_PROCEDURE;
	uint64_t weight = 0;

	if (!text->figures.all.total) {
		str_append(outline->out, "There are no samples.\n");
		return;
	}
	for (uint32_t i = 0; i < all->list.count; i++) {
		uint64_t this = text->figures.procedures[i].weight.total;

		if (!all->list.data[i].is_wait && this > weight) {
			weight = this;
			most = i;
		}
	}
	if (most == NO_PROCEDURE) {
		str_append(outline->out, "No sample has a procedure: no stack "
					 "could be unwound.\n");
		return;
	}
	str_printf(outline->out,
		   "No procedure is in more than %g%% of the call stacks. "
		   "Most frequent:\n",
		   text->report->min);
	str_append(outline->out, "  ");
	spy_put_name(text, most, outline->out->length, 20, outline->out);
	spy_count(text, weight, outline->out);
	str_append(outline->out, "`spy display min=0' lists all of them.\n");
}

/* Says how much of the samples has no procedure. */
static void put_rest(const struct outline *outline)
{
	const struct spy_text *text = outline->text;
	uint64_t weight = text->figures.without_procedure;

	if (!weight || weight == text->figures.all.total)
		return;
	str_append(outline->out, "\nStacks without a procedure");
	spy_count(text, weight, outline->out);
}

void spy_procedures(const struct spy_text *text, struct str *out)
{
	struct outline outline;

	outline_init(&outline, text, out);
	if (outline.order.count) {
		spy_column_names(text, out);
		push_level(&outline, outline.first_at_top);
	} else {
		put_none(&outline);
	}
	while (outline.levels.count) {
		const struct level *level =
			&outline.levels.data[outline.levels.count - 1];

		if (level->next < level->count)
			put_next(&outline);
		else
			pop_level(&outline);
	}
	put_rest(&outline);
	outline_deinit(&outline);
}
