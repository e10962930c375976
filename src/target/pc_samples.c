/* pc_samples.c - samples of where a thread executes: see perftool/pc_samples.h
 */
#include "perftool/pc_samples.h"

struct error *pc_samples_open(pid_t tid, uint64_t interval, size_t pages,
			      struct perf_log *out)
{
	struct perf_log_kind kind = {
		.attr = {.type = PERF_TYPE_SOFTWARE,
			 .config = PERF_COUNT_SW_TASK_CLOCK,
			 .sample_period = interval,
			 .sample_type = PERF_SAMPLE_IP,
			 .exclude_kernel = 1,
			 .exclude_hv = 1},
		.what = "where threads execute"};

	return perf_log_open(&kind, tid, pages, out);
}

bool pc_samples_next(struct perf_log *log, uint64_t *pc)
{
	struct perf_record record;

	while (perf_log_next(log, &record)) {
		if (record.type != PERF_RECORD_SAMPLE &&
		    record.type != PERF_RECORD_LOST)
			continue;
		*pc = record.type == PERF_RECORD_SAMPLE ? record.first : 0;
		return true;
	}
	return false;
}
