/*
 * switches.h - when a thread was given a CPU and taken off it, as the kernel
 * tells
 *
 * A log is written by the kernel (perf_event_open(2), context_switch) and read
 * here; what is not read in time is lost, which is told. A user may have logs
 * of what he may trace, at a perf_event_paranoid of 2 and below.
 */
#ifndef PERFTOOL_SWITCHES_H
#define PERFTOOL_SWITCHES_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "perftool/base/error.h"

/* All zero: a log that is not open. */
struct switch_log {
	struct perf_event_mmap_page *page;
	uint64_t size; /* of the data behind the page */
	uint64_t tail; /* what was read so far */
	bool was_full; /* something may have found no room since */
};

enum switch_kind {
	SWITCH_OFF,
	SWITCH_ON,
	/* Some are missing here, of which kind and how many is not known. */
	SWITCH_LOST,
};

struct switch_record {
	enum switch_kind kind;
	uint64_t time; /* ns of CLOCK_MONOTONIC_RAW; not of SWITCH_LOST */
};

/*
 * Begin to log a thread's switches, with room for some `pages` of records, a
 * power of 2; fewer when no more are to be had. As the room fills up
 * target_wait() is interrupted, some times. No file stays open. The error says
 * why it cannot be; ERROR_GONE: the thread has ended.
 */
struct error *switch_log_open(pid_t tid, size_t pages, struct switch_log *out);
void switch_log_close(struct switch_log *log);

/* Is there something to read? What a thread has done before anything that is
 * seen of it is there. */
static inline bool switch_log_has_more(const struct switch_log *log)
{
	return __atomic_load_n(&log->page->data_head, __ATOMIC_ACQUIRE) !=
		       log->tail ||
	       log->was_full;
}

/* The next record; false: there is none yet. */
bool switch_log_next(struct switch_log *log, struct switch_record *out);

#endif
