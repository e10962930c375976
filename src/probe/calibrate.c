/*
 * calibrate.c - what a break costs beyond what the tool can see
 *
 * The tool knows when it learned of a hit and when it let the thread go on.
 * The delivery of the trap before that and the wake-up after it are seen by
 * nobody; but the leg of an empty pair of sites consists of nothing else. So a
 * thread is driven through such a pair, in memory of ours, in the same run, on
 * the same CPUs, before its first instruction and again now and then: in
 * another run the figure would be off by microseconds (spec of probes).
 *
 *	from:	nop	<- int3		a leg from -> to is one wake-up
 *	to:	nop	<- int3		and one delivery
 *		jmp from
 *
 * While a calibration is under way its thread has all signals blocked but
 * SIGTRAP (a blocked one would be reset by the trap), and its registers are
 * here; every way out goes through finish().
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* From one to the next, in ns: soon at first, for a program's first hits show
 * it in another state than its start; then now and then. */
#define FIRST_INTERVAL 4000000u
#define LAST_INTERVAL 256000000u
/* All signals but SIGTRAP. */
#define MASK (~(1ULL << (SIGTRAP - 1)))
/* How much of the old figure a new batch leaves. */
#define MEMORY 0.7

static struct error *make_site(struct probe *probe, struct space *space,
			       struct thread *thread, uint64_t address,
			       enum purpose purpose)
{
	struct site *site;

	TRY(site_get(probe, space, thread, address, &site));
	if (!site->has_slot)
		return error_create(ERROR_OTHER, "no slot for calibration");
	site->purpose = purpose;
	return site_update(space, site);
}

struct error *calibrate_prepare(struct probe *probe, struct space *space,
				struct thread *thread)
{
	static const uint8_t code[] = {0x90, 0x90, 0xeb, 0xfc};
	uint64_t address;

	TRY(space_code(space, thread, code, sizeof(code), &address));
	TRY(make_site(probe, space, thread, address, SITE_CALIBRATE_FROM));
	TRY(make_site(probe, space, thread, address + 1, SITE_CALIBRATE_TO));
	space->calibrate_from = address;
	return NULL;
}

bool calibrate_is_due(const struct probe *probe, uint64_t now)
{
	return now >= probe->calibration.next && !probe->calibration.thread &&
	       probe->space->calibrate_from &&
	       !target_is_stopping(probe->target);
}

void calibrate_invalidate(struct probe *probe)
{
	probe->calibration.known = false;
	probe->calibration.next = 0;
	probe->calibration.interval = FIRST_INTERVAL;
}

struct error *calibrate_begin(struct probe *probe, struct thread *thread,
			      uint64_t pc, uint64_t arrival, uint32_t pairs)
{
	struct calibration *calibration = &probe->calibration;
	struct user_regs_struct regs;

	TRY(target_get_regs(thread, &calibration->regs));
	TRY(target_get_signal_mask(thread, &calibration->mask));
	calibration->regs.rip = pc;
	calibration->thread = thread;
	calibration->arrival = arrival;
	calibration->wanted = pairs;
	calibration->done = 0;
	calibration->from_resume = 0;
	TRY(target_set_signal_mask(thread, MASK));
	regs = calibration->regs;
	regs.rip = probe->space->calibrate_from;
	regs.orig_rax = UINT64_MAX;
	TRY(target_set_regs(thread, &regs));
	return thread->state == THREAD_STOPPED
		       ? target_resume(thread)
		       : target_deliver(thread, 0, NULL);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* The figure: the middle of the batch, without what interrupts did to it. */
static void learn(struct probe *probe)
{
	struct calibration *calibration = &probe->calibration;
	double *sample = calibration->samples, sum = 0, spread;
	size_t n = calibration->done, low = n / 10, high = n - n / 10;

	if (n < 8)
		return;
	qsort(sample, n, sizeof(*sample), compare);
	for (size_t i = low; i < high; i++)
		sum += sample[i];
	sum /= (double)(high - low);
	/* half of what the middle half of the samples spans */
	spread = (sample[n * 3 / 4] - sample[n / 4]) / 2;
	if (calibration->known) {
		sum = MEMORY * calibration->cost + (1 - MEMORY) * sum;
		spread = MEMORY * calibration->spread + (1 - MEMORY) * spread;
	}
	calibration->cost = sum;
	calibration->spread = spread;
	calibration->known = true;
	probe->ops.calibrated(probe->ops.context, sum, spread);
}

/* Give the thread back to the program; the caller resumes it. */
static struct error *finish(struct probe *probe)
{
	struct calibration *calibration = &probe->calibration;
	struct thread *thread = calibration->thread;
	double cost = calibration->cost;

	learn(probe);
	calibration->thread = NULL;
	TRY(target_set_signal_mask(thread, calibration->mask));
	TRY(target_set_regs(thread, &calibration->regs));
	if (!calibration->arrival) {
		/* at the start: due again at the first hit */
		placement_calibrate(probe, thread->process, false);
		calibrate_invalidate(probe);
		return NULL;
	}
	calibration->next = clock_now(probe->clock) + calibration->interval;
	if (calibration->interval < LAST_INTERVAL)
		calibration->interval *= 2;
	probe->finished =
		(struct finished_stop){.thread = thread,
				       .is_break = true,
				       .arrival = calibration->arrival,
				       .resume = clock_now(probe->clock),
				       .cost = cost};
	return NULL;
}

struct error *calibrate_trap(struct probe *probe, const struct event *event,
			     struct site *site)
{
	struct calibration *calibration = &probe->calibration;
	struct thread *thread = event->thread;

	if (thread != calibration->thread)
		/* nobody else has business there */
		return error_create(ERROR_OTHER,
				    "thread %d is in calibration code",
				    thread->tid);
	if (site->purpose == SITE_CALIBRATE_FROM)
		return target_resume_at(thread, site->slot.address,
					&calibration->from_resume);
	if (calibration->done < MOST_PAIRS)
		calibration->samples[calibration->done++] =
			(double)event->time - (double)calibration->from_resume;
	if (calibration->done >= calibration->wanted ||
	    target_is_stopping(probe->target)) {
		TRY(finish(probe));
		return target_deliver(thread, 0, NULL);
	}
	return target_resume_at(thread, site->slot.address, NULL);
}

struct error *calibrate_stopped(struct probe *probe)
{
	return probe->calibration.thread ? finish(probe) : NULL;
}

void calibrate_forget(struct probe *probe, const struct thread *thread)
{
	if (probe->calibration.thread == thread)
		probe->calibration.thread = NULL;
}
