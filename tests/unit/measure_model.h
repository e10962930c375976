/*
 * measure_model.h - a model of measurement that takes its time
 *
 * The model keeps everything: each break of each thread, each run of the
 * clock, each open activation in one array in the order they began. Figures
 * are found by looking through all of it, straight from the sentences of the
 * spec. Included by one test program, after cmocka's header.
 */
#ifndef MEASURE_MODEL_H
#define MEASURE_MODEL_H

#include <stdlib.h>
#include <string.h>

#include "perftool/base/vec.h"
#include "perftool/measure.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/split.h"

#define THREADS 5
#define NODES 4
#define KEYS 2
#define LABELS 6 /* that a hit may have; two are the same */
#define ROWS 5   /* the other labels, and that there is none */

/* Which row of `split_counts` a label belongs to: the last is for none. */
static const struct {
	struct label label;
	unsigned row;
} labels[LABELS] = {
	{{.value = {.kind = VALUE_SIGNED, .i = 1}}, 0},
	{{.value = {.kind = VALUE_UNSIGNED, .u = 1}}, 0},
	{{.value = {.kind = VALUE_SIGNED, .i = -1}}, 1},
	{{.text = "a"}, 2},
	{{.text = "b"}, 3},
	{{.value = {.kind = VALUE_NONE}}, 4},
};

struct break_record {
	uint32_t thread;
	bool counted; /* the monitor was on, the thread tracked */
	uint64_t arrival, resume;
	int before, after;
	bool over;
};

struct model_hit {
	struct hit hit;
	size_t break_index;
	struct value keys[KEYS];
	unsigned label;  /* index of `labels` */
	unsigned splits; /* how many splits there had been, of anything */
};

struct model_split {
	unsigned serial; /* 0: not split */
	bool at_to;
	uint64_t counts[ROWS], interrupted[ROWS];
	__int128 totals[ROWS];
};

struct open_start {
	size_t leg; /* index in the model */
	struct model_hit from;
	struct value key;
	unsigned depth;
};

struct model_leg {
	struct leg_spec spec;
	uint32_t id;
	bool stopped, deleted;
	uint64_t from_hits, to_hits, count, ignored_from, ignored_to, unwound,
		discarded, self_first, interrupted;
	__int128 total;
	int64_t min, max;
	struct model_split split;
};

struct run {
	uint64_t start, end;
};

struct model {
	struct measure *measure;
	unsigned short random[3];
	uint64_t now;
	bool monitor, running, compensation, add_successor;
	enum measure_track track;
	int32_t pid, tid;
	VEC(struct run) runs;
	VEC(struct break_record) breaks;
	VEC(struct open_start) open;
	VEC(struct model_leg) legs;
	uint64_t node_counts[NODES + 1];
	uint64_t counted; /* hits */
	bool node_deleted[NODES + 1];
	uint32_t serials[THREADS], next_serial;
	bool held[THREADS];
	size_t current_break[THREADS];
	bool has_last[THREADS];
	struct model_hit last[THREADS];
	uint64_t zeroed; /* wall clock */
	uint32_t next_leg;
	struct model_split node_splits[NODES + 1];
	unsigned next_split;
};

static inline unsigned pick(struct model *model, unsigned below)
{
	return (unsigned)nrand48(model->random) % below;
}

static inline int32_t pid_of(unsigned thread)
{
	return thread < 3 ? 100 : 200;
}

static inline int32_t tid_of(unsigned thread)
{
	return 1000 + (int32_t)thread;
}

static inline bool tracked(const struct model *model, unsigned thread)
{
	return (!model->pid || model->pid == pid_of(thread)) &&
	       (!model->tid || model->tid == tid_of(thread));
}

/* ---- time ----------------------------------------------------------- */

/* Measured time: how much of all runs lies before `time`. */
static inline int64_t measured(const struct model *model, uint64_t time)
{
	int64_t sum = 0;

	for (size_t i = 0; i < model->runs.count; i++) {
		const struct run *run = &model->runs.data[i];
		uint64_t end = run->end < time ? run->end : time;

		if (end > run->start)
			sum += (int64_t)(end - run->start);
	}
	return sum;
}

/* Is it in no run? What a break costs then is not to be taken out. */
static inline bool is_in_pause(const struct model *model, uint64_t time)
{
	for (size_t i = 0; i < model->runs.count; i++)
		if (time > model->runs.data[i].start &&
		    time <= model->runs.data[i].end)
			return false;
	return true;
}

