/*
 * histogram_rows.c - see histogram_rows.h
 *
 * An hdr histogram can have thousands of buckets: they are merged to the
 * finest grouping that takes at most 40 lines, those of its gaps included.
 *
 * The bars show density, so that the merging does not distort the picture. The
 * rows of a linear histogram are all of one width, and those of a logarithmic
 * one are octaves: there the count is the density. The rows of an hdr
 * histogram cover unlike ratios: an octave is divided into equal parts, of
 * which the last is half as large a ratio as the first, and a small whole
 * number can be a row by itself. Their axis is logarithmic, and a row is as
 * wide as the octaves that it covers. If each row is one whole number, the axis
 * is linear.
 */
#include "histogram_rows.h"

#include <math.h>
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "report/figures/figures.h"

#define HDR_LINES 40

/* The Mesa memo prints every bucket, and its histograms have 8 and 12. Of those
 * that have more than this, runs of so many empty ones are one line. */
#define MOST_BUCKETS_AS_IN_MEMO 16
#define LEAST_FOLDED 3

static void add_row(struct histogram_row_list *rows, char *label, double from,
		    uint64_t count, double width)
{
	vec_push(rows, (struct histogram_row){.label = label,
					      .from = from,
					      .timed = true,
					      .count = count,
					      .width = width});
}

/* ---- steps: where a magnitude is ------------------------------------------
 */

#define STEP_BITS 7
#define OCTAVE (1 << STEP_BITS)

/* A magnitude as a number that grows with it: 128 steps an octave. */
static int64_t step_of(double magnitude)
{
	int exponent;
	double fraction = frexp(magnitude, &exponent);

	return (int64_t)(exponent - 1) * OCTAVE +
	       (int64_t)((fraction * 2 - 1) * OCTAVE);
}

/* Where the step begins; of whole numbers, the first that is in it or above. */
static double magnitude_of(int64_t step, bool integers)
{
	double magnitude = ldexp(1 + (double)(step & (OCTAVE - 1)) / OCTAVE,
				 (int)(step >> STEP_BITS));

	return integers ? ceil(magnitude) : magnitude;
}

/* The same in octaves, which are finite for any step. */
static double octaves_of(int64_t step, bool integers)
{
	/* from here on the steps of whole numbers begin at one */
	if (integers && step < STEP_BITS * OCTAVE)
		return log2(magnitude_of(step, true));
	return (double)(step >> STEP_BITS) +
	       log2(1 + (double)(step & (OCTAVE - 1)) / OCTAVE);
}

/* ---- groups: the rows of an hdr histogram ---------------------------------
 */

/* What remains of a step shifted right by some bits. */
struct group {
	int sign; /* -1, 0, 1 */
	int64_t number;
	uint64_t count;
};

struct grouping {
	VEC(struct group) groups;
	bool integers;
	int shift;
};

/* Where the group of this number begins, as a step. */
static int64_t first_step(const struct grouping *grouping, int64_t number)
{
	return number * ((int64_t)1 << grouping->shift);
}

/* Whole numbers may lie at the very edge of their bucket, others do not. */
static struct group group_of(const struct bucket *bucket,
			     const struct grouping *grouping)
{
	double middle = bucket->from + (bucket->to - bucket->from) / 2;
	double magnitude = fabs(middle);

	if (bucket->from == 0)
		return (struct group){.count = bucket->count};
	if (grouping->integers)
		magnitude = middle < 0 ? 1 - bucket->to : bucket->from;
	return (struct group){.sign = middle < 0 ? -1 : 1,
			      .number = step_of(magnitude) >> grouping->shift,
			      .count = bucket->count};
}

/* The least value that a group may hold: the greatest magnitude of a negative
 * one, whose steps begin on the side of 0. */
static double group_begin(const struct grouping *grouping, struct group group)
{
	bool integers = grouping->integers;
	double magnitude;

	if (group.sign == 0)
		return 0;
	magnitude = magnitude_of(
		first_step(grouping, group.number + (group.sign < 0)),
		integers);
	if (group.sign > 0)
		return magnitude;
	return integers ? 1 - magnitude : -magnitude;
}

