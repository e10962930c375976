/*
 * test_merge_order.c - a merge in any order and grouping has the tables of one
 * process that saw everything
 *
 * Executions are made at random, each of a leg, by a process, with a value.
 * They are counted by one model for each file, and by one that sees all.
 *
 * tier: core
 * covers: merge saved
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "perftool/base/str.h"
#include "perftool/merge.h"

#define FILES 6
#define LEGS 3
#define PROCESSES 3
#define VALUES 4
#define EXECUTIONS 300
#define LONGEST 100 /* below 128 ns each time has a bucket of its own */
#define TRIALS 200

static uint64_t state_of_random = 1;

static uint64_t below(uint64_t limit)
{
	state_of_random = state_of_random * 6364136223846793005u + 1;
	return (state_of_random >> 33) % limit;
}

/* ---- what was executed --------------------------------------------------- */

/* So many executions took index ns. */
struct times {
	uint64_t counts[LONGEST];
};

struct file_model {
	struct times legs[LEGS], shares[LEGS][PROCESSES], rows[LEGS][VALUES];
};

static void execute(struct file_model *file, struct file_model *all)
{
	uint64_t leg = below(LEGS), process = below(PROCESSES),
		 value = below(VALUES), time = below(LONGEST);
	struct file_model *const both[] = {file, all};

	for (int i = 0; i < 2; i++) {
		both[i]->legs[leg].counts[time]++;
		both[i]->shares[leg][process].counts[time]++;
		both[i]->rows[leg][value].counts[time]++;
	}
}

/* ---- as JSON ------------------------------------------------------------- */

static uint64_t count_of(const struct times *times)
{
	uint64_t count = 0;

	for (int i = 0; i < LONGEST; i++)
		count += times->counts[i];
	return count;
}

static void append_figures(const struct times *times, struct str *out)
{
	uint64_t total = 0;
	int min = -1, max = 0;
	const char *comma = "";

	for (int i = 0; i < LONGEST; i++) {
		total += times->counts[i] * (uint64_t)i;
		if (!times->counts[i])
			continue;
		min = min < 0 ? i : min;
		max = i;
	}
	str_printf(out, "\"count\": %llu, \"total_ns\": %llu, ",
		   (unsigned long long)count_of(times),
		   (unsigned long long)total);
	if (min >= 0)
		str_printf(out, "\"min_ns\": %d, \"max_ns\": %d, ", min, max);
	str_append(out, "\"buckets\": [");
	for (int i = 0; i < LONGEST; i++) {
		if (!times->counts[i])
			continue;
		str_printf(out, "%s[%d, %d, %llu]", comma, i, i + 1,
			   (unsigned long long)times->counts[i]);
		comma = ", ";
	}
	str_append(out, "]");
}

static void append_leg(const struct file_model *file, int leg, struct str *out)
{
	const char *comma = "";

	str_printf(out,
		   "{\"id\": %d, \"name\": \"leg%d\", \"by\": {"
		   "\"expression\": \"x\", \"at\": \"from\", \"values\": [",
		   leg, leg);
	for (int i = 0; i < VALUES; i++) {
		if (!count_of(&file->rows[leg][i]))
			continue;
		str_printf(out, "%s{\"kind\": \"value\", \"value\": %d, ",
			   comma, i);
		append_figures(&file->rows[leg][i], out);
		str_append(out, "}");
		comma = ", ";
	}
	str_append(out, "]}, \"processes\": [");
	comma = "";
	for (int i = 0; i < PROCESSES; i++) {
		/* all are there, so that the order of a file is that of all */
		str_printf(out, "%s{\"process\": %d, \"command\": \"%s\", ",
			   comma, i + 1, i ? "worker" : "main");
		append_figures(&file->shares[leg][i], out);
		str_append(out, "}");
		comma = ", ";
	}
	str_append(out, "], ");
	append_figures(&file->legs[leg], out);
	str_append(out, "}");
}

