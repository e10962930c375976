/*
 * test_report_spy.c - the Spy's display of recorded stacks, compared with the
 * golden files: the examples of the Cedar Spy's documentation, and each thing
 * that the Spy can watch
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
#include "perftool/report/spy_display.h"
#include "random_stacks.h"

#define NS 1000000000ULL

/* ---- reports ------------------------------------------------------------- */

static struct spy_report report_of(const struct call_stacks *stacks,
				   enum spy_watch watch)
{
	return (struct spy_report){
		.begun = "Mon 1 Jun 2026 09:19:41",
		.at = "Mon 1 Jun 2026 09:20:15",
		.program = "prog 40 words.txt",
		.pid = 220,
		.watch = watch,
		.rate = 97,
		.recorded = 32 * NS,
		.account = {.by_kernel = true,
			    .wakeups = 3116,
			    .missed = 2,
			    .stacks = 3116,
			    .frames = 93480,
			    .broken = 3,
			    .unwinding = 9970000,
			    .delays = {3000, 100, 14, 2, 0}},
		.stacks = stacks,
		.min = SPY_MIN,
		.minson = SPY_MINSON,
	};
}

static void add_thread_of(struct call_stacks *stacks, pid_t pid, pid_t tid,
			  const char *name, const char *entry,
			  const char *priorities)
{
	const struct sampled_thread thread = {
		.pid = pid,
		.tid = tid,
		.name = name,
		.priorities = priorities,
		.entry =
			entry ? stacks_procedure(stacks, entry) : NO_PROCEDURE};

	call_stacks_thread(stacks, &thread);
}

static void add_thread(struct call_stacks *stacks, pid_t pid, pid_t tid,
		       const char *name, const char *entry)
{
	add_thread_of(stacks, pid, tid, name, entry, "nice 0, other");
}

static void check(const struct spy_report *report, const char *golden)
{
	struct str text = {0};

	report_spy_display(report, &text);
	golden_check(golden, str_text(&text));
	str_deinit(&text);
}

static char *display(const struct spy_report *report)
{
	struct str text = {0};

	report_spy_display(report, &text);
	return str_take(&text);
}

/* The text must have this line, which ends in a newline. */
static void check_line(const char *text, const char *line)
{
	if (!strstr(text, line))
		fail_msg("no line\n%s\nin\n%s", line, text);
}

/* ---- the examples of the Cedar Spy --------------------------------------- */

static void add_example(struct call_stacks *stacks)
{
	static const struct {
		const char *text;
		uint64_t weight;
	} samples[] = {
		{"StackSpy.EnterStack:100 StackSpy.AddSon:20100", 90},
		{"StackSpy.EnterStack:120 StackSpy.AddSon:20100", 3},
		{"StackSpy.EnterStack:100 StackSpy.AddSon:20154 "
		 "StackSpy.AddProcedure:30000",
		 1946},
		{"StackSpy.EnterStack:100 StackSpy.AddSon:20277 "
		 "RTPrefAllocImpl.NewPrefixedObject:1",
		 78},
		{"StackSpy.EnterStack:100 StackSpy.AddSon:20348 "
		 "StackSpy.AddProcedure:30000",
		 632},
		{"StackSpy.EnterStack:100 StackSpy.AddSon:20398 "
		 "RTPrefAllocImpl.NewPrefixedObject:1",
		 60},
		{"StackSpy.EnterStack:100 StackSpy.AddSon:20444 "
		 "waiting.pagefault",
		 59},
		/* below the threshold of call sites */
		{"StackSpy.EnterStack:100 StackSpy.AddSon:20500 "
		 "StackSpy.Compare:1",
		 19},
		{"StackSpy.EnterStack:130", 229},
	};

	add_thread(stacks, 220, 220, "prog", "StackSpy.EnterStack");
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++)
		stacks_add_text(stacks, samples[i].text, samples[i].weight,
				SAMPLE_TICK);
}

static void the_example_of_a_procedure_is_as_in_the_golden_file(void **state)
{
	struct call_stacks stacks = {0};
	struct spy_report report = report_of(&stacks, SPY_CPU);

	(void)state;
	add_example(&stacks);
	report.scope = SPY_ONE_THREAD;
	report.tid = 220;
	check(&report, "spy-example.txt");
	call_stacks_deinit(&stacks);
}

