/*
 * line_runs.c - see perftool/profile/line_runs.h
 *
 * Each execution of the function (activation) has its own line, because a
 * function may call itself. A thread's activations are ordered as its frames
 * are: one that is called has a lower frame.
 */
#include "perftool/profile/line_runs.h"

#include <stdlib.h>

#include "perftool/base/alloc.h"

/* The numbers of the statements of a run are the run's, shifted by so many
 * bits, and the ones behind that. */
#define STATEMENT_BITS 12

/* A line that an execution of the function has been in. */
struct line_visit {
	uint32_t line;
	/* the last block of the line that control came to: how many blocks
	 * control had come to then */
	uint64_t last;
	/* the blocks that control has come to since it entered the line, or
	 * since the line counted again */
	VEC(uint64_t) blocks;
};

struct activation {
	uint64_t frame;
	uint32_t line; /* whose time passes */
	double since;  /* when its last run began */
	bool is_in_call;
	uint64_t blocks; /* how many blocks control has come to */
	uint64_t block;  /* the number of the last of them */
	VEC(struct line_visit) visits;
};

struct line_thread {
	VEC(struct activation) stack; /* the outermost first */
};

static struct line_count *count_of(struct line_runs *runs, uint32_t line)
{
	uint64_t number = map_get_number(&runs->index, line);

	if (!number) {
		vec_push(&runs->lines, (struct line_count){.line = line});
		number = runs->lines.count;
		map_set_number(&runs->index, line, number);
	}
	return &runs->lines.data[number - 1];
}

const struct line_count *line_runs_find(const struct line_runs *runs,
					uint32_t line)
{
	uint64_t number = map_get_number(&runs->index, line);

	return number ? &runs->lines.data[number - 1] : NULL;
}

static void pop(struct line_thread *thread)
{
	struct activation *top = &thread->stack.data[thread->stack.count - 1];

	for (size_t i = 0; i < top->visits.count; i++)
		vec_free(&top->visits.data[i].blocks);
	vec_free(&top->visits);
	thread->stack.count--;
}

static struct activation *top_of(struct line_thread *thread)
{
	return thread->stack.count
		       ? &thread->stack.data[thread->stack.count - 1]
		       : NULL;
}

/* Find the activation that begins the run. Those that were called by it have
 * ended, if not by a return. NULL: the thread was in the function already when
 * the profile began. */
static struct activation *find(struct line_runs *runs,
			       struct line_thread *thread,
			       const struct line_run *run)
{
	struct activation *top;

	while ((top = top_of(thread)) && top->frame < run->frame)
		pop(thread);
	if (run->marks & LINE_RUN_ENTRY) {
		if (top && top->frame == run->frame)
			pop(thread);
		vec_push(&thread->stack,
			 (struct activation){.frame = run->frame,
					     .since = run->time});
		runs->calls++;
		return top_of(thread);
	}
	return top && top->frame == run->frame ? top : NULL;
}

static struct line_visit *visit_of(struct activation *at, uint32_t line)
{
	for (size_t i = 0; i < at->visits.count; i++)
		if (at->visits.data[i].line == line)
			return &at->visits.data[i];
	vec_push(&at->visits, (struct line_visit){.line = line});
	return &at->visits.data[at->visits.count - 1];
}

static bool was_in(const struct line_visit *visit, uint64_t block)
{
	for (size_t i = 0; i < visit->blocks.count; i++)
		if (visit->blocks.data[i] == block)
			return true;
	return false;
}

static void begin_block(struct activation *at, uint64_t number)
{
	at->blocks++;
	at->block = number;
}

/* The block that control has come to last is one of the line. */
static void enter(struct line_runs *runs, struct activation *at, uint32_t line,
		  bool is_inlined)
{
	struct line_visit *visit = visit_of(at, line);
	bool goes_on = visit->last && visit->last + 1 >= at->blocks;

	if (visit->last == at->blocks)
		return;
	visit->last = at->blocks;
	if (!goes_on || was_in(visit, at->block)) {
		count_of(runs, line)->executions += !goes_on || !is_inlined;
		vec_clear(&visit->blocks);
	}
	vec_push(&visit->blocks, at->block);
}

static void count(struct line_runs *runs, struct activation *at,
		  const struct line_run *run)
{
	if (run->marks & LINE_RUN_STATEMENTS) {
		/* (Two runs are further apart than they have statements.) */
		for (size_t i = 0; i < run->statement_count; i++) {
			begin_block(at, (run->number << STATEMENT_BITS) + i);
			enter(runs, at, run->statements[i], false);
		}
		return;
	}
	if (run->marks & LINE_RUN_BLOCK)
		begin_block(at, run->number);
	if (run->marks & (LINE_RUN_BLOCK | LINE_RUN_LINE) && run->line)
		enter(runs, at, run->line, run->marks & LINE_RUN_INLINED);
}

/* Add the time since the last run of the activation to its line. */
static void pass(struct line_runs *runs, struct activation *at,
		 const struct line_run *run)
{
	struct line_count *line;
	double passed = run->time - at->since;

	at->since = run->time;
	if (!at->line)
		return;
	line = count_of(runs, at->line);
	line->total += passed;
	if (at->is_in_call)
		return;
	line->own += passed;
	line->own_parts[run->mechanism]++;
}

void line_runs_begin(struct line_runs *runs, const struct line_run *run)
{
	struct line_thread *thread = map_get(&runs->threads, run->thread);
	struct activation *at;

	if (!thread) {
		thread = xcalloc(1, sizeof(*thread));
		map_set(&runs->threads, run->thread, thread);
	}
	at = find(runs, thread, run);
	if (!at)
		return;
	pass(runs, at, run);
	count(runs, at, run);
	at->line = run->line ? run->line : at->line;
	at->is_in_call = run->marks & LINE_RUN_CALL;
	if (run->marks & LINE_RUN_EXIT)
		pop(thread);
}

static void destroy(struct line_thread *thread)
{
	while (thread->stack.count)
		pop(thread);
	vec_free(&thread->stack);
	free(thread);
}

void line_runs_forget(struct line_runs *runs, uint32_t serial)
{
	struct line_thread *thread = map_remove(&runs->threads, serial);

	if (thread)
		destroy(thread);
}

void line_runs_deinit(struct line_runs *runs)
{
	struct line_thread *thread;
	size_t cursor = 0;

	while ((thread = map_next(&runs->threads, &cursor, NULL)))
		destroy(thread);
	map_deinit(&runs->threads);
	map_deinit(&runs->index);
	vec_free(&runs->lines);
}
