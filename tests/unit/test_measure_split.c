/*
 * test_measure_split.c - nodes and legs split by a value
 *
 * test_measure_model.c shows that the rows of random splits add up.
 *
 * tier: core
 * covers: measure/values
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <malloc.h>
#include <math.h>
#include <stdio.h>

#include "measure_rig.h"
#include "perftool/histogram.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/split.h"

static void hit_label(uint32_t node, uint64_t time, struct label label)
{
	struct hit now = {.node = node,
			  .thread = 1,
			  .pid = PID,
			  .tid = 1,
			  .time = time,
			  .labels = &label,
			  .label_count = 1};

	measure_hit(measure, &now);
}

static struct label text(const char *text_)
{
	return (struct label){.text = text_};
}

static struct label number(int64_t i)
{
	return (struct label){.value = value_signed(i)};
}

static const struct label none = {.value = {.kind = VALUE_NONE}};

/* Compare the rows, in the order in which they are shown, with a text such as
 * "label:count:total label:count:total". */
static void check_view(const struct measure_split *split,
		       const struct split_view *view, const char *wanted)
{
	struct measure_row_list rows = {0};
	char got[1024] = "", buffer[32];
	uint64_t sum = 0;
	size_t used = 0;

	measure_split_rows(split, view, &rows);
	for (size_t i = 0; i < rows.count; i++) {
		const struct measure_row *row = &rows.data[i];
		const char *name =
			row->kind == ROW_OTHER   ? "other"
			: row->kind == ROW_ERROR ? "error"
			: row->label.text
				? row->label.text
				: value_format(row->label.value, buffer);

		used += (size_t)snprintf(got + used, sizeof(got) - used,
					 "%s%s:%d:%d", i ? " " : "", name,
					 (int)row->count, (int)row->total);
		sum += row->count;
	}
	measure_rows_deinit(&rows);
	assert_string_equal(got, wanted);
	assert_int_equal(sum, split->count);
}

static void check_rows(const struct measure_split *split, const char *wanted)
{
	check_view(split, &(struct split_view){.sort = SORT_COUNT}, wanted);
}

static uint32_t split_leg(struct split_spec spec)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);

	assert_null(measure_split_leg(measure, id, &spec));
	return id;
}

static void execute(struct label from, struct label to, uint64_t at,
		    uint64_t duration)
{
	hit_label(1, at, from);
	hit_label(2, at + duration, to);
}

static void leg_is_split_by_text(void **state)
{
	uint32_t id = split_leg((struct split_spec){.view.rows = 0});
	char name[] = "set";

	(void)state;
	execute(text("get"), none, 100, 10);
	execute(text(name), none, 200, 30);
	name[0] = 'x'; /* the split has a copy of the text */
	execute(text("set"), none, 300, 50);
	execute(none, text("get"), 400, 5);
	check_rows(leg(id)->split, "set:2:80 get:1:10 error:1:5");
	assert_int_equal(leg(id)->split->spec.view.rows, SPLIT_ROWS);
	assert_int_equal(leg(id)->split->values, 2);
	assert_int_equal(leg(id)->split->overflow, 0);
}

/* A value that is rare but takes long has a row in the default order. In the
 * order of counts it may not. */
static void rows_follow_the_chosen_order(void **state)
{
	static const struct split_view as_set = {0}, by_count = {1, SORT_COUNT},
				       by_mean = {2, SORT_MEAN};
	uint32_t id = split_leg((struct split_spec){.view.rows = 1});

	(void)state;
	for (uint64_t i = 0; i < 4; i++)
		execute(text("often"), none, 100 * i, 10);
	execute(text("mean"), none, 1000, 50);
	execute(text("long"), none, 2000, 49);
	execute(text("long"), none, 3000, 49);
	check_view(leg(id)->split, &as_set, "long:2:98 other:5:90");
	check_view(leg(id)->split, &by_count, "often:4:40 other:3:148");
	check_view(leg(id)->split, &by_mean, "mean:1:50 long:2:98 other:4:40");
	assert_null(measure_view_leg(measure, id, &by_mean));
	check_view(leg(id)->split, &as_set, "mean:1:50 long:2:98 other:4:40");
	assert_null(
		measure_view_leg(measure, id, &(struct split_view){.rows = 1}));
	check_view(leg(id)->split, &as_set, "mean:1:50 other:6:138");
}

