/* recorder.c - see recorder.h */
#include "recorder.h"

#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/target/target_events.h"
#include "session/run/run.h"
#include "stack_names.h"

/* The tool looks again how the kernel schedules a thread when the thread is
 * older by this part, so that little is missing when the thread has ended; but
 * not more and not less often than this, in ns. */
#define LOOK_PART 50
#define LOOK_SOONEST 10000000u
#define LOOK_LATEST 500000000u

void recorder_init(struct recorder *recorder, struct session *session)
{
	*recorder = (struct recorder){.session = session,
				      .sampler = sampler_for(session)};
}

/* ---- threads ------------------------------------------------------------- */

static void forget_threads(struct recorder *recorder)
{
	struct recorded_thread *thread;
	size_t cursor = 0;
	uint64_t serial;

	while ((thread = map_next(&recorder->threads, &cursor, &serial))) {
		str_deinit(&thread->priorities);
		free(thread);
	}
	map_deinit(&recorder->threads);
	recorder->threads = (struct map){0};
}

static void add_priority(struct recorded_thread *thread)
{
	struct str now = {0};

	scheduling_describe(&thread->last, &now);
	if (!strstr(str_text(&thread->priorities), str_text(&now))) {
		if (thread->priorities.length)
			str_append(&thread->priorities, ", ");
		str_append(&thread->priorities, str_text(&now));
	}
	str_deinit(&now);
}

/* Looks how the kernel schedules the thread now. */
static void look_at(struct recorded_thread *thread, uint64_t now)
{
	struct thread_scheduling scheduling;

	thread->looked = now;
	/* A thread that has ended keeps what was seen last. */
	if (thread->is_gone)
		return;
	thread->misses_end = !target_thread_scheduling(thread->pid, thread->tid,
						       &scheduling);
	if (thread->misses_end)
		return;
	thread->last = scheduling;
	add_priority(thread);
}

/* The thread has ended: what the kernel has counted for it is final. */
static void end_thread(struct recorder *recorder, const struct thread *thread)
{
	struct recorded_thread *recorded =
		map_get(&recorder->threads, thread->serial);

	if (!recorded)
		return;
	if (thread->has_end)
		recorded->last = thread->end;
	recorded->misses_end = !thread->has_end;
	recorded->is_gone = true;
}

static bool is_time_to_look(const struct recorded_thread *thread, uint64_t now)
{
	uint64_t wait = (now - thread->came) / LOOK_PART;

	if (wait < LOOK_SOONEST)
		wait = LOOK_SOONEST;
	if (wait > LOOK_LATEST)
		wait = LOOK_LATEST;
	return now - thread->looked > wait;
}

static void see_thread(struct recorder *recorder, uint32_t serial, pid_t pid,
		       pid_t tid)
{
	const uint64_t now = clock_now(&recorder->session->clock);
	struct recorded_thread *thread = map_get(&recorder->threads, serial);

	if (!thread) {
		thread = xcalloc(1, sizeof(*thread));
		*thread = (struct recorded_thread){
			.serial = serial, .pid = pid, .tid = tid, .came = now};
		map_set(&recorder->threads, serial, thread);
		look_at(thread, now);
		thread->minor_before = thread->last.minor;
		thread->major_before = thread->last.major;
		thread->cpu_before = thread->last.cpu;
	} else if (is_time_to_look(thread, now)) {
		look_at(thread, now);
	}
}

/* Notes the threads that exist, so that their page faults are counted from
 * here. */
static void see_process(struct recorder *recorder,
			const struct process *process)
{
	for (size_t i = 0; i < process->threads.count; i++) {
		const struct thread *thread = process->threads.data[i];

		see_thread(recorder, thread->serial, process->pid, thread->tid);
	}
}

static void see_all(struct recorder *recorder)
{
	const struct session *session = recorder->session;

	for (size_t i = 0; i < session->followed.count; i++)
		see_process(recorder, session->followed.data[i].process);
}

static void look_at_all(struct recorder *recorder)
{
	const uint64_t now = clock_now(&recorder->session->clock);
	struct recorded_thread *thread;
	size_t cursor = 0;
	uint64_t serial;

	while ((thread = map_next(&recorder->threads, &cursor, &serial)))
		look_at(thread, now);
}