static void the_example_of_a_process_has_its_form(void **state)
{
	const struct spy_thread threads[] = {
		{true, 20, 0, false}, {true, 10, 9, false}, {0}};
	struct call_stacks stacks = {0};
	struct spy_report report = report_of(&stacks, SPY_CPU);
	char *text;

	(void)state;
	add_thread(&stacks, 220, 220, "prog", "BBStart.EvalBase");
	add_thread_of(&stacks, 220, 221, NULL, "CachedRegionImplB",
		      "nice 5, batch");
	add_thread(&stacks, 1, 1, NULL, NULL);
	stacks_add_of_thread(&stacks, "BBStart.EvalBase", 608, SAMPLE_TICK, 0);
	stacks_add_of_thread(&stacks, "CachedRegionImplB", 1, SAMPLE_TICK, 1);
	stacks_add_of_thread(&stacks, "idle", 1259, SAMPLE_TICK, 2);
	report.threads = threads;
	text = display(&report);
	check_line(text, "\nProcess 220 (prog) running at priority [nice 0, "
			 "other; nice 5, batch] (39 page faults, 9 of them "
			 "major) = 609 (32.6%).\n"
			 "  BBStart.EvalBase = 608 (32.5%).\n"
			 "  CachedRegionImplB = 1 (<0.1%).\n"
			 "  Thread 220 (prog) running at priority [nice 0, "
			 "other] (20 page faults) = 608 (32.5%).\n"
			 "  Thread 221 running");
	check_line(text, "\nProcess 1 running at priority [nice 0, other] = "
			 "1259 (67.3%).\n"
			 "  (entry point not known) = 1259 (67.3%).\n");
	free(text);
	call_stacks_deinit(&stacks);
}

/* ---- what the Spy can watch ---------------------------------------------- */

static void cpu_ticks_are_as_in_the_golden_file(void **state)
{
	static const struct {
		const char *text;
		uint64_t weight;
		uint32_t thread;
	} samples[] = {
		{"_start main:10 parse:20 next_token:5", 120, 0},
		{"_start main:10 parse:20 parse:25 parse:25 next_token:7", 80,
		 0},
		{"_start main:10 parse:20 parse:25 hash:3", 40, 0},
		{"_start main:11 emit:40 hash:3", 60, 0},
		{"_start main:11 emit:41 write_all:2!", 30, 0},
		{"_start main:12 optimise:50 visit:60 fold:70", 200, 0},
		{"_start main:12 optimise:50 visit:61 fold:71 visit:60 "
		 "propagate:80",
		 90, 0},
		{"_start main:12 optimise:51 propagate:81", 70, 0},
		{"_start main:12 optimise:52 sweep:90", 25, 0},
		{"start_thread worker:200 hash:4", 55, 1},
		{"start_thread worker:201", 45, 2},
		{"? deliver:9", 5, 2},
		{"", 4, 2},
	};
	const struct spy_thread threads[] = {{true, 812, 4, false},
					     {true, 30, 0, false},
					     /* it has ended */
					     {true, 29, 0, true}};
	static const char *const remarks[] = {
		"The time that the host of the virtual machine took is not "
		"known."};
	struct call_stacks stacks = {0};
	struct spy_report report = report_of(&stacks, SPY_CPU);

	(void)state;
	add_thread(&stacks, 220, 220, "prog", "main");
	add_thread(&stacks, 220, 224, "worker", "worker");
	add_thread(&stacks, 220, 225, "worker", "worker");
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++)
		stacks_add_of_thread(&stacks, samples[i].text,
				     samples[i].weight, SAMPLE_TICK,
				     samples[i].thread);
	report.threads = threads;
	report.faults = (struct spy_thread){true, 871, 4, false};
	report.cpu_time = 8495 * NS / 1000;
	report.remarks = remarks;
	report.remark_count = 1;
	check(&report, "spy-cpu.txt");
	call_stacks_deinit(&stacks);
}

