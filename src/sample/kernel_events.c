/*
 * kernel_events.c - what the kernel is asked to log of a thread: which event,
 * with how much of the stack, and in how much memory
 */
#include <sys/resource.h>
#include <time.h>

#include "sampler_state.h"

/* A log has room for so many records, or so many bytes for faults, unless there
 * are many threads, which share MOST_MEMORY. */
#define TICK_RECORDS 32
#define FAULT_MEMORY (32UL << 20)
#define MAJOR_RECORDS 4
#define MOST_MEMORY (64UL << 20)
#define LEAST_MEMORY 65536UL
#define USER_PART 2
/* Smaller logs of faults have the kernel send signals: the tool then gets a CPU
 * sooner, and the program waits for it. */
#define LARGE_LOG (8UL << 20)
/* How often a second a thread's ticks wake the tool up. */
#define MOST_WAKEUPS 250

static size_t power_of_two(size_t pages)
{
	size_t power = 1;

	while (power < pages)
		power *= 2;
	return power;
}

/* How much of what a user without privileges may lock in all the logs of the
 * first threads take: a part, because logs of further threads may be needed. */
static size_t user_memory(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0)
		return 0;
	return limit.rlim_cur / USER_PART < MOST_MEMORY
		       ? (size_t)limit.rlim_cur / USER_PART
		       : MOST_MEMORY;
}

static size_t log_pages(const struct sampler *sampler,
			const struct watched *watched)
{
	size_t share = MOST_MEMORY;
	size_t bytes = watched->mode == WATCH_STOPS
			       ? ARCH_PAGE
			       : (watched->copied + 512) * TICK_RECORDS;

	if (sampler->how.event == SAMPLED_FAULTS)
		bytes = FAULT_MEMORY;
	if (!sampler->sees_kernel)
		share = sampler->how.event == SAMPLED_FAULTS ? user_memory()
							     : 0;
	share /= sampler->threads.count + 1;
	if (share < LEAST_MEMORY)
		share = LEAST_MEMORY;
	if (bytes > share)
		bytes = share;
	return power_of_two(bytes / ARCH_PAGE);
}

/*
 * After how many bytes the tool is woken up; 0: when a quarter of the log is
 * full. It is woken up at each tick, or at quick rates at each few, and at the
 * first faults, which may not fit. (A kernel that sends signals sends one at
 * each record, whatever the watermark is.)
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
	       watched->log.size < 2 * (watched->copied + 512)) {
		watched->copied /= 2;
		kernel_events_close(watched);
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
