/* cpu_text.c - see cpu_text.h */
#include "cpu_text.h"
#include "perftool/measure/measured_legs.h"

#include <string.h>

const char *cpu_problem(const struct tables *tables,
			const struct measure_leg *leg)
{
	if (!leg->cpu_unknown)
		return NULL;
	if (tables->cpu_problem)
		return tables->cpu_problem;
	if (leg->spec.owner == OWNER_GOROUTINE)
		return "the threads of a goroutine execute other goroutines, "
		       "too";
	return leg->spec.owner == OWNER_THREAD
		       ? "perftool missed some context switches"
		       : "executions end in another thread than they began in";
}

bool is_any_cpu_known(const struct tables *tables)
{
	for (size_t i = 0; i < tables->leg_count; i++)
		if (measure_leg_cpu(report_row(tables, i)->stats).count)
			return true;
	return false;
}

/* Add up the executions of all legs with this problem: `*count` becomes the
 * number of all of them, and `*unknown` the number of those whose time on a CPU
 * is not known. Returns whether `*unknown` is more than 0. */
static bool count_unknown(const struct tables *tables, const char *problem,
			  uint64_t *unknown, uint64_t *count)
{
	*unknown = *count = 0;
	for (size_t i = 0; i < tables->leg_count; i++) {
		const struct measure_leg *leg = report_row(tables, i)->stats;

		if (cpu_problem(tables, leg) != problem)
			continue;
		*unknown += leg->cpu_unknown;
		*count += leg->count;
	}
	return *unknown;
}

static bool was_said(const struct tables *tables, size_t before,
		     const char *problem)
{
	for (size_t i = 0; i < before; i++)
		if (cpu_problem(tables, report_row(tables, i)->stats) ==
		    problem)
			return true;
	return false;
}

void cpu_notes(const struct tables *tables, struct str *out)
{
	for (size_t i = 0; i < tables->leg_count; i++) {
		const char *problem =
			cpu_problem(tables, report_row(tables, i)->stats);
		uint64_t unknown, count;
		struct str line = {0};

		if (!problem || was_said(tables, i, problem) ||
		    !count_unknown(tables, problem, &unknown, &count))
			continue;
		str_append(&line, "On CPU, Waiting: not known");
		if (unknown < count) {
			str_append(&line, " for ");
			report_number(unknown, &line);
			str_append(&line, " of ");
			report_number(count, &line);
			str_append(&line, " executions");
		}
		str_printf(out, "%s:%s%s.\n", str_text(&line),
			   line.length + strlen(problem) > 76 ? "\n  " : " ",
			   problem);
		str_deinit(&line);
	}
}
