/*
 * comparison_records.c - comparisons, and the spread of runs, as JSON and CSV
 */
#include <json-c/json.h>
#include <math.h>

#include "perftool/document.h"
#include "perftool/report/comparisons.h"
#include "report/records/records.h"

static const char *const basis_names[] = {[BASIS_NONE] = NULL,
					  [BASIS_RUNS] = "runs",
					  [BASIS_EXECUTIONS] = "executions"};

/* A number that may be whole. */
static void add_value_of(struct record *out, const char *name, double value)
{
	if (isfinite(value) && value == floor(value) && fabs(value) < 0x1p120)
		add_integer(out, name, (__int128)value);
	else
		add_number(out, name, value);
}

static void record_estimate(const struct estimate *estimate,
			    enum compare_figure figure, struct record *out)
{
	double low = estimate->has_interval ? estimate->low : NAN;
	double high = estimate->has_interval ? estimate->high : NAN;

	add_value_of(out, "before", estimate->before);
	add_value_of(out, "after", estimate->after);
	add_value_of(out, "difference", estimate_difference(estimate));
	add_value_of(out, "low", low);
	add_value_of(out, "high", high);
	add_number(out, "difference_percent",
		   estimate_percent(estimate, estimate_difference(estimate)));
	add_number(out, "low_percent",
		   estimate->has_interval ? estimate->low_percent : NAN);
	add_number(out, "high_percent",
		   estimate->has_interval ? estimate->high_percent : NAN);
	add_text(out, "verdict", verdict_word(estimate->verdict, figure));
	if (estimate->verdict == VERDICT_NONE && estimate->more_runs)
		add_integer(out, "more_runs", (__int128)estimate->more_runs);
	else
		add_null(out, "more_runs");
}

static void record_leg_head(const struct leg_comparison *leg,
			    struct record *out)
{
	add_text(out, "name", leg->name);
	add_integer(out, "nth", leg->nth);
	add_text(out, "basis", basis_names[leg->basis]);
	add_integer(out, "drawn_before", leg->drawn_before);
	add_integer(out, "drawn_after", leg->drawn_after);
}

static struct json_object *file_object(const struct compared_file *file)
{
	struct record record = {0};

	add_text(&record, "file", file->path);
	add_text(&record, "program", file->program);
	add_text(&record, "perftool", file->version);
	add_text(&record, "host", file->host);
	add_text(&record, "at", file->at);
	add_integer(&record, "runs", (__int128)(file->runs ? file->runs : 1));
	add_integer(&record, "failed_runs", file->failed_runs);
	add_integer(&record, "merged_files", file->merged_files);
	return json_record(&record);
}

static struct json_object *leg_object(const struct leg_comparison *leg)
{
	struct json_object *object, *figures = json_object_new_object();
	struct record record = {0};

	record_leg_head(leg, &record);
	object = json_record(&record);
	for (unsigned i = 0; i < FIGURES; i++) {
		record_estimate(&leg->figures[i], i, &record);
		json_object_object_add(figures, compare_figure_names[i],
				       json_record(&record));
	}
	json_object_object_add(object, "figures", figures);
	return object;
}

static struct json_object *name_array(const struct compare_name_list *names)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < names->count; i++)
		json_object_array_add(array, document_text(names->data[i]));
	return array;
}

static struct json_object *
comparison_object(const struct comparison *comparison)
{
	struct json_object *object = json_object_new_object();
	struct json_object *legs = json_object_new_array();

	json_object_object_add(object, "before",
			       file_object(&comparison->before));
	json_object_object_add(object, "after",
			       file_object(&comparison->after));
	for (size_t i = 0; i < comparison->legs.count; i++)
		json_object_array_add(legs,
				      leg_object(&comparison->legs.data[i]));
	json_object_object_add(object, "legs", legs);
	json_object_object_add(object, "only_before",
			       name_array(&comparison->only_before));
	json_object_object_add(object, "only_after",
			       name_array(&comparison->only_after));
	return object;
}

static struct json_object *
held_array(const struct held_condition_list *conditions)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < conditions->count; i++) {
		const struct held_condition *held = &conditions->data[i];
		struct record record = {0};

		add_text(&record, "condition", held->condition->text);
		add_text(&record, "after", held->comparison->after.path);
		add_text(&record, "leg", held->leg->name);
		json_object_array_add(array, json_record(&record));
	}
	return array;
}

void report_comparisons_json(const struct comparison *comparisons, size_t count,
			     const struct held_condition_list *held,
			     struct str *out)
{
	struct json_object *object = json_object_new_object();
	struct json_object *array = json_object_new_array();

	json_object_object_add(object, "schema", json_object_new_int(1));
	json_object_object_add(object, "perftool",
			       json_object_new_string(PERFTOOL_VERSION));
	for (size_t i = 0; i < count; i++)
		json_object_array_add(array,
				      comparison_object(&comparisons[i]));
	json_object_object_add(object, "comparisons", array);
	json_object_object_add(object, "conditions_held", held_array(held));
	json_write(object, out);
}

static void record_row_of(const struct comparison *comparison,
			  const struct leg_comparison *leg,
			  enum compare_figure figure, struct record *out)
{
	add_text(out, "before_file", comparison->before.path);
	add_text(out, "after_file", comparison->after.path);
	record_leg_head(leg, out);
	add_text(out, "figure", compare_figure_names[figure]);
	record_estimate(&leg->figures[figure], figure, out);
}

void report_comparisons_csv(const struct comparison *comparisons, size_t count,
			    struct str *out)
{
	const struct comparison none = {.before = {.path = ""}};
	struct record record = {0};

	record_row_of(&none, &(struct leg_comparison){.name = ""}, 0, &record);
	csv_names(&record, out);
	record_deinit(&record);
	for (size_t i = 0; i < count; i++) {
		const struct leg_comparison_list *legs = &comparisons[i].legs;

		for (size_t j = 0; j < legs->count * FIGURES; j++) {
			record_row_of(&comparisons[i], &legs->data[j / FIGURES],
				      (enum compare_figure)(j % FIGURES),
				      &record);
			csv_values(&record, out);
		}
	}
}

/* ---- the spread of runs -------------------------------------------------- */

static void record_spread(const struct leg_spread *leg,
			  enum compare_figure figure, struct record *out)
{
	const struct run_spread *at = &leg->figures[figure];

	add_text(out, "name", leg->name);
	add_text(out, "figure", compare_figure_names[figure]);
	add_integer(out, "runs", (__int128)at->count);
	add_value_of(out, "median", at->median);
	add_value_of(out, "low", at->low);
	add_value_of(out, "high", at->high);
	add_number(out, "deviation", at->deviation);
}

void report_spread_json(const struct leg_spread_list *legs, struct str *out)
{
	struct json_object *array = json_object_new_array();
	struct record record = {0};

	for (size_t i = 0; i < legs->count * FIGURES; i++) {
		record_spread(&legs->data[i / FIGURES],
			      (enum compare_figure)(i % FIGURES), &record);
		json_object_array_add(array, json_record(&record));
	}
	json_write(array, out);
}

void report_spread_csv(const struct leg_spread_list *legs, struct str *out)
{
	struct record record = {0};

	record_spread(&(struct leg_spread){.name = ""}, 0, &record);
	csv_names(&record, out);
	record_deinit(&record);
	for (size_t i = 0; i < legs->count * FIGURES; i++) {
		record_spread(&legs->data[i / FIGURES],
			      (enum compare_figure)(i % FIGURES), &record);
		csv_values(&record, out);
	}
}
