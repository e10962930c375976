/*
 * sampler.c - begins, continues and ends sampling; which threads are sampled,
 * and in which way: see sampler_state.h
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "perftool/base/alloc.h"
#include "perftool/target/target_events.h"
#include "sampler_state.h"

/* For how long the tool waits until a thread has stopped for a tick. A thread
 * that takes longer is seen when it has stopped. */
#define GLANCE_PATIENCE 2000000

struct sampler *sampler_create(struct target *target, const struct clock *clock,
			       const struct sampler_host *host)
{
	struct sampler *sampler = xcalloc(1, sizeof(*sampler));

	sampler->target = target;
	sampler->clock = clock;
	sampler->host = *host;
	sampler->random = clock_now(clock) | 1;
	sampler->buffer = xmalloc(PERF_RECORD_MOST);
	return sampler;
}

void sampler_destroy(struct sampler *sampler)
{
	struct code_rules *rules;
	size_t cursor = 0;
	uint64_t pid;

	if (!sampler)
		return;
	if (sampler->is_on)
		sampler_stop(sampler);
	target_forget_glances(sampler->target, sampler);
	while ((rules = map_next(&sampler->rules, &cursor, &pid)))
		code_rules_destroy(rules);
	map_deinit(&sampler->rules);
	map_deinit(&sampler->by_tid);
	vec_free(&sampler->threads);
	vec_free(&sampler->frames);
	vec_free(&sampler->live_frames);
	vec_free(&sampler->seen.frames);
	free(sampler->buffer);
	free(sampler->why);
	free(sampler);
}

/* ---- unwinding --------------------------------------------------------- */

struct code_rules *sampler_rules(struct sampler *sampler,
				 struct process *process)
{
	struct code_rules *rules =
		map_get(&sampler->rules, (uint64_t)process->pid);

	if (rules && rules->process != process) {
		code_rules_destroy(rules);
		rules = NULL;
	}
	if (!rules) {
		rules = code_rules_create(process);
		map_set(&sampler->rules, (uint64_t)process->pid, rules);
	}
	return rules;
}

void sampler_settle(const struct sampler *sampler, struct process *process,
		    bool in_kernel, struct unwind_place *place)
{
	const struct sampler_host *host = &sampler->host;

	if (host->stands_at)
		place->regs[UNWIND_PC] =
			host->stands_at(host->context, process,
					place->regs[UNWIND_PC], in_kernel);
}

enum unwind_result sampler_walk(struct sampler *sampler,
				struct process *process,
				struct stack_reader *reader,
				struct unwind_place *place,
				struct sampled_frame_list *frames)
{
	struct code_rules *rules = sampler_rules(sampler, process);
	uint64_t begin = clock_now(sampler->clock);
	enum unwind_result result =
		unwind(rules, &sampler->host, reader, place, frames);

	sampler->account.unwind_ns +=
		(double)(clock_now(sampler->clock) - begin);
	return result;
}

void sampler_unwind(struct sampler *sampler, struct process *process,
		    const struct user_regs_struct *regs,
		    struct sampled_frame_list *frames, bool *is_broken)
{
	struct code_rules *rules = sampler_rules(sampler, process);
	struct unwind_place place;

	code_rules_renew(rules, &sampler->host);
	stack_reader_live(&sampler->live, process);
	unwind_place_init(&place, regs);
	*is_broken = unwind(rules, &sampler->host, &sampler->live, &place,
			    frames) != UNWOUND;
}

/* ---- telling ----------------------------------------------------------- */

void sampler_count_delay(struct sampler *sampler, uint64_t late)
{
	static const uint64_t limits[] = {10000, 100000, 1000000, 10000000};
	size_t i = 0;

	while (i < 4 && late >= limits[i])
		i++;
	sampler->account.delays[i]++;
}

void sampler_tell(struct sampler *sampler,
		  const struct sampled_frame_list *frames,
		  struct sampled_stack *stack)
{
	stack->frames = frames->data;
	stack->depth = frames->count;
	sampler->account.ticks++;
	sampler->account.frames += stack->depth;
	sampler->account.broken += stack->is_broken;
	sampler->tell(sampler->context, stack);
}

