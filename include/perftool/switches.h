/*
 * switches.h - when the kernel gave a thread a CPU and took the CPU away again
 *
 * The kernel writes a log of these context switches (perf_event_open(2),
 * context_switch), and the tool reads it. If the tool does not read the log in
 * time, records are lost, and the log says so. A user may have logs of the
 * processes that the user may trace if perf_event_paranoid is 2 or less.
 */
#ifndef PERFTOOL_SWITCHES_H
#define PERFTOOL_SWITCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "perftool/base/error.h"
#include "perftool/perf_log.h"

enum switch_kind {
	SWITCH_OFF,
	SWITCH_ON,
	/* Records are missing here. Their kinds and their number are not
	 * known. */
	SWITCH_LOST,
};

struct switch_record {
	enum switch_kind kind;
	/* SWITCH_OFF: the thread was ready to run on, so it does not wait for
	 * anything but a CPU. */
	bool is_preempted;
	/* ns of CLOCK_MONOTONIC_RAW; unused for SWITCH_LOST */
	uint64_t time;
};

/* Begin to log the context switches of a thread: see perf_log_open(). */
struct error *switch_log_open(pid_t tid, size_t pages, struct perf_log *out);

/* Is there a record to read? When the tool sees an event of the thread, the
 * records of all earlier switches of the thread are in the log. */
static inline bool switch_log_has_more(const struct perf_log *log)
{
	return __atomic_load_n(&log->page->data_head, __ATOMIC_ACQUIRE) !=
		       log->tail ||
	       log->was_full;
}

/* Read the next record. False: there is none yet. */
bool switch_log_next(struct perf_log *log, struct switch_record *out);

#endif
