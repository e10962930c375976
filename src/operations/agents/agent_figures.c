/*
 * agent_figures.c - what the agents have accumulated, and since when: see
 * agents.h
 */
#include "agents.h"

#include <stdlib.h>

#include "operations/desk.h"
#include "operations/samples/samples.h"
#include "operations/thread_figures.h"
#include "perftool/base/alloc.h"
#include "perftool/document.h"
#include "perftool/session/measurements.h"
#include "perftool/session/ticks.h"

static struct agent *find(const struct agent_list *agents, const char *name)
{
	for (size_t i = 0; i < agents->list.count; i++)
		if (str_equal(agents->list.data[i].name, name))
			return &agents->list.data[i];
	return NULL;
}

/* The legs of the tables are in the order of their numbers. */
static const struct report_leg *find_leg(const struct tables *tables,
					 uint32_t id)
{
	size_t low = 0, high = tables->leg_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (tables->legs[middle].stats->id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < tables->leg_count && tables->legs[low].stats->id == id
		       ? &tables->legs[low]
		       : NULL;
}

/* NULL: the breakpoint is no node yet. */
static const struct report_node *find_node(const struct tables *tables,
					   uint32_t id)
{
	for (size_t i = 0; i < tables->node_count; i++)
		if (tables->nodes[i].stats->id == id)
			return &tables->nodes[i];
	return NULL;
}

/* Appends the numbers of the legs of an agent: its own, and those of the
 * details that name it. */
static void list_legs(const struct desk *desk, const struct agent *agent,
		      uint32_t **legs, size_t *count)
{
	VEC(uint32_t) list = {0};

	for (size_t i = 0; i < agent->legs.count; i++)
		vec_push(&list, agent->legs.data[i]);
	for (size_t i = 0; i < agent->locations.count; i++) {
		const struct timed_function *timed =
			timed_set_find(&desk->timed, agent->locations.data[i]);

		if (timed)
			vec_push(&list, timed->leg);
	}
	for (size_t i = 0; i < desk->details.list.count; i++) {
		const struct detail *detail = &desk->details.list.data[i];

		if (!str_equal(detail->agent, agent->name))
			continue;
		for (size_t j = 0; j < detail->locations.count; j++) {
			const struct timed_function *timed = timed_set_find(
				&desk->timed, detail->locations.data[j]);

			if (timed)
				vec_push(&list, timed->leg);
		}
	}
	*legs = list.data;
	*count = list.count;
}

static struct past past_of(const struct agent *agent, uint64_t key)
{
	const struct past *past = map_get(&agent->past, key);

	return past ? *past : (struct past){0};
}

static void keep_past(struct agent *agent, uint64_t key, uint64_t count,
		      int64_t total)
{
	struct past *past = map_get(&agent->past, key);

	if (!past) {
		past = xcalloc(1, sizeof(*past));
		map_set(&agent->past, key, past);
	}
	*past = (struct past){count, total};
}

static struct error *clear_one(struct desk *desk, struct agent *agent)
{
	const struct tables *tables = session_tables(desk->session);
	CLEANUP(free_pointer) uint32_t *legs = NULL;
	struct thread_figures_list threads = {0};
	size_t count;

	if (agent->kind == AGENT_CPU)
		TRY(session_ticks_flush(desk->session));
	list_legs(desk, agent, &legs, &count);
	for (size_t i = 0; i < count; i++) {
		const struct report_leg *leg = find_leg(tables, legs[i]);

		if (leg)
			keep_past(agent, legs[i], leg->stats->count,
				  (int64_t)leg->stats->total);
	}
	for (size_t i = 0; i < agent->nodes.count; i++) {
		const struct report_node *node =
			find_node(tables, agent->nodes.data[i]);

		if (node)
			keep_past(agent, NODE_KEY(node->stats->id),
				  node->stats->count, 0);
	}
	if (agent->kind == AGENT_THREADS)
		thread_figures_read(desk->session, &threads);
	for (size_t i = 0; i < threads.count; i++)
		keep_past(agent, (uint64_t)threads.data[i].tid,
			  threads.data[i].switches, threads.data[i].cpu);
	vec_free(&threads);
	return NULL;
}

struct error *agents_clear(struct desk *desk, const char *name)
{
	struct agent_list *agents = &desk->agents;

	if (name) {
		struct agent *agent = find(agents, name);

		return agent ? clear_one(desk, agent)
			     : error_create(ERROR_NOT_FOUND,
					    "there is no agent `%s': AGENT "
					    "adds one, and so does SETDETAIL",
					    name);
	}
	TRY(session_zero_tables(desk->session));
	for (size_t i = 0; i < agents->list.count; i++)
		agent_clear_past(&agents->list.data[i]);
	for (size_t i = 0; i < agents->list.count; i++)
		if (agents->list.data[i].kind == AGENT_THREADS)
			TRY(clear_one(desk, &agents->list.data[i]));
	return session_ticks_flush(desk->session);
}

/* ---- the report ---------------------------------------------------------- */

static struct json_object *leg_figures(const struct agent *agent,
				       const struct tables *tables,
				       const struct report_leg *leg)
{
	struct json_object *one = json_object_new_object();
	const struct report_node *from =
		find_node(tables, leg->stats->spec.from);
	struct past past = past_of(agent, leg->stats->id);

	json_object_object_add(one, "leg",
			       json_object_new_int64(leg->stats->id));
	json_object_object_add(one, "name", document_text(leg->name));
	/* Several libraries may have a function of one name, as malloc. */
	if (from && from->module)
		json_object_object_add(one, "module",
				       document_text(from->module));
	json_object_object_add(
		one, "count",
		json_object_new_int64(
			(int64_t)(leg->stats->count - past.count)));
	json_object_object_add(
		one, "total_ns",
		json_object_new_int64((int64_t)leg->stats->total - past.total));
	return one;
}

/* The nodes that a script has added, and how often they were reached. */
static struct json_object *node_figures(const struct agent *agent,
					const struct tables *tables)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < agent->nodes.count; i++) {
		const struct report_node *node =
			find_node(tables, agent->nodes.data[i]);
		struct json_object *one;
		struct past past;

		if (!node)
			continue;
		past = past_of(agent, NODE_KEY(node->stats->id));
		one = json_object_new_object();
		json_object_object_add(one, "id",
				       json_object_new_int64(node->stats->id));
		json_object_object_add(one, "name", document_text(node->place));
		json_object_object_add(
			one, "count",
			json_object_new_int64(
				(int64_t)(node->stats->count - past.count)));
		json_object_array_add(list, one);
	}
	return list;
}