void sampler_tell_live(struct sampler *sampler, struct watched *watched,
		       struct thread *thread,
		       const struct user_regs_struct *regs)
{
	uint64_t now = clock_now(sampler->clock);
	struct unwind_place place;
	enum unwind_result result;

	code_rules_renew(sampler_rules(sampler, thread->process),
			 &sampler->host);
	vec_clear(&sampler->live_frames);
	stack_reader_live(&sampler->live, thread->process);
	unwind_place_init(&place, regs);
	/* A thread that is stopped exactly there was most likely on its way to
	 * report the int3. */
	sampler_settle(sampler, thread->process, true, &place);
	result = sampler_walk(sampler, thread->process, &sampler->live, &place,
			      &sampler->live_frames);
	if (watched->mode == WATCH_STOPS &&
	    !sampled_in_tool(sampler->live_frames.data,
			     sampler->live_frames.count))
		stack_copies_stopped(watched,
				     place.regs[UNWIND_RSP] - regs->rsp);
	watched->asked_late += now - watched->asked_at;
	sampler_count_delay(sampler, watched->asked_late);
	sampler_tell(
		sampler, &sampler->live_frames,
		&(struct sampled_stack){
			.process = thread->process,
			.thread = thread->serial,
			.pid = thread->process->pid,
			.tid = thread->tid,
			.time = now,
			.is_delayed = watched->is_delayed ||
				      (int64_t)regs->orig_rax >= 0 ||
				      watched->asked_late * 2 > watched->period,
			.is_broken = result != UNWOUND});
}

/* Does the tool look at one thread by the wall clock? */
static bool is_by_wall(const struct sampler *sampler)
{
	return sampler->how.tid && sampler->how.event == SAMPLED_TICKS;
}

static struct watched *find_watched(struct sampler *sampler, pid_t tid)
{
	if (is_by_wall(sampler))
		return tid == sampler->how.tid ? &sampler->one : NULL;
	return map_get(&sampler->by_tid, (uint64_t)tid);
}

static void on_glance(void *context, struct thread *thread,
		      const struct user_regs_struct *regs)
{
	struct sampler *sampler = context;
	struct watched *watched = find_watched(sampler, thread->tid);
	enum glance_purpose purpose;
	uint64_t begin = clock_now(sampler->clock);

	if (!sampler->is_on || !watched)
		return;
	purpose = watched->purpose;
	watched->purpose = GLANCE_NONE;
	if (purpose != GLANCE_NONE && is_by_wall(sampler))
		thread_ticks_glance(sampler, thread, regs, purpose);
	else if (purpose == GLANCE_TICK)
		sampler_tell_live(sampler, watched, thread, regs);
	else if (purpose == GLANCE_COMPLETE)
		kernel_log_complete(sampler, thread, regs);
	sampler->account.stopped_ns +=
		(double)(clock_now(sampler->clock) - begin);
}

struct error *sampler_ask(struct sampler *sampler, struct thread *thread)
{
	return target_glance(thread, on_glance, sampler);
}

/* ---- the threads ------------------------------------------------------- */

/* Returns a random number from 0 to 1. */
static double random_share(struct sampler *sampler)
{
	/* xorshift64: enough that the ticks keep no step with anything */
	sampler->random ^= sampler->random << 13;
	sampler->random ^= sampler->random >> 7;
	sampler->random ^= sampler->random << 17;
	return (double)(sampler->random >> 11) * 0x1p-53;
}

uint64_t sampler_period(struct sampler *sampler)
{
	return (uint64_t)(1e9 / sampler->how.rate *
			  (SHORTEST_PERIOD +
			   random_share(sampler) *
				   (LONGEST_PERIOD - SHORTEST_PERIOD)));
}

uint64_t sampler_first_period(struct sampler *sampler)
{
	return (uint64_t)((double)sampler_period(sampler) *
			  random_share(sampler));
}

void sampler_set_why(struct sampler *sampler, const char *why)
{
	if (!sampler->why)
		sampler->why = xstrdup(why);
}

void sampler_refused(struct sampler *sampler, const struct error *error)
{
	/* That ticks in system calls are not shown matters less than this. */
	if (sampler->account.by_kernel) {
		free(sampler->why);
		sampler->why = xstrdup(error_message(error));
	}
	sampler->account.by_kernel = false;
}