static inline int cost_before(const struct model *model,
			      const struct break_record *record)
{
	return is_in_pause(model, record->arrival) ? 0 : record->before;
}

static inline int cost_after(const struct model *model,
			     const struct break_record *record)
{
	return is_in_pause(model, record->resume) ? 0 : record->after;
}

static inline void set_clock(struct model *model)
{
	bool on = model->monitor && model->running;
	size_t count = model->runs.count;
	bool was = count && model->runs.data[count - 1].end == UINT64_MAX;

	if (on && !was)
		vec_push(&model->runs, (struct run){model->now, UINT64_MAX});
	else if (!on && was)
		model->runs.data[count - 1].end = model->now;
}

/* From one hit to another: the wall clock, or the thread's own time. */
static inline int64_t model_duration(const struct model *model,
				     const struct model_hit *from,
				     const struct model_hit *to)
{
	const struct break_record *first =
		&model->breaks.data[from->break_index];
	const struct break_record *last = &model->breaks.data[to->break_index];
	int64_t time;

	if (!model->compensation)
		return measured(model, to->hit.time) -
		       measured(model, from->hit.time);
	if (first->thread != last->thread) {
		if (!first->over)
			return 0;
		return measured(model, last->arrival) -
		       cost_before(model, last) -
		       measured(model, first->resume) -
		       cost_after(model, first);
	}
	time = measured(model, last->arrival) - cost_before(model, last) -
	       (measured(model, first->arrival) - cost_before(model, first));
	for (size_t i = from->break_index; i < to->break_index; i++) {
		const struct break_record *between = &model->breaks.data[i];

		if (between->thread == first->thread && between->over &&
		    between->counted)
			time -= measured(model, between->resume) -
				measured(model, between->arrival) +
				cost_before(model, between) +
				cost_after(model, between);
	}
	return time;
}

/* ---- what is open --------------------------------------------------- */

/* Of a frame that is on no thread's own stack: it may be any thread's. */
static inline bool is_anyones(const struct model *model, size_t leg,
			      const struct hit *hit)
{
	const struct leg_spec *spec = &model->legs.data[leg].spec;

	return spec->whole_frame && spec->by_frame && spec->from_enters &&
	       spec->adapts && spec->owner == OWNER_THREAD &&
	       spec->match == MATCH_NESTED && hit->frame && !hit->stack;
}

static inline bool same_owner(const struct model *model,
			      const struct open_start *open, size_t leg,
			      const struct model_hit *hit, struct value key)
{
	bool anyones = is_anyones(model, leg, &hit->hit);

	if (open->leg != leg ||
	    is_anyones(model, leg, &open->from.hit) != anyones)
		return false;
	if (anyones)
		return open->from.hit.pid == hit->hit.pid &&
		       open->from.hit.frame == hit->hit.frame;
	switch (model->legs.data[leg].spec.owner) {
	case OWNER_THREAD:
	case OWNER_GOROUTINE: /* its hits are none of goroutines */
		return open->from.hit.thread == hit->hit.thread;
	case OWNER_LEG:
		return true;
	case OWNER_KEY:
		return open->from.hit.pid == hit->hit.pid &&
		       value_equal(open->key, key);
	}
	return false;
}

/* The innermost start of this owner, or -1. */
static inline int innermost(const struct model *model, size_t leg,
			    const struct model_hit *hit, struct value key)
{
	for (size_t i = model->open.count; i-- > 0;)
		if (same_owner(model, &model->open.data[i], leg, hit, key))
			return (int)i;
	return -1;
}

static inline void drop_matching(struct model *model, size_t leg,
				 const struct model_hit *hit, struct value key,
				 bool enters)
{
	const struct hit *now = &hit->hit;

	for (size_t i = model->open.count; i-- > 0;) {
		const struct open_start *open = &model->open.data[i];
		const struct hit *then = &open->from.hit;
		bool same_stack = then->stack && then->stack == now->stack;

		if (!same_owner(model, open, leg, hit, key) || !then->frame)
			continue;
		if (same_stack && (then->frame < now->frame ||
				   (enters && then->frame == now->frame)))
			model->legs.data[leg].unwound++;
		else if (enters && then->frame == now->frame)
			model->legs.data[leg].discarded++;
		else
			continue;
		vec_remove(&model->open, i);
	}
}

