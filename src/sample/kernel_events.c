/*
 * kernel_events.c - what the kernel is asked to log of a thread: which event,
 * with how much of the stack, and in how much memory
 */
#include <sys/resource.h>
#include <time.h>

#include "sampler_state.h"

/* A log has room for so many records, or so many bytes for faults, unless there
 * are many threads, which share MOST_MEMORY. */
#define TICK_RECORDS 128
/* The tool is woken up when a log of ticks has so many records, or is a quarter
 * full. There is time for the others if the tool does not get a CPU at once. */
#define WAKING_RECORDS 16
#define FAULT_MEMORY (32UL << 20)
#define MAJOR_RECORDS 4
/* How much of a stack is copied at first: as much, or less if a log of ticks
 * would not have room for so many records; but not less than that. */
#define FIRST_COPY 16384
#define FIRST_RECORDS 8
#define LEAST_FIRST_COPY 4096
#define MOST_MEMORY (64UL << 20)
#define LEAST_MEMORY 65536UL
#define USER_PART 2
#define USER_TICKS_PART 16
/* Smaller logs of faults have the kernel send signals: the tool then gets a CPU
 * sooner, and the program waits for it. */
#define LARGE_LOG (8UL << 20)

static size_t power_of_two(size_t pages)
{
	size_t power = 1;

	while (power < pages)
		power *= 2;
	return power;
}

/* How much of what a user without privileges may lock in all the logs of the
 * first threads take: a part, because logs of further threads may be needed. */
static size_t user_memory(rlim_t part)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0)
		return 0;
	return limit.rlim_cur / part < MOST_MEMORY
		       ? (size_t)(limit.rlim_cur / part)
		       : MOST_MEMORY;
}

/* How many bytes a record with such a copy takes, about. */
static size_t record_size(size_t copied)
{
	return copied + 512;
}

static size_t log_pages(const struct sampler *sampler,
			const struct watched *watched)
{
	size_t share = MOST_MEMORY;
	size_t bytes = watched->mode == WATCH_STOPS
			       ? ARCH_PAGE
			       : record_size(watched->copied) * TICK_RECORDS;

	if (sampler->how.event == SAMPLED_FAULTS)
		bytes = FAULT_MEMORY;
	if (!sampler->sees_kernel)
		share = user_memory(sampler->how.event == SAMPLED_FAULTS
					    ? USER_PART
					    : USER_TICKS_PART);
	share /= sampler->threads.count + 1;
	if (share < LEAST_MEMORY)
		share = LEAST_MEMORY;
	if (bytes > share)
		bytes = share;
	return power_of_two(bytes / ARCH_PAGE);
}

static void set_kind(const struct sampler *sampler,
		     const struct watched *watched, uint64_t config,
		     struct perf_log_kind *kind)
{
	bool ticks = sampler->how.event == SAMPLED_TICKS;

	*kind = (struct perf_log_kind){
		.attr = {.type = PERF_TYPE_SOFTWARE,
			 .config = config,
			 .sample_period =
				 ticks ? watched->now.kernel_period : 1,
			 .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
					PERF_SAMPLE_TIME | PERF_SAMPLE_READ |
					PERF_SAMPLE_REGS_USER |
					PERF_SAMPLE_STACK_USER,
			 .sample_regs_user = KERNEL_REGISTERS,
			 .sample_stack_user = (uint32_t)watched->copied,
			 .exclude_kernel = !sampler->sees_kernel,
			 .exclude_hv = 1,
			 .use_clockid = 1,
			 .clockid = CLOCK_MONOTONIC_RAW},
		.what = ticks ? "stacks" : "page faults",
		.wakes = ticks || !watched->is_settled,
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
	kind.wakes |= pages * ARCH_PAGE < LARGE_LOG;
	if (sampler->how.event == SAMPLED_TICKS)
		kind.attr.wakeup_watermark =
			(uint32_t)record_size(watched->copied) * WAKING_RECORDS;
	return perf_log_open(&kind, watched->tid, pages, log);
}

/* Remember the smallest log, in case faults are lost. */
static void note_log(struct sampler *sampler, size_t size)
{
	struct sampler_account *account = &sampler->account;

	account->wanted_log = FAULT_MEMORY;
	if (!account->least_log || account->least_log > size)
		account->least_log = size;
}

static struct error *open_logs(struct sampler *sampler, struct watched *watched)
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
	note_log(sampler, watched->log.size);
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

void kernel_events_first_copy(const struct sampler *sampler,
			      struct watched *watched)
{
	watched->copied = FIRST_COPY;
	watched->most_copy = MOST_COPY;
	while (sampler->how.event == SAMPLED_TICKS &&
	       watched->copied > LEAST_FIRST_COPY &&
	       log_pages(sampler, watched) * ARCH_PAGE <
		       FIRST_RECORDS * record_size(watched->copied))
		watched->copied /= 2;
}

void kernel_events_close(struct watched *watched)
{
	perf_log_close(&watched->log);
	perf_log_close(&watched->major);
}

struct error *kernel_events_open(struct sampler *sampler,
				 struct watched *watched)
{
	struct error *error;

	error = open_logs(sampler, watched);
	/* A log that got less memory than it should have has room for smaller
	 * copies only. */
	while (!error && watched->mode == WATCH_COPIES &&
	       watched->copied > 1024 &&
	       watched->log.size < 2 * record_size(watched->copied)) {
		watched->copied /= 2;
		watched->most_copy = watched->copied;
		kernel_events_close(watched);
		error = open_logs(sampler, watched);
	}
	if (!error && is_scarce(watched->log.file)) {
		if (sampler->how.event == SAMPLED_TICKS)
			tick_periods_fix(sampler, watched);
		perf_log_close_file(&watched->log);
	}
	if (!error && watched->major.page)
		perf_log_close_file(&watched->major);
	watched->count = 0;
	watched->cut = watched->fits = 0;
	return error;
}
