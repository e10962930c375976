/*
 * text.h - tables as text: what the tables have in common, and the grid that
 * lays out the columns of each table
 *
 * This folder uses the folders figures and records.
 *
 * The functions that append a table return whether columns were left out of it
 * because the terminal is too narrow. The caller then says so once, with
 * text_columns_left_out().
 */
#ifndef PERFTOOL_REPORT_TEXT_H
#define PERFTOOL_REPORT_TEXT_H

#include "grid.h"
#include "perftool/report.h"

/* Append a line; `color`: the line is bold. */
void text_title(const char *title, bool color, struct str *out);

/* What the `*' behind the number of a node or of a leg means. */
#define TEXT_HISTOGRAM "* has a histogram.\n"

/* legs_text.c: the leg table, and the notes below it. */
bool text_legs(const struct tables *tables,
	       const struct report_options *options, struct str *out);

/* split_text.c: the rows of a node or of a leg that is split. */
bool text_node_split(const struct report_node *node,
		     const struct report_options *options, struct str *out);
bool text_leg_split(const struct report_leg *leg,
		    const struct report_options *options, struct str *out);

/* distribution.c: one line for each leg whose histogram `time' made. If there
 * is no such leg, the function appends nothing. */
bool text_distribution(const struct tables *tables,
		       const struct report_options *options, struct str *out);

/* Append the line which says that columns were left out, and what the user has
 * to type to see them. */
void text_columns_left_out(const struct report_options *options,
			   struct str *out);

#endif
