/*
 * profile_model.h - a random program whose calls and ticks are known: what
 * tests of flat profiles and call graphs compare with
 *
 * A program is a list of slices. Each slice is a thread's stack for some
 * nanoseconds. The sums over slices are the truth; the arcs come from a shadow
 * stack, as they do in a measured program.
 */
#ifndef TEST_PROFILE_MODEL_H
#define TEST_PROFILE_MODEL_H

#include <stdio.h>

#include "perftool/base/vec.h"
#include "perftool/profile/call_arcs.h"
#include "perftool/profile/call_stacks.h"

#define MODEL_MOST 12 /* procedures */
#define MODEL_DEPTH 40

struct model_slice {
	int64_t time;
	size_t depth;
	uint32_t stack[MODEL_DEPTH]; /* outermost first */
};

struct model_frame {
	uint32_t procedure;
	int64_t elapsed, children;
};

struct model {
	uint64_t random;
	size_t procedures;
	struct call_stacks stacks; /* has the table of procedures */
	struct call_arcs arcs;
	VEC(struct model_slice) slices;
	int64_t least; /* ns; each slice takes so long or longer */
	int64_t total;
	uint64_t calls[MODEL_MOST];
	/* [caller][callee]; the last row is that of unknown callers */
	uint64_t counts[MODEL_MOST + 1][MODEL_MOST];
};

static inline uint64_t model_random(struct model *model)
{
	model->random ^= model->random << 13;
	model->random ^= model->random >> 7;
	model->random ^= model->random << 17;
	return model->random * 0x2545f4914f6cdd1dULL >> 16;
}

static inline void model_procedures(struct model *model, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char name[24];

		snprintf(name, sizeof(name), "f%zu", i);
		procedures_number(&model->stacks.procedures,
				  &(struct procedure){.name = name,
						      .module = "model",
						      .address = i + 1});
	}
	model->procedures = count;
}

/* The innermost call ends. */
static inline void model_return(struct model *model, uint32_t thread,
				struct model_frame *frames, size_t *depth)
{
	const struct model_frame frame = frames[--*depth];
	struct call_arc arc = {.thread = thread,
			       .caller = NO_PROCEDURE,
			       .callee = frame.procedure,
			       .site = model_random(model) % 3,
			       .times = {.count = 1,
					 .elapsed = frame.elapsed,
					 .self = frame.elapsed - frame.children,
					 .outermost = frame.elapsed}};

	for (size_t i = 0; i < *depth; i++) {
		if (frames[i].procedure == frame.procedure)
			arc.times.outermost = 0;
	}
	if (*depth) {
		arc.caller = frames[*depth - 1].procedure;
		frames[*depth - 1].children += frame.elapsed;
	}
	call_arcs_add(&model->arcs, &arc);
	model->calls[frame.procedure]++;
	model->counts[*depth ? arc.caller : MODEL_MOST][frame.procedure]++;
}

static inline void model_pass(struct model *model, struct model_frame *frames,
			      size_t depth, int64_t time)
{
	struct model_slice slice = {.time = time, .depth = depth};

	if (!depth)
		return;
	for (size_t i = 0; i < depth; i++) {
		frames[i].elapsed += time;
		slice.stack[i] = frames[i].procedure;
	}
	vec_push(&model->slices, slice);
	model->total += time;
}

/*
 * Let a thread make random calls. Which procedure may call which is random,
 * too: `edges` has a bit for each callee. Half of the programs let all calls
 * end; in the others the outermost calls are still open.
 */
static inline void model_thread(struct model *model, uint32_t thread,
				const uint32_t *edges, bool ends)
{
	struct model_frame frames[MODEL_DEPTH];
	size_t depth = 0;

	for (size_t steps = model_random(model) % 200; steps > 0; steps--) {
		uint32_t callee =
			(uint32_t)(model_random(model) % model->procedures);
		const bool may =
			!depth ||
			edges[frames[depth - 1].procedure] >> callee & 1;

		if (may && depth < MODEL_DEPTH && model_random(model) % 2)
			frames[depth++] =
				(struct model_frame){.procedure = callee};
		else if (depth && model_random(model) % 2)
			model_return(model, thread, frames, &depth);
		model_pass(model, frames, depth,
			   model->least + (int64_t)(model_random(model) % 100));
	}
	while (ends && depth)
		model_return(model, thread, frames, &depth);
}

static inline void model_init(struct model *model, uint64_t seed, bool ends,
			      int64_t least)
{
	uint32_t edges[MODEL_MOST];
	size_t density, threads;

	*model = (struct model){.random = seed * 0x9e3779b97f4a7c15ULL + 1,
				.least = least};
	model_random(model);
	model_procedures(model, 1 + model_random(model) % MODEL_MOST);
	density = 1 + model_random(model) % 6;
	for (size_t i = 0; i < model->procedures; i++) {
		edges[i] = 0;
		for (size_t j = 0; j < model->procedures; j++)
			edges[i] |=
				(uint32_t)(model_random(model) % density == 0)
				<< j;
	}
	threads = 1 + model_random(model) % 3;
	for (uint32_t i = 0; i < threads; i++)
		model_thread(model, i, edges, ends);
}

/* Make ticks of the slices: a tick for each nanosecond. There are other samples
 * of the same stacks, too. */
static inline void model_ticks(struct model *model)
{
	for (size_t i = 0; i < model->slices.count; i++) {
		const struct model_slice *slice = &model->slices.data[i];
		uint32_t places[MODEL_DEPTH];
		struct call_sample sample = {
			.is_delayed = model_random(model) % 4 == 0,
			.reason = SAMPLE_TICK,
			.weight = (uint64_t)slice->time};

		for (size_t j = 0; j < slice->depth; j++)
			places[j] = call_stacks_place(
				&model->stacks,
				&(struct call_place){
					.procedure = slice->stack[slice->depth -
								  1 - j],
					.address = model_random(model) % 2});
		sample.stack = call_stacks_stack(&model->stacks, places,
						 slice->depth, false);
		call_stacks_add(&model->stacks, &sample);
		sample.reason = SAMPLE_ALLOCATION;
		call_stacks_add(&model->stacks, &sample);
	}
}

static inline void model_deinit(struct model *model)
{
	call_stacks_deinit(&model->stacks);
	call_arcs_deinit(&model->arcs);
	vec_free(&model->slices);
}

#endif
