/* scheduling.c - see perftool/scheduling.h */
#include "perftool/scheduling.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proc.h"

/* Reads a file of a thread, which may be `stat`: "TID (NAME) STATE ...". The
 * name may contain any character, also `)`, so the last `)` ends it. */
static bool read_file(pid_t pid, pid_t tid, const char *name, char *text,
		      size_t size)
{
	char path[64];
	size_t length;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, tid, name);
	file = fopen(path, "re");
	if (!file)
		return false;
	length = fread(text, 1, size - 1, file);
	text[length] = '\0';
	fclose(file);
	return length > 0;
}

static void copy_name(const char *text, const char *end, char name[static 17])
{
	const char *begin = strchr(text, '(');
	size_t length = begin ? (size_t)(end - begin - 1) : 0;

	if (length > 16)
		length = 16;
	if (begin)
		memcpy(name, begin + 1, length);
	name[length] = '\0';
}

/* Returns the number in a field of stat. proc(5) has the numbers of the fields;
 * field 2 is the name, which ends at `end`. */
static uint64_t field(const char *end, unsigned number)
{
	const char *at = end + 1;

	for (unsigned i = 2; i < number && at; i++) {
		at = strchr(at, ' ');
		if (at)
			at++;
	}
	return at ? strtoull(at, NULL, 10) : 0;
}

bool target_thread_scheduling(pid_t pid, pid_t tid,
			      struct thread_scheduling *out)
{
	const long ticks_a_second = sysconf(_SC_CLK_TCK);
	uint64_t user, kernel;
	char text[1024];
	const char *end;

	*out = (struct thread_scheduling){.policy = SCHED_OTHER};
	if (!read_file(pid, tid, "stat", text, sizeof(text)))
		return false;
	end = strrchr(text, ')');
	if (!end)
		return false;
	copy_name(text, end, out->name);
	out->minor = field(end, 10);
	out->major = field(end, 12);
	user = field(end, 14);
	kernel = field(end, 15);
	out->nice = (int)(int64_t)field(end, 19);
	out->real_time = (int)field(end, 40);
	out->policy = (int)field(end, 41);
	if (ticks_a_second > 0)
		out->cpu = (user + kernel) *
			   (UINT64_C(1000000000) / (uint64_t)ticks_a_second);
	/* The kernel may have been built without this one, which is exact. */
	if (read_file(pid, tid, "schedstat", text, sizeof(text)))
		out->cpu = strtoull(text, NULL, 10);
	return true;
}

void scheduling_describe(const struct thread_scheduling *scheduling,
			 struct str *out)
{
	switch (scheduling->policy) {
	case SCHED_FIFO:
		str_printf(out, "fifo %d", scheduling->real_time);
		return;
	case SCHED_RR:
		str_printf(out, "rr %d", scheduling->real_time);
		return;
	case SCHED_BATCH:
		str_printf(out, "batch, nice %d", scheduling->nice);
		return;
	case SCHED_IDLE:
		str_append(out, "idle");
		return;
	case 6:
		str_append(out, "deadline");
		return;
	default:
		str_printf(out, "nice %d", scheduling->nice);
		return;
	}
}
