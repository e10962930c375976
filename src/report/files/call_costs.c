/* call_costs.c - see call_costs.h */
#include "call_costs.h"

#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/hash.h"

static uint32_t number_file(struct call_costs *costs, const char *file)
{
	uintptr_t number;

	if (!file)
		return 0;
	number = (uintptr_t)strmap_get(&costs->file_numbers, file);
	if (!number) {
		vec_push(&costs->files, xstrdup(file));
		number = costs->files.count;
		strmap_set(&costs->file_numbers, file, (void *)number);
	}
	return (uint32_t)number;
}

/* Return the row, which is new if there is none yet. The pointer is valid until
 * the next call. */
static struct cost_row *find_row(struct call_costs *costs,
				 const struct cost_place *at, uint32_t callee)
{
	uint64_t hash = hash_bytes(HASH_START, at, sizeof(*at));
	uint64_t number;

	hash = hash_bytes(hash, &callee, sizeof(callee));
	/* other rows of the same hash have the next keys */
	for (; (number = map_get_number(&costs->by_hash, hash)); hash++) {
		struct cost_row *known = &costs->rows.data[number - 1];

		if (memcmp(&known->at, at, sizeof(*at)) == 0 &&
		    known->callee == callee)
			return known;
	}
	vec_push(&costs->rows, (struct cost_row){.at = *at, .callee = callee});
	map_set_number(&costs->by_hash, hash, costs->rows.count);
	return &costs->rows.data[costs->rows.count - 1];
}

/* ---- where functions are --------------------------------------------------
 */

/* What is known of a function's home. */
enum home { HOME_DECLARED, HOME_CONFIRMED, HOME_MOVED };

/* A function may be declared in a header, and written in another file. If none
 * of its places are in the file of the declaration, it is at home where the
 * first of them is. */
static void move_home(struct call_costs *costs, struct cost_place *home,
		      enum home *state, const struct call_place *place)
{
	uint32_t file = number_file(costs, place->file);

	if (*state == HOME_DECLARED) {
		*state = HOME_MOVED;
		home->file = file;
		home->line = place->line;
	} else if (*state == HOME_MOVED && home->file == file &&
		   place->line < home->line) {
		home->line = place->line;
	}
}

static void find_homes(struct call_costs *costs,
		       const struct call_stacks *stacks,
		       const struct profile_functions *functions)
{
	size_t count = functions->table.list.count;
	size_t places = stacks ? stacks->places.count : 0;
	enum home *states = xcalloc(count + 1, sizeof(*states));

	costs->homes = xcalloc(count + 1, sizeof(*costs->homes));
	for (size_t i = 0; i < count; i++) {
		const struct procedure *at = &functions->table.list.data[i];

		costs->homes[i] = (struct cost_place){
			.function = (uint32_t)i,
			.file = number_file(costs, at->file),
			.line = at->file ? at->line : 0};
	}
	for (size_t i = 0; i < places; i++) {
		const struct call_place *place = &stacks->places.data[i];
		uint32_t function = functions->of_stacks[place->procedure];

		if (place->file && number_file(costs, place->file) ==
					   costs->homes[function].file)
			states[function] = HOME_CONFIRMED;
	}
	for (size_t i = 0; i < places; i++) {
		const struct call_place *place = &stacks->places.data[i];
		uint32_t function = functions->of_stacks[place->procedure];

		if (place->file)
			move_home(costs, &costs->homes[function],
				  &states[function], place);
	}
	free(states);
}

/* ---- from samples ---------------------------------------------------------
 */

struct sample_costs {
	struct call_costs *costs;
	const struct call_stacks *stacks;
	struct cost_place *places; /* by number of the place */
	size_t *seen; /* by procedure: the last sample that had it, plus 1 */
};

/* Return where each place of the stacks is; a place that is not known is where
 * its function is. The caller frees the array. */
static struct cost_place *
locate_places(struct call_costs *costs, const struct call_stacks *stacks,
	      const struct profile_functions *functions)
{
	struct cost_place *places =
		xcalloc(stacks->places.count + 1, sizeof(*places));

	for (size_t i = 0; i < stacks->places.count; i++) {
		const struct call_place *place = &stacks->places.data[i];

		places[i] =
			costs->homes[functions->of_stacks[place->procedure]];
		if (place->file) {
			places[i].file = number_file(costs, place->file);
			places[i].line = place->line;
		}
	}
	return places;
}

