/* cpu_times.c - see perftool/profile/cpu_times.h */
#include "perftool/profile/cpu_times.h"

static int64_t in_proportion(int64_t part, int64_t of, int64_t to)
{
	return of > 0 ? (int64_t)((__int128)part * to / of) : 0;
}

static void take(struct call_times *times)
{
	const int64_t inner = times->elapsed - times->outermost;

	times->elapsed -= times->waiting;
	if (times->outermost > 0)
		times->elapsed -=
			in_proportion(times->waiting, times->outermost, inner);
	else
		/* All calls are recursive ones. */
		times->elapsed -= times->self_waiting;
	times->self -= times->self_waiting;
	times->outermost -= times->waiting;
	times->waiting = times->self_waiting = 0;
}

void cpu_times_take(struct call_arcs *arcs)
{
	for (size_t i = 0; i < arcs->list.count; i++)
		take(&arcs->list.data[i].times);
	take(&arcs->other);
}

void cpu_times_copy(const struct call_arcs *arcs, struct call_arcs *out)
{
	out->limit = arcs->limit;
	out->other = arcs->other;
	out->others = arcs->others;
	for (size_t i = 0; i < arcs->list.count; i++)
		vec_push(&out->list, arcs->list.data[i]);
	cpu_times_take(out);
}
