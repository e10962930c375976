/*
 * deadlines.c - what a run does at certain times: the run ends when its
 * duration is over, and tables are written when they are due, while the program
 * goes on
 *
 * Tables are due at whole multiples of a duration, on the clock of the
 * measurements. If tables are written late, the next tables are still due at
 * the next multiple. While this clock stands, no tables become due.
 */
#include "perftool/session/measurements.h"
#include "perftool/session/user_interface.h"
#include "perftool/target/target_events.h"
#include "run.h"

void session_set_every(struct session *session, uint64_t ns)
{
	session->every = ns;
}

uint64_t deadline_of(const struct session *session, const struct run *run)
{
	if (run->deadline == UINT64_MAX)
		return UINT64_MAX;
	return run->deadline + (session->still_ns - run->still_ns);
}

/* Returns when the next tables are due, if the clock of the measurements does
 * not stop before; UINT64_MAX: never. */
static uint64_t next_due(const struct session *session, uint64_t now)
{
	uint64_t next, measured;

	if (!session->every || !session->clock_runs ||
	    !measure_monitor(session->measure))
		return UINT64_MAX;
	measured = measure_elapsed(session->measure, now);
	next = (session->told_times + 1) * session->every;
	return next > measured ? now + (next - measured) : now;
}

void set_deadline(struct session *session, const struct run *run, uint64_t now)
{
	uint64_t deadline = deadline_of(session, run);
	uint64_t due = next_due(session, now);

	/* The deadline has passed, so the tool is stopping the program already.
	 * This deadline must not end every further wait for events. */
	if (now >= deadline)
		deadline = UINT64_MAX;
	if (due < deadline)
		deadline = due;
	if (recorded_next_look(session) < deadline)
		deadline = recorded_next_look(session);
	if (run->enough && session->ask_step && session->ask_at < deadline)
		deadline = session->ask_at;
	target_set_deadline(session->target, deadline);
}

uint64_t look_at_reports(struct session *session, uint64_t now)
{
	struct session_ui *ui = &session->ui;
	bool is_due = now >= next_due(session, now);

	if (!ui->report || session->state == RUN_STARTING || is_over(session))
		return now;
	if (ui->report(ui->context, is_due))
		now = clock_now(&session->clock);
	/* Writing the tables may have taken longer than the interval between
	 * tables. If the tables were zeroed meanwhile, the measured time was
	 * zeroed, too. So `told_times` is computed again from the measured
	 * time. */
	if (is_due ||
	    (session->every && measure_elapsed(session->measure, now) <
				       session->told_times * session->every))
		session->told_times =
			measure_elapsed(session->measure, now) / session->every;
	return now;
}