/* Add a sample. `number` is different for each sample, and not 0. */
static void add_sample(struct sample_costs *work,
		       const struct call_sample *sample, size_t number)
{
	const struct call_stack *stack =
		&work->stacks->stacks.data[sample->stack];
	size_t column = work->costs->columns.of[sample->reason];
	uint32_t callee = NO_PROCEDURE;

	if (!stack->depth)
		return;
	work->costs->total[column] += sample->weight;
	for (size_t i = 0; i < stack->depth; i++) {
		const struct cost_place *at = &work->places[stack->places[i]];
		struct cost_row *row = find_row(work->costs, at, callee);

		if (work->seen[at->function] != number)
			row->cost[column] += sample->weight;
		if (row->seen != number)
			row->count += sample->weight;
		row->seen = number;
		work->seen[at->function] = number;
		callee = at->function;
	}
}

static void add_samples(struct call_costs *costs,
			const struct call_stacks *stacks,
			const struct profile_functions *functions)
{
	struct sample_costs work = {
		.costs = costs,
		.stacks = stacks,
		.places = locate_places(costs, stacks, functions),
		.seen = xcalloc(functions->table.list.count + 1,
				sizeof(*work.seen))};

	for (size_t i = 0; i < stacks->samples.count; i++)
		add_sample(&work, &stacks->samples.data[i], i + 1);
	free(work.places);
	free(work.seen);
}

/* Turn the weights of ticks into times. The total is that of the rounded
 * times, so that the rows add up to it. */
static void convert_weights(struct call_costs *costs)
{
	if (costs->columns.ns <= 0)
		return;
	costs->total[0] = 0;
	for (size_t i = 0; i < costs->rows.count; i++) {
		struct cost_row *row = &costs->rows.data[i];

		row->cost[0] = weight_cost(&costs->columns, row->cost[0]);
		if (row->callee == NO_PROCEDURE)
			costs->total[0] += row->cost[0];
	}
}

/* ---- from counted calls ---------------------------------------------------
 */

static uint64_t not_negative(int64_t time)
{
	return time > 0 ? (uint64_t)time : 0;
}

/* The rows of own costs now have weights of ticks. Spread the time of each
 * function over its rows in proportion, and leave out the rows of functions
 * whose calls were not counted. */
static void spread_times(struct call_costs *costs, const int64_t *self,
			 size_t count)
{
	uint64_t *ticks = xcalloc(count + 1, sizeof(*ticks));
	uint64_t *gone = xcalloc(count + 1, sizeof(*gone));

	for (size_t i = 0; i < costs->rows.count; i++)
		ticks[costs->rows.data[i].at.function] +=
			costs->rows.data[i].cost[0];
	for (size_t i = 0; i < costs->rows.count; i++) {
		struct cost_row *row = &costs->rows.data[i];
		uint32_t function = row->at.function;
		unsigned __int128 time = not_negative(self[function]);
		uint64_t before, after;

		before = (uint64_t)(time * gone[function] / ticks[function]);
		gone[function] += row->cost[0];
		after = (uint64_t)(time * gone[function] / ticks[function]);
		row->cost[0] = after - before;
		costs->total[0] += row->cost[0];
	}
	free(ticks);
	free(gone);
}

/* Add rows of own costs whose weights are the ticks of functions whose calls
 * were counted. */
static void add_own_ticks(struct call_costs *costs,
			  const struct call_stacks *stacks,
			  const struct profile_functions *functions,
			  const bool *is_counted)
{
	struct cost_place *places = locate_places(costs, stacks, functions);

	for (size_t i = 0; i < stacks->samples.count; i++) {
		const struct call_sample *sample = &stacks->samples.data[i];
		const struct call_stack *stack =
			&stacks->stacks.data[sample->stack];
		const struct cost_place *at;

		if (sample->reason != SAMPLE_TICK || !stack->depth)
			continue;
		at = &places[stack->places[0]];
		if (is_counted[at->function] && sample->weight)
			find_row(costs, at, NO_PROCEDURE)->cost[0] +=
				sample->weight;
	}
	free(places);
}