/* The least value that is too large for the group. */
static double group_end(const struct grouping *grouping, struct group group)
{
	bool integers = grouping->integers;
	double magnitude;

	if (group.sign == 0)
		return integers ? 1 : 0;
	magnitude = magnitude_of(
		first_step(grouping, group.number + (group.sign > 0)),
		integers);
	if (group.sign > 0)
		return magnitude;
	return integers ? 1 - magnitude : -magnitude;
}

/* In octaves; 0 has no place on a logarithmic axis. */
static double group_width(const struct grouping *grouping, struct group group)
{
	bool integers = grouping->integers;

	if (group.sign == 0)
		return 0;
	return octaves_of(first_step(grouping, group.number + 1), integers) -
	       octaves_of(first_step(grouping, group.number), integers);
}

/*
 * How many rows there are from 0 to this one, if values are whole numbers. Up
 * to `whole` each of them is a row, for a group is no larger.
 */
static int64_t ordinal(const struct grouping *grouping, struct group group)
{
	int octave = STEP_BITS - grouping->shift;
	int64_t whole, first, rows;

	if (group.sign == 0)
		return 0;
	if (octave < 0)
		octave = 0;
	whole = (int64_t)1 << octave;
	first = (int64_t)octave * OCTAVE >> grouping->shift;
	if (group.number < first)
		rows = (int64_t)magnitude_of(first_step(grouping, group.number),
					     true);
	else
		rows = whole + group.number - first;
	return group.sign * rows;
}

/* Is there a place for a row between two that follow each other? Next to 0
 * there is one for any number of rows of fractions, and *empty is 0. */
static bool is_apart(const struct grouping *grouping, struct group before,
		     struct group after, uint64_t *empty)
{
	*empty = 0;
	if (grouping->integers)
		*empty = (uint64_t)(ordinal(grouping, after) -
				    ordinal(grouping, before) - 1);
	else if (before.sign != after.sign)
		return true;
	else
		*empty =
			(uint64_t)(after.sign * (after.number - before.number) -
				   1);
	return *empty > 0;
}

/* `grouping->shift` is set. */
static void make_groups(const struct histogram *histogram,
			struct grouping *grouping)
{
	struct group *last = NULL;
	struct bucket bucket;
	size_t cursor = 0;

	vec_clear(&grouping->groups);
	while (histogram_next(histogram, &cursor, &bucket)) {
		struct group group = group_of(&bucket, grouping);

		if (last && last->sign == group.sign &&
		    last->number == group.number) {
			last->count += group.count;
			continue;
		}
		vec_push(&grouping->groups, group);
		last = &grouping->groups.data[grouping->groups.count - 1];
	}
}

static size_t count_lines(const struct grouping *grouping)
{
	size_t lines = grouping->groups.count;
	uint64_t empty;

	for (size_t i = 1; i < grouping->groups.count; i++)
		lines += is_apart(grouping, grouping->groups.data[i - 1],
				  grouping->groups.data[i], &empty);
	return lines;
}

/* Is each row one whole number? */
static bool is_linear(const struct grouping *grouping)
{
	for (size_t i = 0; i < grouping->groups.count; i++) {
		struct group group = grouping->groups.data[i];

		if (!grouping->integers ||
		    group_end(grouping, group) - group_begin(grouping, group) !=
			    1)
			return false;
	}
	return true;
}

static char *value_label(double from, bool integers)
{
	struct str text = {0};

	if (integers && fabs(from) < 0x1p126)
		report_number((__int128)from, &text);
	else
		str_printf(&text, "%.6g", from);
	return str_take(&text);
}

/* Where the group ends; of fractions, 0 itself is no part of the gap above. */
static char *end_label(const struct grouping *grouping, struct group group)
{
	if (!group.sign && !grouping->integers)
		return xstrdup("> 0");
	return value_label(group_end(grouping, group), grouping->integers);
}

/* A gap of one row is that row, of which nothing was counted. */
static void add_gap(struct histogram_row_list *rows, char *label, double from,
		    uint64_t empty)
{
	struct str text = {0};

	if (empty == 1) {
		add_row(rows, label, from, 0, 0);
		return;
	}
	str_printf(&text, "%s ...", label);
	free(label);
	add_row(rows, str_take(&text), from, 0, 0);
	rows->data[rows->count - 1].is_gap = true;
	rows->data[rows->count - 1].empty = empty;
}

