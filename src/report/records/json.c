/*
 * json.c - the tables as one JSON object
 *
 * The schema is that of doc/FORMATS.md. Integers beyond 2^53 become
 * decimal strings, because some readers keep numbers as doubles.
 */
#include "json.h"

#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/origin.h"
#include "perftool/document.h"
#include "perftool/measure/measured_legs.h"
#include "report/figures/figures.h"
#include "report_sink.h"

static struct json_object *json_integer(__int128 integer)
{
	struct json_object *object;
	struct str text = {0};

	if (integer <= EXACT_INTEGER && integer >= -EXACT_INTEGER)
		return json_object_new_int64((int64_t)integer);
	decimal(integer, &text);
	object = json_object_new_string(str_text(&text));
	str_deinit(&text);
	return object;
}

static struct json_object *json_number(double number)
{
	struct json_object *object;
	struct str text = {0};

	shortest(number, &text);
	object = json_object_new_double_s(number, str_text(&text));
	str_deinit(&text);
	return object;
}

static struct json_object *json_texts(const struct text_list *texts)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < texts->count; i++)
		json_object_array_add(array, document_text(texts->data[i]));
	return array;
}

static struct json_object *json_field(const struct field *field)
{
	switch (field->kind) {
	case FIELD_NULL:
		break;
	case FIELD_BOOL:
		return json_object_new_boolean(field->boolean);
	case FIELD_INTEGER:
		return json_integer(field->integer);
	case FIELD_NUMBER:
		return json_number(field->number);
	case FIELD_DECIMAL:
		return json_object_new_double_s(strtod(field->text, NULL),
						field->text);
	case FIELD_TEXT:
		return document_text(field->text);
	case FIELD_TEXTS:
		return json_texts(&field->texts);
	}
	return NULL;
}

/* Add the fields of the record to the object, and free the record's content. */
static void add_record(struct json_object *object, struct record *record)
{
	for (size_t i = 0; i < record->count; i++)
		json_object_object_add(object, record->data[i].name,
				       json_field(&record->data[i]));
	record_deinit(record);
}

struct json_object *json_record(struct record *record)
{
	struct json_object *object = json_object_new_object();

	add_record(object, record);
	return object;
}

#define PRETTY (JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED)
#define PLAIN JSON_C_TO_STRING_PLAIN

static const char *text_of(struct json_object *object, int form)
{
	return json_object_to_json_string_ext(
		object, form | JSON_C_TO_STRING_NOSLASHESCAPE);
}

void json_write(struct json_object *object, struct str *out)
{
	str_append(out, text_of(object, PRETTY));
	str_append_char(out, '\n');
	json_object_put(object);
}

static struct json_object *histogram_object(const struct report_histogram *at)
{
	struct json_object *buckets = json_object_new_array();
	struct json_object *object;
	struct record record = {0};
	struct bucket bucket;
	size_t cursor = 0;

	record_histogram(at, &record);
	object = json_record(&record);
	while (histogram_next(at->histogram, &cursor, &bucket)) {
		record_bucket(&bucket, &record);
		json_object_array_add(buckets, json_record(&record));
	}
	json_object_object_add(object, "buckets", buckets);
	return object;
}

void report_histogram_json(const struct report_histogram *histogram,
			   struct str *out)
{
	json_write(histogram_object(histogram), out);
}

/* ---- buckets ----------------------------------------------------------- */

/* Writes an array in one line, also where other arrays are written in several.
 */
static int array_in_line(struct json_object *array, struct printbuf *out,
			 int level, int flags)
{
	size_t length = json_object_array_length(array);

	(void)level;
	printbuf_strappend(out, "[");
	for (size_t i = 0; i < length; i++) {
		const char *text = json_object_to_json_string_ext(
			json_object_array_get_idx(array, i),
			JSON_C_TO_STRING_PLAIN);

		if (i)
			printbuf_memappend(
				out,
				flags & JSON_C_TO_STRING_PRETTY ? ", " : ",",
				flags & JSON_C_TO_STRING_PRETTY ? 2 : 1);
		printbuf_memappend(out, text, (int)strlen(text));
	}
	return printbuf_strappend(out, "]");
}

/* Return the array of the buckets that percentiles are read from; null if there
 * is no such record. Each bucket is an array of its bounds and its count. */
static struct json_object *bucket_array(const struct histogram *record)
{
	struct json_object *array, *row;
	struct bucket bucket;
	size_t cursor = 0;

	if (!record)
		return NULL;
	array = json_object_new_array();
	while (histogram_next(record, &cursor, &bucket)) {
		row = json_object_new_array_ext(3);
		json_object_array_add(row, json_integer((__int128)bucket.from));
		json_object_array_add(row, json_integer((__int128)bucket.to));
		json_object_array_add(row, json_integer(bucket.count));
		json_object_array_add(array, row);
	}
	json_object_set_serializer(array, array_in_line, NULL, NULL);
	return array;
}

/* ---- executions ---------------------------------------------------------- */

static struct json_object *argument_array(const struct origin *origin)
{
	struct json_object *array = json_object_new_array();
	struct record record = {0};

