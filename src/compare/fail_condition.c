/*
 * fail_condition.c - conditions on a comparison, of the option --fail-if
 */
#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/duration.h"
#include "perftool/compare.h"

static struct error *wrong(const char *text, const char *why)
{
	return error_create(ERROR_USAGE,
			    "--fail-if: `%s' %s; conditions are such as `p99 > "
			    "5%%', `LEG: mean > 2ms' or `count > 1000', with "
			    "count, total, mean, p50 or p99",
			    text, why);
}

static void skip_blanks(const char **at)
{
	while (isspace((unsigned char)**at))
		++*at;
}

/* Takes the name of the leg, which is what stands before the last colon. */
static const char *take_leg(const char *text, char **leg)
{
	const char *colon = strrchr(text, ':'), *end = colon;

	if (!colon)
		return text;
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	skip_blanks(&text);
	*leg = end > text ? xstrndup(text, (size_t)(end - text)) : NULL;
	return colon + 1;
}

static bool take_figure(const char **at, enum compare_figure *out)
{
	size_t length;

	skip_blanks(at);
	length = strspn(*at, "abcdefghijklmnopqrstuvwxyz0123456789_");
	for (unsigned i = 0; i < FIGURES; i++) {
		if (strlen(compare_figure_names[i]) != length ||
		    strncmp(compare_figure_names[i], *at, length) != 0)
			continue;
		*at += length;
		*out = i;
		return true;
	}
	return false;
}

static bool take_order(const char **at, struct compare_condition *out)
{
	bool or_equal;

	skip_blanks(at);
	if (**at != '>' && **at != '<')
		return false;
	or_equal = (*at)[1] == '=';
	if (**at == '>')
		out->order = or_equal ? IS_AT_LEAST : IS_ABOVE;
	else
		out->order = or_equal ? IS_AT_MOST : IS_BELOW;
	*at += or_equal ? 2 : 1;
	return true;
}

#define NO_NUMBER "has no number that fits the figure"

/* Takes a number with `%', a count, or a time with its unit, and returns NULL
 * or what is wrong. A time without a unit is refused unless it is 0: 5 may be
 * meant as percent or as milliseconds. A blank before the `%' is allowed,
 * because messages of perftool have one. */
static const char *take_number(const char **at, struct compare_condition *out)
{
	const char *start, *percent;
	char *end;

	skip_blanks(at);
	start = *at;
	if (!isdigit((unsigned char)*start) && !strchr("+-.", *start))
		return NO_NUMBER;
	out->number = strtod(start, &end);
	if (end == start || !isfinite(out->number))
		return NO_NUMBER;
	percent = end;
	skip_blanks(&percent);
	out->is_percent = *percent == '%';
	if (out->is_percent) {
		*at = percent + 1;
		return NULL;
	}
	if (isalpha((unsigned char)*end)) {
		if (out->figure == FIGURE_COUNT)
			return NO_NUMBER;
		out->number = 0;
		while (duration_take(&start, false, &out->number))
			;
		end = (char *)start;
	} else if (out->figure != FIGURE_COUNT && out->number != 0 &&
		   !isalpha((unsigned char)*percent)) {
		return "has a time without a unit";
	}
	*at = end;
	return NULL;
}

static struct error *parse(const char *text, struct compare_condition *out)
{
	const char *at = take_leg(text, &out->leg), *why;

	if (at != text && !out->leg)
		return wrong(text, "has no leg before its colon");
	if (!take_figure(&at, &out->figure))
		return wrong(text, "names no figure that is compared");
	if (!take_order(&at, out))
		return wrong(text, "has none of >, >=, < and <= behind the "
				   "figure");
	why = take_number(&at, out);
	if (why)
		return wrong(text, why);
	skip_blanks(&at);
	if (*at)
		return wrong(text, "goes on behind the number");
	return NULL;
}

struct error *compare_condition_parse(const char *text,
				      struct compare_condition *out)
{
	struct compare_condition condition = {.text = xstrdup(text)};
	struct error *error = parse(text, &condition);

	if (error) {
		compare_condition_deinit(&condition);
		return error;
	}
	*out = condition;
	return NULL;
}

void compare_condition_deinit(struct compare_condition *condition)
{
	free(condition->text);
	free(condition->leg);
	*condition = (struct compare_condition){0};
}

bool compare_condition_concerns(const struct compare_condition *condition,
				const struct leg_comparison *leg)
{
	if (!condition->leg || str_equal(condition->leg, leg->name))
		return true;
	return str_is_glob(condition->leg) &&
	       fnmatch(condition->leg, leg->name, 0) == 0;
}

static bool in_order(const struct compare_condition *condition, double value)
{
	switch (condition->order) {
	case IS_ABOVE:
		return value > condition->number;
	case IS_AT_LEAST:
		return value >= condition->number;
	case IS_BELOW:
		return value < condition->number;
	case IS_AT_MOST:
		return value <= condition->number;
	}
	return false;
}

bool compare_condition_may_hold(const struct compare_condition *condition,
				const struct leg_comparison *leg)
{
	const struct estimate *estimate = &leg->figures[condition->figure];
	double percent =
		estimate_percent(estimate, estimate_difference(estimate));

	if (!condition->is_percent)
		return in_order(condition, estimate->after);
	/* a value that was 0 and is not any more has grown by more than any
	 * percentage */
	if (isnan(percent) && estimate->before == 0)
		percent = HUGE_VAL;
	return in_order(condition, percent);
}

bool compare_condition_holds(const struct compare_condition *condition,
			     const struct leg_comparison *leg)
{
	const struct estimate *estimate = &leg->figures[condition->figure];

	return compare_condition_may_hold(condition, leg) &&
	       (!condition->is_percent || estimate->verdict != VERDICT_NONE);
}
