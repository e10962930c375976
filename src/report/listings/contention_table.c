/*
 * contention_table.c - waits for locks as text: see
 * perftool/report/contention_table.h
 */
#include "perftool/report/contention_table.h"

#include <inttypes.h>
#include <stdlib.h>

#include "contention_words.h"
#include "perftool/base/alloc.h"
#include "report/figures/figures.h"
#include "report/text/text.h"

/* The widths to which names may be cut at a narrow terminal. */
#define LEAST_NAME 12
#define LEAST_FUNCTION 16

/* How many locks are shown if the user does not say. */
#define USUAL_LOCKS 20

static const struct column right = {.right = true};

static struct column figure(const char *top, const char *bottom, int expendable)
{
	struct column column = right;

	column.top = top;
	column.bottom = bottom;
	column.expendable = expendable;
	return column;
}

static struct column key_figure(const char *top, const char *bottom)
{
	struct column column = figure(top, bottom, 0);

	column.key = true;
	return column;
}

static void add_name_columns(struct grid *grid)
{
	grid_column(grid, (struct column){.bottom = "Lock",
					  .key = true,
					  .minimum = 4,
					  .shrinks_to = LEAST_NAME});
	grid_column(grid, (struct column){.bottom = "Thread",
					  .key = true,
					  .minimum = 6,
					  .shrinks_to = LEAST_NAME});
}

static void add_function_column(struct grid *grid)
{
	grid_column(grid, (struct column){.bottom = "Function",
					  .key = true,
					  .minimum = 8,
					  .shrinks_to = LEAST_FUNCTION});
}

static char *mean_cell(int64_t total, uint64_t count)
{
	return count ? duration_cell((double)total / (double)count)
		     : xstrdup("-");
}

/* ---- cells --------------------------------------------------------------- */

static void put_lock_name(struct grid *grid, const struct contention_lock *lock)
{
	/* Many locks are called heap; their addresses tell them apart. */
	if (contention_is_named(lock))
		grid_text(grid, lock->name);
	else
		grid_printf(grid, "%s 0x%" PRIx64, lock->name,
			    lock->lock->address);
}

static void put_thread(struct grid *grid,
		       const struct contention_thread *thread)
{
	if (thread->tid == HELD_BY_READERS)
		grid_text(grid, "readers");
	else if (thread->name)
		grid_printf(grid, "%s %" PRId32, thread->name, thread->tid);
	else
		grid_printf(grid, "%" PRId32, thread->tid);
}

static void put_function(struct grid *grid, const struct contention_site *site)
{
	if (!site->function)
		grid_text(grid, "?");
	else if (site->file && site->line)
		grid_printf(grid, "%s, %s:%" PRIu32, site->function, site->file,
			    site->line);
	else
		grid_text(grid, site->function);
}

/* ---- tables -------------------------------------------------------------- */

static size_t shown(const struct contention_report *report,
		    const struct report_options *options)
{
	const size_t most = options->top ? options->top : USUAL_LOCKS;

	return most < report->count ? most : report->count;
}

static bool print_grid(struct grid *grid, const struct report_options *options,
		       struct str *out)
{
	const bool is_hidden = grid_fit(grid, options->columns);

	grid_print(grid, options->color, out);
	grid_deinit(grid);
	return is_hidden;
}

static bool locks_table(const struct contention_report *report,
			const struct report_options *options, struct str *out)
{
	struct grid grid = {0};

	grid_column(&grid, (struct column){.bottom = "Lock",
					   .key = true,
					   .minimum = 4,
					   .shrinks_to = LEAST_NAME});
	grid_column(&grid, (struct column){.bottom = "Kind", .expendable = 2});
	if (report->shows_pid)
		grid_column(&grid, figure(NULL, "Pid", 3));
	grid_column(&grid, figure(NULL, "Waits", 1));
	grid_column(&grid, key_figure(NULL, "Total"));
	grid_column(&grid, figure(NULL, "Mean", 1));
	grid_column(&grid, figure(NULL, "Max", 1));
	for (size_t i = 0; i < shown(report, options); i++) {
		const struct contended_lock *lock = report->locks[i].lock;

		put_lock_name(&grid, &report->locks[i]);
		grid_text(&grid, contention_object(lock->kind));
		if (report->shows_pid)
			grid_printf(&grid, "%" PRId32, lock->pid);
		grid_take(&grid, number_cell((__int128)lock->waits));
		grid_take(&grid, duration_cell((double)lock->total));
		grid_take(&grid, mean_cell(lock->total, lock->waits));
		grid_take(&grid, duration_cell((double)lock->max));
	}
	return print_grid(&grid, options, out);
}

