/*
 * kernel_log.c - the kernel's ticks and page faults, with the registers and the
 * stack that it copies at each of them
 *
 * kernel_events.c opens the logs, and tick_periods.c decides when ticks fall
 * due.
 *
 * The kernel copies a part of the stack, from the stack pointer on. The tool
 * has it copy more if stacks do not fit. The size of a record is limited to
 * 64 KiB, so a thread with deeper stacks is stopped at each tick (WATCH_STOPS).
 * Until then, the rest of a stack that did not fit is read from the thread, if
 * the thread has not returned from those calls meanwhile.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "sampler_state.h"

/* The DWARF numbers of KERNEL_REGISTERS, in the kernel's order. */
static const uint8_t register_order[] = {0, 3, 2,  1,  4,  5,  6,  7, 16,
					 8, 9, 10, 11, 12, 13, 14, 15};
#define REGISTERS sizeof(register_order)

/* How much of a stack is copied at first: of a tick, and of a fault; the least
 * of a fault once it is known how much is needed; and the most. */
#define FIRST_COPY 16384
#define FIRST_FAULT_COPY 16384
#define LEAST_COPY 1024
/* (a multiple of 8, and so are its halves) */
#define MOST_COPY 64512
/* How often the logs of faults are read: so that a thread may have so many
 * faults a second whose records have so many bytes, but not more and not less
 * often than that, in ns. */
#define FAULTS_A_SECOND 50000
#define LARGE_RECORD 4608
#define LEAST_PAUSE 500000
#define MOST_PAUSE 20000000
/* After how many stacks in a row that do not fit in the largest copy, or would
 * fit, the thread is stopped at each tick, or is not any more. */
#define CUTS 2
#define FITS 64
/* After how many faults whose stacks fit the tool is not woken up at each. */
#define SETTLING 16
/* How many stacks of faults may be completed by stopping the thread, before the
 * kernel copies more. */
#define COMPLETIONS 8
/* How many records are taken at once. */
#define MOST_RECORDS 20000
#define MOST_TICKS 64
/* Two faults of a thread are further apart than this, in ns. */
#define LEAST_DISTANCE 300
/* How long the tool waits for the thread whose stack it completes, in ns. */
#define PATIENCE 1000000

/* What is in a record of a sample, up to the stack. */
struct sample_record {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time, count, abi;
	uint64_t regs[REGISTERS];
	uint64_t size; /* of the stack that follows, and then the bytes copied
			*/
};
/* A record of a thread that has no registers, because it is about to end. */
#define SHORT_RECORD offsetof(struct sample_record, regs)

struct lost_record {
	struct perf_event_header header;
	uint64_t id, lost;
};

/* ---- opening ----------------------------------------------------------- */

struct error *kernel_log_open(struct sampler *sampler, struct watched *watched)
{
	struct error *error;

	watched->mode = WATCH_COPIES;
	watched->copied = sampler->how.event == SAMPLED_TICKS
				  ? FIRST_COPY
				  : FIRST_FAULT_COPY;
	tick_periods_begin(sampler, watched);
	error = kernel_events_open(sampler, watched);
	if (!error || error_code(error) == ERROR_GONE || !sampler->sees_kernel)
		return error;
	/* A user without CAP_PERFMON may not see the kernel if
	 * perf_event_paranoid is 2. */
	sampler->sees_kernel = false;
	error_destroy(error);
	kernel_events_close(watched);
	error = kernel_events_open(sampler, watched);
	if (error)
		sampler->sees_kernel = true;
	else
		sampler_set_why(sampler,
				sampler->how.event == SAMPLED_TICKS
					? "the kernel does not show ticks in "
					  "system calls "
					  "(kernel.perf_event_paranoid)"
					: "the kernel does not show page "
					  "faults in system calls "
					  "(kernel.perf_event_paranoid)");
	return error;
}

/* Count the faults of which there is no record, because the log was full to the
 * end. */
static void count_last_faults(struct sampler *sampler, struct watched *watched)
{
	uint64_t count;

	if (sampler->how.event == SAMPLED_FAULTS && watched->log.has_file &&
	    read(watched->log.file, &count, sizeof(count)) == sizeof(count) &&
	    count > watched->count)
		sampler->account.lost += count - watched->count;
}

/*
 * A kernel that is asked for signals sends one at each record, and a program
 * that has tens of thousands of faults a second would stand in line for the
 * tool. So once it is known how much of a stack to copy, the tool reads large
 * logs by its own clock, soon enough that half a log takes FAULTS_A_SECOND.
 */
