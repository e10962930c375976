/*
 * kernel_log.c - the kernel's ticks and page faults, with the registers and the
 * stack that it copies at each of them
 *
 * kernel_events.c opens the logs, tick_periods.c decides when ticks fall due,
 * log_readings.c when the logs of ticks are read, and stack_copies.c how much
 * of a stack is copied.
 *
 * The kernel copies a part of the stack, from the stack pointer on. The rest of
 * a stack that did not fit is read from the thread, if the thread has not
 * returned from those calls meanwhile.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/target/target_events.h"
#include "sampler_state.h"

/* The DWARF numbers of KERNEL_REGISTERS, in the kernel's order. */
static const uint8_t register_order[] = {0, 3, 2,  1,  4,  5,  6,  7, 16,
					 8, 9, 10, 11, 12, 13, 14, 15};
#define REGISTERS sizeof(register_order)

/* How often the logs of faults are read: so that a thread may have so many
 * faults a second whose records have so many bytes, but not more and not less
 * often than that, in ns. */
#define FAULTS_A_SECOND 50000
#define LARGE_RECORD 4608
#define LEAST_PAUSE 500000
#define MOST_PAUSE 20000000
/* How many stacks of faults may be completed by stopping the thread, before the
 * kernel copies more. */
#define COMPLETIONS 8
/* How many records are taken at once. */
#define MOST_RECORDS 20000
#define MOST_TICKS 256
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
	kernel_events_first_copy(sampler, watched);
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
					  "system calls (root can allow it: "
					  "sysctl kernel.perf_event_paranoid=1)"
					: "the kernel does not show page "
					  "faults in system calls (root can "
					  "allow it: sysctl "
					  "kernel.perf_event_paranoid=1)");
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
	uint64_t copied = 0, sp;
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
	/* Such a stack has not been looked at. */
	if (sampled_in_tool(sampler->frames.data, sampler->frames.count))
		return;
	sp = place.regs[UNWIND_RSP];
	if (is_cut)
		stack_copies_cut(sampler, watched, sp < sampler->copy.low);
	else if (sp >= sampler->copy.low && sp <= sampler->copy.high)
		stack_copies_fit(sampler, watched, sp - sampler->copy.low);
	else
		stack_copies_fit(sampler, watched, 0);
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

size_t kernel_log_record(const struct watched *watched)
{
	/* (an id of the lost records' record, and the size of the copy, twice)
	 */
	return sizeof(struct sample_record) + watched->copied +
	       2 * sizeof(uint64_t);
}

/* Tell what the logs have, up to so many records. */
static bool drain(struct sampler *sampler, struct watched *watched,
		  struct thread *thread, struct process *process, size_t most)
{
	bool was_full =
		perf_log_room(&watched->log) < kernel_log_record(watched);
	const struct perf_event_header *header;
	struct code_rules *rules = NULL;
	bool has_records = false;
	struct perf_log *log;

	for (size_t i = 0; i < most; i++) {
		log = older(sampler, watched, &header);
		if (!log)
			break;
		has_records = true;
		if (!rules && process) {
			rules = sampler_rules(sampler, process);
			if (!code_rules_is_current(rules, &sampler->host))
				code_rules_age(rules);
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
	/* (what was in a full log is from before it was full) */
	watched->was_full |= was_full;
	if (has_records && !watched->is_read_by_clock)
		sampler->was_woken = true;
	return has_records;
}

/* The log of ticks ends: tell the rest of it. */
static void finish_ticks(struct sampler *sampler, struct watched *watched,
			 struct thread *thread, struct process *process)
{
	perf_log_halt(&watched->log);
	drain(sampler, watched, thread, process, SIZE_MAX);
	tick_periods_end(sampler, watched);
}

/* Log the thread's ticks in the way that is wanted. If the kernel refuses, the
 * tool takes the ticks. */
static void change_ticks(struct sampler *sampler, struct watched *watched,
			 struct thread *thread, struct process *process)
{
	struct error *error;

	/* (while `wants_change` is set, no other way is wanted) */
	finish_ticks(sampler, watched, thread, process);
	kernel_events_close(watched);
	watched->wants_change = false;
	watched->mode = watched->wanted_mode;
	watched->copied = watched->wanted_copy;
	watched->is_read_by_clock = false;
	tick_periods_again(sampler, watched);
	error = kernel_events_open(sampler, watched);
	if (error && error_code(error) != ERROR_GONE) {
		sampler_refused(sampler, error);
		tool_ticks_begin(sampler, watched);
	}
	error_destroy(error);
}

/* The new log of faults is open before the old one is closed, so that no fault
 * is lost. A fault that is in both logs has two times, which are less apart
 * than two faults. */
static void change_faults(struct sampler *sampler, struct watched *watched,
			  struct thread *thread, struct process *process)
{
	struct watched old = *watched;

	watched->wants_change = false;
	watched->copied = watched->wanted_copy;
	watched->log = watched->major = (struct perf_log){0};
	error_destroy(kernel_events_open(sampler, watched));
	old.wants_change = true; /* or it would want another */
	drain(sampler, &old, thread, process, MOST_RECORDS);
	watched->told_until = old.last + LEAST_DISTANCE;
	watched->last = old.last;
	kernel_events_close(&old);
}

void kernel_log_drain(struct sampler *sampler, struct watched *watched,
		      struct thread *thread, struct process *process)
{
	bool is_tick = sampler->how.event == SAMPLED_TICKS, has_records;

	if (watched->mode == WATCH_TOOL || !watched->log.page)
		return;
	/* A thread that faults all the time must not keep the tool here, and
	 * the period of its ticks is set after the drain. */
	has_records = drain(sampler, watched, thread, process,
			    is_tick ? MOST_TICKS : MOST_RECORDS);
	if (watched->wants_change && is_tick)
		change_ticks(sampler, watched, thread, process);
	else if (watched->wants_change)
		change_faults(sampler, watched, thread, process);
	else if (has_records && is_tick)
		tick_periods_next(sampler, watched);
	if (is_tick)
		log_readings_note(sampler, watched, has_records);
}

void kernel_log_finish(struct sampler *sampler, struct watched *watched,
		       struct thread *thread, struct process *process)
{
	if (watched->mode == WATCH_TOOL || !watched->log.page)
		return;
	watched->wants_change = true; /* or it would want another way */
	if (sampler->how.event == SAMPLED_TICKS)
		finish_ticks(sampler, watched, thread, process);
	else
		drain(sampler, watched, thread, process, SIZE_MAX);
}
