/*
 * recorded_profile.h - a small profile that has one of everything: inlined
 * calls, recursion, waits, a broken stack, two functions of one name, names
 * that no format of lines can hold, counted calls of two modules
 */
#ifndef TEST_RECORDED_PROFILE_H
#define TEST_RECORDED_PROFILE_H

#include "perftool/report/profile_files.h"

/* The procedures, in the order of their numbers. */
enum {
	IN_MAIN,
	IN_WORK,
	IN_INLINED,
	IN_FIB,
	IN_WAIT,
	IN_LIBRARY,
	IN_OTHER_MAIN,
	IN_HOSTILE,
	RECORDED_PROCEDURES
};

static const struct procedure recorded_procedures[] = {
	[IN_MAIN] = {"main", "prog", "/src/a.c", 10, 0x1100, false},
	[IN_WORK] = {"work", "prog", "/src/a.c", 20, 0x1201, false},
	[IN_INLINED] = {"std::min<int; 2>(int const&)", "prog", "/src/min.h", 3,
			0, false},
	[IN_FIB] = {"fib", "prog", "/src/b.c", 5, 0x1300, false},
	[IN_WAIT] = {"waiting.read", "", NULL, 0, 0, true},
	[IN_LIBRARY] = {"read", "libc.so.6", NULL, 0, 0x9000, false},
	[IN_OTHER_MAIN] = {"main", "libx.so", NULL, 0, 0x500, false},
	[IN_HOSTILE] = {"a<b> & \"c\"\n\xff\x1b[1m\xe2\x80\xa8;'", "libx.so",
			"/src/\xff<x>.c", 1, 0x600, false},
};

static const struct profile_module recorded_modules[] = {
	{.name = "prog",
	 .path = "/bin/prog",
	 .build_id = "abcd",
	 .number = 1,
	 .is_program = true,
	 .code_begin = 0x1000,
	 .code_end = 0x2000,
	 .code_offset = 0x1000,
	 .entry = 0x1040},
	{.name = "libc.so.6", .path = "/lib/libc.so.6", .number = 2},
};

struct recorded_profile {
	struct call_stacks stacks;
	struct call_arcs arcs;
	struct profile profile;
};

static inline uint32_t recorded_place(struct recorded_profile *all,
				      uint32_t procedure, uint32_t line,
				      uint64_t address, bool is_inlined)
{
	const struct call_place place = {
		.procedure = procedure,
		.file = line ? recorded_procedures[procedure].file : NULL,
		.line = line,
		.address = address,
		.is_inlined = is_inlined};

	return call_stacks_place(&all->stacks, &place);
}

static inline void recorded_sample(struct recorded_profile *all,
				   uint32_t thread, enum sample_reason reason,
				   uint64_t weight, const uint32_t *places,
				   size_t depth, bool is_broken)
{
	const struct call_sample sample = {
		.stack = call_stacks_stack(&all->stacks, places, depth,
					   is_broken),
		.thread = thread,
		.reason = reason,
		.is_delayed = weight == 4,
		.weight = weight};

	call_stacks_add(&all->stacks, &sample);
}

static inline void recorded_arc(struct recorded_profile *all, uint32_t thread,
				uint32_t caller, uint32_t callee, uint64_t site,
				uint32_t module, uint64_t count,
				int64_t elapsed, int64_t self,
				int64_t outermost)
{
	const struct call_arc arc = {.thread = thread,
				     .caller = caller,
				     .callee = callee,
				     .site = site,
				     .site_module = module,
				     .times = {.count = count,
					       .elapsed = elapsed,
					       .self = self,
					       .outermost = outermost}};

	call_arcs_add(&all->arcs, &arc);
}

static inline bool recorded_line(void *context, uint32_t module,
				 uint64_t address, const char **file,
				 uint32_t *line)
{
	(void)context;
	if (module != 1 || address != 0x1105)
		return false;
	*file = "/src/a.c";
	*line = 12;
	return true;
}

