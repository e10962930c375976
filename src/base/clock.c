/*
 * clock.c - see clock.h
 *
 * This file chooses the source of the clock, and reads it. clock_line.c relates
 * the counter to the kernel's clock.
 */
#include "perftool/base/clock.h"

#include <cpuid.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

#define CPUID_POWER 0x80000007u
/* the bit of edx that says that the counter is invariant */
#define INVARIANT (1u << 8)

static bool is_invariant(void)
{
	unsigned int eax, ebx, ecx, edx;

	return __get_cpuid(CPUID_POWER, &eax, &ebx, &ecx, &edx) &&
	       (edx & INVARIANT);
}

static uint64_t to_ns(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

static uint64_t monotonic_raw(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return to_ns(&now);
}

static uint64_t monotonic_raw_by_call(void)
{
	struct timespec now;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, &now);
	return to_ns(&now);
}

/* Returns the ns that eight readings take. Of several tries the shortest
 * counts, because the thread may lose the CPU during the others. */
static uint64_t time_readings(uint64_t (*read_clock)(void))
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 32; i++) {
		const uint64_t begin = monotonic_raw();
		uint64_t took;

		for (int j = 0; j < 8; j++)
			read_clock();
		took = monotonic_raw() - begin;
		if (took < best)
			best = took;
	}
	return best;
}

/*
 * Is CLOCK_MONOTONIC_RAW read without a system call? clock_gettime() calls the
 * kernel if the kernel's source can only be read there. It has then tried the
 * quick way before, and takes longer than the system call alone.
 */
static bool is_raw_quick(void)
{
	return time_readings(monotonic_raw) * 4 <
	       time_readings(monotonic_raw_by_call) * 3;
}

/* Is the tool in the time namespace in which its children will be? (After
 * unshare(2) a process itself stays where it was.) */
static bool is_with_children(void)
{
	char own[64], of_children[64];
	ssize_t size = readlink("/proc/self/ns/time", own, sizeof(own));

	return size > 0 &&
	       readlink("/proc/self/ns/time_for_children", of_children,
			sizeof(of_children)) == size &&
	       memcmp(own, of_children, (size_t)size) == 0;
}

/* Time namespaces give CLOCK_MONOTONIC_RAW the offset of CLOCK_MONOTONIC. The
 * file has the offsets of the namespace of the children. */
static int64_t read_raw_offset(void)
{
	FILE *file = is_with_children()
			     ? fopen("/proc/self/timens_offsets", "re")
			     : NULL;
	long seconds, ns;
	int64_t offset = 0;

	if (!file)
		return 0; /* the kernel has no time namespaces */
	if (fscanf(file, "monotonic %ld %ld", &seconds, &ns) == 2)
		offset = seconds * INT64_C(1000000000) + ns;
	fclose(file);
	return offset;
}

struct clock_inputs clock_inputs(bool is_forbidden)
{
	return (struct clock_inputs){
		.raw_offset = read_raw_offset(),
		.folder = "/sys/devices/system/clocksource/clocksource0",
		.is_invariant = is_invariant(),
		.is_raw_quick = !is_forbidden && is_raw_quick(),
		.is_forbidden = is_forbidden};
}

/* ---- which source ------------------------------------------------------- */

/* Reads the first line of a file; "" if there is none. */
static void read_line(const char *folder, const char *name, char *line,
		      int size)
{
	CLEANUP(free_pointer) char *path = xasprintf("%s/%s", folder, name);
	FILE *file = fopen(path, "re");

	line[0] = '\0';
	if (!file)
		return;
	if (!fgets(line, size, file))
		line[0] = '\0';
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
}

/*
 * Does the kernel not trust the counter? The kernel removes the counter from
 * the sources that it may use when it finds that the processors disagree or
 * that the rate changes, or when it was started with `tsc=unstable'.
 *
 * The kernels of two guests are exceptions. They compute their own clock from
 * the counter, with a factor and an offset that the hypervisor writes to a page
 * of the guest. The kernel of a guest of Hyper-V never lists the counter. That
 * of a guest of KVM does not list it if its command line says so; the C library
 * then reads the page without a system call only while the hypervisor
 * guarantees that the counters of all processors agree.
 */
static bool is_withdrawn(const struct clock_inputs *inputs, const char *kernel)
{
	char list[256];
	const char *at = list;

	read_line(inputs->folder, "available_clocksource", list, sizeof(list));
	if (!*list || str_starts(kernel, "hyperv_") ||
	    (str_equal(kernel, "kvm-clock") && inputs->is_raw_quick))
		return false;
	while (*at) {
		size_t length = strcspn(at, " ");

		if (length == 3 && strncmp(at, "tsc", 3) == 0)
			return false;
		at += length;
		at += strspn(at, " ");
	}
	return true;
}

/* Returns the reason why the counter cannot be the source of the clock, or
 * NULL. */
