/*
 * flat_listing.h - a flat profile: what `print flat` prints. As text it has the
 * form of SPIN's FlatProfile.perl
 */
#ifndef PERFTOOL_REPORT_FLAT_LISTING_H
#define PERFTOOL_REPORT_FLAT_LISTING_H

#include "perftool/profile/flat_profile.h"
#include "perftool/report.h"

struct profile_measurement; /* profile_files.h */

struct flat_report {
	const struct flat_profile *profile;
	const struct procedures *procedures;
	uint64_t tick; /* ns: the period of the ticks; 0: not known */
	/* Say before the listings what the columns mean. */
	bool describes;
	/* how the ticks were taken, for JSON; NULL: not known */
	const struct profile_measurement *measurement;
};

/* Append the three listings: all ticks, those that were not delayed, and those
 * that were. Of the options, `color` and `columns` are used. */
void report_flat_text(const struct flat_report *report,
		      const struct report_options *options, struct str *out);
/* Append the three listings as one table, as a JSON object or as CSV: a row for
 * each procedure. doc/FORMATS.md has the fields. */
void report_flat_json(const struct flat_report *report, struct str *out);
void report_flat_csv(const struct flat_report *report, struct str *out);

#endif