static void stop_watching(struct sampler *sampler, struct watched *watched)
{
	map_remove(&sampler->by_tid, (uint64_t)watched->tid);
	for (size_t i = 0; i < sampler->threads.count; i++)
		if (sampler->threads.data[i] == watched) {
			sampler->threads.data[i] =
				sampler->threads
					.data[sampler->threads.count - 1];
			sampler->threads.count--;
			break;
		}
	kernel_log_close(sampler, watched);
	free(watched);
}

/* The thread of a watch, or NULL if it does not exist any more. */
static struct thread *thread_of(const struct sampler *sampler,
				const struct watched *watched)
{
	struct thread *thread =
		target_find_thread(sampler->target, watched->tid);

	return thread && thread->serial == watched->serial ? thread : NULL;
}

static void drain_one(struct sampler *sampler, struct watched *watched)
{
	struct thread *thread = thread_of(sampler, watched);
	struct process *process =
		target_find_process(sampler->target, watched->pid);

	kernel_log_drain(sampler, watched, thread, process);
}

static void finish_one(struct sampler *sampler, struct watched *watched)
{
	kernel_log_finish(sampler, watched, thread_of(sampler, watched),
			  target_find_process(sampler->target, watched->pid));
	stop_watching(sampler, watched);
}

static struct error *watch(struct sampler *sampler, struct thread *thread)
{
	struct watched *watched =
		map_get(&sampler->by_tid, (uint64_t)thread->tid);
	struct error *error;

	if ((watched && watched->serial == thread->serial) ||
	    (sampler->how.tid && thread->tid != sampler->how.tid))
		return NULL;
	if (watched)
		finish_one(sampler, watched);
	watched = xcalloc(1, sizeof(*watched));
	watched->pid = thread->process->pid;
	watched->tid = thread->tid;
	watched->serial = thread->serial;
	vec_push(&sampler->threads, watched);
	map_set(&sampler->by_tid, (uint64_t)watched->tid, watched);
	error = kernel_log_open(sampler, watched);
	if (!error)
		return NULL;
	if (error_code(error) == ERROR_GONE ||
	    sampler->how.event == SAMPLED_FAULTS) {
		stop_watching(sampler, watched);
		return error_unless(error, ERROR_GONE);
	}
	sampler_refused(sampler, error);
	error_destroy(error);
	tool_ticks_begin(sampler, watched);
	return NULL;
}

static struct error *watch_process(struct sampler *sampler,
				   struct process *process)
{
	for (size_t i = 0; i < process->threads.count; i++)
		TRY(watch(sampler, process->threads.data[i]));
	return NULL;
}

/* ---- begin and end ----------------------------------------------------- */

static void stop_all(struct sampler *sampler)
{
	while (sampler->threads.count)
		finish_one(sampler, sampler->threads.data[0]);
	if (is_by_wall(sampler))
		thread_ticks_end(sampler);
	target_set_alarm(sampler->target, sampler, UINT64_MAX);
	target_set_alarm(sampler->target, &sampler->next_reading, UINT64_MAX);
	target_forget_glances(sampler->target, sampler);
	sampler->next_tick = sampler->next_reading = 0;
	sampler->is_on = false;
}

/* Can the kernel sample a thread at all? The tool asks for itself, because the
 * program may not have been started yet. */
static struct error *try_kernel(struct sampler *sampler)
{
	struct watched own = {.pid = getpid(), .tid = gettid()};
	struct error *error = kernel_log_open(sampler, &own);

	kernel_log_close(sampler, &own);
	return error;
}

