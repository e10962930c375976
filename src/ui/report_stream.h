/*
 * report_stream.h - the file of the option -o
 *
 * The file is opened before anything is measured, so that the user learns at
 * once of a name that cannot be written. An older file of this name keeps its
 * content until there is something to write: if the tool fails before that,
 * because of a mistake in the commands, nothing is lost. A name with `%p`, the
 * number of the program's process, is not known at first: the file has a
 * temporary name until the program runs. A report that is written all at once,
 * at the end, takes the place of an older file when it is complete.
 * Another perftool cannot write the file meanwhile
 * (perftool/base/file_claim.h).
 */
#ifndef UI_REPORT_STREAM_H
#define UI_REPORT_STREAM_H

#include <stdbool.h>

#include "perftool/base/error.h"

struct ui;

/* Opens the file that `options.output` names, and lets `options.output` be its
 * name. */
struct error *report_stream_open(struct ui *ui);
/* Gives the file its name, as soon as the process has a number. Does nothing
 * before that, and to a file that has its name. */
struct error *report_stream_name(struct ui *ui);
/* Is called before anything is written to the file: the first time, an older
 * file is emptied. */
struct error *report_stream_begin(struct ui *ui);
/* The same, if the whole report is about to be written. Then the old report
 * stays until report_stream_close(), and for good if the disk is full or if
 * report_stream_spoil() was called. */
struct error *report_stream_begin_whole(struct ui *ui);
/* The whole report could not be written. */
void report_stream_spoil(struct ui *ui);
/* Closes the file. A file that has no name yet is removed, because no program
 * was started. `has_failed`: the tool has failed; if it has written nothing, a
 * new file is removed, and an older one stays as it was. */
struct error *report_stream_close(struct ui *ui, bool has_failed);

#endif
