/*
 * annotated_source.c - see perftool/report/annotated_source.h
 */
#include "perftool/report/annotated_source.h"

#include <inttypes.h>

#include "perftool/base/alloc.h"

#include "report/figures/figures.h"

void report_annotated_heading(const char *function, const char *path,
			      uint64_t calls, struct str *out)
{
	str_printf(out,
		   "%s, %s: %" PRIu64 " call%s\n"
		   "Executions   Own time  With calls   Line  Source\n",
		   function, path, calls, calls == 1 ? "" : "s");
}

/* Append a time, right-aligned. */
static void append_time(double ns, int width, struct str *out)
{
	CLEANUP(free_pointer) char *text = duration_cell(ns < 0 ? 0 : ns);

	str_printf(out, "%*s", width, text);
}

void report_annotated_line(const struct annotated_line *line, struct str *out)
{
	if (!line->has_code) {
		str_printf(out, "%10s %10s  %10s", "", "", "");
	} else if (!line->executions && line->total <= 0) {
		str_printf(out, "%10s %10s  %10s", "-----", "-", "-");
	} else {
		str_printf(out, "%10" PRIu64 " ", line->executions);
		append_time(line->own, 10, out);
		str_append(out, "  ");
		append_time(line->total, 10, out);
	}
	str_printf(out, " %6" PRIu32 "  %s\n", line->line,
		   line->text ? line->text : "");
}
