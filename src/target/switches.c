/*
 * switches.c - reads the kernel's log of context switches; see
 * perftool/switches.h
 *
 * The log is the buffer of a software event that counts nothing. The kernel
 * writes a record into this buffer at every context switch of the thread.
 */
#include "perftool/switches.h"

#include <time.h>

struct error *switch_log_open(pid_t tid, size_t pages, struct perf_log *out)
{
	static const struct perf_log_kind kind = {
		.attr = {.type = PERF_TYPE_SOFTWARE,
			 .config = PERF_COUNT_SW_DUMMY,
			 .sample_type = PERF_SAMPLE_TIME,
			 .sample_id_all = 1,
			 .context_switch = 1,
			 .task = 1,
			 .exclude_kernel = 1,
			 .exclude_hv = 1,
			 .use_clockid = 1,
			 .clockid = CLOCK_MONOTONIC_RAW},
		.what = "context switches",
		.wakes = true};

	return perf_log_open(&kind, tid, pages, out);
}

bool switch_log_next(struct perf_log *log, struct switch_record *out)
{
	struct perf_record record;

	while (perf_log_next(log, &record)) {
		if (record.type == PERF_RECORD_LOST) {
			*out = (struct switch_record){.kind = SWITCH_LOST};
			return true;
		}
		if (record.type == PERF_RECORD_EXIT) {
			/* The kernel logs no switch after this. */
			*out = (struct switch_record){.kind = SWITCH_OFF,
						      .time = record.last};
			return true;
		}
		if (record.type != PERF_RECORD_SWITCH)
			continue;
		out->kind = record.misc & PERF_RECORD_MISC_SWITCH_OUT
				    ? SWITCH_OFF
				    : SWITCH_ON;
		out->is_preempted =
			out->kind == SWITCH_OFF &&
			record.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
		out->time = record.first;
		return true;
	}
	if (!log->was_full)
		return false;
	log->was_full = false;
	*out = (struct switch_record){.kind = SWITCH_LOST};
	return true;
}
