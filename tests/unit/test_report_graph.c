/*
 * test_report_graph.c - the listing of a call graph: the form of SPIN's
 * documentation and of gprof
 *
 * tier: core
 * covers: report/listings
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "golden.h"
#include "perftool/base/alloc.h"
#include "perftool/profile/cpu_times.h"
#include "perftool/report/graph_listing.h"

#define US ((int64_t)1000)
#define MS (1000 * US)

struct profile {
	struct call_stacks stacks;
	struct call_arcs arcs;
	uint64_t tick; /* ns; 0: a millisecond */
};

static uint32_t number_of(struct profile *profile, const char *name)
{
	if (!name)
		return NO_PROCEDURE;
	return procedures_number(
		&profile->stacks.procedures,
		&(struct procedure){.name = name, .module = "program"});
}

/* Add calls, with the time of the callee itself and of its descendants. */
static void add_calls(struct profile *profile, const char *caller,
		      const char *callee, uint64_t count, int64_t self,
		      int64_t descendants)
{
	call_arcs_add(
		&profile->arcs,
		&(struct call_arc){.caller = number_of(profile, caller),
				   .callee = number_of(profile, callee),
				   .times = {.count = count,
					     .elapsed = self + descendants,
					     .self = self,
					     .outermost = self + descendants}});
}

/* Add ticks of a stack: names, innermost first, that end in NULL. */
static void add_ticks(struct profile *profile, uint64_t ticks,
		      const char *const *names)
{
	uint32_t places[8];
	size_t depth = 0;

	for (; names[depth]; depth++)
		places[depth] = call_stacks_place(
			&profile->stacks,
			&(struct call_place){
				.procedure = number_of(profile, names[depth])});
	call_stacks_add(&profile->stacks,
			&(struct call_sample){
				.stack = call_stacks_stack(
					&profile->stacks, places, depth, false),
				.weight = ticks});
}

static void profile_deinit(struct profile *profile)
{
	call_stacks_deinit(&profile->stacks);
	call_arcs_deinit(&profile->arcs);
}

static void listing_of(const struct profile *profile, bool describes,
		       int columns, struct str *out)
{
	const uint64_t tick = profile->tick ? profile->tick : (uint64_t)MS;
	struct call_graph graph = {0};

	call_graph_make(
		&(struct call_graph_source){.procedures =
						    &profile->stacks.procedures,
					    .stacks = &profile->stacks,
					    .arcs = &profile->arcs,
					    .tick = tick},
		&graph);
	report_graph_text(
		&(struct graph_report){.graph = &graph,
				       .procedures =
					       &profile->stacks.procedures,
				       .tick = tick,
				       .describes = describes},
		&(struct report_options){.columns = columns}, out);
	call_graph_deinit(&graph);
}

static void data_of(const struct profile *profile, bool as_csv, struct str *out)
{
	struct graph_report report = {.procedures =
					      &profile->stacks.procedures};
	struct call_graph graph = {0};

	call_graph_make(
		&(struct call_graph_source){.procedures = report.procedures,
					    .stacks = &profile->stacks,
					    .arcs = &profile->arcs,
					    .tick = (uint64_t)MS},
		&graph);
	report.graph = &graph;
	if (as_csv)
		report_graph_csv(&report, out);
	else
		report_graph_json(&report, out);
	call_graph_deinit(&graph);
}

/* Procedures that have nothing to do with the entry, so that it has the place
 * in the order that it has in SPIN's documentation. */
static void add_others(struct profile *profile, size_t from, size_t to,
		       int64_t time, int64_t step)
{
	for (size_t i = from; i <= to; i++) {
		char name[32];

		snprintf(name, sizeof(name), "other_%zu", i);
		add_calls(profile, NULL, name, 1, time, 0);
		time -= step;
	}
}

