/*
 * test_report_functions.c - calls and times by function: the sums, the table,
 * JSON and CSV
 *
 * tier: core
 * covers: report/listings profile
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "golden.h"
#include "perftool/profile/cpu_times.h"
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
	assert_int_equal(list->whole, self);
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
				    false, &list);
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
	struct call_bound bounds[8];
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
	*sample = (struct sample){.arcs = {.limit = 7}};
	add_calls(sample, 0, "main", "sort",
		  &(struct call_times){.count = 1,
				       .unreturned = 1,
				       .self = 61234567,
				       .outermost = 93234567,
				       .self_waiting = 59999000,
				       .waiting = 60000000});
	add_calls(sample, 0, "merge", "sort",
		  &(struct call_times){.count = 1234567,
				       .self = 32000000,
				       .outermost = 32000000,
				       .self_waiting = 1000,
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
	/* what it has waited is longer than its calls */
	add_calls(sample, 0, "spin", "sort",
		  &(struct call_times){.count = 2,
				       .self = 100,
				       .outermost = 100,
				       .self_waiting = 1000,
				       .waiting = 1000});
	add_calls(sample, 1, "lost", "sort",
		  &(struct call_times){.count = 5,
				       .unreturned = 2,
				       .self = 100,
				       .outermost = 200});
}

static const struct call_costs costs = {
	.cost = {10000, 100}, .spread = {1000, 2}, .uncertain = 0.15};

static void sample_deinit(struct sample *sample)
{
	procedures_deinit(&sample->procedures);
	call_arcs_deinit(&sample->arcs);
	function_times_deinit(&sample->list);
}

static struct functions_report report_of(struct sample *sample, bool by_cpu,
					 const char *cpu_problem)
{
	function_times_deinit(&sample->list);
	sample->list = (struct function_times_list){0};
	function_times_make(&sample->arcs, &sample->procedures, by_cpu,
			    &sample->list);
	call_bounds_make(&sample->arcs, NULL, &costs, 8, sample->bounds);
	return (struct functions_report){.list = &sample->list,
					 .procedures = &sample->procedures,
					 .threads = threads,
					 .bounds = sample->bounds,
					 .by_cpu = by_cpu,
					 .cpu_problem = cpu_problem};
}

/* The default, all columns, the same by the times on a CPU and without them;
 * the memo's form, and narrow terminals. No time is below 0. */
static void tables_are_as_in_the_golden_file(void **state)
{
	static const struct report_options forms[] = {
		{.columns = 0},
		{.verbose = true},
		{.memo = true, .verbose = true},
		{.columns = 80, .verbose = true},
		{.columns = 50, .verbose = true}};
	struct sample sample;
	struct functions_report report;
	struct str text = {0};

	(void)state;
	sample_init(&sample);
	report = report_of(&sample, false, NULL);
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		report_functions_text(&report, &forms[i], &text);
		str_append_char(&text, '\n');
	}
	report = report_of(&sample, true, NULL);
	report_functions_text(&report, &forms[3], &text);
	str_append_char(&text, '\n');
	report = report_of(&sample, false,
			   "perf_event_open is refused: Permission denied");
	report_functions_text(&report, &forms[1], &text);
	for (const char *at = str_text(&text); (at = strstr(at, " -")); at++)
		assert_false(isdigit(at[2]));
	golden_check("functions.txt", str_text(&text));
	str_deinit(&text);
	sample_deinit(&sample);
}

/* The heading, and the percentages, are those of all functions. */
static void top_shows_the_first_functions(void **state)
{
	struct functions_report report;
	struct sample sample;
	struct str all = {0}, some = {0};

	(void)state;
	sample_init(&sample);
	report = report_of(&sample, false, NULL);
	report_functions_text(&report, &(struct report_options){0}, &all);
	report.top = report.list->functions.count - 1;
	report_functions_text(&report, &(struct report_options){0}, &some);
	assert_non_null(strstr(str_text(&some),
			       "1 function more is left out by `top='.\n"));
	assert_null(strstr(str_text(&all), "left out by"));
	*strchr(all.data, '\n') = '\0';
	assert_int_equal(strncmp(str_text(&some), all.data, strlen(all.data)),
			 0);
	str_deinit(&some);
	report_functions_csv(&report, &some);
	report.top = 0;
	str_deinit(&all);
	report_functions_csv(&report, &all);
	assert_int_equal(strncmp(str_text(&all), str_text(&some), some.length),
			 0);
	assert_true(some.length < all.length);
	str_deinit(&some);
	str_deinit(&all);
	sample_deinit(&sample);
}

