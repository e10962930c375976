/* detail_choice.c - see perftool/profile/detail_choice.h */
#include "perftool/profile/detail_choice.h"

#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"

/* How long a function is refused at first, in ns, and at most. */
#define FIRST_REFUSAL 10000000000u
#define MOST_DOUBLINGS 8
/* How many functions get nodes at the same time: the program stands still for
 * them. */
#define MOST_AT_ONCE 16
/* With fewer ticks in the window nobody loses nodes: a program that does
 * nothing says nothing about its functions. */
#define LEAST_TO_STOP 20

void detail_choice_deinit(struct detail_choice *choice)
{
	for (size_t i = 0; i < choice->classes.count; i++)
		free(choice->classes.data[i].name);
	for (size_t i = 0; i < choice->functions.count; i++)
		free(choice->functions.data[i].name);
	vec_free(&choice->classes);
	vec_free(&choice->functions);
	strmap_deinit(&choice->class_numbers);
	strmap_deinit(&choice->function_numbers);
	*choice = (struct detail_choice){0};
}

void detail_choice_forget_ticks(struct detail_choice *choice)
{
	for (size_t i = 0; i < choice->classes.count; i++)
		memset(choice->classes.data[i].ticks, 0,
		       sizeof(choice->classes.data[i].ticks));
	for (size_t i = 0; i < choice->functions.count; i++)
		memset(choice->functions.data[i].ticks, 0,
		       sizeof(choice->functions.data[i].ticks));
	memset(choice->ticks, 0, sizeof(choice->ticks));
	choice->ticks_ever = 0;
}

uint32_t detail_choice_class(struct detail_choice *choice, const char *name)
{
	size_t number =
		(size_t)(uintptr_t)strmap_get(&choice->class_numbers, name);

	if (number)
		return (uint32_t)(number - 1);
	vec_push(&choice->classes,
		 (struct detail_class){.name = xstrdup(name)});
	number = choice->classes.count;
	strmap_set(&choice->class_numbers, name, (void *)(uintptr_t)number);
	return (uint32_t)(number - 1);
}

uint32_t detail_choice_function(struct detail_choice *choice, const char *name,
				uint32_t class)
{
	size_t number =
		(size_t)(uintptr_t)strmap_get(&choice->function_numbers, name);

	if (number)
		return (uint32_t)(number - 1);
	vec_push(&choice->functions,
		 (struct detail_function){.name = xstrdup(name),
					  .class = class});
	number = choice->functions.count;
	strmap_set(&choice->function_numbers, name, (void *)(uintptr_t)number);
	return (uint32_t)(number - 1);
}

/* ---- ticks --------------------------------------------------------------- */

void detail_choice_advance(struct detail_choice *choice)
{
	size_t slice = (choice->slice + 1) % DETAIL_SLICES;

	choice->slice = slice;
	choice->ticks[slice] = 0;
	for (size_t i = 0; i < choice->classes.count; i++)
		choice->classes.data[i].ticks[slice] = 0;
	for (size_t i = 0; i < choice->functions.count; i++)
		choice->functions.data[i].ticks[slice] = 0;
}

void detail_choice_add(struct detail_choice *choice, uint32_t ticks)
{
	choice->ticks[choice->slice] += ticks;
	choice->ticks_ever += ticks;
}

void detail_choice_add_class(struct detail_choice *choice, uint32_t class,
			     uint32_t ticks)
{
	choice->classes.data[class].ticks[choice->slice] += ticks;
}

void detail_choice_add_function(struct detail_choice *choice, uint32_t function,
				uint32_t ticks)
{
	choice->functions.data[function].ticks[choice->slice] += ticks;
}

/* Adds up the last `slices` slices. */
static double sum_of(const struct detail_choice *choice, const uint32_t *ticks,
		     size_t slices)
{
	double sum = 0;

	for (size_t i = 0; i < slices; i++)
		sum += ticks[(choice->slice + DETAIL_SLICES - i) %
			     DETAIL_SLICES];
	return sum;
}

/* Returns how many slices the window has. */
static size_t window_of(const struct detail_choice *choice)
{
	size_t slices = DETAIL_WINDOW;

	while (slices < DETAIL_SLICES &&
	       sum_of(choice, choice->ticks, slices) < DETAIL_TICKS)
		slices++;
	return slices;
}

