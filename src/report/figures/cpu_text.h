/*
 * cpu_text.h - what is said of the time on a CPU: cpu_text.c
 */
#ifndef PERFTOOL_REPORT_CPU_H
#define PERFTOOL_REPORT_CPU_H

#include "perftool/report.h"

/* Why that of some of a leg's executions is not known; NULL: it is of all. */
const char *cpu_problem(const struct tables *tables,
			const struct measure_leg *leg);

/* Is it known of any execution, of any leg? */
bool is_any_cpu_known(const struct tables *tables);

/* The lines under the leg table that say why a column is empty, or does not
 * stand for all executions. */
void cpu_notes(const struct tables *tables, struct str *out);

#endif