static void json_and_csv_are_as_in_the_golden_files(void **state)
{
	struct functions_report report;
	struct sample sample;
	struct str text = {0};

	(void)state;
	sample_init(&sample);
	report = report_of(&sample, false, NULL);
	report_functions_json(&report, &text);
	golden_check("functions.json", str_text(&text));
	str_deinit(&text);
	report_functions_csv(&report, &text);
	report = report_of(&sample, true, NULL);
	report_functions_csv(&report, &text);
	report = report_of(&sample, false, "nobody asked");
	report_functions_csv(&report, &text);
	golden_check("functions.csv", str_text(&text));
	str_deinit(&text);
	sample_deinit(&sample);
}

static void no_calls_are_said(void **state)
{
	struct sample sample = {.arcs = {.limit = 0}};
	const struct functions_report report = report_of(&sample, false, NULL);
	struct str text = {0};

	(void)state;
	report_functions_text(&report, &(struct report_options){.columns = 0},
			      &text);
	assert_string_equal(str_text(&text), "No calls.\n");
	str_deinit(&text);
	report_functions_csv(&report, &text);
	assert_string_equal(str_text(&text),
			    "function,module,calls,self_ns,total_ns,"
			    "self_cpu_ns,cpu_ns,waiting_ns,percent,bound_ns,"
			    "unreturned\n");
	str_deinit(&text);
}

/* A time that is below 0, or less than the cost of the hits inside may be off,
 * says nothing. A short time with no hits inside does. */
static void bounds_are_of_what_was_subtracted(void **state)
{
	struct call_arcs arcs = {0};
	struct call_bound bounds[3];
	struct map by_int3 = {0};

	(void)state;
	call_arcs_add(&arcs, &(struct call_arc){.caller = NO_PROCEDURE,
						.callee = 0,
						.times = {.count = 3}});
	call_arcs_add(&arcs, &(struct call_arc){.caller = 0,
						.callee = 1,
						.times = {.count = 10}});
	call_arcs_add(&arcs, &(struct call_arc){.caller = 1,
						.callee = 2,
						.times = {.count = 4}});
	map_set_number(&by_int3, 2 + 1, 1);
	call_bounds_make(&arcs, &by_int3, &costs, 3, bounds);
	assert_int_equal((int)bounds[0].self.inside, 10 * 2 * 100 * 15 / 100);
	assert_int_equal((int)bounds[0].self.bound, 3 * 2 + 300);
	assert_int_equal((int)bounds[0].total.inside, 300 + 12000);
	assert_int_equal((int)bounds[0].total.bound, 3 * 2 + 300 + 12000);
	assert_int_equal((int)bounds[1].self.inside, 4 * 2 * 10000 * 15 / 100);
	assert_int_equal((int)bounds[1].self.bound, 10 * 2 + 12000);
	assert_int_equal((int)bounds[1].total.bound, 10 * 2 + 12000);
	assert_int_equal((int)bounds[2].total.inside, 0);
	assert_int_equal((int)bounds[2].total.bound, 4 * 1000);
	call_arcs_deinit(&arcs);
	map_deinit(&by_int3);
}

/* What functions of a cycle pass on to each other does not grow. */
static void bounds_of_a_cycle_are_finite(void **state)
{
	struct call_arcs arcs = {0};
	struct call_bound bounds[3];
	static const struct {
		uint32_t caller, callee;
	} pairs[] = {{NO_PROCEDURE, 0}, {0, 1}, {1, 2}, {2, 1}, {1, 1}};

	(void)state;
	for (size_t i = 0; i < 5; i++)
		call_arcs_add(&arcs,
			      &(struct call_arc){.caller = pairs[i].caller,
						 .callee = pairs[i].callee,
						 .times = {.count = 100}});
	call_bounds_make(&arcs, NULL, &costs, 3, bounds);
	for (size_t i = 0; i < 3; i++) {
		assert_true(bounds[i].total.inside >= bounds[i].self.inside);
		assert_true(bounds[i].total.inside <= 400 * 2 * 100 * 0.15001);
	}
	call_arcs_deinit(&arcs);
}

/* A member of a cycle has the hits of the functions outside that it calls, and
 * not those of the functions that other members call. */