static double share_of(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

double detail_choice_share(const struct detail_choice *choice,
			   uint32_t function)
{
	const size_t slices = window_of(choice);

	return share_of(
		sum_of(choice, choice->functions.data[function].ticks, slices),
		sum_of(choice, choice->ticks, slices));
}

/* ---- what the ticks want ------------------------------------------------- */

/* Does a class or a method pass its limits, if it did (`was`) or did not pass
 * them before? */
static bool passes(const struct detail_choice *choice,
		   const struct detail_limits *limits, bool was, double ticks,
		   double all)
{
	const double share = share_of(ticks, all);
	/* What begins at a share does not end at the same one. */
	const double stop = limits->stop_threshold < limits->threshold
				    ? limits->stop_threshold
				    : limits->threshold;

	if (was)
		return all < LEAST_TO_STOP || share >= stop;
	return (double)choice->ticks_ever >= limits->min_total && ticks > 0 &&
	       ticks >= limits->minimum && share >= limits->threshold;
}

static void find_wanted(struct detail_choice *choice,
			const struct detail_rules *rules)
{
	const size_t slices = window_of(choice);
	const double all = sum_of(choice, choice->ticks, slices);

	for (size_t i = 0; i < choice->classes.count; i++) {
		struct detail_class *class = &choice->classes.data[i];

		class->is_detailed =
			!class->is_system &&
			passes(choice, &rules->class, class->is_detailed,
			       sum_of(choice, class->ticks, slices), all);
	}
	for (size_t i = 0; i < choice->functions.count; i++) {
		struct detail_function *function = &choice->functions.data[i];

		function->in_window = sum_of(choice, function->ticks, slices);
		function->is_wanted =
			choice->classes.data[function->class].is_detailed &&
			!function->is_barred &&
			passes(choice, &rules->method, function->is_wanted,
			       function->in_window, all);
	}
}

/* ---- what the nodes cost ------------------------------------------------- */

void detail_choice_cost(struct detail_choice *choice, uint32_t function,
			double cost, double rate)
{
	struct detail_function *of = &choice->functions.data[function];

	of->cost = cost;
	of->rate = rate;
	if (of->state == DETAIL_TRIED)
		of->state = DETAIL_IN;
}

double detail_choice_total_cost(const struct detail_choice *choice)
{
	double sum = 0;

	for (size_t i = 0; i < choice->functions.count; i++)
		if (choice->functions.data[i].state != DETAIL_OUT)
			sum += choice->functions.data[i].cost;
	return sum;
}

static void remove_function(struct detail_choice *choice, size_t number,
			    bool is_dear, struct detail_change_list *changes)
{
	choice->functions.data[number].state = DETAIL_OUT;
	choice->functions.data[number].cost = 0;
	vec_push(changes, (struct detail_change){.function = (uint32_t)number,
						 .is_dear = is_dear});
}

/* Returns the number of the function that costs most for each of its ticks, or
 * SIZE_MAX if none costs anything. */
static size_t find_dearest(const struct detail_choice *choice)
{
	size_t dearest = SIZE_MAX;
	double most = 0;

	for (size_t i = 0; i < choice->functions.count; i++) {
		const struct detail_function *at = &choice->functions.data[i];
		double each = at->cost / (at->in_window + 1);

		if (at->state == DETAIL_OUT || each <= most)
			continue;
		most = each;
		dearest = i;
	}
	return dearest;
}

static void refuse(struct detail_choice *choice, size_t number, uint64_t now,
		   struct detail_change_list *changes)
{
	struct detail_function *function = &choice->functions.data[number];
	unsigned doublings = function->refusals < MOST_DOUBLINGS
				     ? function->refusals
				     : MOST_DOUBLINGS;

	function->refused_cost = function->cost;
	function->refused_rate = function->rate;
	function->refused_until = now + ((uint64_t)FIRST_REFUSAL << doublings);
	function->refusals++;
	remove_function(choice, number, true, changes);
}

static void keep_within_cost(struct detail_choice *choice, double cost,
			     uint64_t now, struct detail_change_list *changes)
{
	/* A function that alone costs too much is the one to refuse, whatever
	 * ticks it has. */
	for (size_t i = 0; i < choice->functions.count; i++)
		if (choice->functions.data[i].state != DETAIL_OUT &&
		    choice->functions.data[i].cost > cost)
			refuse(choice, i, now, changes);
	while (detail_choice_total_cost(choice) > cost) {
		size_t dearest = find_dearest(choice);

		if (dearest == SIZE_MAX)
			return;
		refuse(choice, dearest, now, changes);
	}
}

/* ---- in ------------------------------------------------------------------ */

/* Returns the number of the function with the most ticks that wants nodes and
 * may have them, or SIZE_MAX. */
static size_t find_next(const struct detail_choice *choice, double cost,
			uint64_t now)
{
	const double left = cost - detail_choice_total_cost(choice);
	size_t next = SIZE_MAX;
	double most = 0;

	for (size_t i = 0; i < choice->functions.count; i++) {
		const struct detail_function *at = &choice->functions.data[i];

		if (!at->is_wanted || at->state != DETAIL_OUT ||
		    (at->refusals && now < at->refused_until))
			continue;
		/* The others must first leave enough for what it cost before.
		 * If it alone was too dear, only a trial can tell whether it
		 * still is. */
		if (at->refusals && at->refused_cost <= cost &&
		    at->refused_cost > left)
			continue;
		if (at->in_window <= most)
			continue;
		most = at->in_window;
		next = i;
	}
	return next;
}

static size_t count_in(const struct detail_choice *choice)
{
	size_t count = 0;

	for (size_t i = 0; i < choice->functions.count; i++)
		count += choice->functions.data[i].state != DETAIL_OUT;
	return count;
}

void detail_choice_decide(struct detail_choice *choice,
			  const struct detail_rules *rules, uint64_t now,
			  struct detail_change_list *changes)
{
	size_t count, next;

	find_wanted(choice, rules);
	keep_within_cost(choice, rules->cost, now, changes);
	if (!rules->may_change)
		return;
	for (size_t i = 0; i < choice->functions.count; i++)
		if (choice->functions.data[i].state != DETAIL_OUT &&
		    !choice->functions.data[i].is_wanted)
			remove_function(choice, i, false, changes);
	count = count_in(choice);
	for (size_t i = 0; i < MOST_AT_ONCE && count < rules->most; i++) {
		next = find_next(choice, rules->cost, now);
		if (next == SIZE_MAX)
			return;
		choice->functions.data[next].state = DETAIL_TRIED;
		choice->functions.data[next].cost = 0;
		vec_push(changes,
			 (struct detail_change){.function = (uint32_t)next,
						.in = true});
		count++;
	}
}

void detail_choice_bar(struct detail_choice *choice, uint32_t function,
		       bool is_barred)
{
	struct detail_function *of = &choice->functions.data[function];

	of->is_barred = is_barred;
	if (is_barred)
		detail_choice_lost(choice, function);
}

void detail_choice_lost(struct detail_choice *choice, uint32_t function)
{
	struct detail_function *of = &choice->functions.data[function];

	of->state = DETAIL_OUT;
	of->is_wanted = false;
	of->cost = 0;
}
