/*
 * test_base_host.c - the machine, the time of day, names of files
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
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/host.h"
#include "perftool/base/path.h"

/* The zone as POSIX writes it: west of Greenwich is positive. */
static void check_time(const char *zone, struct timespec time,
		       const char *wanted)
{
	struct str text = {0};

	setenv("TZ", zone, 1);
	tzset();
	host_time_text(time, &text);
	assert_string_equal(str_text(&text), wanted);
	str_deinit(&text);
}

static void times_have_the_offset_of_the_zone(void **state)
{
	/* 1,772,352,307 s: date -u -d @1772352307 */
	const struct timespec time = {.tv_sec = 1772352307,
				      .tv_nsec = 123999999};

	(void)state;
	check_time("UTC0", time, "2026-03-01T08:05:07.123+00:00");
	check_time("CET-1", time, "2026-03-01T09:05:07.123+01:00");
	check_time("IST-5:30", time, "2026-03-01T13:35:07.123+05:30");
	check_time("NST3:30", time, "2026-03-01T04:35:07.123-03:30");
	check_time("EST5EDT,M3.2.0,M11.1.0", (struct timespec){0},
		   "1969-12-31T19:00:00.000-05:00");
}

static void check_model(const char *text, const char *wanted)
{
	CLEANUP(free_pointer) char *model = NULL;
	char path[] = "/tmp/perftool-cpuinfo-XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");

	fputs(text, file);
	fclose(file);
	model = host_cpu_model(path);
	unlink(path);
	if (wanted)
		assert_string_equal(model, wanted);
	else
		assert_null(model);
}

static void cpu_model_is_read(void **state)
{
	(void)state;
	check_model("processor\t: 0\nvendor_id\t: X\nmodel\t\t: 1\n"
		    "model name\t: A B: (R) @ 2.0GHz\nmodel name\t: C\n",
		    "A B: (R) @ 2.0GHz");
	check_model("model name:A", "A");
	check_model("model name\t: \nmodel name\t: B\n", "B");
	check_model("model names\t: A\n", NULL);
	check_model("", NULL);
	assert_null(host_cpu_model("/nonexistent/cpuinfo"));
}

static void host_has_name_and_kernel(void **state)
{
	char name[256];
	struct host host;

	(void)state;
	host_read(&host);
	assert_int_equal(gethostname(name, sizeof(name)), 0);
	assert_string_equal(host.name, name);
	assert_non_null(host.kernel);
	host_deinit(&host);
	assert_null(host.name);
}

static void check_release(const char *release, const char *problem)
{
	struct error *error = host_check_kernel(release);

	if (problem) {
		assert_non_null(error);
		assert_string_equal(error_message(error), problem);
	} else {
		assert_null(error);
	}
	error_destroy(error);
}

static void old_kernels_are_refused(void **state)
{
	(void)state;
	check_release("5.3.0", NULL);
	check_release("5.10.0-28-amd64", NULL);
	check_release("6.1", NULL);
	check_release("10.0.0", NULL);
	check_release("5.2.21", "perftool needs Linux 5.3 or newer, and this "
				"kernel is 5.2.21");
	check_release("4.19.0-25-amd64",
		      "perftool needs Linux 5.3 or newer, and this kernel is "
		      "4.19.0-25-amd64");
	check_release("", "perftool needs Linux 5.3 or newer, and this kernel "
			  "is ");
	assert_null(host_check());
}

static void relative_paths_become_absolute(void **state)
{
	static const struct {
		const char *directory, *name, *wanted;
	} cases[] = {
		{"/a", "b", "/a/b"},         {"/a", "./b", "/a/b"},
		{"/a", ".//./b", "/a/b"},    {"/a", "../b", "/a/../b"},
		{"/a", "b/./c", "/a/b/./c"}, {"/", "b", "/b"},
		{"/a", "/b/./c", "/b/./c"},  {"/a", ".b", "/a/.b"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CLEANUP(free_pointer)
		char *path = path_absolute(cases[i].directory, cases[i].name);

		assert_string_equal(path, cases[i].wanted);
	}
	assert_string_equal(path_file_name("/a/b"), "b");
	assert_string_equal(path_file_name("b"), "b");
	assert_string_equal(path_file_name("a/"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_have_the_offset_of_the_zone),
		cmocka_unit_test(cpu_model_is_read),
		cmocka_unit_test(host_has_name_and_kernel),
		cmocka_unit_test(old_kernels_are_refused),
		cmocka_unit_test(relative_paths_become_absolute),
	};

	return cmocka_run_group_tests_name("base_host", tests, NULL, NULL);
}