/* The example of SPIN's documentation, with times that become its figures. */
static void seed_init(struct profile *profile)
{
	add_ticks(profile, 5398, (const char *const[]){"Thread__Idle", NULL});
	add_others(profile, 2, 48, 90 * MS, 100 * US);
	add_others(profile, 50, 70, 70 * MS, MS);
	add_others(profile, 72, 76, 39 * MS, MS);
	add_others(profile, 78, 78, 32 * MS, 0);
	add_others(profile, 80, 88, 30 * MS, MS);
	add_others(profile, 90, 143, 19 * MS, 200 * US);
	add_calls(profile, NULL, "MemoryObject__Destroy", 50, 49900 * US,
		  30100 * US);
	add_calls(profile, NULL, "MemoryForSAL__FreePhysPage", 8, 900 * US,
		  1100 * US);
	add_calls(profile, "MemoryForSAL__FreePhysPage", "PhysAddr__Deallocate",
		  184, 300 * US, 800 * US);
	add_calls(profile, "MemoryObject__Destroy", "PhysAddr__Deallocate",
		  3000, 4900 * US, 25200 * US);
	add_calls(profile, "PhysAddr__Deallocate",
		  "PhysFreeMem__DeallocatePage", 3184, 2000 * US, 18000 * US);
	add_calls(profile, "PhysFreeMem__DeallocatePage", "bzero", 3184,
		  18000 * US, 0);
	add_calls(profile, "PhysAddr__Deallocate", "RTHooks__LockMutex", 3184,
		  3100 * US, 0);
	add_calls(profile, "PhysAddr__Deallocate", "RTHooks__UnlockMutex", 3184,
		  2900 * US, 0);
	add_calls(profile, NULL, "RTHooks__LockMutex", 40146, 29900 * US, 0);
	add_calls(profile, NULL, "RTHooks__UnlockMutex", 52460, 37100 * US, 0);
}

/* Fails unless the text has these lines, one after the other. */
static void has(const struct str *text, const char *lines)
{
	if (strstr(str_text(text), lines))
		return;
	print_error("wanted:\n%s\ngot:\n%s\n", lines, str_text(text));
	fail();
}

static void the_seed_entry_has_its_form(void **state)
{
	struct profile profile = {0};
	struct str text = {0};

	(void)state;
	seed_init(&profile);
	listing_of(&profile, false, 0, &text);
	/* byte for byte as in SPIN's documentation, but for the blanks in the
	 * heading */
	has(&text,
	    "                                  called/total       parents\n"
	    "index  %time    self descendents  called+self    name    index\n"
	    "                                  called/total       children\n"
	    "-----------------------------------------------\n");
	has(&text, "                0.00        0.00     184/3184        "
		   "MemoryForSAL__FreePhysPage [145]\n"
		   "                0.00        0.03    3000/3184        "
		   "MemoryObject__Destroy [49]\n"
		   "[79]     0.3    0.01        0.03    3184         "
		   "PhysAddr__Deallocate [79]\n"
		   "                0.00        0.02    3184/3184        "
		   "PhysFreeMem__DeallocatePage [89]\n"
		   "                0.00        0.00    3184/43330       "
		   "RTHooks__LockMutex [77]\n"
		   "                0.00        0.00    3184/55644       "
		   "RTHooks__UnlockMutex [71]\n"
		   "-----------------------------------------------\n");
	str_deinit(&text);
	profile_deinit(&profile);
}

/* The second listing of SPIN's documentation, but for the numbers of the
 * entries. Procedures whose calls were not
 * counted have no figures of calls. */
static void the_seed_flat_profile_has_its_form(void **state)
{
	struct profile profile = {.tick = 100000};
	struct str text = {0};

	(void)state;
	add_ticks(&profile, 80645, (const char *const[]){"Thread__Idle", NULL});
	add_ticks(&profile, 4800, (const char *const[]){"swap_ipl", NULL});
	add_ticks(&profile, 845, (const char *const[]){"bzero", NULL});
	add_ticks(&profile, 400, (const char *const[]){"__remq", NULL});
	add_calls(&profile, NULL, "scc_putc", 2116, 2465200 * US, 0);
	add_calls(&profile, NULL, "pmap_zero_page", 424, 106 * MS, 0);
	add_calls(&profile, NULL, "pmap_destroy", 408, 49500 * US, 4 * MS);
	add_calls(&profile, "pmap_destroy", "pmap_free", 408, 4 * MS, 0);
	/* the others, each with less than a hundredth of the time */
	for (int i = 0; i < 28; i++) {
		char name[16];

		snprintf(name, sizeof(name), "other_%02d", i);
		add_ticks(&profile, i ? 300 : 133,
			  (const char *const[]){name, NULL});
	}
	listing_of(&profile, false, 0, &text);
	has(&text,
	    "\n"
	    "  %   cumulative   self              self     total\n"
	    " time   seconds   seconds    calls  ms/call  ms/call  name\n"
	    " 66.6       8.06     8.06                             "
	    "Thread__Idle [1]\n"
	    " 20.3      10.53     2.47     2116     1.17     1.17  "
	    "scc_putc [2]\n"
	    "  4.0      11.01     0.48                             "
	    "swap_ipl [3]\n"
	    "  0.9      11.12     0.11      424     0.25     0.25  "
	    "pmap_zero_page [4]\n"
	    "  0.7      11.20     0.08                             "
	    "bzero [5]\n"
	    "  0.4      11.25     0.05      408     0.12     0.13  "
	    "pmap_destroy [6]\n"
	    "  0.3      11.29     0.04                             "
	    "__remq [7]\n");
	str_deinit(&text);
	profile_deinit(&profile);
}

