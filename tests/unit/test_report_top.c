/*
 * test_report_top.c - the table of `top', and source lines, as text, JSON and
 * CSV
 *
 * tier: core
 * covers: report/listings
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "golden.h"
#include "perftool/report/annotated_source.h"
#include "perftool/report/top_table.h"

static void top_is_as_in_the_golden_files(void **state)
{
	static const struct procedure known[] = {
		{.name = "parse, \"all\"", .module = "tool", .address = 0x10},
		{.name = "memcpy", .module = "libc.so.6", .address = 0x20},
		{.name = "hot", .module = "tool", .address = 0x30},
	};
	static const struct top_row rows[] = {
		{.own = 62.5,
		 .total = 100,
		 .calls = 1234.5,
		 .command = "time p"},
		{.procedure = 1,
		 .own = 37.5,
		 .total = 37.5,
		 .calls = -1,
		 .command = "break memcpy if 1",
		 .only_counts = true},
		{.procedure = 2,
		 .calls = 30.3e6,
		 .calls_are_least = true,
		 .command = "time hot"},
	};
	struct procedures procedures = {0};
	struct top_report report = {.procedures = &procedures,
				    .rows = rows,
				    .row_count = 3,
				    .functions = 3,
				    .ticks = 800,
				    .seconds = 2,
				    .cpus = 0.8016,
				    .remark = "Ticks came late.",
				    .calls_remark = "Calls/s: one is inlined."};
	struct str text = {0};

	(void)state;
	for (size_t i = 0; i < 3; i++)
		procedures_number(&procedures, &known[i]);
	report_top_text(&report, &(struct report_options){0}, &text);
	golden_check("top.txt", str_text(&text));
	str_deinit(&text);
	report_top_json(&report, &text);
	golden_check("top.json", str_text(&text));
	str_deinit(&text);
	report_top_csv(&report, &text);
	golden_check("top.csv", str_text(&text));
	str_deinit(&text);
	procedures_deinit(&procedures);
}

static size_t lines_in(const char *text)
{
	size_t count = 0;

	for (; (text = strchr(text, '\n')); text++)
		count++;
	return count;
}

/* A row without a command leaves its place to a later row. */
static void top_has_ten_commands(void **state)
{
	struct procedures procedures = {0};
	struct top_row rows[12];
	struct top_report report = {.procedures = &procedures,
				    .rows = rows,
				    .row_count = 12,
				    .functions = 12,
				    .ticks = 800};
	struct str text = {0};
	size_t count = 0;

	(void)state;
	for (uint32_t i = 0; i < 12; i++) {
		const struct procedure procedure = {
			.name = "f", .module = "m", .address = i + 1};

		rows[i] = (struct top_row){
			.procedure = procedures_number(&procedures, &procedure),
			.calls = -1,
			.command = i == 1 ? NULL : "time f"};
	}
	report_top_text(&report, &(struct report_options){0}, &text);
	for (const char *at = str_text(&text);
	     (at = strstr(at, "    time f\n")); at++)
		count++;
	assert_int_equal(count, 10);
	str_deinit(&text);
	procedures_deinit(&procedures);
}

/* An interim table fits the screen, with a line for the cursor, and shows a
 * command. */
static void top_fits_the_screen(void **state)
{
	struct procedures procedures = {0};
	struct top_row rows[20];
	struct top_report report = {.procedures = &procedures,
				    .rows = rows,
				    .row_count = 20,
				    .functions = 20,
				    .ticks = 800,
				    .broken = 5,
				    .to_come = 3};

	(void)state;
	for (uint32_t i = 0; i < 20; i++) {
		const struct procedure procedure = {
			.name = "f", .module = "m", .address = i + 1};

		rows[i] = (struct top_row){
			.procedure = procedures_number(&procedures, &procedure),
			.calls = -1,
			.command = "time f",
			.only_counts = i < 3};
	}
	for (int lines = 5; lines < 50; lines++) {
		const struct report_options options = {.lines = lines};
		struct str text = {0};

		report_top_text(&report, &options, &text);
		assert_true(lines_in(str_text(&text)) < (size_t)lines);
		if (lines >= 10)
			assert_non_null(
				strstr(str_text(&text),
				       "To time one of them:\n    time f\n"));
		str_deinit(&text);
	}
	procedures_deinit(&procedures);
}

static void source_is_as_in_the_golden_files(void **state)
{
	static const struct annotated_line lines[] = {
		{.line = 4,
		 .has_code = true,
		 .is_counted = true,
		 .executions = 3,
		 .own = 41.4,
		 .total = 1000.6,
		 .text = "{"},
		{.line = 5, .text = "\t/* says, \"why\" */"},
		{.line = 6,
		 .has_code = true,
		 .is_counted = true,
		 .text = "\treturn;"},
		{.line = 7,
		 .has_code = true,
		 .is_counted = true,
		 .executions = 3},
		{.line = 8, .has_code = true, .own = 12, .total = 12},
		{.line = 9,
		 .has_code = true,
		 .is_counted = true,
		 .executions = 2,
		 .own = -7,
		 .total = 30,
		 .bound = 40.5},
		{.line = 10,
		 .has_code = true,
		 .is_counted = true,
		 .executions = 2,
		 .bound = -1},
	};
	struct annotated_source source = {0};
	struct annotated_function work = {.name = "work",
					  .path = "/src/work.c",
					  .calls = 3,
					  .by_int3 = true};
	struct str text = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		vec_push(&work.lines, lines[i]);
	vec_push(&source, work);
	vec_push(&source, ((struct annotated_function){.name = "bare"}));
	report_source_text(&source, &text);
	golden_check("source.txt", str_text(&text));
	str_deinit(&text);
	report_source_json(&source, &text);
	golden_check("source.json", str_text(&text));
	str_deinit(&text);
	report_source_csv(&source, &text);
	golden_check("source.csv", str_text(&text));
	str_deinit(&text);
	vec_free(&source.data[0].lines);
	vec_free(&source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(top_has_ten_commands),
		cmocka_unit_test(top_fits_the_screen),
		cmocka_unit_test(top_is_as_in_the_golden_files),
		cmocka_unit_test(source_is_as_in_the_golden_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
