/*
 * stack_figures.c - see perftool/profile/stack_figures.h
 *
 * One pass over the frames of each stack. A stack that has a procedure, or a
 * call site, several times counts once: each of them remembers the stack that
 * it was last counted for.
 */
#include "perftool/profile/stack_figures.h"

#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/base/hash.h"
#include "perftool/base/radix.h"
#include "perftool/base/str.h"

/* Added to the number of the first place of a line, in the key of a site that
 * is the line. */
#define IS_LINE 0x80000000u

struct computation {
	const struct call_stacks *stacks;
	struct stack_figures *out;
	/* by place: the first place that is in the same procedure and on the
	 * same line */
	uint32_t *lines;
	struct map by_site; /* index plus 1 into `out->sites` */
	/* the number plus 1 of the stack that was last counted, by procedure
	 * and by site */
	uint32_t *procedure_stamps;
	VEC(uint32_t) site_stamps;
};

void sample_weight_add(struct sample_weight *to,
		       const struct sample_weight *weight)
{
	to->total += weight->total;
	to->left += weight->left;
	for (size_t i = 0; i < SAMPLE_REASONS; i++)
		to->by_reason[i] += weight->by_reason[i];
}

/* ---- call sites ---------------------------------------------------------- */

static uint64_t hash_line(const struct call_place *place)
{
	uint64_t hash = hash_bytes(HASH_START, &place->procedure,
				   sizeof(place->procedure));

	for (const char *at = place->file; *at; at++)
		hash = hash_byte(hash, (unsigned char)*at);
	return hash_bytes(hash, &place->line, sizeof(place->line));
}

static bool is_same_line(const struct call_place *a, const struct call_place *b)
{
	return a->procedure == b->procedure && a->line == b->line &&
	       str_equal(a->file, b->file);
}

/* Returns the first place of the line that a place is on, which is the place
 * itself if it is the first one. */
static uint32_t first_of_line(struct computation *computation,
			      struct map *by_line, uint32_t number)
{
	const struct call_place *places = computation->stacks->places.data;
	const struct call_place *place = &places[number];
	uint64_t hash, known;

	if (!place->file || !place->line)
		return number;
	/* other lines of the same hash have the next keys */
	for (hash = hash_line(place); (known = map_get_number(by_line, hash));
	     hash++) {
		if (is_same_line(&places[known - 1], place))
			return (uint32_t)known - 1;
	}
	map_set_number(by_line, hash, number + 1);
	return number;
}

static void find_lines(struct computation *computation)
{
	size_t count = computation->stacks->places.count;
	struct map by_line = {0};

	computation->lines = xcalloc(count + 1, sizeof(uint32_t));
	for (uint32_t i = 0; i < count; i++)
		computation->lines[i] = first_of_line(computation, &by_line, i);
	map_deinit(&by_line);
}

/* Returns the index of the call site by which the frame at `caller` entered the
 * frame at `callee`; both are numbers of places. */
static size_t enter_site(struct computation *computation, uint32_t caller,
			 uint32_t callee)
{
	const struct call_place *places = computation->stacks->places.data;
	bool is_line = places[caller].is_inlined || places[callee].is_inlined;
	uint64_t key = is_line ? computation->lines[caller] | IS_LINE : caller;
	struct call_site *sites;
	uint64_t index;

	key = key << 32 | places[callee].procedure;
	index = map_get_number(&computation->by_site, key);
	if (!index) {
		const struct call_site site = {
			.caller = places[caller].procedure,
			.callee = places[callee].procedure,
			.place = caller};

		vec_push(&computation->out->sites, site);
		vec_push(&computation->site_stamps, 0);
		index = computation->out->sites.count;
		map_set_number(&computation->by_site, key, index);
	}
	sites = computation->out->sites.data;
	if (places[caller].address < places[sites[index - 1].place].address)
		sites[index - 1].place = caller;
	return index - 1;
}

/* ---- stacks -------------------------------------------------------------- */

static void count_frame(struct computation *computation, uint32_t number,
			size_t frame)
{
	const struct call_stacks *stacks = computation->stacks;
	const struct call_stack *stack = &stacks->stacks.data[number];
	const struct sample_weight *weight = &computation->out->stacks[number];
	uint32_t procedure = call_stack_procedure(stacks, stack, frame);
	size_t site;

	if (computation->procedure_stamps[procedure] != number + 1) {
		computation->procedure_stamps[procedure] = number + 1;
		sample_weight_add(
			&computation->out->procedures[procedure].weight,
			weight);
	}
	if (frame == 0)
		return;
	site = enter_site(computation, stack->places[frame],
			  stack->places[frame - 1]);
	if (computation->site_stamps.data[site] != number + 1) {
		computation->site_stamps.data[site] = number + 1;
		sample_weight_add(&computation->out->sites.data[site].weight,
				  weight);
	}
}

static bool is_wait(const struct call_stacks *stacks, uint32_t procedure)
{
	return stacks->procedures.list.data[procedure].is_wait;
}

