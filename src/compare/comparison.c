/*
 * comparison.c - the words of a comparison, and its memory
 */
#include "perftool/compare.h"

const char *const compare_figure_names[FIGURES] = {[FIGURE_COUNT] = "count",
						   [FIGURE_TOTAL] = "total",
						   [FIGURE_MEAN] = "mean",
						   [FIGURE_P50] = "p50",
						   [FIGURE_P99] = "p99"};

void comparison_deinit(struct comparison *comparison)
{
	vec_free(&comparison->legs);
	vec_free(&comparison->only_before);
	vec_free(&comparison->only_after);
}

/* All bootstraps of a comparison together draw about so often, if there are
 * very many legs. */
#define DRAWS_OF_ALL 10000000

size_t comparison_resamples(size_t legs)
{
	size_t share = DRAWS_OF_ALL / (legs ? legs : 1);

	return share > RESAMPLES       ? RESAMPLES
	       : share < RESAMPLES_MIN ? RESAMPLES_MIN
				       : share;
}

void comparison_leg(const struct comparison *comparison, size_t index,
		    struct leg_comparison *out)
{
	comparison->compare(comparison, &comparison->legs.data[index],
			    comparison_resamples(comparison->legs.count), out);
}

void comparison_values(const struct comparison *comparison, size_t index,
		       struct leg_comparison *out)
{
	comparison->compare(comparison, &comparison->legs.data[index], 0, out);
}

const char *verdict_word(enum verdict verdict, enum compare_figure figure)
{
	bool is_count = figure == FIGURE_COUNT;

	switch (verdict) {
	case VERDICT_NONE:
		return "none";
	case VERDICT_SAME:
		return "same";
	case VERDICT_LESS:
		return is_count ? "fewer" : "faster";
	case VERDICT_MORE:
		return is_count ? "more" : "slower";
	case VERDICT_UNKNOWN:
		break;
	}
	return "unknown";
}