uint64_t kernel_log_pause(const struct sampler *sampler)
{
	double pause = (double)sampler->account.least_log / 2 / LARGE_RECORD /
		       FAULTS_A_SECOND * 1e9;

	if (pause < LEAST_PAUSE)
		return LEAST_PAUSE;
	return pause < MOST_PAUSE ? (uint64_t)pause : MOST_PAUSE;
}

void kernel_log_close(struct sampler *sampler, struct watched *watched)
{
	count_last_faults(sampler, watched);
	kernel_events_close(watched);
}

/* ---- how much is copied ------------------------------------------------ */

/* Watch the thread in another way from the end of this drain on. */
static void want(struct watched *watched, enum watch_mode mode, size_t copied)
{
	watched->wants_change = true;
	watched->wanted_mode = mode;
	watched->wanted_copy = copied;
}

/* How much to copy if `needed` bytes were enough so far. The smaller the
 * copies, the more faults have room in the log. */
static size_t sufficient(size_t needed)
{
	size_t size = (needed + needed / 2 + LEAST_COPY) & ~(size_t)7;

	return size < MOST_COPY ? size : MOST_COPY;
}

/* A stack did not fit in the copy, or it did. */
static void note_cut(struct sampler *sampler, struct watched *watched,
		     bool is_cut, bool is_elsewhere)
{
	size_t copied = watched->copied;

	watched->cut = is_cut ? watched->cut + 1 : 0;
	watched->fits = is_cut ? 0 : watched->fits + 1;
	if (watched->wants_change)
		return;
	if (watched->fits >= SETTLING && !watched->is_settled &&
	    sampler->how.event == SAMPLED_FAULTS) {
		watched->is_settled = true;
		want(watched, WATCH_COPIES, sufficient(watched->needed));
	}
	if (!is_cut)
		return;
	watched->is_settled = false;
	/* Another stack, such as that of the code that a signal has
	 * interrupted, is never in the copy. */
	if (copied < MOST_COPY && !is_elsewhere)
		want(watched, WATCH_COPIES,
		     copied * 4 < MOST_COPY ? copied * 4 : MOST_COPY);
	else if (watched->cut >= CUTS && sampler->how.event == SAMPLED_TICKS)
		want(watched, WATCH_STOPS, 0);
}

void kernel_log_fit(struct watched *watched, uint64_t size)
{
	watched->fits = size < MOST_COPY / 2 ? watched->fits + 1 : 0;
	if (watched->fits >= FITS)
		want(watched, WATCH_COPIES, MOST_COPY);
}

/* ---- records ----------------------------------------------------------- */

static void place_of(const struct sample_record *record,
		     struct unwind_place *place)
{
	for (size_t i = 0; i < REGISTERS; i++)
		place->regs[register_order[i]] = record->regs[i];
	place->unknown = 0;
	place->is_exact = true;
	place->thread_pointer = place->callback_sp = 0;
}

/* Remember the part of the copy around the frame at which unwinding has
 * stopped. */
static void keep_region(struct sampler *sampler,
			const struct unwind_place *place)
{
	const struct stack_reader *reader = &sampler->copy;
	uint64_t half = sizeof(sampler->region) / 2;
	uint64_t sp = place->regs[UNWIND_RSP], low = sp - half,
		 high = sp + half;

	if (low < reader->low)
		low = reader->low;
	if (high > reader->high)
		high = reader->high;
	sampler->place = *place;
	sampler->region_low = low;
	sampler->region_size = high > low ? high - low : 0;
	memcpy(sampler->region, reader->copy + (low - reader->low),
	       sampler->region_size);
}

void kernel_log_complete(struct sampler *sampler, struct thread *thread,
			 const struct user_regs_struct *regs)
{
	uint8_t now[sizeof(sampler->region)];
	uint64_t sp = sampler->place.regs[UNWIND_RSP];

	if (!sampler->region_size || regs->rsp >= sp ||
	    regs->rsp + MOST_COPY < sampler->region_low ||
	    !target_read_callback(thread->process, sampler->region_low, now,
				  sampler->region_size) ||
	    memcmp(now, sampler->region, sampler->region_size) != 0)
		return;
	stack_reader_live(&sampler->live, thread->process);
	sampler->place.thread_pointer = regs->fs_base;
	/* the frame at which unwinding stopped is appended again */
	sampler->frames.count--;
	sampler->result = sampler_walk(sampler, thread->process, &sampler->live,
				       &sampler->place, &sampler->frames);
}

