/* thread_activity.c - see thread_activity.h */
#include "thread_activity.h"

/* Counts the ticks that fell due before this time as those of the activity. */
static void count_until(struct due_ticks *ticks, enum activity activity,
			uint64_t time)
{
	while (ticks->seen < ticks->count &&
	       ticks->first + ticks->seen * ticks->period < time) {
		ticks->seen++;
		ticks->present += ticks->seen < ticks->count;
		ticks->last = activity;
	}
}

static enum activity activity_after(const struct switch_record *record)
{
	switch (record->kind) {
	case SWITCH_ON:
		return ACTIVITY_RUNS;
	case SWITCH_OFF:
		return record->is_preempted ? ACTIVITY_PREEMPTED
					    : ACTIVITY_WAITS;
	case SWITCH_LOST:
		break;
	}
	return ACTIVITY_UNKNOWN;
}

void due_ticks_switch(struct due_ticks *ticks, enum activity *activity,
		      const struct switch_record *record)
{
	const enum activity next = activity_after(record);

	/* (where records are missing, there is no time) */
	if (record->kind != SWITCH_LOST)
		count_until(ticks, *activity, record->time);
	if (next == *activity)
		return;
	if (*activity == ACTIVITY_RUNS && next == ACTIVITY_PREEMPTED) {
		ticks->ran = ticks->present;
	} else {
		ticks->over[ACTIVITY_RUNS] += ticks->ran;
		ticks->over[*activity] += ticks->present;
		ticks->ran = 0;
	}
	ticks->present = 0;
	*activity = next;
}

void due_ticks_end(struct due_ticks *ticks, enum activity activity)
{
	count_until(ticks, activity, UINT64_MAX);
}
