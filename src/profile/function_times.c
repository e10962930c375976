/* function_times.c - see perftool/profile/function_times.h */
#include "perftool/profile/function_times.h"

#include <stdlib.h>

#include "procedure_order.h"

/* What one thread has of a function. */
struct share {
	uint32_t procedure;
	struct thread_times thread;
};

VEC_STRUCT(share_list, struct share);

void function_times_deinit(struct function_times_list *list)
{
	vec_free(&list->functions);
	vec_free(&list->threads);
}

/* By what the rows are ordered. */
struct order {
	const struct procedures *procedures;
	bool by_cpu;
};

static int times_order(const struct call_times *a, const struct call_times *b,
		       bool by_cpu)
{
	const int64_t total = call_total(a, by_cpu);
	const int64_t other_total = call_total(b, by_cpu);
	const int64_t self = call_self(a, by_cpu);
	const int64_t other_self = call_self(b, by_cpu);

	if (total != other_total)
		return total > other_total ? -1 : 1;
	if (self != other_self)
		return self > other_self ? -1 : 1;
	return (a->count < b->count) - (a->count > b->count);
}

/* The shares of one function are together. */
static int share_order(const void *a, const void *b, void *context)
{
	const struct share *left = a, *right = b;
	const struct order *by = context;
	int order;

	if (left->procedure != right->procedure)
		return left->procedure > right->procedure ? 1 : -1;
	order = times_order(&left->thread.times, &right->thread.times,
			    by->by_cpu);
	return order ? order
		     : (left->thread.thread > right->thread.thread) -
			       (left->thread.thread < right->thread.thread);
}

static int function_order(const void *a, const void *b, void *context)
{
	const struct function_times *left = a, *right = b;
	const struct order *by = context;
	const int order = times_order(&left->times, &right->times, by->by_cpu);

	return order ? order
		     : procedure_order(by->procedures, left->procedure,
				       right->procedure);
}

static void gather(const struct call_arcs *arcs, const struct order *order,
		   struct share_list *shares)
{
	struct map by_pair = {0}; /* index plus 1 */

	for (size_t i = 0; i < arcs->list.count; i++) {
		const struct call_arc *arc = &arcs->list.data[i];
		const uint64_t key = (uint64_t)arc->callee << 32 | arc->thread;
		uint64_t number = map_get_number(&by_pair, key);

		if (!number) {
			const struct share share = {
				.procedure = arc->callee,
				.thread = {.thread = arc->thread}};

			vec_push(shares, share);
			number = shares->count;
			map_set_number(&by_pair, key, number);
		}
		call_times_add(&shares->data[number - 1].thread.times,
			       &arc->times);
	}
	map_deinit(&by_pair);
	if (shares->count)
		qsort_r(shares->data, shares->count, sizeof(*shares->data),
			share_order, (void *)order);
}

/* What was subtracted for hits is an average, so that the sum of the times of
 * children can be below 0. */
static void reconcile(struct call_times *times)
{
	if (times->outermost < times->self)
		times->outermost = times->self;
}

static void add_to_whole(const struct call_times *times,
			 struct function_times_list *list)
{
	const int64_t elapsed = call_self(times, false);
	const int64_t on_cpu = call_self(times, true);

	list->whole += elapsed > 0 ? elapsed : 0;
	list->whole_on_cpu += on_cpu > 0 ? on_cpu : 0;
}

void function_times_make(const struct call_arcs *arcs,
			 const struct procedures *procedures, bool by_cpu,
			 struct function_times_list *list)
{
	const struct order order = {.procedures = procedures, .by_cpu = by_cpu};
	struct share_list shares = {0};
	struct function_times *function = NULL;

	gather(arcs, &order, &shares);
	for (size_t i = 0; i < shares.count; i++) {
		const struct share *share = &shares.data[i];

		if (!function || function->procedure != share->procedure) {
			vec_push(&list->functions,
				 (struct function_times){
					 .procedure = share->procedure,
					 .first_thread = i});
			function = &list->functions
					    .data[list->functions.count - 1];
		}
		vec_push(&list->threads, share->thread);
		call_times_add(&function->times, &share->thread.times);
		add_to_whole(&share->thread.times, list);
		function->thread_count++;
	}
	vec_free(&shares);
	for (size_t i = 0; i < list->functions.count; i++)
		reconcile(&list->functions.data[i].times);
	for (size_t i = 0; i < list->threads.count; i++)
		reconcile(&list->threads.data[i].times);
	if (list->functions.count)
		qsort_r(list->functions.data, list->functions.count,
			sizeof(*list->functions.data), function_order,
			(void *)&order);
	add_to_whole(&arcs->other, list);
	list->other = arcs->other;
	/* Which of these calls were inside others is not known. */
	list->other.outermost = list->other.self;
	list->other.waiting = list->other.self_waiting;
	list->others = arcs->others;
}
