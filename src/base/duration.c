/*
 * duration.c - see duration.h
 */
#include "perftool/base/duration.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *unit;
	double ns;
} units[] = {
	{"", 1e9},   {"s", 1e9},  {"ms", 1e6},   {"us", 1e3},
	{"ns", 1.0}, {"m", 60e9}, {"min", 60e9}, {"h", 3600e9},
};

static struct error *no_duration(const char *text)
{
	return error_create(ERROR_USAGE,
			    "`%s' is not a duration (500ms, 10s, 2m, 1h30m)",
			    text);
}

bool duration_take(const char **text, bool is_first, double *ns)
{
	double number;
	size_t length;
	char *end;

	if (!isdigit((unsigned char)**text) && **text != '.')
		return false;
	number = strtod(*text, &end);
	if (end == *text)
		return false;
	length = strspn(end, "abcdefghijklmnopqrstuvwxyz");
	if (!length && (!is_first || *end))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strlen(units[i].unit) != length ||
		    strncmp(end, units[i].unit, length) != 0)
			continue;
		*ns += number * units[i].ns;
		*text = end + length;
		return true;
	}
	return false;
}

struct error *duration_parse(const char *text, uint64_t *ns)
{
	const char *at = text;
	double sum = 0;

	do
		if (!duration_take(&at, at == text, &sum))
			return no_duration(text);
	while (*at);
	if (!(sum >= 1.0) || sum > 1e18)
		return error_create(ERROR_USAGE, "the duration `%s' is too %s",
				    text, sum > 1 ? "long" : "short");
	*ns = (uint64_t)sum;
	return NULL;
}

void duration_append(uint64_t ns, struct str *out)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} whole[] = {{"h", 3600000000000}, {"m", 60000000000},
		     {"s", 1000000000},    {"ms", 1000000},
		     {"us", 1000},         {"ns", 1}};
	size_t i = 0;

	while (ns % whole[i].ns)
		i++;
	str_printf(out, "%" PRIu64 "%s", ns / whole[i].ns, whole[i].unit);
}

void duration_describe(uint64_t ns, struct str *out)
{
	double ms = (double)ns / 1e6;

	/* What would be rounded to "1000.0 ms" is a second. */
	if (ms < 999.95)
		str_printf(out, "%.1f ms", ms);
	else
		str_printf(out, "%.1f s", ms / 1e3);
}
