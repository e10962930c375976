/*
 * spy_display.h - what `spy display` prints: the recorded call stacks in the
 * form of the Cedar Spy
 *
 * The session describes the measurement in struct spy_report, and
 * report_spy_display() writes the three sections: a header, the breakdown of
 * processes, and the breakdown of procedures. doc/RULES.md, "The Spy's
 * display", has the rules. All strings are UTF-8. A string that is NULL is not
 * known, and what it would say is left out.
 */
#ifndef PERFTOOL_REPORT_SPY_DISPLAY_H
#define PERFTOOL_REPORT_SPY_DISPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "perftool/base/str.h"
#include "perftool/profile/call_stacks.h"

/* What makes a sample: `spy watch'. */
enum spy_watch {
	SPY_CPU,
	SPY_PAGEFAULTS,
	SPY_ALLOCATIONS,
	SPY_WORDS,
	SPY_SPACES,
	SPY_BREAKS,
};

/* Whose samples are recorded: `spy process'. */
enum spy_scope {
	SPY_ALL_THREADS,
	SPY_ONE_THREAD,
	SPY_BREAK_THREAD, /* the thread that reached the first start break */
};

struct spy_break {
	const char *location; /* as the user wrote it, with its condition */
	uint64_t hits;        /* while the Spy was on */
};

struct spy_breaks {
	const struct spy_break *list;
	size_t count;
};

/* What the kernel tells of a sampled thread. */
struct spy_thread {
	bool has_faults; /* the counts of page faults are known */
	/* page faults of the thread while the Spy was on */
	uint64_t minor_faults, major_faults;
	bool are_least; /* there may have been more */
};

/* How the samples were taken. */
struct spy_account {
	/* The kernel took the ticks and copied the stacks. False: the tool
	 * stopped the threads for each tick, and `why` says why. Only for
	 * SPY_CPU. */
	bool by_kernel;
	const char *why;
	uint64_t wakeups; /* how often the tool woke up for samples */
	uint64_t missed;  /* ticks that fell due and were not taken */
	/* of these, if one thread is watched: what it did then */
	uint64_t missed_running, missed_waiting, missed_preempted;
	uint64_t lost; /* samples for which there was no room */
	/* SPY_PAGEFAULTS: the bytes of the smallest of the kernel's logs, and
	 * how many it would have had without a limit */
	size_t least_log, wanted_log;
	/* the stacks that were recorded, their frames, and how many stacks
	 * could not be unwound to their end */
	uint64_t stacks, frames, broken;
	/* ns: what the tool took to unwind the stacks and to record them, what
	 * it took for the Spy in all, and for how long threads stood still for
	 * that */
	double unwinding, spent, stopped;
	/* delays of the ticks: below 10 us, 100 us, 1 ms, 10 ms, and longer */
	uint64_t delays[5];
};

/* If a display is made without a choice of the user: percent of the weight of
 * all samples. */
#define SPY_MIN 3.0
#define SPY_MINSON 1.0

struct spy_report {
	/* Texts by host_time_text(): when recording began, and when the display
	 * is made. */
	const char *begun, *at;
	const char *program; /* how it was called: `sqlite3 test.db' */
	pid_t pid;           /* of the program; 0: not known */

	enum spy_watch watch;
	/* Ticks a second: of the CPU time of each thread, or, if the scope is
	 * one thread, of the wall clock. */
	double rate;
	enum spy_scope scope;
	/* The thread that is recorded, unless all are; 0: no thread has reached
	 * a start break. */
	pid_t tid;
	/* breaks that make samples, and those that start and stop recording */
	struct spy_breaks breaks, starts, stops;
	/* Recording began at a start break (`spy starts on'). False: it began
	 * at once, and start and stop breaks were not armed. */
	bool uses_starts;
	uint64_t recorded; /* ns for which the Spy recorded */
	/* ns of CPU time of all threads meanwhile; 0: not known. It is the
	 * least if `faults.are_least`. */
	uint64_t cpu_time;
	/* page faults of all processes while the Spy was on */
	struct spy_thread faults;
	struct spy_account account;
	/* What else there is to say of the samples: whole sentences. */
	const char *const *remarks;
	size_t remark_count;

	const struct call_stacks *stacks;
	/* an element for each of stacks->threads, or NULL */
	const struct spy_thread *threads;

	/* Procedures whose part of the weight is above `min` percent are
	 * listed, and under them the call sites above `minson` percent. */
	double min, minson;
	/* The text is for a terminal: a procedure that its parent does not call
	 * directly is in italics. Else `~' is before its name. */
	bool is_terminal;
	/* the width of the terminal, to which long names are cut; 0: no name is
	 * cut */
	int columns;
};

/* Append the display. */
void report_spy_display(const struct spy_report *report, struct str *out);

#endif
