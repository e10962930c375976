/*
 * test_measure_model.c - random hits against a model (measure_model.h)
 *
 * After every step the tables must agree with the model for all legs, and
 * nothing may be lost:
 *
 *	from hits = count + ignored_from + unwound + discarded + open
 *	to hits   = count + ignored_to
 *
 * tier: core
 * covers: measure
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "measure_model.h"
#include "perftool/histogram.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/measure/thread_counts.h"

/* ---- steps ---------------------------------------------------------- */

static void start_break(struct model *model, unsigned thread)
{
	model->held[thread] = true;
	model->current_break[thread] = model->breaks.count;
	vec_push(&model->breaks,
		 (struct break_record){.thread = model->serials[thread],
				       .arrival = model->now,
				       .before = (int)pick(model, 40)});
}

static void end_break(struct model *model, unsigned thread)
{
	struct break_record *record =
		&model->breaks.data[model->current_break[thread]];

	record->resume = model->now;
	record->after = (int)pick(model, 40);
	record->over = true;
	record->counted = model->monitor && tracked(model, thread);
	model->held[thread] = false;
	measure_hold(model->measure, record->thread, pid_of(thread),
		     tid_of(thread), record->arrival, record->resume,
		     record->before, record->after);
}

static struct value random_key(struct model *model)
{
	switch (pick(model, 8)) {
	case 0:
		return (struct value){.kind = VALUE_NONE};
	case 1:
		return value_signed(-1);
	case 2:
		return value_float(1);
	case 3:
		return value_signed(1);
	case 4:
		return value_unsigned(UINT64_MAX);
	default:
		return value_unsigned(pick(model, 3));
	}
}

static void hit_step(struct model *model)
{
	unsigned thread = pick(model, THREADS);
	const struct break_record *record;
	struct model_hit hit = {0};

	if (!model->held[thread])
		start_break(model, thread);
	else if (pick(model, 3))
		return;
	record = &model->breaks.data[model->current_break[thread]];
	for (unsigned i = 0; i < KEYS; i++)
		hit.keys[i] = random_key(model);
	hit.break_index = model->current_break[thread];
	hit.hit = (struct hit){
		.node = 1 + pick(model, NODES),
		.thread = record->thread,
		.pid = pid_of(thread),
		.tid = tid_of(thread),
		.time = record->arrival,
		.cost_before = record->before,
		.frame = pick(model, 12) ? 0x1000 + 16 * pick(model, 6) : 0,
		.stack = pick(model, 8) ? 1 + pick(model, 6) / 5 : 0,
		.key_count = pick(model, 10) ? KEYS : 1,
	};
	hit.label = pick(model, LABELS);
	hit.splits = model->next_split;
	hit.hit.keys = hit.keys;
	hit.hit.labels = &labels[hit.label].label;
	/* a hit without a label counts in the same row as a hit whose label has
	 * no value */
	hit.hit.label_count = hit.label < LABELS - 1 || pick(model, 2) ? 1 : 0;
	measure_hit(model->measure, &hit.hit);
	hit.hit.keys = NULL;
	hit.hit.labels = NULL;
	if (!model->monitor || !tracked(model, thread) ||
	    model->node_deleted[hit.hit.node])
		return;
	model->node_counts[hit.hit.node]++;
	model->counted++;
	if (model->node_splits[hit.hit.node].serial)
		model_row(&model->node_splits[hit.hit.node], hit.label, 0,
			  false);
	if (model->track == TRACK_NONE)
		return;
	model_track(model, thread, &hit);
	model->has_last[thread] = true;
	model->last[thread] = hit;
}

static void thread_gone(struct model *model, unsigned thread)
{
	for (size_t i = model->open.count; i-- > 0;) {
		const struct open_start *open = &model->open.data[i];

		if (open->from.hit.thread == model->serials[thread] &&
		    !is_anyones(model, open->leg, &open->from.hit) &&
		    model->legs.data[open->leg].spec.owner != OWNER_KEY)
			model_discard(model, i);
	}
	if (model->held[thread]) {
		struct break_record *record =
			&model->breaks.data[model->current_break[thread]];

		/* the thread never went on after the break */
		record->resume = record->arrival;
		record->after = 0;
		record->over = true;
	}
	model->held[thread] = model->has_last[thread] = false;
	model->serials[thread] = ++model->next_serial;
}

static void gone_step(struct model *model)
{
	int32_t pid = pid_of(pick(model, THREADS));

	if (pick(model, 4)) {
		unsigned thread = pick(model, THREADS);

		measure_thread_gone(model->measure, model->serials[thread]);
		thread_gone(model, thread);
		return;
	}
	measure_process_gone(model->measure, pid);
	for (unsigned thread = 0; thread < THREADS; thread++)
		if (pid_of(thread) == pid)
			thread_gone(model, thread);
	for (size_t i = model->open.count; i-- > 0;)
		if (model->open.data[i].from.hit.pid == pid)
			model_discard(model, i);
}

