/*
 * switches.c - see perftool/switches.h
 *
 * A software event that counts nothing, but whose buffer gets a record at every
 * switch of its thread. The mapping keeps the event alive, so that its file can
 * be closed: a program may have more threads than the tool may have files.
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
/* More than what is written at once: a record, and one of what was lost. */
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

/* What the administrator has set; -2: nothing is to be read. */
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
				    "perf_event_open(2) is forbidden here");
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

/* The wait for events is interrupted when records come, as by a tick. */
static void wake_by(int file)
{
	const struct f_owner_ex self = {.type = F_OWNER_TID, .pid = gettid()};

	target_catch_tick();
	/* should it fail, a tick will do */
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

/* Records may lie across the end of the data, words do not. */
static uint64_t word(const struct switch_log *log, uint64_t position)
{
	uint64_t value;

	memcpy(&value, (char *)log->page + PAGE + position % log->size,
	       sizeof(value));
	return value;
}

/* The next record, of whatever kind; false: it is none of ours. */
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

		/* what finds no room is told of before the next one that does,
		 * and there may be no such */
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