static void add_groups(const struct grouping *grouping,
		       struct histogram_row_list *rows)
{
	bool linear = is_linear(grouping);

	for (size_t i = 0; i < grouping->groups.count; i++) {
		struct group group = grouping->groups.data[i];
		struct group last = grouping->groups.data[i ? i - 1 : 0];
		double from = group_begin(grouping, group);
		uint64_t empty;

		if (i && is_apart(grouping, last, group, &empty))
			add_gap(rows, end_label(grouping, last),
				group_end(grouping, last), empty);
		add_row(rows, value_label(from, grouping->integers), from,
			group.count, linear ? 1 : group_width(grouping, group));
	}
}

static void hdr_rows(const struct histogram *histogram,
		     struct histogram_row_list *rows)
{
	struct grouping grouping = {.integers =
					    !histogram_has_floats(histogram)};

	/* 20 bits of shift make all of a double's range two groups a sign */
	for (; grouping.shift <= 20; grouping.shift++) {
		make_groups(histogram, &grouping);
		if (count_lines(&grouping) <= HDR_LINES)
			break;
	}
	add_groups(&grouping, rows);
	vec_free(&grouping.groups);
}

/* ---- the rows of the other classes ----------------------------------------
 */

/* From rows[first] on the last ones are empty: make them one. */
static void fold(struct histogram_row_list *rows, size_t first)
{
	size_t empty = rows->count - first;
	char *label;
	double from;

	if (empty < LEAST_FOLDED)
		return;
	label = rows->data[first].label;
	from = rows->data[first].from;
	for (size_t i = first + 1; i < rows->count; i++)
		free(rows->data[i].label);
	rows->count = first;
	add_gap(rows, label, from, empty);
}

static void plain_rows(const struct histogram *histogram,
		       struct histogram_row_list *rows)
{
	bool folds =
		histogram_spec(histogram)->buckets > MOST_BUCKETS_AS_IN_MEMO;
	size_t cursor = 0, first = rows->count;
	struct bucket bucket;

	while (histogram_next(histogram, &cursor, &bucket)) {
		if (bucket.count && folds)
			fold(rows, first);
		add_row(rows, number_cell(bucket.label), bucket.from,
			bucket.count, 1);
		if (bucket.count)
			first = rows->count;
	}
	if (folds)
		fold(rows, first);
}

/* ---- all ------------------------------------------------------------------
 */

static void add_edge(struct histogram_row_list *rows, const char *label,
		     uint64_t count)
{
	vec_push(rows, (struct histogram_row){.label = xstrdup(label),
					      .count = count});
}

/* Rows that have no width, as Underflow, are drawn as the widest one is. */
static void set_densities(struct histogram_row_list *rows)
{
	double widest = 0;

	for (size_t i = 0; i < rows->count; i++)
		widest = fmax(widest, rows->data[i].width);
	if (widest == 0)
		widest = 1;
	for (size_t i = 0; i < rows->count; i++) {
		struct histogram_row *row = &rows->data[i];

		row->density = (double)row->count /
			       (row->width > 0 ? row->width : widest);
	}
}

void histogram_rows(const struct histogram *histogram,
		    struct histogram_row_list *out)
{
	bool hdr = histogram_spec(histogram)->class == HISTOGRAM_HDR;
	uint64_t underflow = histogram_underflow(histogram);
	uint64_t overflow = histogram_overflow(histogram);

	*out = (struct histogram_row_list){0};
	/* an hdr histogram has no edges but for infinite values */
	if (!hdr || underflow)
		add_edge(out, "Underflow", underflow);
	if (hdr)
		hdr_rows(histogram, out);
	else
		plain_rows(histogram, out);
	if (!hdr || overflow)
		add_edge(out, "Overflow", overflow);
	set_densities(out);
}

void histogram_rows_deinit(struct histogram_row_list *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		free(rows->data[i].label);
	vec_free(rows);
}