/* Read the rest of a stack that was copied in part. */
static void complete(struct sampler *sampler, struct watched *watched,
		     struct thread *thread, const struct unwind_place *place)
{
	keep_region(sampler, place);
	watched->purpose = GLANCE_COMPLETE;
	error_destroy(sampler_ask(sampler, thread));
	target_await_glances(sampler->target, PATIENCE);
	watched->purpose = GLANCE_NONE;
}

static void tell_copy(struct sampler *sampler, struct watched *watched,
		      struct thread *thread, struct process *process,
		      const struct sample_record *record, bool is_major,
		      uint64_t late)
{
	const uint8_t *bytes = (const uint8_t *)(record + 1);
	bool is_tick = sampler->how.event == SAMPLED_TICKS;
	bool in_kernel =
		(record->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) !=
		PERF_RECORD_MISC_USER;
	struct unwind_place place;
	uint64_t copied = 0;
	bool is_cut;

	/* the number of bytes that were copied follows the bytes */
	if (record->size)
		memcpy(&copied, bytes + record->size, sizeof(copied));
	place_of(record, &place);
	/* (A page fault is taken in the kernel, wherever the thread was.) */
	sampler_settle(sampler, process, is_tick && in_kernel, &place);
	vec_clear(&sampler->frames);
	stack_reader_copy(&sampler->copy, bytes, place.regs[UNWIND_RSP],
			  copied);
	sampler->result = sampler_walk(sampler, process, &sampler->copy, &place,
				       &sampler->frames);
	is_cut = sampler->result != UNWOUND && sampler->copy.is_beyond;
	if (is_cut && thread && (is_tick || watched->cut < COMPLETIONS))
		complete(sampler, watched, thread, &place);
	if (is_tick)
		sampler_count_delay(sampler, late);
	sampler_tell(
		sampler, &sampler->frames,
		&(struct sampled_stack){
			.process = process,
			.thread = watched->serial,
			.pid = watched->pid,
			.tid = watched->tid,
			.time = clock_from_raw(sampler->clock, &sampler->raw,
					       record->time),
			.cpu = is_tick ? record->count : 0,
			.is_delayed = is_tick &&
				      (in_kernel || late * 2 > watched->period),
			.is_major = is_major,
			.is_broken = sampler->result != UNWOUND});
	if (!is_cut &&
	    place.regs[UNWIND_RSP] - sampler->copy.low > watched->needed &&
	    place.regs[UNWIND_RSP] <= sampler->copy.high)
		watched->needed = place.regs[UNWIND_RSP] - sampler->copy.low;
	/* Go's scheduler is left so soon that a thread that is stopped for a
	 * tick is found behind it, in a wait. */
	if (!sampler->copy.is_fleeting &&
	    (is_cut || watched->cut || !watched->is_settled))
		note_cut(sampler, watched, is_cut,
			 sampler->copy.is_elsewhere ||
				 place.regs[UNWIND_RSP] < sampler->copy.low);
}

/* Have a thread with a deep stack stopped for a tick. */
static void ask_stop(struct sampler *sampler, struct watched *watched,
		     struct thread *thread, const struct sample_record *record,
		     uint64_t late)
{
	struct error *error;

	if (!thread || watched->purpose != GLANCE_NONE) {
		sampler->account.missed++;
		return;
	}
	watched->purpose = GLANCE_TICK;
	watched->asked_at =
		clock_from_raw(sampler->clock, &sampler->raw, record->time);
	watched->asked_late = late;
	watched->is_delayed =
		(record->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) !=
		PERF_RECORD_MISC_USER;
	error = sampler_ask(sampler, thread);
	if (error)
		watched->purpose = GLANCE_NONE;
	error_destroy(error);
}

/* Count the minor faults of which there is no record between the last one and
 * this one. False: the fault was told already, by the log that this one has
 * replaced. */
static bool judge_fault(struct sampler *sampler, struct watched *watched,
			const struct sample_record *record, bool is_major)
{
	bool is_new = record->time > watched->told_until;

	if (is_major)
		return is_new;
	if (is_new && record->count > watched->count + 1)
		sampler->account.lost += record->count - watched->count - 1;
	watched->count = record->count;
	return is_new;
}