/* Three digits of the time of a call can be read, however short it is. */
static void short_calls_have_three_digits(void **state)
{
	struct profile profile = {0};
	struct str text = {0};

	(void)state;
	add_calls(&profile, NULL, "work", 100, 900 * MS, 0);
	add_calls(&profile, "work", "step", 1000, 5678, 0);
	listing_of(&profile, false, 0, &text);
	has(&text,
	    " time        ms        ms    calls    ms/call    ms/call  name\n"
	    "100.0     900.00   900.00      100       9.00       9.00  "
	    "work [1]\n"
	    "  0.0     900.01     0.01     1000 0.00000568 0.00000568  "
	    "step [2]\n");
	str_deinit(&text);
	profile_deinit(&profile);
}

/* A cycle, recursion, a caller that is not known, a call that has not ended,
 * and a procedure that only ticks know. */
static void everything_init(struct profile *profile)
{
	add_calls(profile, "main", "parse", 1, 40 * MS, 160 * MS);
	add_calls(profile, "parse", "expression", 10, 20 * MS, 100 * MS);
	add_calls(profile, "expression", "term", 30, 50 * MS, 45 * MS);
	add_calls(profile, "term", "expression", 12, 7 * MS, 10 * MS);
	add_calls(profile, "term", "next", 45, 30 * MS, 0);
	add_calls(profile, "parse", "next", 5, 40 * MS, 0);
	add_calls(profile, "expression", "fold", 4, 3 * MS, 5 * MS);
	add_calls(profile, "fold", "fold", 9, 5 * MS, 4 * MS);
	add_calls(profile, "main", "print", 2, 12345 * US, 0);
	add_calls(profile, NULL, "print", 1, 6 * MS, 0);
	add_ticks(profile, 10, (const char *const[]){"idle", "clone", NULL});
	add_ticks(profile, 5, (const char *const[]){"memcpy", "print", NULL});
}

static void every_kind_of_line_is_as_in_the_golden_file(void **state)
{
	struct profile profile = {0};
	struct str text = {0};

	(void)state;
	everything_init(&profile);
	listing_of(&profile, true, 0, &text);
	golden_check("graph-everything.txt", str_text(&text));
	str_deinit(&text);
	profile_deinit(&profile);
}

static void json_and_csv_are_as_in_the_golden_files(void **state)
{
	struct profile profile = {0};
	struct str text = {0};

	(void)state;
	everything_init(&profile);
	data_of(&profile, false, &text);
	golden_check("graph.json", str_text(&text));
	str_deinit(&text);
	data_of(&profile, true, &text);
	golden_check("graph.csv", str_text(&text));
	str_deinit(&text);
	profile_deinit(&profile);
}

static void ticks_alone_are_as_in_the_golden_file(void **state)
{
	struct profile profile = {0};
	struct str text = {0};

	(void)state;
	add_ticks(&profile, 40,
		  (const char *const[]){"next", "term", "expression", "parse",
					"main", NULL});
	add_ticks(&profile, 50,
		  (const char *const[]){"expression", "term", "expression",
					"parse", "main", NULL});
	add_ticks(&profile, 20,
		  (const char *const[]){"fold", "fold", "fold", "main", NULL});
	add_ticks(&profile, 6, (const char *const[]){"idle", "clone", NULL});
	add_ticks(&profile, 3, (const char *const[]){NULL});
	listing_of(&profile, false, 0, &text);
	golden_check("graph-ticks.txt", str_text(&text));
	str_deinit(&text);
	profile_deinit(&profile);
}

/* main calls work and deep, work calls lost, deep calls leaf. The limit comes
 * before the calls of deep and lost. */
