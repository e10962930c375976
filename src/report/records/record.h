/*
 * record.h - rows of the tables as named fields, for JSON and CSV alike
 *
 * The fields are in the order of the spec of commands, "JSON". Each is always
 * there; what is not known is null.
 */
#ifndef PERFTOOL_REPORT_RECORD_H
#define PERFTOOL_REPORT_RECORD_H

#include "field.h"
#include "perftool/report.h"

/* Where and when it was measured; and the settings. */
void record_surroundings(const struct tables *tables, struct record *out);
void record_settings(const struct tables *tables, struct record *out);
void record_program(const struct tables *tables, struct record *out);
void record_interval(const struct report_interval *interval,
		     struct record *out);
void record_clock(const struct tables *tables, struct record *out);
void record_summary(const struct tables *tables, struct record *out);
void record_node(const struct report_node *node, struct record *out);
void record_leg(const struct tables *tables, const struct report_leg *leg,
		struct record *out);

/* Which leg it is, where a row is of it; what a process has of it. */
void record_of_leg(const struct report_leg *leg, struct record *out);
void record_share(const struct tables *tables, const struct report_leg *share,
		  struct record *out);

/* A histogram without its buckets; one bucket; a bucket's names alone. */
void record_histogram(const struct report_histogram *at, struct record *out);
void record_bucket(const struct bucket *bucket, struct record *out);
void record_no_bucket(struct record *out);

/* What enum leg_owner and enum leg_match are called in every form of report. */
extern const char *const owner_names[], *const match_names[];

/* A split without its rows; one row, of a leg or of a node; a row's names
 * alone. */
struct split_subject {
	bool of_leg;
	uint32_t id;
	const char *name;                  /* of a leg; of a node its place */
	const char *from_place, *to_place; /* of a leg; else NULL */
	const char *expression;
	const struct measure_split *split;
	double spread; /* of the calibration, ns; 0 without compensation */
};
struct split_subject subject_node(const struct report_node *node);
struct split_subject subject_leg(const struct report_leg *leg);
void record_subject(const struct split_subject *subject, struct record *out);
/* Rows in a file of their own repeat the name and the places of their leg, so
 * that a reader of that file alone knows which leg it is. */
void record_names(const struct split_subject *subject, struct record *out);
void record_split(const struct split_subject *subject, struct record *out);
void record_row(const struct split_subject *subject,
		const struct measure_row *row, struct record *out);
void record_no_row(struct record *out);

/* All rows, in the order of the text: the longest total first, unless the split
 * was given another order. */
extern const struct split_view report_all_rows;

/* Is its average, as the mean of its leg, not known? */
bool histogram_below_resolution(const struct report_histogram *at);

/* What a row is called; NULL: there is none. */
char *row_name(const struct measure_row *row);

/* `name': its leg's; NULL: it is not known. */
void record_of_execution(const struct execution *execution, const char *name,
			 struct record *out);

/* Integers beyond this are not exact in every reader of JSON. */
#define EXACT_INTEGER ((__int128)1 << 53)

#endif
