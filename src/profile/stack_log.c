/* stack_log.c - see perftool/profile/stack_log.h */
#include "perftool/profile/stack_log.h"

#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/base/hash.h"
#include "perftool/base/str.h"

void stack_log_deinit(struct stack_log *log)
{
	for (size_t i = 0; i < log->waits.count; i++)
		free(log->waits.data[i]);
	vec_free(&log->nodes);
	vec_free(&log->samples);
	vec_free(&log->waits);
	map_deinit(&log->node_hash);
	map_deinit(&log->sample_hash);
	*log = (struct stack_log){0};
}

/* ---- recording ----------------------------------------------------------- */

static bool is_node(const struct stack_log_node *node, uint32_t parent,
		    const struct code_address *at, bool is_broken)
{
	return node->parent == parent && node->at.address == at->address &&
	       node->at.module == at->module &&
	       node->at.is_exact == at->is_exact &&
	       node->is_broken == is_broken;
}

/* Returns the number of the node for a frame that is called by the frame of
 * node `parent`. */
static uint32_t enter_node(struct stack_log *log, uint32_t parent,
			   const struct code_address *at, bool is_broken)
{
	uint64_t hash = hash_bytes(HASH_START, &parent, sizeof(parent));
	uint64_t number;

	hash = hash_bytes(hash, &at->address, sizeof(at->address));
	hash = hash_bytes(hash, &at->module, sizeof(at->module));
	/* other nodes of the same hash have the next keys */
	for (; (number = map_get_number(&log->node_hash, hash)); hash++) {
		if (is_node(&log->nodes.data[number], parent, at, is_broken))
			return (uint32_t)number;
	}
	number = log->nodes.count;
	vec_push(&log->nodes, (struct stack_log_node){.at = *at,
						      .parent = parent,
						      .is_broken = is_broken});
	map_set_number(&log->node_hash, hash, number);
	return (uint32_t)number;
}

/* Returns the number of a wait plus 1; 0 for none. */
static uint32_t wait_number(struct stack_log *log, const char *wait)
{
	if (!wait)
		return 0;
	for (size_t i = 0; i < log->waits.count; i++) {
		if (str_equal(log->waits.data[i], wait))
			return (uint32_t)i + 1;
	}
	vec_push(&log->waits, xstrdup(wait));
	return (uint32_t)log->waits.count;
}

void stack_log_credit(struct stack_log *log,
		      const struct stack_log_sample *sample)
{
	uint64_t hash = HASH_START, number;

	hash = hash_bytes(hash, &sample->node, sizeof(sample->node));
	hash = hash_bytes(hash, &sample->thread, sizeof(sample->thread));
	hash = hash_bytes(hash, &sample->wait, sizeof(sample->wait));
	hash = hash_byte(hash, (unsigned char)sample->reason);
	hash = hash_byte(hash, sample->is_delayed);
	for (; (number = map_get_number(&log->sample_hash, hash)); hash++) {
		struct stack_log_sample *known = &log->samples.data[number - 1];

		if (known->node == sample->node &&
		    known->thread == sample->thread &&
		    known->wait == sample->wait &&
		    known->reason == sample->reason &&
		    known->is_delayed == sample->is_delayed) {
			known->weight += sample->weight;
			return;
		}
	}
	vec_push(&log->samples, *sample);
	map_set_number(&log->sample_hash, hash, log->samples.count);
}

uint32_t stack_log_add(struct stack_log *log, const struct logged_stack *stack)
{
	uint32_t node = 0;

	if (!log->nodes.count)
		vec_push(&log->nodes, (struct stack_log_node){0});
	for (size_t i = stack->depth; i-- > 0;)
		node = enter_node(log, node, &stack->frames[i],
				  stack->is_broken && i + 1 == stack->depth);
	stack_log_credit(log, &(struct stack_log_sample){
				      .node = node,
				      .thread = stack->thread,
				      .wait = wait_number(log, stack->wait),
				      .reason = stack->reason,
				      .is_delayed = stack->is_delayed,
				      .weight = stack->weight});
	log->stacks++;
	log->frames += stack->depth;
	log->broken += stack->is_broken;
	return node;
}

