/*
 * share_sum.c - adds up what processes have of legs
 *
 * Processes belong together if they have the same command line, and are as many
 * of that command line in their file: the second worker of each run. A file in
 * which one process alone has executed legs has no shares; once any file has
 * some, such files add to a share without a process, so that the shares of a
 * leg always add up to it.
 */
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "sum_state.h"

/* ---- the processes of a file --------------------------------------------- */

struct file_process {
	uint64_t number;
	const struct saved_share *share; /* one that names it */
};

VEC_STRUCT(file_process_list, struct file_process);

static int by_number(const void *a, const void *b)
{
	const struct file_process *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static void list_processes(const struct saved_tables *from,
			   struct file_process_list *out)
{
	struct map known = {0};

	for (size_t i = 0; i < from->legs.count; i++) {
		const struct saved_share_list *shares =
			&from->legs.data[i].shares;

		for (size_t j = 0; j < shares->count; j++) {
			const struct saved_share *share = &shares->data[j];

			if (!share->number ||
			    map_get_number(&known, share->number))
				continue;
			map_set_number(&known, share->number, 1);
			vec_push(out,
				 ((struct file_process){.number = share->number,
							.share = share}));
		}
	}
	map_deinit(&known);
	if (out->count)
		qsort(out->data, out->count, sizeof(*out->data), by_number);
}

static const char *name_of(const struct saved_share *share)
{
	if (share->command)
		return share->command;
	return share->comm ? share->comm : "";
}

static void differ(char **text, const char *other)
{
	if (*text && other && str_equal(*text, other))
		return;
	free(*text);
	*text = NULL;
}

/* Finds or makes the process of the sum. `nth`: how many of its name come
 * before it in the file. */
static struct sum_process *
find_process(struct saved_sum *sum, const struct saved_share *share, size_t nth)
{
	CLEANUP(free_pointer)
	char *key = xasprintf("%zu %s", nth, name_of(share));
	struct sum_process *process = strmap_get(&sum->process_of, key);

	if (process) {
		/* several have it, with a number each */
		process->is.pid = 0;
		differ(&process->is.comm, share->comm);
		return process;
	}
	process = xcalloc(1, sizeof(*process));
	vec_push(&sum->processes, process);
	strmap_set(&sum->process_of, key, process);
	process->is = (struct measure_process){
		.number = (uint32_t)sum->processes.count,
		.pid = (int32_t)share->pid,
		.comm = sum_copy(share->comm),
		.command = sum_copy(share->command)};
	return process;
}

/* Stores the process of the sum for each number of a process in the file. */
static void find_processes(struct saved_sum *sum,
			   const struct saved_tables *from, struct map *out)
{
	struct file_process_list processes = {0};
	struct strmap seen = {0};

	list_processes(from, &processes);
	for (size_t i = 0; i < processes.count; i++) {
		const struct saved_share *share = processes.data[i].share;
		uintptr_t nth = (uintptr_t)strmap_get(&seen, name_of(share));

		strmap_set(&seen, name_of(share), (void *)(nth + 1));
		map_set(out, processes.data[i].number,
			find_process(sum, share, nth));
	}
	strmap_deinit(&seen);
	vec_free(&processes);
}

/* ---- shares -------------------------------------------------------------- */

/* The share of a process, or the rest. */
static struct sum_share *find_share(struct sum_leg *leg,
				    const struct sum_process *process)
{
	uint32_t number = process ? process->is.number : 0;
	struct sum_share *share = map_get(&leg->share_of, number);

	if (share)
		return share;
	share = xcalloc(1, sizeof(*share));
	share->process = process;
	sum_figures_init(&share->figures);
	share->figures.stats.id = leg->figures.stats.id;
	vec_push(&leg->shares, share);
	map_set(&leg->share_of, number, share);
	return share;
}

static bool has_shares(const struct saved_tables *tables)
{
	for (size_t i = 0; i < tables->legs.count; i++)
		if (tables->legs.data[i].shares.count)
			return true;
	return false;
}

void sum_begin_shares(struct saved_sum *sum, const struct saved_tables *from)
{
	if (sum->has_shares || !has_shares(from))
		return;
	sum->has_shares = true;
	for (size_t i = 0; i < sum->legs.count; i++) {
		struct sum_leg *leg = sum->legs.data[i];

		if (leg->figures.stats.count)
			sum_figures_copy(&find_share(leg, NULL)->figures,
					 &leg->figures);
	}
}

void sum_add_shares(struct saved_sum *sum, const struct saved_tables *from)
{
	bool is_shared = has_shares(from);
	struct map processes = {0};

	if (!sum->has_shares)
		return;
	find_processes(sum, from, &processes);
	for (size_t i = 0; i < from->legs.count; i++) {
		const struct saved_leg *leg = &from->legs.data[i];
		struct sum_leg *into = sum_leg_named(sum, leg);

		if (!is_shared && leg->count)
			sum_figures_add(&find_share(into, NULL)->figures, leg);
		for (size_t j = 0; j < leg->shares.count; j++) {
			const struct saved_share *share = &leg->shares.data[j];
			const struct sum_process *process =
				map_get(&processes, share->number);

			sum_figures_add(&find_share(into, process)->figures,
					&share->figures);
		}
	}
	map_deinit(&processes);
}

void sum_leg_destroy_shares(struct sum_leg *leg)
{
	for (size_t i = 0; i < leg->shares.count; i++) {
		sum_figures_deinit(&leg->shares.data[i]->figures);
		free(leg->shares.data[i]);
	}
	vec_free(&leg->shares);
	map_deinit(&leg->share_of);
}
