/*
 * status.c - what /proc/PID/status says of a process
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

bool process_status(pid_t pid, const char *field, char *value, size_t size)
{
	char path[64], *line = NULL;
	size_t length = strlen(field), capacity = 0;
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (!found && getline(&line, &capacity, file) >= 0) {
		if (strncmp(line, field, length) != 0 || line[length] != ':')
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(value, size, "%s", line + length + 1);
		found = true;
	}
	free(line);
	fclose(file);
	return found;
}

pid_t inner_pid(pid_t pid)
{
	char numbers[256];
	const char *last;

	/* from the namespace of this /proc inwards, with a tab before each */
	if (!process_status(pid, "NSpid", numbers, sizeof(numbers)))
		return 0;
	last = strrchr(numbers, '\t');
	if (!last || last == numbers)
		return 0;
	return (pid_t)strtol(last + 1, NULL, 10);
}

void describe_inner_pid(pid_t pid, const char *before, const char *after,
			struct str *out)
{
	pid_t inner = inner_pid(pid);

	if (inner)
		str_printf(out, "%s%d in its pid namespace%s", before, inner,
			   after);
}