static void count_stack(struct computation *computation, uint32_t number)
{
	const struct call_stacks *stacks = computation->stacks;
	const struct call_stack *stack = &stacks->stacks.data[number];
	struct stack_figures *out = computation->out;
	uint64_t weight = out->stacks[number].total;
	uint32_t innermost;

	if (!weight)
		return;
	for (size_t i = 0; i < stack->depth; i++)
		count_frame(computation, number, i);
	innermost = stack->depth ? call_stack_procedure(stacks, stack, 0)
				 : NO_PROCEDURE;
	if (innermost != NO_PROCEDURE && !is_wait(stacks, innermost))
		out->procedures[innermost].own += weight;
	else if (stack->depth < 2)
		out->without_procedure += weight;
}

static void add_samples(struct computation *computation)
{
	const struct call_stacks *stacks = computation->stacks;
	struct stack_figures *out = computation->out;

	for (size_t i = 0; i < stacks->samples.count; i++) {
		const struct call_sample *sample = &stacks->samples.data[i];
		struct sample_weight *weight = &out->stacks[sample->stack];

		weight->total += sample->weight;
		weight->by_reason[sample->reason] += sample->weight;
	}
	for (size_t i = 0; i < stacks->stacks.count; i++) {
		struct sample_weight *weight = &out->stacks[i];
		uint64_t created = weight->by_reason[SAMPLE_CREATED];
		uint64_t deleted = weight->by_reason[SAMPLE_DELETED];

		weight->left = created > deleted ? created - deleted : 0;
		sample_weight_add(&out->all, weight);
	}
}

/* ---- the result ---------------------------------------------------------- */

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Of the call sites at one address: those of greater weight first. */
static int compare_sites(const void *left, const void *right)
{
	const struct call_site *a = left, *b = right;
	int order = compare(b->weight.total, a->weight.total);

	if (!order)
		order = compare(a->place, b->place);
	return order ? order : compare(a->callee, b->callee);
}

/* Returns the indices of the call sites, in the order of their addresses. */
static struct radix_key *order_by_address(const struct computation *computation)
{
	const struct call_place *places = computation->stacks->places.data;
	size_t count = computation->out->sites.count;
	struct radix_key *order = xcalloc(count + 1, sizeof(*order));

	for (size_t i = 0; i < count; i++) {
		uint32_t place = computation->out->sites.data[i].place;

		order[i] = (struct radix_key){.key = places[place].address,
					      .index = (uint32_t)i};
	}
	radix_sort(order, count);
	return order;
}

/* Gives each procedure room for its call sites in an array of all, and puts
 * them there in the order of their addresses. */
static struct call_site *group_by_caller(const struct computation *computation)
{
	struct stack_figures *out = computation->out;
	struct call_site *grouped =
		xcalloc(out->sites.count + 1, sizeof(*grouped));
	size_t procedures = computation->stacks->procedures.list.count;
	size_t *from = xcalloc(procedures + 1, sizeof(*from));
	struct radix_key *order = order_by_address(computation);

	for (size_t i = 0; i < out->sites.count; i++) {
		out->procedures[out->sites.data[i].caller].site_count++;
		out->procedures[out->sites.data[i].callee].refs++;
	}
	for (size_t i = 0; i < procedures; i++) {
		from[i + 1] = from[i] + out->procedures[i].site_count;
		out->procedures[i].sites = grouped + from[i];
	}
	for (size_t i = 0; i < out->sites.count; i++) {
		const struct call_site *site = &out->sites.data[order[i].index];

		grouped[from[site->caller]++] = *site;
	}
	free(order);
	free(from);
	return grouped;
}

static void give_sites_to_procedures(struct computation *computation)
{
	const struct call_place *places = computation->stacks->places.data;
	struct stack_figures *out = computation->out;
	struct call_site *sites = group_by_caller(computation);

	for (size_t i = 0, next; i < out->sites.count; i = next) {
		const struct call_site *first = &sites[i];

		for (next = i + 1; next < out->sites.count; next++) {
			if (sites[next].caller != first->caller ||
			    places[sites[next].place].address !=
				    places[first->place].address)
				break;
		}
		if (next > i + 1)
			qsort(&sites[i], next - i, sizeof(*sites),
			      compare_sites);
	}
	free(out->sites.data);
	out->sites.data = sites;
	out->sites.capacity = out->sites.count;
}

void stack_figures_compute(const struct call_stacks *stacks,
			   struct stack_figures *figures)
{
	struct computation computation = {.stacks = stacks, .out = figures};
	size_t procedures = stacks->procedures.list.count;

	*figures = (struct stack_figures){0};
	figures->stacks =
		xcalloc(stacks->stacks.count + 1, sizeof(*figures->stacks));
	figures->procedures =
		xcalloc(procedures + 1, sizeof(*figures->procedures));
	computation.procedure_stamps =
		xcalloc(procedures + 1, sizeof(uint32_t));
	find_lines(&computation);
	add_samples(&computation);
	for (uint32_t i = 0; i < stacks->stacks.count; i++)
		count_stack(&computation, i);
	give_sites_to_procedures(&computation);
	free(computation.lines);
	free(computation.procedure_stamps);
	vec_free(&computation.site_stamps);
	map_deinit(&computation.by_site);
}

void stack_figures_deinit(struct stack_figures *figures)
{
	free(figures->stacks);
	free(figures->procedures);
	vec_free(&figures->sites);
	*figures = (struct stack_figures){0};
}
