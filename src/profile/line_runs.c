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

struct activation {
	uint64_t frame;
	uint32_t line;
	double since; /* when its last run began */
	bool is_in_call;
	/* the runs that have begun since control entered the line */
	VEC(uint64_t) visited;
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

	vec_free(&top->visited);
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

static bool was_visited(const struct activation *at, uint64_t number)
{
	for (size_t i = 0; i < at->visited.count; i++)
		if (at->visited.data[i] == number)
			return true;
	return false;
}

static void count(struct line_runs *runs, struct activation *at,
		  const struct line_run *run)
{
	bool enters = run->line != at->line;

	if (!(run->marks & (LINE_RUN_BLOCK | LINE_RUN_LINE)) || !run->line)
		return;
	/* A loop within the line enters it again and again. */
	if (enters || was_visited(at, run->number)) {
		count_of(runs, run->line)->executions++;
		vec_clear(&at->visited);
	}
	at->line = run->line;
	vec_push(&at->visited, run->number);
}

/* Add the time since the last run of the activation to its line. */
static void pass(struct line_runs *runs, struct activation *at, double time)
{
	struct line_count *line;
	double passed = time - at->since;

	at->since = time;
	if (!at->line)
		return;
	line = count_of(runs, at->line);
	line->total += passed;
	if (!at->is_in_call)
		line->own += passed;
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
	pass(runs, at, run->time);
	count(runs, at, run);
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
