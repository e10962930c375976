/*
 * test_base_clock.c - which source the clock has, and that it keeps to
 * CLOCK_MONOTONIC_RAW
 *
 * tier: core
 * covers: base
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/clock.h"

/* ---- the choice -----------------------------------------------------------
 */

static void write_file(const char *folder, const char *name, const char *text)
{
	CLEANUP(free_pointer) char *path = xasprintf("%s/%s", folder, name);
	FILE *file;

	unlink(path);
	if (!text)
		return;
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* A clock of a machine whose kernel says that (NULL: there is no such file),
 * with these inputs. */
static struct clock machine_with(const char *current, const char *available,
				 struct clock_inputs inputs)
{
	char folder[] = "/tmp/perftool-clock.XXXXXX";
	struct clock clock;

	inputs.folder = folder;

	assert_non_null(mkdtemp(folder));
	write_file(folder, "current_clocksource", current);
	write_file(folder, "available_clocksource", available);
	clock_init(&clock, &inputs);
	write_file(folder, "current_clocksource", NULL);
	write_file(folder, "available_clocksource", NULL);
	assert_int_equal(rmdir(folder), 0);
	return clock;
}

static struct clock machine(const char *current, const char *available,
			    bool is_invariant, bool is_forbidden)
{
	return machine_with(
		current, available,
		(struct clock_inputs){.is_invariant = is_invariant,
				      .is_forbidden = is_forbidden});
}

static void assert_counter(const struct clock *clock, const char *kernel)
{
	assert_true(clock->tsc);
	assert_null(clock->problem);
	assert_string_equal(clock_source(clock), "tsc");
	if (!kernel)
		assert_null(clock_remark(clock));
	else
		assert_non_null(strstr(clock_remark(clock), kernel));
}

static void assert_kernel(const struct clock *clock, const char *why)
{
	assert_false(clock->tsc);
	assert_string_equal(clock_source(clock), "monotonic_raw");
	assert_string_equal(clock_remark(clock), clock->problem);
	assert_non_null(strstr(clock->problem, why));
}

static void clock_uses_a_counter_that_the_kernel_trusts(void **state)
{
	static const char *const others[] = {"kvm-clock", "xen", "hpet",
					     "acpi_pm"};
	char line[64];
	struct clock clock;

	(void)state;
	clock = machine("tsc\n", "tsc hpet acpi_pm \n", true, false);
	assert_counter(&clock, NULL);
	/* the kernel watches it: that counts for more */
	clock = machine("tsc\n", "tsc hpet acpi_pm \n", false, false);
	assert_counter(&clock, NULL);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		snprintf(line, sizeof(line), "%s\n", others[i]);
		clock = machine(line, "xtsc tsc \n", true, false);
		assert_counter(&clock, others[i]);
		clock = machine(line, "tsc hpet \n", false, false);
		assert_kernel(&clock, "not invariant");
		clock = machine(line, "hpet tscx \n", true, false);
		assert_kernel(&clock, "does not trust");
	}
	clock = machine("hyperv_clocksource_tsc_page\n",
			"hyperv_clocksource_tsc_page acpi_pm \n", true, false);
	assert_counter(&clock, "hyperv_clocksource_tsc_page");
	/* no /sys */
	clock = machine(NULL, NULL, true, false);
	assert_counter(&clock, "unknown");
	clock = machine(NULL, NULL, false, false);
	assert_kernel(&clock, "not invariant");
	clock = machine("tsc\n", "tsc \n", true, true);
	assert_kernel(&clock, "PR_SET_TSC");
}

/* The kernel was started with `tsc=unstable'. */
static void a_guest_of_kvm_may_compute_its_clock_from_the_counter(void **state)
{
	const struct clock_inputs quick = {.is_invariant = true,
					   .is_raw_quick = true};
	struct clock_inputs inputs = quick;
	struct clock clock;

	(void)state;
	clock = machine_with("kvm-clock\n", "kvm-clock \n", quick);
	assert_counter(&clock, "kvm-clock");
	inputs.is_raw_quick = false;
	clock = machine_with("kvm-clock\n", "kvm-clock \n", inputs);
	assert_kernel(&clock, "does not trust");
	inputs = quick;
	inputs.is_invariant = false;
	clock = machine_with("kvm-clock\n", "kvm-clock \n", inputs);
	assert_kernel(&clock, "not invariant");
	inputs = quick;
	inputs.is_forbidden = true;
	clock = machine_with("kvm-clock\n", "kvm-clock \n", inputs);
	assert_kernel(&clock, "PR_SET_TSC");
	/* another source may be quick, too, without the counter */
	clock = machine_with("hpet\n", "hpet acpi_pm \n", quick);
	assert_kernel(&clock, "does not trust");
}

/* The name of a source is longer than any that there is. */
static void odd_names_of_clock_sources_are_survived(void **state)
{
	char longest[300];
	struct clock clock;

	(void)state;
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	clock = machine(longest, longest, true, false);
	assert_kernel(&clock, "does not trust");
	clock = machine("", "", true, false);
	assert_counter(&clock, "unknown");
}