static struct model_split empty_split(const struct model_split *split)
{
	return (struct model_split){.serial = split->serial,
				    .at_to = split->at_to};
}

static void split_step(struct model *model)
{
	struct split_spec spec = {.at_to = pick(model, 2),
				  .view.rows = 1 + pick(model, 6)};
	uint32_t node = 1 + pick(model, NODES);
	struct model_leg *leg;

	if (!pick(model, 3)) {
		assert_null(measure_split_node(model->measure, node, &spec));
		model->node_splits[node] =
			(struct model_split){.serial = ++model->next_split};
		return;
	}
	if (!model->legs.count)
		return;
	leg = &model->legs.data[pick(model, (unsigned)model->legs.count)];
	if (leg->deleted)
		return;
	if (leg->split.serial && !pick(model, 4)) {
		assert_null(measure_unsplit_leg(model->measure, leg->id));
		leg->split.serial = 0;
		return;
	}
	assert_null(measure_split_leg(model->measure, leg->id, &spec));
	leg->split = (struct model_split){.serial = ++model->next_split,
					  .at_to = spec.at_to};
}

static void zero_step(struct model *model)
{
	measure_zero(model->measure, model->now);
	model_discard_all(model);
	for (size_t i = 0; i < model->legs.count; i++) {
		struct model_leg *leg = &model->legs.data[i];

		*leg = (struct model_leg){.spec = leg->spec,
					  .id = leg->id,
					  .stopped = leg->stopped,
					  .deleted = leg->deleted,
					  .split = empty_split(&leg->split)};
	}
	for (uint32_t node = 1; node <= NODES; node++)
		model->node_splits[node] =
			empty_split(&model->node_splits[node]);
	memset(model->node_counts, 0, sizeof(model->node_counts));
	for (size_t i = 0; i < model->breaks.count; i++)
		model->breaks.data[i].counted = false;
	model->counted = 0;
	model->zeroed = model->now;
}

static void modes_step(struct model *model)
{
	enum measure_track track;
	int32_t pid, tid;

	switch (pick(model, 4)) {
	case 0:
		track = pick(model, 3) ? TRACK_ALL
				       : (enum measure_track)pick(model, 3);
		measure_set_track(model->measure, track);
		if (track != model->track)
			model_discard_all(model);
		model->track = track;
		break;
	case 1:
		pid = pick(model, 3) ? 0 : 100;
		tid = pick(model, 4) ? 0 : 1001;
		measure_set_tracked(model->measure, pid, tid);
		if (pid != model->pid || tid != model->tid)
			model_discard_all(model);
		model->pid = pid;
		model->tid = tid;
		break;
	case 2:
		model->compensation = pick(model, 3) > 0;
		measure_set_compensation(model->measure, model->compensation);
		break;
	default:
		model_set_add(model, !pick(model, 3));
		break;
	}
}

static void clock_step(struct model *model)
{
	if (pick(model, 2)) {
		model->running = pick(model, 3) > 0;
		measure_set_running(model->measure, model->running, model->now);
	} else {
		bool on = pick(model, 4) > 0;

		if (model->monitor && !on)
			model_discard_all(model);
		model->monitor = on;
		measure_set_monitor(model->measure, on, model->now);
	}
	set_clock(model);
}

static void add_leg_step(struct model *model)
{
	struct leg_spec spec = {
		.from = 1 + pick(model, NODES),
		.to = 1 + pick(model, NODES),
		.owner = (enum leg_owner)pick(model, 4),
		.match = (enum leg_match)pick(model, 4),
		.by_frame = pick(model, 3) > 0,
		.from_enters = pick(model, 2) > 0,
		.whole_frame = pick(model, 2) > 0,
		.adapts = pick(model, 2) > 0,
		.key_from = pick(model, KEYS),
		.key_to = pick(model, KEYS),
	};
	bool deleted =
		model->node_deleted[spec.from] || model->node_deleted[spec.to];
	int there = find_model_leg(model, spec.from, spec.to);
	struct error *error;
	uint32_t id = 0;
	bool existed = false;

	error = measure_add_leg(model->measure, &spec, &id, &existed);
	assert_int_equal(error != NULL, deleted);
	error_destroy(error);
	if (deleted)
		return;
	assert_int_equal(existed, there >= 0);
	if (there >= 0) {
		assert_int_equal(id, model->legs.data[there].id);
		return;
	}
	assert_int_equal(id, model->next_leg++);
	vec_push(&model->legs, (struct model_leg){.spec = spec, .id = id});
}

