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
/* The part of the time that a program is on CPUs, at least, if its costs are
 * to be known. */
#define LEAST_BUSY 0.01
/* A function makes way for one that costs less for its ticks, by so many times:
 * ticks are few, and vary. */
#define FAR_DEARER 2

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

/* The least part of the time on CPUs that is taken to be the program's own.
 * Hits that cost more than twice the limit, and as much as the program itself,
 * are only known to cost that much. */
static double least_own(double limit)
{
	return 1 / (2 * (1 + limit));
}

struct detail_own_time detail_own_time(double cpu, double elapsed, double spent,
				       double limit)
{
	/* A program that was hardly on a CPU has hardly been measured. */
	const double idle = elapsed * LEAST_BUSY;
	/* Hits took part of the time on CPUs, not more than all of it. The
	 * kernel's figure for a thread that runs is up to a clock tick old. */
	const double on_cpu = cpu > spent ? cpu : spent;
	const double least = on_cpu * least_own(limit);
	struct detail_own_time time = {.ns = on_cpu - spent};

	if (time.ns < least)
		time = (struct detail_own_time){least, true};
	if (time.ns < idle)
		time.ns = idle;
	return time;
}

struct detail_cost detail_cost_of(double calls, double spent,
				  const struct detail_own_time *own,
				  double elapsed)
{
	return (struct detail_cost){.share = spent / own->ns,
				    .cpu_rate = calls * 1e9 / own->ns,
				    .rate = calls * 1e9 / elapsed,
				    .is_least = own->is_most};
}

void detail_choice_cost(struct detail_choice *choice, uint32_t function,
			const struct detail_cost *cost)
{
	struct detail_function *of = &choice->functions.data[function];

	of->cost = *cost;
	if (of->state == DETAIL_TRIED)
		of->state = DETAIL_IN;
}

double detail_choice_total_cost(const struct detail_choice *choice)
{
	double sum = 0;

	for (size_t i = 0; i < choice->functions.count; i++)
		if (choice->functions.data[i].state != DETAIL_OUT)
			sum += choice->functions.data[i].cost.share;
	return sum;
}

bool detail_is_refused(const struct detail_function *function, uint64_t now)
{
	if (function->state != DETAIL_OUT)
		return false;
	return function->refusal == DETAIL_NO_ROOM
		       ? function->is_wanted
		       : function->refusal == DETAIL_TOO_DEAR &&
				 now < function->refused_until;
}

static void remove_function(struct detail_choice *choice, size_t number,
			    bool is_dear, struct detail_change_list *changes)
{
	choice->functions.data[number].state = DETAIL_OUT;
	choice->functions.data[number].cost = (struct detail_cost){0};
	vec_push(changes, (struct detail_change){.function = (uint32_t)number,
						 .is_dear = is_dear});
}

/* What a function costs for each of its ticks. */
static double cost_each(const struct detail_function *function, double share)
{
	return share / (function->in_window + 1);
}

/* Returns the number of the function that costs most for each of its ticks, or
 * SIZE_MAX if none costs anything. */
static size_t find_dearest(const struct detail_choice *choice)
{
	size_t dearest = SIZE_MAX;
	double most = 0;

	for (size_t i = 0; i < choice->functions.count; i++) {
		const struct detail_function *at = &choice->functions.data[i];
		double each = cost_each(at, at->cost.share);

		if (at->state == DETAIL_OUT || each <= most)
			continue;
		most = each;
		dearest = i;
	}
	return dearest;
}

/* Only what is too dear by itself waits for a time: the others wait for
 * room. */
static void refuse(struct detail_choice *choice, size_t number,
		   const struct detail_rules *rules, uint64_t now,
		   struct detail_change_list *changes)
{
	struct detail_function *function = &choice->functions.data[number];
	unsigned doublings = function->refusals < MOST_DOUBLINGS
				     ? function->refusals
				     : MOST_DOUBLINGS;