/* What threads have done since the recorder was stopped does not count. */
static void skip_stop(struct recorder *recorder)
{
	const uint64_t now = clock_now(&recorder->session->clock);
	struct recorded_thread *thread;
	size_t cursor = 0;
	uint64_t serial;

	while ((thread = map_next(&recorder->threads, &cursor, &serial))) {
		const struct thread_scheduling before = thread->last;

		look_at(thread, now);
		thread->cpu_before += thread->last.cpu - before.cpu;
		thread->minor_before += thread->last.minor - before.minor;
		thread->major_before += thread->last.major - before.major;
	}
}

void recorder_deinit(struct recorder *recorder)
{
	sampler_destroy(recorder->sampler);
	stack_log_deinit(&recorder->log);
	forget_threads(recorder);
}

void recorder_flush(struct recorder *recorder)
{
	stack_log_deinit(&recorder->log);
	forget_threads(recorder);
	recorder->account = (struct sampler_account){0};
	recorder->in_tool = 0;
	recorder->elapsed = 0;
	if (recorder->since)
		recorder->since = clock_now(&recorder->session->clock);
	if (recorder->is_on)
		see_all(recorder);
}

/* ---- recording ----------------------------------------------------------- */

static uint32_t log_stack(struct recorder *recorder, struct logged_stack *stack,
			  const struct sampled_frame *frames, size_t depth)
{
	VEC(struct code_address) addresses = {0};
	uint32_t node;

	for (size_t i = 0; i < depth; i++)
		vec_push(&addresses,
			 (struct code_address){.module = frames[i].module,
					       .is_exact = frames[i].is_exact,
					       .address = frames[i].address});
	stack->frames = addresses.data;
	stack->depth = depth;
	node = stack_log_add(&recorder->log, stack);
	vec_free(&addresses);
	return node;
}

static enum sample_reason reason_of(const struct sampling *sampling,
				    const struct sampled_stack *stack)
{
	if (sampling->event == SAMPLED_TICKS)
		return SAMPLE_TICK;
	return stack->is_major ? SAMPLE_FAULT_MAJOR : SAMPLE_FAULT_MINOR;
}

static void on_sample(void *context, const struct sampled_stack *sample)
{
	struct recorder *recorder = context;
	struct logged_stack stack = {
		.thread = sample->thread,
		.reason = reason_of(&recorder->sampling, sample),
		.is_delayed = sample->is_delayed,
		.is_broken = sample->is_broken,
		.wait = sample->wait,
		.weight = 1};

	if (recorder->is_paused)
		return;
	if (sampled_in_tool(sample->frames, sample->depth)) {
		recorder->in_tool++;
		return;
	}
	see_thread(recorder, sample->thread, sample->pid, sample->tid);
	log_stack(recorder, &stack, sample->frames, sample->depth);
}

struct error *recorder_start(struct recorder *recorder,
			     const struct sampling *sampling)
{
	recorder->sampling = *sampling;
	TRY(sampler_start(recorder->sampler, sampling, on_sample, recorder));
	recorder_begin(recorder);
	return NULL;
}

void recorder_begin(struct recorder *recorder)
{
	recorder->is_on = true;
	target_note_ends(recorder->session->target);
	recorder->began = clock_now(&recorder->session->clock);
	if (recorder->session->clock_runs && !recorder->is_paused)
		recorder->since = clock_now(&recorder->session->clock);
	skip_stop(recorder);
	see_all(recorder);
}

void recorder_pause(struct recorder *recorder, bool is_paused)
{
	const uint64_t now = clock_now(&recorder->session->clock);

	if (recorder->is_paused == is_paused)
		return;
	/* What was sampled so far belongs to the time before. */
	if (sampler_is_on(recorder->sampler))
		sampler_drain(recorder->sampler);
	if (is_paused) {
		recorder->elapsed = recorder_elapsed(recorder);
		recorder->since = 0;
	}
	recorder->is_paused = is_paused;
	if (!is_paused && recorder->is_on && recorder->session->clock_runs)
		recorder->since = now;
}

