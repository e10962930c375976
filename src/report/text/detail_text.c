/* detail_text.c - what `set detail auto` does, as text */
#include "perftool/report.h"
#include "report/figures/figures.h"

void report_detail_text(const struct report_detail *detail, struct str *out)
{
	str_printf(out, "%zu function%s %s nodes by detail; it costs %.2g%% ",
		   detail->functions, detail->functions == 1 ? "" : "s",
		   detail->functions == 1 ? "has" : "have",
		   detail->nodes + detail->pauses + detail->sampling);
	str_printf(out,
		   "(at most %g%%): nodes %.2g%%, stops to change them "
		   "%.2g%%",
		   detail->limit, detail->nodes, detail->pauses);
	if (detail->sampling > 0)
		str_printf(out, ", ticks %.2g%%", detail->sampling);
	str_append_char(out, '\n');
	for (size_t i = 0; i < detail->refused_count; i++) {
		const struct report_refusal *at = &detail->refused[i];

		str_printf(out, "Refused: %s, which is called ", at->function);
		report_number((__int128)at->calls, out);
		str_printf(out,
			   " times a second, and would cost %.2g%%; it is "
			   "tried again in ",
			   at->cost);
		report_duration(at->left, out);
		str_append_char(out, '\n');
	}
}
