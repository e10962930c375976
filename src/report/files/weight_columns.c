/* weight_columns.c - see weight_columns.h */
#include "weight_columns.h"

#include <math.h>

static const struct weight_column by_reason[SAMPLE_REASONS] = {
	[SAMPLE_TICK] = {"ticks", "ticks"},
	[SAMPLE_FAULT_MINOR] = {"minor", "minor page faults"},
	[SAMPLE_FAULT_MAJOR] = {"major", "major page faults"},
	[SAMPLE_ALLOCATION] = {"allocations", "allocations"},
	[SAMPLE_CREATED] = {"created", "mappings created"},
	[SAMPLE_DELETED] = {"deleted", "mappings deleted"},
	[SAMPLE_GROWN] = {"grown", "mappings grown"},
	[SAMPLE_SHRUNK] = {"shrunk", "mappings shrunk"},
	[SAMPLE_BREAK] = {"breaks", "breaks"},
};
static const struct weight_column words = {"words", "words allocated"};

static bool watches(const struct profile *profile, const char *what)
{
	const char *watch = profile->measurement.watch;

	return watch && str_equal(watch, what);
}

/* The set of reasons, as bits. */
static unsigned reasons_of(const struct profile *profile)
{
	const struct call_stacks *stacks = profile->stacks;
	unsigned reasons = 0;

	for (size_t i = 0; stacks && i < stacks->samples.count; i++)
		reasons |= 1U << stacks->samples.data[i].reason;
	if (reasons)
		return reasons;
	if (watches(profile, "pagefaults"))
		return 1U << SAMPLE_FAULT_MINOR | 1U << SAMPLE_FAULT_MAJOR;
	if (watches(profile, "allocations") || watches(profile, "words"))
		return 1U << SAMPLE_ALLOCATION;
	if (watches(profile, "spaces"))
		return 1U << SAMPLE_CREATED | 1U << SAMPLE_DELETED;
	if (watches(profile, "breaks"))
		return 1U << SAMPLE_BREAK;
	return 1U << SAMPLE_TICK;
}

void weight_columns_init(struct weight_columns *columns,
			 const struct profile *profile)
{
	unsigned reasons = reasons_of(profile);
	double rate = profile->measurement.rate;

	*columns = (struct weight_columns){.count = 0};
	for (size_t i = 0; i < SAMPLE_REASONS; i++) {
		if (!(reasons & 1U << i))
			continue;
		columns->of[i] = columns->count;
		columns->list[columns->count++] =
			i == SAMPLE_ALLOCATION && watches(profile, "words")
				? words
				: by_reason[i];
	}
	if (reasons == 1U << SAMPLE_TICK && rate > 0) {
		columns->ns = 1e9 / rate;
		columns->list[0] = (struct weight_column){"ns", "nanoseconds"};
	}
}

uint64_t weight_cost(const struct weight_columns *columns, uint64_t weight)
{
	return columns->ns > 0 ? (uint64_t)llround((double)weight * columns->ns)
			       : weight;
}
