/*
 * gmon_module.c - see gmon_module.h
 *
 * The time of a module is that of its ticks. If calls were counted and no ticks
 * taken, it is the measured time of the functions themselves, all of it at
 * their first instruction.
 */
#include "gmon_module.h"

#include <math.h>
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "profile_functions.h"
#include "weight_columns.h"

static struct gmon_module *find_module(struct gmon_modules *modules,
				       const struct profile *profile,
				       const char *name)
{
	uintptr_t number;

	number = (uintptr_t)strmap_get(&modules->by_name, name);
	if (!number) {
		vec_push(&modules->list,
			 (struct gmon_module){.name = name,
					      .facts = profile_module_of_name(
						      profile, name)});
		number = modules->list.count;
		strmap_set(&modules->by_name, name, (void *)number);
	}
	return &modules->list.data[number - 1];
}

static void add_to_bin(struct gmon_module *module, uint64_t address,
		       uint64_t count)
{
	uint64_t even = address - address % GMON_BIN;
	uint64_t number = map_get_number(&module->by_address, even);

	if (!number) {
		vec_push(&module->bins, (struct gmon_bin){.address = even});
		number = module->bins.count;
		map_set_number(&module->by_address, even, number);
	}
	module->bins.data[number - 1].count += count;
}

/* ---- samples --------------------------------------------------------------
 */

/* The procedure whose code the innermost frame executes: the one into which the
 * inlined calls there were inlined. */
static const struct procedure *
executing_procedure(const struct call_stacks *stacks,
		    const struct call_stack *stack)
{
	size_t i = 0;

	while (i + 1 < stack->depth &&
	       stacks->places.data[stack->places[i]].is_inlined)
		i++;
	return &stacks->procedures.list
			.data[call_stack_procedure(stacks, stack, i)];
}

/* Find the first addresses of functions that are odd. gprof takes the bin of
 * such an address for the function's, though the byte before it belongs to
 * another function. The value in the map is not of interest. */
static void find_odd_functions(const struct call_stacks *stacks,
			       struct map *odd)
{
	for (size_t i = 0; i < stacks->procedures.list.count; i++) {
		uint64_t address = stacks->procedures.list.data[i].address;

		if (address % GMON_BIN)
			map_set_number(odd, address, 1);
	}
}

static void add_sample(struct gmon_modules *modules,
		       const struct profile *profile,
		       const struct call_sample *sample, uint64_t factor,
		       const struct map *odd)
{
	const struct call_stacks *stacks = profile->stacks;
	const struct call_stack *stack = &stacks->stacks.data[sample->stack];
	const struct call_place *place;
	const struct procedure *procedure;
	uint64_t address;

	if (!stack->depth) {
		modules->nowhere += sample->weight;
		return;
	}
	place = &stacks->places.data[stack->places[0]];
	procedure = executing_procedure(stacks, stack);
	address = place->address ? place->address : procedure->address;
	if (stacks->procedures.list.data[place->procedure].is_wait) {
		modules->waits += sample->weight;
	} else if (!address || !procedure->module || !*procedure->module) {
		modules->nowhere += sample->weight;
	} else {
		/* the last byte of a function before an odd one */
		if (map_get_number(odd, address + 1) &&
		    procedure->address + GMON_BIN <= address)
			address -= GMON_BIN;
		add_to_bin(find_module(modules, profile, procedure->module),
			   address, sample->weight * factor);
	}
}

/* Find the whole number of counts a second that gprof can be told, and by how
 * much the weights of ticks are multiplied for that. */
static uint64_t choose_rate(double rate, uint32_t *out)
{
	uint64_t factor = 1;

	/* 1.5 ms are 666.67 ticks a second, and 2000 of 3 counts each */
	while (factor < 1000 &&
	       fabs(rate * (double)factor - round(rate * (double)factor)) >
		       rate * (double)factor * 1e-6)
		factor++;
	*out = (uint32_t)fmax(1, round(rate * (double)factor));
	return factor;
}

static bool has_weight(const struct call_stacks *stacks)
{
	return stacks && call_stacks_weight(stacks) > 0;
}

static void add_samples(struct gmon_modules *modules,
			const struct profile *profile)
{
	struct weight_columns columns;
	struct map odd = {0};
	uint64_t factor = 1;

	weight_columns_init(&columns, profile);
	modules->rate = 1;
	modules->dimension =
		columns.count == 1 ? columns.list[0].name : "events";
	if (columns.ns > 0) {
		factor = choose_rate(1e9 / columns.ns, &modules->rate);
		modules->dimension = "seconds";
	}
	find_odd_functions(profile->stacks, &odd);
	for (size_t i = 0; i < profile->stacks->samples.count; i++)
		add_sample(modules, profile, &profile->stacks->samples.data[i],
			   factor, &odd);
	map_deinit(&odd);
}

/* ---- calls ----------------------------------------------------------------
 */

/* Choose a unit in which the function with the most time has a count that needs
 * some dozens of records at most. */
