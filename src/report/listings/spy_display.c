/* spy_display.c - see perftool/report/spy_display.h */
#include "perftool/report/spy_display.h"

#include "spy_text.h"

void report_spy_display(const struct spy_report *report, struct str *out)
{
	struct spy_text text;

	spy_text_init(&text, report);
	spy_heading(&text, out);
	spy_title("Breakdown of interesting processes.", out);
	spy_processes(&text, out);
	spy_title("Breakdown of interesting procedures.", out);
	spy_procedures(&text, out);
	spy_text_deinit(&text);
}
