/*
 * thread_ticks.c - ticks of one thread by the wall clock, whatever it does, and
 * what it waits for
 *
 * At each tick the tool looks what the thread is doing:
 *
 *	it has a CPU        it is stopped for a moment, and its stack is told
 *	it is ready         "preempted"; it stops as soon as it gets a CPU,
 *where it was when it lost it, and its stack is told then it waits its stack is
 *read while it waits; it is stopped, and its system call restarted, only if its
 *stack cannot be unwound without its registers. This is done once for each
 *wait.
 *
 * Whether it has a CPU is known from the kernel's log of context switches; if
 * there is none, a thread that is ready counts as one that runs.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "call_names.h"
#include "perftool/switches.h"
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

	stack.is_delayed = one->is_delayed || one->asked_late * 2 > one->period;
	for (; one->pending; one->pending--) {
		sampler_count_delay(sampler, one->asked_late);
		sampler_tell(sampler, &sampler->live_frames, &stack);
	}
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
		sampler->account.missed += one->pending;
		one->pending = 0;
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

/* The system call that has the name of the innermost function, or NULL. */
static const char *innermost_call(struct sampler *sampler,
				  struct process *process)
{
	const char *name = name_frame(sampler, process, 0);

	return call_name(call_number(name + strspn(name, "_")));
}

static const char *name_wait(struct sampler *sampler, struct process *process,
			     long call)
{
	const char *name;

	if (call < 0)
		return "pagefault";
	if (call == SYS_futex)
		return wait_of_futex(sampler, process);
	/* The kernel uses it to go on with a call that was interrupted. The
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

/* Had the thread no CPU when the tick fell due? What came after that may be the
 * tool's own doing, which has taken the CPU to see to the tick. */
static bool had_no_cpu(struct sampler *sampler, uint64_t due)
{
	struct switch_record record;
	bool result;

	if (!sampler->switches.page) {
		struct error *error = switch_log_open(
			sampler->one.tid, SWITCH_PAGES, &sampler->switches);

		sampler->is_off = false;
		error_destroy(error);
		return false;
	}
	result = sampler->is_off;
	while (switch_log_next(&sampler->switches, &record)) {
		sampler->is_off = record.kind == SWITCH_OFF;
		if (record.kind == SWITCH_LOST ||
		    clock_from_raw(sampler->clock, &sampler->raw, record.time) <
			    due)
			result = sampler->is_off;
	}
	return result;
}

static void see(struct sampler *sampler, struct thread *thread)
{
	bool has_no_cpu = had_no_cpu(sampler, sampler->next_tick);
	char state = thread_proc_state(thread->process->pid, thread->tid);

	if (strchr("SDTI", state) && state && see_wait(sampler, thread))
		return;
	if (!state || strchr("tZX", state)) {
		sampler->account.missed += sampler->one.pending;
		sampler->one.pending = 0;
		return;
	}
	if (state == 'R' && has_no_cpu)
		ask(sampler, thread, GLANCE_WAIT, "preempted");
	else
		ask(sampler, thread, GLANCE_TICK, NULL);
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
	    !target_is_dead_leader(thread)) {
		sampler->account.missed += late / one->period;
		one->pending++;
		/* An earlier tick may wait until the thread has a CPU again;
		 * this one is then told together with that. */
		if (one->purpose == GLANCE_NONE) {
			one->asked_at = now;
			one->asked_late = late;
			one->is_delayed = false;
			see(sampler, thread);
		}
	}
	late %= one->period;
	one->period = sampler_period(sampler);
	sampler->next_tick = now - late + one->period;
	target_set_alarm(sampler->target, sampler, sampler->next_tick);
}