static void leg_is_split_by_a_value_at_its_end(void **state)
{
	uint32_t id = split_leg((struct split_spec){.at_to = true});

	(void)state;
	execute(text("from"), text("get"), 100, 10);
	execute(text("from"), text("get"), 200, 10);
	execute(text("from"), none, 300, 10);
	check_rows(leg(id)->split, "get:2:20 error:1:10");
}

static void node_is_split_by_number(void **state)
{
	const struct split_spec spec = {.view.rows = 2};

	(void)state;
	assert_null(measure_split_node(measure, 3, &spec));
	hit_label(3, 1, number(7));
	hit_label(3, 2, number(-7));
	hit_label(3, 3, number(7));
	hit_label(3, 4, (struct label){.value = value_float(7)});
	hit_label(3, 5, none);
	hit_label(3, 6, (struct label){.value = value_unsigned(7)});
	/* of values with equal counts, the one that came first stands first */
	check_rows(measure_node(measure, 3)->split,
		   "7:3:0 -7:1:0 other:1:0 error:1:0");
	/* a node has no times, so its rows are in the order of counts */
	check_view(measure_node(measure, 3)->split,
		   &(struct split_view){.rows = 1, .sort = SORT_MEAN},
		   "7:3:0 other:2:0 error:1:0");
	assert_int_equal(measure_node(measure, 3)->count, 6);
}

/* The hit does not have the label that the split uses. */
static void hit_without_the_label_is_in_the_error_row(void **state)
{
	const struct split_spec spec = {.label = 1};

	(void)state;
	assert_null(measure_split_node(measure, 3, &spec));
	hit_label(3, 1, number(7));
	check_rows(measure_node(measure, 3)->split, "error:1:0");
}

static void all_nans_are_one_row(void **state)
{
	const struct split_spec spec = {0};

	(void)state;
	assert_null(measure_split_node(measure, 3, &spec));
	hit_label(3, 1, (struct label){.value = value_float(NAN)});
	hit_label(3, 2, (struct label){.value = value_float(-NAN)});
	hit_label(3, 3, (struct label){.value = value_float(0.0)});
	hit_label(3, 4, (struct label){.value = value_float(-0.0)});
	assert_int_equal(measure_node(measure, 3)->split->values, 2);
}

/* A text is another value than the number that it looks like. */
static void text_and_equal_number_have_separate_rows(void **state)
{
	const struct split_spec spec = {0};

	(void)state;
	assert_null(measure_split_node(measure, 3, &spec));
	hit_label(3, 1, text("7"));
	hit_label(3, 2, number(7));
	hit_label(3, 3, text(""));
	check_rows(measure_node(measure, 3)->split, "7:1:0 7:1:0 :1:0");
}

static void values_beyond_the_limit_are_in_the_other_row(void **state)
{
	const uint32_t more = 100;
	uint32_t id = split_leg((struct split_spec){.view.rows = 3});
	struct measure_row_list rows = {0};
	const struct measure_row *other;
	double median = 0;

	(void)state;
	for (uint32_t i = 0; i < SPLIT_VALUES + more; i++)
		execute(number(i), none, 100 * i, 10 + i % 2);
	for (uint32_t i = 0; i < 3; i++)
		execute(number(2), none, 1000000 + 100 * i, 10);
	execute(none, none, 2000000, 10);
	measure_split_rows(leg(id)->split,
			   &(struct split_view){.sort = SORT_COUNT}, &rows);
	assert_int_equal(rows.count, 5);
	assert_int_equal(rows.data[0].count, 4);
	assert_int_equal(rows.data[0].label.value.i, 2);
	assert_int_equal(rows.data[1].label.value.i, 0);
	assert_int_equal(rows.data[2].label.value.i, 1);
	other = &rows.data[3];
	assert_int_equal(other->kind, ROW_OTHER);
	assert_int_equal(other->values, SPLIT_VALUES - 3);
	assert_int_equal(other->count, SPLIT_VALUES - 3 + more);
	assert_int_equal(other->min, 10);
	assert_int_equal(other->max, 11);
	assert_int_equal(histogram_references(other->record), other->count);
	assert_true(measure_row_quantile(other, 0.5, &median));
	assert_true(median >= 10 && median <= 11);
	assert_int_equal(rows.data[4].kind, ROW_ERROR);
	measure_rows_deinit(&rows);
	assert_int_equal(leg(id)->split->count, leg(id)->count);
	assert_int_equal(leg(id)->split->overflow, more);
	assert_int_equal(leg(id)->split->values, SPLIT_VALUES);
}

