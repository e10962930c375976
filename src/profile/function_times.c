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

static int times_order(const struct call_times *a, const struct call_times *b)
{
	if (a->outermost != b->outermost)
		return a->outermost > b->outermost ? -1 : 1;
	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	return (a->count < b->count) - (a->count > b->count);
}

/* The shares of one function are together. */
static int share_order(const void *a, const void *b)
{
	const struct share *left = a, *right = b;
	int order;

	if (left->procedure != right->procedure)
		return left->procedure > right->procedure ? 1 : -1;
	order = times_order(&left->thread.times, &right->thread.times);
	return order ? order
		     : (left->thread.thread > right->thread.thread) -
			       (left->thread.thread < right->thread.thread);
}

static int function_order(const void *a, const void *b, void *procedures)
{
	const struct function_times *left = a, *right = b;
	const int order = times_order(&left->times, &right->times);

	return order ? order
		     : procedure_order(procedures, left->procedure,
				       right->procedure);
}

static void gather(const struct call_arcs *arcs, struct share_list *shares)
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
		qsort(shares->data, shares->count, sizeof(*shares->data),
		      share_order);
}

void function_times_make(const struct call_arcs *arcs,
			 const struct procedures *procedures,
			 struct function_times_list *list)
{
	struct share_list shares = {0};
	struct function_times *function = NULL;

	gather(arcs, &shares);
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
		function->thread_count++;
	}
	vec_free(&shares);
	if (list->functions.count)
		qsort_r(list->functions.data, list->functions.count,
			sizeof(*list->functions.data), function_order,
			(void *)procedures);
	list->other = arcs->other;
	list->others = arcs->others;
}
