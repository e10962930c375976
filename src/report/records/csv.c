/*
 * csv.c - the tables as comma-separated values
 *
 * A table has a header row with the names of the JSON schema, then a row for
 * each node, each leg, each bucket of each histogram, each value of each split,
 * or each share that a process has of a leg. Null is an empty cell. A list is
 * one cell, with blanks between its texts.
 */
#include "csv.h"
#include "perftool/measure/measured_legs.h"

#include <string.h>

#include "report/figures/figures.h"
#include "report_sink.h"

void csv_text(const char *text, struct str *out)
{
	size_t length = strlen(text);

	if (!strpbrk(text, "\",\r\n") &&
	    (!length || (text[0] != ' ' && text[length - 1] != ' '))) {
		str_append(out, text);
		return;
	}
	str_append_char(out, '"');
	for (; *text; text++) {
		if (*text == '"')
			str_append_char(out, '"');
		str_append_char(out, *text);
	}
	str_append_char(out, '"');
}

static void csv_field(const struct field *field, struct str *out)
{
	struct str joined = {0};

	switch (field->kind) {
	case FIELD_NULL:
		break;
	case FIELD_BOOL:
		str_append(out, field->boolean ? "true" : "false");
		break;
	case FIELD_INTEGER:
		decimal(field->integer, out);
		break;
	case FIELD_NUMBER:
		shortest(field->number, out);
		break;
	case FIELD_DECIMAL:
	case FIELD_TEXT:
		csv_text(field->text, out);
		break;
	case FIELD_TEXTS:
		for (size_t i = 0; i < field->texts.count; i++) {
			if (i > 0)
				str_append_char(&joined, ' ');
			str_append(&joined, field->texts.data[i]);
		}
		csv_text(str_text(&joined), out);
		str_deinit(&joined);
		break;
	}
}

void csv_names(const struct record *record, struct str *out)
{
	for (size_t i = 0; i < record->count; i++) {
		if (i > 0)
			str_append_char(out, ',');
		str_append(out, record->data[i].name);
	}
	str_append_char(out, '\n');
}

void csv_values(struct record *record, struct str *out)
{
	for (size_t i = 0; i < record->count; i++) {
		if (i > 0)
			str_append_char(out, ',');
		csv_field(&record->data[i], out);
	}
	str_append_char(out, '\n');
	record_deinit(record);
}

/* A table whose rows are handed over as they are written. */
struct csv_rows {
	const struct report_sink *sink;
	size_t done, count; /* nodes and legs that the table is about */
	struct str *out;
};

/* A node, a leg, or a share has been written. */
static struct error *hand_over(struct csv_rows *rows, bool is_last_of_subject)
{
	rows->done += is_last_of_subject;
	return rows->sink->take(rows->sink->context, rows->out, rows->done,
				rows->count);
}

/*
 * The functions *_names() append the header row of a table. The table may have
 * no rows, so they make a row of zeros and take the names of its record.
 */
static void node_names(struct str *out)
{
	const struct measure_node stats = {0};
	const struct report_node node = {.stats = &stats};
	struct record record = {0};

	record_node(&node, &record);
	csv_names(&record, out);
	record_deinit(&record);
}

static void leg_names(const struct tables *tables, struct str *out)
{
	struct measure_leg stats = {0};
	const struct report_leg leg = {.stats = &stats};
	const struct histogram_spec hdr = {.class = HISTOGRAM_HDR};
	struct record record = {0};

	error_destroy(histogram_create(&hdr, true, &stats.record));
	record_leg(tables, &leg, &record);
	csv_names(&record, out);
	record_deinit(&record);
	histogram_destroy(stats.record);
}

static void histogram_names(struct str *out)
{
	const struct histogram_spec hdr = {.class = HISTOGRAM_HDR};
	struct histogram *histogram = NULL;
	struct record record = {0};

	error_destroy(histogram_create(&hdr, true, &histogram));
	record_histogram(&(struct report_histogram){.histogram = histogram},
			 &record);
	record_no_bucket(&record);
	csv_names(&record, out);
	record_deinit(&record);
	histogram_destroy(histogram);
}

static void histogram_rows(const struct report_histogram *at, struct str *out)
{
	struct record record = {0};
	struct bucket bucket;
	size_t cursor = 0;
	bool any = false;

	while (histogram_next(at->histogram, &cursor, &bucket)) {
		record_histogram(at, &record);
		record_bucket(&bucket, &record);
		csv_values(&record, out);
		any = true;
	}
	if (any)
		return;
	record_histogram(at, &record);
	record_no_bucket(&record);
	csv_values(&record, out);
}

void report_histogram_csv(const struct report_histogram *histogram,
			  struct str *out)
{
	histogram_names(out);
	histogram_rows(histogram, out);
}

