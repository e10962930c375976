/*
 * expectation.c - find the figures of an expectation in the tables, and check
 * whether the expectation is met
 */
#include "expectation.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/duration.h"

#include "command/arguments.h"
#include "expectation_range.h"

/* ---- which legs and nodes are meant ---------------------------------------
 */

enum { MOST_NAMES = 5 };

/* Returns the edit distance between the typed name and the nearest name of a
 * leg. If no name is near enough, returns the largest distance at which the
 * user may still have meant a name. */
static size_t least_distance(const char *typed, const struct tables *tables)
{
	size_t least = strlen(typed) / 4 + 1;

	for (size_t i = 0; i < tables->leg_count; i++) {
		size_t distance = str_distance(typed, tables->legs[i].name);

		least = distance < least ? distance : least;
	}
	return least;
}

/* Appends the names of legs that the user may have meant by the typed name,
 * separated by commas. These are the names with a similar spelling, and the
 * names that contain the typed text, because users often type a part of a name.
 */
static void append_near(const char *typed, const struct tables *tables,
			struct str *out)
{
	size_t least = least_distance(typed, tables), count = 0;

	for (size_t i = 0; i < tables->leg_count; i++) {
		const char *name = tables->legs[i].name;

		if (!(*typed && strcasestr(name, typed)) &&
		    str_distance(typed, name) > least)
			continue;
		if (count++ == MOST_NAMES) {
			str_append(out, ", ...");
			return;
		}
		str_printf(out, "%s\"%s\"", count > 1 ? ", " : "", name);
	}
}

static struct error *no_leg(const struct figure *figure,
			    const struct tables *tables)
{
	struct str near = {0};
	struct error *error;

	if (figure->name)
		append_near(figure->name, tables, &near);
	if (!tables->leg_count)
		error = error_create(ERROR_NOT_FOUND,
				     "there is no %s: there are no legs",
				     figure->owner);
	else if (near.length)
		error = error_create(ERROR_NOT_FOUND,
				     "there is no %s: did you mean %s?",
				     figure->owner, str_text(&near));
	else
		error = error_create(
			ERROR_NOT_FOUND,
			"there is no %s: `print legs' lists the legs",
			figure->owner);
	str_deinit(&near);
	return error;
}

static struct error *several_legs(const struct figure *figure,
				  const struct tables *tables)
{
	struct str numbers = {0};
	struct error *error;
	size_t count = 0;

	for (size_t i = 0; i < tables->leg_count; i++)
		if (str_equal(tables->legs[i].name, figure->name) &&
		    count++ < MOST_NAMES)
			str_printf(&numbers, "%sleg(%" PRIu32 ")",
				   count > 1 ? ", " : "",
				   tables->legs[i].stats->id);
	error = error_create(ERROR_USAGE, "%s is ambiguous: %s%s have the name",
			     figure->owner, str_text(&numbers),
			     count > MOST_NAMES ? ", ..." : "");
	str_deinit(&numbers);
	return error;
}

static struct error *find_leg(const struct figure *figure,
			      const struct tables *tables,
			      const struct report_leg **leg)
{
	size_t count = 0;

	for (size_t i = 0; i < tables->leg_count; i++) {
		const struct report_leg *at = &tables->legs[i];

		if (figure->name ? !str_equal(at->name, figure->name)
				 : at->stats->id != figure->id)
			continue;
		*leg = at;
		count++;
	}
	if (!count)
		return no_leg(figure, tables);
	return count > 1 ? several_legs(figure, tables) : NULL;
}

static struct error *find_node(const struct figure *figure,
			       const struct tables *tables,
			       const struct report_node **node)
{
	for (size_t i = 0; i < tables->node_count; i++) {
		if (tables->nodes[i].stats->id != figure->id)
			continue;
		*node = &tables->nodes[i];
		return NULL;
	}
	return error_create(ERROR_NOT_FOUND, "there is no %s: %s",
			    figure->owner,
			    tables->node_count ? "`print nodes' lists the nodes"
					       : "there are no nodes");
}

/* ---- figures --------------------------------------------------------------
 */

/* The value of a figure in the tables. If the value is not known, `why` tells
 * the reason. */