static const char *find_problem(const struct clock_inputs *inputs,
				const char *kernel)
{
	if (inputs->is_forbidden)
		return "prctl(PR_SET_TSC) forbids to read the processor's "
		       "counter";
	if (str_equal(kernel, "tsc"))
		return NULL;
	if (!inputs->is_invariant)
		return "the processor's counter is not invariant";
	if (is_withdrawn(inputs, kernel))
		return "the kernel does not trust the processor's counter";
	return NULL;
}

static void describe(struct clock *clock)
{
	if (clock->problem)
		snprintf(clock->remark, sizeof(clock->remark), "%s",
			 clock->problem);
	else if (!str_equal(clock->kernel, "tsc"))
		snprintf(clock->remark, sizeof(clock->remark),
			 "measured against CLOCK_MONOTONIC_RAW; the kernel's "
			 "own clock is %s",
			 *clock->kernel ? clock->kernel : "unknown");
}

/* ---- reading ------------------------------------------------------------ */

/* Read the counter and CLOCK_MONOTONIC_RAW at the same moment, and return the
 * ticks between the readings of the counter before and after that. */
static uint64_t read_both(uint64_t *tsc, uint64_t *raw)
{
	const uint64_t before = clock_read_tsc(), now = monotonic_raw(),
		       after = clock_read_tsc();

	*tsc = before + (after - before) / 2;
	*raw = now;
	return after - before;
}

/* Of several readings of both clocks the one counts whose two readings of the
 * counter are closest to each other, because an interrupt may come between the
 * readings. */
static void pair(uint64_t *tsc, uint64_t *raw)
{
	uint64_t best = read_both(tsc, raw);

	for (int i = 1; i < 16; i++) {
		uint64_t other_tsc, other_raw;
		const uint64_t took = read_both(&other_tsc, &other_raw);

		if (took < best) {
			best = took;
			*tsc = other_tsc;
			*raw = other_raw;
		}
	}
}

void clock_init(struct clock *clock, const struct clock_inputs *inputs)
{
	*clock = (struct clock){.line = {.mult = UINT64_C(1) << 32},
				.raw_offset = inputs->raw_offset};
	read_line(inputs->folder, "current_clocksource", clock->kernel,
		  sizeof(clock->kernel));
	clock->problem = find_problem(inputs, clock->kernel);
	clock->tsc = !clock->problem;
	describe(clock);
	if (!clock->tsc) {
		clock->raw_base = monotonic_raw();
		return;
	}
	pair(&clock->first_tsc, &clock->first_raw);
	clock->raw_base = clock->last_raw = clock->first_raw;
	clock->line.tsc = clock->last_tsc = clock->first_tsc;
}

void clock_settle(struct clock *clock)
{
	const uint64_t enough = 8000000;
	struct timespec resolution;
	uint64_t tsc, raw;

	if (clock->resolution > 0)
		return;
	if (!clock->tsc) {
		clock_getres(CLOCK_MONOTONIC_RAW, &resolution);
		clock->resolution = (double)resolution.tv_nsec;
		return;
	}
	while (monotonic_raw() - clock->raw_base < enough) {
		struct timespec rest = {
			.tv_nsec = (long)(enough -
					  (monotonic_raw() - clock->raw_base) %
						  enough)};

		nanosleep(&rest, NULL);
	}
	pair(&tsc, &raw);
	clock_learn(clock, tsc, raw);
	clock->resolution = clock_tick(clock) * clock_read_step();
}

void clock_keep(struct clock *clock, uint64_t now)
{
	uint64_t tsc, raw;

	if (!clock->tsc || !(clock->resolution > 0) || now < clock->next)
		return;
	pair(&tsc, &raw);
	clock_learn(clock, tsc, raw);
}

/* The number of ns after which clock_from_raw() replaces its pair of readings
 * by a new pair. */
#define PAIR_LASTS 5000000

uint64_t clock_from_raw(const struct clock *clock, struct clock_raw *last,
			uint64_t raw)
{
	int64_t since;

	raw += (uint64_t)clock->raw_offset;
	if (!clock->tsc)
		return raw - clock->raw_base;
	if (!last->raw || raw > last->raw + PAIR_LASTS) {
		uint64_t tsc;

		pair(&tsc, &last->raw);
		last->ns = clock_from_tsc(clock, tsc);
		/* The rate of CLOCK_MONOTONIC_RAW is measured over the whole
		 * time since the first pair. */
		last->skew = clock_tick(clock) *
				     (double)(tsc - clock->first_tsc) /
				     (double)(last->raw - clock->first_raw) -
			     1;
	}
	since = (int64_t)(raw - last->raw);
	return last->ns + (uint64_t)since +
	       (uint64_t)(int64_t)((double)since * last->skew);
}

const char *clock_source(const struct clock *clock)
{
	return clock->tsc ? "tsc" : "monotonic_raw";
}

const char *clock_remark(const struct clock *clock)
{
	return clock->remark[0] ? clock->remark : NULL;
}