	function->refused = function->cost;
	function->refusal = DETAIL_NO_ROOM;
	if (function->cost.share > rules->room) {
		function->refusal = DETAIL_TOO_DEAR;
		function->refused_until =
			now + ((uint64_t)FIRST_REFUSAL << doublings);
		function->refusals++;
	}
	remove_function(choice, number, true, changes);
}

static void keep_within_cost(struct detail_choice *choice,
			     const struct detail_rules *rules, uint64_t now,
			     struct detail_change_list *changes)
{
	/* A function that alone costs too much is the one to refuse, whatever
	 * ticks it has. */
	for (size_t i = 0; i < choice->functions.count; i++)
		if (choice->functions.data[i].state != DETAIL_OUT &&
		    choice->functions.data[i].cost.share > rules->cost)
			refuse(choice, i, rules, now, changes);
	while (detail_choice_total_cost(choice) > rules->cost) {
		size_t dearest = find_dearest(choice);

		if (dearest == SIZE_MAX)
			return;
		refuse(choice, dearest, rules, now, changes);
	}
}

/* ---- in ------------------------------------------------------------------ */

/* Returns the share that a function would find: what the others have left, and
 * what those cost that cost far more for their ticks, which would have to go.
 */
static double room_for(const struct detail_choice *choice,
		       const struct detail_function *function, double room)
{
	const double each = cost_each(function, function->refused.share);
	double left = room - detail_choice_total_cost(choice);

	for (size_t i = 0; i < choice->functions.count; i++) {
		const struct detail_function *at = &choice->functions.data[i];

		if (at->state == DETAIL_IN &&
		    cost_each(at, at->cost.share) > FAR_DEARER * each)
			left += at->cost.share;
	}
	return left;
}

/* May a function that was refused be tried again? */
static bool may_return(const struct detail_choice *choice,
		       const struct detail_function *function,
		       const struct detail_rules *rules, uint64_t now)
{
	if (function->refusal == DETAIL_NOT_REFUSED)
		return true;
	if (function->refusal == DETAIL_TOO_DEAR &&
	    now < function->refused_until)
		return false;
	/* The others must leave enough for what it cost before. If it alone was
	 * too dear, only a trial can tell whether it still is. */
	return function->refused.share > rules->room ||
	       function->refused.share <=
		       room_for(choice, function, rules->room);
}

/* Returns the number of the function with the most ticks that wants nodes and
 * may have them, or SIZE_MAX. */
static size_t find_next(const struct detail_choice *choice,
			const struct detail_rules *rules, uint64_t now)
{
	size_t next = SIZE_MAX;
	double most = 0;

	for (size_t i = 0; i < choice->functions.count; i++) {
		const struct detail_function *at = &choice->functions.data[i];

		if (!at->is_wanted || at->state != DETAIL_OUT ||
		    at->in_window <= most ||
		    !may_return(choice, at, rules, now))
			continue;
		most = at->in_window;
		next = i;
	}
	return next;
}

/* A function gets nodes. Until their cost is measured, one that was refused is
 * taken to cost what it cost then: others are to leave room for it. */
static void try_function(struct detail_choice *choice, size_t number,
			 const struct detail_rules *rules,
			 struct detail_change_list *changes)
{
	struct detail_function *function = &choice->functions.data[number];

	function->state = DETAIL_TRIED;
	function->cost = (struct detail_cost){0};
	if (function->refusal && function->refused.share <= rules->room)
		function->cost = function->refused;
	vec_push(changes, (struct detail_change){.function = (uint32_t)number,
						 .in = true});
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
	keep_within_cost(choice, rules, now, changes);
	if (!rules->may_change)
		return;
	for (size_t i = 0; i < choice->functions.count; i++)
		if (choice->functions.data[i].state != DETAIL_OUT &&
		    !choice->functions.data[i].is_wanted)
			remove_function(choice, i, false, changes);
	count = count_in(choice);
	for (size_t i = 0; i < MOST_AT_ONCE && count < rules->most; i++) {
		next = find_next(choice, rules, now);
		if (next == SIZE_MAX)
			return;
		try_function(choice, next, rules, changes);
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
	of->cost = (struct detail_cost){0};
}
