/*
 * spy_processes.c - the Spy's "Breakdown of interesting processes": what each
 * process and each of its threads counted, and where its threads began
 */
#include <inttypes.h>
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "report/figures/figures.h"
#include "spy_text.h"

/* Of many processes, threads or entry points, this number is listed, and
 * further ones if they are above the threshold of call sites. */
#define ALWAYS_LISTED 20

/* A process, a thread, or an entry point with the threads that began there. */
struct group {
	const struct sampled_thread *thread; /* its first thread */
	size_t first;                        /* index of that thread */
	/* A thread that has executed another program is two sampled threads
	 * with one tid. */
	size_t programs, threads;
	struct sample_weight weight;
};

VEC_STRUCT(group_list, struct group);

/* What tells groups apart. */
enum grouping { BY_PROCESS, BY_THREAD, BY_ENTRY };

struct listing {
	const struct spy_text *text;
	struct sample_weight *weights; /* of each thread */
	struct str *out;
};

/* ---- weights of threads -------------------------------------------------- */

/* The samples of one stack and one thread. */
struct pair {
	uint64_t key;
	uint64_t created, deleted;
};

static int compare_pairs(const void *left, const void *right)
{
	const struct pair *a = left, *b = right;

	return (a->key > b->key) - (a->key < b->key);
}

/* Adds the mappings that are left: of each stack of each thread those that were
 * created and not deleted. */
static void add_left(struct listing *listing)
{
	const struct call_stacks *stacks = listing->text->report->stacks;
	VEC(struct pair) pairs = {0};

	for (size_t i = 0; i < stacks->samples.count; i++) {
		const struct call_sample *sample = &stacks->samples.data[i];
		struct pair pair = {.key = (uint64_t)sample->thread << 32 |
					   sample->stack};

		if (sample->reason == SAMPLE_CREATED)
			pair.created = sample->weight;
		else if (sample->reason == SAMPLE_DELETED)
			pair.deleted = sample->weight;
		else
			continue;
		vec_push(&pairs, pair);
	}
	if (pairs.count)
		qsort(pairs.data, pairs.count, sizeof(*pairs.data),
		      compare_pairs);
	for (size_t i = 0, next; i < pairs.count; i = next) {
		struct pair sum = pairs.data[i];

		for (next = i + 1;
		     next < pairs.count && pairs.data[next].key == sum.key;
		     next++) {
			sum.created += pairs.data[next].created;
			sum.deleted += pairs.data[next].deleted;
		}
		if (sum.created > sum.deleted)
			listing->weights[sum.key >> 32].left +=
				sum.created - sum.deleted;
	}
	vec_free(&pairs);
}

static void weigh_threads(struct listing *listing)
{
	const struct call_stacks *stacks = listing->text->report->stacks;

	listing->weights =
		xcalloc(stacks->threads.count + 1, sizeof(*listing->weights));
	for (size_t i = 0; i < stacks->samples.count; i++) {
		const struct call_sample *sample = &stacks->samples.data[i];
		struct sample_weight *weight =
			&listing->weights[sample->thread];

		weight->total += sample->weight;
		weight->by_reason[sample->reason] += sample->weight;
	}
	add_left(listing);
}

/* ---- groups -------------------------------------------------------------- */

static uint64_t key_of(const struct sampled_thread *thread, size_t index,
		       enum grouping by)
{
	switch (by) {
	case BY_PROCESS:
		return (uint32_t)thread->pid;
	case BY_ENTRY:
		return thread->entry;
	default:
		return index;
	}
}

/* Greater weight first; what came first if the weights are equal. */
static int compare_groups(const void *left, const void *right)
{
	const struct group *a = left, *b = right;
	int order = (a->weight.total < b->weight.total) -
		    (a->weight.total > b->weight.total);

	return order ? order : (a->first > b->first) - (a->first < b->first);
}

/* Makes groups of the threads that have samples: of all threads, or, if
 * `process` is not NULL, of those of that process. */