static uint32_t rate_of_times(const struct call_arcs *all)
{
	uint32_t rate = 1000000000;
	int64_t most = 0;

	for (size_t i = 0; i < all->list.count; i++) {
		if (all->list.data[i].times.self > most)
			most = all->list.data[i].times.self;
	}
	while (rate > 1 && (double)most * rate > 4e6 * 1e9)
		rate /= 10;
	return rate;
}

static void add_times(struct gmon_modules *modules,
		      const struct profile *profile,
		      const struct call_arcs *all)
{
	const struct procedures *procedures = profile->arc_procedures;
	int64_t *self = xcalloc(procedures->list.count + 1, sizeof(*self));

	modules->dimension = "seconds";
	modules->rate = rate_of_times(all);
	for (size_t i = 0; i < all->list.count; i++) {
		const struct call_arc *arc = &all->list.data[i];

		if (arc->callee != NO_PROCEDURE)
			self[arc->callee] += arc->times.self;
	}
	for (size_t i = 0; i < procedures->list.count; i++) {
		const struct procedure *at = &procedures->list.data[i];

		if (self[i] > 0 && at->address && at->module && *at->module)
			add_to_bin(find_module(modules, profile, at->module),
				   at->address,
				   (uint64_t)llround((double)self[i] *
						     modules->rate / 1e9));
	}
	free(self);
}

/* Return an address of the function that stands for callers outside of the
 * module: _start of the program, and _init, which is the first of the code, of
 * a library; 0 if it is not known. */
static uint64_t outside_address(const struct profile_module *facts)
{
	if (!facts)
		return 0;
	return facts->is_program && facts->entry ? facts->entry
						 : facts->code_begin;
}

/* Is the call site in the caller? It may be in a function that was not counted,
 * between the caller and the callee. */
static bool is_in_caller(const struct profile *profile,
			 const struct procedure *caller,
			 const struct call_arc *arc)
{
	uint64_t function = 0;

	if (profile->find_function)
		function = profile->find_function(profile->context,
						  arc->site_module, arc->site);
	return !function || function == caller->address;
}

/* Return an address in the caller: the call site, if it is in the module, and
 * in the caller if that is in the module, too; else the beginning of the
 * caller, if it is in the module; else the function that stands for all callers
 * in other modules; 0 if there is none. */
static uint64_t address_of_caller(struct gmon_modules *modules,
				  const struct profile *profile,
				  const struct gmon_module *module,
				  const struct procedure *callee,
				  const struct call_arc *arc)
{
	const struct procedure *caller =
		arc->caller == NO_PROCEDURE
			? NULL
			: &profile->arc_procedures->list.data[arc->caller];
	const bool is_inside = caller && caller->module && caller->address &&
			       str_equal(caller->module, module->name);
	uint64_t from;

	if (arc->site && module->facts && module->facts->number &&
	    module->facts->number == arc->site_module &&
	    (!is_inside || is_in_caller(profile, caller, arc)))
		return arc->site;
	if (is_inside)
		return caller->address;
	modules->from_else += arc->times.count;
	from = outside_address(module->facts);
	/* the function that stands for all callers does not call itself */
	if (from == callee->address)
		from = 0;
	if (!from)
		modules->unsaid += arc->times.count;
	return from;
}

static void add_calls(struct gmon_modules *modules,
		      const struct profile *profile,
		      const struct call_arcs *all)
{
	for (size_t i = 0; i < all->list.count; i++) {
		const struct call_arc *arc = &all->list.data[i];
		const struct procedure *callee;
		struct gmon_module *module;
		uint64_t from;

		if (arc->callee == NO_PROCEDURE)
			continue;
		callee = &profile->arc_procedures->list.data[arc->callee];
		if (!callee->address || !callee->module || !*callee->module)
			continue;
		module = find_module(modules, profile, callee->module);
		from = address_of_caller(modules, profile, module, callee, arc);
		if (from)
			vec_push(&module->arcs,
				 (struct gmon_arc){from, callee->address,
						   arc->times.count});
	}
}

void gmon_modules_init(struct gmon_modules *modules,
		       const struct profile *profile)
{
	struct call_arcs all = {0};

	*modules = (struct gmon_modules){.rate = 1, .dimension = "seconds"};
	/* the program has a file, whatever there is to say of it */
	for (size_t i = 0; i < profile->module_count; i++) {
		if (profile->modules[i].is_program)
			find_module(modules, profile, profile->modules[i].name);
	}
	add_up_threads(profile, &all);
	if (has_weight(profile->stacks))
		add_samples(modules, profile);
	else if (all.list.count)
		add_times(modules, profile, &all);
	add_calls(modules, profile, &all);
	call_arcs_deinit(&all);
}

void gmon_modules_deinit(struct gmon_modules *modules)
{
	for (size_t i = 0; i < modules->list.count; i++) {
		vec_free(&modules->list.data[i].bins);
		vec_free(&modules->list.data[i].arcs);
		map_deinit(&modules->list.data[i].by_address);
	}
	vec_free(&modules->list);
	strmap_deinit(&modules->by_name);
}
