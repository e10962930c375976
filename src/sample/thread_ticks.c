/*
 * thread_ticks.c - ticks of one thread by the wall clock, whatever it does, and
 * what it waits for
 *
 * At each tick the tool looks what the thread is doing.
 *
 * - It has a CPU: it is stopped for a moment, and its stack is told.
 * - It is ready: it is "preempted". It stops as soon as it gets a CPU, where it
 *   was when it lost it, and its stack is told then.
 * - It waits: its stack is read while it waits. It is stopped, and its system
 *   call restarted, only if its stack cannot be unwound without its registers.
 *   This is done once for each wait.
 *
 * Whether it has a CPU is known from the kernel's log of context switches; if
 * there is none, a thread that is ready counts as one that runs. On a busy
 * machine the tool comes late, when several ticks have fallen due; see
 * thread_activity.h.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "call_names.h"
#include "perftool/switches.h"
#include "perftool/target/target_events.h"
#include "sampler_state.h"
#include "thread_proc.h"

#define SWITCH_PAGES 16
/* How long the tool waits for the thread to stop, in ns. */
#define PATIENCE 2000000
/* How often a stop for a glance makes a waiting thread run, at most. */
#define RUNS_OF_A_GLANCE 3
/* Among how many innermost frames the function that waits is sought. */
#define WAIT_FRAMES 8

void thread_ticks_begin(struct sampler *sampler)
{
	sampler->one =
		(struct watched){.tid = sampler->how.tid, .mode = WATCH_TOOL};
	sampler->seen.is_valid = false;
	sampler->activity = ACTIVITY_UNKNOWN;
	sampler->one.period = sampler_period(sampler);
	sampler->next_tick = clock_now(sampler->clock) + sampler->one.period;
	target_set_alarm(sampler->target, sampler, sampler->next_tick);
}

void thread_ticks_end(struct sampler *sampler)
{
	perf_log_close(&sampler->switches);
}

/* ---- telling ----------------------------------------------------------- */

/* Tell a stack of the thread for each tick that waits for it. */
static void tell(struct sampler *sampler, struct thread *thread,
		 const char *wait, bool is_broken)
{
	struct watched *one = &sampler->one;
	struct sampled_stack stack = {.process = thread->process,
				      .thread = thread->serial,
				      .pid = thread->process->pid,
				      .tid = thread->tid,
				      .time = one->asked_at,
				      .is_broken = is_broken,
				      .wait = wait};

	while (one->pending) {
		uint64_t late = one->asked_late + --one->pending * one->period;

		stack.is_delayed = one->is_delayed || late * 2 > one->period;
		if (one->pending < one->ran)
			stack.wait = NULL;
		if (one->pending < one->starved)
			stack.wait = "preempted";
		sampler_count_delay(sampler, late);
		sampler_tell(sampler, &sampler->live_frames, &stack);
	}
	one->ran = one->starved = 0;
}

static void forget_pending(struct sampler *sampler)
{
	struct watched *one = &sampler->one;

	sampler->account.missed += one->pending;
	one->pending = one->ran = one->starved = 0;
}

/* Ask for a glance. It comes at once, or when the thread has a CPU again. */
static void ask(struct sampler *sampler, struct thread *thread,
		enum glance_purpose purpose, const char *wait)
{
	struct watched *one = &sampler->one;
	struct error *error;

	one->purpose = purpose;
	one->wait = wait;
	error = sampler_ask(sampler, thread);
	if (error) {
		one->purpose = GLANCE_NONE;
		forget_pending(sampler);
		error_destroy(error);
	}
	target_await_glances(sampler->target, PATIENCE);
}

static void walk_live(struct sampler *sampler, struct thread *thread,
		      struct unwind_place *place, enum unwind_result *result)
{
	code_rules_renew(sampler_rules(sampler, thread->process),
			 &sampler->host);
	vec_clear(&sampler->live_frames);
	stack_reader_live(&sampler->live, thread->process);
	*result = sampler_walk(sampler, thread->process, &sampler->live, place,
			       &sampler->live_frames);
}

