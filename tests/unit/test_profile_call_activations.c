/*
 * test_profile_call_activations.c - the machine that counts calls
 * (perftool/profile/call_activations.h), against a model that takes its time
 *
 * A simulated thread calls, returns, jumps, unwinds and changes stacks. Its
 * hits feed the machine and the model. The model keeps a record of each call in
 * one array, finds out by looking through all of them which ones a hit ends,
 * and computes all figures at the end.
 *
 * tier: core
 * covers: profile
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/profile/call_activations.h"

#define FUNCTIONS 6
#define UNNAMED CALL_NO_FUNCTION
/* The own stack, that of signal handlers, and two stacks side by side. */
#define STACKS 4
#define STACK_BYTES 16384

/* ---- the model ----------------------------------------------------------- */

struct record {
	uint32_t function;
	unsigned stack;
	uint64_t frame, site, start, end;
	uint64_t hits_start, hits_end; /* hits before, for what they cost */
	uint64_t waited_start, waited_end;
	size_t parent;     /* index plus 1; 0: none */
	bool is_outermost; /* decided when it ends */
	bool is_open, is_returned, is_deep;
	bool is_forgotten; /* what it counted was set back to 0 */
	uint32_t coming;
};

struct model {
	VEC(struct record) records;
	uint64_t hits, waited, ignored, deep;
};

static size_t open_on(const struct model *model, unsigned stack)
{
	size_t count = 0;

	for (size_t i = 0; i < model->records.count; i++)
		count += model->records.data[i].is_open &&
			 model->records.data[i].stack == stack;
	return count;
}

static void model_close(struct model *model, size_t index, uint64_t time,
			bool is_returned)
{
	struct record *record = &model->records.data[index];

	record->is_open = false;
	record->end = time;
	record->hits_end = model->hits;
	record->waited_end = model->waited;
	record->is_returned = is_returned;
	record->is_outermost = true;
	for (size_t i = 0; i < model->records.count; i++)
		if (model->records.data[i].is_open &&
		    model->records.data[i].function == record->function)
			record->is_outermost = false;
}

/* The open record of the stack that is the innermost one in the deepest frame,
 * but not deeper than `frame`; index plus 1. */
static size_t innermost(const struct model *model, unsigned stack,
			uint64_t frame)
{
	const struct record *best = NULL;

	for (size_t i = 0; i < model->records.count; i++) {
		const struct record *record = &model->records.data[i];

		if (record->is_open && record->stack == stack &&
		    record->frame >= frame &&
		    (!best || record->frame <= best->frame))
			best = record;
	}
	return best ? (size_t)(best - model->records.data) + 1 : 0;
}

/* Ends all records of the stack whose frames are from `from` to `to`. */
static void model_end(struct model *model, unsigned stack, uint64_t from,
		      uint64_t to, uint64_t time, bool is_returned)
{
	size_t index;

	while ((index = innermost(model, stack, from)) &&
	       model->records.data[index - 1].frame <= to)
		model_close(model, index - 1, time, is_returned);
}

static void model_begin_hit(struct model *model, unsigned stack,
			    const struct call_hit *hit)
{
	if (stack != 1)
		model_end(model, 1, 0, UINT64_MAX, hit->time, false);
	if (stack < 2)
		model_end(model, stack, 0, hit->frame - 1, hit->time, false);
}