static void new_split_counts_from_now_on(void **state)
{
	const struct split_spec by_from = {0}, by_to = {.at_to = true};
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);

	(void)state;
	execute(text("a"), text("b"), 100, 10);
	/* this execution begins before the split */
	hit_label(1, 200, text("a"));
	assert_null(measure_split_leg(measure, id, &by_from));
	hit_label(2, 210, text("b"));
	execute(text("a"), text("b"), 300, 10);
	check_rows(leg(id)->split, "a:1:10");
	assert_int_equal(leg(id)->count, 3);
	/* a new split replaces the old one; an execution that began under the
	 * old one is in no row */
	hit_label(1, 400, text("a"));
	assert_null(measure_split_leg(measure, id, &by_from));
	hit_label(2, 410, text("b"));
	check_rows(leg(id)->split, "");
	hit_label(1, 500, text("a"));
	assert_null(measure_split_leg(measure, id, &by_to));
	hit_label(2, 510, text("b"));
	check_rows(leg(id)->split, "b:1:10");
}

static const struct measure_row *last_row;

static void observe(void *context, const struct execution *execution)
{
	(void)context;
	last_row = execution->row;
}

static void executions_know_their_row(void **state)
{
	uint32_t id = split_leg((struct split_spec){0});

	(void)state;
	measure_set_observer(measure, observe, NULL);
	execute(text("get"), none, 100, 10);
	assert_string_equal(last_row->label.text, "get");
	assert_ptr_equal(leg(id)->slowest.data[0].row, last_row);
	execute(none, none, 200, 5);
	assert_int_equal(last_row->kind, ROW_ERROR);
	assert_null(measure_unsplit_leg(measure, id));
	assert_null(leg(id)->slowest.data[0].row);
	assert_null(leg(id)->split);
	execute(text("get"), none, 300, 10);
	assert_null(last_row);
}

static void zero_and_initialize_clear_splits(void **state)
{
	const struct split_spec spec = {.view.rows = 5};
	uint32_t id = split_leg(spec);

	(void)state;
	assert_null(measure_split_node(measure, 1, &spec));
	execute(text("a"), none, 100, 10);
	hit_label(1, 200, text("a"));
	measure_zero(measure, 300);
	check_rows(leg(id)->split, "");
	check_rows(measure_node(measure, 1)->split, "");
	assert_int_equal(leg(id)->split->spec.view.rows, 5);
	hit_label(2, 310, none);
	execute(text("b"), none, 400, 20);
	check_rows(leg(id)->split, "b:1:20");
	check_rows(measure_node(measure, 1)->split, "b:1:0");
	measure_initialize(measure, 500);
	assert_null(measure_leg_at(measure, 0));
	assert_null(measure_node_at(measure, 0));
}