	for (size_t i = 0; i < origin->arguments.count; i++) {
		add_text(&record, "name", origin->arguments.data[i].name);
		add_text(&record, "value", origin->arguments.data[i].value);
		json_object_array_add(array, json_record(&record));
	}
	return array;
}

static struct json_object *stack_array(const struct origin *origin)
{
	struct json_object *array = json_object_new_array();
	struct record record = {0};

	for (size_t i = 0; i < origin->frames.count; i++) {
		const struct origin_frame *frame = &origin->frames.data[i];

		add_text(&record, "function", frame->function);
		add_text(&record, "module", frame->module);
		add_text(&record, "file", frame->file);
		if (frame->file)
			add_integer(&record, "line", frame->line);
		else
			add_null(&record, "line");
		add_bool(&record, "inlined", frame->inlined);
		json_object_array_add(array, json_record(&record));
	}
	return array;
}

struct json_object *json_execution(const struct execution *execution,
				   const char *name)
{
	const struct origin *origin = execution->origin;
	struct json_object *object;
	struct record record = {0};

	record_of_execution(execution, name, &record);
	object = json_record(&record);
	json_object_object_add(object, "arguments",
			       origin ? argument_array(origin) : NULL);
	json_object_object_add(object, "stack",
			       origin ? stack_array(origin) : NULL);
	json_object_object_add(
		object, "stack_broken",
		origin ? json_object_new_boolean(origin->is_broken) : NULL);
	return object;
}

/* Return the object of a split with its rows; null if the node or the leg is
 * not split. */
static struct json_object *split_object(const struct split_subject *subject)
{
	struct json_object *values, *object;
	struct measure_row_list rows = {0};
	struct record record = {0};

	if (!subject->split)
		return NULL;
	record_split(subject, &record);
	object = json_record(&record);
	values = json_object_new_array();
	measure_split_rows(subject->split, &report_all_rows, &rows);
	for (size_t i = 0; i < rows.count; i++) {
		struct json_object *row;

		record_row(subject, &rows.data[i], &record);
		row = json_record(&record);
		json_object_object_add(row, "buckets",
				       bucket_array(rows.data[i].record));
		json_object_array_add(values, row);
	}
	measure_rows_deinit(&rows);
	json_object_object_add(object, "values", values);
	return object;
}

void report_split_json(const struct report_node *node,
		       const struct report_leg *leg, struct str *out)
{
	struct split_subject subject =
		leg ? subject_leg(leg) : subject_node(node);
	struct json_object *object;
	struct record record = {0};

	record_subject(&subject, &record);
	record_names(&subject, &record);
	object = json_record(&record);
	json_object_object_add(object, "by", split_object(&subject));
	json_write(object, out);
}

static struct json_object *node_object(const struct report_node *node)
{
	struct split_subject subject = subject_node(node);
	struct json_object *object;
	struct record record = {0};

	record_node(node, &record);
	object = json_record(&record);
	json_object_object_add(object, "by", split_object(&subject));
	return object;
}

/* Return the array of the leg's shares (one for each process); null if only one
 * process has executed legs. */
static struct json_object *share_array(const struct tables *tables,
				       const struct report_leg *leg)
{
	struct record record = {0};
	struct json_object *array;

	if (tables->process_count < 2 && !tables->by_rank)
		return NULL;
	array = json_object_new_array();
	for (size_t i = 0; i < leg->share_count; i++) {
		const struct report_leg *share = report_share(tables, leg, i);
		struct json_object *row;

		record_share(tables, share, &record);
		row = json_record(&record);
		/* 10,000 ranks would make a large file */
		if (!share->has_rank)
			json_object_object_add(
				row, "buckets",
				bucket_array(share->stats->record));
		json_object_array_add(array, row);
	}
	return array;
}

static struct json_object *leg_object(const struct tables *tables,
				      const struct report_leg *leg)
{
	struct split_subject subject = subject_leg(leg);
	struct json_object *object;
	struct record record = {0};

	record_leg(tables, leg, &record);
	object = json_record(&record);
	json_object_object_add(object, "by", split_object(&subject));
	json_object_object_add(object, "processes",
			       tables->by_rank ? NULL
					       : share_array(tables, leg));
	if (tables->by_rank)
		json_object_object_add(object, "ranks",
				       share_array(tables, leg));
	json_object_object_add(object, "buckets",
			       bucket_array(leg->stats->record));
	return object;
}

static struct json_object *interval_object(const struct tables *tables)
{
	struct record record = {0};

	if (!tables->interval)
		return NULL;
	record_interval(tables->interval, &record);
	return json_record(&record);
}

/* Return the object of `set detail auto`; null if it is off. */
static struct json_object *detail_object(const struct report_detail *detail)
{
	struct json_object *object, *refused;
	struct record record = {0};

	if (!detail)
		return NULL;
	record_detail(detail, &record);
	object = json_record(&record);
	refused = json_object_new_array();
	for (size_t i = 0; i < detail->refused_count; i++) {
		record_refusal(&detail->refused[i], &record);
		json_object_array_add(refused, json_record(&record));
	}
	json_object_object_add(object, "refused", refused);
	return object;
}