static void page_faults_are_as_in_the_golden_file(void **state)
{
	struct call_stacks stacks = {0};
	struct spy_report report = report_of(&stacks, SPY_PAGEFAULTS);

	(void)state;
	add_thread(&stacks, 220, 220, "prog", "main");
	stacks_add_text(&stacks, "main:3 load:10", 30, SAMPLE_FAULT_MAJOR);
	stacks_add_text(&stacks, "main:3 load:10", 12000, SAMPLE_FAULT_MINOR);
	stacks_add_text(&stacks, "main:4 grow:20 clear:1", 8000,
			SAMPLE_FAULT_MINOR);
	report.faults = (struct spy_thread){true, 20000, 30, false};
	check(&report, "spy-pagefaults.txt");
	call_stacks_deinit(&stacks);
}

static void spaces_show_the_leak_as_in_the_golden_file(void **state)
{
	struct call_stacks stacks = {0};
	struct spy_report report = report_of(&stacks, SPY_SPACES);

	(void)state;
	add_thread(&stacks, 220, 220, "prog", "main");
	add_thread(&stacks, 220, 221, "pool", "worker");
	stacks_add_text(&stacks, "main:3 pool_create:10 mmap:0", 600,
			SAMPLE_CREATED);
	stacks_add_text(&stacks, "main:3 pool_create:10 mmap:0", 573,
			SAMPLE_DELETED);
	stacks_add_of_thread(&stacks, "worker:8 pool_create:10 mmap:0", 50,
			     SAMPLE_CREATED, 1);
	stacks_add_of_thread(&stacks, "worker:8 pool_create:10 mmap:0", 50,
			     SAMPLE_DELETED, 1);
	stacks_add_text(&stacks, "main:5 trim:30 munmap:0", 40, SAMPLE_SHRUNK);
	stacks_add_text(&stacks, "main:6 heap:40 brk:0", 90, SAMPLE_GROWN);
	/* a few, which are never deleted */
	stacks_add_text(&stacks, "main:9 leak:50 mmap:0", 20, SAMPLE_CREATED);
	/* mappings that were there before */
	stacks_add_text(&stacks, "main:7 unload:30 munmap:0", 60,
			SAMPLE_DELETED);
	check(&report, "spy-spaces.txt");
	call_stacks_deinit(&stacks);
}

static void add_allocations(struct call_stacks *stacks)
{
	add_thread(stacks, 220, 220, "prog", "main");
	stacks_add_text(stacks, "main:3 read_line:10 malloc:0", 5000,
			SAMPLE_ALLOCATION);
	stacks_add_text(stacks, "main:4 table:20 calloc:0", 15,
			SAMPLE_ALLOCATION);
	stacks_add_text(stacks, "main:4 table:21 realloc:0", 400,
			SAMPLE_ALLOCATION);
}

static void allocations_and_words_are_as_in_the_golden_files(void **state)
{
	struct call_stacks stacks = {0};
	struct spy_report report = report_of(&stacks, SPY_ALLOCATIONS);

	(void)state;
	add_allocations(&stacks);
	check(&report, "spy-allocations.txt");
	report.watch = SPY_WORDS;
	report.min = 0;
	report.minson = 0;
	check(&report, "spy-words.txt");
	call_stacks_deinit(&stacks);
}

static void breaks_are_as_in_the_golden_file(void **state)
{
	static const struct spy_break breaks[] = {{"lookup", 41},
						  {"prog.c:80 if n > 3", 2}};
	static const struct spy_break starts[] = {{"serve", 1}};
	static const struct spy_break stops[] = {{"serve", 0}};
	struct call_stacks stacks = {0};
	struct spy_report report = report_of(&stacks, SPY_BREAKS);

	(void)state;
	add_thread(&stacks, 220, 220, "prog", "main");
	stacks_add_text(&stacks, "main:3 serve:10 lookup:80", 41, SAMPLE_BREAK);
	stacks_add_text(&stacks, "main:3 serve:12 answer:80", 2, SAMPLE_BREAK);
	report.breaks = (struct spy_breaks){breaks, 2};
	report.starts = (struct spy_breaks){starts, 1};
	report.stops = (struct spy_breaks){stops, 1};
	report.uses_starts = true;
	report.scope = SPY_BREAK_THREAD;
	report.tid = 220;
	check(&report, "spy-breaks.txt");
	call_stacks_deinit(&stacks);
}

