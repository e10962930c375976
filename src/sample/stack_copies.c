/*
 * stack_copies.c - how much of a stack the kernel copies at a tick or a fault
 *
 * The smaller the copies, the more records have room in a log, the less often
 * the tool has to read it, and the less of the program's data leaves the cache.
 * So the tool has the kernel copy more if stacks do not fit, and less if they
 * have used but a part of the copies. The size of a record is limited to 64
 * KiB, so a thread with deeper stacks is stopped at each tick (WATCH_STOPS).
 */
#include "sampler_state.h"

#define LEAST_COPY 1024
/* After how many stacks in a row that do not fit in the largest copy, or would
 * fit, the thread is stopped at each tick, or is not any more. */
#define CUTS 2
#define FITS 64
/* After how many records whose stacks fit the tool is not woken up at each. */
#define SETTLING 16
/* After so many stacks of ticks that have used but a part of their copies, the
 * copies become smaller. This number doubles each time when they have become
 * too small, but not more often than that. */
#define TRIES 128u
#define REGRETS 10

/* Watch the thread in another way from the end of this drain on. */
static void want(struct watched *watched, enum watch_mode mode, size_t copied)
{
	watched->wants_change = true;
	watched->wanted_mode = mode;
	watched->wanted_copy = copied;
}

/* How much to copy if `needed` bytes were enough. */
static size_t sufficient(size_t needed)
{
	size_t size = (needed + needed / 2 + LEAST_COPY) & ~(size_t)7;

	return size < MOST_COPY ? size : MOST_COPY;
}

static bool is_of_ticks(const struct sampler *sampler)
{
	return sampler->how.event == SAMPLED_TICKS;
}

/* Note that stacks fit again, after one that did not, or at the beginning. */
static void settle(const struct sampler *sampler, struct watched *watched)
{
	watched->cut = 0;
	watched->fits++;
	if (watched->is_settled || watched->fits < SETTLING)
		return;
	watched->is_settled = true;
	if (!is_of_ticks(sampler))
		want(watched, WATCH_COPIES, sufficient(watched->needed));
}

/* A tick's stack was in the copy. Ticks are few, and their stacks differ, so
 * their copies shrink late, and leave more room. */
static void try_less(struct watched *watched)
{
	size_t size = sufficient(watched->needed + LEAST_COPY);

	if (++watched->tried < TRIES << watched->regretted)
		return;
	if (size <= watched->copied / 2)
		want(watched, WATCH_COPIES, size);
	watched->tried = 0;
	watched->needed = 0;
}

void stack_copies_fit(const struct sampler *sampler, struct watched *watched,
		      size_t used)
{
	if (used > watched->needed)
		watched->needed = used;
	if (watched->wants_change || sampler->copy.is_fleeting)
		return;
	if (watched->cut || !watched->is_settled)
		settle(sampler, watched);
	else if (is_of_ticks(sampler))
		try_less(watched);
}

void stack_copies_cut(const struct sampler *sampler, struct watched *watched,
		      bool has_left)
{
	size_t copied = watched->copied, most = watched->most_copy;

	/* Go's scheduler is left so soon that a thread that is stopped for a
	 * tick is found behind it, in a wait. */
	if (sampler->copy.is_fleeting)
		return;
	watched->cut++;
	watched->fits = 0;
	if (watched->wants_change)
		return;
	watched->is_settled = false;
	/* Another stack, such as that of the code that a signal has
	 * interrupted, is never in the copy. */
	if (copied < most && !has_left && !sampler->copy.is_elsewhere) {
		want(watched, WATCH_COPIES,
		     copied * 4 < most ? copied * 4 : most);
		watched->regretted += watched->regretted < REGRETS;
		watched->tried = 0;
	} else if (watched->cut >= CUTS && is_of_ticks(sampler)) {
		want(watched, WATCH_STOPS, 0);
	}
}

void stack_copies_stopped(struct watched *watched, uint64_t size)
{
	watched->fits = size < watched->most_copy / 2 ? watched->fits + 1 : 0;
	if (watched->fits >= FITS)
		want(watched, WATCH_COPIES, watched->most_copy);
}
