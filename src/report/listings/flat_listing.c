/* flat_listing.c - see perftool/report/flat_listing.h */
#include "perftool/report/flat_listing.h"

#include <inttypes.h>
#include <stdlib.h>

#include "procedure_labels.h"
#include "report/figures/figures.h"
#include "report/text/text.h"

/* The columns of the seed: the procedure's name begins at the 25th character,
 * and the percentage in the 9th, unless a count is longer. */
#define COUNT_WIDTH 8
#define PERCENT_WIDTH 16
/* The least number of characters to which names are cut. */
#define LEAST_NAME 16

static const char description[] =
	"Count is the number of ticks of the profiler's clock that found a "
	"thread in\n"
	"the procedure itself, and not in one that it had called. Percent is "
	"the part\n"
	"of all ticks of the listing. Ticks come as the threads use their "
	"CPUs, so a\n"
	"count is proportional to CPU time.\n"
	"\n"
	"A tick is delayed if it was taken elsewhere than it fell due: in the "
	"kernel,\n"
	"or later than half a period. It then counts for the caller of the "
	"procedure\n"
	"that was found. The first listing has all ticks, the second one those "
	"that\n"
	"were not delayed, the third one those that were.\n"
	"\n";

static int width_of(uint64_t number, int least)
{
	int width = 2; /* a digit, and the blank behind it */

	for (; number >= 10; number /= 10)
		width++;
	return width > least ? width : least;
}

/* Append a row. Returns whether the name was cut. */
static bool put_row(const struct flat_row *row, uint64_t ticks, int count_width,
		    const struct procedure_labels *labels, size_t name_width,
		    struct str *out)
{
	char *label = procedure_label(labels, row->procedure);
	char *percent = share_cell(row->ticks, ticks);
	bool is_cut;

	str_printf(out, "%-*" PRIu64 "%-*s", count_width, row->ticks,
		   PERCENT_WIDTH, percent);
	is_cut = label_append(label, name_width, out);
	str_append_char(out, '\n');
	free(percent);
	free(label);
	return is_cut;
}

static bool put_listing(const char *title, const struct flat_listing *listing,
			const struct procedure_labels *labels,
			const struct report_options *options, struct str *out)
{
	const uint64_t most =
		listing->rows.count ? listing->rows.data[0].ticks : 0;
	const int count_width = width_of(most, COUNT_WIDTH);
	const size_t before = (size_t)count_width + PERCENT_WIDTH;
	size_t name_width = 0;
	bool is_cut = false;

	if (options->columns > 0)
		name_width = (size_t)options->columns > before + LEAST_NAME
				     ? (size_t)options->columns - before
				     : LEAST_NAME;
	text_title(title, options->color, out);
	if (!listing->rows.count) {
		str_append(out, "None.\n");
		return false;
	}
	str_printf(out, "%-*s%-*sProcedure\n", count_width, "Count",
		   PERCENT_WIDTH, "Percent");
	str_printf(out, "%-*s%-*s---------\n", count_width, "-----",
		   PERCENT_WIDTH, "-------");
	for (size_t i = 0; i < listing->rows.count; i++)
		is_cut |= put_row(&listing->rows.data[i], listing->ticks,
				  count_width, labels, name_width, out);
	return is_cut;
}

static void put_heading(const struct flat_report *report, struct str *out)
{
	const struct flat_profile *profile = report->profile;

	report_number(profile->all.ticks, out);
	str_append(out, profile->all.ticks == 1 ? " tick" : " ticks");
	if (report->tick) {
		str_append(out, " of ");
		report_duration((double)report->tick, out);
	}
	str_append(out, ", ");
	report_number(profile->delayed.ticks, out);
	str_append(out, " of them delayed.\n\n");
}

void report_flat_text(const struct flat_report *report,
		      const struct report_options *options, struct str *out)
{
	const struct flat_profile *profile = report->profile;
	struct procedure_labels labels;
	bool is_cut;

	if (!profile->all.ticks) {
		str_append(out, "No ticks.\n");
		return;
	}
	if (report->describes)
		str_append(out, description);
	put_heading(report, out);
	procedure_labels_init(&labels, report->procedures);
	is_cut = put_listing("All ticks", &profile->all, &labels, options, out);
	str_append_char(out, '\n');
	is_cut |= put_listing("Ticks that were not delayed", &profile->on_time,
			      &labels, options, out);
	str_append_char(out, '\n');
	is_cut |= put_listing("Ticks that were delayed, by the caller of the "
			      "procedure found",
			      &profile->delayed, &labels, options, out);
	procedure_labels_deinit(&labels);
	if (is_cut)
		labels_cut_note(options, out);
}