/* ---- what the thread waits for ----------------------------------------- */

static bool has_words(const char *name, const char *first, const char *second)
{
	const char *found = strstr(name, first);

	return found && strstr(found, second);
}

/* What a wait in futex(2) is for, by the name of a function that is on the
 * stack; NULL: the name does not tell. */
static const char *wait_of_function(const char *name)
{
	if (has_words(name, "cond_", "wait") ||
	    has_words(name, "Condvar", "wait"))
		return "CV";
	if (has_words(name, "mutex_", "lock") ||
	    has_words(name, "rwlock_", "lock") ||
	    has_words(name, "lll_", "lock") ||
	    has_words(name, "Mutex", "lock") || has_words(name, "RwLock", ""))
		return "ML";
	return NULL;
}

/* The name of the function of a frame of `sampler->live_frames`, or "". */
static const char *name_frame(struct sampler *sampler, struct process *process,
			      size_t index)
{
	const struct sampled_frame *frame = &sampler->live_frames.data[index];
	struct code_rules *rules = sampler_rules(sampler, process);
	struct function function;

	for (size_t i = 0; frame->module && i < rules->modules.count; i++) {
		const struct sampled_module *module = &rules->modules.data[i];

		if (module->number == frame->module && module->file &&
		    debugfile_function_at(module->file,
					  frame->address - !frame->is_exact,
					  &function) &&
		    function.name)
			return function.name;
	}
	return "";
}

static const char *wait_of_futex(struct sampler *sampler,
				 struct process *process)
{
	for (size_t i = 0; i < sampler->live_frames.count && i < WAIT_FRAMES;
	     i++) {
		const char *wait =
			wait_of_function(name_frame(sampler, process, i));

		if (wait)
			return wait;
	}
	return "futex";
}

/* The system call that has the name of the innermost function that has the name
 * of one, or NULL. (Since version 2.41 of glibc, functions that wait call
 * another one that makes the system call.) */
static const char *innermost_call(struct sampler *sampler,
				  struct process *process)
{
	const char *call = NULL;

	for (size_t i = 0;
	     !call && i < sampler->live_frames.count && i < WAIT_FRAMES; i++) {
		const char *name = name_frame(sampler, process, i);

		call = call_name(call_number(name + strspn(name, "_")));
	}
	return call;
}

static const char *name_wait(struct sampler *sampler, struct process *process,
			     long call)
{
	const char *name;

	if (call < 0)
		return "pagefault";
	if (call == SYS_futex)
		return wait_of_futex(sampler, process);
	/* The kernel uses it to go on with a call that was interrupted. A
	 * function around it has the name of that call. */
	name = call == SYS_restart_syscall ? innermost_call(sampler, process)
					   : call_name(call);
	return name ? name : "?";
}

/* ---- a thread that waits ----------------------------------------------- */

static void copy_frames(const struct sampled_frame_list *from,
			struct sampled_frame_list *to)
{
	vec_clear(to);
	for (size_t i = 0; i < from->count; i++)
		vec_push(to, from->data[i]);
}

/* Remember the stack of the present wait, which was just unwound. */
static void remember(struct sampler *sampler, struct thread *thread,
		     bool is_broken)
{
	struct seen_wait *seen = &sampler->seen;

	seen->name = name_wait(sampler, thread->process, seen->call);
	seen->is_broken = is_broken;
	seen->is_valid = true;
	copy_frames(&sampler->live_frames, &seen->frames);
}

/* Is the thread still in the wait that was seen before? */
static bool is_same_wait(struct seen_wait *seen,
			 const struct waiting_call *call, uint64_t runs)
{
	uint64_t slack = seen->was_stopped ? RUNS_OF_A_GLANCE : 0;

	/* A call that was interrupted may go on as restart_syscall. */

	if (!seen->is_valid || !runs ||
	    (seen->call != call->number &&
	     !(slack && call->number == SYS_restart_syscall)) ||
	    seen->sp != call->sp || seen->pc != call->pc ||
	    runs - seen->runs > slack)
		return false;
	seen->runs = runs;
	seen->was_stopped = false;
	return true;
}

