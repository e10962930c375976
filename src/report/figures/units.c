/*
 * units.c - times and numbers as text
 *
 * The memo writes times as sec.msec:usec, separates thousands with commas, and
 * truncates. Other times have three digits and a unit.
 */
#include "units.h"
#include "perftool/measure/measured_legs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void decimal(__int128 number, struct str *out)
{
	char digits[40];
	size_t at = sizeof(digits);
	unsigned __int128 rest = (unsigned __int128)number;

	if (number < 0) {
		str_append_char(out, '-');
		rest = -rest;
	}
	do {
		digits[--at] = (char)('0' + (int)(rest % 10));
		rest /= 10;
	} while (rest);
	str_append_n(out, digits + at, sizeof(digits) - at);
}

void report_number(__int128 number, struct str *out)
{
	struct str plain = {0};
	const char *text;

	decimal(number, &plain);
	text = str_text(&plain);
	if (*text == '-')
		str_append_char(out, *text++);
	for (size_t left = plain.length - (size_t)(text - str_text(&plain));
	     left > 0; left--) {
		str_append_char(out, *text++);
		if (left > 1 && left % 3 == 1)
			str_append_char(out, ',');
	}
	str_deinit(&plain);
}

void report_memo_time(__int128 ns, struct str *out)
{
	unsigned __int128 us = (unsigned __int128)(ns < 0 ? -ns : ns) / 1000;
	unsigned msec = (unsigned)(us / 1000 % 1000);
	unsigned usec = (unsigned)(us % 1000);

	if (ns < 0 && us)
		str_append_char(out, '-');
	if (us < 1000000) {
		str_printf(out, "%u:%03u", msec, usec);
		return;
	}
	decimal((__int128)(us / 1000000), out);
	str_printf(out, ".%03u:%03u", msec, usec);
}

void report_duration(double ns, struct str *out)
{
	static const struct {
		double size;
		const char *name;
	} units[] = {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}};
	size_t unit = 0;
	double size = fabs(ns), value;
	int places;

	if (!isfinite(ns)) {
		str_append(out, "-");
		return;
	}
	/* printf would round 999.6 to four digits, so the text has 1.00 of the
	 * next unit instead */
	while (unit < 3 && size / units[unit].size >= 999.5)
		unit++;
	value = size / units[unit].size;
	places = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
	if (unit == 0 && value == floor(value))
		places = 0;
	str_printf(out, "%s%.*f%s", ns < 0 && value > 0 ? "-" : "", places,
		   value, units[unit].name);
}

static void hundredths_text(unsigned __int128 hundredths, struct str *out)
{
	decimal((__int128)(hundredths / 100), out);
	str_printf(out, ".%02u", (unsigned)(hundredths % 100));
}

bool percent_text(__int128 part, __int128 whole, struct str *out)
{
	unsigned __int128 hundredths;

	if (whole <= 0)
		return false;
	hundredths = (unsigned __int128)(part < 0 ? -part : part) * 10000 /
		     (unsigned __int128)whole;
	if (part < 0 && hundredths)
		str_append_char(out, '-');
	hundredths_text(hundredths, out);
	return true;
}

bool share_text(uint64_t part, uint64_t whole, struct str *out)
{
	if (!whole)
		return false;
	hundredths_text(((unsigned __int128)part * 10000 + whole / 2) / whole,
			out);
	return true;
}

void shortest(double number, struct str *out)
{
	char text[40];

	if (number == floor(number) && fabs(number) < 0x1p53) {
		str_printf(out, "%.0f", number);
		return;
	}
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, number);
		if (strtod(text, NULL) == number)
			break;
	}
	str_append(out, text);
}

/* Take the text as a cell; an empty text becomes a dash. */
static char *cell_of(struct str *text)
{
	if (!text->length)
		str_append_char(text, '-');
	return str_take(text);
}

char *percent_cell(__int128 part, __int128 whole)
{
	struct str text = {0};

	percent_text(part, whole, &text);
	return cell_of(&text);
}

char *share_cell(uint64_t part, uint64_t whole)
{
	struct str text = {0};

	share_text(part, whole, &text);
	return cell_of(&text);
}

char *number_cell(__int128 number)
{
	struct str text = {0};

	report_number(number, &text);
	return str_take(&text);
}

char *memo_time_cell(__int128 ns)
{
	struct str text = {0};

	report_memo_time(ns, &text);
	return str_take(&text);
}

char *duration_cell(double ns)
{
	struct str text = {0};

	report_duration(ns, &text);
	return str_take(&text);
}

double memo_bound(double ns)
{
	return ceil(ns / 1000) * 1000;
}

bool is_below_bound(__int128 total, double bound, double inside)
{
	return (double)total < bound && (total < 0 || (double)total < inside);
}

bool leg_total_is_bound(const struct report_leg *leg, double *bound)
{
	if (leg->has_total_bound) {
		*bound = leg->total_bound;
		return true;
	}
	/* in whole ns, as totals are */
	*bound = floor(leg->resolution * (double)leg->stats->count);
	return leg->below_resolution &&
	       is_below_bound(leg->stats->total, *bound,
			      leg->stats->inside * MEASURE_UNCERTAIN);
}

double time_bound(double ns, double bound)
{
	return bound > -ns ? bound : -ns;
}

char *below_cell(double ns)
{
	struct str text = {0};

	str_append(&text, "< ");
	report_duration(ns, &text);
	return str_take(&text);
}

char *memo_below_cell(double ns)
{
	struct str text = {0};

	str_append(&text, "< ");
	report_memo_time((__int128)memo_bound(ns), &text);
	return str_take(&text);
}
