/*
 * process_rows.c - the share of each process in each leg (its executions and
 * their times), as data for the report layer
 */
#include "session/run/run.h"
#include "tables.h"

static void add_share(struct session *session, const struct report_leg *leg,
		      const struct measure_share *share)
{
	struct report_leg row = *leg;

	set_stats(session, &row, share->stats);
	row.by_text = NULL;
	row.is_share = true;
	row.process = share->process;
	vec_push(&session->report_shares, row);
}

/* Adds the rows of the shares of all legs. The legs get pointers to their rows
 * only when all rows are in the list, because the list moves in memory as it
 * grows. */
static void collect_shares(struct session *session)
{
	struct measure_share share;
	size_t next = 0;

	for (size_t i = 0; i < session->report_legs.count; i++) {
		struct report_leg *leg = &session->report_legs.data[i];
		size_t count = 0;

		for (; measure_leg_share(leg->stats, count, &share); count++)
			add_share(session, leg, &share);
		leg->share_count = count;
	}
	for (size_t i = 0; i < session->report_legs.count; i++) {
		struct report_leg *leg = &session->report_legs.data[i];

		if (leg->share_count)
			leg->shares = &session->report_shares.data[next];
		next += leg->share_count;
	}
}

/* Counts the processes to which the shares belong. Marks the rows of a process
 * whose pid another process has had, too: the kernel uses pids again. */
static size_t count_processes(struct session *session)
{
	struct map numbers = {0}, pids = {0}, twice = {0};
	size_t count;

	for (size_t i = 0; i < session->report_shares.count; i++) {
		const struct measure_process *process =
			session->report_shares.data[i].process;
		const struct measure_process *other;

		if (!process || map_get(&numbers, process->number))
			continue;
		map_set(&numbers, process->number, (void *)process);
		other = map_get(&pids, (uint32_t)process->pid);
		if (other)
			map_set(&twice, (uint32_t)process->pid, (void *)other);
		map_set(&pids, (uint32_t)process->pid, (void *)process);
	}
	for (size_t i = 0; i < session->report_shares.count; i++) {
		struct report_leg *row = &session->report_shares.data[i];

		row->shares_pid = row->process &&
				  map_get(&twice, (uint32_t)row->process->pid);
	}
	count = numbers.count;
	map_deinit(&numbers);
	map_deinit(&pids);
	map_deinit(&twice);
	return count;
}

size_t fill_shares(struct session *session)
{
	renew_process_names(session);
	collect_shares(session);
	return count_processes(session);
}

void replace_shares(struct session *session)
{
	const struct measure_interval *interval = &session->interval;
	size_t next = 0, own = 0;

	for (size_t i = 0; i < session->report_legs.count; i++) {
		const struct report_leg *leg = &session->report_legs.data[i];

		for (size_t j = 0; j < leg->share_count; j++) {
			struct report_leg *row =
				&session->report_shares.data[next++];

			/* If only one process has executed the leg, the whole
			 * leg is the share. The interval then has no separate
			 * share. */
			set_stats(session, row,
				  row->stats == leg->stats
					  ? &interval->legs.data[i]
					  : &interval->shares.data[own++]);
		}
	}
}
