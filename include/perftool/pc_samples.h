/*
 * pc_samples.h - samples of where a thread executes
 *
 * While a thread is on a CPU, the kernel interrupts it at regular intervals,
 * and writes its pc into a log (perf_log.h). Code of the kernel gives no
 * samples. A user may have samples of the processes that the user may trace if
 * perf_event_paranoid is 2 or less.
 */
#ifndef PERFTOOL_PC_SAMPLES_H
#define PERFTOOL_PC_SAMPLES_H

#include "perftool/perf_log.h"

/* Begin to sample a thread each `interval` ns of its time on CPUs: see
 * perf_log_open(). */
struct error *pc_samples_open(pid_t tid, uint64_t interval, size_t pages,
			      struct perf_log *out);

/* Read the next sample. `*pc` is 0 for one whose pc was lost because the log
 * was full. False: there is none yet. */
bool pc_samples_next(struct perf_log *log, uint64_t *pc);

#endif
