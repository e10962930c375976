/*
 * report_page.h - everything that was measured as one HTML file, for people:
 * `save report`
 *
 * The file needs no other file, no network and no script: figures are SVG. A
 * script sorts the table of legs. The file is XML, too.
 */
#ifndef PERFTOOL_REPORT_REPORT_PAGE_H
#define PERFTOOL_REPORT_REPORT_PAGE_H

#include "perftool/measure/measured_legs.h"
#include "perftool/report.h"
#include "perftool/report/profile_files.h"

/* So many legs at most have a section of their own, those with the largest
 * totals, and so many nodes a row. */
#define PAGE_LEGS 100
#define PAGE_NODES 1000

/* A listing that exists as text only. */
struct page_listing {
	const char *title;
	char *text;
};

struct report_page {
	const struct tables *tables;
	/* the words of the command line that made the report; NULL: not known
	 */
	const char *command;
	/* executions, the longest first */
	const struct execution *slowest;
	size_t slowest_count;
	/* short executions are known besides, but only as sums */
	bool is_added_up;
	/* its `stacks` make a flame graph; NULL: there are no samples */
	const struct profile *profile;
	const struct page_listing *listings;
	size_t listing_count;
	/* Appends at most `count` lines of a source file, from `first` on, each
	 * with its line end. Returns how many there are. May be NULL. */
	size_t (*read_source)(void *context, const char *file, uint32_t first,
			      uint32_t count, struct str *out);
	void *context;
};

/* Append the HTML. */
void report_page_html(const struct report_page *page, struct str *out);

#endif
