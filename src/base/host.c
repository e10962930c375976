/* host.c - see host.h */
#include "perftool/base/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "perftool/base/alloc.h"

/* What follows "KEY", blanks, ":" and blanks; NULL: the line has another key.
 */
static const char *value_of(const char *line, const char *key)
{
	const char *at = line + strlen(key);

	if (!str_starts(line, key))
		return NULL;
	at += strspn(at, " \t");
	return *at == ':' ? at + 1 + strspn(at + 1, " \t") : NULL;
}

char *host_cpu_model(const char *path)
{
	char *line = NULL, *model = NULL;
	size_t capacity = 0;
	FILE *file = fopen(path, "re");

	if (!file)
		return NULL;
	while (!model && getline(&line, &capacity, file) >= 0) {
		const char *value = value_of(line, "model name");

		if (value && strcspn(value, "\n"))
			model = xstrndup(value, strcspn(value, "\n"));
	}
	free(line);
	fclose(file);
	return model;
}

void host_read(struct host *out)
{
	struct utsname system;

	*out = (struct host){.cpu = host_cpu_model("/proc/cpuinfo")};
	if (uname(&system) != 0)
		return;
	out->name = xstrdup(system.nodename);
	out->kernel = xstrdup(system.release);
}

void host_deinit(struct host *host)
{
	free(host->name);
	free(host->kernel);
	free(host->cpu);
	*host = (struct host){0};
}

struct timespec host_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now;
}

void host_time_text(struct timespec time, struct str *out)
{
	char day[64], zone[16];
	struct tm local;

	if (!localtime_r(&time.tv_sec, &local))
		return;
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &local);
	/* "+0100": ISO 8601 has a colon in it where the time has some */
	strftime(zone, sizeof(zone), "%z", &local);
	str_printf(out, "%s.%03ld%.3s:%s", day, time.tv_nsec / 1000000, zone,
		   zone + 3);
}