/* ---- names --------------------------------------------------------------- */

static uint32_t add_procedure(struct call_stacks *stacks, const char *name,
			      const char *module, const char *file,
			      uint32_t line)
{
	const struct procedure procedure = {.name = name,
					    .module = module,
					    .file = file,
					    .line = line,
					    .address = line};
	const struct call_place place = {
		.procedure = procedures_number(&stacks->procedures, &procedure),
		.address = 0x1234 + line};

	return call_stacks_place(stacks, &place);
}

static void add_places(struct call_stacks *stacks, const uint32_t *innermost,
		       size_t count)
{
	call_stacks_add(
		stacks,
		&(struct call_sample){.stack = call_stacks_stack(
					      stacks, innermost, count, false),
				      .weight = 10});
}

/* `long_name` is a name of 5,000 characters. */
static void add_hostile(struct call_stacks *stacks, const char *long_name)
{
	uint32_t main_place = add_procedure(stacks, "main", "prog", NULL, 1);
	const uint32_t others[] = {
		add_procedure(stacks, "helper", "libone.so", NULL, 2),
		add_procedure(stacks, "helper", "libtwo.so", NULL, 3),
		add_procedure(stacks, "step", "prog", "src/a.c", 4),
		add_procedure(stacks, "step", "prog", "src/b.c", 5),
		/* Hebrew letters, and a sign that turns the direction */
		add_procedure(stacks,
			      "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d\xe2\x80"
			      "\xae(int)",
			      "prog", NULL, 6),
		add_procedure(stacks, "evil\n\033[2Jname\xff\xc0\x80", "prog",
			      NULL, 7),
		add_procedure(stacks,
			      "std::vector<std::pair<int, char const*>, "
			      "std::allocator<std::pair<int, char const*> > >::"
			      "push_back(std::pair<int, char const*> const&)",
			      "prog", NULL, 8),
		add_procedure(stacks, long_name, "prog", NULL, 9),
		add_procedure(stacks, "prog+0x12a0", "prog", NULL, 10),
		add_procedure(stacks, "0x7f0012345678", "", NULL, 11)};

	add_thread(stacks, 220, 220, "evil\033[31m", NULL);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		uint32_t places[] = {others[i], main_place};

		add_places(stacks, places, 2);
	}
}

static void hostile_names_are_as_in_the_golden_file(void **state)
{
	struct call_stacks stacks = {0};
	struct spy_report report = report_of(&stacks, SPY_CPU);
	char long_name[5001] = "";

	(void)state;
	memset(long_name, 'x', 5000);
	memcpy(long_name, "long_", 5);
	memcpy(long_name + 4995, "_tail", 5);
	add_hostile(&stacks, long_name);
	report.program = "evil\nprogram";
	check(&report, "spy-hostile.txt");
	report.is_terminal = true;
	report.columns = 80;
	check(&report, "spy-hostile-80.txt");
	call_stacks_deinit(&stacks);
}

/* ---- indentation --------------------------------------------------------- */

static void a_procedure_that_is_not_called_directly_is_marked(void **state)
{
	struct call_stacks stacks = {0};
	struct spy_report report = report_of(&stacks, SPY_CPU);
	char *text;

	(void)state;
	add_thread(&stacks, 1, 1, NULL, NULL);
	stacks_add_text(&stacks, "A:1 B:2 C:9", 5, SAMPLE_TICK);
	stacks_add_text(&stacks, "A:1 D:3 C:9", 5, SAMPLE_TICK);
	stacks_add_text(&stacks, "A:1 B:4 E:9", 5, SAMPLE_TICK);
	text = display(&report);
	check_line(text, "\nProcedure A (0 refs) = 0, 15 (100.0%).\n"
			 "  (prog.c:1) B = 10 (66.6%).\n"
			 "  (prog.c:1) D = 5 (33.3%).\n"
			 "! Procedure B (1 ref) = 0, 10 (66.6%).\n"
			 "!   (prog.c:2) C = 5 (33.3%).\n"
			 "!   (prog.c:4) E = 5 (33.3%).\n"
			 "!   Procedure E (1 ref) = 5, 0 (33.3%).\n"
			 "! Procedure D (1 ref) = 0, 5 (33.3%).\n"
			 "!   (prog.c:3) C = 5 (33.3%).\n"
			 ".\n"
			 ". Procedure ~C (2 refs) = 10, 0 (66.6%).\n");
	free(text);
	report.is_terminal = true;
	text = display(&report);
	check_line(text, "\n. Procedure \033[3mC\033[0m (2 refs) = 10, 0 "
			 "(66.6%).\n");
	free(text);
	call_stacks_deinit(&stacks);
}

