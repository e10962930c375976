/*
 * unwind.c - what it takes to unwind the stack of a stopped thread: perftool's
 * sampler beside libunwind-ptrace, if that is there
 *
 * usage: unwind DEPTH ROUNDS
 *
 * A child calls functions DEPTH frames deep, and is stopped there. Each way
 * unwinds its stack ROUNDS times, after some rounds that are not counted, so
 * that what it remembers of the code is there. Prints two lines: a word, us a
 * stack in the quickest of some equal parts, and the number of frames.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if __has_include(<libunwind-ptrace.h>)
#include <libunwind-ptrace.h>
#define HAS_LIBUNWIND 1
#endif

#include "perftool/sample.h"
#include "perftool/target/memory_maps.h"

#define WARM_UP 20
#define PARTS 20

static void check(struct error *error)
{
	if (!error)
		return;
	fprintf(stderr, "unwind: %s\n", error_message(error));
	exit(1);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

/* The quickest part, in us a round. A part begins with each call. */
struct parts {
	double begin, best;
};

static void next_part(struct parts *parts, int rounds)
{
	double time = now();

	if (parts->begin != 0 &&
	    (parts->best == 0 || time - parts->begin < parts->best * rounds))
		parts->best = (time - parts->begin) / rounds;
	parts->begin = time;
}

/* ---- the child --------------------------------------------------------- */

static volatile long sink;

/* Functions of three shapes, as compilers make them. */
__attribute__((noinline)) static void shape_a(int depth, int ready, long a);

__attribute__((noinline)) static void shape_b(int depth, int ready, long a)
{
	char text[200];

	snprintf(text, sizeof(text), "%ld", a);
	shape_a(depth - 1, ready, a + text[0]);
	sink += text[1];
}

__attribute__((noinline)) static void shape_c(int depth, int ready, long a)
{
	long *some = __builtin_alloca((size_t)depth * 8 + 8);

	some[0] = a;
	shape_b(depth - 1, ready, a * 3);
	sink += some[0];
}

__attribute__((noinline)) static void shape_a(int depth, int ready, long a)
{
	if (depth <= 0) {
		if (write(ready, "", 1) == 1)
			for (;;)
				sink++;
		_exit(1);
	}
	if (depth % 2)
		shape_b(depth - 1, ready, a + depth);
	else
		shape_c(depth - 1, ready, a - depth);
	sink++;
}

static pid_t start_child(int depth)
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready) != 0)
		exit(1);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		shape_a(depth, ready[1], depth);
	}
	if (read(ready[0], &byte, 1) != 1)
		exit(1);
	return pid;
}

/* ---- perftool ---------------------------------------------------------- */

struct host {
	struct mapping_list maps;
	struct debugfile *files[64];
};

static bool find_module(void *context, struct process *process,
			uint64_t address, struct sampled_module *out)
{
	struct host *host = context;
	size_t i = mapping_list_above(&host->maps, address), first = 0;
	const struct mapping *map = &host->maps.data[i];

	(void)process;
	if (i == host->maps.count || address < map->low || map->path[0] != '/')
		return false;
	while (strcmp(host->maps.data[first].path, map->path) != 0)
		first++;
	if (first >= 64)
		return false;
	if (!host->files[first])
		check(debugfile_open(map->path, &host->files[first]));
	*out = (struct sampled_module){.number = (uint32_t)first + 1,
				       .file = host->files[first],
				       .bias = host->maps.data[first].low,
				       .begin = map->low,
				       .end = map->high};
	return true;
}

static uint64_t generation(void *context, struct process *process)
{
	(void)context, (void)process;
	return 1;
}

static void measure_sampler(pid_t pid, int rounds)
{
	struct clock_inputs inputs = clock_inputs(false);
	struct sampled_frame_list frames = {0};
	struct user_regs_struct regs;
	struct host host = {0};
	struct sampler_host asks = {.context = &host,
				    .find_module = find_module,
				    .generation = generation};
	struct sampler *sampler;
	struct process *process;
	struct target *target;
	struct clock clock;
	bool is_broken;
	struct parts parts = {0};

	clock_init(&clock, &inputs);
	clock_settle(&clock);
	target = target_create(&clock);
	check(target_attach(target, pid, &process));
	check(target_read_maps(pid, &host.maps));
	sampler = sampler_create(target, &clock, &asks);
	for (int i = -WARM_UP; i <= rounds * PARTS; i++) {
		if (i >= 0 && i % rounds == 0)
			next_part(&parts, rounds);
		vec_clear(&frames);
		check(target_get_regs(process->threads.data[0], &regs));
		sampler_unwind(sampler, process, &regs, &frames, &is_broken);
	}
	printf("perftool %.3f %zu%s\n", parts.best, frames.count,
	       is_broken ? " broken" : "");
	sampler_destroy(sampler);
	target_destroy(target);
}

/* ---- libunwind --------------------------------------------------------- */

#ifdef HAS_LIBUNWIND
static void measure_libunwind(pid_t pid, int rounds)
{
	unw_addr_space_t space = unw_create_addr_space(&_UPT_accessors, 0);
	size_t count = 0;
	struct parts parts = {0};
	void *context;
	int status;

	if (ptrace(PTRACE_SEIZE, pid, 0, 0) != 0 ||
	    ptrace(PTRACE_INTERRUPT, pid, 0, 0) != 0 ||
	    waitpid(pid, &status, 0) != pid)
		exit(1);
	unw_set_caching_policy(space, UNW_CACHE_GLOBAL);
	context = _UPT_create(pid);
	for (int i = -WARM_UP; i <= rounds * PARTS; i++) {
		unw_cursor_t cursor;

		if (i >= 0 && i % rounds == 0)
			next_part(&parts, rounds);
		count = 0;
		if (unw_init_remote(&cursor, space, context) != 0)
			exit(1);
		do {
			unw_word_t pc;

			unw_get_reg(&cursor, UNW_REG_IP, &pc);
			count++;
		} while (unw_step(&cursor) > 0);
	}
	printf("libunwind %.3f %zu\n", parts.best, count);
	_UPT_destroy(context);
	unw_destroy_addr_space(space);
	ptrace(PTRACE_DETACH, pid, 0, 0);
}
#endif

int main(int argc, char **argv)
{
	int depth = argc > 1 ? atoi(argv[1]) : 28;
	int rounds = (argc > 2 ? atoi(argv[2]) : 2000) / PARTS + 1;
	pid_t pid = start_child(depth);

#ifdef HAS_LIBUNWIND
	measure_libunwind(pid, rounds / 10 + 1);
#endif
	measure_sampler(pid, rounds);
	kill(pid, SIGKILL);
	return 0;
}