static struct error *all_histogram_rows(const struct tables *tables,
					struct csv_rows *rows)
{
	for (size_t i = 0; i < tables->node_count; i++) {
		struct report_histogram at =
			report_node_histogram(&tables->nodes[i]);

		if (at.histogram)
			histogram_rows(&at, rows->out);
		TRY(hand_over(rows, true));
	}
	for (size_t i = 0; i < tables->leg_count; i++) {
		struct report_histogram at =
			report_leg_histogram(&tables->legs[i]);

		if (at.histogram)
			histogram_rows(&at, rows->out);
		TRY(hand_over(rows, true));
	}
	return NULL;
}

static void split_names(struct str *out)
{
	const struct measure_split split = {.count = 0};
	const struct split_subject subject = {.split = &split};
	struct record record = {0};

	record_subject(&subject, &record);
	record_names(&subject, &record);
	record_split(&subject, &record);
	record_no_row(&record);
	csv_names(&record, out);
	record_deinit(&record);
}

static void split_rows(const struct split_subject *subject, struct str *out)
{
	struct measure_row_list rows = {0};
	struct record record = {0};

	if (!subject->split)
		return;
	measure_split_rows(subject->split, &report_all_rows, &rows);
	for (size_t i = 0; i < rows.count; i++) {
		record_subject(subject, &record);
		record_names(subject, &record);
		record_split(subject, &record);
		record_row(subject, &rows.data[i], &record);
		csv_values(&record, out);
	}
	measure_rows_deinit(&rows);
}

void report_split_csv(const struct report_node *node,
		      const struct report_leg *leg, struct str *out)
{
	struct split_subject subject =
		leg ? subject_leg(leg) : subject_node(node);

	split_names(out);
	split_rows(&subject, out);
}

static struct error *all_split_rows(const struct tables *tables,
				    struct csv_rows *rows)
{
	struct split_subject subject;

	for (size_t i = 0; i < tables->node_count; i++) {
		subject = subject_node(&tables->nodes[i]);
		split_rows(&subject, rows->out);
		TRY(hand_over(rows, true));
	}
	for (size_t i = 0; i < tables->leg_count; i++) {
		subject = subject_leg(&tables->legs[i]);
		split_rows(&subject, rows->out);
		TRY(hand_over(rows, true));
	}
	return NULL;
}

static void share_names(const struct tables *tables, struct str *out)
{
	struct measure_leg stats = {0};
	const struct report_leg share = {.stats = &stats,
					 .has_rank = tables->by_rank};
	const struct histogram_spec hdr = {.class = HISTOGRAM_HDR};
	struct record record = {0};

	error_destroy(histogram_create(&hdr, true, &stats.record));
	record_of_leg(&share, &record);
	record_share(tables, &share, &record);
	csv_names(&record, out);
	record_deinit(&record);
	histogram_destroy(stats.record);
}

static struct error *share_rows(const struct tables *tables,
				const struct report_leg *leg,
				struct csv_rows *rows)
{
	struct record record = {0};

	for (size_t i = 0; i < leg->share_count; i++) {
		record_of_leg(leg, &record);
		record_share(tables, report_share(tables, leg, i), &record);
		csv_values(&record, rows->out);
		TRY(hand_over(rows, false));
	}
	return hand_over(rows, true);
}

static struct error *node_rows(const struct tables *tables,
			       struct csv_rows *rows)
{
	struct record record = {0};

	for (size_t i = 0; i < tables->node_count; i++) {
		record_node(&tables->nodes[i], &record);
		csv_values(&record, rows->out);
		TRY(hand_over(rows, true));
	}
	return NULL;
}

static struct error *leg_rows(const struct tables *tables,
			      struct csv_rows *rows)
{
	struct record record = {0};

	for (size_t i = 0; i < tables->leg_count; i++) {
		record_leg(tables, &tables->legs[i], &record);
		csv_values(&record, rows->out);
		TRY(hand_over(rows, true));
	}
	return NULL;
}

static struct error *all_share_rows(const struct tables *tables,
				    struct csv_rows *rows)
{
	for (size_t i = 0; i < tables->leg_count; i++)
		TRY(share_rows(tables, &tables->legs[i], rows));
	return NULL;
}

struct error *report_csv_pieces(const struct tables *tables,
				enum report_part part,
				const struct report_sink *sink, struct str *out)
{
	struct csv_rows rows = {.sink = sink, .out = out};

	if (part != PART_LEGS && part != PART_PROCESSES)
		rows.count += tables->node_count;
	if (part != PART_NODES)
		rows.count += tables->leg_count;
	if (part == PART_NODES) {
		node_names(out);
		return node_rows(tables, &rows);
	}
	if (part == PART_LEGS) {
		leg_names(tables, out);
		return leg_rows(tables, &rows);
	}
	if (part == PART_HISTOGRAMS) {
		histogram_names(out);
		return all_histogram_rows(tables, &rows);
	}
	if (part == PART_SPLITS) {
		split_names(out);
		return all_split_rows(tables, &rows);
	}
	share_names(tables, out);
	return all_share_rows(tables, &rows);
}

void report_csv(const struct tables *tables, enum report_part part,
		struct str *out)
{
	error_destroy(report_csv_pieces(tables, part, &report_keeps_all, out));
}
