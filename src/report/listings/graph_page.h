/*
 * graph_page.h - what the parts of the listing of a call graph have in common:
 * the unit of times, the widths of columns, and the names of entries
 */
#ifndef PERFTOOL_REPORT_GRAPH_PAGE_H
#define PERFTOOL_REPORT_GRAPH_PAGE_H

#include "perftool/report/graph_listing.h"
#include "procedure_labels.h"

struct time_unit {
	double size;      /* ns */
	const char *name; /* "seconds", "ms" or "us" */
};

struct graph_page {
	const struct graph_report *report;
	const struct report_options *options;
	char **names; /* of the entries, such as "walk <cycle 1>" */
	struct time_unit unit;
	/* The widths of the columns of entries. */
	int index, time, descendants, count;
	/* By the number of the cycle less 1: index of its entry. */
	uint32_t *cycles;
	bool is_cut; /* a name was cut */
};

void graph_page_init(struct graph_page *page, const struct graph_report *report,
		     const struct report_options *options);
void graph_page_deinit(struct graph_page *page);

/* Append the name of an entry and its index, such as "walk <cycle 1> [4]", and
 * end the line, which begins with `before` characters. */
void graph_put_name(struct graph_page *page, uint32_t entry, size_t before,
		    struct str *out);

/* A time in the unit, with two digits behind the point. A time that is rounded
 * to 0 has no sign. */
double in_unit(int64_t ns, const struct time_unit *unit);

/* Append the line on what the times are, with which both tables begin. */
void graph_put_granularity(const struct graph_page *page, struct str *out);

/* graph_flat.c: append the flat profile. graph_index.c: append the index. */
void graph_put_flat(struct graph_page *page, struct str *out);
void graph_put_index(struct graph_page *page, struct str *out);

#endif