static void model_enter(struct model *model, unsigned stack,
			const struct call_hit *hit, uint32_t most_open)
{
	struct record new = {.function = hit->function,
			     .stack = stack,
			     .frame = hit->frame,
			     .start = hit->time,
			     .site = hit->caller,
			     .coming = UNNAMED,
			     .is_open = true};
	size_t same;

	model_begin_hit(model, stack, hit);
	while ((same = innermost(model, stack, hit->frame)) &&
	       model->records.data[same - 1].frame == hit->frame &&
	       model->records.data[same - 1].coming != hit->function)
		model_close(model, same - 1, hit->time, false);
	new.parent = innermost(model, stack, hit->frame);
	if (new.parent) {
		struct record *parent = &model->records.data[new.parent - 1];

		if (parent->frame == hit->frame) {
			new.site = 0;
			parent->coming = UNNAMED;
		}
		if (stack > 1 &&
		    parent->frame - hit->frame > CALL_OTHER_DISTANCE)
			new.parent = 0;
	} else if (stack == 1) {
		new.parent = innermost(model, 0, 0);
	}
	if (stack == 0 && open_on(model, 0) + 1 == most_open) {
		new.is_open = false;
		new.is_deep = true;
		new.is_returned = true;
		new.end = hit->time;
		model->deep++;
	}
	new.waited_start = new.waited_end = model->waited;
	model->hits++;
	new.hits_start = model->hits;
	vec_push(&model->records, new);
}

static void model_jump(struct model *model, unsigned stack,
		       const struct call_hit *hit)
{
	size_t same;

	model_begin_hit(model, stack, hit);
	same = innermost(model, stack, hit->frame);
	if (same && model->records.data[same - 1].frame == hit->frame)
		model->records.data[same - 1].coming = hit->function;
	model->hits++;
}

static void model_exit(struct model *model, unsigned stack,
		       const struct call_hit *hit)
{
	size_t same;

	model_begin_hit(model, stack, hit);
	same = innermost(model, stack, hit->frame);
	if (!same || model->records.data[same - 1].frame != hit->frame)
		model->ignored++;
	model_end(model, stack, hit->frame, hit->frame, hit->time, true);
	model->hits++;
}

static void model_unwind(struct model *model, unsigned stack,
			 const struct call_hit *hit)
{
	model_begin_hit(model, stack, hit);
	if (stack < 2)
		model_end(model, stack, 0, hit->frame, hit->time, false);
	model->hits++;
}

/* ---- figures ------------------------------------------------------------- */

static int64_t record_elapsed(const struct record *record,
			      const struct call_block *block)
{
	__int128 costs = (__int128)(record->end - record->start) * 256;

	if (record->is_deep)
		return 0;
	costs -=
		(__int128)(record->hits_end - record->hits_start) * block->cost;
	costs -= block->own;
	return (int64_t)(costs < 0 ? -((-costs + 15) / 16) : costs / 16);
}

static int64_t record_self(const struct model *model, size_t index,
			   const struct call_block *block, int64_t *waiting)
{
	const struct record *record = &model->records.data[index];
	int64_t self = record_elapsed(record, block);

	*waiting = (int64_t)(record->waited_end - record->waited_start);
	for (size_t i = 0; i < model->records.count; i++) {
		const struct record *child = &model->records.data[i];

		/* A child that outlives its caller has no caller when it
		 * ends. */
		if (child->parent != index + 1 || child->is_deep ||
		    child->is_open || child->is_forgotten ||
		    child->end > record->end ||
		    (child->end == record->end &&
		     child->hits_end > record->hits_end))
			continue;
		self -= record_elapsed(child, block);
		*waiting -= (int64_t)(child->waited_end - child->waited_start);
	}
	return record->is_deep ? 0 : self;
}

struct figures {
	uint64_t site;
	uint32_t caller, callee;
	uint64_t count, unreturned;
	int64_t elapsed, self, outermost, self_waiting, waiting;
};

/* Adds up the records by arc: the first `most` arcs that were entered, and all
 * others. Returns the number of arcs. */
static size_t add_up(const struct model *model, const struct call_block *block,
		     struct figures *figures)
{
	size_t count = 1;

