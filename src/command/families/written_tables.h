/*
 * written_tables.h - tables as text, JSON or CSV, and files of CSV, one for
 * each table
 */
#ifndef COMMAND_WRITTEN_TABLES_H
#define COMMAND_WRITTEN_TABLES_H

#include "command/interpreter.h"
#include "perftool/session/user_interface.h"

/* Appends the tables to `out`. In CSV, an empty line separates the tables. In
 * JSON, the text is always one object with all tables, whatever `parts`
 * says. */
void write_tables(const struct tables *tables, unsigned parts,
		  enum report_format format,
		  const struct report_options *options, struct str *out);

/* Writes a CSV file for each table: "y-legs.csv" and so on for the path
 * "y.csv". Appends the names of the files to `saved`. */
struct error *csv_save(const struct interpreter *interpreter,
		       const struct session_ui *ui, const char *path,
		       struct str *saved);

#endif
