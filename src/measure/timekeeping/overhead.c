/* overhead.c - implements overhead.h */
#include "overhead.h"

#include <string.h>

void overhead_zero(struct overhead *overhead, double now)
{
	*overhead = (struct overhead){.zero = now, .settled = now};
}

/* Makes room for more intervals: the older half of the intervals becomes
 * final. */
static void settle(struct overhead *overhead)
{
	size_t old = overhead->count / 2;

	overhead->settled = overhead->recent[old - 1].to;
	overhead->count -= old;
	memmove(overhead->recent, overhead->recent + old,
		overhead->count * sizeof(*overhead->recent));
}

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

/* Puts `held` in the place of the intervals `low` to `high` - 1, which `held`
 * touches. */
static void replace(struct overhead *overhead, size_t low, size_t high,
		    struct held held)
{
	memmove(overhead->recent + low + 1, overhead->recent + high,
		(overhead->count - high) * sizeof(*overhead->recent));
	overhead->recent[low] = held;
	overhead->count = overhead->count - (high - low) + 1;
}

void overhead_add_any(struct overhead *overhead, double from, double to)
{
	size_t low, high;
	struct held held;
	double gain;

	from = larger(from, overhead->zero);
	if (to <= from)
		return;
	overhead->sum += to - from;
	if (overhead->count >= OVERHEAD_RECENT)
		settle(overhead);
	from = larger(from, overhead->settled);
	if (to <= from)
		return;
	held = (struct held){from, to};
	gain = to - from;
	high = overhead->count;
	while (high > 0 && overhead->recent[high - 1].from > held.to)
		high--;
	low = high;
	while (low > 0 && overhead->recent[low - 1].to >= held.from) {
		const struct held *other = &overhead->recent[--low];

		gain -= smaller(to, other->to) - larger(from, other->from);
		held.from = smaller(held.from, other->from);
		held.to = larger(held.to, other->to);
	}
	overhead->together += gain;
	replace(overhead, low, high, held);
}
