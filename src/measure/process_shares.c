/* process_shares.c - implements process_shares.h and
 * perftool/process_share.h */
#include "process_shares.h"

#include <stdlib.h>

#include "measure_state.h"
#include "perftool/base/alloc.h"
#include "perftool/interval.h"
#include "perftool/measure/measured_legs.h"

struct share {
	/* NULL: the share for all processes that have no share of their own. */
	struct process *process;
	struct measure_leg stats;
	struct past past;
};

struct shares {
	VEC(struct share *) all; /* in the order of their appearance */
	struct map by_number;    /* the key is the number of the process */
	struct share *recent;    /* the share of the last execution, or NULL */
	struct share *other;     /* share of several processes, or NULL */
};

/* ---- processes ------------------------------------------------------ */

struct process *enter_process(struct measure *measure, int32_t pid)
{
	struct process *process = map_get(&measure->processes, (uint32_t)pid);

	if (process)
		return process;
	process = xcalloc(1, sizeof(*process));
	process->public.number = ++measure->last_process;
	process->public.pid = pid;
	process->references = 1;
	map_set(&measure->processes, (uint32_t)pid, process);
	return process;
}

static struct process *process_use(struct process *process)
{
	process->references++;
	return process;
}

static void process_release(struct process *process)
{
	if (!process || --process->references)
		return;
	free(process->public.comm);
	free(process->public.command);
	free(process);
}

void forget_process(struct measure *measure, int32_t pid)
{
	process_release(map_remove(&measure->processes, (uint32_t)pid));
}

void clear_processes(struct measure *measure)
{
	struct process *process;
	size_t cursor = 0;

	while ((process = map_next(&measure->processes, &cursor, NULL)))
		process_release(process);
	map_deinit(&measure->processes);
}

static void set_text(char **text, const char *value)
{
	free(*text);
	*text = value ? xstrdup(value) : NULL;
}

void measure_name_process(struct measure *measure, int32_t pid,
			  const char *comm, const char *command)
{
	struct process *process = map_get(&measure->processes, (uint32_t)pid);

	if (!process)
		return;
	set_text(&process->public.comm, comm);
	set_text(&process->public.command, command);
}

/* ---- shares --------------------------------------------------------- */

/* If `process` is NULL, the share is the one for several processes. */
static struct share *create_share(struct process *process)
{
	struct share *share = xcalloc(1, sizeof(*share));

	if (process)
		share->process = process_use(process);
	return share;
}

static struct share *create_empty_share(const struct leg *leg,
					struct process *process)
{
	const struct histogram_spec hdr = {.class = HISTOGRAM_HDR};
	struct share *share = create_share(process);

	share->stats.id = leg->public.id;
	share->stats.spec = leg->public.spec;
	/* An hdr histogram has no parameters, so its creation cannot fail. */
	error_destroy(histogram_create(&hdr, true, &share->stats.record));
	return share;
}

static void share_destroy(struct share *share)
{
	if (!share)
		return;
	process_release(share->process);
	forget_past(&share->past);
	histogram_destroy(share->stats.record);
	free(share);
}

static struct share *add_share(struct measure *measure, struct leg *leg,
			       struct share *share)
{
	measure->share_count++;
	vec_push(&leg->shares->all, share);
	map_set(&leg->shares->by_number, share->process->public.number, share);
	return share;
}

/* Returns those counts of a leg that a share has, too. One process alone has
 * executed the leg so far. */
static struct measure_leg shared_counts(const struct measure_leg *leg)
{
	struct measure_leg counts = {
		.id = leg->id,
		.spec = leg->spec,
		.count = leg->count,
		.interrupted = leg->interrupted,
		.total = leg->total,
		.min = leg->min,
		.max = leg->max,
		.mean = leg->mean,
		.m2 = leg->m2,
		.cpu_unknown = leg->cpu_unknown,
		.cpu_unknown_total = leg->cpu_unknown_total,
		.waiting = leg->waiting,
		.inside = leg->inside,
	};

	for (size_t i = 0; i < 1 << HIT_MECHANISMS; i++)
		counts.by_mechanisms[i] = leg->by_mechanisms[i];
	return counts;
}

