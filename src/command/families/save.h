/*
 * save.h - tables in the form that is wanted
 */
#ifndef COMMAND_SAVE_H
#define COMMAND_SAVE_H

#include "command/interpreter.h"

/* Appended. As CSV, tables follow each other after an empty line; JSON is one
 * object, always whole. */
void write_tables(const struct tables *tables, unsigned parts,
		  enum report_format format,
		  const struct report_options *options, struct str *out);

command_fn run_save_tables;

#endif