static bool waiters_table(const struct contention_report *report,
			  const struct report_options *options, struct str *out)
{
	struct grid grid = {0};

	add_name_columns(&grid);
	grid_column(&grid, (struct column){.bottom = "For", .expendable = 2});
	grid_column(&grid, figure(NULL, "Waits", 1));
	grid_column(&grid, key_figure(NULL, "Total"));
	grid_column(&grid, figure(NULL, "Mean", 1));
	grid_column(&grid, figure(NULL, "Max", 1));
	add_function_column(&grid);
	for (size_t i = 0; i < shown(report, options); i++) {
		const struct contention_lock *of = &report->locks[i];

		for (size_t j = 0; j < of->lock->waiters.count; j++) {
			const struct lock_waiter *at =
				&of->lock->waiters.data[j];

			put_lock_name(&grid, of);
			put_thread(&grid, &of->waiter_threads[j]);
			grid_text(&grid, contention_purpose(at->kind));
			grid_take(&grid, number_cell((__int128)at->waits));
			grid_take(&grid, duration_cell((double)at->total));
			grid_take(&grid, mean_cell(at->total, at->waits));
			grid_take(&grid, duration_cell((double)at->max));
			put_function(&grid, &of->waiter_sites[j]);
		}
	}
	return print_grid(&grid, options, out);
}

static void put_holder(struct grid *grid, const struct contention_lock *of,
		       size_t index)
{
	const struct lock_holder *at = &of->lock->holders.data[index];

	put_lock_name(grid, of);
	put_thread(grid, &of->holder_threads[index]);
	grid_take(grid, number_cell((__int128)at->waits));
	grid_take(grid, number_cell((__int128)at->holds));
	grid_take(grid, duration_cell((double)at->blocked));
	grid_take(grid, mean_cell(at->held, at->known));
	if (at->known)
		grid_take(grid, duration_cell((double)at->max_held));
	else
		grid_text(grid, "-");
	put_function(grid, &of->holder_sites[index]);
}

static bool holders_table(const struct contention_report *report,
			  const struct report_options *options, struct str *out)
{
	struct grid grid = {0};

	add_name_columns(&grid);
	grid_column(&grid, figure("Waits", "begun", 2));
	grid_column(&grid, figure("Times", "held", 1));
	grid_column(&grid, key_figure("Others", "waited"));
	grid_column(&grid, figure("Mean", "hold", 1));
	grid_column(&grid, figure("Max", "hold", 1));
	add_function_column(&grid);
	for (size_t i = 0; i < shown(report, options); i++) {
		const struct contention_lock *of = &report->locks[i];

		for (size_t j = 0; j < of->lock->holders.count; j++)
			put_holder(&grid, of, j);
	}
	return print_grid(&grid, options, out);
}

static bool has_holders(const struct contention_report *report,
			const struct report_options *options)
{
	for (size_t i = 0; i < shown(report, options); i++)
		if (report->locks[i].lock->holders.count)
			return true;
	return false;
}

/* Appends how many waits there were for locks, or for what nobody can hold, and
 * how long these took. */
static void put_sum(const struct contention_report *report, bool of_locks,
		    const char *before, const char *one, const char *many,
		    struct str *out)
{
	uint64_t waits = 0, locks = 0;
	__int128 total = 0;

	for (size_t i = 0; i < report->count; i++) {
		const struct contended_lock *lock = report->locks[i].lock;

		if (lock_has_holder(lock->kind) != of_locks)
			continue;
		locks++;
		waits += lock->waits;
		total += lock->total;
	}
	if (!waits && !of_locks)
		return;
	str_append(out, before);
	report_number((__int128)waits, out);
	str_printf(out, " wait%s for ", waits == 1 ? "" : "s");
	report_number((__int128)locks, out);
	str_printf(out, " %s", locks == 1 ? one : many);
	if (waits) {
		str_append(out, " took ");
		report_duration((double)total, out);
	}
}

static void put_head(const struct contention_report *report,
		     const struct report_options *options, struct str *out)
{
	text_title("- - - - - - - C O N T E N T I O N - - - - - - - - -",
		   options->color, out);
	str_append(out, "In ");
	report_duration((double)report->elapsed, out);
	str_append(out, ", ");
	put_sum(report, true, "", "lock", "locks", out);
	put_sum(report, false, "; ", "condition or semaphore",
		"conditions and semaphores", out);
	if (report->open)
		str_printf(out, "; %zu wait%s not over", report->open,
			   report->open == 1 ? " is" : "s are");
	str_append(out, ".\n");
	if (shown(report, options) < report->count)
		str_printf(out,
			   "Those with the longest waits are shown: %zu; top=N "
			   "shows others.\n",
			   shown(report, options));
}

void report_contention_text(const struct contention_report *report,
			    const struct report_options *options,
			    struct str *out)
{
	bool is_hidden;

	put_head(report, options, out);
	if (!report->count)
		return;
	str_append_char(out, '\n');
	is_hidden = locks_table(report, options, out);
	str_append_char(out, '\n');
	text_title("Who waited", options->color, out);
	is_hidden |= waiters_table(report, options, out);
	if (has_holders(report, options)) {
		str_append_char(out, '\n');
		text_title("Who held the lock meanwhile", options->color, out);
		is_hidden |= holders_table(report, options, out);
	}
	if (is_hidden)
		text_columns_left_out(options, out);
}