struct error *sampler_start(struct sampler *sampler,
			    const struct sampling *sampling, sampled_fn *tell,
			    void *context)
{
	struct process *process;
	struct error *error = NULL;
	size_t cursor = 0;

	if (sampler->is_on)
		sampler_stop(sampler);
	free(sampler->why);
	sampler->why = NULL;
	sampler->account = (struct sampler_account){.by_kernel = true};
	sampler->how = *sampling;
	sampler->tell = tell;
	sampler->context = context;
	sampler->sees_kernel = true;
	sampler->is_on = true;
	if (is_by_wall(sampler)) {
		thread_ticks_begin(sampler);
		return NULL;
	}
	error = try_kernel(sampler);
	if (error && sampling->event == SAMPLED_TICKS) {
		sampler_refused(sampler, error);
		error_destroy(error);
		error = NULL;
	}
	while (!error &&
	       (process = target_next_process(sampler->target, &cursor)))
		error = watch_process(sampler, process);
	if (error)
		stop_all(sampler);
	return error;
}

void sampler_stop(struct sampler *sampler)
{
	if (!sampler->is_on)
		return;
	sampler_drain(sampler);
	stop_all(sampler);
}

bool sampler_is_on(const struct sampler *sampler)
{
	return sampler->is_on;
}

/* The logs of faults are read by the clock. */
static void set_next_look(struct sampler *sampler)
{
	uint64_t now = clock_now(sampler->clock);

	if (now < sampler->next_tick)
		return;
	sampler->next_tick = now + kernel_log_pause(sampler);
	target_set_alarm(sampler->target, sampler, sampler->next_tick);
}

static void drain_all(struct sampler *sampler)
{
	bool is_due;

	if (is_by_wall(sampler)) {
		thread_ticks_take(sampler);
		return;
	}
	sampler->was_woken = is_due = log_readings_are_due(sampler);
	for (size_t i = sampler->threads.count; i-- > 0;)
		drain_one(sampler, sampler->threads.data[i]);
	if (is_due)
		log_readings_next(sampler);
	sampler->account.wakeups += sampler->was_woken;
	if (sampler->how.event == SAMPLED_FAULTS)
		set_next_look(sampler);
	else if (sampler->next_tick)
		tool_ticks_take(sampler);
	target_await_glances(sampler->target, GLANCE_PATIENCE);
}

static double own_cpu_time(void)
{
	struct timespec time = {0};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

void sampler_drain(struct sampler *sampler)
{
	double begin;

	if (!sampler->is_on)
		return;
	begin = own_cpu_time();
	drain_all(sampler);
	sampler->account.spent_ns += own_cpu_time() - begin;
}

void sampler_thread_came(struct sampler *sampler, struct thread *thread)
{
	struct error *error;

	if (!sampler->is_on || is_by_wall(sampler))
		return;
	error = watch(sampler, thread);
	if (error)
		sampler_set_why(sampler, error_message(error));
	error_destroy(error);
}

void sampler_thread_goes(struct sampler *sampler, struct thread *thread)
{
	struct watched *watched =
		map_get(&sampler->by_tid, (uint64_t)thread->tid);

	if (!watched || watched->serial != thread->serial)
		return;
	kernel_log_finish(sampler, watched, NULL, thread->process);
	stop_watching(sampler, watched);
}

void sampler_process_goes(struct sampler *sampler, struct process *process)
{
	for (size_t i = sampler->threads.count; i-- > 0;) {
		struct watched *watched = sampler->threads.data[i];

		if (watched->pid != process->pid)
			continue;
		kernel_log_finish(sampler, watched, NULL, process);
		stop_watching(sampler, watched);
	}
	code_rules_destroy(map_remove(&sampler->rules, (uint64_t)process->pid));
}

void sampler_forget(struct sampler *sampler, pid_t pid)
{
	code_rules_destroy(map_remove(&sampler->rules, (uint64_t)pid));
}

void sampler_process_changed(struct sampler *sampler, struct process *process)
{
	struct error *error;

	if (!sampler->is_on || is_by_wall(sampler))
		return;
	for (size_t i = sampler->threads.count; i-- > 0;) {
		struct watched *watched = sampler->threads.data[i];

		if (watched->pid != process->pid || thread_of(sampler, watched))
			continue;
		kernel_log_finish(sampler, watched, NULL, process);
		stop_watching(sampler, watched);
	}
	error = watch_process(sampler, process);
	if (error)
		sampler_set_why(sampler, error_message(error));
	error_destroy(error);
}

void sampler_get_account(const struct sampler *sampler,
			 struct sampler_account *out)
{
	*out = sampler->account;
	out->why = sampler->why;
}
