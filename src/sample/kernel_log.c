/*
 * kernel_log.c - the kernel's ticks and page faults, with the registers and the
 * stack that it copies at each of them
 *
 * A tick falls due when the thread has used a period of CPU time (the event
 * task-clock). Each record has the CPU time by which the kernel counts, so it
 * shows how late a tick was, and how many were left out. After each tick that
 * the tool sees it sets another period, so that the ticks keep no step with the
 * program's own timers.
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
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "sampler_state.h"

/* The registers that the kernel copies, in its order (asm/perf_regs.h): their
 * numbers there, and their DWARF numbers. */
#define KERNEL_REGISTERS 0xff01ffULL
static const uint8_t register_order[] = {0, 3, 2,  1,  4,  5,  6,  7, 16,
					 8, 9, 10, 11, 12, 13, 14, 15};
#define REGISTERS sizeof(register_order)

/* How much of a stack is copied at first: of a tick, and of a fault; the least
 * of a fault once it is known how much is needed; and the most. */
#define FIRST_COPY 16384
#define FIRST_FAULT_COPY 16384
#define LEAST_COPY 2048
/* (a multiple of 8, and so are its halves) */
#define MOST_COPY 64512
/* A log has room for so many records, or so many bytes for faults, unless there
 * are many threads, which share MOST_MEMORY. */
#define TICK_RECORDS 32
#define FAULT_MEMORY (32UL << 20)
#define MAJOR_RECORDS 4
#define MOST_MEMORY (64UL << 20)
#define LEAST_MEMORY 65536UL
/* After how many stacks in a row that do not fit in the largest copy, or would
 * fit, the thread is stopped at each tick, or is not any more. */
#define CUTS 2
#define FITS 64
/* After how many faults whose stacks fit the tool is not woken up at each. */
#define SETTLING 16
/* How many stacks of faults may be completed by stopping the thread, before the
 * kernel copies more. */
#define COMPLETIONS 8
/* The least time after which the first tick comes, in ns. The kernel repeats it
 * until the tool has set another period. */
#define LEAST_FIRST 20000
/* The latency of the tool is learned from so many ticks. */
#define LEARNING 8
/* How many records are taken at once. */
#define MOST_RECORDS 20000
#define MOST_TICKS 64
/* Two faults of a thread are further apart than this, in ns. */
#define LEAST_DISTANCE 300
/* How often a second a thread's ticks wake the tool up. */
#define MOST_WAKEUPS 250
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

static size_t power_of_two(size_t pages)
{
	size_t power = 1;

	while (power < pages)
		power *= 2;
	return power;
}

static size_t log_pages(const struct sampler *sampler,
			const struct watched *watched)
{
	size_t share = MOST_MEMORY / (sampler->threads.count + 1);
	size_t bytes = watched->mode == WATCH_STOPS
			       ? ARCH_PAGE
			       : (watched->copied + 512) * TICK_RECORDS;

	if (sampler->how.event == SAMPLED_FAULTS)
		bytes = FAULT_MEMORY;
	/* A user without privileges may lock some megabytes in all. */
	if (share < LEAST_MEMORY || !sampler->sees_kernel)
		share = LEAST_MEMORY;
	if (bytes > share)
		bytes = share;
	return power_of_two(bytes / ARCH_PAGE);
}

/*
 * After how many bytes the tool is woken up; 0: when a quarter of the log is
 * full. It is woken up at each tick, or at quick rates at each few, and at the
 * first faults, which may not fit.
 */
static uint32_t watermark(const struct sampler *sampler,
			  const struct watched *watched)
{
	double ticks = sampler->how.rate / MOST_WAKEUPS;

	if (sampler->how.event == SAMPLED_FAULTS)
		return watched->is_settled ? 0 : 1;
	if (watched->mode == WATCH_STOPS || ticks < 2)
		return 1;
	return (uint32_t)(ticks - 1) * (uint32_t)watched->copied;
}

static void set_kind(const struct sampler *sampler,
		     const struct watched *watched, uint64_t config,
		     struct perf_log_kind *kind)
{
	bool ticks = sampler->how.event == SAMPLED_TICKS;

