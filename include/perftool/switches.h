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

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "perftool/base/error.h"

/* If all members are zero, the log is not open. */
struct switch_log {
	struct perf_event_mmap_page *page;
	uint64_t size; /* bytes of the data that follow the page */
	uint64_t tail; /* how many bytes the tool has read so far */
	/* since the last SWITCH_LOST, the kernel may have found no room for a
	 * record */
	bool was_full;
};

enum switch_kind {
	SWITCH_OFF,
	SWITCH_ON,
	/* Records are missing here. Their kinds and their number are not
	 * known. */
	SWITCH_LOST,
};

struct switch_record {
	enum switch_kind kind;
	/* ns of CLOCK_MONOTONIC_RAW; unused for SWITCH_LOST */
	uint64_t time;
};

/*
 * Begin to log the context switches of a thread. The log has room for about
 * `pages` pages of records; `pages` is a power of 2. The log gets fewer pages
 * if the kernel does not allow so many. While the log fills up, the kernel
 * interrupts target_wait() a few times. No file descriptor stays open. The
 * error says why the log cannot be opened; ERROR_GONE: the thread has ended.
 * The caller frees the log with switch_log_close().
 */
struct error *switch_log_open(pid_t tid, size_t pages, struct switch_log *out);
void switch_log_close(struct switch_log *log);

/* Is there a record to read? When the tool sees an event of the thread, the
 * records of all earlier switches of the thread are in the log. */
static inline bool switch_log_has_more(const struct switch_log *log)
{
	return __atomic_load_n(&log->page->data_head, __ATOMIC_ACQUIRE) !=
		       log->tail ||
	       log->was_full;
}

/* Read the next record. False: there is none yet. */
bool switch_log_next(struct switch_log *log, struct switch_record *out);

#endif
