/*
 * batch_report.h - the report that batch mode writes
 */
#ifndef UI_BATCH_REPORT_H
#define UI_BATCH_REPORT_H

#include <stdio.h>

#include "perftool/library.h"

struct options;
struct ui;
struct writer;

/* Returns what the last report of batch mode contains. */
struct perftool_report report_whole(const struct ui *ui);

/* Returns the file to which reports are written, or NULL if each table is
 * written to a file of its own (-f csv). */
FILE *report_file(const struct ui *ui);
/* report_output() returns the file of -o, or standard error if -o was not
 * given. report_output_name() returns the name of this file for messages. */
FILE *report_output(const struct ui *ui);
const char *report_output_name(const struct ui *ui);

/* Returns the word for the format, as -f and `set format` take it. */
const char *report_format_name(enum perftool_format format);

/* Writes the last report, after the tables that were written to the same file
 * during the run. */
struct error *report_write(struct ui *ui);

/* Tells the user if the name of the report's file is that of a page or a
 * figure, because the report is text. The run may take long, so this comes
 * before it. */
void report_tell_of_picture(const struct options *options,
			    const struct writer *writer);

/* Tells the user if the option -f has no effect: commands have run the program,
 * so there is no report. -f has an effect all the same if tables are written
 * during the run. */
void report_tell_of_format(struct ui *ui);

/* Tells the user of profiles that commands have recorded, if no command has
 * shown or saved them. */
void report_tell_of_profiles(struct ui *ui);

#endif