static void delete_step(struct model *model)
{
	if (pick(model, 5) == 0) {
		uint32_t node = 1 + pick(model, NODES);

		measure_node_deleted(model->measure, node);
		model->node_deleted[node] = true;
		for (size_t i = 0; i < model->legs.count; i++)
			if (model->legs.data[i].spec.from == node ||
			    model->legs.data[i].spec.to == node)
				model_stop_leg(model, i);
	} else if (model->legs.count) {
		size_t leg = pick(model, (unsigned)model->legs.count);
		struct error *error = measure_delete_leg(
			model->measure, model->legs.data[leg].id);

		assert_int_equal(error != NULL, model->legs.data[leg].deleted);
		error_destroy(error);
		model_stop_leg(model, leg);
		model->legs.data[leg].deleted = true;
	}
}

static void step(struct model *model, bool modes)
{
	unsigned what = pick(model, 1000);

	model->now += pick(model, 4) ? pick(model, 300) : 0;
	if (what < 480) {
		hit_step(model);
	} else if (what < 960) {
		unsigned thread = pick(model, THREADS);

		if (model->held[thread])
			end_break(model, thread);
	} else if (what < 970) {
		gone_step(model);
	} else if (what < 976) {
		clock_step(model);
	} else if (what < 978) {
		zero_step(model);
	} else if (what < 985 && modes) {
		modes_step(model);
	} else if (what < 988) {
		add_leg_step(model);
	} else if (what < 989) {
		delete_step(model);
	} else if (what < 993) {
		split_step(model);
	}
}

/* ---- agreement ------------------------------------------------------ */

static uint64_t open_count(const struct model *model, size_t leg)
{
	uint64_t count = 0;

	for (size_t i = 0; i < model->open.count; i++)
		count += model->open.data[i].leg == leg;
	return count;
}

static const struct measure_row *row_of(const struct measure_row_list *rows,
					unsigned wanted)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct measure_row *row = &rows->data[i];

		if (row->kind == ROW_ERROR && wanted == ROWS - 1)
			return row;
		for (unsigned j = 0; j < LABELS - 1; j++) {
			const struct label *label = &labels[j].label;

			if (row->kind != ROW_VALUE || labels[j].row != wanted)
				continue;
			if (label->text ? row->label.text &&
						  !strcmp(label->text,
							  row->label.text)
					: !row->label.text &&
						  value_equal(label->value,
							      row->label.value))
				return row;
		}
	}
	return NULL;
}

/* Compare each row that is shown, and check that no count of the other rows is
 * lost. */
static void compare_split(const struct measure_split *got,
			  const struct model_split *wanted, bool of_leg)
{
	struct measure_row_list rows = {0};
	uint64_t count = 0, sum = 0;
	__int128 total = 0, total_sum = 0;
	size_t values = 0;

	assert_int_equal(got != NULL, wanted->serial != 0);
	if (!got)
		return;
	measure_split_rows(got, &(struct split_view){0}, &rows);
	for (unsigned i = 0; i < ROWS; i++) {
		const struct measure_row *row = row_of(&rows, i);

		count += wanted->counts[i];
		total += wanted->totals[i];
		values += i < ROWS - 1 && wanted->counts[i];
		if (!row)
			continue;
		assert_int_equal(row->count, wanted->counts[i]);
		assert_int_equal(row->interrupted, wanted->interrupted[i]);
		assert_true(row->total == wanted->totals[i]);
	}
	for (size_t i = 0; i < rows.count; i++) {
		const struct measure_row *row = &rows.data[i];

		sum += row->count;
		total_sum += row->total;
		assert_true(row->count > 0);
		if (of_leg)
			assert_int_equal(histogram_references(row->record),
					 row->count - row->interrupted);
		if (i > 0 && row->kind == ROW_VALUE)
			assert_true(
				of_leg ? row->total <= rows.data[i - 1].total
				       : row->count <= rows.data[i - 1].count);
	}
	measure_rows_deinit(&rows);
	assert_int_equal(sum, count);
	assert_int_equal(got->count, count);
	assert_int_equal(got->values, values);
	assert_int_equal(got->overflow, 0);
	assert_true(total_sum == total);
}

