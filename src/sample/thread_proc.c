/* thread_proc.c - what /proc shows of a thread; see thread_proc.h */
#include "thread_proc.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Read a file of a thread as a text. False: it cannot be read, or is empty. */
static bool read_file(pid_t pid, pid_t tid, const char *name, char *buffer,
		      size_t size)
{
	char path[64];
	ssize_t count;
	int file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, tid, name);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	count = read(file, buffer, size - 1);
	close(file);
	if (count <= 0)
		return false;
	buffer[count] = 0;
	return true;
}

bool thread_proc_cpu(pid_t pid, pid_t tid, bool is_alone, uint64_t *cpu,
		     uint64_t *runs)
{
	struct timespec time;
	uint64_t waited, count;
	clockid_t clock;
	char text[128];

	if (is_alone && !runs && clock_getcpuclockid(pid, &clock) == 0 &&
	    clock_gettime(clock, &time) == 0) {
		*cpu = (uint64_t)time.tv_sec * 1000000000u +
		       (uint64_t)time.tv_nsec;
		return true;
	}
	if (!read_file(pid, tid, "schedstat", text, sizeof(text)) ||
	    sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, cpu, &waited,
		   &count) != 3)
		return false;
	if (runs)
		*runs = count;
	return true;
}

char thread_proc_state(pid_t pid, pid_t tid)
{
	char text[512], *end;

	/* the name of the thread may contain anything, also a parenthesis */
	if (!read_file(pid, tid, "stat", text, sizeof(text)))
		return 0;
	end = strrchr(text, ')');
	return end && end[1] ? end[2] : 0;
}

bool thread_proc_call(pid_t pid, pid_t tid, struct waiting_call *out)
{
	uint64_t *args = out->args;
	char text[256];

	if (!read_file(pid, tid, "syscall", text, sizeof(text)))
		return false;
	if (sscanf(text, "%ld", &out->number) != 1)
		return false;
	if (out->number < 0)
		return sscanf(text, "%*d %" SCNx64 " %" SCNx64, &out->sp,
			      &out->pc) == 2;
	return sscanf(text,
		      "%*d %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64
		      " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64,
		      &args[0], &args[1], &args[2], &args[3], &args[4],
		      &args[5], &out->sp, &out->pc) == 8;
}
