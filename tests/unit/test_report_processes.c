/*
 * test_report_processes.c - the shares that processes have of a leg: text,
 * JSON, CSV
 *
 * There are two workers, and an earlier process that had the pid of one of the
 * workers. All of them have executed one leg, and only one process has executed
 * the other.
 *
 * tier: core
 * covers: report/text report/records
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "golden.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/measure/thread_counts.h"
#include "perftool/report.h"

static struct measure *measure;
static struct report_node nodes[3];
static struct report_leg legs[2];
static struct report_leg shares[5]; /* the shares of legs 0 and 1 */
static struct tables tables;

/* Make an execution that takes `ns`, of the leg that ends at node `to`. */
static void execute(int32_t pid, uint32_t to, uint64_t ns)
{
	static uint64_t now = 1000;
	struct hit hit = {
		.thread = (uint32_t)pid, .pid = pid, .tid = pid, .node = 1};

	hit.time = now;
	measure_hit(measure, &hit);
	hit.node = to;
	hit.time = now + ns;
	measure_hit(measure, &hit);
	now += ns + 100;
}

static void fill_share(struct report_leg *row, const struct report_leg *leg,
		       size_t index)
{
	struct measure_share share;

	assert_true(measure_leg_share(leg->stats, index, &share));
	*row = *leg;
	row->stats = share.stats;
	row->process = share.process;
	row->is_share = true;
	row->shares_pid = share.process->pid == 4242;
}

static void execute_all(void)
{
	execute(4242, 2, 5000);
	measure_name_process(measure, 4242, "sh",
			     "/bin/sh -c \"exec server\", quoted");
	measure_process_gone(measure, 4242);
	for (uint64_t i = 0; i < 10; i++)
		execute(31337, 2, 1000 * (i + 1));
	execute(4242, 2, 2000000);
	execute(31337, 3, 77);
	measure_name_process(measure, 31337, "worker\x01",
			     "/opt/server/bin/server --worker --name first");
}

static int setup(void **state)
{
	(void)state;
	measure = measure_create();
	for (uint32_t node = 1; node <= 3; node++)
		measure_add_node(measure, node);
	for (uint32_t to = 2; to <= 3; to++) {
		struct leg_spec spec = {.from = 1, .to = to};
		uint32_t id;
		bool existed;

		assert_null(measure_add_leg(measure, &spec, &id, &existed));
	}
	measure_set_monitor(measure, true, 0);
	measure_set_running(measure, true, 0);
	execute_all();
	for (uint32_t i = 0; i < 3; i++)
		nodes[i].stats = measure_node(measure, i + 1);
	for (uint32_t i = 0; i < 2; i++)
		legs[i] = (struct report_leg){.stats = measure_leg(measure, i),
					      .name = i ? "rest" : "serve a, b",
					      .from_place = "serve",
					      .to_place = i ? "a.c:10"
							    : "return serve"};
	for (size_t i = 0; i < 3; i++)
		fill_share(&shares[i], &legs[0], i);
	fill_share(&shares[3], &legs[1], 0);
	legs[0].shares = shares;
	legs[0].share_count = 3;
	legs[1].shares = &shares[3];
	legs[1].share_count = 1;
	tables = (struct tables){.program.exit_status = -1,
				 .nodes = nodes,
				 .node_count = 3,
				 .legs = legs,
				 .leg_count = 2,
				 .process_count = 3};
	measure_get_summary(measure, 3000000, &tables.summary);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	measure_destroy(measure);
	return 0;
}

/* Print the rows that `print legs by=process` has, a row of the processes for
 * which there was no room, and a leg that was never executed. */
static void print(const struct report_options *options, struct str *out)
{
	const struct histogram_spec hdr = {.class = HISTOGRAM_HDR};
	struct measure_leg none = {.id = 2};
	struct report_leg rows[6];
	struct tables by_process = tables;

	assert_null(histogram_create(&hdr, true, &none.record));
	for (size_t i = 0; i < 4; i++)
		rows[i] = shares[i];
	rows[4] = shares[3];
	rows[4].process = NULL;
	rows[5] = legs[1];
	rows[5].stats = &none;
	by_process.legs = rows;
	by_process.leg_count = 6;
	report_text(&by_process, PART_LEGS, options, out);
	str_append_char(out, '\n');
	histogram_destroy(none.record);
}

static void shares_as_text_are_as_in_the_golden_file(void **state)
{
	static const struct report_options forms[] = {
		{.by_process = true},
		{.by_process = true, .columns = 80},
		{.by_process = true, .columns = 60},
		{.by_process = true, .memo = true},
		{.by_process = true, .memo = true, .columns = 80},
	};
	struct str text = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		print(&forms[i], &text);
	report_text(&tables, PART_LEGS, &(struct report_options){.columns = 80},
		    &text);
	golden_check("processes.txt", str_text(&text));
	str_deinit(&text);
}

/* The table shows names only if they tell the rows apart: the command lines if
 * these differ, else the kernel's names of the processes if these differ. */
static void names_of_processes_are_shown_only_if_they_differ(void **state)
{
	const struct report_options options = {.by_process = true};
	struct measure_process processes[2] = {
		{.number = 1, .pid = 11, .comm = "a", .command = "/x/s -k"},
		{.number = 2, .pid = 12, .comm = "b", .command = "/x/s -k"}};
	struct tables two = tables;
	struct report_leg rows[2];
	struct str text = {0};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		rows[i] = shares[i];
		rows[i].process = &processes[i];
		rows[i].shares_pid = false;
	}
	two.legs = rows;
	report_text(&two, PART_LEGS, &options, &text);
	assert_non_null(strstr(str_text(&text), "   11  a "));
	assert_non_null(strstr(str_text(&text), "   12  b "));
	str_deinit(&text);
	processes[1].comm = processes[0].comm;
	report_text(&two, PART_LEGS, &options, &text);
	assert_null(strstr(str_text(&text), "Process"));
	assert_null(strstr(str_text(&text), "#1"));
	str_deinit(&text);
	processes[1].command = "/x/s -l";
	report_text(&two, PART_LEGS, &options, &text);
	assert_non_null(strstr(str_text(&text), "   11  s -k "));
	assert_non_null(strstr(str_text(&text), "   12  s -l "));
	str_deinit(&text);
}

static void shares_as_json_and_csv_are_as_in_golden_files(void **state)
{
	struct str text = {0};

	(void)state;
	report_json(&tables, &text);
	golden_check("processes.json", str_text(&text));
	str_deinit(&text);
	report_csv(&tables, PART_PROCESSES, &text);
	golden_check("processes.csv", str_text(&text));
	str_deinit(&text);
}

/* If only one process has executed legs, there is no list of processes, because
 * the figures of the process are those of the legs. */
static void only_process_is_not_listed(void **state)
{
	struct str text = {0};

	(void)state;
	tables.process_count = 1;
	report_json(&tables, &text);
	assert_non_null(strstr(str_text(&text), "\"processes\": null"));
	assert_null(strstr(str_text(&text), "\"comm\""));
	str_deinit(&text);
	report_text(&tables, PART_LEGS, &(struct report_options){0}, &text);
	assert_null(strstr(str_text(&text), "rocess"));
	str_deinit(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			shares_as_text_are_as_in_the_golden_file, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			names_of_processes_are_shown_only_if_they_differ, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			shares_as_json_and_csv_are_as_in_golden_files, setup,
			teardown),
		cmocka_unit_test_setup_teardown(only_process_is_not_listed,
						setup, teardown),
	};

	return cmocka_run_group_tests_name("report_processes", tests, NULL,
					   NULL);
}
