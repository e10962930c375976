/*
 * adaptive_detail.h - `set detail auto`: the ticks that decide, the nodes that
 * come and go, and what they cost
 *
 * The event loop calls recorded_look() (session_state.h). The ticks of a slice
 * go to the decision (detail_ticks.c), and so does the measured cost of the
 * nodes (detail_costs.c). If functions are to get or lose nodes, the loop has
 * all threads stop, and recorded_change() carries the changes out
 * (detail_nodes.c).
 *
 * A function that loses its nodes keeps its breakpoints, which are disabled,
 * and its rows: when it matters again, the same rows go on.
 */
#ifndef SESSION_ADAPTIVE_DETAIL_H
#define SESSION_ADAPTIVE_DETAIL_H

#include "perftool/profile/detail_choice.h"
#include "perftool/session/detail.h"
#include "perftool/session/measurements.h"
#include "program_costs.h"
#include "recorder.h"

/* What belongs to a function of the decision, by its number. */
struct detailed_function {
	/* what was made for it; several if one name means several functions */
	struct timed_function_list made;
	bool is_armed;
	/* It cannot be timed, whatever its ticks are. */
	bool is_impossible;
	/* the hits of its nodes when they were last looked at */
	uint64_t hits;
	/* for how long its cost was measured since it got nodes last, in ns */
	double measured;
	/* where its code begins: the module, and an address of its file */
	char *module;
	uint64_t address;
};

/* For how long the processes were on CPUs in the last so many ns. */
struct cpu_use {
	double on_cpu, elapsed;
};

struct adaptive_detail {
	struct session *session;
	struct recorder recorder;
	struct detail_choice choice;
	VEC(struct detailed_function) functions; /* by number */
	/* the changes to make when all threads stand still */
	struct detail_change_list changes;
	bool is_on;
	/* The loop has asked all threads to stop; since when they stand still.
	 */
	bool is_changing;
	uint64_t still_since;
	/* when to look next, and when the present slice is over; on the tool's
	 * clock */
	uint64_t next_look, slice_end;
	/* The numbers of nodes and legs that were made so, plus 1. */
	struct map nodes, legs;

	/* ---- detail_costs.c */
	uint64_t looked;        /* when costs were last measured; 0: not yet */
	struct program_cpu cpu; /* then */
	struct cpu_use cpu_use;
	/* the hits that were only followed until then, and those of the user's
	 * nodes that may have led to some */
	uint64_t followed, others;
	uint64_t began; /* since when the means below are taken */
	/* ns for which the program stood still for changes, since `began`, and
	 * for ticks that the tool takes by stopping threads */
	double paused, sampled;
	/* ns that detail may still cost the program now; below 0: it has cost
	 * more than the bound */
	double allowance;
	/* The process was prepared for nodes, by a first change. */
	bool is_prepared;
	/* how long the last change after that has stopped the program, in ns */
	double later_pause;

	session_system_fn *is_system;
	void *system_context;

	/* what recorded_detail() has returned last */
	struct report_detail report;
	VEC(struct report_refusal) refusals;
};

void adaptive_detail_init(struct adaptive_detail *detail,
			  struct session *session);
void adaptive_detail_deinit(struct adaptive_detail *detail);
/* The first process of a program is there. */
void recorded_detail_begins(struct session *session);

/* ---- detail_ticks.c ------------------------------------------------------ */

/* The ticks since the last call are those of the present slice. */
void adaptive_take_ticks(struct adaptive_detail *detail);

/* ---- detail_nodes.c ------------------------------------------------------ */

/* Returns what belongs to a function of the decision. */
struct detailed_function *detailed_function(struct adaptive_detail *detail,
					    uint32_t number);
/* Is the node one of those that were made so? */
bool adaptive_made(const struct adaptive_detail *detail, uint32_t node);
/* Does a breakpoint that the tool has not made so stand at the function's
 * entry? It then gets no other one. */
bool adaptive_is_taken(const struct adaptive_detail *detail,
		       const struct detailed_function *function);
/* Looks for the functions that are to get nodes, while the program runs, so
 * that it stands still for a shorter time. Leaves out of the changes what
 * cannot be found. */
void adaptive_prepare(struct adaptive_detail *detail);
/* Carry out the changes; all threads stand still. */
void adaptive_change(struct adaptive_detail *detail);
/* The program has ended before: nobody gets nodes. */
void adaptive_forgo(struct adaptive_detail *detail);
/* Removes the breakpoints of all functions. The rows stay. */
void adaptive_remove_all(struct adaptive_detail *detail);
/* Has the user deleted a leg or a breakpoint that was made for it? */
bool adaptive_is_deleted(const struct adaptive_detail *detail,
			 const struct detailed_function *function);
/* How often the nodes of a function were hit until now. */
uint64_t adaptive_hits(const struct adaptive_detail *detail,
		       const struct detailed_function *function);

/* ---- detail_costs.c ------------------------------------------------------ */

/* Tells the decision what the nodes of each function have cost since the last
 * call, if that is long enough ago. */
void adaptive_measure_costs(struct adaptive_detail *detail, uint64_t now);
/* What is measured from now on begins now. */
void adaptive_begin_costs(struct adaptive_detail *detail, uint64_t now);
/* Has so much been saved up that the program may stand still for a change? */
bool adaptive_may_change(const struct adaptive_detail *detail);
/* The program has stood still for `ns`. */
void adaptive_charge_pause(struct adaptive_detail *detail, double ns);
/* Which share of the program's time nodes may cost now, and up to which share
 * functions get some. */
double adaptive_node_share(const struct adaptive_detail *detail);
double adaptive_room(const struct adaptive_detail *detail);
/* The shares of the program's time that stops for changes and stops for ticks
 * have cost, since `began`. */
double adaptive_pause_share(const struct adaptive_detail *detail);
double adaptive_sampling_share(const struct adaptive_detail *detail);

#endif
