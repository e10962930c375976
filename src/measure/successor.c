/*
 * successor.c - legs from the node that a thread hit last to the node that it
 * hits next
 *
 * Under `track successor` only these legs are measured. `add successor` enters
 * those that are not in the table. Rule: doc/RULES.md, "A hit, in order".
 */
#include "measure/threads/threads.h"
#include "measure_state.h"
#include "perftool/measure/measured_legs.h"

/* Counts an execution of the leg from the node that this thread hit last. The
 * execution counts as one hit of *from* and one hit of *to*. */
static void record_successor(struct measure *measure, struct leg *leg,
			     struct thread *thread, const struct hit *hit)
{
	struct span span = moment_span(measure, &thread->last, &thread->now);
	struct measure_row *row = row_at_to(leg, hit);

	for (size_t i = 0; !row && i < thread->begun.count; i++) {
		const struct begun *begun = &thread->begun.data[i];

		if (begun->leg == leg->public.id)
			row = row_begun(leg, begun->split, begun->row);
	}
	if (thread->goroutine)
		is_of_goroutine(leg);
	leg->public.from_hits++;
	leg->public.to_hits++;
	record_execution(
		measure, leg, thread, hit, &span,
		&(struct opening){.start = &thread->last,
				  .key = &(struct value){.kind = VALUE_NONE},
				  .row = row,
				  .since = thread->logged});
}

/* Remembers, for each leg that starts at this node and is split, the row in
 * which an execution of the leg would count. Only the next hit shows which leg
 * this hit begins, but the labels that choose the rows are known only now. */
static void note_begun(struct thread *thread, const struct node *node,
		       const struct hit *hit)
{
	vec_clear(&thread->begun);
	for (size_t i = 0; i < node->starting.count; i++) {
		const struct leg *leg = node->starting.data[i];
		struct measure_row *row = row_at_from(leg, hit);

		if (row)
			vec_push(&thread->begun,
				 (struct begun){
					 leg->public.id,
					 split_of(leg->public.split)->serial,
					 row});
	}
}

/* Enters the leg from the thread's last node to this node. Returns NULL if
 * there is no last node, if the last node is deleted, or if there is such a leg
 * already. */
static struct leg *add_missing_leg(struct measure *measure,
				   struct thread *thread, uint32_t node)
{
	struct leg_spec spec;

	if (!thread->has_last || find_leg(measure, thread->last_node, node) ||
	    find_node(measure, thread->last_node)->public.deleted)
		return NULL;
	spec = measure->successor_spec;
	spec.from = thread->last_node;
	spec.to = node;
	return enter_leg(measure, &spec);
}

void enter_successor(struct measure *measure, struct thread *thread,
		     const struct hit *hit)
{
	struct leg *added = add_missing_leg(measure, thread, hit->node);

	if (added)
		record_successor(measure, added, thread, hit);
}

/* Counts an execution of the leg from the thread's last node to this node, if
 * there is such a leg. */
static void record_last(struct measure *measure, struct thread *thread,
			const struct hit *hit)
{
	struct leg *leg;

	if (!thread->has_last ||
	    find_node(measure, thread->last_node)->public.deleted)
		return;
	if (measure->add_successor)
		add_missing_leg(measure, thread, hit->node);
	leg = find_leg(measure, thread->last_node, hit->node);
	if (leg)
		record_successor(measure, leg, thread, hit);
}

void track_successor(struct measure *measure, const struct node *node,
		     struct thread *thread, const struct hit *hit)
{
	record_last(measure, thread, hit);
	note_begun(thread, node, hit);
}