/* Return the object of the tables, without the arrays of the nodes, legs and
 * histograms. */
static struct json_object *head_object(const struct tables *tables)
{
	struct json_object *object = json_object_new_object();
	struct record record = {0};

	json_object_object_add(object, "schema", json_object_new_int(1));
	json_object_object_add(object, "perftool",
			       tables->version ? document_text(tables->version)
					       : NULL);
	record_surroundings(tables, &record);
	add_record(object, &record);
	json_object_object_add(object, "interval", interval_object(tables));
	record_program(tables, &record);
	json_object_object_add(object, "program", json_record(&record));
	record_clock(tables, &record);
	json_object_object_add(object, "clock", json_record(&record));
	record_settings(tables, &record);
	json_object_object_add(object, "settings", json_record(&record));
	record_summary(tables, &record);
	json_object_object_add(object, "summary", json_record(&record));
	json_object_object_add(object, "detail", detail_object(tables->detail));
	return object;
}

/*
 * ---- the rows ---------------------------------------------------------------
 *
 * The objects of 90,000 legs would take 700 MB of memory, and seconds of
 * time. So each row is written, and its object freed, before the next row is
 * made.
 */

struct rows {
	const struct interrupt *interrupt;
	int form; /* PRETTY or PLAIN */
	bool any; /* the present array has a row already */
	const struct report_sink *sink;
	size_t done, count; /* rows of all arrays */
	struct str *out;
};

static void begin_rows(struct rows *rows, const char *name)
{
	str_printf(rows->out,
		   rows->form == PLAIN ? ",\"%s\":[" : ",\n  \"%s\": [", name);
	rows->any = false;
}

static struct error *write_row(struct rows *rows, struct json_object *row)
{
	const char *text = text_of(row, rows->form);

	if (rows->any)
		str_append_char(rows->out, ',');
	if (rows->form != PLAIN)
		str_append(rows->out, "\n    ");
	json_append_indented(text, "    ", rows->out);
	json_object_put(row);
	rows->any = true;
	return rows->sink->take(rows->sink->context, rows->out, ++rows->done,
				rows->count);
}

static void end_rows(const struct rows *rows)
{
	str_append(rows->out, rows->form == PLAIN ? "]" : "\n  ]");
}

/* Has the user interrupted, so that no more rows are wanted? */
static bool is_unwanted(const struct rows *rows)
{
	return interrupt_is_asked(rows->interrupt);
}

static size_t histogram_count(const struct tables *tables)
{
	size_t count = 0;

	for (size_t i = 0; i < tables->node_count; i++)
		count += tables->nodes[i].stats->histogram != NULL;
	for (size_t i = 0; i < tables->leg_count; i++)
		count += tables->legs[i].stats->histogram != NULL;
	return count;
}

static struct error *write_histograms(const struct tables *tables,
				      struct rows *rows)
{
	struct report_histogram at;

	begin_rows(rows, "histograms");
	for (size_t i = 0; i < tables->node_count && !is_unwanted(rows); i++) {
		at = report_node_histogram(&tables->nodes[i]);
		if (at.histogram)
			TRY(write_row(rows, histogram_object(&at)));
	}
	for (size_t i = 0; i < tables->leg_count && !is_unwanted(rows); i++) {
		at = report_leg_histogram(&tables->legs[i]);
		if (at.histogram)
			TRY(write_row(rows, histogram_object(&at)));
	}
	end_rows(rows);
	return NULL;
}

static struct error *write_tables(const struct tables *tables, int form,
				  const struct report_sink *sink,
				  struct str *out)
{
	struct json_object *head = head_object(tables);
	struct rows rows = {.interrupt = &tables->interrupt,
			    .form = form,
			    .sink = sink,
			    .count = tables->node_count + tables->leg_count +
				     histogram_count(tables),
			    .out = out};
	const char *text = text_of(head, form);

	/* the rows come before the closing brace */
	str_append_n(out, text,
		     strlen(text) - strlen(form == PLAIN ? "}" : "\n}"));
	json_object_put(head);
	begin_rows(&rows, "nodes");
	for (size_t i = 0; i < tables->node_count && !is_unwanted(&rows); i++)
		TRY(write_row(&rows, node_object(&tables->nodes[i])));
	end_rows(&rows);
	begin_rows(&rows, "legs");
	for (size_t i = 0; i < tables->leg_count && !is_unwanted(&rows); i++)
		TRY(write_row(&rows, leg_object(tables, &tables->legs[i])));
	end_rows(&rows);
	TRY(write_histograms(tables, &rows));
	str_append(out, form == PLAIN ? "}\n" : "\n}\n");
	return NULL;
}

void report_json(const struct tables *tables, struct str *out)
{
	error_destroy(write_tables(tables, PRETTY, &report_keeps_all, out));
}

void report_json_line(const struct tables *tables, struct str *out)
{
	error_destroy(write_tables(tables, PLAIN, &report_keeps_all, out));
}

struct error *report_json_pieces(const struct tables *tables,
				 const struct report_sink *sink,
				 struct str *out)
{
	return write_tables(tables, PRETTY, sink, out);
}