static void add_account(struct sampler_account *to,
			const struct sampler_account *account)
{
	to->ticks += account->ticks;
	to->missed += account->missed;
	to->missed_running += account->missed_running;
	to->missed_waiting += account->missed_waiting;
	to->missed_preempted += account->missed_preempted;
	to->lost += account->lost;
	to->frames += account->frames;
	to->broken += account->broken;
	to->wakeups += account->wakeups;
	to->unwind_ns += account->unwind_ns;
	to->stopped_ns += account->stopped_ns;
	to->spent_ns += account->spent_ns;
	for (size_t i = 0; i < sizeof(to->delays) / sizeof(*to->delays); i++)
		to->delays[i] += account->delays[i];
	to->least_log = account->least_log;
	to->wanted_log = account->wanted_log;
	to->by_kernel = account->by_kernel;
	to->why = account->why;
}

void recorder_stop(struct recorder *recorder)
{
	if (!recorder->is_on)
		return;
	if (sampler_is_on(recorder->sampler)) {
		struct sampler_account account;

		sampler_stop(recorder->sampler);
		sampler_get_account(recorder->sampler, &account);
		add_account(&recorder->account, &account);
	}
	look_at_all(recorder);
	recorder->elapsed = recorder_elapsed(recorder);
	recorder->since = 0;
	recorder->is_on = false;
}

uint32_t recorder_add(struct recorder *recorder, struct thread *thread,
		      const struct user_regs_struct *regs,
		      enum sample_reason reason, uint64_t weight)
{
	const uint64_t before = clock_now(&recorder->session->clock);
	struct sampled_frame_list frames = {0};
	struct logged_stack stack = {
		.thread = thread->serial, .reason = reason, .weight = weight};
	uint32_t node;

	sampler_unwind(recorder->sampler, thread->process, regs, &frames,
		       &stack.is_broken);
	recorder->account.ticks++;
	recorder->account.frames += frames.count;
	recorder->account.broken += stack.is_broken;
	see_thread(recorder, thread->serial, thread->process->pid, thread->tid);
	node = log_stack(recorder, &stack, frames.data, frames.count);
	vec_free(&frames);
	recorder->account.unwind_ns +=
		(double)(clock_now(&recorder->session->clock) - before);
	return node;
}

void recorder_lose(struct recorder *recorder)
{
	if (!recorder->is_paused)
		recorder->account.lost++;
}

bool recorder_stands(const struct recorder *recorder, const struct hit *hit,
		     struct thread **thread, struct user_regs_struct *regs)
{
	struct error *error;

	*thread = hit->mechanism == HIT_INT3
			  ? target_find_thread(recorder->session->target,
					       hit->tid)
			  : NULL;
	if (!*thread)
		return false;
	error = target_get_regs(*thread, regs);
	if (error) {
		error_destroy(error);
		return false;
	}
	regs->rip--; /* the thread is behind the int3 */
	return true;
}

void recorder_held(struct recorder *recorder, uint64_t from, double unseen)
{
	const uint64_t now = clock_now(&recorder->session->clock);
	const double seen = now > from ? (double)(now - from) : 0;

	/* Then there is no measured time of which this would be a part. */
	if (recorder->is_paused)
		return;
	recorder->account.spent_ns += seen;
	recorder->account.stopped_ns += seen + unseen;
}

double recorder_stop_cost(const struct recorder *recorder)
{
	const struct session *session = recorder->session;
	struct measure_summary summary;

	measure_get_summary(session->measure, clock_now(&session->clock),
			    &summary);
	return summary.calibration[HIT_INT3].cost;
}

void recorder_clock(struct recorder *recorder, bool runs, uint64_t time)
{
	if (!recorder->is_on || recorder->is_paused ||
	    runs == (recorder->since != 0))
		return;
	if (!runs && time > recorder->since)
		recorder->elapsed += time - recorder->since;
	recorder->since = runs ? time : 0;
}