struct found {
	struct range range;
	struct str why;
	bool is_count;
};

static void deinit_found(struct found *found, size_t count)
{
	for (size_t i = 0; i < count; i++)
		str_deinit(&found[i].why);
	free(found);
}

/* Finds the value of a leg's figure, which may be too small for the clock
 * (below the resolution). The range of such a value goes from 0 to the
 * resolution. */
static void find_bounded(const struct figure *figure,
			 const struct report_leg *leg, long double value,
			 long double resolution, struct found *found)
{
	if (!leg->below_resolution) {
		found->range = range_exactly(value);
		return;
	}
	found->range = (struct range){true, 0, resolution};
	str_printf(&found->why, "%s is less than ", figure->text);
	report_duration((double)resolution, &found->why);
	str_append(&found->why, ", and not known more exactly");
}

static void find_quantile(const struct report_leg *leg, double q,
			  struct found *found)
{
	double value = 0;

	if (measure_leg_quantile(leg->stats, q, &value))
		found->range = range_exactly(value);
}

static void find_time(const struct figure *figure, const struct report_leg *leg,
		      struct found *found)
{
	const struct measure_leg *stats = leg->stats;

	switch (figure->member) {
	case MEMBER_TOTAL:
		find_bounded(figure, leg, (long double)stats->total,
			     (long double)leg->resolution *
				     (long double)stats->count,
			     found);
		break;
	case MEMBER_MEAN:
		find_bounded(figure, leg, stats->mean, leg->resolution, found);
		break;
	case MEMBER_MIN:
		found->range = range_exactly((long double)stats->min);
		break;
	case MEMBER_MAX:
		found->range = range_exactly((long double)stats->max);
		break;
	case MEMBER_P50:
		find_quantile(leg, 0.5, found);
		break;
	case MEMBER_P90:
		find_quantile(leg, 0.9, found);
		break;
	case MEMBER_P99:
		find_quantile(leg, 0.99, found);
		break;
	case MEMBER_P999:
		find_quantile(leg, 0.999, found);
		break;
	case MEMBER_COUNT:
	case MEMBER_OPEN:
		break;
	}
}

/* Is the figure computed from all executions, including the interrupted ones
 * (the program was stopped for the user during the execution)? The minimum, the
 * maximum and the percentiles leave out interrupted executions. */
static bool is_of_all(enum member member)
{
	return member == MEMBER_TOTAL || member == MEMBER_MEAN;
}

static void find_in_leg(const struct figure *figure,
			const struct report_leg *leg, struct found *found)
{
	const struct measure_leg *stats = leg->stats;

	if (figure->member == MEMBER_COUNT || figure->member == MEMBER_OPEN) {
		found->is_count = true;
		found->range = range_exactly(
			(long double)(figure->member == MEMBER_OPEN
					      ? stats->open
					      : stats->count));
	} else if (!stats->count) {
		str_printf(&found->why, "%s has not been executed",
			   figure->owner);
	} else if (stats->count == stats->interrupted &&
		   !is_of_all(figure->member)) {
		str_printf(&found->why,
			   "%s is not known, because the program was stopped "
			   "during all executions",
			   figure->text);
	} else {
		find_time(figure, leg, found);
	}
}

static struct error *find_figure(const struct figure *figure,
				 const struct tables *tables,
				 struct found *found)
{
	const struct report_node *node = NULL;
	const struct report_leg *leg = NULL;

	if (figure->of_leg) {
		TRY(find_leg(figure, tables, &leg));
		find_in_leg(figure, leg, found);
		return NULL;
	}
	TRY(find_node(figure, tables, &node));
	found->is_count = true;
	found->range = range_exactly((long double)node->stats->count);
	return NULL;
}

/* ---- the machine ----------------------------------------------------------
 */

