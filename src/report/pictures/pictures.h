/*
 * pictures.h - figures as SVG: how the times of a leg are distributed, when its
 * slowest executions were, and parts of a whole as bars
 *
 * This folder uses the folders figures and records. What it appends is XML,
 * which may stand in HTML, too. The colours are those of the classes in
 * src/web/figure.css.
 */
#ifndef REPORT_PICTURES_H
#define REPORT_PICTURES_H

#include "perftool/report.h"

/* Append a time such as "1.23 us", as people write it: with a narrow space that
 * does not break, and the Greek letter. "-" if it is not finite. */
void picture_time(double ns, struct str *out);

/*
 * Append the picture of a leg's times as an <svg> element. The axis of time is
 * logarithmic, and all bars cover the same factor of it, so that their heights
 * show the density. Marks have the percentiles, the mean, how far the mean may
 * be off, and below which time nothing is known, because the cost of the tool
 * that was subtracted is known only to this accuracy.
 *
 * `is_alone`: the figure is a document, with a title, the names of the axes and
 * the style sheet.
 */
void picture_histogram(const struct report_leg *leg, bool is_alone,
		       struct str *out);

/* One execution in a time line. */
struct picture_span {
	uint64_t start;    /* measured ns */
	int64_t duration;  /* ns */
	size_t row;        /* from 0 */
	int64_t cpu;       /* ns on a CPU; below 0: not known */
	const char *title; /* what it is, not escaped */
};

/* Append a time line of the measured time, with a row for each of `names` (not
 * escaped). */
void picture_time_line(const struct picture_span *spans, size_t count,
		       const char *const *names, size_t rows, uint64_t measured,
		       struct str *out);

/* Append a bar that takes a part (0 to 1) of the width. */
void picture_bar(double part, struct str *out);

#endif