uint64_t recorder_elapsed(const struct recorder *recorder)
{
	const uint64_t now = clock_now(&recorder->session->clock);

	return recorder->elapsed + (recorder->since && now > recorder->since
					    ? now - recorder->since
					    : 0);
}

static void tell_sampler(struct recorder *recorder, const struct event *event)
{
	switch (event->kind) {
	case EVENT_THREAD_NEW:
	case EVENT_FORK:
		sampler_thread_came(recorder->sampler, event->thread);
		break;
	case EVENT_EXEC:
		sampler_process_changed(recorder->sampler, event->process);
		break;
	case EVENT_THREAD_GONE:
		sampler_thread_goes(recorder->sampler, event->thread);
		break;
	default:
		break;
	}
	sampler_drain(recorder->sampler);
}

void recorder_event(struct recorder *recorder, const struct event *event)
{
	if (recorder->is_on && event->kind == EVENT_THREAD_NEW)
		see_thread(recorder, event->thread->serial, event->process->pid,
			   event->thread->tid);
	if (sampler_is_on(recorder->sampler))
		tell_sampler(recorder, event);
	if (event->kind == EVENT_THREAD_GONE)
		end_thread(recorder, event->thread);
	for (size_t i = 0; event->kind == EVENT_PROCESS_GONE &&
			   i < event->process->threads.count;
	     i++)
		end_thread(recorder, event->process->threads.data[i]);
}

void recorder_process_came(struct recorder *recorder, struct process *process)
{
	if (recorder->is_on)
		see_process(recorder, process);
	if (sampler_is_on(recorder->sampler))
		sampler_process_changed(recorder->sampler, process);
}

void recorder_process_left(struct recorder *recorder, struct process *process)
{
	if (!recorder->is_on)
		return;
	look_at_all(recorder);
	if (!sampler_is_on(recorder->sampler))
		return;
	sampler_drain(recorder->sampler);
	for (size_t i = 0; i < process->threads.count; i++)
		sampler_thread_goes(recorder->sampler,
				    process->threads.data[i]);
}

/* For how long threads were on no CPU, at most, while the recorder was on. */
static double most_stopped(const struct recorder *recorder)
{
	const double elapsed = (double)recorder_elapsed(recorder);
	const struct recorded_thread *thread;
	double most = 0;
	size_t cursor = 0;
	uint64_t serial;

	while ((thread = map_next(&recorder->threads, &cursor, &serial))) {
		double cpu = (double)(thread->last.cpu - thread->cpu_before);

		most += elapsed > cpu ? elapsed - cpu : 0;
	}
	return most;
}

void recorder_get_account(const struct recorder *recorder,
			  struct sampler_account *out)
{
	struct sampler_account now;
	double most;

	*out = recorder->account;
	if (sampler_is_on(recorder->sampler)) {
		sampler_get_account(recorder->sampler, &now);
		add_account(out, &now);
	}
	/* What the tool has seen of stops is certain; the cost of each stop
	 * beside that was calibrated, and is not that of this machine under
	 * this load. */
	most = most_stopped(recorder);
	if (out->stopped_ns > most)
		out->stopped_ns = most > out->spent_ns ? most : out->spent_ns;
}

void recorder_resolve(struct recorder *recorder, struct call_stacks *out)
{
	/* The program may run, and the kernel's logs are read only from time to
	 * time. */
	if (sampler_is_on(recorder->sampler))
		sampler_drain(recorder->sampler);
	resolve_stacks(recorder->session->modules, &recorder->log,
		       &recorder->threads, out);
}

/* Within so many ns a program has hardly begun. */
#define HARDLY_RUN 100000000u

void recorder_tell_of_none(const struct recorder *recorder, const char *what,
			   const char *since, const char *then)
{
	uint64_t elapsed = recorder_elapsed(recorder);
	struct str time = {0};

	if (recorder->log.stacks || elapsed >= HARDLY_RUN ||
	    !session_has_process(recorder->session))
		return;
	report_duration((double)elapsed, &time);
	session_note(recorder->session,
		     "there are no %s: the program has run for %s since `%s'; "
		     "`run' or `continue for 10s' before `%s' lets it run",
		     what, str_text(&time), since, then);
	str_deinit(&time);
}