static inline bool key_of(const struct model_leg *leg,
			  const struct model_hit *hit, bool from,
			  struct value *key)
{
	uint32_t index = from ? leg->spec.key_from : leg->spec.key_to;

	*key = (struct value){.kind = VALUE_NONE};
	if (leg->spec.owner != OWNER_KEY)
		return true;
	if (index >= hit->hit.key_count)
		return false;
	*key = hit->keys[index];
	return key->kind != VALUE_NONE;
}

static inline bool by_frame(const struct model_leg *leg,
			    const struct model_hit *hit)
{
	return leg->spec.by_frame && leg->spec.owner != OWNER_KEY &&
	       leg->spec.match >= MATCH_NESTED && hit->hit.frame;
}

static inline void model_row(struct model_split *split, unsigned label,
			     int64_t duration, bool interrupted)
{
	split->counts[labels[label].row]++;
	split->interrupted[labels[label].row] += interrupted;
	split->totals[labels[label].row] += duration;
}

/* Was the clock stopped between them, or at one of them? */
static inline bool is_interrupted(const struct model *model,
				  const struct model_hit *from,
				  const struct model_hit *to)
{
	for (size_t i = 0; i < model->runs.count; i++) {
		uint64_t end = model->runs.data[i].end;
		int64_t stop = measured(model, end);

		if (end != UINT64_MAX &&
		    measured(model, from->hit.time) <= stop &&
		    measured(model, to->hit.time) >= stop)
			return true;
	}
	return false;
}

static inline void model_record(const struct model *model,
				struct model_leg *leg,
				const struct model_hit *from,
				const struct model_hit *to, int64_t duration)
{
	int64_t stopped = duration < 0 ? 0 : duration;
	bool interrupted = is_interrupted(model, from, to);
	struct model_split *split = &leg->split;

	if (split->serial && split->at_to)
		model_row(split, to->label, duration, interrupted);
	else if (split->serial && split->serial <= from->splits)
		model_row(split, from->label, duration, interrupted);

	leg->total += duration;
	leg->count++;
	leg->interrupted += interrupted;
	if (interrupted)
		return;
	if (leg->count - leg->interrupted == 1 || stopped < leg->min)
		leg->min = stopped;
	if (leg->count - leg->interrupted == 1 || stopped > leg->max)
		leg->max = stopped;
}

static inline void model_from(struct model *model, size_t index,
			      const struct model_hit *hit)
{
	struct model_leg *leg = &model->legs.data[index];
	struct value key;
	int top;

	leg->from_hits++;
	if (!key_of(leg, hit, true, &key)) {
		leg->ignored_from++;
		return;
	}
	top = innermost(model, index, hit, key);
	if (leg->spec.owner == OWNER_LEG && top >= 0 &&
	    model->open.data[top].from.hit.thread != hit->hit.thread) {
		if (leg->spec.match == MATCH_FIRST ||
		    leg->spec.match == MATCH_OUTERMOST) {
			leg->ignored_from++;
			return;
		}
		while ((top = innermost(model, index, hit, key)) >= 0) {
			leg->ignored_from++;
			vec_remove(&model->open, (size_t)top);
		}
	}
	if (by_frame(leg, hit))
		drop_matching(model, index, hit, key, leg->spec.from_enters);
	top = innermost(model, index, hit, key);
	if (top >= 0 && leg->spec.match == MATCH_LAST) {
		leg->ignored_from++;
		vec_remove(&model->open, (size_t)top);
	} else if (top >= 0 && leg->spec.match == MATCH_FIRST) {
		leg->ignored_from++;
		return;
	} else if (top >= 0 && leg->spec.match == MATCH_OUTERMOST) {
		leg->ignored_from++;
		model->open.data[top].depth++;
		return;
	}
	vec_push(&model->open,
		 (struct open_start){.leg = index, .from = *hit, .key = key});
}

