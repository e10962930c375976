/* host.c - see host.h */
#include "perftool/base/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "perftool/base/alloc.h"

/* The oldest compilers with which perftool is built and tested are those of
 * Debian 12. Older compilers warn about code that is correct. */
#if defined(__clang__) ? __clang_major__ < 14                                  \
		       : defined(__GNUC__) && __GNUC__ < 12
#error "perftool needs gcc 12 or clang 14, or a newer one"
#endif

/* Returns the text behind "KEY", blanks, ":" and blanks. Returns NULL if the
 * line has another key. */
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

struct error *host_check_kernel(const char *release)
{
	unsigned major, minor;

	if (sscanf(release, "%u.%u", &major, &minor) == 2 &&
	    (major > HOST_KERNEL_MAJOR ||
	     (major == HOST_KERNEL_MAJOR && minor >= HOST_KERNEL_MINOR)))
		return NULL;
	return error_create(ERROR_OTHER,
			    "perftool needs Linux %d.%d or newer, and this "
			    "kernel is %s",
			    HOST_KERNEL_MAJOR, HOST_KERNEL_MINOR, release);
}

struct error *host_check(void)
{
	struct utsname system;

	if (uname(&system) != 0)
		return NULL;
	return host_check_kernel(system.release);
}

struct timespec host_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now;
}

int64_t host_time_ms(void)
{
	struct timespec now = host_time();

	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void host_time_text(struct timespec time, struct str *out)
{
	char day[64], zone[16];
	struct tm local;

	if (!localtime_r(&time.tv_sec, &local))
		return;
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &local);
	/* strftime() writes the zone as "+0100". ISO 8601 requires a colon in
	 * the zone if there are colons in the time. */
	strftime(zone, sizeof(zone), "%z", &local);
	str_printf(out, "%s.%03ld%.3s:%s", day, time.tv_nsec / 1000000, zone,
		   zone + 3);
}
