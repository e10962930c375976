/*
 * test_report_profile_files.c - profiles as files: their exact text, the choice
 * of the format, and profiles that have little
 *
 * tier: core
 * covers: report/files
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "golden.h"
#include "recorded_profile.h"

static const struct writer plain;
static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/perftool-profile-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char command[160];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

/* Write the profile. Returns the file's text, which the caller frees. `remarks`
 * may be NULL. */
static char *written(const struct profile *profile, const char *name,
		     struct str *remarks)
{
	struct str ignored = {0};
	enum profile_format format;
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_null(profile_format_of_path(path, &format));
	assert_null(profile_file_write(profile, format, path, &plain,
				       remarks ? remarks : &ignored));
	str_deinit(&ignored);
	return golden_read(path);
}

static void check_golden(const struct profile *profile, const char *name,
			 const char *golden)
{
	char *text = written(profile, name, NULL);

	golden_check(golden, text);
	free(text);
}

static void the_texts_are_as_in_the_golden_files(void **state)
{
	struct recorded_profile all;

	(void)state;
	recorded_profile_init(&all);
	check_golden(&all.profile, "x.folded", "profile.folded");
	check_golden(&all.profile, "x.json", "profile.json");
	check_golden(&all.profile, "x.svg", "profile.svg");
	check_golden(&all.profile, "callgrind.out.1",
		     "profile-calls.callgrind");
	all.profile.arcs = NULL;
	check_golden(&all.profile, "callgrind.out", "profile-ticks.callgrind");
	recorded_profile_deinit(&all);
}

/* ---- the choice of the format ---------------------------------------------
 */