static void row_of_a_keyed_leg_is_that_of_its_start(void **state)
{
	uint32_t id = add_leg(
		(struct leg_spec){.from = 1, .to = 2, .owner = OWNER_KEY});
	const struct split_spec spec = {0};

	(void)state;
	assert_null(measure_split_leg(measure, id, &spec));
	for (uint32_t i = 0; i < 6; i++) {
		const struct value key = value_unsigned(i);
		const struct label label = text(i % 3 ? "get" : "set");
		struct hit now = {.node = 1,
				  .thread = 1,
				  .pid = PID,
				  .tid = 1,
				  .time = 100 + i,
				  .keys = &key,
				  .key_count = 1,
				  .labels = &label,
				  .label_count = 1};

		measure_hit(measure, &now);
	}
	for (uint32_t i = 6; i-- > 0;)
		hit_key(2, 2, PID, 200, value_unsigned(i));
	check_leg(id, 6, 0, 0, 0);
	check_rows(leg(id)->split, "get:4:0 set:2:0");
}

static void track_successor_uses_the_row_of_the_last_start(void **state)
{
	uint32_t id = split_leg((struct split_spec){0});

	(void)state;
	measure_set_track(measure, TRACK_SUCCESSOR);
	/* node 3 follows, so the leg does not end */
	hit_label(1, 100, text("lost"));
	hit_label(3, 110, none);
	execute(text("a"), text("x"), 200, 10);
	hit_label(1, 300, text("replaced"));
	execute(text("b"), text("x"), 310, 20);
	check_rows(leg(id)->split, "a:1:10 b:1:20");
	assert_int_equal(leg(id)->count, 2);
}

/* Returns the number of bytes that are allocated. */
static size_t allocated(void)
{
	struct mallinfo2 now = mallinfo2();

	return now.uordblks + now.hblkhd;
}

/* A label that is known allocates nothing. (mallinfo2() does not see the
 * allocator of sanitizers, so the test shows nothing there.) */
static void known_label_allocates_nothing(void **state)
{
	static const char *const names[] = {"get", "set", "incr"};
	uint32_t id = split_leg((struct split_spec){0});
	const struct split_spec spec = {0};
	size_t before = 0;

	(void)state;
	assert_null(measure_split_node(measure, 2, &spec));
	for (uint32_t i = 0; i < 3000; i++) {
		if (i == 1000)
			before = allocated();
		execute(text(names[i % 3]), number(i % 100), 1000 * i,
			100 + i % 7);
	}
	assert_int_equal(allocated(), before);
	assert_int_equal(leg(id)->split->count, 3000);
	assert_int_equal(measure_node(measure, 2)->split->values, 100);
}

static void wrong_splits_are_refused(void **state)
{
	const struct split_spec spec = {0};
	const struct split_view five = {.rows = 5};
	struct error *errors[] = {
		measure_split_leg(measure, 7, &spec),
		measure_split_node(measure, 7, &spec),
		measure_unsplit_leg(measure, 7),
		measure_unsplit_node(measure, 7),
		measure_unsplit_node(measure, 1),
		measure_view_node(measure, 1, &five),
		measure_view_leg(measure, 0, &five),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		assert_non_null(errors[i]);
		assert_int_equal(error_code(errors[i]), ERROR_NOT_FOUND);
		error_destroy(errors[i]);
	}
	assert_null(measure_split_node(measure, 1, &spec));
	assert_null(measure_view_node(measure, 1, &five));
	assert_int_equal(measure_node(measure, 1)->split->spec.view.rows, 5);
	assert_null(measure_unsplit_node(measure, 1));
	assert_null(measure_node(measure, 1)->split);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RULE(leg_is_split_by_text),
		RULE(rows_follow_the_chosen_order),
		RULE(leg_is_split_by_a_value_at_its_end),
		RULE(node_is_split_by_number),
		RULE(hit_without_the_label_is_in_the_error_row),
		RULE(all_nans_are_one_row),
		RULE(text_and_equal_number_have_separate_rows),
		RULE(values_beyond_the_limit_are_in_the_other_row),
		RULE(new_split_counts_from_now_on),
		RULE(executions_know_their_row),
		RULE(zero_and_initialize_clear_splits),
		RULE(row_of_a_keyed_leg_is_that_of_its_start),
		RULE(track_successor_uses_the_row_of_the_last_start),
		RULE(known_label_allocates_nothing),
		RULE(wrong_splits_are_refused),
	};

	return cmocka_run_group_tests_name("measure_split", tests, NULL, NULL);
}