	figures[0] = (struct figures){.caller = UNNAMED, .callee = UNNAMED};
	for (size_t i = 0; i < model->records.count; i++) {
		const struct record *record = &model->records.data[i];
		struct figures key = {.site = record->site,
				      .caller = UNNAMED,
				      .callee = record->function};
		int64_t waiting, self = record_self(model, i, block, &waiting);
		size_t arc = 1;

		if (record->parent)
			key.caller = model->records.data[record->parent - 1]
					     .function;
		while (arc < count && (figures[arc].site != key.site ||
				       figures[arc].caller != key.caller ||
				       figures[arc].callee != key.callee))
			arc++;
		if (arc == count && count == block->most_arcs)
			arc = 0;
		else if (arc == count)
			figures[count++] = key;
		if (record->is_open || record->is_forgotten)
			continue;
		figures[arc].count++;
		figures[arc].unreturned += !record->is_returned;
		figures[arc].elapsed += record_elapsed(record, block);
		figures[arc].self += self;
		if (record->is_deep)
			continue;
		figures[arc].self_waiting += waiting;
		if (!record->is_outermost)
			continue;
		figures[arc].outermost += record_elapsed(record, block);
		figures[arc].waiting +=
			(int64_t)(record->waited_end - record->waited_start);
	}
	return count;
}

static void compare(const struct model *model, const struct call_block *block)
{
	struct figures *figures = xcalloc(block->most_arcs, sizeof(*figures));
	size_t count = add_up(model, block, figures);

	assert_int_equal(block->arc_count, count);
	assert_int_equal(block->hits, model->hits);
	assert_int_equal(block->ignored, model->ignored);
	assert_int_equal(block->deep, model->deep);
	for (uint32_t i = 0; i < count; i++) {
		const struct call_block_arc *arc = call_block_arc(block, i);
		const struct call_block_cold *cold = call_block_cold(block, i);

		assert_int_equal(arc->site, figures[i].site);
		assert_int_equal(arc->caller, figures[i].caller);
		assert_int_equal(arc->callee, figures[i].callee);
		assert_int_equal(arc->count, figures[i].count);
		assert_int_equal(cold->unreturned, figures[i].unreturned);
		assert_int_equal(arc->elapsed, figures[i].elapsed);
		assert_int_equal(arc->self, figures[i].self);
		assert_int_equal(arc->outermost, figures[i].outermost);
		assert_int_equal(cold->self_waiting, figures[i].self_waiting);
		assert_int_equal(cold->waiting, figures[i].waiting);
	}
	free(figures);
}

/* ---- the simulated thread ------------------------------------------------ */

struct sim_frame {
	uint64_t cfa, caller;
	uint32_t function;
	bool is_watched; /* a named function has had this frame */
};

struct sim {
	unsigned random;
	uint64_t now;
	unsigned stack;
	VEC(struct sim_frame) frames[STACKS];
	struct call_block *block;
	struct call_activations machine;
	struct model model;
	bool is_lossy; /* hits are lost, frames are unwound, stacks change */
	/* what really happened */
	uint64_t calls[FUNCTIONS];
};

static unsigned pick(struct sim *sim, unsigned below)
{
	return (unsigned)rand_r(&sim->random) / 7 % below;
}

static const enum call_hit_stack kinds[STACKS] = {
	CALL_STACK_OWN, CALL_STACK_SIGNAL, CALL_STACK_OTHER, CALL_STACK_OTHER};
static const uint64_t bases[STACKS] = {0x7fff0000, 0x10000, 0x500000,
				       0x500000 - STACK_BYTES};

/* Frames of both stacks of the program's own making are in one region, as the
 * machine has it. */
static unsigned model_stack(unsigned stack)
{
	return stack > 2 ? 2 : stack;
}

static struct call_hit sim_hit(struct sim *sim, const struct sim_frame *frame,
			       uint32_t function)
{
	uint64_t waited = pick(sim, 4) ? 0 : pick(sim, 50);

	sim->now += waited + pick(sim, 100);
	sim->block->waited += waited;
	sim->model.waited += waited;
	return (struct call_hit){.time = sim->now,
				 .frame = frame->cfa,
				 .caller = frame->caller,
				 .function = function,
				 .stack = kinds[sim->stack]};
}

static bool is_lost(struct sim *sim)
{
	return sim->is_lossy && !pick(sim, 15);
}