static void arcs_beyond_the_limit_are_said(void **state)
{
	struct profile profile = {.arcs = {.limit = 3}};
	struct str text = {0};

	(void)state;
	add_calls(&profile, NULL, "main", 1, 10 * MS, 90 * MS);
	add_calls(&profile, "main", "work", 5, 30 * MS, 20 * MS);
	add_calls(&profile, "deep", "leaf", 4, 15 * MS, 0);
	add_calls(&profile, "main", "deep", 7, 25 * MS, 15 * MS);
	add_calls(&profile, "work", "lost", 7, 20 * MS, 0);
	listing_of(&profile, false, 0, &text);
	golden_check("graph-limit.txt", str_text(&text));
	str_deinit(&text);
	profile_deinit(&profile);
}

/* At a terminal of 80 columns names are cut, and figures and numbers stay. */
static void names_are_cut_at_a_terminal(void **state)
{
	struct profile profile = {0};
	struct str text = {0};
	const char *line;

	(void)state;
	add_calls(&profile, NULL,
		  "std::map<std::string, std::vector<int>>::operator[](char "
		  "const*)",
		  123456789012, 100 * MS, 0);
	add_calls(&profile, NULL, "evil\033[2J\n", 1, 1, 0);
	listing_of(&profile, false, 80, &text);
	golden_check("graph-80.txt", str_text(&text));
	for (line = str_text(&text); *line; line = strchr(line, '\n') + 1)
		assert_true(strcspn(line, "\n") <= 80);
	str_deinit(&text);
	listing_of(&profile, false, 0, &text);
	assert_non_null(strstr(str_text(&text), "operator[](char const*) [1]"));
	assert_null(strstr(str_text(&text), "too narrow"));
	str_deinit(&text);
	profile_deinit(&profile);
}

/* Calls that have not returned are marked as in the table of functions. */
static void calls_without_a_return_are_marked(void **state)
{
	struct profile profile = {0};
	struct str text = {0};

	(void)state;
	add_calls(&profile, NULL, "main", 1, 10 * MS, 90 * MS);
	add_calls(&profile, "main", "parse", 5, 60 * MS, 30 * MS);
	add_calls(&profile, "parse", "parse", 7, 10 * MS, 0);
	add_calls(&profile, "parse", "fail", 3, 20 * MS, 0);
	listing_of(&profile, false, 0, &text);
	assert_null(strchr(str_text(&text), '~'));
	str_deinit(&text);
	call_arcs_add(
		&profile.arcs,
		&(struct call_arc){.caller = number_of(&profile, "parse"),
				   .callee = number_of(&profile, "fail"),
				   .times = {.count = 1, .unreturned = 1}});
	call_arcs_add(
		&profile.arcs,
		&(struct call_arc){.caller = number_of(&profile, "parse"),
				   .callee = number_of(&profile, "parse"),
				   .times = {.count = 1, .unreturned = 1}});
	listing_of(&profile, false, 0, &text);
	golden_check("graph-unreturned.txt", str_text(&text));
	str_deinit(&text);
	profile_deinit(&profile);
}

static void nothing_is_said(void **state)
{
	struct profile profile = {0};
	struct str text = {0};

	(void)state;
	listing_of(&profile, true, 0, &text);
	assert_string_equal(str_text(&text), "No calls and no ticks.\n");
	str_deinit(&text);
	profile_deinit(&profile);
}

/* Where it is known, there is a column of the time on a CPU. A time that is
 * below 0, or may be off by more than itself, is shown as its upper bound. */