static void sets_at_the_top_level_are_joined(void **state)
{
	struct call_stacks stacks = {0};
	struct spy_report report = report_of(&stacks, SPY_CPU);
	char *text;

	(void)state;
	add_thread(&stacks, 1, 1, NULL, NULL);
	stacks_add_text(&stacks, "A:1 X:2", 5, SAMPLE_TICK);
	stacks_add_text(&stacks, "B:1 X:2", 4, SAMPLE_TICK);
	stacks_add_text(&stacks, "X:1 Y:2", 1, SAMPLE_TICK);
	text = display(&report);
	check_line(text, "\n"
			 ". Procedure X (2 refs) = 9, 1 (90.0%) (100.0%).\n"
			 ".   (prog.c:1) Y = 1 (10.0%).\n"
			 ".   Procedure Y (1 ref) = 1, 0 (10.0%).\n"
			 ".\n"
			 "! Procedure A (0 refs) = 0, 5 (50.0%).\n"
			 "!   (prog.c:1) X = 5 (50.0%).\n"
			 "! Procedure B (0 refs) = 0, 4 (40.0%).\n"
			 "!   (prog.c:1) X = 4 (40.0%).\n");
	free(text);
	call_stacks_deinit(&stacks);
}

/* ---- little or nothing --------------------------------------------------- */

static void a_display_without_samples_says_so(void **state)
{
	struct call_stacks stacks = {0};
	struct spy_report report = report_of(&stacks, SPY_CPU);

	(void)state;
	report.account = (struct spy_account){
		.why = "perf_event_open(2) is not allowed here."};
	report.scope = SPY_BREAK_THREAD;
	check(&report, "spy-empty.txt");
	call_stacks_deinit(&stacks);
}

static void nothing_above_the_threshold_says_what_is_next(void **state)
{
	struct call_stacks stacks = {0};
	struct spy_report report = report_of(&stacks, SPY_CPU);
	char *text;

	(void)state;
	add_thread(&stacks, 1, 1, NULL, NULL);
	for (char name[] = "A"; *name <= 'Z'; ++*name)
		stacks_add_text(&stacks, name, 3, SAMPLE_TICK);
	report.min = 5;
	report.minson = 0;
	text = display(&report);
	check_line(text, "  OWN            counts in NAME itself\n");
	assert_null(strstr(text, "left out"));
	check_line(text, "\nNo procedure is in more than 5% of the call "
			 "stacks. Most frequent:\n"
			 "  A = 3 (3.8%).\n"
			 "`spy display min=0' lists all of them.\n");
	free(text);
	call_stacks_deinit(&stacks);
	stacks = (struct call_stacks){0};
	add_thread(&stacks, 1, 1, NULL, NULL);
	stacks_add_text(&stacks, "", 3, SAMPLE_TICK);
	text = display(&report);
	check_line(text, "\nNo sample has a procedure: no stack could be "
			 "unwound.\n");
	free(text);
	call_stacks_deinit(&stacks);
}

/* A thread that has executed another program. */
static void a_thread_with_two_programs_is_one_thread(void **state)
{
	struct call_stacks stacks = {0};
	struct spy_report report = report_of(&stacks, SPY_CPU);
	char *text;

	(void)state;
	add_thread(&stacks, 7, 7, "sh", "main");
	add_thread(&stacks, 7, 7, "sort", "main");
	stacks_add_of_thread(&stacks, "main", 9, SAMPLE_TICK, 0);
	stacks_add_of_thread(&stacks, "main", 1, SAMPLE_TICK, 1);
	text = display(&report);
	check_line(text, "\n  main = 10 (100.0%).\n  Thread 7 (sh) ");
	check_line(text, "\n  Thread 7 (sort) ");
	free(text);
	call_stacks_deinit(&stacks);
}

