/*
 * counting.c - what it takes to count a hit, once it is known
 *
 * usage: counting WHAT COUNT: prints "ns N", the time that each of COUNT hits
 * takes in the tables of nodes and legs. A thread that hits fast nodes all the
 * time waits for it. WHAT:
 *
 *	fast	the entry and the exit of one function, by turns; its leg has
 *		a histogram
 *	break	the same hits, each told of as a hit and a break
 *	deep	the same in ten frames of a recursion
 *	wide	the entries and exits of 10,000 functions
 *	threads	the same as fast, from eight threads by turns
 *	rdtsc	no hit: one reading of the processor's counter
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

#include "perftool/measure.h"
#include "perftool/measure/measured_legs.h"

#define COST 5 /* calibrated ns, before and after */

struct bench {
	struct measure *measure;
	uint64_t now;
	void (*tell)(struct bench *bench, const struct hit *hit);
};

static void tell_fast(struct bench *bench, const struct hit *hit)
{
	measure_fast_hit(bench->measure, hit);
}

static void tell_break(struct bench *bench, const struct hit *hit)
{
	measure_hit(bench->measure, hit);
	measure_hold(bench->measure, hit->thread, hit->pid, hit->tid, hit->time,
		     hit->time, hit->cost_before, hit->cost_before);
}

static void hit(struct bench *bench, uint32_t node, uint32_t thread,
		uint64_t frame)
{
	struct hit now;

	/* as the reader of the rings makes it, see drain.c */
	now.node = node;
	now.thread = thread;
	now.pid = now.tid = 5;
	now.time = bench->now += 20;
	now.mechanism = HIT_FAST;
	now.cost_before = COST;
	now.frame = frame;
	now.stack = 1;
	now.value = (struct value){.kind = VALUE_NONE};
	now.keys = NULL;
	now.labels = NULL;
	now.key_count = now.label_count = 0;
	now.origin = NULL;
	bench->tell(bench, &now);
}

static void check(struct error *error)
{
	if (!error)
		return;
	fprintf(stderr, "counting: %s\n", error_message(error));
	exit(1);
}

static void add_function(struct bench *bench, uint32_t entry)
{
	const struct histogram_spec hdr = {.class = HISTOGRAM_HDR};
	const struct leg_spec spec = {.from = entry,
				      .to = entry + 1,
				      .match = MATCH_NESTED,
				      .by_frame = true,
				      .from_enters = true};
	bool existed;
	uint32_t id;

	measure_add_node(bench->measure, entry);
	measure_add_node(bench->measure, entry + 1);
	check(measure_add_leg(bench->measure, &spec, &id, &existed));
	check(measure_leg_add_histogram(bench->measure, id, &hdr));
}

/* `count` hits of `functions` in `threads`, each in `depth` frames at once. */
static void run(struct bench *bench, long count, uint32_t functions,
		uint32_t threads, uint32_t depth)
{
	const uint64_t frame = 0x7fff1000;
	uint32_t function = 0, thread = 0;

	while (count > 0) {
		for (uint32_t i = 0; i < depth; i++)
			hit(bench, 1 + 2 * function, 1 + thread,
			    frame - 16 * i);
		for (uint32_t i = depth; i-- > 0;)
			hit(bench, 2 + 2 * function, 1 + thread,
			    frame - 16 * i);
		count -= 2 * depth;
		function = function + 1 == functions ? 0 : function + 1;
		thread = thread + 1 == threads ? 0 : thread + 1;
	}
}

static void read_counter(long count)
{
	while (count-- > 0)
		(void)__rdtsc();
}

static double clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
	struct bench bench = {.measure = measure_create(), .tell = tell_fast};
	uint32_t functions, threads, depth;
	const char *what;
	double start;
	long count;

	if (argc < 3)
		return 2;
	what = argv[1];
	count = strtol(argv[2], NULL, 10);
	functions = strcmp(what, "wide") == 0 ? 10000 : 1;
	threads = strcmp(what, "threads") == 0 ? 8 : 1;
	depth = strcmp(what, "deep") == 0 ? 10 : 1;
	if (strcmp(what, "break") == 0)
		bench.tell = tell_break;
	measure_set_monitor(bench.measure, true, 0);
	measure_set_running(bench.measure, true, 0);
	for (uint32_t i = 0; i < functions; i++)
		add_function(&bench, 1 + 2 * i);
	run(&bench, count / 10 + 1, functions, threads, depth);
	start = clock_ns();
	if (strcmp(what, "rdtsc") == 0)
		read_counter(count);
	else
		run(&bench, count, functions, threads, depth);
	printf("ns %.1f\n", (clock_ns() - start) / (double)count);
	measure_destroy(bench.measure);
	return 0;
}