static inline void recorded_stacks(struct recorded_profile *all)
{
	const uint32_t in_main =
		recorded_place(all, IN_MAIN, 12, 0x1105, false);
	const uint32_t in_work =
		recorded_place(all, IN_WORK, 22, 0x1205, false);
	const uint32_t later_in_work =
		recorded_place(all, IN_WORK, 24, 0x1209, false);
	const uint32_t in_fib = recorded_place(all, IN_FIB, 7, 0x1305, false);
	const uint32_t in_min =
		recorded_place(all, IN_INLINED, 4, 0x1207, true);
	const uint32_t under_min =
		recorded_place(all, IN_WORK, 23, 0x1207, false);
	const uint32_t in_read =
		recorded_place(all, IN_LIBRARY, 0, 0x9010, false);
	const uint32_t waits = recorded_place(all, IN_WAIT, 0, 0, false);
	const uint32_t other =
		recorded_place(all, IN_OTHER_MAIN, 0, 0x505, false);
	const uint32_t hostile =
		recorded_place(all, IN_HOSTILE, 9, 0x605, false);
#define STACK(...)                                                             \
	(const uint32_t[]){__VA_ARGS__},                                       \
		sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)

	recorded_sample(all, 0, SAMPLE_TICK, 50, STACK(in_work, in_main),
			false);
	recorded_sample(all, 0, SAMPLE_TICK, 4, STACK(in_work, in_main), false);
	recorded_sample(all, 0, SAMPLE_TICK, 3, STACK(later_in_work, in_main),
			false);
	recorded_sample(all, 0, SAMPLE_TICK, 16,
			STACK(in_min, under_min, in_main), false);
	recorded_sample(all, 0, SAMPLE_TICK, 10,
			STACK(in_fib, in_fib, in_fib, in_main), false);
	recorded_sample(all, 1, SAMPLE_TICK, 15, STACK(waits, in_read, other),
			false);
	recorded_sample(all, 1, SAMPLE_TICK, 5, STACK(hostile), true);
#undef STACK
}

static inline void recorded_profile_init(struct recorded_profile *all)
{
	*all = (struct recorded_profile){
		.profile = {.measurement = {.kind = "profile",
					    .watch = "cpu",
					    .rate = 1000,
					    .elapsed = 123456789,
					    .ticks = 100,
					    .missed = 2,
					    .lost = 1,
					    .broken = 5},
			    .modules = recorded_modules,
			    .module_count = 2,
			    .find_line = recorded_line}};
	for (uint32_t i = 0; i < RECORDED_PROCEDURES; i++)
		procedures_number(&all->stacks.procedures,
				  &recorded_procedures[i]);
	call_stacks_thread(&all->stacks,
			   &(struct sampled_thread){
				   .pid = 77, .tid = 77, .name = "pr og;<1>"});
	call_stacks_thread(&all->stacks,
			   &(struct sampled_thread){.pid = 77, .tid = 78});
	recorded_stacks(all);
	recorded_arc(all, 0, NO_PROCEDURE, IN_MAIN, 0x29d8f, 2, 1, 90000000,
		     1000000, 90000000);
	recorded_arc(all, 0, IN_MAIN, IN_WORK, 0x1105, 1, 20, 70000000,
		     70000000, 70000000);
	recorded_arc(all, 1, IN_MAIN, IN_WORK, 0x1105, 1, 1, 5, 5, 5);
	recorded_arc(all, 0, IN_MAIN, IN_FIB, 0x1180, 1, 1, 19000000, 2000000,
		     19000000);
	recorded_arc(all, 0, IN_FIB, IN_FIB, 0x1310, 1, 176, 90000000, 17000000,
		     0);
	recorded_arc(all, 0, IN_FIB, IN_LIBRARY, 0, 0, 3, -20, -20, -20);
	all->profile.stacks = &all->stacks;
	all->profile.arcs = &all->arcs;
	all->profile.arc_procedures = &all->stacks.procedures;
}

static inline void recorded_profile_deinit(struct recorded_profile *all)
{
	call_stacks_deinit(&all->stacks);
	call_arcs_deinit(&all->arcs);
}

#endif