	*kind = (struct perf_log_kind){
		.attr = {.type = PERF_TYPE_SOFTWARE,
			 .config = config,
			 .sample_period = ticks ? watched->kernel_period : 1,
			 .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
					PERF_SAMPLE_TIME | PERF_SAMPLE_READ |
					PERF_SAMPLE_REGS_USER |
					PERF_SAMPLE_STACK_USER,
			 .sample_regs_user = KERNEL_REGISTERS,
			 .sample_stack_user = (uint32_t)watched->copied,
			 .exclude_kernel = !sampler->sees_kernel,
			 .exclude_hv = 1,
			 .use_clockid = 1,
			 .clockid = CLOCK_MONOTONIC_RAW,
			 .wakeup_watermark = watermark(sampler, watched)},
		.what = ticks ? "stacks" : "page faults",
		.wakes = true,
		.keeps_file = true};
	if (watched->mode == WATCH_STOPS) {
		kind->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_STACK_USER;
		kind->attr.sample_stack_user = 0;
	}
}

static struct error *open_one(const struct sampler *sampler,
			      const struct watched *watched, uint64_t config,
			      size_t pages, struct perf_log *log)
{
	struct perf_log_kind kind;

	set_kind(sampler, watched, config, &kind);
	return perf_log_open(&kind, watched->tid, pages, log);
}

static struct error *open_logs(const struct sampler *sampler,
			       struct watched *watched)
{
	size_t pages = log_pages(sampler, watched);
	struct error *error;

	if (sampler->how.event == SAMPLED_TICKS)
		return open_one(sampler, watched, PERF_COUNT_SW_TASK_CLOCK,
				pages, &watched->log);
	error = open_one(sampler, watched, PERF_COUNT_SW_PAGE_FAULTS_MIN, pages,
			 &watched->log);
	if (error)
		return error;
	pages = power_of_two(watched->copied * MAJOR_RECORDS / ARCH_PAGE);
	return open_one(sampler, watched, PERF_COUNT_SW_PAGE_FAULTS_MAJ, pages,
			&watched->major);
}

/* Is the descriptor one of the many that a program with many threads needs? The
 * tool needs others for its other work. */
static bool is_scarce(int file)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
	       (rlim_t)file > limit.rlim_cur / 2;
}

static void close_logs(struct watched *watched)
{
	perf_log_close(&watched->log);
	perf_log_close(&watched->major);
}

/* Open the logs for the way in which the thread is watched. */
static struct error *reopen(struct sampler *sampler, struct watched *watched)
{
	struct error *error;

	error = open_logs(sampler, watched);
	/* A log that got less memory than it should have has room for smaller
	 * copies only. */
	while (!error && watched->mode == WATCH_COPIES &&
	       watched->copied > 1024 &&
	       watched->log.size < 2 * (watched->copied + 512)) {
		watched->copied /= 2;
		close_logs(watched);
		error = open_logs(sampler, watched);
	}
	if (!error && is_scarce(watched->log.file))
		perf_log_close_file(&watched->log);
	if (!error && watched->major.page)
		perf_log_close_file(&watched->major);
	watched->count = 0;
	watched->repeats = false;
	watched->step = watched->period;
	watched->cut = watched->fits = 0;
	watched->lost = 0;
	return error;
}

static uint64_t mean_period(const struct sampler *sampler)
{
	return (uint64_t)(1e9 / sampler->how.rate);
}

/* Choose when the first tick falls due. */
static void set_first_period(struct sampler *sampler, struct watched *watched)
{
	watched->period = sampler_period(sampler);
	watched->due = sampler_first_period(sampler);
	watched->kernel_period =
		watched->due > LEAST_FIRST ? watched->due : LEAST_FIRST;
}

struct error *kernel_log_open(struct sampler *sampler, struct watched *watched)
{
	struct error *error;

