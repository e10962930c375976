/* process.c - see process.h and perftool/process.h */
#include "process.h"

#include <stdlib.h>

#include "internal.h"
#include "perftool/base/alloc.h"

struct share {
	struct process *process; /* NULL: of those that have no room */
	struct measure_leg stats;
};

struct shares {
	VEC(struct share *) all; /* of processes, as they came */
	struct map by_number;    /* of the process, to the share */
	struct share *recent;    /* that was counted in last, or NULL */
	struct share *other;     /* of several processes, or NULL */
};

/* ---- processes ------------------------------------------------------------
 */

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

/* ---- shares ---------------------------------------------------------------
 */

static struct share *create_share(const struct leg *leg,
				  struct process *process)
{
	const struct histogram_spec hdr = {.class = HISTOGRAM_HDR};
	struct share *share = xcalloc(1, sizeof(*share));

	if (process)
		share->process = process_use(process);
	share->stats.id = leg->public.id;
	share->stats.spec = leg->public.spec;
	/* an hdr histogram has no parameters that could be wrong */
	error_destroy(histogram_create(&hdr, true, &share->stats.record));
	return share;
}

static void share_destroy(struct share *share)
{
	if (!share)
		return;
	process_release(share->process);
	histogram_destroy(share->stats.record);
	free(share);
}

static struct share *add_share(struct measure *measure, struct leg *leg,
			       struct process *process)
{
	struct share *share = create_share(leg, process);

	measure->share_count++;
	vec_push(&leg->shares->all, share);
	map_set(&leg->shares->by_number, process->public.number, share);
	return share;
}

/* All that the leg has counted so far. */
static void copy_counts(struct measure_leg *to, const struct measure_leg *from)
{
	struct histogram *record = to->record;

	histogram_merge(record, from->record);
	*to = (struct measure_leg){
		.id = from->id,
		.spec = from->spec,
		.count = from->count,
		.interrupted = from->interrupted,
		.total = from->total,
		.min = from->min,
		.max = from->max,
		.mean = from->mean,
		.m2 = from->m2,
		.record = record,
		.cpu_unknown = from->cpu_unknown,
		.cpu_unknown_total = from->cpu_unknown_total,
		.waiting = from->waiting,
	};
	for (size_t i = 0; i < 1 << HIT_MECHANISMS; i++)
		to->by_mechanisms[i] = from->by_mechanisms[i];
}

/* From now on the leg has a share for each process. */
static void make_shares(struct measure *measure, struct leg *leg)
{
	struct share *first;

	leg->shares = xcalloc(1, sizeof(*leg->shares));
	first = add_share(measure, leg, leg->only);
	copy_counts(&first->stats, &leg->public);
	process_release(leg->only);
	leg->only = NULL;
}

static struct share *other_share(struct leg *leg)
{
	if (!leg->shares->other)
		leg->shares->other = create_share(leg, NULL);
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
		share = add_share(measure, leg, process);
	shares->recent = share;
	return share;
}

void share_execution(struct measure *measure, struct leg *leg,
		     struct process *process, const struct span *span,
		     unsigned mechanisms)
{
	if (!leg->only && !leg->shares) {
		leg->only = process_use(process);
		return;
	}
	if (!leg->shares)
		make_shares(measure, leg);
	count_execution(&find_share(measure, leg, process)->stats, span,
			mechanisms);
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
	const struct leg *leg = (const struct leg *)public; /* its first */
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
