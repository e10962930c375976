/*
 * switches.c - reads the kernel's log of context switches; see
 * perftool/switches.h
 *
 * The log is the buffer of a software event that counts nothing. The kernel
 * writes a record into this buffer at every context switch of the thread. The
 * mapping of the buffer keeps the event alive, so the tool closes the file
 * descriptor of the event: a program may have more threads than the tool may
 * have open files.
 */
#include "perftool/switches.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "target_state.h"

#define PAGE 4096
/* More bytes than the kernel writes at once: a record, and a record that tells
 * how many records were lost. */
#define LARGEST 64

static int open_event(pid_t tid, size_t pages)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.context_switch = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC_RAW,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)(pages * PAGE / 4),
	};

	return (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

/* The value of perf_event_paranoid; -2: it cannot be read. */
static int paranoia(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = -2;

	if (!file)
		return level;
	if (fscanf(file, "%d", &level) != 1)
		level = -2;
	fclose(file);
	return level;
}

static struct error *explain_open(int errno_value)
{
	int level = paranoia();

	switch (errno_value) {
	case ESRCH:
		return error_create(ERROR_GONE, "the thread has ended");
	case EACCES:
	case EPERM:
		if (level > 2)
			return error_create(
				ERROR_OTHER,
				"the kernel does not report context switches "
				"(kernel.perf_event_paranoid is %d, and "
				"perftool does not have CAP_PERFMON)",
				level);
		return error_create(ERROR_OTHER,
				    "the kernel, or a filter of the container, "
				    "forbids perf_event_open(2)");
	case ENOSYS:
	case ENOENT:
	case EINVAL:
	case EOPNOTSUPP:
		return error_create(
			ERROR_OTHER,
			"this kernel cannot report context switches");
	default:
		return error_system(errno_value, "perf_event_open");
	}
}

/* Have the kernel send a signal when records come. The signal interrupts the
 * wait for events, as a tick does. */
static void wake_by(int file)
{
	const struct f_owner_ex self = {.type = F_OWNER_TID, .pid = gettid()};

	target_catch_tick();
	/* if this fails, the tool reads the log at the next tick */
	if (fcntl(file, F_SETOWN_EX, &self) == 0 &&
	    fcntl(file, F_SETSIG, SIGALRM) == 0)
		fcntl(file, F_SETFL, O_ASYNC | O_NONBLOCK);
}

struct error *switch_log_open(pid_t tid, size_t pages, struct switch_log *out)
{
	int file = open_event(tid, pages);
	void *memory = MAP_FAILED;

	*out = (struct switch_log){0};
	if (file < 0)
		return explain_open(errno);
	for (; pages && memory == MAP_FAILED; pages /= 2) {
		out->size = pages * PAGE;
		memory = mmap(NULL, PAGE + out->size, PROT_READ | PROT_WRITE,
			      MAP_SHARED, file, 0);
	}
	if (memory == MAP_FAILED) {
		close(file);
		return error_create(
			ERROR_OTHER,
			"perftool may lock no more memory, which it needs for "
			"the context switches of more threads; raise the limit "
			"(ulimit -l, kernel.perf_event_mlock_kb)");
	}
	out->page = memory;
	wake_by(file);
	close(file);
	return NULL;
}

void switch_log_close(struct switch_log *log)
{
	if (log->page)
		munmap(log->page, PAGE + log->size);
	*log = (struct switch_log){0};
}

/* Read a word of the log. A record may continue from the end of the buffer to
 * its beginning, but a word does not. */
static uint64_t word(const struct switch_log *log, uint64_t position)
{
	uint64_t value;

	memcpy(&value, (char *)log->page + PAGE + position % log->size,
	       sizeof(value));
	return value;
}

/* Read the next record of any kind. False: the tool does not use records of
 * this kind. */
static bool read_record(struct switch_log *log, struct switch_record *out)
{
	struct perf_event_header header;
	uint64_t first = word(log, log->tail);

	memcpy(&header, &first, sizeof(header));
	out->time = 0;
	if (header.type == PERF_RECORD_LOST) {
		out->kind = SWITCH_LOST;
	} else {
		out->kind = header.misc & PERF_RECORD_MISC_SWITCH_OUT
				    ? SWITCH_OFF
				    : SWITCH_ON;
		out->time = word(log, log->tail + sizeof(header));
	}
	log->tail += header.size;
	__atomic_store_n(&log->page->data_tail, log->tail, __ATOMIC_RELEASE);
	return header.type == PERF_RECORD_LOST ||
	       header.type == PERF_RECORD_SWITCH;
}

bool switch_log_next(struct switch_log *log, struct switch_record *out)
{
	for (;;) {
		uint64_t head = __atomic_load_n(&log->page->data_head,
						__ATOMIC_ACQUIRE);

		/* The kernel writes a record of what it has lost only before
		 * the next record that finds room, and there may be no such
		 * record. So the tool itself notes when the buffer was full. */
		log->was_full |= head - log->tail > log->size - LARGEST;
		if (head == log->tail)
			break;
		if (read_record(log, out))
			return true;
	}
	if (!log->was_full)
		return false;
	log->was_full = false;
	*out = (struct switch_record){.kind = SWITCH_LOST};
	return true;
}