static void take_sample(struct sampler *sampler, struct watched *watched,
			struct thread *thread, struct process *process,
			const struct sample_record *record, bool is_major)
{
	bool is_tick = sampler->how.event == SAMPLED_TICKS;
	uint64_t late = 0;

	if (is_tick ? !tick_periods_judge(sampler, watched, record->count,
					  &late)
		    : !judge_fault(sampler, watched, record, is_major))
		return;
	watched->last = record->time;
	/* A thread that is about to end has no registers any more. */
	if (record->header.size <= SHORT_RECORD ||
	    record->abi == PERF_SAMPLE_REGS_ABI_NONE) {
		sampler->account.missed += is_tick;
		return;
	}
	if (!process)
		sampler->account.lost++;
	else if (watched->mode == WATCH_STOPS)
		ask_stop(sampler, watched, thread, record, late);
	else
		tell_copy(sampler, watched, thread, process, record, is_major,
			  late);
}

/* The log whose next record is the older one; NULL: none has a record. */
static struct perf_log *older(struct sampler *sampler, struct watched *watched,
			      const struct perf_event_header **out)
{
	const struct perf_event_header *minor =
		watched->log.page
			? perf_log_look(&watched->log, sampler->buffer)
			: NULL;
	const struct perf_event_header *major;
	struct sample_record first;

	*out = minor;
	if (!watched->major.page)
		return minor ? &watched->log : NULL;
	if (minor && minor->size >= SHORT_RECORD)
		memcpy(&first, minor, SHORT_RECORD);
	major = perf_log_look(&watched->major, sampler->buffer);
	if (!major)
		return minor ? &watched->log : NULL;
	if (minor &&
	    (minor->type != PERF_RECORD_SAMPLE ||
	     (major->type == PERF_RECORD_SAMPLE &&
	      first.time < ((const struct sample_record *)major)->time))) {
		*out = perf_log_look(&watched->log, sampler->buffer);
		return &watched->log;
	}
	*out = major;
	return &watched->major;
}

/* Tell what the logs have. */
static bool drain(struct sampler *sampler, struct watched *watched,
		  struct thread *thread, struct process *process)
{
	const struct perf_event_header *header;
	struct code_rules *rules = NULL;
	struct perf_log *log;

	/* A thread that faults all the time must not keep the tool here, and
	 * the period of its ticks is set after the drain. */
	for (size_t i = 0; i < MOST_RECORDS; i++) {
		if (i && sampler->how.event == SAMPLED_TICKS &&
		    (watched->wants_change || i >= MOST_TICKS))
			break;
		log = older(sampler, watched, &header);
		if (!log)
			break;
		if (!rules && process) {
			rules = sampler_rules(sampler, process);
			if (!code_rules_is_current(rules, &sampler->host))
				code_rules_age(rules);
			sampler->account.wakeups++;
		}
		if (header->type == PERF_RECORD_SAMPLE) {
			take_sample(sampler, watched, thread, process,
				    (const void *)header,
				    log == &watched->major);
		} else if (header->type == PERF_RECORD_LOST &&
			   sampler->how.event == SAMPLED_TICKS) {
			watched->lost +=
				((const struct lost_record *)header)->lost;
		}
		perf_log_pass(log);
	}
	if (rules)
		code_rules_renew(rules, &sampler->host);
	return rules;
}

/*
 * Watch the thread in the way that is wanted. If the kernel refuses, the tool
 * takes the ticks. The new log is open before the old one is closed, so that no
 * fault is lost. A fault that is in both logs has two times, which are less
 * apart than two faults.
 */
static void change(struct sampler *sampler, struct watched *watched,
		   struct thread *thread, struct process *process)
{
	struct watched old = *watched;
	struct error *error;

	watched->wants_change = false;
	watched->mode = watched->wanted_mode;
	watched->copied = watched->wanted_copy;
	watched->log = watched->major = (struct perf_log){0};
	watched->period = watched->due = watched->kernel_period =
		sampler_period(sampler);
	error = kernel_events_open(sampler, watched);
	if (sampler->how.event == SAMPLED_FAULTS) {
		old.wants_change = true; /* or it would want another */
		drain(sampler, &old, thread, process);
		watched->told_until = old.last + LEAST_DISTANCE;
		watched->last = old.last;
	}
	kernel_events_close(&old);
	if (error && error_code(error) != ERROR_GONE &&
	    sampler->how.event == SAMPLED_TICKS) {
		sampler_refused(sampler, error);
		tool_ticks_begin(sampler, watched);
	}
	error_destroy(error);
}

void kernel_log_drain(struct sampler *sampler, struct watched *watched,
		      struct thread *thread, struct process *process)
{
	bool has_drained;

	if (watched->mode == WATCH_TOOL || !watched->log.page)
		return;
	has_drained = drain(sampler, watched, thread, process);
	if (watched->wants_change)
		change(sampler, watched, thread, process);
	else if (has_drained && sampler->how.event == SAMPLED_TICKS)
		tick_periods_next(sampler, watched);
}