static void the_name_tells_the_format(void **state)
{
	static const struct {
		const char *path;
		int format; /* -1: none */
	} cases[] = {
		{"gmon.out", PROFILE_GMON},
		{"/a.folded/gmon.out", PROFILE_GMON},
		{"callgrind.out", PROFILE_CALLGRIND},
		{"x/callgrind.out.123", PROFILE_CALLGRIND},
		{"callgrind.out.svg", PROFILE_CALLGRIND},
		{"a.folded", PROFILE_FOLDED},
		{"a.b.svg", PROFILE_SVG},
		{"a.pb.gz", PROFILE_PPROF},
		{"./a.json", PROFILE_JSON},
		{"a.gz", -1},
		{"a.pb", -1},
		{"gmon", -1},
		{"a.SVG", -1},
		{".svg", -1},
		{"x.svg/a", -1},
		{"", -1},
		{"gmon.out/", -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		enum profile_format format = PROFILE_FORMATS;
		struct error *error =
			profile_format_of_path(cases[i].path, &format);

		if (cases[i].format >= 0) {
			assert_null(error);
			assert_int_equal(format, cases[i].format);
			continue;
		}
		assert_non_null(error);
		assert_int_equal(error_code(error), ERROR_USAGE);
		assert_non_null(strstr(error_message(error),
				       "gmon.out, callgrind.out*, *.folded, "
				       "*.svg, *.pb.gz or *.json"));
		error_destroy(error);
	}
}

static void each_word_is_a_format(void **state)
{
	enum profile_format format;
	struct error *error;

	(void)state;
	for (unsigned i = 0; i < PROFILE_FORMATS; i++) {
		assert_null(profile_format_of_word(profile_format_word(i),
						   &format));
		assert_int_equal(format, i);
	}
	assert_null(profile_format_word(PROFILE_FORMATS));
	error = profile_format_of_word("xml", &format);
	assert_non_null(error);
	assert_string_equal(error_message(error),
			    "`xml' is not a format; use gmon, callgrind, "
			    "folded, svg, pprof or json");
	error_destroy(error);
}

/* ---- profiles that have little --------------------------------------------
 */

static void formats_of_stacks_need_samples(void **state)
{
	static const enum profile_format formats[] = {
		PROFILE_FOLDED, PROFILE_SVG, PROFILE_PPROF};
	struct recorded_profile all;
	char path[128];

	(void)state;
	recorded_profile_init(&all);
	all.profile.stacks = NULL;
	snprintf(path, sizeof(path), "%s/x", folder);
	for (size_t i = 0; i < 3; i++) {
		struct str remarks = {0};
		struct error *error = profile_file_write(
			&all.profile, formats[i], path, &plain, &remarks);

		assert_non_null(error);
		assert_non_null(strstr(error_message(error), "needs samples"));
		error_destroy(error);
		assert_int_equal(access(path, F_OK), -1);
		str_deinit(&remarks);
	}
	recorded_profile_deinit(&all);
}

static void a_profile_of_nothing_is_a_file(void **state)
{
	static const char *const names[] = {"gmon.out", "callgrind.out",
					    "x.folded", "x.svg",
					    "x.pb.gz",  "x.json"};
	struct call_stacks stacks = {0};
	struct profile profile = {.measurement = {.kind = "spy"},
				  .stacks = &stacks,
				  .modules = recorded_modules,
				  .module_count = 1};
	char *text;

	(void)state;
	for (size_t i = 0; i < PROFILE_FORMATS; i++)
		free(written(&profile, names[i], NULL));
	text = written(&profile, "x.folded", NULL);
	assert_string_equal(text, "");
	free(text);
	text = written(&profile, "callgrind.out", NULL);
	assert_non_null(strstr(text, "events: ticks\nsummary: 0\n"));
	assert_non_null(strstr(text, "\ntotals: 0\n"));
	free(text);
	check_golden(&profile, "x.json", "profile-empty.json");
}

/* What is not known is null, and every member is there. */
static void json_has_every_member(void **state)
{
	static const char *const members[] = {
		"schema",    "program", "clock", "measurement",
		"functions", "samples", "arcs"};
	static const char *const measured[] = {"kind",       "watch", "rate_hz",
					       "elapsed_ns", "ticks", "missed",
					       "lost",       "broken"};
	struct call_stacks stacks = {0};
	struct profile profile = {.stacks = &stacks};
	char *text = written(&profile, "x.json", NULL);
	struct json_object *whole = json_tokener_parse(text);
	struct json_object *measurement, *member;

	(void)state;
	assert_non_null(whole);
	assert_int_equal(json_object_object_length(whole), 7);
	for (size_t i = 0; i < 7; i++)
		assert_true(
			json_object_object_get_ex(whole, members[i], &member));
	assert_true(
		json_object_object_get_ex(whole, "measurement", &measurement));
	for (size_t i = 0; i < 8; i++)
		assert_true(json_object_object_get_ex(measurement, measured[i],
						      &member));
	assert_true(json_object_object_get_ex(measurement, "rate_hz", &member));
	assert_null(member);
	json_object_put(whole);
	free(text);
}

/* ---- reasons other than ticks ---------------------------------------------
 */

static void check_events(const char *watch, enum sample_reason first,
			 enum sample_reason second, const char *wanted)
{
	struct call_stacks stacks = {0};
	struct profile profile = {
		.measurement = {.kind = "spy", .watch = watch, .rate = 97},
		.stacks = &stacks};
	const uint32_t place = 0;
	char *text;

	procedures_number(&stacks.procedures, &recorded_procedures[IN_MAIN]);
	call_stacks_thread(&stacks, &(struct sampled_thread){.tid = 1});
	call_stacks_place(&stacks, &(struct call_place){.line = 0});
	call_stacks_stack(&stacks, &place, 1, false);
	call_stacks_add(&stacks,
			&(struct call_sample){.reason = first, .weight = 30});
	call_stacks_add(&stacks,
			&(struct call_sample){.reason = second, .weight = 12});
	text = written(&profile, "callgrind.out", NULL);
	if (!strstr(text, wanted))
		fail_msg("no \"%s\" in:\n%s", wanted, text);
	free(text);
	call_stacks_deinit(&stacks);
}

static void callgrind_has_an_event_for_each_reason(void **state)
{
	(void)state;
	check_events("pagefaults", SAMPLE_FAULT_MINOR, SAMPLE_FAULT_MAJOR,
		     "events: minor major\nsummary: 30 12\n");
	check_events("spaces", SAMPLE_DELETED, SAMPLE_CREATED,
		     "events: created deleted\nsummary: 12 30\n");
	check_events("words", SAMPLE_ALLOCATION, SAMPLE_ALLOCATION,
		     "events: words\nsummary: 42\n");
	check_events("allocations", SAMPLE_ALLOCATION, SAMPLE_ALLOCATION,
		     "events: allocations\nsummary: 42\n");
	check_events("breaks", SAMPLE_BREAK, SAMPLE_BREAK,
		     "events: breaks\nsummary: 42\n");
	check_events("cpu", SAMPLE_TICK, SAMPLE_TICK,
		     "events: ns\nsummary: 432989691\n");
}

/* ---- what a format cannot say ---------------------------------------------
 */

static void remarks_say_what_is_missing(void **state)
{
	struct recorded_profile all;
	struct str remarks = {0};

	(void)state;
	recorded_profile_init(&all);
	free(written(&all.profile, "gmon.out", &remarks));
	assert_string_equal(
		str_text(&remarks),
		"gprof knows no callers outside of a file; calls from other "
		"modules that it will show as calls from _start or _init: 1\n"
		"gprof knows no callers outside of a file; calls from other "
		"modules that are not in the files: 3\n"
		"gprof knows no waits; ticks of waits that are not in the "
		"files: 15\n");
	str_deinit(&remarks);
	all.arcs.limit = 1;
	recorded_arc(&all, 0, IN_WORK, IN_FIB, 0, 0, 44, 1, 1, 1);
	free(written(&all.profile, "callgrind.out", &remarks));
	assert_string_equal(str_text(&remarks),
			    "Calls that are not in the file, because they were "
			    "counted together, beyond the limit of arcs: 44\n");
	str_deinit(&remarks);
	recorded_profile_deinit(&all);
}

static void gmon_has_a_file_for_each_module(void **state)
{
	static const char *const names[] = {"gmon.out", "gmon.libc.so.6.out",
					    "gmon.libx.so.out"};
	struct recorded_profile all;
	char path[128];

	(void)state;
	recorded_profile_init(&all);
	free(written(&all.profile, "gmon.out", NULL));
	for (size_t i = 0; i < 3; i++) {
		char *text;

		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		text = golden_read(path);
		assert_memory_equal(text, "gmon\1\0\0\0", 8);
		free(text);
	}
	recorded_profile_deinit(&all);
}

static void gmon_needs_to_know_the_program(void **state)
{
	struct recorded_profile all;
	struct str remarks = {0};
	struct error *error;

	(void)state;
	recorded_profile_init(&all);
	all.profile.module_count = 0;
	error = profile_file_write(&all.profile, PROFILE_GMON, "gmon.out",
				   &plain, &remarks);
	assert_non_null(error);
	error_destroy(error);
	recorded_profile_deinit(&all);
}

/* A library's file is called after it, and the name fits. */
static void names_of_libraries_become_names_of_files(void **state)
{
	struct call_stacks stacks = {0};
	struct profile profile = {.stacks = &stacks,
				  .modules = recorded_modules,
				  .module_count = 1};
	struct procedure procedure = {.name = "f", .address = 0x10};
	char name[400], path[600];
	const uint32_t places[] = {0, 1, 2};

	(void)state;
	memset(name, 'l', 255);
	name[255] = '\0';
	call_stacks_thread(&stacks, &(struct sampled_thread){.tid = 1});
	for (uint32_t i = 0; i < 3; i++) {
		static const char *const modules[] = {"a/../b", "[vdso]"};

		procedure.module = i < 2 ? modules[i] : name;
		procedures_number(&stacks.procedures, &procedure);
		call_stacks_place(&stacks, &(struct call_place){.procedure = i,
								.address = 16});
		call_stacks_stack(&stacks, &places[i], 1, false);
		call_stacks_add(&stacks,
				&(struct call_sample){.stack = i, .weight = 1});
	}
	free(written(&profile, "gmon.out", NULL));
	snprintf(path, sizeof(path), "%s/gmon.a_.._b.out", folder);
	assert_int_equal(access(path, F_OK), 0);
	snprintf(path, sizeof(path), "%s/gmon.[vdso].out", folder);
	assert_int_equal(access(path, F_OK), 0);
	name[255 - strlen("gmon..out")] = '\0';
	snprintf(path, sizeof(path), "%s/gmon.%s.out", folder, name);
	assert_int_equal(access(path, F_OK), 0);
	call_stacks_deinit(&stacks);
}

#define IN_FOLDER(test)                                                        \
	cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(the_texts_are_as_in_the_golden_files),
		cmocka_unit_test(the_name_tells_the_format),
		cmocka_unit_test(each_word_is_a_format),
		IN_FOLDER(formats_of_stacks_need_samples),
		IN_FOLDER(a_profile_of_nothing_is_a_file),
		IN_FOLDER(json_has_every_member),
		IN_FOLDER(callgrind_has_an_event_for_each_reason),
		IN_FOLDER(remarks_say_what_is_missing),
		IN_FOLDER(gmon_has_a_file_for_each_module),
		IN_FOLDER(gmon_needs_to_know_the_program),
		IN_FOLDER(names_of_libraries_become_names_of_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