static void times_on_a_cpu_and_bounds_are_shown(void **state)
{
	const struct call_costs costs = {
		.cost = {0, 100}, .spread = {0, 2}, .uncertain = 0.15};
	struct call_graph graph = {0}, on_cpu = {0};
	struct call_bound bounds[3];
	struct profile profile = {0};
	struct call_graph_source source = {.procedures =
						   &profile.stacks.procedures,
					   .arcs = &profile.arcs};
	struct call_arcs arcs = {0};
	struct str text = {0};

	(void)state;
	add_calls(&profile, NULL, "main", 1, 40 * MS, 58 * MS);
	add_calls(&profile, "main", "work", 1000, 60 * MS, -2 * MS);
	add_calls(&profile, "work", "tiny", 1000000, -2 * MS, 0);
	profile.arcs.list.data[0].times.waiting = 49 * MS;
	profile.arcs.list.data[0].times.self_waiting = 39 * MS;
	profile.arcs.list.data[1].times.waiting = 10 * MS;
	profile.arcs.list.data[1].times.self_waiting = 10 * MS;
	call_bounds_make(&profile.arcs, NULL, &costs, 3, bounds);
	call_graph_make(&source, &graph);
	cpu_times_copy(&profile.arcs, &arcs);
	source.arcs = &arcs;
	call_graph_make(&source, &on_cpu);
	call_graph_note_cpu(&graph, &on_cpu);
	report_graph_text(
		&(struct graph_report){.graph = &graph,
				       .procedures = source.procedures,
				       .bounds = bounds,
				       .has_cpu = true},
		&(struct report_options){.columns = 0}, &text);
	has(&text, "index  %time  %cpu    self descendents  called+self    "
		   "name    index\n");
	has(&text,
	    "[1]     98.0  50.0   40.00       58.00       1         main "
	    "[1]\n");
	has(&text, "                     <2.00        0.00 1000000/1000000     "
		   "tiny [3]\n");
	has(&text, "[3]      0.0     -   <2.00        0.00 1000000         "
		   "tiny [3]\n");
	assert_null(strstr(str_text(&text), "-2"));
	str_deinit(&text);
	report_graph_csv(&(struct graph_report){.graph = &graph,
						.procedures = source.procedures,
						.has_cpu = true},
			 &text);
	has(&text, "1,procedure,main,program,,1,0,40000000,58000000,98000000,"
		   "49000000,98.00\n");
	str_deinit(&text);
	report_graph_csv(&(struct graph_report){.graph = &on_cpu,
						.procedures = source.procedures,
						.by_cpu = true},
			 &text);
	has(&text, "1,procedure,main,program,,1,0,1000000,48000000,49000000,"
		   "49000000,96.07\n");
	str_deinit(&text);
	call_graph_deinit(&graph);
	call_graph_deinit(&on_cpu);
	call_arcs_deinit(&arcs);
	profile_deinit(&profile);
}

/* The descendants of a member of a cycle may be off by what the hits inside the
 * functions that it calls outside may be off. */
static void bounds_of_members_have_their_descendants(void **state)
{
	const struct call_costs costs = {
		.cost = {0, 100}, .spread = {0, 2}, .uncertain = 0.15};
	struct call_graph graph = {0};
	struct call_bound bounds[5];
	struct profile profile = {0};
	struct call_graph_source source = {.procedures =
						   &profile.stacks.procedures,
					   .arcs = &profile.arcs};
	struct str text = {0};

	(void)state;
	add_calls(&profile, NULL, "main", 1, 40 * MS, 71 * MS);
	add_calls(&profile, "main", "ping", 1, 30 * MS, 41 * MS);
	add_calls(&profile, "ping", "pong", 1, 20 * MS, 21 * MS);
	add_calls(&profile, "pong", "ping", 1, 10 * MS, 0);
	add_calls(&profile, "pong", "works", 1000, 5 * MS, 6 * MS);
	add_calls(&profile, "works", "tiny", 1000000, 6 * MS, 0);
	call_bounds_make(&profile.arcs, NULL, &costs, 5, bounds);
	call_graph_make(&source, &graph);
	report_graph_text(
		&(struct graph_report){.graph = &graph,
				       .procedures = source.procedures,
				       .bounds = bounds},
		&(struct report_options){.columns = 0}, &text);
	/* 11 ms, of which 15 % of 2 * 100 ns for each of the 1,001,000 calls
	 * may be the hits' */
	has(&text, "               60.00      <30.04       1/1           "
		   "ping <cycle 1> [3]\n");
	has(&text, "               20.00      <30.04       1             "
		   "pong <cycle 1> [4]\n");
	has(&text, "               40.00        0.00       2             "
		   "ping <cycle 1> [3]\n");
	str_deinit(&text);
	call_graph_deinit(&graph);
	profile_deinit(&profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_on_a_cpu_and_bounds_are_shown),
		cmocka_unit_test(bounds_of_members_have_their_descendants),
		cmocka_unit_test(the_seed_entry_has_its_form),
		cmocka_unit_test(the_seed_flat_profile_has_its_form),
		cmocka_unit_test(json_and_csv_are_as_in_the_golden_files),
		cmocka_unit_test(short_calls_have_three_digits),
		cmocka_unit_test(every_kind_of_line_is_as_in_the_golden_file),
		cmocka_unit_test(ticks_alone_are_as_in_the_golden_file),
		cmocka_unit_test(arcs_beyond_the_limit_are_said),
		cmocka_unit_test(names_are_cut_at_a_terminal),
		cmocka_unit_test(calls_without_a_return_are_marked),
		cmocka_unit_test(nothing_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