static void sim_enter(struct sim *sim, struct sim_frame *frame)
{
	struct call_hit hit;

	if (frame->function == UNNAMED)
		return;
	frame->is_watched = true;
	sim->calls[frame->function]++;
	if (is_lost(sim))
		return;
	hit = sim_hit(sim, frame, frame->function);
	call_activations_enter(&sim->machine, &hit);
	model_enter(&sim->model, model_stack(sim->stack), &hit,
		    sim->block->most_open);
}

static struct sim_frame *sim_top(struct sim *sim)
{
	size_t count = sim->frames[sim->stack].count;

	return count ? &sim->frames[sim->stack].data[count - 1] : NULL;
}

static uint32_t sim_function(struct sim *sim)
{
	unsigned function = pick(sim, FUNCTIONS + 1);

	return function < FUNCTIONS ? function : UNNAMED;
}

static void sim_call(struct sim *sim)
{
	const struct sim_frame *top = sim_top(sim);
	struct sim_frame frame = {.cfa = (top ? top->cfa : bases[sim->stack]) -
					 16 - 16 * pick(sim, 8),
				  .caller = 0x401000 + pick(sim, 3),
				  .function = sim_function(sim)};

	if (frame.cfa < bases[sim->stack] - 4096)
		return;
	vec_push(&sim->frames[sim->stack], frame);
	sim_enter(sim, sim_top(sim));
}

static void sim_return(struct sim *sim)
{
	struct sim_frame *top = sim_top(sim);
	struct call_hit hit;

	if (!top)
		return;
	if (top->is_watched && !is_lost(sim)) {
		hit = sim_hit(sim, top, UNNAMED);
		call_activations_exit(&sim->machine, &hit);
		model_exit(&sim->model, model_stack(sim->stack), &hit);
	}
	sim->frames[sim->stack].count--;
}

static void sim_jump(struct sim *sim)
{
	struct sim_frame *top = sim_top(sim);
	uint32_t function = sim_function(sim);
	struct call_hit hit;

	if (!top)
		return;
	if (top->is_watched && !is_lost(sim)) {
		hit = sim_hit(sim, top, function);
		call_activations_jump(&sim->machine, &hit);
		model_jump(&sim->model, model_stack(sim->stack), &hit);
	}
	top->function = function;
	sim_enter(sim, top);
}

static void sim_unwind(struct sim *sim)
{
	size_t *count = &sim->frames[sim->stack].count;
	struct sim_frame at = {.cfa = bases[sim->stack]};
	struct call_hit hit;

	*count -= pick(sim, (unsigned)*count + 1);
	if (pick(sim, 2))
		return;
	/* The stack pointer is in the frame in which the thread goes on. */
	if (*count)
		at.cfa = sim_top(sim)->cfa - 8;
	hit = sim_hit(sim, &at, UNNAMED);
	call_activations_unwind(&sim->machine, &hit);
	model_unwind(&sim->model, model_stack(sim->stack), &hit);
}

static void sim_change_stack(struct sim *sim)
{
	if (sim->stack == 1)
		vec_clear(&sim->frames[1]);
	sim->stack = pick(sim, STACKS);
}

static void sim_restart(struct sim *sim)
{
	sim->model.ignored = sim->model.deep = 0;
	call_activations_restart(&sim->machine, sim->now);
	for (size_t i = 0; i < sim->model.records.count; i++) {
		struct record *record = &sim->model.records.data[i];

		record->is_forgotten |= !record->is_open;
		if (!record->is_open)
			continue;
		record->start = sim->now;
		record->hits_start = sim->model.hits;
		record->waited_start = sim->model.waited;
	}
}

static void sim_step(struct sim *sim)
{
	unsigned step = pick(sim, 100);

	if (step < 45)
		sim_call(sim);
	else if (step < 75)
		sim_return(sim);
	else if (step < 85)
		sim_jump(sim);
	else if (!sim->is_lossy)
		return;
	else if (step < 92)
		sim_unwind(sim);
	else if (step < 94)
		sim_restart(sim);
	else
		sim_change_stack(sim);
}