/* ---- naming -------------------------------------------------------------- */

/* Which elements of a list of places an address has. */
struct place_range {
	size_t from, count;
};

/* What one resolution remembers: the places of each address, and the index of
 * each thread. */
struct resolution {
	const struct stack_log *log;
	const struct stack_namer *namer;
	struct call_stacks *out;
	struct call_place_list
		places; /* of all addresses, one after the other */
	VEC(struct place_range) ranges;
	struct map by_address; /* index plus 1 into `ranges` */
	struct map threads;    /* index plus 1 of the thread, by serial */
	struct call_place_list stack;
};

static const struct place_range *places_of(struct resolution *resolution,
					   const struct code_address *at)
{
	uint64_t key = at->address;
	uint64_t index;

	/* Addresses of files are below 2^47, so that module and kind fit
	 * beside them; a run-time address has module 0. */
	key ^= (uint64_t)at->module << 48 | (uint64_t)at->is_exact << 63;
	index = map_get_number(&resolution->by_address, key);
	if (!index) {
		struct place_range range = {.from = resolution->places.count};

		resolution->namer->name(resolution->namer->context, at,
					resolution->out, &resolution->places);
		range.count = resolution->places.count - range.from;
		vec_push(&resolution->ranges, range);
		index = resolution->ranges.count;
		map_set_number(&resolution->by_address, key, index);
	}
	return &resolution->ranges.data[index - 1];
}

static uint32_t thread_of(struct resolution *resolution, uint32_t serial)
{
	uint64_t index = map_get_number(&resolution->threads, serial);

	if (!index) {
		index = resolution->namer->thread(resolution->namer->context,
						  serial, resolution->out) +
			1u;
		map_set_number(&resolution->threads, serial, index);
	}
	return (uint32_t)index - 1;
}

static void add_wait(struct resolution *resolution, uint32_t wait)
{
	char *name =
		xasprintf("waiting.%s", resolution->log->waits.data[wait - 1]);
	const struct procedure procedure = {
		.name = name, .module = "", .is_wait = true};
	const struct call_place place = {
		.procedure = procedures_number(&resolution->out->procedures,
					       &procedure)};

	vec_push(&resolution->stack,
		 call_stacks_place(resolution->out, &place));
	free(name);
}

static void resolve_sample(struct resolution *resolution,
			   const struct stack_log_sample *sample)
{
	const struct stack_log *log = resolution->log;
	bool is_broken = false;

	vec_clear(&resolution->stack);
	if (sample->wait)
		add_wait(resolution, sample->wait);
	for (uint32_t node = sample->node; node;
	     node = log->nodes.data[node].parent) {
		const struct place_range *range =
			places_of(resolution, &log->nodes.data[node].at);

		is_broken |= log->nodes.data[node].is_broken;
		for (size_t i = 0; i < range->count; i++)
			vec_push(&resolution->stack,
				 resolution->places.data[range->from + i]);
	}
	call_stacks_add(resolution->out,
			&(struct call_sample){
				.stack = call_stacks_stack(
					resolution->out, resolution->stack.data,
					resolution->stack.count, is_broken),
				.thread = thread_of(resolution, sample->thread),
				.reason = sample->reason,
				.is_delayed = sample->is_delayed,
				.weight = sample->weight});
}

void stack_log_resolve(const struct stack_log *log,
		       const struct stack_namer *namer, struct call_stacks *out)
{
	struct resolution resolution = {.log = log, .namer = namer, .out = out};

	for (size_t i = 0; i < log->samples.count; i++)
		resolve_sample(&resolution, &log->samples.data[i]);
	vec_free(&resolution.places);
	vec_free(&resolution.ranges);
	vec_free(&resolution.stack);
	map_deinit(&resolution.by_address);
	map_deinit(&resolution.threads);
}
