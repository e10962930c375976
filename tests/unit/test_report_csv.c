/*
 * test_report_csv.c - the tables as CSV, and the quoting of cells
 *
 * tier: core
 * covers: report/records
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "golden.h"
#include "report_everything.h"

static void csv_of_everything_is_as_in_the_golden_files(void **state)
{
	struct everything all;
	struct str text = {0};

	(void)state;
	everything_init(&all);
	report_csv(&all.tables, PART_NODES, &text);
	golden_check("everything-nodes.csv", str_text(&text));
	str_deinit(&text);
	report_csv(&all.tables, PART_LEGS, &text);
	golden_check("everything-legs.csv", str_text(&text));
	str_deinit(&text);
	report_csv(&all.tables, PART_HISTOGRAMS, &text);
	golden_check("everything-histograms.csv", str_text(&text));
	str_deinit(&text);
	report_csv(&all.tables, PART_SPLITS, &text);
	golden_check("everything-by.csv", str_text(&text));
	str_deinit(&text);
	everything_deinit(&all);
}

/* A table without rows has a header row. */
static void csv_of_nothing_has_header_rows(void **state)
{
	const struct tables tables = {.version = NULL};
	struct str text = {0};

	(void)state;
	report_csv(&tables, PART_NODES, &text);
	report_csv(&tables, PART_LEGS, &text);
	report_csv(&tables, PART_HISTOGRAMS, &text);
	report_csv(&tables, PART_SPLITS, &text);
	report_csv(&tables, PART_PROCESSES, &text);
	assert_string_equal(
		str_text(&text),
		"id,kind,location,function,file,line,module,addresses,"
		"condition,count,errors,mechanism,deleted,int3_reason,"
		"made_by\n"
		"id,name,from,to,from_place,to_place,owner,match,count,ignored_"
		"from,ignored_to,"
		"unwound,discarded,open,total_ns,cpu_ns,mean_ns,min_ns,"
		"max_ns,stddev_ns,p50_ns,p90_ns,p99_ns,p999_ns,percent,"
		"below_resolution,resolution_ns,total_bound_ns,"
		"waiting_ns,cpu_count,"
		"cpu_mean_ns,waiting_mean_ns,cpu_problem,interrupted,made_by,"
		"counted\n"
		"of,id,name,class,scale,base,references,sum,average,underflow,"
		"overflow,from,to,count\n"
		"of,id,name,from_place,to_place,expression,at,counted,distinct,"
		"overflow,kind,value,"
		"count,percent,total_ns,mean_ns,min_ns,max_ns,p50_ns,p90_ns,"
		"p99_ns,interrupted\n"
		"id,name,from_place,to_place,process,pid,comm,command,count,"
		"total_ns,cpu_ns,mean_ns,min_ns,max_ns,stddev_ns,p50_ns,p90_ns,"
		"p99_ns,p999_ns,percent,below_resolution,total_bound_ns,"
		"waiting_ns,cpu_count,"
		"cpu_mean_ns,waiting_mean_ns,interrupted\n");
	str_deinit(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(csv_of_everything_is_as_in_the_golden_files),
		cmocka_unit_test(csv_of_nothing_has_header_rows),
	};

	return cmocka_run_group_tests_name("report_csv", tests, NULL, NULL);
}