static void sim_begin(struct sim *sim, unsigned seed, bool is_lossy,
		      const struct call_block_size *size)
{
	*sim = (struct sim){.random = seed,
			    .now = 1000,
			    .is_lossy = is_lossy,
			    .block = xcalloc(1, call_block_bytes(size))};
	call_block_init(sim->block, size);
	sim->machine.block = sim->block;
	sim->block->cost = pick(sim, 2000);
	sim->block->own = (int64_t)pick(sim, 2000) - 500;
}

static void sim_end(struct sim *sim)
{
	struct model *model = &sim->model;

	sim->now += 50;
	call_activations_end(&sim->machine, sim->now);
	model_end(model, 1, 0, UINT64_MAX, sim->now, false);
	model_end(model, 0, 0, UINT64_MAX, sim->now, false);
	model_end(model, 2, 0, UINT64_MAX, sim->now, false);
	assert_int_equal(call_activations_count(&sim->machine), 0);
	compare(model, sim->block);
	call_activations_deinit(&sim->machine);
	free(sim->block);
	vec_free(&model->records);
	for (unsigned stack = 0; stack < STACKS; stack++)
		vec_free(&sim->frames[stack]);
}

static void run(unsigned seed, unsigned steps, bool is_lossy,
		const struct call_block_size *size)
{
	struct sim sim;
	size_t open;

	sim_begin(&sim, seed, is_lossy, size);
	for (unsigned i = 0; i < steps; i++) {
		sim_step(&sim);
		open = open_on(&sim.model, 0) + open_on(&sim.model, 1) +
		       open_on(&sim.model, 2);
		assert_int_equal(call_activations_count(&sim.machine), open);
		if (!pick(&sim, 50))
			compare(&sim.model, sim.block);
	}
	sim_end(&sim);
}

static void test_random(void **state)
{
	const struct call_block_size size = {FUNCTIONS, 512, 1024};

	(void)state;
	for (unsigned seed = 1; seed <= 1500; seed++)
		run(seed, 200, true, &size);
}

/* There is no room for all arcs and all activations. */
static void test_random_full(void **state)
{
	const struct call_block_size size = {FUNCTIONS, 6, 16};

	(void)state;
	for (unsigned seed = 1; seed <= 800; seed++)
		run(seed, 200, true, &size);
}

/* ---- a thread that loses nothing ----------------------------------------- */

static void check_exact(const struct sim *sim)
{
	uint64_t counts[FUNCTIONS] = {0};
	int64_t self = 0, outermost = 0;
	const struct call_block_arc *arc;

	for (uint32_t i = 1; i < sim->block->arc_count; i++) {
		arc = call_block_arc(sim->block, i);
		counts[arc->callee] += arc->count;
		self += arc->self;
		if (arc->caller == UNNAMED)
			outermost += arc->elapsed;
	}
	for (unsigned i = 0; i < FUNCTIONS; i++)
		assert_int_equal(counts[i], sim->calls[i]);
	assert_int_equal(self, outermost);
	assert_int_equal(sim->block->ignored, 0);
}

/* Each call is counted once, and the times of all functions themselves are
 * those of the outermost ones. */
static void test_exact(void **state)
{
	const struct call_block_size size = {FUNCTIONS, 512, 1024};
	struct sim sim;

	(void)state;
	for (unsigned seed = 1; seed <= 300; seed++) {
		sim_begin(&sim, seed, false, &size);
		for (unsigned i = 0; i < 400; i++)
			sim_step(&sim);
		while (sim_top(&sim))
			sim_return(&sim);
		assert_int_equal(call_activations_count(&sim.machine), 0);
		check_exact(&sim);
		sim_end(&sim);
	}
}

/* ---- scenes -------------------------------------------------------------- */

struct scene {
	struct call_activations machine;
	uint64_t time;
};