static void make_groups(const struct listing *listing, enum grouping by,
			const struct group *process, struct group_list *groups)
{
	const struct call_stacks *stacks = listing->text->report->stacks;
	struct map by_key = {0}, tids = {0};

	for (size_t i = 0; i < stacks->threads.count; i++) {
		const struct sampled_thread *thread = &stacks->threads.data[i];
		uint64_t key = key_of(thread, i, by), index, tid;
		struct group *group;

		if (!listing->weights[i].total ||
		    (process && thread->pid != process->thread->pid))
			continue;
		index = map_get_number(&by_key, key);
		if (!index) {
			vec_push(groups,
				 (struct group){.thread = thread, .first = i});
			index = groups->count;
			map_set_number(&by_key, key, index);
		}
		group = &groups->data[index - 1];
		if (by == BY_PROCESS && thread->tid == thread->pid)
			group->thread = thread; /* it bears the name */
		group->programs++;
		tid = index << 32 | (uint32_t)thread->tid;
		if (!map_get_number(&tids, tid))
			group->threads++;
		map_set_number(&tids, tid, 1);
		sample_weight_add(&group->weight, &listing->weights[i]);
	}
	map_deinit(&by_key);
	map_deinit(&tids);
	if (groups->count)
		qsort(groups->data, groups->count, sizeof(*groups->data),
		      compare_groups);
}

/* Is the group to be listed? Groups are asked for in their order. */
static bool is_listed(const struct listing *listing,
		      const struct group_list *groups, size_t index)
{
	return index < ALWAYS_LISTED ||
	       spy_is_above(listing->text, groups->data[index].weight.total,
			    listing->text->report->minson);
}

/* Says what those that are not listed have counted. */
static void put_unlisted(const struct listing *listing,
			 const struct group_list *groups, const char *indent,
			 const char *what)
{
	struct sample_weight rest = {0};
	size_t count = 0;

	for (size_t i = 0; i < groups->count; i++) {
		if (is_listed(listing, groups, i))
			continue;
		sample_weight_add(&rest, &groups->data[i].weight);
		count++;
	}
	if (!count)
		return;
	spy_columns(listing->text, &rest, listing->out);
	str_printf(listing->out, "%s%zu more %s%s", indent, count, what,
		   count == 1     ? ""
		   : *what == 'p' ? "es"
				  : "s");
	spy_count(listing->text, rest.total, listing->out);
}

/* ---- lines --------------------------------------------------------------- */

/* Is the thread of this index in the process of the group, or, if it is a group
 * of one thread, that thread? */
static bool is_member(const struct listing *listing, const struct group *group,
		      enum grouping by, size_t index)
{
	const struct sampled_thread *thread =
		&listing->text->report->stacks->threads.data[index];

	return by == BY_THREAD ? index == group->first
			       : thread->pid == group->thread->pid;
}

/* The priorities of the threads, each once. */
static void put_priorities(const struct listing *listing,
			   const struct group *group, enum grouping by)
{
	const struct call_stacks *stacks = listing->text->report->stacks;
	struct spy_priorities priorities = {0};

	for (size_t i = 0; i < stacks->threads.count; i++) {
		if (is_member(listing, group, by, i))
			spy_add_priorities(&priorities,
					   stacks->threads.data[i].priorities);
	}
	if (priorities.text.length)
		str_printf(listing->out, " running at priority [%s]",
			   str_text(&priorities.text));
	spy_priorities_deinit(&priorities);
}

static void put_faults(const struct listing *listing, const struct group *group,
		       enum grouping by)
{
	const struct spy_report *report = listing->text->report;
	struct spy_thread sum = {0};