static struct range evaluate(const struct expectation *expectation,
			     const struct found *found)
{
	VEC(struct range) stack = {0};
	struct range result;

	for (size_t i = 0; i < expectation->code.count; i++) {
		const struct instruction *at = &expectation->code.data[i];
		struct range *top =
			stack.count ? &stack.data[stack.count - 1] : NULL;

		switch (at->operation) {
		case OPERATION_NUMBER:
			vec_push(&stack, range_exactly(at->number));
			break;
		case OPERATION_FIGURE:
			vec_push(&stack, found[at->figure].range);
			break;
		case OPERATION_NEGATE:
			*top = range_negation(top);
			break;
		case OPERATION_NOT:
			*top = range_not(top);
			break;
		default:
			top[-1] = range_binary(at->operation, top - 1, top);
			stack.count--;
			break;
		}
	}
	result = stack.data[0];
	vec_free(&stack);
	return range_truth(&result);
}

/* ---- what is told ---------------------------------------------------------
 */

/* Rounds a time to three digits, as the tables show it. A figure that is not a
 * time, or that is not exactly known, keeps its range. */
static void round_time(const struct found *exact, struct found *rounded)
{
	struct str text = {0};
	const char *at;
	double ns = 0;

	*rounded = (struct found){.range = exact->range};
	if (exact->is_count || !range_is_exact(&exact->range))
		return;
	report_duration((double)exact->range.low, &text);
	at = str_text(&text);
	if (duration_take(&at, false, &ns))
		rounded->range = range_exactly(ns);
	str_deinit(&text);
}

/* Would the check of the expectation have the same result if each time had only
 * three digits? If not, the message needs all digits: a time of 3.004ms is not
 * less than 3ms, and "3.00ms" would not show why. */
static bool can_round(const struct expectation *expectation,
		      const struct found *found)
{
	size_t count = expectation->figures.count;
	struct found *rounded = xcalloc(count + 1, sizeof(*rounded));
	struct range exact = evaluate(expectation, found), other;

	for (size_t i = 0; i < count; i++)
		round_time(&found[i], &rounded[i]);
	other = evaluate(expectation, rounded);
	deinit_found(rounded, count);
	return range_is_true(&exact) == range_is_true(&other) &&
	       range_is_false(&exact) == range_is_false(&other);
}

static void describe(const struct figure *figure, const struct found *found,
		     bool round, struct str *out)
{
	if (found->why.length) {
		str_append(out, str_text(&found->why));
		return;
	}
	str_printf(out, "%s is ", figure->text);
	if (!found->range.is_known)
		str_append(out, "not known");
	else if (found->is_count)
		report_number((__int128)found->range.low, out);
	else if (round)
		report_duration((double)found->range.low, out);
	else
		str_printf(out, "%.15Lgns", found->range.low);
}

/* Appends a text unless it stands in `out` after `start` already. The
 * expectation may use a figure twice, and several figures may be unknown for
 * the same reason. */
static void add_text(struct str *out, size_t start, const char *text)
{
	const char *before = str_text(out) + start;

	if (out->length > start) {
		if (strstr(before, text))
			return;
		str_append(out, ", ");
	}
	str_append(out, text);
}

static void tell(const struct expectation *expectation,
		 const struct found *found, const struct range *result,
		 struct str *out)
{
	bool round = can_round(expectation, found), all_known = true;
	size_t start = out->length;

	for (size_t i = 0; i < expectation->figures.count; i++) {
		struct str text = {0};

		describe(&expectation->figures.data[i], &found[i], round,
			 &text);
		add_text(out, start, str_text(&text));
		all_known &= range_is_exact(&found[i].range);
		str_deinit(&text);
	}
	if (!result->is_known && all_known)
		add_text(out, start,
			 "the result is not a number (a division by 0?)");
	else if (!expectation->figures.count)
		add_text(out, start,
			 range_is_true(result)
				 ? "the expression is always true"
				 : "the expression is never true");
}

struct error *expectation_check(const struct expectation *expectation,
				const struct tables *tables, bool *met,
				struct str *found)
{
	size_t count = expectation->figures.count;
	struct found *values = xcalloc(count + 1, sizeof(*values));
	struct error *error = NULL;
	struct range result;

	for (size_t i = 0; !error && i < count; i++)
		error = find_figure(&expectation->figures.data[i], tables,
				    &values[i]);
	if (!error) {
		result = evaluate(expectation, values);
		*met = range_is_true(&result);
		tell(expectation, values, &result, found);
	}
	deinit_found(values, count);
	return error;
}