/* Which open start this *to* closes, or -1. */
static inline int closes(struct model *model, size_t index,
			 const struct model_hit *hit, struct value key)
{
	struct model_leg *leg = &model->legs.data[index];
	bool frames = by_frame(leg, hit);
	int top = innermost(model, index, hit, key);

	if (top < 0) {
		leg->self_first += leg->spec.from == leg->spec.to;
		return -1;
	}
	if (leg->spec.owner == OWNER_LEG &&
	    model->open.data[top].from.hit.thread != hit->hit.thread)
		return -1;
	if (frames)
		drop_matching(model, index, hit, key, false);
	top = innermost(model, index, hit, key);
	if (top < 0)
		return -1;
	if (leg->spec.match == MATCH_OUTERMOST) {
		struct open_start *open = &model->open.data[top];

		if (frames && open->from.hit.frame) {
			if (open->from.hit.frame == hit->hit.frame)
				return top;
		} else if (!open->depth) {
			return top;
		}
		if (open->depth)
			open->depth--;
		return -1;
	}
	if (!frames)
		return top;
	for (size_t i = model->open.count; i-- > 0;) {
		const struct open_start *open = &model->open.data[i];

		if (same_owner(model, open, index, hit, key) &&
		    (!open->from.hit.frame ||
		     open->from.hit.frame == hit->hit.frame))
			return (int)i;
	}
	return -1;
}

static inline void model_to(struct model *model, size_t index,
			    const struct model_hit *hit)
{
	struct model_leg *leg = &model->legs.data[index];
	struct value key;
	int closed;

	leg->to_hits++;
	if (!key_of(leg, hit, false, &key)) {
		leg->ignored_to++;
		return;
	}
	closed = closes(model, index, hit, key);
	if (closed < 0) {
		leg->ignored_to++;
		return;
	}
	model_record(
		model, leg, &model->open.data[closed].from, hit,
		model_duration(model, &model->open.data[closed].from, hit));
	vec_remove(&model->open, (size_t)closed);
}

static inline int find_model_leg(const struct model *model, uint32_t from,
				 uint32_t to)
{
	for (size_t i = 0; i < model->legs.count; i++)
		if (!model->legs.data[i].deleted &&
		    model->legs.data[i].spec.from == from &&
		    model->legs.data[i].spec.to == to)
			return (int)i;
	return -1;
}

static inline void model_successor(struct model *model, unsigned thread,
				   const struct model_hit *hit)
{
	uint32_t from = model->last[thread].hit.node, to = hit->hit.node;
	bool missing, add = model->add_successor;
	struct model_leg *leg;

	if (!model->has_last[thread] || model->node_deleted[from])
		return;
	missing = find_model_leg(model, from, to) < 0;
	if (missing && add)
		vec_push(&model->legs,
			 (struct model_leg){.spec = {.from = from, .to = to},
					    .id = model->next_leg++});
	if (missing ? !add : model->track == TRACK_ALL)
		return;
	leg = &model->legs.data[find_model_leg(model, from, to)];
	leg->from_hits++;
	leg->to_hits++;
	model_record(model, leg, &model->last[thread], hit,
		     model_duration(model, &model->last[thread], hit));
}

static inline void model_track(struct model *model, unsigned thread,
			       const struct model_hit *hit)
{
	size_t before = model->legs.count;
	uint32_t node = hit->hit.node;

	if (model->track == TRACK_ALL)
		for (size_t i = 0; i < before; i++)
			if (model->legs.data[i].spec.to == node &&
			    !model->legs.data[i].stopped)
				model_to(model, i, hit);
	model_successor(model, thread, hit);
	if (model->track == TRACK_ALL)
		for (size_t i = 0; i < model->legs.count; i++)
			if (model->legs.data[i].spec.from == node &&
			    !model->legs.data[i].stopped)
				model_from(model, i, hit);
}

static inline void model_discard(struct model *model, size_t index)
{
	model->legs.data[model->open.data[index].leg].discarded++;
	vec_remove(&model->open, index);
}

static inline void model_discard_all(struct model *model)
{
	while (model->open.count)
		model_discard(model, model->open.count - 1);
	memset(model->has_last, 0, sizeof(model->has_last));
}

static inline void model_set_add(struct model *model, bool successor)
{
	if (successor && !model->add_successor && model->track == TRACK_ALL)
		memset(model->has_last, 0, sizeof(model->has_last));
	model->add_successor = successor;
	measure_set_add_successor(model->measure, successor);
}

static inline void model_stop_leg(struct model *model, size_t leg)
{
	model->legs.data[leg].stopped = true;
	for (size_t i = model->open.count; i-- > 0;)
		if (model->open.data[i].leg == leg)
			model_discard(model, i);
}

#endif