/* Add the own times of the functions that were called. */
static void add_own_times(struct call_costs *costs,
			  const struct profile *profile,
			  const struct call_arcs *all,
			  const struct profile_functions *functions)
{
	size_t count = functions->table.list.count;
	int64_t *self = xcalloc(count + 1, sizeof(*self));
	bool *is_counted = xcalloc(count + 1, sizeof(*is_counted));
	bool *has_ticks = xcalloc(count + 1, sizeof(*has_ticks));

	for (size_t i = 0; i < all->list.count; i++) {
		const struct call_arc *arc = &all->list.data[i];
		uint32_t callee;

		if (arc->callee == NO_PROCEDURE)
			continue;
		callee = functions->of_arcs[arc->callee];
		self[callee] += arc->times.self;
		is_counted[callee] = true;
	}
	if (profile->stacks)
		add_own_ticks(costs, profile->stacks, functions, is_counted);
	for (size_t i = 0; i < costs->rows.count; i++)
		has_ticks[costs->rows.data[i].at.function] = true;
	for (size_t i = 0; i < count; i++) {
		struct cost_place at;

		if (!is_counted[i] || has_ticks[i])
			continue;
		at = costs->homes[i];
		find_row(costs, &at, NO_PROCEDURE)->cost[0] = 1;
	}
	spread_times(costs, self, count);
	free(self);
	free(is_counted);
	free(has_ticks);
}

/* Where the call was made. The call site may be in a function that was not
 * counted, between the caller and the function. So a line counts only if it can
 * be in the caller; else the call is at the caller's first line. */
static struct cost_place place_of_call(struct call_costs *costs,
				       const struct profile *profile,
				       const struct call_arc *arc,
				       uint32_t caller)
{
	struct cost_place at = costs->homes[caller];
	const char *file = NULL;
	uint32_t line = 0;

	if (arc->site && profile->find_line &&
	    profile->find_line(profile->context, arc->site_module, arc->site,
			       &file, &line) &&
	    file && number_file(costs, file) == at.file && line >= at.line)
		at.line = line;
	return at;
}

static void add_calls(struct call_costs *costs, const struct profile *profile,
		      const struct call_arcs *all,
		      const struct profile_functions *functions)
{
	for (size_t i = 0; i < all->list.count; i++) {
		const struct call_arc *arc = &all->list.data[i];
		struct cost_place at;
		struct cost_row *row;

		if (arc->caller == NO_PROCEDURE || arc->callee == NO_PROCEDURE)
			continue;
		at = place_of_call(costs, profile, arc,
				   functions->of_arcs[arc->caller]);
		row = find_row(costs, &at, functions->of_arcs[arc->callee]);
		row->count += arc->times.count;
		row->cost[0] += not_negative(arc->times.outermost);
	}
}

/* ---- both -----------------------------------------------------------------
 */

static int compare(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int compare_rows(const void *a_, const void *b_)
{
	const struct cost_row *a = a_, *b = b_;
	int order = compare(a->at.function, b->at.function);

	if (!order)
		order = (a->callee != NO_PROCEDURE) -
			(b->callee != NO_PROCEDURE);
	if (!order)
		order = compare(a->at.file, b->at.file);
	if (!order)
		order = compare(a->at.line, b->at.line);
	return order ? order : compare(a->callee, b->callee);
}

void call_costs_init(struct call_costs *costs, const struct profile *profile,
		     const struct profile_functions *functions)
{
	struct call_arcs all = {0};

	*costs = (struct call_costs){0};
	find_homes(costs, profile->stacks, functions);
	add_up_threads(profile, &all);
	if (all.list.count) {
		costs->columns.count = 1;
		costs->columns.list[0] =
			(struct weight_column){"ns", "nanoseconds"};
		add_own_times(costs, profile, &all, functions);
		add_calls(costs, profile, &all, functions);
	} else {
		weight_columns_init(&costs->columns, profile);
		if (profile->stacks)
			add_samples(costs, profile->stacks, functions);
		convert_weights(costs);
	}
	if (costs->rows.count)
		qsort(costs->rows.data, costs->rows.count,
		      sizeof(*costs->rows.data), compare_rows);
	call_arcs_deinit(&all);
}

void call_costs_deinit(struct call_costs *costs)
{
	for (size_t i = 0; i < costs->files.count; i++)
		free(costs->files.data[i]);
	vec_free(&costs->files);
	vec_free(&costs->rows);
	free(costs->homes);
	strmap_deinit(&costs->file_numbers);
	map_deinit(&costs->by_hash);
}
