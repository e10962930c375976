/*
 * flat_listing.h - a flat profile as text, in the form of SPIN's
 * FlatProfile.perl: what `print flat` prints
 */
#ifndef PERFTOOL_REPORT_FLAT_LISTING_H
#define PERFTOOL_REPORT_FLAT_LISTING_H

#include "perftool/profile/flat_profile.h"
#include "perftool/report.h"

struct flat_report {
	const struct flat_profile *profile;
	const struct procedures *procedures;
	uint64_t tick; /* ns: the period of the ticks; 0: not known */
	/* Say before the listings what the columns mean. */
	bool describes;
};

/* Append the three listings: all ticks, those that were not delayed, and those
 * that were. Of the options, `color` and `columns` are used. */
void report_flat_text(const struct flat_report *report,
		      const struct report_options *options, struct str *out);

#endif
