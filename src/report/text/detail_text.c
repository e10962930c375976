/* detail_text.c - what `set detail auto` does, as text */
#include "perftool/report.h"
#include "report/figures/figures.h"

#include <math.h>

double report_call_cost(const struct report_refusal *refusal)
{
	return refusal->cpu_calls > 0
		       ? refusal->cost / 100 * 1e9 / refusal->cpu_calls
		       : 0;
}

/* Appends a percentage with two or more digits that count, and no exponent. */
static void put_percent(double percent, struct str *out)
{
	if (percent < 0.995)
		str_printf(out, "%.2f", percent);
	else if (percent < 9.95)
		str_printf(out, "%.1f", percent);
	else
		report_number((__int128)round(percent), out);
	str_append_char(out, '%');
}

static void put_refusal(const struct report_refusal *at, struct str *out)
{
	const char *more = at->is_least ? "more than " : "";

	str_printf(out, "Refused: %s would cost %s", at->function, more);
	put_percent(at->cost, out);
	str_printf(out, ", with %s", more);
	report_number((__int128)round(at->cpu_calls), out);
	str_append(out, " calls in a second of CPU time, at ");
	report_duration(report_call_cost(at), out);
	if (at->left >= 0) {
		str_append(out, " each; it is tried again in ");
		report_duration(at->left, out);
	} else {
		str_append(out, " each; it is tried again when the others "
				"leave room for it");
	}
	str_append_char(out, '\n');
}

void report_detail_text(const struct report_detail *detail, struct str *out)
{
	str_printf(out, "%zu function%s %s nodes by detail; it costs ",
		   detail->functions, detail->functions == 1 ? "" : "s",
		   detail->functions == 1 ? "has" : "have");
	put_percent(detail->nodes + detail->pauses + detail->sampling, out);
	str_printf(out, " (at most %g%%): nodes ", detail->limit);
	put_percent(detail->nodes, out);
	str_append(out, " (more come while that is below ");
	put_percent(detail->room, out);
	str_append(out, "), stops to change them ");
	put_percent(detail->pauses, out);
	if (detail->sampling > 0) {
		str_append(out, ", ticks ");
		put_percent(detail->sampling, out);
	}
	str_append_char(out, '\n');
	for (size_t i = 0; i < detail->refused_count; i++)
		put_refusal(&detail->refused[i], out);
}
