/*
 * annotated_source.h - source lines with how often they were executed and how
 * long they took
 */
#ifndef PERFTOOL_REPORT_ANNOTATED_SOURCE_H
#define PERFTOOL_REPORT_ANNOTATED_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "perftool/base/str.h"

struct annotated_line {
	uint32_t line;
	bool has_code; /* the function has code for the line */
	uint64_t executions;
	double own, total; /* ns; without and with what the line calls */
	const char *text;  /* NULL: the source file cannot be read */
};

/* Append the heading: the function, its file, and how often it was called. */
void report_annotated_heading(const char *function, const char *path,
			      uint64_t calls, struct str *out);
/* Append one line. As in gcov's files, a line without code has no count, and
 * one that was never executed has `-----`. */
void report_annotated_line(const struct annotated_line *line, struct str *out);

#endif
