/*
 * record.h - rows of the tables as named fields, for both JSON and CSV
 *
 * The fields have the names and the order of doc/FORMATS.md. Every
 * field is always there. A field that is not known is null.
 *
 * The functions append fields to a record.
 */
#ifndef PERFTOOL_REPORT_RECORD_H
#define PERFTOOL_REPORT_RECORD_H

#include "field.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/report.h"

/* record_surroundings() says where and when the tool measured. */
void record_surroundings(const struct tables *tables, struct record *out);
void record_settings(const struct tables *tables, struct record *out);
void record_program(const struct tables *tables, struct record *out);
void record_interval(const struct report_interval *interval,
		     struct record *out);
void record_clock(const struct tables *tables, struct record *out);
void record_detail(const struct report_detail *detail, struct record *out);
void record_refusal(const struct report_refusal *refusal, struct record *out);
void record_summary(const struct tables *tables, struct record *out);
void record_node(const struct report_node *node, struct record *out);
void record_leg(const struct tables *tables, const struct report_leg *leg,
		struct record *out);

/* record_of_leg() says which leg a row is about. record_share() says what one
 * process has counted in that leg. */
void record_of_leg(const struct report_leg *leg, struct record *out);
void record_share(const struct tables *tables, const struct report_leg *share,
		  struct record *out);

/* record_histogram() appends the fields of a histogram, which must exist,
 * without its buckets. record_bucket() appends the fields of one bucket.
 * record_no_bucket() appends these fields as null, if there is no bucket. */
void record_histogram(const struct report_histogram *at, struct record *out);
void record_bucket(const struct bucket *bucket, struct record *out);
void record_no_bucket(struct record *out);

/* The names of enum leg_owner and enum leg_match in all reports. */
extern const char *const owner_names[], *const match_names[];

/* A node or a leg, as the subject of a split. */
struct split_subject {
	bool of_leg;
	uint32_t id;
	const char *name; /* the name of the leg, or the place of the node */
	const char *from_place, *to_place; /* of a leg; of a node NULL */
	const char *expression;            /* the split's expression, or NULL */
	const struct measure_split *split; /* NULL: there is no split */
	/* the spread of the calibration, ns; 0: nothing is compensated */
	double spread;
};
struct split_subject subject_node(const struct report_node *node);
struct split_subject subject_leg(const struct report_leg *leg);

/* record_subject() says which node or leg was split. */
void record_subject(const struct split_subject *subject, struct record *out);
/* record_names() says the name and the places of the leg. The rows of a split
 * can be in a file of their own. They repeat these names there, so that a
 * reader who has only that file knows which leg a row is about. */
void record_names(const struct split_subject *subject, struct record *out);
/* record_split() appends the fields of a split without its rows. record_row()
 * appends the fields of one row. record_no_row() appends these fields as null,
 * if there is no row. */
void record_split(const struct split_subject *subject, struct record *out);
void record_row(const struct split_subject *subject,
		const struct measure_row *row, struct record *out);
void record_no_row(struct record *out);

/* A view with all rows of a split in the order of the text: the largest total
 * first, unless the user has set another order for the split. */
extern const struct split_view report_all_rows;

/* Is the average of a leg's histogram below the resolution of the leg, so that
 * the average is not known? */
bool histogram_below_resolution(const struct report_histogram *at);

/* The text for a row of a split: its value, "(other)" or "(error)". NULL if
 * `row` is NULL. The caller frees the text. */
char *row_name(const struct measure_row *row);

/* Append the fields of what a perftool that died has left of a leg. */
void record_of_left_counts(const struct left_counts *counts,
			   struct record *out);

/* Append the fields of one execution. `name': the name of its leg; NULL: the
 * name is not known. */
void record_of_execution(const struct execution *execution, const char *name,
			 struct record *out);

/* Readers of JSON that keep numbers as doubles are exact only up to this
 * integer. */
#define EXACT_INTEGER ((__int128)1 << 53)

#endif
