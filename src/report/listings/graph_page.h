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
	int cpu; /* with the blank before it; 0: there is no such column */
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

/* A time in the unit. What two digits behind the point round to 0 is 0. */
double in_unit(int64_t ns, const struct time_unit *unit);

/* How far the time of `calls` of the calls of an entry may be off, ns. 0: not
 * known, or it was not counted. */
struct call_bound graph_bound(const struct graph_page *page,
			      const struct graph_entry *entry, uint64_t calls);
/* The same of calls from outside its cycle, if it is a member of one: they have
 * the descendants of all its members. `all`: how many such calls the cycle has.
 */
struct call_bound graph_bound_from_outside(const struct graph_page *page,
					   const struct graph_entry *entry,
					   uint64_t calls, uint64_t all);

/* Append a time with two digits behind the point, in so many columns; or its
 * upper bound, such as "<0.05", if the time says nothing. */
void graph_put_time(const struct graph_page *page, int64_t ns,
		    const struct time_error *bound, int width, struct str *out);

static inline uint64_t graph_calls(const struct graph_entry *entry)
{
	return entry->called + entry->recursive;
}

/* Append the line on what the times are, with which both tables begin. */
void graph_put_granularity(const struct graph_page *page, struct str *out);

/* graph_flat.c: append the flat profile. graph_index.c: append the index. */
void graph_put_flat(struct graph_page *page, struct str *out);
void graph_put_index(struct graph_page *page, struct str *out);

#endif