static void compare_leg(const struct model *model, size_t index)
{
	const struct model_leg *wanted = &model->legs.data[index];
	const struct measure_leg *got = measure_leg(model->measure, wanted->id);

	if (wanted->deleted) {
		assert_null(got);
		return;
	}
	assert_non_null(got);
	assert_int_equal(got->from_hits, wanted->from_hits);
	assert_int_equal(got->to_hits, wanted->to_hits);
	assert_int_equal(got->count, wanted->count);
	assert_int_equal(got->ignored_from, wanted->ignored_from);
	assert_int_equal(got->ignored_to, wanted->ignored_to);
	assert_int_equal(got->unwound, wanted->unwound);
	assert_int_equal(got->discarded, wanted->discarded);
	assert_int_equal(got->open, open_count(model, index));
	assert_int_equal(got->self_first, wanted->self_first);
	assert_true(got->total == wanted->total);
	assert_int_equal(got->interrupted, wanted->interrupted);
	if (wanted->count > wanted->interrupted) {
		assert_int_equal(got->min, wanted->min);
		assert_int_equal(got->max, wanted->max);
	}
	assert_int_equal(got->from_hits, got->count + got->ignored_from +
						 got->unwound + got->discarded +
						 got->open);
	assert_int_equal(got->to_hits, got->count + got->ignored_to);
	assert_int_equal(histogram_references(got->record),
			 wanted->count - wanted->interrupted);
	compare_split(got->split, &wanted->split, true);
}

static int by_begin(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (x[0] > y[0]) - (x[0] < y[0]);
}

static void compare_summary(const struct model *model)
{
	struct measure_summary summary;
	VEC(double) edges = {0};
	double zero = (double)measured(model, model->zeroed), until = zero,
	       together = 0, sum = 0;

	for (size_t i = 0; i < model->breaks.count; i++) {
		const struct break_record *record = &model->breaks.data[i];
		double from, to;

		if (!record->over || !record->counted)
			continue;
		from = (double)measured(model, record->arrival) -
		       cost_before(model, record);
		to = (double)measured(model, record->resume) +
		     cost_after(model, record);
		if (from < zero)
			from = zero;
		if (to <= from)
			continue;
		sum += to - from;
		vec_push(&edges, from);
		vec_push(&edges, to);
	}
	if (edges.count)
		qsort(edges.data, edges.count / 2, 2 * sizeof(double),
		      by_begin);
	for (size_t i = 0; i < edges.count; i += 2) {
		double from = edges.data[i] > until ? edges.data[i] : until;

		if (edges.data[i + 1] > from)
			together += edges.data[i + 1] - from;
		if (edges.data[i + 1] > until)
			until = edges.data[i + 1];
	}
	vec_free(&edges);
	measure_get_summary(model->measure, model->now, &summary);
	assert_int_equal(summary.elapsed,
			 measured(model, model->now) - (int64_t)zero);
	if (together > (double)summary.elapsed)
		together = (double)summary.elapsed;
	assert_int_equal(summary.breaks, model->counted);
	assert_int_equal(summary.added_overhead, llrint(sum));
	assert_int_equal(summary.overhead, (uint64_t)together);
	if (summary.breaks)
		assert_true(summary.average_overhead ==
			    (double)summary.overhead / (double)summary.breaks);
}

static void compare(const struct model *model)
{
	size_t live = 0;

	for (size_t i = 0; i < model->legs.count; i++) {
		compare_leg(model, i);
		live += !model->legs.data[i].deleted;
	}
	assert_null(measure_leg_at(model->measure, live));
	for (uint32_t node = 1; node <= NODES; node++) {
		const struct measure_node *got =
			measure_node(model->measure, node);

		assert_int_equal(got->count, model->node_counts[node]);
		compare_split(got->split, &model->node_splits[node], false);
	}
}

static void run_model(unsigned seed, unsigned steps, bool modes)
{
	struct model model = {.measure = measure_create(),
			      .random = {0x330e, (unsigned short)seed, 7},
			      .compensation = true,
			      .monitor = true,
			      .running = true,
			      .track = TRACK_ALL};

	for (uint32_t node = 1; node <= NODES; node++)
		measure_add_node(model.measure, node);
	for (unsigned i = 0; i < THREADS; i++)
		model.serials[i] = ++model.next_serial;
	measure_set_running(model.measure, true, 0);
	measure_set_monitor(model.measure, true, 0);
	set_clock(&model);
	for (unsigned i = 0; i < 10; i++)
		add_leg_step(&model);
	for (unsigned i = 0; i < steps; i++) {
		step(&model, modes);
		compare(&model);
		if (i % 16 == 0)
			compare_summary(&model);
	}
	measure_destroy(model.measure);
	vec_free(&model.runs);
	vec_free(&model.breaks);
	vec_free(&model.open);
	vec_free(&model.legs);
}

static void tables_agree_with_the_model_if_all_is_tracked(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 60; seed++)
		run_model(seed, 1500, false);
}

static void tables_agree_with_the_model_in_all_modes(void **state)
{
	(void)state;
	for (unsigned seed = 1000; seed < 1060; seed++)
		run_model(seed, 1500, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_agree_with_the_model_if_all_is_tracked),
		cmocka_unit_test(tables_agree_with_the_model_in_all_modes),
	};

	return cmocka_run_group_tests_name("measure_model", tests, NULL, NULL);
}
