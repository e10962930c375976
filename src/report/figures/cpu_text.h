/*
 * cpu_text.h - what the reports say about the time that executions were on a
 * CPU
 *
 * The tool does not know of every execution how long it was on a CPU. These
 * functions say why.
 */
#ifndef PERFTOOL_REPORT_CPU_H
#define PERFTOOL_REPORT_CPU_H

#include "perftool/measure/measured_legs.h"
#include "perftool/report.h"

/* The reason why the tool does not know the time on a CPU for some executions
 * of the leg. NULL: the tool knows this time for all executions. The text is
 * borrowed from the tables, or static. Legs with the same reason get the same
 * pointer. */
const char *cpu_problem(const struct tables *tables,
			const struct measure_leg *leg);

/* Does the tool know the time on a CPU for any execution of any leg? */
bool is_any_cpu_known(const struct tables *tables);

/* Append the lines under the leg table that say why the columns of the time on
 * a CPU are empty, or why they do not stand for all executions. There is one
 * line for each reason. */
void cpu_notes(const struct tables *tables, struct str *out);

#endif
