/*
 * test_report_functions.c - calls and times by function: the sums, the table,
 * JSON and CSV
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "golden.h"
#include "perftool/report/functions_table.h"
#include "profile_model.h"

/* ---- the sums ------------------------------------------------------------ */

static void check_sums(const struct model *model,
		       const struct function_times_list *list)
{
	int64_t self = 0;
	uint64_t calls[MODEL_MOST] = {0};

	for (size_t i = 0; i < list->functions.count; i++) {
		const struct function_times *function =
			&list->functions.data[i];
		struct call_times sum = {0};
		int64_t inside = 0;

		for (size_t j = 0; j < function->thread_count; j++)
			call_times_add(
				&sum,
				&list->threads.data[function->first_thread + j]
					 .times);
		assert_memory_equal(&sum, &function->times, sizeof(sum));
		for (size_t j = 0; j < model->slices.count; j++) {
			const struct model_slice *slice =
				&model->slices.data[j];

			for (size_t k = 0; k < slice->depth; k++) {
				if (slice->stack[k] != function->procedure)
					continue;
				inside += slice->time;
				break;
			}
		}
		assert_int_equal(function->times.outermost, inside);
		assert_int_equal(function->times.count,
				 model->calls[function->procedure]);
		calls[function->procedure] += function->times.count;
		self += function->times.self;
		if (i)
			assert_true(function[-1].times.outermost >= inside);
	}
	assert_int_equal(self, model->total);
	assert_memory_equal(calls, model->calls, sizeof(calls));
}

/* A recursive function counts once in the time with children. */
static void sums_are_those_of_random_programs(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 3000; seed++) {
		struct function_times_list list = {0};
		struct model model;

		model_init(&model, seed, true, 0);
		function_times_make(&model.arcs, &model.stacks.procedures,
				    &list);
		check_sums(&model, &list);
		function_times_deinit(&list);
		model_deinit(&model);
	}
}

/* ---- the table ----------------------------------------------------------- */

struct sample {
	struct procedures procedures;
	struct call_arcs arcs;
	struct function_times_list list;
};

static const struct sampled_thread threads[] = {
	{.pid = 100, .tid = 100, .name = "sort"},
	{.pid = 100, .tid = 101, .name = "worker,\t\"1\""},
	{.pid = 100, .tid = 102}};

static void add_calls(struct sample *sample, uint32_t thread, const char *name,
		      const char *module, const struct call_times *times)
{
	call_arcs_add(&sample->arcs,
		      &(struct call_arc){
			      .thread = thread,
			      .caller = NO_PROCEDURE,
			      .callee = procedures_number(
				      &sample->procedures,
				      &(struct procedure){.name = name,
							  .module = module}),
			      .times = *times});
}

static void sample_init(struct sample *sample)
{
	*sample = (struct sample){.arcs = {.limit = 6}};
	add_calls(sample, 0, "main", "sort",
		  &(struct call_times){.count = 1,
				       .unreturned = 1,
				       .self = 1234567,
				       .outermost = 98765432,
				       .waiting = 60000000});
	add_calls(sample, 0, "merge", "sort",
		  &(struct call_times){.count = 1234567,
				       .self = 30000000,
				       .outermost = 32000000,
				       .waiting = 1000});
	add_calls(
		sample, 1, "merge", "sort",
		&(struct call_times){
			.count = 2, .self = 50, .outermost = 70, .waiting = 0});
	add_calls(
		sample, 2, "compare", "sort",
		&(struct call_times){.count = 3, .self = -4, .outermost = -4});
	add_calls(sample, 2, "compare", "libc.so.6",
		  &(struct call_times){
			  .count = 9, .self = 999, .outermost = 999});
	add_calls(sample, 1,
		  "std::vector<std::pair<int, int>>::emplace_back<int, "
		  "int>(int&&, int&&)",
		  "sort",
		  &(struct call_times){
			  .count = 7, .self = 1700, .outermost = 1800});
	add_calls(sample, 1, "lost", "sort",
		  &(struct call_times){.count = 5,
				       .unreturned = 2,
				       .self = 100,
				       .outermost = 200});
	function_times_make(&sample->arcs, &sample->procedures, &sample->list);
}

static void sample_deinit(struct sample *sample)
{
	procedures_deinit(&sample->procedures);
	call_arcs_deinit(&sample->arcs);
	function_times_deinit(&sample->list);
}

static struct functions_report report_of(const struct sample *sample,
					 const char *cpu_problem)
{
	return (struct functions_report){.list = &sample->list,
					 .procedures = &sample->procedures,
					 .threads = threads,
					 .measured = 100000000,
					 .cpu_problem = cpu_problem};
}

/* The default, all columns, and the same without the times on a CPU; the memo's
 * form, and narrow terminals. */
static void tables_are_as_in_the_golden_file(void **state)
{
	static const struct report_options forms[] = {
		{.columns = 0},
		{.verbose = true},
		{.memo = true, .verbose = true},
		{.columns = 80, .verbose = true},
		{.columns = 50, .verbose = true}};
	struct sample sample;
	struct functions_report known, unknown;
	struct str text = {0};

	(void)state;
	sample_init(&sample);
	known = report_of(&sample, NULL);
	unknown = report_of(&sample,
			    "perf_event_open is refused: Permission denied");
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		report_functions_text(&known, &forms[i], &text);
		str_append_char(&text, '\n');
	}
	report_functions_text(&unknown, &forms[1], &text);
	golden_check("functions.txt", str_text(&text));
	str_deinit(&text);
	sample_deinit(&sample);
}

static void json_and_csv_are_as_in_the_golden_files(void **state)
{
	struct functions_report known, unknown;
	struct sample sample;
	struct str text = {0};

	(void)state;
	sample_init(&sample);
	known = report_of(&sample, NULL);
	unknown = report_of(&sample, "nobody asked");
	report_functions_json(&known, &text);
	golden_check("functions.json", str_text(&text));
	str_deinit(&text);
	report_functions_csv(&known, &text);
	report_functions_csv(&unknown, &text);
	golden_check("functions.csv", str_text(&text));
	str_deinit(&text);
	sample_deinit(&sample);
}

static void no_calls_are_said(void **state)
{
	struct sample sample = {.arcs = {.limit = 0}};
	const struct functions_report report = report_of(&sample, NULL);
	struct str text = {0};

	(void)state;
	report_functions_text(&report, &(struct report_options){.columns = 0},
			      &text);
	assert_string_equal(str_text(&text), "No calls.\n");
	str_deinit(&text);
	report_functions_csv(&report, &text);
	assert_string_equal(str_text(&text),
			    "function,module,calls,self_ns,total_ns,cpu_ns,"
			    "waiting_ns,percent,unreturned\n");
	str_deinit(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_those_of_random_programs),
		cmocka_unit_test(tables_are_as_in_the_golden_file),
		cmocka_unit_test(json_and_csv_are_as_in_the_golden_files),
		cmocka_unit_test(no_calls_are_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