/* ---- both clocks of this machine ------------------------------------------
 */

static uint64_t raw_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* No rate is asserted as a figure: both clocks tell of the same stretch. */
static void clock_agrees_with_the_kernel(void **state)
{
	struct clock_inputs inputs = clock_inputs(false);
	struct clock clock;
	uint64_t first, second, before, outer;

	(void)state;
	clock_init(&clock, &inputs);
	clock_settle(&clock);
	assert_true(clock.resolution > 0);
	before = raw_now();
	first = clock_now(&clock);
	do {
		second = clock_now(&clock);
		clock_keep(&clock, second);
	} while (second < first + 50000000);
	outer = raw_now() - before;
	assert_true(second >= first);
	/* the kernel's stretch holds ours; a thousandth is the rates' error */
	assert_true(second - first <= outer + outer / 1000);
}

static void clock_works_without_a_counter(void **state)
{
	struct clock clock = machine("hpet\n", "hpet \n", false, false);
	struct clock_raw pair = {0};
	uint64_t first, second;

	(void)state;
	clock_settle(&clock);
	assert_true(clock.resolution > 0);
	first = clock_now(&clock);
	clock_keep(&clock, first);
	second = clock_now(&clock);
	assert_true(first > 0 && second >= first);
	assert_int_equal(clock_from_raw(&clock, &pair, clock.raw_base + 7), 7);
	/* in a time namespace the kernel's records have the time outside */
	clock.raw_offset = -86400;
	assert_int_equal(clock_from_raw(&clock, &pair, clock.raw_base + 86407),
			 7);
}

/* ---- the arithmetic -------------------------------------------------------
 */

static struct clock counter_from(uint64_t tsc, uint64_t raw)
{
	return (struct clock){.tsc = true,
			      .raw_base = raw,
			      .first_tsc = tsc,
			      .first_raw = raw,
			      .last_tsc = tsc,
			      .last_raw = raw,
			      .line = {.tsc = tsc, .mult = UINT64_C(1) << 32}};
}

static void ticks_convert_to_ns_and_back(void **state)
{
	/* 3 ticks are 1 ns, and ten years of them do not overflow */
	const uint64_t decade = UINT64_C(315360000) * 1000000000;
	struct clock clock = counter_from(1000, 50);

	(void)state;
	clock_learn(&clock, 1000 + 3000000, 50 + 1000000);
	assert_int_equal(clock_from_tsc(&clock, 1000), 0);
	assert_int_equal(clock_from_tsc(&clock, 1301), 100);
	assert_true(clock_from_tsc(&clock, 1000 + 3 * decade) + 315360000 >=
		    decade);
	assert_true(clock_from_tsc(&clock, 1000 + 3 * decade) <= decade);
	assert_int_equal(clock_ticks(&clock, 1000), 3000);
	assert_true(clock_to_tsc(&clock, 100) <= 1301);
	assert_true(clock_to_tsc(&clock, 100) >= 1299);
}

/* Two readings that are the same, or one that goes back, teach nothing, and
 * nothing is divided by what they do not differ by. */
static void readings_without_progress_teach_nothing(void **state)
{
	struct clock clock = counter_from(1000, 50);

	(void)state;
	clock_learn(&clock, 1000, 50);
	clock_learn(&clock, 1000, 60);
	clock_learn(&clock, 1010, 50);
	clock_learn(&clock, 990, 40);
	assert_int_equal(clock_from_tsc(&clock, 1005), 5);
	assert_int_equal(clock_to_tsc(&clock, 5), 1005);
}

/* A counter of so many ticks a ns beside a kernel's clock, both as of `ns`.
 * What is read is off by up to so much either way. */
struct machine {
	double rate, drift; /* ticks a ns; how much that grows a ns */
	uint64_t jitter;
	unsigned short seed[3];
};

static uint64_t tsc_at(const struct machine *machine, uint64_t ns)
{
	double at = (double)ns;

	return 1000000 +
	       (uint64_t)(at * machine->rate + at * at * machine->drift / 2);
}

static uint64_t jitter(struct machine *machine)
{
	uint64_t range = 2 * machine->jitter + 1;

	return (uint64_t)nrand48(machine->seed) % range - machine->jitter;
}

/* How far the clock is from the truth at most in the last half of so many
 * hours; it never goes back. */
static uint64_t off_after_hours(struct machine *machine, unsigned int hours)
{
	const uint64_t base = UINT64_C(5000000000), step = 4000000,
		       end = hours * UINT64_C(3600000000000);
	struct clock clock = counter_from(tsc_at(machine, 0), base);
	uint64_t last = 0, off = 0, next = 8000000;

	for (uint64_t ns = step; ns < end; ns += step) {
		uint64_t tsc = tsc_at(machine, ns), now;
		int64_t distance;

		if (ns < next && !clock.interval)
			/* not settled yet */
			continue;
		if (ns >= next) {
			clock_learn(&clock, tsc, base + ns + jitter(machine));
			next = clock.next;
		}
		now = clock_from_tsc(&clock, tsc);
		assert_true(now >= last);
		last = now;
		distance = (int64_t)(now - ns);
		if (distance < 0)
			distance = -distance;
		if (ns > end / 2 && (uint64_t)distance > off)
			off = (uint64_t)distance;
	}
	return off;
}