/* The thread waits. False: it does not wait any more. */
static bool see_wait(struct sampler *sampler, struct thread *thread)
{
	pid_t pid = thread->process->pid, tid = thread->tid;
	struct unwind_place place = {.unknown = 0xffff & ~(1U << UNWIND_RSP),
				     .is_exact = true};
	struct seen_wait *seen = &sampler->seen;
	uint64_t cpu, runs = 0, after = 0;
	struct waiting_call call;
	enum unwind_result result;

	thread_proc_cpu(pid, tid, false, &cpu, &runs);
	if (!thread_proc_call(pid, tid, &call))
		return false;
	if (is_same_wait(seen, &call, runs)) {
		copy_frames(&seen->frames, &sampler->live_frames);
		tell(sampler, thread, seen->name, seen->is_broken);
		return true;
	}
	place.regs[UNWIND_RSP] = call.sp;
	place.regs[16] = call.pc;
	walk_live(sampler, thread, &place, &result);
	thread_proc_cpu(pid, tid, false, &cpu, &after);
	if (runs != after)
		return false;
	seen->is_valid = false;
	seen->call = call.number;
	seen->sp = call.sp;
	seen->pc = call.pc;
	seen->runs = runs;
	seen->was_stopped = result == UNWOUND_UNKNOWN;
	if (result == UNWOUND_UNKNOWN) {
		ask(sampler, thread, GLANCE_WAIT, NULL);
		return true;
	}
	remember(sampler, thread, result != UNWOUND);
	tell(sampler, thread, seen->name, seen->is_broken);
	return true;
}

void thread_ticks_glance(struct sampler *sampler, struct thread *thread,
			 const struct user_regs_struct *regs,
			 enum glance_purpose purpose)
{
	uint64_t now = clock_now(sampler->clock);
	struct watched *one = &sampler->one;
	const char *wait = one->wait;
	struct unwind_place place;
	enum unwind_result result;

	unwind_place_init(&place, regs);
	sampler_settle(sampler, thread->process, true, &place);
	walk_live(sampler, thread, &place, &result);
	if (purpose == GLANCE_TICK) {
		one->asked_late += now - one->asked_at;
		one->asked_at = now;
		one->is_delayed = (int64_t)regs->orig_rax >= 0;
	} else if (!wait) {
		remember(sampler, thread, result != UNWOUND);
		wait = sampler->seen.name;
	}
	tell(sampler, thread, wait, result != UNWOUND);
}

/* ---- ticks ------------------------------------------------------------- */

/* Reads from the kernel's log what the thread did at the ticks that have fallen
 * due. What came after the last of them may be the tool's own doing, which has
 * taken the CPU to see to the tick. */
static void read_activity(struct sampler *sampler, struct due_ticks *ticks)
{
	struct switch_record record;

	if (!sampler->switches.page) {
		struct error *error = switch_log_open(
			sampler->one.tid, SWITCH_PAGES, &sampler->switches);

		sampler->activity = ACTIVITY_UNKNOWN;
		error_destroy(error);
	}
	while (sampler->switches.page &&
	       switch_log_next(&sampler->switches, &record)) {
		record.time = clock_from_raw(sampler->clock, &sampler->raw,
					     record.time);
		due_ticks_switch(ticks, &sampler->activity, &record);
	}
	due_ticks_end(ticks, sampler->activity);
}

/* How many of the ticks found the thread ready, and without a CPU. */
static uint64_t count_preempted(const struct sampler *sampler,
				const struct due_ticks *ticks)
{
	uint64_t count = ticks->over[ACTIVITY_PREEMPTED];

	if (sampler->activity == ACTIVITY_PREEMPTED)
		count += ticks->present;
	return count + (ticks->last == ACTIVITY_PREEMPTED);
}