static void bounds_of_members_are_of_their_own_callees(void **state)
{
	static const struct {
		uint32_t caller, callee;
		uint64_t count;
	} calls[] = {
		{NO_PROCEDURE, 0, 1}, {0, 1, 10}, {1, 2, 5},   {2, 1, 5},
		{2, 3, 30},           {0, 3, 10}, {3, 4, 400},
	};
	/* what a hit's cost may be off, of the two hits of a call */
	const int inside = 2 * 100 * 15 / 100;
	struct call_arcs arcs = {0};
	struct call_bound bounds[5];

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		call_arcs_add(
			&arcs,
			&(struct call_arc){.caller = calls[i].caller,
					   .callee = calls[i].callee,
					   .times = {.count = calls[i].count}});
	call_bounds_make(&arcs, NULL, &costs, 5, bounds);
	/* 1 and 2 call each other; only 2 calls out of the cycle. */
	assert_int_equal((int)bounds[1].outside.inside, 5 * inside);
	assert_int_equal((int)bounds[2].outside.inside,
			 (35 + 400 * 30 / 40) * inside);
	assert_int_equal((int)bounds[2].outside.bound,
			 5 * 2 + (35 + 400 * 30 / 40) * inside);
	/* A time with children has what all members call. */
	assert_int_equal((int)bounds[1].total.inside, 340 * inside);
	assert_int_equal((int)bounds[2].total.inside, 340 * inside);
	/* The caller has the whole cycle, once. */
	assert_int_equal((int)bounds[0].total.inside,
			 (20 + 340 + 100) * inside);
	assert_int_equal((int)bounds[0].outside.inside,
			 (int)bounds[0].total.inside);
	call_arcs_deinit(&arcs);
}

/* Waits of nested recursive calls are not measured, and count in proportion. */
static void times_on_a_cpu_are_without_waits(void **state)
{
	struct call_arcs arcs = {0}, on_cpu = {0};
	const struct call_times *times;

	(void)state;
	call_arcs_add(&arcs, &(struct call_arc){.caller = NO_PROCEDURE,
						.callee = 0,
						.times = {.count = 2,
							  .elapsed = 1500,
							  .self = 400,
							  .outermost = 1000,
							  .self_waiting = 100,
							  .waiting = 600}});
	call_arcs_add(&arcs, &(struct call_arc){.caller = 0,
						.callee = 0,
						.times = {.count = 2,
							  .elapsed = 500,
							  .self = 50,
							  .self_waiting = 20}});
	cpu_times_copy(&arcs, &on_cpu);
	assert_int_equal(on_cpu.list.count, 2);
	times = &on_cpu.list.data[0].times;
	assert_int_equal(times->outermost, 400);
	assert_int_equal(times->self, 300);
	assert_int_equal(times->elapsed, 1500 - 600 - 300);
	assert_int_equal(times->waiting, 0);
	assert_int_equal(on_cpu.list.data[1].times.elapsed, 480);
	assert_int_equal(on_cpu.list.data[1].times.self, 30);
	assert_int_equal(arcs.list.data[0].times.elapsed, 1500);
	call_arcs_deinit(&arcs);
	call_arcs_deinit(&on_cpu);
}

/* What was subtracted for the hits of children may be more than they took. */
static void no_figure_is_impossible(void **state)
{
	struct call_arcs arcs = {.other = {.count = 3,
					   .elapsed = 900,
					   .self = 200,
					   .outermost = 900},
				 .others = 3};
	struct function_times_list list = {0};
	struct procedures procedures = {0};
	const struct call_times *times;

	(void)state;
	procedures_number(&procedures, &(struct procedure){.name = "f"});
	call_arcs_add(&arcs, &(struct call_arc){.caller = NO_PROCEDURE,
						.times = {.count = 2,
							  .elapsed = 143,
							  .self = 229,
							  .outermost = 143}});
	function_times_make(&arcs, &procedures, false, &list);
	times = &list.functions.data[0].times;
	assert_int_equal(times->self, 229);
	assert_int_equal(times->outermost, 229);
	assert_memory_equal(&list.threads.data[0].times, times, sizeof(*times));
	assert_int_equal(list.other.outermost, list.other.self);
	function_times_deinit(&list);
	procedures_deinit(&procedures);
	call_arcs_deinit(&arcs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_those_of_random_programs),
		cmocka_unit_test(tables_are_as_in_the_golden_file),
		cmocka_unit_test(top_shows_the_first_functions),
		cmocka_unit_test(json_and_csv_are_as_in_the_golden_files),
		cmocka_unit_test(no_calls_are_said),
		cmocka_unit_test(bounds_are_of_what_was_subtracted),
		cmocka_unit_test(bounds_of_a_cycle_are_finite),
		cmocka_unit_test(bounds_of_members_are_of_their_own_callees),
		cmocka_unit_test(times_on_a_cpu_are_without_waits),
		cmocka_unit_test(no_figure_is_impossible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