static void scene_begin(struct scene *scene)
{
	const struct call_block_size size = {FUNCTIONS, 64, 64};
	struct call_block *block = xcalloc(1, call_block_bytes(&size));

	call_block_init(block, &size);
	*scene = (struct scene){.machine.block = block};
}

static void scene_end(struct scene *scene)
{
	free(scene->machine.block);
	call_activations_deinit(&scene->machine);
}

/* 100 ticks later, a function is entered, is left by a jump, or returns. */
static struct call_hit next_hit(struct scene *scene, uint64_t frame,
				uint32_t function)
{
	return (struct call_hit){.time = scene->time += 100,
				 .frame = frame,
				 .caller = 0x400000 + function,
				 .function = function};
}

static void enter(struct scene *scene, uint32_t function, uint64_t frame)
{
	struct call_hit hit = next_hit(scene, frame, function);

	call_activations_enter(&scene->machine, &hit);
}

static void leave(struct scene *scene, uint64_t frame)
{
	struct call_hit hit = next_hit(scene, frame, UNNAMED);

	call_activations_exit(&scene->machine, &hit);
}

static void jump(struct scene *scene, uint32_t function, uint64_t frame)
{
	struct call_hit hit = next_hit(scene, frame, function);

	call_activations_jump(&scene->machine, &hit);
}

/* Checks the arc from `caller` to `callee`; the times are ticks. */
static void check_arc(const struct scene *scene, uint32_t caller,
		      uint32_t callee, uint64_t count, int64_t elapsed,
		      int64_t self, int64_t outermost, uint64_t unreturned)
{
	const struct call_block *block = scene->machine.block;

	for (uint32_t i = 1; i < block->arc_count; i++) {
		const struct call_block_arc *arc = call_block_arc(block, i);

		if (arc->caller != caller || arc->callee != callee)
			continue;
		assert_int_equal(arc->count, count);
		assert_int_equal(arc->elapsed, 16 * elapsed);
		assert_int_equal(arc->self, 16 * self);
		assert_int_equal(arc->outermost, 16 * outermost);
		assert_int_equal(call_block_cold(block, i)->unreturned,
				 unreturned);
		return;
	}
	fail_msg("no arc from %u to %u", caller, callee);
}

/* Recursion is counted once in the time with callees. */
static void test_recursion(void **state)
{
	struct scene scene;

	(void)state;
	scene_begin(&scene);
	enter(&scene, 0, 0x9000);
	enter(&scene, 1, 0x8000);
	enter(&scene, 1, 0x7000);
	enter(&scene, 1, 0x6000);
	leave(&scene, 0x6000);
	leave(&scene, 0x7000);
	leave(&scene, 0x8000);
	leave(&scene, 0x9000);
	check_arc(&scene, UNNAMED, 0, 1, 700, 200, 700, 0);
	check_arc(&scene, 0, 1, 1, 500, 200, 500, 0);
	check_arc(&scene, 1, 1, 2, 400, 300, 0, 0);
	scene_end(&scene);
}

/* longjmp() out of two functions: the next hit shows that they are gone. */
static void test_unwound(void **state)
{
	struct scene scene;

	(void)state;
	scene_begin(&scene);
	enter(&scene, 0, 0x9000);
	enter(&scene, 1, 0x8000);
	enter(&scene, 2, 0x7000);
	enter(&scene, 3, 0x8000);
	check_arc(&scene, 0, 1, 1, 200, 100, 200, 1);
	check_arc(&scene, 1, 2, 1, 100, 100, 100, 1);
	leave(&scene, 0x9000);
	check_arc(&scene, 0, 3, 1, 100, 100, 100, 1);
	check_arc(&scene, UNNAMED, 0, 1, 400, 100, 400, 0);
	scene_end(&scene);
}

