/*
 * comparison_records.c - comparisons, and the spread of runs, as JSON and CSV
 */
#include <json-c/json.h>
#include <math.h>
#include <string.h>

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

/* ---- JSON, piece by piece ------------------------------------------------ */

/* Appends the object as an element, or as the value of a member, that stands
 * `depth` levels deep, and frees it. */
static void append_object(struct json_object *object, int depth,
			  struct str *out)
{
	struct str text = {0};
	const char *at, *end;

	json_write(object, &text);
	text.data[--text.length] = '\0';
	for (at = str_text(&text); (end = strchr(at, '\n')); at = end + 1) {
		str_append_n(out, at, (size_t)(end - at) + 1);
		str_printf(out, "%*s", 2 * depth, "");
	}
	str_append(out, at);
	str_deinit(&text);
}

/* Begins an element of an array, or a member of an object if it has a name. */
static void begin(const char *name, bool is_first, int depth, struct str *out)
{
	str_printf(out, "%s\n%*s", is_first ? "" : ",", 2 * depth, "");
	if (name)
		str_printf(out, "\"%s\": ", name);
}

static void end(char bracket, int depth, struct str *out)
{
	str_printf(out, "\n%*s%c", 2 * depth, "", bracket);
}

static void append_names(const char *name,
			 const struct compare_name_list *names, struct str *out)
{
	begin(name, false, 3, out);
	str_append_char(out, '[');
	for (size_t i = 0; i < names->count; i++) {
		begin(NULL, i == 0, 4, out);
		append_object(document_text(names->data[i]), 4, out);
	}
	end(']', 3, out);
}

static struct error *append_comparison(const struct comparison *comparison,
				       const struct report_sink *sink,
				       struct str *out)
{
	size_t count = comparison->legs.count;

	str_append_char(out, '{');
	begin("before", true, 3, out);
	append_object(file_object(&comparison->before), 3, out);
	begin("after", false, 3, out);
	append_object(file_object(&comparison->after), 3, out);
	begin("legs", false, 3, out);
	str_append_char(out, '[');
	for (size_t i = 0; i < count; i++) {
		struct leg_comparison leg;

		comparison_leg(comparison, i, &leg);
		begin(NULL, i == 0, 4, out);
		append_object(leg_object(&leg), 4, out);
		TRY(sink->take(sink->context, out, i + 1, count));
	}
	end(']', 3, out);
	append_names("only_before", &comparison->only_before, out);
	append_names("only_after", &comparison->only_after, out);
	end('}', 2, out);
	return NULL;
}

static struct json_object *held_object(const struct held_condition *held)
{
	struct record record = {0};

	add_text(&record, "condition", held->condition->text);
	add_text(&record, "after", held->comparison->after.path);
	add_text(&record, "leg", held->leg);
	return json_record(&record);
}

struct error *report_comparisons_json(const struct comparison *comparisons,
				      size_t count,
				      const struct held_condition_list *held,
				      const struct report_sink *sink,
				      struct str *out)
{
	str_append(out, "{\n  \"schema\": 1,\n  \"perftool\": "
			"\"" PERFTOOL_VERSION "\",\n  \"comparisons\": [");
	for (size_t i = 0; i < count; i++) {
		begin(NULL, i == 0, 2, out);
		TRY(append_comparison(&comparisons[i], sink, out));
	}
	end(']', 1, out);
	begin("conditions_held", false, 1, out);
	str_append_char(out, '[');
	for (size_t i = 0; i < held->count; i++) {
		begin(NULL, i == 0, 2, out);
		append_object(held_object(&held->data[i]), 2, out);
	}
	end(']', 1, out);
	str_append(out, "\n}\n");
	return NULL;
}

/* ---- CSV ----------------------------------------------------------------- */

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

static struct error *append_rows(const struct comparison *comparison,
				 const struct report_sink *sink,
				 struct str *out)
{
	size_t count = comparison->legs.count;

	for (size_t i = 0; i < count; i++) {
		struct record record = {0};
		struct leg_comparison leg;

		comparison_leg(comparison, i, &leg);
		for (unsigned j = 0; j < FIGURES; j++) {
			record_row_of(comparison, &leg, j, &record);
			csv_values(&record, out);
		}
		TRY(sink->take(sink->context, out, i + 1, count));
	}
	return NULL;
}

struct error *report_comparisons_csv(const struct comparison *comparisons,
				     size_t count,
				     const struct report_sink *sink,
				     struct str *out)
{
	const struct comparison none = {.before = {.path = ""}};
	struct record record = {0};

	record_row_of(&none, &(struct leg_comparison){.name = ""}, 0, &record);
	csv_names(&record, out);
	record_deinit(&record);
	for (size_t i = 0; i < count; i++)
		TRY(append_rows(&comparisons[i], sink, out));
	return NULL;
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