	watched->mode = WATCH_COPIES;
	watched->copied = sampler->how.event == SAMPLED_TICKS
				  ? FIRST_COPY
				  : FIRST_FAULT_COPY;
	set_first_period(sampler, watched);
	error = reopen(sampler, watched);
	if (!error || error_code(error) == ERROR_GONE || !sampler->sees_kernel)
		return error;
	/* A user without CAP_PERFMON may not see the kernel if
	 * perf_event_paranoid is 2. */
	sampler->sees_kernel = false;
	error_destroy(error);
	close_logs(watched);
	error = reopen(sampler, watched);
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

void kernel_log_close(struct sampler *sampler, struct watched *watched)
{
	count_last_faults(sampler, watched);
	close_logs(watched);
}

/* ---- how much is copied ------------------------------------------------ */

/* Watch the thread in another way from the end of this drain on. */
static void want(struct watched *watched, enum watch_mode mode, size_t copied)
{
	watched->wants_change = true;
	watched->wanted_mode = mode;
	watched->wanted_copy = copied;
}

/* How much to copy if `needed` bytes were enough so far. */
static size_t sufficient(size_t needed)
{
	size_t size = LEAST_COPY;

	while (size < needed + LEAST_COPY)
		size *= 2;
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

/*
 * Note how late a tick was, in ns, and how many were left out before it. False:
 * it is one too many. Until the tool sets another period, the kernel repeats
 * the one that it has, and that may be much shorter.
 */
static bool judge_delay(struct sampler *sampler, struct watched *watched,
			const struct sample_record *record, uint64_t *out)
{
	uint64_t passed = record->count - watched->count, late = 0;
	uint64_t missed = 0, excess, early, lost;
	bool is_short;

	excess = passed > watched->kernel_period
			 ? passed - watched->kernel_period
			 : 0;
	if (excess > watched->period / 2)
		excess = watched->period / 2;
	watched->latency += ((int64_t)excess - watched->latency) / LEARNING;
	watched->count = record->count;
	/* Repetitions may be lost, too, but they are none of the ticks. */
	lost = passed / watched->period;
	if (lost > watched->lost)
		lost = watched->lost;
	watched->lost = 0;
	sampler->account.lost += lost;
	/* The tool's guess of its own latency makes a tick come early. */
	early = watched->repeats ? 0 : watched->period / 2;
	watched->repeats = true;
	is_short = watched->kernel_period < watched->period / 2;
	if (is_short && record->count + early < watched->due)
		return false;
	if (record->count > watched->due) {
		late = record->count - watched->due;
		missed = late / mean_period(sampler);
		late %= mean_period(sampler);
		watched->due = record->count - late;
	}
	/* those that the kernel had no room for were taken */
	missed -= missed < lost ? missed : lost;
	sampler->account.missed += missed;
	watched->step = is_short ? watched->period : watched->kernel_period;
	watched->due += watched->step;
	*out = late;
	return true;
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

	if (is_tick ? !judge_delay(sampler, watched, record, &late)
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

/*
 * Set another period. It begins when the last tick fell due. For the kernel it
 * begins when it is set, which is later by the time that the tool takes, as far
 * as the thread has had a CPU in this time. How much that is shows at the next
 * tick, so the tool goes by what it was at the last ticks.
 */
static void set_period(struct sampler *sampler, struct watched *watched)
{
	uint64_t due = watched->due - watched->step, period, left;

	period = sampler_period(sampler);
	due += period;
	left = due - watched->count - (uint64_t)watched->latency;
	if (due < watched->count + (uint64_t)watched->latency ||
	    left < period / 4)
		left = period / 4;
	if (!watched->log.has_file ||
	    ioctl(watched->log.file, PERF_EVENT_IOC_PERIOD, &left) != 0)
		return;
	watched->period = watched->step = period;
	watched->kernel_period = left;
	watched->repeats = false;
	watched->due = due;
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
	error = reopen(sampler, watched);
	if (sampler->how.event == SAMPLED_FAULTS) {
		old.wants_change = true; /* or it would want another */
		drain(sampler, &old, thread, process);
		watched->told_until = old.last + LEAST_DISTANCE;
		watched->last = old.last;
	}
	close_logs(&old);
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
		set_period(sampler, watched);
}