static struct json_object *thread_object(const struct agent *agent,
					 const struct thread_figures *thread)
{
	struct json_object *one = json_object_new_object();
	struct past past = past_of(agent, (uint64_t)thread->tid);
	char state[2] = {thread->state, '\0'};

	json_object_object_add(one, "id", json_object_new_int(thread->tid));
	json_object_object_add(one, "name", document_text(thread->name));
	json_object_object_add(one, "state", document_text(state));
	json_object_object_add(one, "cpu_ns",
			       json_object_new_int64(thread->cpu - past.total));
	json_object_object_add(
		one, "switches",
		json_object_new_int64(
			(int64_t)(thread->switches - past.count)));
	return one;
}

static struct json_object *agent_object(struct desk *desk,
					const struct agent *agent)
{
	const struct tables *tables = session_tables(desk->session);
	CLEANUP(free_pointer) uint32_t *legs = NULL;
	struct json_object *one = json_object_new_object();
	struct json_object *list = json_object_new_array();
	struct thread_figures_list threads = {0};
	size_t count;

	json_object_object_add(one, "name", document_text(agent->name));
	list_legs(desk, agent, &legs, &count);
	for (size_t i = 0; i < count; i++) {
		const struct report_leg *leg = find_leg(tables, legs[i]);

		if (leg)
			json_object_array_add(list,
					      leg_figures(agent, tables, leg));
	}
	json_object_object_add(one, "function", list);
	if (agent->kind == AGENT_SCRIPT)
		json_object_object_add(one, "node",
				       node_figures(agent, tables));
	if (agent->kind == AGENT_CPU)
		json_object_object_add(one, "samples", samples_object(desk));
	if (agent->kind != AGENT_THREADS)
		return one;
	list = json_object_new_array();
	thread_figures_read(desk->session, &threads);
	for (size_t i = 0; i < threads.count; i++)
		json_object_array_add(list,
				      thread_object(agent, &threads.data[i]));
	vec_free(&threads);
	json_object_object_add(one, "thread", list);
	return one;
}

struct json_object *agents_report(struct desk *desk, const char *name)
{
	const struct agent_list *agents = &desk->agents;
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < agents->list.count; i++)
		if (!name || str_equal(agents->list.data[i].name, name))
			json_object_array_add(
				list,
				agent_object(desk, &agents->list.data[i]));
	return list;
}