/* Makes the share of the process that alone has executed the leg so far. The
 * share also gets the counts that the leg had at the end of the last interval,
 * because the current interval may be half over. */
static struct share *copy_leg(const struct leg *leg, struct process *process)
{
	struct share *share = create_share(process);

	share->stats = shared_counts(&leg->public);
	share->stats.record = histogram_copy(leg->public.record);
	share->past.recent = leg->past.recent;
	if (leg->past.last) {
		share->past.last = xmalloc(sizeof(*share->past.last));
		*share->past.last = shared_counts(leg->past.last);
	}
	return share;
}

/* Gives the leg a share for each process from now on. */
static void make_shares(struct measure *measure, struct leg *leg)
{
	leg->shares = xcalloc(1, sizeof(*leg->shares));
	add_share(measure, leg, copy_leg(leg, leg->only));
	process_release(leg->only);
	leg->only = NULL;
}

static struct share *other_share(struct leg *leg)
{
	if (!leg->shares->other)
		leg->shares->other = create_empty_share(leg, NULL);
	return leg->shares->other;
}

static struct share *find_share(struct measure *measure, struct leg *leg,
				struct process *process)
{
	struct shares *shares = leg->shares;
	struct share *share = shares->recent;

	if (share && share->process == process)
		return share;
	share = map_get(&shares->by_number, process->public.number);
	if (!share && measure->share_count >= PROCESS_SHARES)
		return other_share(leg);
	if (!share)
		share = add_share(measure, leg,
				  create_empty_share(leg, process));
	shares->recent = share;
	return share;
}

/* Finds the share of a process that has executed the leg. Returns NULL if the
 * process is the first one, so that the leg itself is the share. */
static struct share *enter_share(struct measure *measure, struct leg *leg,
				 struct process *process)
{
	if (!leg->only && !leg->shares) {
		leg->only = process_use(process);
		return NULL;
	}
	if (!leg->shares)
		make_shares(measure, leg);
	return find_share(measure, leg, process);
}

void share_execution(struct measure *measure, struct leg *leg,
		     struct process *process, const struct span *span,
		     unsigned mechanisms)
{
	struct share *share = enter_share(measure, leg, process);

	if (share)
		count_execution(measure, &share->stats, &share->past, span,
				mechanisms);
}

void share_executions(struct measure *measure, struct leg *leg,
		      struct process *process, const struct counted *counted,
		      bool has_cpu)
{
	struct share *share = enter_share(measure, leg, process);

	if (share)
		count_executions(measure, &share->stats, &share->past, counted,
				 has_cpu);
}

static void push_since_last(struct share *share, struct measure_leg_list *out)
{
	vec_push(out, counts_since_last(&share->stats, &share->past));
}

void shares_since_last(struct leg *leg, struct measure_leg_list *out)
{
	struct shares *shares = leg->shares;

	if (!shares)
		return;
	for (size_t i = 0; i < shares->all.count; i++)
		push_since_last(shares->all.data[i], out);
	if (shares->other)
		push_since_last(shares->other, out);
}

void forget_shares(struct measure *measure, struct leg *leg)
{
	struct shares *shares = leg->shares;

	process_release(leg->only);
	leg->only = NULL;
	leg->shares = NULL;
	if (!shares)
		return;
	for (size_t i = 0; i < shares->all.count; i++)
		share_destroy(shares->all.data[i]);
	measure->share_count -= shares->all.count;
	share_destroy(shares->other);
	vec_free(&shares->all);
	map_deinit(&shares->by_number);
	free(shares);
}

bool measure_leg_share(const struct measure_leg *public, size_t index,
		       struct measure_share *out)
{
	/* `public` is the first member of struct leg. */
	const struct leg *leg = (const struct leg *)public;
	const struct shares *shares = leg->shares;
	const struct share *share;

	if (!shares) {
		if (index || !leg->only)
			return false;
		*out = (struct measure_share){&leg->only->public, public};
		return true;
	}
	if (index < shares->all.count)
		share = shares->all.data[index];
	else if (index == shares->all.count && shares->other)
		share = shares->other;
	else
		return false;
	*out = (struct measure_share){
		share->process ? &share->process->public : NULL, &share->stats};
	return true;
}
