/*
 * save.h - write tables as text, JSON or CSV
 */
#ifndef COMMAND_SAVE_H
#define COMMAND_SAVE_H

#include "command/interpreter.h"
#include "perftool/base/vec.h"
#include "perftool/report/report_page.h"

/* Appends the tables to `out`. In CSV, an empty line separates the tables. In
 * JSON, the text is always one object with all tables, whatever `parts`
 * says. */
void write_tables(const struct tables *tables, unsigned parts,
		  enum report_format format,
		  const struct report_options *options, struct str *out);

/* Appends to tables in JSON or CSV what belongs to them beside nodes and legs:
 * the waits for locks, if they were recorded. */
void append_contention(struct session *session, enum report_format format,
		       const struct report_options *look, struct str *out);

command_fn run_save_tables;

/* Appends the listings of all profiles that were recorded, as text. The titles
 * are static; the caller frees the texts. */
VEC_STRUCT(page_listings, struct page_listing);
void collect_listings(struct session *session, struct page_listings *out);

#endif
