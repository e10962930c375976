/*
 * uprobe.c - a kernel uprobe, as bpftrace and perf make them
 *
 * usage: uprobe FILE OFFSET
 *
 * The program puts a uprobe on the instruction at that offset of the file, in
 * every process that has the file mapped, and says "in"; or it says "none:
 * WHY", if there are no uprobes here. The uprobe stays until the standard input
 * ends. Then the program prints how often the uprobe was hit.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_CPUS 1024

static int read_type(void)
{
	FILE *file = fopen("/sys/bus/event_source/devices/uprobe/type", "r");
	int type = -1;

	if (!file)
		return -1;
	if (fscanf(file, "%d", &type) != 1)
		type = -1;
	fclose(file);
	return type;
}

static int fail(const char *why)
{
	printf("none: %s\n", why);
	return 0;
}

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {.size = sizeof(attr)};
	uint64_t hits, sum = 0;
	int events[MOST_CPUS];
	long count = sysconf(_SC_NPROCESSORS_CONF);
	int type = read_type(), found = 0;

	if (argc < 3)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (type < 0)
		return fail("the kernel has no uprobes");
	attr.type = (uint32_t)type;
	attr.uprobe_path = (uint64_t)(uintptr_t)argv[1];
	attr.probe_offset = strtoull(argv[2], NULL, 0);
	for (long cpu = 0; cpu < count && cpu < MOST_CPUS; cpu++) {
		events[found] = (int)syscall(SYS_perf_event_open, &attr, -1,
					     cpu, -1, 0);
		found += events[found] >= 0;
	}
	if (!found)
		return fail(strerror(errno));
	puts("in");
	while (getchar() != EOF)
		;
	for (int i = 0; i < found; i++)
		if (read(events[i], &hits, sizeof(hits)) == sizeof(hits))
			sum += hits;
	for (int i = 0; i < found; i++)
		close(events[i]);
	printf("hits %lu\n", (unsigned long)sum);
	return 0;
}
