/*
 * histogram_rows.c - the rows that the text of a histogram has
 *
 * An hdr histogram can have thousands of buckets. They are merged into groups,
 * as few buckets a group as possible, so that the text has at most 40 lines,
 * including the lines of gaps.
 *
 * The bars show density (the count of a row divided by the part of the axis
 * that the row covers), so that the merging does not distort the picture. The
 * rows of a linear histogram all have the same width, and the rows of a
 * logarithmic histogram are octaves, so there the count is the density. The
 * rows of an hdr histogram cover different ratios: an octave is divided into
 * equal parts, so the ratio that the last part covers is half as large as that
 * of the first part, and a small whole number can be a row by itself. The axis
 * of an hdr histogram is logarithmic, and the width of a row is the number of
 * octaves that it covers. If each row is one whole number, the axis is linear
 * instead.
 */
#include "histogram_rows.h"

#include <math.h>
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "report/figures/figures.h"

#define HDR_LINES 40

/* The Mesa memo prints every bucket; its histograms have 8 and 12. In
 * histograms with more than MOST_BUCKETS_AS_IN_MEMO buckets, a run of at least
 * LEAST_FOLDED empty buckets becomes one line. */
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

/* ---- steps: numbers for magnitudes ------------------------------------- */

#define STEP_BITS 7
#define OCTAVE (1 << STEP_BITS)

/* Return the step of a magnitude (the absolute value of a value): a whole
 * number that grows with the magnitude, by 128 in each octave. */
static int64_t step_of(double magnitude)
{
	int exponent;
	double fraction = frexp(magnitude, &exponent);

	return (int64_t)(exponent - 1) * OCTAVE +
	       (int64_t)((fraction * 2 - 1) * OCTAVE);
}

/* Return the magnitude at which the step begins. For whole numbers
 * (`integers`), return the least whole number that is in the step or above
 * it. */
static double magnitude_of(int64_t step, bool integers)
{
	double magnitude = ldexp(1 + (double)(step & (OCTAVE - 1)) / OCTAVE,
				 (int)(step >> STEP_BITS));

	return integers ? ceil(magnitude) : magnitude;
}

/* Return the binary logarithm of magnitude_of(): the place of the step, in
 * octaves, on a logarithmic axis. The result is finite for any step. */
static double octaves_of(int64_t step, bool integers)
{
	/* from step STEP_BITS * OCTAVE on, every step begins at a whole number
	 */
	if (integers && step < STEP_BITS * OCTAVE)
		return log2(magnitude_of(step, true));
	return (double)(step >> STEP_BITS) +
	       log2(1 + (double)(step & (OCTAVE - 1)) / OCTAVE);
}

/* ---- groups: the rows of an hdr histogram ------------------------------- */

/* One row of an hdr histogram. `number` is the step of the magnitudes of its
 * values, shifted right by grouping.shift bits, so a group holds 2^shift
 * steps. */
struct group {
	int sign; /* of the values: -1, 0, 1 */
	int64_t number;
	uint64_t count;
};

struct grouping {
	VEC(struct group) groups;
	bool integers;
	int shift;
};

/* The first step of the group with this number. */
static int64_t first_step(const struct grouping *grouping, int64_t number)
{
	return number * ((int64_t)1 << grouping->shift);
}

/* The group to which a bucket belongs. Whole numbers can lie at the very edge
 * of their bucket, so the group is that of the bucket's value with the least
 * magnitude. Fractions do not, so the group is that of the bucket's middle. */
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

/* The least value that a group can hold. In a negative group this is the value
 * of the greatest magnitude, because the steps of a group begin on the side of
 * 0. */
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

/* The least value that is larger than all values of the group. */
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

/* The width of a group in octaves. The width of the group of the value 0 is 0,
 * because 0 has no place on a logarithmic axis. */
static double group_width(const struct grouping *grouping, struct group group)
{
	bool integers = grouping->integers;

	if (group.sign == 0)
		return 0;
	return octaves_of(first_step(grouping, group.number + 1), integers) -
	       octaves_of(first_step(grouping, group.number), integers);
}

/*
 * How many rows there are from 0 to this group if the values are whole numbers;
 * negative for a negative group. Up to `whole` each whole number is a row,
 * because no group there holds more than one whole number.
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

/* Is there a gap between two groups that follow each other? `*empty` becomes
 * the number of rows in the gap. If the values are fractions, a gap next to 0
 * has no number of rows, because magnitudes can be as small as you like, and
 * `*empty` is 0. */
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

/* Merge the buckets of the histogram into groups of 2^shift steps
 * (`grouping->shift`). */
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

/* The number of lines of the groups and of the gaps between them. */
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

/* Return the label of the gap that follows a group: the end of the group. If
 * the values are fractions, the gap above 0 does not include 0 itself. */
static char *end_label(const struct grouping *grouping, struct group group)
{
	if (!group.sign && !grouping->integers)
		return xstrdup("> 0");
	return value_label(group_end(grouping, group), grouping->integers);
}

/* Add a row for a gap of `empty` rows that begins at `from`. The new row owns
 * `label`. A gap of one row is shown as that row, with the count 0. */
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

	/* with a shift of 20 bits, two groups for each sign cover the whole
	 * range of a double */
	for (; grouping.shift <= 20; grouping.shift++) {
		make_groups(histogram, &grouping);
		if (count_lines(&grouping) <= HDR_LINES)
			break;
	}
	add_groups(&grouping, rows);
	vec_free(&grouping.groups);
}

/* ---- the rows of the other classes -------------------------------------- */

/* The rows from rows[first] on are empty. If there are at least LEAST_FOLDED of
 * them, replace them by one row for the gap. */
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

/* ---- all rows ----------------------------------------------------------- */

static void add_edge(struct histogram_row_list *rows, const char *label,
		     uint64_t count)
{
	vec_push(rows, (struct histogram_row){.label = xstrdup(label),
					      .count = count});
}

/* Set the density of each row. Rows without a width, such as Underflow, are
 * drawn as if they were as wide as the widest row. */
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
	/* in an hdr histogram only infinite values are beyond the edges */
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