static struct saved_tables *tables_of_rank(const struct file_model *file,
					   int rank)
{
	struct saved_tables *tables = NULL;
	struct error *error;
	struct str text = {0};

	str_append(&text, "{\"schema\": 1, \"nodes\": [], ");
	if (rank >= 0)
		str_printf(&text, "\"rank\": %d, ", rank);
	str_append(&text, "\"legs\": [");
	for (int i = 0; i < LEGS; i++) {
		str_append(&text, i ? ", " : "");
		append_leg(file, i, &text);
	}
	str_append(&text, "]}");
	error = saved_parse(str_text(&text), text.length, "model", &tables);
	if (error)
		fail_msg("%s", error_message(error));
	str_deinit(&text);
	return tables;
}

static struct saved_tables *tables_of(const struct file_model *file)
{
	return tables_of_rank(file, -1);
}

/* ---- merging ------------------------------------------------------------- */

static void add(struct merge *merge, struct saved_tables *tables)
{
	struct error *error = merge_add(merge, tables);

	if (error)
		fail_msg("%s", error_message(error));
	saved_destroy(tables);
}

/* For struct report_sink: takes each row, and appends it to a text. */
static struct error *take_row(void *context, struct str *text, size_t done,
			      size_t rows)
{
	struct str *whole = context;

	assert_true(done >= 1 && done <= rows);
	str_append_n(whole, str_text(text), text->length);
	text->length = 0;
	return NULL;
}

/* Writes a merge, reads it again, and destroys it. */
static struct saved_tables *read_again(struct merge *merge)
{
	struct saved_tables *tables = NULL;
	struct error *error;
	struct str text = {0}, rest = {0};
	const struct report_sink sink = {take_row, &text};

	assert_null(merge_json(merge, &sink, &rest));
	str_append_n(&text, str_text(&rest), rest.length);
	error = saved_parse(str_text(&text), text.length, "merge", &tables);
	if (error)
		fail_msg("%s", error_message(error));
	str_deinit(&text);
	str_deinit(&rest);
	merge_destroy(merge);
	return tables;
}

/* Merges files in a random order, some of them as a merge of their own. */
static struct saved_tables *merge_at_random(const struct file_model *files)
{
	struct merge *whole = merge_create(false), *group = NULL;
	int order[FILES];

	for (int i = 0; i < FILES; i++) {
		int at = (int)below((uint64_t)i + 1);

		order[i] = order[at];
		order[at] = i;
	}
	for (int i = 0; i < FILES; i++) {
		if (!group)
			group = merge_create(false);
		add(below(2) ? group : whole, tables_of(&files[order[i]]));
		if (below(3))
			continue;
		add(whole, read_again(group));
		group = NULL;
	}
	if (group)
		add(whole, read_again(group));
	return read_again(whole);
}

/* ---- comparing ----------------------------------------------------------- */

static void same_figures(const struct saved_leg *leg, const struct times *times)
{
	uint64_t total = 0, listed = 0;

	assert_int_equal(leg->count, count_of(times));
	for (size_t i = 0; i < leg->buckets.count; i++) {
		const struct saved_bucket *bucket = &leg->buckets.data[i];

		assert_int_equal(bucket->count,
				 times->counts[(int)bucket->from]);
		total += bucket->count * (uint64_t)bucket->from;
		listed += bucket->count;
	}
	assert_int_equal(listed, leg->count);
	assert_true(leg->total == total);
	if (!leg->count)
		return;
	assert_true(times->counts[(int)leg->min] > 0);
	assert_true(leg->min == leg->buckets.data[0].from);
	assert_true(leg->max == leg->buckets.data[leg->buckets.count - 1].from);
}

/* A row of a split has the same figures as a leg. */
static void same_row(const struct saved_row *row, const struct times *times)
{
	const struct saved_leg figures = {.count = row->count,
					  .total = row->total,
					  .min = row->min,
					  .max = row->max,
					  .buckets = row->buckets};

	same_figures(&figures, times);
}