static void count_missed(struct sampler *sampler, enum activity activity,
			 uint64_t count)
{
	struct sampler_account *account = &sampler->account;

	account->missed += count;
	if (activity == ACTIVITY_RUNS)
		account->missed_running += count;
	if (activity == ACTIVITY_WAITS)
		account->missed_waiting += count;
	if (activity == ACTIVITY_PREEMPTED)
		account->missed_preempted += count;
}

/* The thread was found doing `found`, and has the stack that earlier ticks of
 * that had. The other ticks are missed. */
static void credit(struct sampler *sampler, const struct due_ticks *ticks,
		   enum activity found)
{
	struct watched *one = &sampler->one;
	bool is_same = sampler->activity == found;

	one->ran = 0;
	if (is_same)
		one->pending += ticks->present;
	else
		count_missed(sampler, sampler->activity, ticks->present);
	if (is_same && found == ACTIVITY_PREEMPTED) {
		one->pending += ticks->ran;
		one->ran = ticks->ran;
	} else {
		count_missed(sampler, ACTIVITY_RUNS, ticks->ran);
	}
}

/* See to the last of the ticks that have fallen due. */
static void see(struct sampler *sampler, struct thread *thread,
		const struct due_ticks *ticks)
{
	char state = thread_proc_state(thread->process->pid, thread->tid);
	bool has_no_cpu = ticks->last == ACTIVITY_PREEMPTED ||
			  ticks->last == ACTIVITY_WAITS;

	if (strchr("SDTI", state) && state) {
		credit(sampler, ticks, ACTIVITY_WAITS);
		if (see_wait(sampler, thread))
			return;
	} else {
		credit(sampler, ticks,
		       has_no_cpu ? ACTIVITY_PREEMPTED : ACTIVITY_RUNS);
	}
	if (!state || strchr("tZX", state)) {
		forget_pending(sampler);
		return;
	}
	if (state == 'R' && has_no_cpu)
		ask(sampler, thread, GLANCE_WAIT, "preempted");
	else
		ask(sampler, thread, GLANCE_TICK, NULL);
}

/* So many ticks have fallen due, the last one `late` ns ago. */
static void take(struct sampler *sampler, struct thread *thread, uint64_t count,
		 uint64_t now, uint64_t late)
{
	struct watched *one = &sampler->one;
	struct due_ticks ticks = {.first = sampler->next_tick,
				  .period = one->period,
				  .count = count};

	read_activity(sampler, &ticks);
	/* A thread that is to stop for an earlier tick does not run any code of
	 * the program before that. These ticks are told with that one. */
	if (one->purpose != GLANCE_NONE) {
		one->pending += count;
		if (one->purpose == GLANCE_TICK)
			one->starved += count_preempted(sampler, &ticks);
		return;
	}
	for (enum activity i = ACTIVITY_UNKNOWN; i < ACTIVITIES; i++)
		count_missed(sampler, i, ticks.over[i]);
	one->asked_at = now;
	one->asked_late = late;
	one->is_delayed = false;
	one->pending = 1;
	see(sampler, thread, &ticks);
}

void thread_ticks_take(struct sampler *sampler)
{
	uint64_t now = clock_now(sampler->clock), late;
	struct watched *one = &sampler->one;
	struct thread *thread;

	if (now < sampler->next_tick)
		return;
	sampler->account.wakeups++;
	late = now - sampler->next_tick;
	thread = target_find_thread(sampler->target, one->tid);
	if (thread && thread->state == THREAD_RUNNING &&
	    !target_is_dead_leader(thread))
		take(sampler, thread, late / one->period + 1, now,
		     late % one->period);
	late %= one->period;
	one->period = sampler_period(sampler);
	sampler->next_tick = now - late + one->period;
	target_set_alarm(sampler->target, sampler, sampler->next_tick);
}
