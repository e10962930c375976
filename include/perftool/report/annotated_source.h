/*
 * annotated_source.h - the source lines of functions with how often they were
 * executed and how long they took: what `print source` prints
 */
#ifndef PERFTOOL_REPORT_ANNOTATED_SOURCE_H
#define PERFTOOL_REPORT_ANNOTATED_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "perftool/base/str.h"
#include "perftool/base/vec.h"

struct annotated_line {
	uint32_t line;
	bool has_code; /* the function has code for the line */
	/* It is known how often the line was executed; false: the compiler has
	 * left no instruction at which a statement of the line begins. */
	bool is_counted;
	uint64_t executions;
	double own, total; /* ns; without and with what the line calls */
	/* how far `own` may be off, ns; below 0: it was not measured, because
	 * no time between two hits is the line's own */
	double bound;
	const char *text; /* NULL: the source file cannot be read */
};

/* A function that has been profiled. */
struct annotated_function {
	const char *name, *path; /* path: NULL: its lines are not known */
	uint64_t calls;
	/* Threads have stopped at int3s in it, which costs more than is taken
	 * out of the times. */
	bool by_int3;
	VEC(struct annotated_line) lines;
};

VEC_STRUCT(annotated_source, struct annotated_function);

/* Append for each function a heading (its name, its file, and how often it was
 * called) and its lines. As in gcov's files, a line without code has no count,
 * and one that was never executed has `-----`. A line whose executions are not
 * known has `-`. */
void report_source_text(const struct annotated_source *source, struct str *out);
/* Append the same as a JSON object, or as CSV, with a row for each line.
 * doc/FORMATS.md has the fields. */
void report_source_json(const struct annotated_source *source, struct str *out);
void report_source_csv(const struct annotated_source *source, struct str *out);

#endif
