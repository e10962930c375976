/*
 * perf_log.h - logs that the kernel writes about a thread (perf_event_open(2)):
 * its context switches (switches.h), samples of its pc (pc_samples.h), or its
 * stacks (perftool/sample.h)
 */
#ifndef PERFTOOL_PERF_LOG_H
#define PERFTOOL_PERF_LOG_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "perftool/base/error.h"

/* If all members are zero, the log is not open. */
struct perf_log {
	struct perf_event_mmap_page *page;
	uint64_t size; /* bytes of the data that follow the page */
	uint64_t tail; /* how many bytes the tool has read so far */
	/* There was a time when the kernel may have found no room for a record.
	 * The reader sets it back. (The kernel writes a record of what it has
	 * lost only before the next record that finds room, and there may be no
	 * such record.) */
	bool was_full;
	/* The file descriptor of the event, if its kind keeps it. */
	bool has_file;
	int file;
};

struct perf_log_kind {
	/* what is logged; perf_log_open() sets `size`, and the watermark to a
	 * quarter of the log, if it is 0 or more */
	struct perf_event_attr attr;
	const char *what; /* the same, for messages */
	/* The kernel interrupts target_wait() at each sample, and a few times
	 * while a log of other records fills up. */
	bool wakes;
	bool keeps_file;
};

struct perf_record {
	uint32_t type;  /* PERF_RECORD_... */
	uint16_t misc;  /* PERF_RECORD_MISC_... */
	uint64_t first; /* the first word behind the record's header */
	uint64_t last;  /* the last word of the record */
};

/*
 * Begin to log what a thread does. The log has room for about `pages` pages of
 * records; `pages` is a power of 2. The log gets fewer pages if the kernel does
 * not allow so many. No file descriptor stays open, unless the kind keeps it.
 * The error says why the log cannot be opened; ERROR_GONE: the thread has
 * ended. The caller frees the log with perf_log_close().
 */
struct error *perf_log_open(const struct perf_log_kind *kind, pid_t tid,
			    size_t pages, struct perf_log *out);
void perf_log_close(struct perf_log *log);

/* Read the next record. False: there is none yet. */
bool perf_log_next(struct perf_log *log, struct perf_record *out);

/* Look at the next record as a whole. It is in the log itself, or in `buffer`
 * (PERF_RECORD_MOST bytes) if it continues at the beginning of the log. It is
 * valid until perf_log_pass(), which gives its room back to the kernel. NULL:
 * there is none yet. */
#define PERF_RECORD_MOST 65536
const struct perf_event_header *perf_log_look(const struct perf_log *log,
					      void *buffer);
void perf_log_pass(struct perf_log *log);

/* Is there a record that the tool has not read? */
bool perf_log_has_record(const struct perf_log *log);

/* Have the kernel interrupt target_wait() at each sample from now on, or not
 * any more. False: it cannot be changed, because the log has no file descriptor
 * any more. After a change to true, the caller looks whether there are records
 * already. */
bool perf_log_set_wakes(struct perf_log *log, bool wakes);

/* For how many bytes is there room in the log? */
size_t perf_log_room(const struct perf_log *log);

/* Tells the kernel to stop writing records into the log. */
void perf_log_halt(struct perf_log *log);

/* Close the file descriptor, if it is open. The log goes on. */
void perf_log_close_file(struct perf_log *log);

#endif