/* Threads get their numbers in the order of their first samples. */
static void a_process_has_the_name_of_its_main_thread(void **state)
{
	struct call_stacks stacks = {0};
	struct spy_report report = report_of(&stacks, SPY_CPU);
	char *text;

	(void)state;
	add_thread(&stacks, 7, 8, "worker", "work");
	add_thread(&stacks, 7, 7, "server", "main");
	stacks_add_of_thread(&stacks, "work", 9, SAMPLE_TICK, 0);
	stacks_add_of_thread(&stacks, "main", 1, SAMPLE_TICK, 1);
	text = display(&report);
	check_line(text, "\nProcess 7 (server) running at priority [nice 0, "
			 "other] = 10 (100.0%).\n");
	free(text);
	call_stacks_deinit(&stacks);
}

static void many_threads_are_added_up(void **state)
{
	struct call_stacks stacks = {0};
	struct spy_report report = report_of(&stacks, SPY_CPU);
	char *text;

	(void)state;
	for (uint32_t i = 0; i < 500; i++) {
		add_thread(&stacks, 7, 7 + (pid_t)i, "pool", "work");
		stacks_add_of_thread(&stacks, "start_thread work:1", 2,
				     SAMPLE_TICK, i);
	}
	text = display(&report);
	check_line(text, "\n  work (500 threads) = 1000 (100.0%).\n");
	check_line(text, "\n  480 more threads = 960 (96.0%).\n");
	free(text);
	call_stacks_deinit(&stacks);
}

static void what_is_missing_has_its_reason(void **state)
{
	struct call_stacks stacks = {0};
	struct spy_report report = report_of(&stacks, SPY_CPU);
	char *text;

	(void)state;
	report.account.missed = 9;
	report.account.missed_running = 4;
	report.account.missed_preempted = 3;
	text = display(&report);
	check_line(text, "\nTicks missed: 9 (it ran at 4, it was preempted at "
			 "3)\n");
	free(text);
	report.watch = SPY_PAGEFAULTS;
	report.account.lost = 5;
	report.account.least_log = 2 << 20;
	report.account.wanted_log = 32 << 20;
	text = display(&report);
	check_line(text, "\nSamples lost: 5\n");
	check_line(text, "log: 2048 KiB for a thread; a\n");
	check_line(text, "higher `ulimit -l' or kernel.perf_event_mlock_kb");
	free(text);
	report.account.least_log = report.account.wanted_log;
	report.account.spent = 64e6;
	text = display(&report);
	check_line(text, "the tool\n              did not read it in time)\n");
	check_line(text, "The Spy itself took 64.0ms (0.20% of the time)");
	free(text);
	call_stacks_deinit(&stacks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_example_of_a_procedure_is_as_in_the_golden_file),
		cmocka_unit_test(the_example_of_a_process_has_its_form),
		cmocka_unit_test(cpu_ticks_are_as_in_the_golden_file),
		cmocka_unit_test(page_faults_are_as_in_the_golden_file),
		cmocka_unit_test(spaces_show_the_leak_as_in_the_golden_file),
		cmocka_unit_test(
			allocations_and_words_are_as_in_the_golden_files),
		cmocka_unit_test(breaks_are_as_in_the_golden_file),
		cmocka_unit_test(hostile_names_are_as_in_the_golden_file),
		cmocka_unit_test(
			a_procedure_that_is_not_called_directly_is_marked),
		cmocka_unit_test(sets_at_the_top_level_are_joined),
		cmocka_unit_test(a_display_without_samples_says_so),
		cmocka_unit_test(nothing_above_the_threshold_says_what_is_next),
		cmocka_unit_test(a_thread_with_two_programs_is_one_thread),
		cmocka_unit_test(a_process_has_the_name_of_its_main_thread),
		cmocka_unit_test(many_threads_are_added_up),
		cmocka_unit_test(what_is_missing_has_its_reason),
	};

	return cmocka_run_group_tests_name("report_spy", tests, NULL, NULL);
}
