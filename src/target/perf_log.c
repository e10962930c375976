/*
 * perf_log.c - logs that the kernel writes about a thread: the buffer of a
 * software event; see perftool/perf_log.h
 *
 * The mapping of the buffer keeps the event alive, so the tool closes the file
 * descriptor of the event: a program may have more threads than the tool may
 * have open files.
 */
#include "perftool/perf_log.h"
#include "perftool/target/target_events.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "target_state.h"

#define PAGE 4096
/* More bytes than the kernel writes at once: a record, and a record that tells
 * how many records were lost. */
#define LARGEST 96

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

static struct error *explain_open(const char *what, int errno_value)
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
				"the kernel does not report %s "
				"(kernel.perf_event_paranoid is %d, and "
				"perftool does not have CAP_PERFMON)",
				what, level);
		return error_create(ERROR_OTHER,
				    "the kernel, or a filter of the container, "
				    "forbids perf_event_open(2)");
	case ENOSYS:
	case ENOENT:
	case EINVAL:
	case EOPNOTSUPP:
		return error_create(ERROR_OTHER, "this kernel cannot report %s",
				    what);
	default:
		return error_system(errno_value, "perf_event_open");
	}
}

bool perf_log_set_wakes(struct perf_log *log, bool wakes)
{
	if (!log->has_file)
		return false;
	/* (A kernel that sends signals sends one at each record, whatever the
	 * watermark is.) */
	if (wakes)
		target_wake_at(log->file);
	else
		fcntl(log->file, F_SETFL, O_NONBLOCK);
	return true;
}

void perf_log_halt(struct perf_log *log)
{
	if (log->has_file)
		ioctl(log->file, PERF_EVENT_IOC_DISABLE, 0);
}

/* Opens the event for a log of so many pages. The watermark of an event is
 * fixed when it is opened. */
static struct error *open_event(const struct perf_log_kind *kind, pid_t tid,
				size_t pages, int *file)
{
	struct perf_event_attr attr = kind->attr;
	uint32_t quarter = (uint32_t)(pages * PAGE / 4);

	attr.size = sizeof(attr);
	attr.watermark = 1;
	if (!attr.wakeup_watermark || attr.wakeup_watermark > quarter)
		attr.wakeup_watermark = quarter;
	*file = (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1,
			     PERF_FLAG_FD_CLOEXEC);
	return *file < 0 ? explain_open(kind->what, errno) : NULL;
}

struct error *perf_log_open(const struct perf_log_kind *kind, pid_t tid,
			    size_t pages, struct perf_log *out)
{
	void *memory = MAP_FAILED;
	int file;

	*out = (struct perf_log){0};
	for (; pages; pages /= 2) {
		TRY(open_event(kind, tid, pages, &file));
		out->size = pages * PAGE;
		memory = mmap(NULL, PAGE + out->size, PROT_READ | PROT_WRITE,
			      MAP_SHARED, file, 0);
		if (memory != MAP_FAILED)
			break;
		close(file);
	}
	if (memory == MAP_FAILED)
		return error_create(
			ERROR_OTHER,
			"perftool may lock no more memory, which it needs for "
			"the %s of more threads; raise the limit (ulimit -l, "
			"kernel.perf_event_mlock_kb)",
			kind->what);
	out->page = memory;
	if (kind->wakes)
		target_wake_at(file);
	out->has_file = true;
	out->file = file;
	if (!kind->keeps_file)
		perf_log_close_file(out);
	return NULL;
}

void perf_log_close_file(struct perf_log *log)
{
	if (log->has_file)
		close(log->file);
	log->has_file = false;
}

void perf_log_close(struct perf_log *log)
{
	if (log->page)
		munmap(log->page, PAGE + log->size);
	perf_log_close_file(log);
	*log = (struct perf_log){0};
}

/* Read a word of the log. A record may continue from the end of the buffer to
 * its beginning, but a word does not. */
static uint64_t word(const struct perf_log *log, uint64_t position)
{
	uint64_t value;

	memcpy(&value, (char *)log->page + PAGE + position % log->size,
	       sizeof(value));
	return value;
}

bool perf_log_has_record(const struct perf_log *log)
{
	return log->page && __atomic_load_n(&log->page->data_head,
					    __ATOMIC_ACQUIRE) != log->tail;
}

size_t perf_log_room(const struct perf_log *log)
{
	return (size_t)(log->size - (__atomic_load_n(&log->page->data_head,
						     __ATOMIC_ACQUIRE) -
				     log->tail));
}

bool perf_log_next(struct perf_log *log, struct perf_record *out)
{
	uint64_t head =
		__atomic_load_n(&log->page->data_head, __ATOMIC_ACQUIRE);
	struct perf_event_header header;
	uint64_t first;

	log->was_full |= head - log->tail > log->size - LARGEST;
	if (head == log->tail)
		return false;
	first = word(log, log->tail);
	memcpy(&header, &first, sizeof(header));
	*out = (struct perf_record){
		.type = header.type,
		.misc = header.misc,
		.first = header.size > sizeof(header)
				 ? word(log, log->tail + sizeof(header))
				 : 0,
		.last = word(log, log->tail + header.size - sizeof(first))};
	log->tail += header.size;
	__atomic_store_n(&log->page->data_tail, log->tail, __ATOMIC_RELEASE);
	return true;
}

const struct perf_event_header *perf_log_look(const struct perf_log *log,
					      void *buffer)
{
	uint64_t head =
		__atomic_load_n(&log->page->data_head, __ATOMIC_ACQUIRE);
	char *data = (char *)log->page + PAGE;
	uint64_t at = log->tail % log->size;
	const struct perf_event_header *header = (const void *)(data + at);

	if (head == log->tail)
		return NULL;
	if (at + header->size <= log->size)
		return header;
	memcpy(buffer, data + at, log->size - at);
	memcpy((char *)buffer + (log->size - at), data,
	       header->size - (log->size - at));
	return buffer;
}

void perf_log_pass(struct perf_log *log)
{
	const struct perf_event_header *header =
		(const void *)((char *)log->page + PAGE +
			       log->tail % log->size);

	log->tail += header->size;
	__atomic_store_n(&log->page->data_tail, log->tail, __ATOMIC_RELEASE);
}