	/* the columns have them */
	if (report->watch == SPY_PAGEFAULTS)
		return;
	for (size_t i = 0; i < report->stacks->threads.count; i++) {
		if (!report->threads || !report->threads[i].has_faults ||
		    !is_member(listing, group, by, i))
			continue;
		sum.has_faults = true;
		sum.minor_faults += report->threads[i].minor_faults;
		sum.major_faults += report->threads[i].major_faults;
		sum.are_least |= report->threads[i].are_least;
	}
	if (!sum.has_faults)
		return;
	str_append(listing->out, " (");
	spy_faults(&sum, listing->out);
	str_append_char(listing->out, ')');
}

static void put_name(const struct listing *listing,
		     const struct sampled_thread *thread)
{
	if (!thread->name)
		return;
	str_append(listing->out, " (");
	printable(thread->name, listing->out);
	str_append_char(listing->out, ')');
}

static void put_entry(const struct listing *listing, uint32_t entry,
		      size_t begin, size_t rest)
{
	if (entry == NO_PROCEDURE)
		str_append(listing->out, "(entry point not known)");
	else
		spy_put_name(listing->text, entry, begin, rest, listing->out);
}

static void put_entries(const struct listing *listing,
			const struct group *process)
{
	struct group_list entries = {0};

	make_groups(listing, BY_ENTRY, process, &entries);
	for (size_t i = 0; i < entries.count; i++) {
		const struct group *entry = &entries.data[i];
		size_t begin = listing->out->length;
		struct str rest = {0};

		if (!is_listed(listing, &entries, i))
			continue;
		if (entry->threads > 1)
			str_printf(&rest, " (%zu threads)", entry->threads);
		spy_count(listing->text, entry->weight.total, &rest);
		spy_columns(listing->text, &entry->weight, listing->out);
		str_append(listing->out, "  ");
		put_entry(listing, entry->thread->entry, begin,
			  rest.length - 1);
		str_append(listing->out, str_text(&rest));
		str_deinit(&rest);
	}
	put_unlisted(listing, &entries, "  ", "entry point");
	vec_free(&entries);
}

static void put_threads(const struct listing *listing,
			const struct group *process)
{
	struct group_list threads = {0};

	make_groups(listing, BY_THREAD, process, &threads);
	for (size_t i = 0; i < threads.count; i++) {
		const struct group *thread = &threads.data[i];

		if (!is_listed(listing, &threads, i))
			continue;
		spy_columns(listing->text, &thread->weight, listing->out);
		str_printf(listing->out, "  Thread %" PRId32,
			   thread->thread->tid);
		put_name(listing, thread->thread);
		put_priorities(listing, thread, BY_THREAD);
		put_faults(listing, thread, BY_THREAD);
		spy_count(listing->text, thread->weight.total, listing->out);
	}
	put_unlisted(listing, &threads, "  ", "thread");
	vec_free(&threads);
}

static void put_process(const struct listing *listing,
			const struct group *process)
{
	spy_columns(listing->text, &process->weight, listing->out);
	str_printf(listing->out, "Process %" PRId32, process->thread->pid);
	put_name(listing, process->thread);
	put_priorities(listing, process, BY_PROCESS);
	put_faults(listing, process, BY_PROCESS);
	spy_count(listing->text, process->weight.total, listing->out);
	put_entries(listing, process);
	/* the only thread would say the same again */
	if (process->programs > 1 ||
	    process->thread->tid != process->thread->pid)
		put_threads(listing, process);
}

void spy_processes(const struct spy_text *text, struct str *out)
{
	struct listing listing = {.text = text, .out = out};
	struct group_list processes = {0};

	weigh_threads(&listing);
	make_groups(&listing, BY_PROCESS, NULL, &processes);
	if (processes.count)
		spy_column_names(text, out);
	else
		str_append(out, "There are no samples.\n");
	for (size_t i = 0; i < processes.count; i++) {
		if (is_listed(&listing, &processes, i))
			put_process(&listing, &processes.data[i]);
	}
	put_unlisted(&listing, &processes, "", "process");
	vec_free(&processes);
	free(listing.weights);
}