static int process_of(const struct saved_share_list *shares, size_t index)
{
	int workers = 1;

	if (strcmp(shares->data[index].command, "main") == 0)
		return 0;
	for (size_t i = 0; i < shares->count; i++)
		workers += strcmp(shares->data[i].command, "worker") == 0 &&
			   shares->data[i].number < shares->data[index].number;
	return workers;
}

static void same(const struct saved_tables *tables,
		 const struct file_model *all)
{
	assert_int_equal(tables->legs.count, LEGS);
	for (int i = 0; i < LEGS; i++) {
		char name[] = {'l', 'e', 'g', (char)('0' + i), '\0'};
		const struct saved_leg *leg = saved_find(tables, name, 0);
		size_t rows = 0;

		same_figures(leg, &all->legs[i]);
		assert_int_equal(leg->shares.count, PROCESSES);
		for (size_t j = 0; j < PROCESSES; j++)
			same_figures(
				&leg->shares.data[j].figures,
				&all->shares[i][process_of(&leg->shares, j)]);
		for (size_t j = 0; j < leg->split->rows.count; j++)
			same_row(&leg->split->rows.data[j],
				 &all->rows[i][leg->split->rows.data[j].whole]);
		for (int j = 0; j < VALUES; j++)
			rows += count_of(&all->rows[i][j]) > 0;
		assert_int_equal(leg->split->rows.count, rows);
	}
}

static void order_and_grouping_do_not_matter(void **state)
{
	(void)state;
	for (int trial = 0; trial < TRIALS; trial++) {
		struct file_model files[FILES] = {0}, all = {0};
		struct saved_tables *merged;

		for (int i = 0; i < EXECUTIONS; i++)
			execute(&files[below(FILES)], &all);
		merged = merge_at_random(files);
		same(merged, &all);
		saved_destroy(merged);
	}
}

/* ---- by rank ------------------------------------------------------------- */

#define RANKS 3

/* Returns the merge as an object of json-c, and destroys the merge. */
static struct json_object *object_of(struct merge *merge)
{
	struct str text = {0}, rest = {0};
	const struct report_sink sink = {take_row, &text};
	struct json_object *object;

	assert_null(merge_json(merge, &sink, &rest));
	str_append_n(&text, str_text(&rest), rest.length);
	object = json_tokener_parse(str_text(&text));
	assert_non_null(object);
	str_deinit(&text);
	str_deinit(&rest);
	merge_destroy(merge);
	return object;
}

static struct json_object *member(struct json_object *object, const char *name)
{
	struct json_object *value = NULL;

	assert_true(json_object_object_get_ex(object, name, &value));
	return value;
}

/* The share of a rank has the figures that a merge of the files of this rank
 * alone has. */