/* Function 1 goes on in 2, and 2 in 1. One return ends all three calls. */
static void test_tail_jumps(void **state)
{
	struct scene scene;

	(void)state;
	scene_begin(&scene);
	enter(&scene, 0, 0x9000);
	enter(&scene, 1, 0x8000);
	jump(&scene, 2, 0x8000);
	enter(&scene, 2, 0x8000);
	jump(&scene, 1, 0x8000);
	enter(&scene, 1, 0x8000);
	leave(&scene, 0x8000);
	leave(&scene, 0x9000);
	check_arc(&scene, 0, 1, 1, 500, 200, 500, 0);
	check_arc(&scene, 1, 2, 1, 300, 200, 300, 0);
	check_arc(&scene, 2, 1, 1, 100, 100, 0, 0);
	check_arc(&scene, UNNAMED, 0, 1, 700, 200, 700, 0);
	assert_int_equal(call_block_arc(scene.machine.block, 3)->site, 0);
	scene_end(&scene);
}

/* A loop that begins with the first instruction of the function is tail
 * recursion. */
static void test_loop(void **state)
{
	struct scene scene;

	(void)state;
	scene_begin(&scene);
	enter(&scene, 0, 0x9000);
	for (unsigned i = 0; i < 3; i++) {
		jump(&scene, 0, 0x9000);
		enter(&scene, 0, 0x9000);
	}
	leave(&scene, 0x9000);
	check_arc(&scene, UNNAMED, 0, 1, 700, 200, 700, 0);
	check_arc(&scene, 0, 0, 3, 900, 500, 0, 0);
	scene_end(&scene);
}

/* Function 1 goes on in a function that has no name, and is called again. */
static void test_jump_away(void **state)
{
	struct scene scene;

	(void)state;
	scene_begin(&scene);
	enter(&scene, 0, 0x9000);
	for (unsigned i = 0; i < 3; i++) {
		enter(&scene, 1, 0x8000);
		jump(&scene, UNNAMED, 0x8000);
	}
	leave(&scene, 0x8000);
	leave(&scene, 0x9000);
	check_arc(&scene, 0, 1, 3, 600, 600, 600, 2);
	scene_end(&scene);
}

/* A program has written into its block. Sums that have no room wrap around (the
 * sanitizer ends this test if they overflow). */
static void test_sums_wrap_around(void **state)
{
	struct scene scene;
	struct call_block *block;

	(void)state;
	scene_begin(&scene);
	block = scene.machine.block;
	enter(&scene, 0, 0x9000);
	enter(&scene, 1, 0x8000);
	call_block_open(block, 1)->children = INT64_MAX;
	call_block_open(block, 2)->children = INT64_MIN;
	for (uint32_t i = 1; i < 3; i++) {
		struct call_block_arc *arc = call_block_arc(block, i);
		struct call_block_cold *cold = call_block_cold(block, i);

		arc->elapsed = arc->self = arc->outermost = INT64_MAX;
		cold->waiting = cold->self_waiting = INT64_MAX;
	}
	leave(&scene, 0x8000);
	assert_true(call_block_arc(block, 2)->elapsed < 0);
	leave(&scene, 0x9000);
	assert_true(call_block_arc(block, 1)->elapsed < 0);
	assert_int_equal(call_block_arc(block, 1)->count, 1);
	scene_end(&scene);
}

/* The index of arcs grows, and finds all of them. */
static void test_many_arcs(void **state)
{
	const struct call_block_size size = {FUNCTIONS, 64, 16384};
	struct call_block *block = xcalloc(1, call_block_bytes(&size));

	(void)state;
	call_block_init(block, &size);
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 1; i < size.arcs; i++)
			assert_int_equal(call_block_find_arc(block,
							     0x400000 + i / 3,
							     i % 3, i % 5),
					 i);
	assert_int_equal(call_block_find_arc(block, 7, 7, 7), 0);
	assert_int_equal(call_block_find_arc(block, 0x400000, 1, 1), 1);
	free(block);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_random_full),
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_unwound),
		cmocka_unit_test(test_tail_jumps),
		cmocka_unit_test(test_loop),
		cmocka_unit_test(test_jump_away),
		cmocka_unit_test(test_sums_wrap_around),
		cmocka_unit_test(test_many_arcs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
