/*
 * goroutine.h - what hits of goroutines ask of those: goroutine.c
 */
#ifndef PERFTOOL_MEASURE_GOROUTINE_H
#define PERFTOOL_MEASURE_GOROUTINE_H

#include "internal.h"

/* The goroutine that makes this hit, which the thread executes now. */
struct thread *enter_goroutine(struct measure *measure, struct thread *thread,
			       const struct hit *hit);
/* The hit as its goroutine has it: frames are told by their depth. */
struct hit goroutine_hit(const struct hit *hit);
/* It goes, from the maps of goroutines. */
void forget_goroutine(struct measure *measure, const struct thread *goroutine);
/* The maps themselves, of which none is left. */
void clear_goroutines(struct measure *measure);
void forget_goroutines_of(struct measure *measure, int32_t pid);

/* Does the goroutine of a hit, rather than its thread, hold the leg? */
static inline bool is_of_goroutine(struct leg *leg)
{
	struct leg_spec *spec = &leg->public.spec;

	if (spec->adapts && spec->owner == OWNER_THREAD)
		spec->owner = OWNER_GOROUTINE;
	return spec->owner == OWNER_GOROUTINE;
}

#endif