static void clock_does_not_drift(void **state)
{
	struct machine even = {.rate = 2.4453217, .jitter = 20},
		       slow = {.rate = 0.1, .jitter = 200},
		       /* a part in a million more after an hour */
		warm = {.rate = 3.1, .drift = 3.1e-6 / 3.6e12, .jitter = 20};

	(void)state;
	/* as far as the readings are wrong, and how far they lead in a second
	 */
	assert_true(off_after_hours(&even, 2) < 100);
	assert_true(off_after_hours(&slow, 1) < 1000);
	assert_true(off_after_hours(&warm, 3) < 3000);
}

/* A machine that slept: the counter begins anew, or has gone on alone. */
static void clock_goes_on_after_a_jump(void **state)
{
	static const uint64_t after[] = {500, UINT64_C(900000000000)};
	const uint64_t second = 1000000000;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct clock clock = counter_from(1000000, 0);
		uint64_t before, now;

		clock_learn(&clock, 1000000 + 24000000, 8000000);
		clock_learn(&clock, 1000000 + 3 * second, second);
		before = clock_from_tsc(&clock, 1000000 + 3 * second);
		clock_learn(&clock, after[i], 2 * second);
		now = clock_from_tsc(&clock, after[i]);
		assert_true(now >= before);
		assert_true(now - before > second - 1000 &&
			    now - before < second + 1000);
		/* at the rate that was known, rounded down */
		assert_int_equal(clock_from_tsc(&clock, after[i] + 3001) - now,
				 1000);
	}
}

/* Records of the past mean what they meant. */
static void past_records_keep_their_times(void **state)
{
	struct clock clock = counter_from(1000, 0);
	uint64_t tsc[6], ns[6], at = 1000;

	(void)state;
	clock_learn(&clock, at + 2000000, 1000000);
	for (size_t i = 0; i < 6; i++) {
		/* a rate that wavers, within what is no jump */
		at += 20000000 + (i % 2 ? 2000u : 0);
		clock_learn(&clock, at, clock.last_raw + 10000000);
		tsc[i] = at + 5000000;
		ns[i] = clock_from_tsc(&clock, tsc[i]);
	}
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(clock_from_tsc(&clock, tsc[i]), ns[i]);
		assert_true(clock_to_tsc(&clock, ns[i]) <= tsc[i]);
		assert_true(clock_to_tsc(&clock, ns[i]) + 4 >= tsc[i]);
	}
	assert_true(clock_from_tsc(&clock, 1000) <= ns[0]);
}

/* ---- steps ----------------------------------------------------------------
 */

#define DIFFERENCES 512

/* Readings at irregular times, of a counter that proceeds by `step`. If it is
 * uneven, one of two readings in the same step is one tick later. */
static unsigned step_found(unsigned step, bool is_uneven)
{
	uint64_t differences[DIFFERENCES], at = 0, last = 0, random = 1;

	for (size_t i = 0; i < DIFFERENCES; i++) {
		uint64_t now;

		random = random * 6364136223846793005 + 1442695040888963407;
		at += 20 + (random >> 33) % 300 + (i % 100 == 7 ? 90001 : 0);
		now = at - at % step + (is_uneven && (random >> 60) % 4 == 0);
		differences[i] = now - last;
		last = now;
	}
	return clock_find_step(differences, DIFFERENCES);
}

static void steps_of_the_counter_are_found(void **state)
{
	(void)state;
	assert_int_equal(step_found(26, false), 26);
	assert_int_equal(step_found(26, true), 26);
	assert_int_equal(step_found(40, true), 40);
	assert_int_equal(step_found(100, false), 100);
	assert_int_equal(step_found(1, false), 1);
	assert_int_equal(step_found(2, false), 1);
	assert_in_range(clock_read_step(), 1, 256);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clock_uses_a_counter_that_the_kernel_trusts),
		cmocka_unit_test(
			a_guest_of_kvm_may_compute_its_clock_from_the_counter),
		cmocka_unit_test(odd_names_of_clock_sources_are_survived),
		cmocka_unit_test(clock_agrees_with_the_kernel),
		cmocka_unit_test(clock_works_without_a_counter),
		cmocka_unit_test(ticks_convert_to_ns_and_back),
		cmocka_unit_test(readings_without_progress_teach_nothing),
		cmocka_unit_test(clock_does_not_drift),
		cmocka_unit_test(clock_goes_on_after_a_jump),
		cmocka_unit_test(past_records_keep_their_times),
		cmocka_unit_test(steps_of_the_counter_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