static void same_share(struct json_object *share, struct json_object *leg)
{
	static const char *const names[] = {
		"count",   "total_ns", "mean_ns",        "min_ns",
		"max_ns",  "p50_ns",   "p90_ns",         "p99_ns",
		"p999_ns", "cpu_ns",   "total_bound_ns", "waiting_ns"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_string_equal(
			json_object_to_json_string(member(share, names[i])),
			json_object_to_json_string(member(leg, names[i])));
}

/* Returns how many legs the rank has a share of. */
static size_t check_rank(struct json_object *whole, int rank,
			 struct json_object *alone)
{
	size_t found = 0;

	for (size_t i = 0; i < LEGS; i++) {
		struct json_object *leg =
			json_object_array_get_idx(member(alone, "legs"), i);
		struct json_object *shares = member(
			json_object_array_get_idx(member(whole, "legs"), i),
			"ranks");
		size_t count = json_object_array_length(shares);
		int before = -1;

		for (size_t j = 0; j < count; j++) {
			struct json_object *share =
				json_object_array_get_idx(shares, j);
			int at = json_object_get_int(member(share, "rank"));

			assert_true(at > before);
			before = at;
			if (at != rank)
				continue;
			same_share(share, leg);
			found++;
		}
	}
	return found;
}

/* Two files of each rank, in any order of the ranks. A rank that has not
 * executed a leg has no share of it. */
static void ranks_have_what_their_files_have(void **state)
{
	(void)state;
	for (int trial = 0; trial < TRIALS / 10; trial++) {
		struct file_model files[FILES] = {0}, all = {0};
		struct merge *whole = merge_create(true);
		struct json_object *object;
		int shift = (int)below(FILES);

		for (int i = 0; i < EXECUTIONS; i++)
			execute(&files[below(FILES - 1)], &all);
		files[0].legs[1] = files[RANKS].legs[1] = (struct times){0};
		for (int i = 0; i < FILES; i++) {
			int at = (i + shift) % FILES;

			add(whole, tables_of_rank(&files[at], at % RANKS));
		}
		object = object_of(whole);
		for (int rank = 0; rank < RANKS; rank++) {
			struct merge *part = merge_create(false);
			struct json_object *alone;
			int first = (rank + FILES - shift % RANKS) % RANKS;

			/* the order is that of the whole */
			first = (first + shift) % FILES;
			add(part, tables_of(&files[first]));
			add(part, tables_of(&files[(first + RANKS) % FILES]));
			alone = object_of(part);
			assert_int_equal(check_rank(object, rank, alone),
					 rank ? LEGS : LEGS - 1);
			json_object_put(alone);
		}
		json_object_put(object);
	}
}

/* ---- what cannot be added ------------------------------------------------ */

static struct saved_tables *parse(const char *text)
{
	struct saved_tables *tables = NULL;
	struct error *error = saved_parse(text, strlen(text), "file", &tables);

	if (error)
		fail_msg("%s", error_message(error));
	return tables;
}

static void refuses(bool by_rank, const char *text, const char *words)
{
	struct merge *merge = merge_create(by_rank);
	struct saved_tables *tables = parse(text);
	struct error *error = merge_add(merge, tables);

	assert_non_null(error);
	if (!strstr(error_message(error), words))
		fail_msg("`%s' is not in: %s", words, error_message(error));
	error_destroy(error);
	saved_destroy(tables);
	merge_destroy(merge);
}

static void refuses_parts_and_missing_ranks(void **state)
{
	(void)state;
	refuses(false,
		"{\"schema\": 1, \"legs\": [], \"interval\": {\"from_ns\": 1}}",
		"a part of the measured time only");
	refuses(true, "{\"schema\": 1, \"legs\": []}",
		"by=rank needs a rank in each file");
	refuses(true, "{\"schema\": 1, \"legs\": [], \"rank\": -3}",
		"by=rank needs a rank in each file");
}

static void tells_of_other_splits(void **state)
{
#define SPLIT(by)                                                              \
	"{\"schema\": 1, \"legs\": [{\"name\": \"f\", \"count\": 1, \"by\": "  \
	"{\"expression\": \"" by                                               \
	"\", \"at\": \"to\", \"values\": [{\"kind\": "                         \
	"\"value\", \"value\": \"a\", \"count\": 1, \"buckets\": [[1, 2, 1]]}" \
	"]}}]}"
	struct merge *merge = merge_create(false);
	struct saved_tables *tables;
	struct str remarks = {0};

	(void)state;
	add(merge, parse(SPLIT("x")));
	add(merge, parse(SPLIT("y")));
	merge_remarks(merge, &remarks);
	assert_non_null(strstr(str_text(&remarks), "rows of `by' of f"));
	tables = read_again(merge);
	assert_int_equal(tables->legs.data[0].count, 2);
	assert_int_equal(tables->legs.data[0].split->rows.data[0].count, 1);
	assert_string_equal(tables->legs.data[0].split->rows.data[0].text, "a");
	assert_true(tables->legs.data[0].split->at_to);
	saved_destroy(tables);
	str_deinit(&remarks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_and_grouping_do_not_matter),
		cmocka_unit_test(ranks_have_what_their_files_have),
		cmocka_unit_test(refuses_parts_and_missing_ranks),
		cmocka_unit_test(tells_of_other_splits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
