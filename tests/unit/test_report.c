/*
 * test_report.c - the tables as text, compared with the files of tests/golden
 *
 * tier: core
 * covers: report/text
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "golden.h"
#include "memo_session.h"
#include "perftool/base/alloc.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/report.h"

static const struct report_options plain = {.width = 100, .memo = true};

/* ---- figures -------------------------------------------------------- */

static void check_text(struct str *text, const char *wanted)
{
	assert_string_equal(str_text(text), wanted);
	str_deinit(text);
}

static void times_are_written_as_in_the_memo(void **state)
{
	static const struct {
		__int128 ns;
		const char *text;
	} cases[] = {
		{0, "0:000"},
		{999, "0:000"},
		{1000, "0:001"},
		{1812251, "1:812"},
		{39208803, "39:208"},
		{999999999, "999:999"},
		{1000000000, "1.000:000"},
		{INT64_C(67100932000), "67.100:932"},
		{-1500, "-0:001"},
		{-999, "0:000"},
		{(__int128)1 << 100, "1267650600228229401496.703:205"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct str text = {0};

		report_memo_time(cases[i].ns, &text);
		check_text(&text, cases[i].text);
	}
}

static void durations_have_a_fitting_unit(void **state)
{
	static const struct {
		double ns;
		const char *text;
	} cases[] = {
		{0, "0ns"},         {1, "1ns"},        {1.5, "1.50ns"},
		{9.996, "10.0ns"},  {15.25, "15.2ns"}, {999, "999ns"},
		{999.6, "1.00us"},  {1234, "1.23us"},  {45678, "45.7us"},
		{999600, "1.00ms"}, {1e9, "1.00s"},    {1.5e12, "1500s"},
		{-2500, "-2.50us"}, {0.25, "0.25ns"},  {-0.0, "0ns"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct str text = {0};

		report_duration(cases[i].ns, &text);
		check_text(&text, cases[i].text);
	}
}

static void numbers_are_grouped_by_thousands(void **state)
{
	static const struct {
		__int128 number;
		const char *text;
	} cases[] = {
		{0, "0"},
		{7, "7"},
		{999, "999"},
		{1000, "1,000"},
		{-1000, "-1,000"},
		{-999999, "-999,999"},
		{719172, "719,172"},
		{UINT64_MAX, "18,446,744,073,709,551,615"},
		{(__int128)((unsigned __int128)1 << 127),
		 "-170,141,183,460,469,231,731,687,303,715,884,105,728"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct str text = {0};

		report_number(cases[i].number, &text);
		check_text(&text, cases[i].text);
	}
}

/* ---- the memo's session --------------------------------------------- */

static const uint64_t entry_address[] = {0x401136};
static const uint64_t exit_addresses[] = {0x401170, 0x4011a2};

static void memo_tables(const struct measure *measure,
			struct report_node nodes[2], struct report_leg *leg,
			struct tables *tables)
{
	nodes[0] = (struct report_node){.stats = measure_node(measure, 1),
					.kind = "entry",
					.location = "AllocVM",
					.function = "AllocVM",
					.file = "/src/Swapper.mesa",
					.line = 12,
					.module = "Mesa",
					.addresses = entry_address,
					.address_count = 1,
					.condition = "pages >= 1",
					.mechanism = "int3"};
	nodes[1] = (struct report_node){.stats = measure_node(measure, 2),
					.kind = "exit",
					.location = "AllocVM",
					.function = "AllocVM",
					.file = "/src/Swapper.mesa",
					.line = 40,
					.module = "Mesa",
					.addresses = exit_addresses,
					.address_count = 2,
					.condition = "1",
					.mechanism = "int3"};
	*leg = (struct report_leg){
		.stats = measure_leg(measure, 0),
		.resolution = measure_leg_resolution(measure,
						     measure_leg(measure, 0)),
		.below_resolution = measure_leg_below_resolution(
			measure, measure_leg(measure, 0))};
	*tables = (struct tables){.version = "1.2.3",
				  .program = {.path = "/bin/mesa",
					      .pid = 1000,
					      .state = "stopped",
					      .exit_status = -1},
				  .clock_source = "tsc",
				  .clock_resolution = 0.4,
				  .nodes = nodes,
				  .node_count = 2,
				  .legs = leg,
				  .leg_count = 1};
	measure_get_summary(measure, MEMO_ELAPSED, &tables->summary);
}

static void tables_of_the_memo_are_as_in_the_golden_file(void **state)
{
	struct measure *measure = memo_session();
	struct report_node nodes[2];
	struct report_leg leg;
	struct tables tables;
	struct str text = {0};

	(void)state;
	memo_tables(measure, nodes, &leg, &tables);
	report_text(&tables, PART_ALL, &plain, &text);
	golden_check("memo-tables.txt", str_text(&text));
	str_deinit(&text);
	measure_destroy(measure);
}

/* The default leg table shows the names of legs. At 80 columns the columns that
 * tell most are left. */
static void leg_table_shows_names(void **state)
{
	struct report_leg legs[3];
	struct measure *measure = memo_session();
	struct report_node nodes[2];
	struct tables tables;
	struct str text = {0};

	(void)state;
	memo_tables(measure, nodes, &legs[0], &tables);
	legs[0].name = "AllocatePages";
	legs[1] = legs[2] = legs[0];
	legs[1].name = "from a place of a file.c:1234 -> and to another one";
	legs[2].name = "caf\xc3\xa9";
	tables.legs = legs;
	tables.leg_count = 3;
	report_text(&tables, PART_LEGS, &(struct report_options){0}, &text);
	str_append_char(&text, '\n');
	report_text(&tables, PART_NODES | PART_LEGS,
		    &(struct report_options){.columns = 80, .unexecuted = 7},
		    &text);
	golden_check("named-legs.txt", str_text(&text));
	str_deinit(&text);
	measure_destroy(measure);
}

static bool tells(const struct tables *tables, unsigned parts,
		  const struct report_options *options, const char *what)
{
	struct str text = {0};
	bool found;

	report_text(tables, parts, options, &text);
	found = strstr(str_text(&text), what) != NULL;
	str_deinit(&text);
	return found;
}

/* The notes below tables from which rows were left out, or whose figures are
 * not to be trusted. */
static void notes_tell_what_is_left_out_or_doubtful(void **state)
{
	struct measure *measure = memo_session();
	struct report_node nodes[2];
	struct report_leg leg;
	struct tables tables;

	(void)state;
	memo_tables(measure, nodes, &leg, &tables);
	assert_true(tells(&tables, PART_NODES,
			  &(struct report_options){.unreached = 1},
			  "\n1 node that was never reached is left out; "));
	assert_true(tells(&tables, PART_NODES,
			  &(struct report_options){.unreached = 1002},
			  "\n1,002 nodes that were never reached are "));
	assert_false(tells(&tables, PART_NODES, &plain, "left out"));
	/* there are many hits that follow tail calls, and many more than hits
	 * that counted */
	tables.summary.breaks = 20000;
	tables.summary.followed = 100000;
	assert_true(tells(&tables, PART_LEGS, &plain,
			  "\n100,000 hits only followed tail calls"));
	assert_true(tells(&tables, PART_LEGS, &plain,
			  "wrong by as\n  much as they cost.\n"));
	tables.summary.compensated = true;
	tables.summary.calibration[HIT_FAST].cost = 19;
	tables.summary.calibration[HIT_INT3].cost = 5200;
	assert_true(tells(&tables, PART_LEGS, &plain,
			  "wrong by up to\n  19ns for each.\n"));
	tables.summary.followed_int3 = 12;
	tables.cost_samples = 1;
	tables.cost_factor = 2;
	assert_true(tells(&tables, PART_LEGS, &plain,
			  "wrong by up to\n  38ns for each, and 5.20us for "
			  "each of the 12 at int3s.\n"));
	tables.summary.followed_int3 = 100000;
	assert_true(tells(&tables, PART_LEGS, &plain,
			  "wrong by up to\n  5.20us for each.\n"));
	tables.summary.breaks = 20001;
	assert_false(tells(&tables, PART_LEGS, &plain, "followed"));
	tables.summary.breaks = 1;
	tables.summary.followed = 99999;
	assert_false(tells(&tables, PART_LEGS, &plain, "followed"));
	measure_destroy(measure);
}

/* The memo has a leg's histogram in ticks, and not in ns. */
static void leg_histogram_of_the_memo_is_in_ticks(void **state)
{
	const struct histogram_spec spec = {
		.class = HISTOGRAM_LOG, .buckets = 12, .scale = 0};
	struct histogram *histogram = NULL;
	struct str text = {0};

	(void)state;
	assert_null(histogram_create(&spec, true, &histogram));
	for (unsigned i = 0; i < MEMO_CALLS; i++)
		histogram_add(histogram, value_unsigned(memo_ticks(i)));
	report_histogram_text(
		&(struct report_histogram){histogram, true, 0, 0, NULL}, &plain,
		&text);
	golden_check("memo-leg-histogram.txt", str_text(&text));
	str_deinit(&text);
	histogram_destroy(histogram);
}

/* The text has the figures of the memo's sample session, in the memo's form,
 * whatever the tool adds around them. */
static void text_has_the_figures_of_the_memo(void **state)
{
	static const char *const lines[] = {
		"Total Elapsed Time of Measurements = 69.627:210\n",
		"Elapsed Time less PerfMonitor Overhead = 67.100:932\n",
		"Total Overhead of PerfMonitor Breaks = 2.526:278\n",
		"Total number of Perf Breaks handled = 1,394\n",
		"Average Overhead per Perf Break = 1:812 ",
		"% of Total Time spent in PerfMonitor = 3.62\n",
	};
	struct measure *measure = memo_session();
	struct report_node nodes[2];
	struct report_leg leg;
	struct tables tables;
	struct str text = {0};

	(void)state;
	memo_tables(measure, nodes, &leg, &tables);
	report_text(&tables, PART_SUMMARY | PART_LEGS, &plain, &text);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		assert_non_null(strstr(str_text(&text), lines[i]));
	assert_non_null(strstr(str_text(&text), "27.328:536"));
	assert_non_null(strstr(str_text(&text), "39:208  39.24\n"));
	str_deinit(&text);
	measure_destroy(measure);
}

/* ---- other states of the tables ------------------------------------- */

static void empty_tables_are_as_in_the_golden_file(void **state)
{
	const struct tables tables = {.program = {.exit_status = -1},
				      .summary = {.compensated = true}};
	struct str text = {0};

	(void)state;
	report_text(&tables, PART_ALL, &plain, &text);
	golden_check("empty-tables.txt", str_text(&text));
	str_deinit(&text);
	report_text(&tables, PART_HISTOGRAMS, &plain, &text);
	check_text(&text, "No histograms.\n");
}

static void hit_at(struct measure *measure, uint32_t node, uint32_t thread,
		   uint64_t time, uint64_t frame)
{
	struct hit hit = {.node = node,
			  .thread = thread,
			  .pid = 7,
			  .tid = (int32_t)thread + 70,
			  .time = time,
			  .frame = frame,
			  .stack = thread};

	measure_hit(measure, &hit);
}

/*
 * A session whose tables have every mark and every note: `~`, `*`, below the
 * resolution, more than 100 % of the time, deleted and pending nodes, errors,
 * raw times, all owners and matches.
 */
static struct measure *marked_session(void)
{
	const struct histogram_spec hdr = {.class = HISTOGRAM_HDR};
	const struct leg_spec specs[] = {
		{.from = 1,
		 .to = 2,
		 .match = MATCH_NESTED,
		 .by_frame = true,
		 .from_enters = true},
		{.from = 2, .to = 3, .owner = OWNER_LEG},
		{.from = 3, .to = 4, .owner = OWNER_KEY, .match = MATCH_FIRST},
		{.from = 1, .to = 1, .match = MATCH_OUTERMOST},
	};
	struct measure *measure = measure_create();
	uint32_t leg;
	bool existed;

	measure_set_calibration(measure, HIT_INT3, 9530, 310);
	for (uint32_t node = 1; node <= 12; node++)
		measure_add_node(measure, node);
	for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++)
		assert_null(
			measure_add_leg(measure, &specs[i], &leg, &existed));
	assert_null(measure_leg_add_histogram(measure, 0, &hdr));
	measure_set_monitor(measure, true, 0);
	measure_set_running(measure, true, 0);
	for (uint32_t thread = 1; thread <= 3; thread++)
		hit_at(measure, 1, thread, thread * 100, 0x7000);
	hit_at(measure, 1, 1, 1000, 0x6000); /* a longjmp has left the frame */
	for (uint32_t thread = 1; thread <= 3; thread++)
		hit_at(measure, 2, thread, 900000 + thread * 5000, 0x7000);
	hit_at(measure, 3, 3, 915100, 0x5000);
	measure_node_error(measure, 4, "cannot read memory at 0x0");
	measure_node_error(measure, 4, "another reason");
	measure_node_deleted(measure, 12);
	measure_set_running(measure, false, 1000000);
	return measure;
}

static size_t widest_line(const char *text)
{
	size_t widest = 0;

	while (*text) {
		size_t length = strcspn(text, "\n");

		widest = length > widest ? length : widest;
		text += length + (text[length] == '\n');
	}
	return widest;
}

static void marked_tables_are_as_in_the_golden_file(void **state)
{
	/* the headings of all columns; of some only one of two lines */
	static const char *const each[] = {
		" Nodes",   "Referenced", "Total",      "Average", "% of",
		" Min",     " p50",       " p90",       " p99",    " Max",
		" On CPU",  " Waiting",   " p99.9",     " Std.",   " on CPU",
		" Unknown", " Owner",     " Match",     "Inter-",  " Hits",
		" Ignored", " Unwound",   " Discarded", " Open"};
	static const char *const names[] = {"parse", "read -> parse.c:12",
					    "request", "again"};
	static const uint64_t far[] = {0x7ffff7e3c0a0};
	static const struct report_options verbose = {.width = 100,
						      .verbose = true};
	static const struct report_options by_default = {.width = 100};
	struct measure *measure = marked_session();
	struct report_node nodes[12];
	struct report_leg legs[4];
	struct tables tables = {.clock_source = "monotonic_raw",
				.clock_remark = "the counter is not invariant",
				.clock_resolution = 1,
				.placement = "tool and program on CPU 3",
				.nodes = nodes,
				.node_count = 12,
				.legs = legs,
				.leg_count = 4};
	struct str text = {0};

	(void)state;
	for (size_t i = 0; i < 12; i++)
		nodes[i] = (struct report_node){
			.stats = measure_node_at(measure, i),
			.location = i == 3 ? "parse.c:12" : "*0x7ffff7e3c0a0",
			.module = i == 3 ? NULL : "libc.so.6",
			.file = i == 2 ? "../lib/read.tab.c" : NULL,
			.function =
				i == 1 ? "std::vector<int>::push_back" : NULL,
			.load_bias = 0x7ffff7dd8000,
			.addresses = far,
			.address_count = i != 3,
			.condition = "1",
			.mechanism = i % 2 ? "int3" : "fast",
			.int3_reason = i == 5  ? "its condition: a division"
				       : i % 2 ? "as it was asked for"
					       : NULL};
	for (size_t i = 0; i < 4; i++)
		legs[i] = (struct report_leg){
			.name = names[i],
			.stats = measure_leg_at(measure, i),
			.resolution = measure_leg_resolution(
				measure, measure_leg_at(measure, i)),
			.below_resolution = measure_leg_below_resolution(
				measure, measure_leg_at(measure, i)),
			.key_text = i == 2 ? "request->id" : NULL};
	measure_get_summary(measure, 1000000, &tables.summary);
	report_text(&tables, PART_ALL, &verbose, &text);
	golden_check("marked-tables.txt", str_text(&text));
	str_deinit(&text);
	/* the column Mechanism is the last one to be left out, and the note
	 * that gives the reason for an int3 always stays */
	report_text(&tables, PART_NODES,
		    &(struct report_options){.columns = 57}, &text);
	assert_non_null(strstr(str_text(&text), " Mechanism"));
	assert_null(strstr(str_text(&text), " Condition"));
	str_deinit(&text);
	report_text(&tables, PART_NODES,
		    &(struct report_options){.columns = 45}, &text);
	assert_null(strstr(str_text(&text), " Mechanism"));
	assert_non_null(strstr(str_text(&text),
			       "int3 at node 6: its condition: a division.\n"));
	str_deinit(&text);
	for (size_t i = 0; i < 12; i++)
		nodes[i].int3_reason = "as it was asked for";
	report_text(&tables, PART_NODES, &by_default, &text);
	assert_non_null(
		strstr(str_text(&text),
		       "int3 at nodes 1, 2, 3, 4, 5, 6, 7, 8 and 4 more: "
		       "as it was asked for.\n"));
	str_deinit(&text);
	report_text(&tables, PART_LEGS, &by_default, &text);
	assert_non_null(strstr(str_text(&text),
			       "~ Left out: 3 ignored From, 1 unwound; "
			       "`print legs -v' has each leg's.\n"));
	assert_null(
		strstr(str_text(&text), "condition was false at some hits"));
	str_deinit(&text);
	nodes[2].condition = "n > 3";
	report_text(&tables, PART_LEGS, &by_default, &text);
	assert_non_null(
		strstr(str_text(&text), "condition was false at some hits"));
	str_deinit(&text);
	/* a table that is too wide is folded: no column is lost, and so no note
	 * says that columns were left out */
	for (int columns = 60; columns <= 250; columns += 5) {
		const struct report_options narrow = {
			.width = 80, .columns = columns, .verbose = true};

		report_text(&tables, PART_LEGS, &narrow, &text);
		/* notes may be 80 columns wide */
		assert_true(widest_line(str_text(&text)) <=
			    (size_t)(columns < 80 ? 80 : columns));
		for (size_t i = 0; i < sizeof(each) / sizeof(*each); i++)
			assert_non_null(strstr(str_text(&text), each[i]));
		assert_null(strstr(str_text(&text), "too narrow"));
		str_deinit(&text);
	}
	/* the last leg has no mark */
	tables.legs += 3;
	tables.leg_count = 1;
	report_text(&tables, PART_LEGS, &by_default, &text);
	assert_null(strchr(str_text(&text), '~'));
	assert_null(strchr(str_text(&text), '*'));
	str_deinit(&text);
	measure_set_compensation(measure, false);
	measure_get_summary(measure, 1000000, &tables.summary);
	report_text(&tables, PART_SUMMARY, &by_default, &text);
	assert_non_null(strstr(str_text(&text), "compensation is off"));
	str_deinit(&text);
	measure_destroy(measure);
}

static struct measure_leg cpu_leg(uint32_t id, enum leg_owner owner,
				  uint64_t unknown, __int128 waiting)
{
	struct measure_leg leg = {.id = id,
				  .spec = {.from = 1, .to = 2, .owner = owner},
				  .count = 1000,
				  .total = 2000000,
				  .mean = 2000,
				  .max = 5000,
				  .cpu_unknown = unknown,
				  .cpu_unknown_total = 2000 * unknown,
				  .waiting = waiting};
	const struct histogram_spec hdr = {.class = HISTOGRAM_HDR};

	assert_null(histogram_create(&hdr, true, &leg.record));
	return leg;
}

/* The time on a CPU is known; is known for some executions only; is too small
 * to be told from 0; is not known. */
static void leg_table_shows_time_on_cpu(void **state)
{
	static const struct report_options options = {.width = 80};
	static const struct report_options verbose = {.verbose = true};
	struct measure_leg stats[] = {
		cpu_leg(0, OWNER_THREAD, 0, 1500000),
		cpu_leg(1, OWNER_THREAD, 10, 0),
		cpu_leg(2, OWNER_THREAD, 0, -10000),
		cpu_leg(3, OWNER_THREAD, 0, 1990000),
		cpu_leg(4, OWNER_THREAD, 990, 15000),
		cpu_leg(5, OWNER_LEG, 1000, 0),
		cpu_leg(6, OWNER_KEY, 1000, 0),
	};
	struct report_leg legs[7];
	struct tables tables = {.legs = legs, .leg_count = 7};
	struct str text = {0};

	(void)state;
	for (size_t i = 0; i < 7; i++)
		legs[i] = (struct report_leg){
			.stats = &stats[i], .name = "f", .resolution = 30};
	report_text(&tables, PART_LEGS, &options, &text);
	str_append_char(&text, '\n');
	report_text(&tables, PART_LEGS, &verbose, &text);
	tables.cpu_problem = "nobody tells of context switches here, for "
			     "that is forbidden";
	str_append_char(&text, '\n');
	report_text(&tables, PART_LEGS, &options, &text);
	/* if the tool knows no time on a CPU, the columns for it are the first
	 * ones to be left out */
	tables.legs += 5;
	tables.leg_count = 1;
	str_append_char(&text, '\n');
	report_text(&tables, PART_LEGS, &(struct report_options){.columns = 80},
		    &text);
	tables.legs -= 5;
	tables.leg_count = 4;
	tables.cpu_problem = NULL;
	str_append_char(&text, '\n');
	report_text(&tables, PART_LEGS, &(struct report_options){.columns = 80},
		    &text);
	golden_check("cpu-legs.txt", str_text(&text));
	str_deinit(&text);
	for (size_t i = 0; i < 7; i++)
		histogram_destroy(stats[i].record);
}

/* The total time of a leg and its waiting come from two clocks, which differ by
 * some ns. The waiting can then be longer than the total, but the time on a CPU
 * is never shown as negative. */
static void time_on_cpu_is_never_negative(void **state)
{
	static const struct report_options options = {.width = 80};
	struct measure_leg stats = cpu_leg(0, OWNER_THREAD, 0, 2000060);
	struct report_leg leg = {.stats = &stats, .name = "f"};
	struct tables tables = {.legs = &leg, .leg_count = 1};
	struct str text = {0};

	(void)state;
	report_text(&tables, PART_LEGS, &options, &text);
	assert_null(strstr(str_text(&text), "<"));
	assert_non_null(strstr(str_text(&text), " 0ns   2.00us\n"));
	str_deinit(&text);
	histogram_destroy(stats.record);
}

/* The tool has subtracted more from the leg's times than they were, so the sum
 * is negative. No true time is negative, so the sum tells no more than the
 * mean: the table has an upper bound for both. */
static void negative_sum_is_shown_as_an_upper_bound(void **state)
{
	static const struct report_options options = {.width = 80,
						      .memo = true};
	struct measure_leg stats = {.spec = {.from = 1, .to = 2},
				    .count = 2000,
				    .total = -353845000,
				    .mean = -176922.5,
				    .max = 5000};
	struct report_leg leg = {
		.stats = &stats, .resolution = 13100, .below_resolution = true};
	struct tables tables = {
		.legs = &leg,
		.leg_count = 1,
		.summary = {.elapsed = 800000000, .compensated = true}};
	struct str text = {0};

	const struct histogram_spec hdr = {.class = HISTOGRAM_HDR};

	(void)state;
	assert_null(histogram_create(&hdr, true, &stats.record));
	report_text(&tables, PART_LEGS, &options, &text);
	/* 2,000 executions of at most 13.1 us each, in 800 ms */
	assert_non_null(strstr(str_text(&text), " < 26:200 "));
	assert_non_null(strstr(str_text(&text), " < 3.27\n"));
	assert_non_null(strstr(str_text(&text), " < 0:014 "));
	assert_null(strstr(str_text(&text), " -353"));
	assert_null(strstr(str_text(&text), " -44"));
	str_deinit(&text);
	/* a positive sum is printed as it is */
	stats.total = 8000000;
	report_text(&tables, PART_LEGS, &options, &text);
	assert_non_null(strstr(str_text(&text), " 8:000 "));
	assert_non_null(strstr(str_text(&text), " 1.00\n"));
	str_deinit(&text);
	histogram_destroy(stats.record);
}

static void color_only_if_asked(void **state)
{
	static const struct report_options color = {.color = true};
	struct measure *measure = memo_session();
	struct report_node nodes[2];
	struct report_leg leg;
	struct tables tables;
	struct str text = {0};

	(void)state;
	memo_tables(measure, nodes, &leg, &tables);
	report_text(&tables, PART_ALL, &plain, &text);
	assert_null(strchr(str_text(&text), '\033'));
	str_deinit(&text);
	report_text(&tables, PART_ALL, &color, &text);
	assert_non_null(strchr(str_text(&text), '\033'));
	str_deinit(&text);
	measure_destroy(measure);
}

/* A name from the program may have control characters, which must not reach the
 * user's terminal. */
static void control_characters_do_not_reach_the_terminal(void **state)
{
	struct measure *measure = memo_session();
	struct report_node nodes[2];
	struct report_leg leg;
	struct tables tables;
	struct str text = {0};

	(void)state;
	memo_tables(measure, nodes, &leg, &tables);
	nodes[0].file = NULL;
	nodes[0].function = "\033[2Jf\n";
	nodes[1].condition = "s == \"\t\"";
	report_text(&tables, PART_NODES, &(struct report_options){0}, &text);
	assert_null(strchr(str_text(&text), '\033'));
	assert_null(strchr(str_text(&text), '\t'));
	assert_non_null(strstr(str_text(&text), "?[2Jf? "));
	str_deinit(&text);
	measure_destroy(measure);
}

static void slowest_executions_are_as_in_the_golden_file(void **state)
{
	struct measure *measure = memo_session();
	const struct measure_leg *leg = measure_leg(measure, 0);
	const struct report_leg named = {.stats = leg, .name = "AllocVM"};
	const struct tables tables = {.legs = &named, .leg_count = 1};
	const struct report_options by_default = {.width = 0};
	struct str text = {0};

	(void)state;
	report_slowest_text(leg->slowest.data, 5, &tables, &plain, &text);
	str_append_char(&text, '\n');
	report_slowest_text(leg->slowest.data, 5, &tables, &by_default, &text);
	golden_check("slowest.txt", str_text(&text));
	str_deinit(&text);
	report_slowest_text(NULL, 0, &tables, &plain, &text);
	check_text(&text, "No executions.\n");
	measure_destroy(measure);
}

/* A value of the kind VALUE_NONE prints nothing, whatever its other members
 * are. Columns for which a terminal of 60 columns has no room are left out, and
 * a note says so. */
static void slowest_executions_fit_60_columns(void **state)
{
	struct report_options narrow = plain;
	struct execution executions[] = {
		{.leg = 3,
		 .pid = 11,
		 .tid = 12,
		 .duration = 2000,
		 .key = {.kind = VALUE_UNSIGNED, .u = 4096, .is_address = true},
		 .value = {.kind = VALUE_NONE, .u = 77, .is_address = true}},
		{.leg = 3,
		 .pid = 11,
		 .tid = 12,
		 .duration = 1000,
		 .value = {.kind = VALUE_UNSIGNED, .u = 4096}},
	};
	const struct measure_leg stats = {.id = 3};
	const struct report_leg leg = {
		.stats = &stats, .name = "from a place -> to another one"};
	const struct tables tables = {.legs = &leg, .leg_count = 1};
	struct str text = {0};

	(void)state;
	narrow.columns = 60;
	report_slowest_text(executions, 2, &tables, &narrow, &text);
	golden_check("slowest-60.txt", str_text(&text));
	str_deinit(&text);
}

static void check_heading(const struct tables *tables, const char *wanted)
{
	struct str text = {0};

	report_heading(tables, false, &text);
	check_text(&text, wanted);
}

static void headings_tell_time_and_interval(void **state)
{
	struct report_interval interval = {.to = 10000400000};
	struct tables tables = {.at = "2024-02-29T23:59:59.001+05:30",
				.summary.elapsed = 12345600000};

	(void)state;
	check_heading(&tables, "- - - 2024-02-29T23:59:59.001+05:30, 12.346 s "
			       "measured in all - - -\n");
	tables.interval = &interval;
	check_heading(&tables, "- - - 2024-02-29T23:59:59.001+05:30, 10.000 s "
			       "measured so far - - -\n");
	interval.from = 9500000000;
	check_heading(&tables, "- - - 2024-02-29T23:59:59.001+05:30, the last "
			       "0.500 s of 10.000 s measured so far - - -\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_written_as_in_the_memo),
		cmocka_unit_test(durations_have_a_fitting_unit),
		cmocka_unit_test(numbers_are_grouped_by_thousands),
		cmocka_unit_test(tables_of_the_memo_are_as_in_the_golden_file),
		cmocka_unit_test(leg_table_shows_names),
		cmocka_unit_test(notes_tell_what_is_left_out_or_doubtful),
		cmocka_unit_test(leg_histogram_of_the_memo_is_in_ticks),
		cmocka_unit_test(text_has_the_figures_of_the_memo),
		cmocka_unit_test(empty_tables_are_as_in_the_golden_file),
		cmocka_unit_test(marked_tables_are_as_in_the_golden_file),
		cmocka_unit_test(leg_table_shows_time_on_cpu),
		cmocka_unit_test(time_on_cpu_is_never_negative),
		cmocka_unit_test(negative_sum_is_shown_as_an_upper_bound),
		cmocka_unit_test(color_only_if_asked),
		cmocka_unit_test(control_characters_do_not_reach_the_terminal),
		cmocka_unit_test(slowest_executions_are_as_in_the_golden_file),
		cmocka_unit_test(slowest_executions_fit_60_columns),
		cmocka_unit_test(headings_tell_time_and_interval),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
