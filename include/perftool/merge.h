/*
 * merge.h - the tables of many processes as one table
 *
 * Each file has what one perftool has measured, for example one of the ranks of
 * an MPI program. The files are read one after the other (perftool/saved.h).
 * What is kept does not grow with their number, but with the number of
 * different legs, and by rank with that of legs times ranks.
 */
#ifndef PERFTOOL_MERGE_H
#define PERFTOOL_MERGE_H

#include <stdbool.h>

#include "perftool/base/error.h"
#include "perftool/base/str.h"
#include "perftool/report.h"
#include "perftool/saved.h"

struct merge;

/* `by_rank`: also keep what each rank has of each leg. */
struct merge *merge_create(bool by_rank);
void merge_destroy(struct merge *merge);

/* Adds the tables of a file. Errors, each of which names the file: it was added
 * already, it is about a part of the time only, or it has no rank, which
 * `by_rank` needs. The file is not added then. */
struct error *merge_add(struct merge *merge, const struct saved_tables *tables);

/*
 * Reads files one after the other, and some of them ahead. read_ahead_next() is
 * called at most `count` times, and is saved_read() of the next file of the
 * list. If it fails, the caller may go on with the file after that.
 *
 * Threads read files. Whatever somebody must first write (a pipe, a terminal,
 * standard input) the caller of read_ahead_next() reads, whom a signal reaches.
 * Both call the functions of `watch`, at the same time.
 */
struct read_ahead;
struct read_ahead *read_ahead_create(char *const *names, size_t count,
				     const struct saved_watch *watch);
struct error *read_ahead_next(struct read_ahead *files,
			      struct saved_tables **out);
void read_ahead_destroy(struct read_ahead *files);

/* Append the merged tables. JSON and CSV are handed to the sink row by row;
 * what it has not taken is left in `out`. */
void merge_text(struct merge *merge, const struct report_options *look,
		struct str *out);
struct error *merge_json(struct merge *merge, const struct report_sink *sink,
			 struct str *out);
/* As CSV there is a file for each table: the word for table `index`, and the
 * table. merge_csv_name() returns NULL after the last one. */
const char *merge_csv_name(struct merge *merge, size_t index);
struct error *merge_csv(struct merge *merge, size_t index,
			const struct report_sink *sink, struct str *out);

/* Append a line for each thing that the user should know of the files: that
 * they are of different programs, for example. */
void merge_remarks(const struct merge *merge, struct str *out);

#endif
