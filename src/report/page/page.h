/*
 * page.h - the sections of the report page
 *
 * Each function appends one <section>, or nothing if there is nothing to show.
 * Names from the program go through html_name(), html_text() or html_block():
 * nothing else may append them.
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "perftool/report/report_page.h"

/* ---- html_text.c ----------------------------------------------------------
 */

/* Append a text as HTML, isolated from the direction in which the text around
 * it is written. A text of more than `most` characters loses its middle. */
void html_name(const char *text, size_t most, struct str *out);
/* Append a text as HTML. */
void html_text(const char *text, struct str *out);
/* Append lines as HTML, for <pre>: line ends and tabs stay. */
void html_block(const char *text, struct str *out);

/* Append a cell of a table: a number for the script to sort by, and its text,
 * which is HTML. */
void html_cell(double value, const char *text, struct str *out);

/* Append "1 leg" or "2 legs". */
void html_count(uint64_t count, const char *what, struct str *out);

/* ---- sections -------------------------------------------------------------
 */

/* The legs of the tables in the order of their totals. */
struct ranked_legs {
	const struct report_leg **list;
	size_t count;      /* those that were executed */
	size_t unexecuted; /* those that were not come behind them */
};
void rank_legs(const struct tables *tables, struct ranked_legs *out);
void ranked_legs_deinit(struct ranked_legs *legs);

void legs_section(const struct report_page *page,
		  const struct ranked_legs *legs, struct str *out);
/* A part of the page for each of the first legs: figure, source, values. */
void leg_articles(const struct report_page *page,
		  const struct ranked_legs *legs, struct str *out);
void slowest_section(const struct report_page *page, struct str *out);
void nodes_section(const struct report_page *page, struct str *out);
void settings_section(const struct report_page *page, struct str *out);

/* Append the rows of a split as a table with bars. */
void split_table(const struct report_leg *leg, const struct report_node *node,
		 struct str *out);

#endif
