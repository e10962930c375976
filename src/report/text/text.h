/*
 * text.h - tables as text: what they have in common, and the grid of columns
 * that each of them is laid out with
 *
 * This folder uses figures and records.
 */
#ifndef PERFTOOL_REPORT_TEXT_H
#define PERFTOOL_REPORT_TEXT_H

#include "grid.h"
#include "perftool/report.h"

void text_title(const char *title, bool color, struct str *out);

/* What the mark behind a number means. */
#define TEXT_HISTOGRAM "* has a histogram.\n"

/* legs_text.c; true: columns were left out, because not all fit */
bool text_legs(const struct tables *tables,
	       const struct report_options *options, struct str *out);

/* split_text.c; true: columns were left out. */
bool text_node_split(const struct report_node *node,
		     const struct report_options *options, struct str *out);
bool text_leg_split(const struct report_leg *leg,
		    const struct report_options *options, struct str *out);

/* distribution.c: a line for each leg whose histogram `time' made; nothing
 * where there is none. True: columns were left out. */
bool text_distribution(const struct tables *tables,
		       const struct report_options *options, struct str *out);

/* That a table has more columns than the terminal has room for. */
void text_columns_left_out(const struct report_options *options,
			   struct str *out);

#endif
