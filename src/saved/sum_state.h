/*
 * sum_state.h - struct saved_sum, which the files that add up tables share
 *
 * The sum has legs and nodes in the form of the measure layer, so that the
 * report layer writes them as it writes those of a session.
 */
#ifndef SAVED_SUM_STATE_H
#define SAVED_SUM_STATE_H

#include "perftool/measure/measured_legs.h"
#include "perftool/process_share.h"
#include "perftool/report.h"
#include "perftool/saved.h"

/* What was added up of a leg, or of what a process has of it. */
struct sum_figures {
	struct measure_leg stats;
	double resolution; /* the sum of count * resolution */
	/* The sum of the upper bounds of totals, ns. `has_known_total`: of some
	 * part the total itself is known. */
	double total_bound;
	bool has_known_total;
	bool by_program, by_ring, by_tool; /* what it was counted from */
};

/* A process of the sum: those that have the same command line, and are as many
 * of that command line in their file. */
struct sum_process {
	struct measure_process is;
};

struct sum_share {
	const struct sum_process *process; /* NULL: the rest */
	struct sum_figures figures;
};

/* What a part of the sum has of a leg: see part_sum.c. */
struct sum_part {
	uint32_t part;
	uint8_t *packed;
};

struct sum_leg {
	struct sum_figures figures;
	char *name, *from_place, *to_place, *key;
	struct histogram *made; /* by a command; NULL: none */
	char *by;               /* what splits it; NULL: nothing */
	bool is_users;          /* the user has made it in a file */
	/* the shares of processes, if any file has such */
	VEC(struct sum_share *) shares;
	struct map share_of; /* by the number of the process */
	/* what parts have of it, in the order of their numbers */
	VEC(struct sum_part) parts;
};

struct sum_node {
	struct measure_node stats;
	/* the first one; its counts do not matter */
	struct saved_node first;
	char *place;
	char *by; /* what splits it; NULL: nothing */
	/* In a file, the user has made it; it is in the program. */
	bool is_users, is_in;
};

/* A text of which all tables of the sum say the same, or NULL. */
struct common {
	char *text;
	bool is_known; /* was any table added? */
};

enum {
	COMMON_VERSION,
	COMMON_HOST,
	COMMON_KERNEL,
	COMMON_CPU,
	COMMON_CLOCK,
	COMMON_PROGRAM,
	COMMON_BUILD_ID,
	COMMON_STATE,
	COMMON_COUNT
};

struct saved_sum {
	VEC(struct sum_leg *) legs;
	VEC(struct sum_node *) nodes;
	VEC(struct sum_process *) processes;
	struct strmap leg_of, node_of, process_of; /* by a key that is a text */
	bool has_shares; /* legs have shares of processes */
	struct common common[COMMON_COUNT];
	char *first, *last; /* the earliest `started`, the latest `ended` */
	char *at;           /* the latest one */
	double clock_resolution;
	int64_t exit_status;
	struct string_list arguments; /* followed by NULL */
	bool has_arguments;
	size_t count; /* tables that were added */
	/* of what the histogram, or the split, was left out; NULL: of nothing
	 */
	const char *left_out, *unsplit;
	/* what one part has of a leg, unpacked; it has no record at first */
	struct sum_figures scratch;
	struct tables tables;
	VEC(struct report_leg) report_legs;
	VEC(struct report_leg) report_shares;
	VEC(struct report_node) report_nodes;
};

/* A copy that the caller frees; NULL of NULL. */
char *sum_copy(const char *text);

/* node_sum.c: add all nodes; `ids` gets the numbers that they have in the sum.
 */
void sum_add_nodes(struct saved_sum *sum, const struct saved_tables *from,
		   struct map *ids);
void sum_fill_nodes(struct saved_sum *sum);
void sum_node_destroy(struct sum_node *node);

/* leg_sum.c */
void sum_add_legs(struct saved_sum *sum, const struct saved_tables *from,
		  const struct map *ids);
/* the leg to which a leg of a file was added */
struct sum_leg *sum_leg_named(const struct saved_sum *sum,
			      const struct saved_leg *leg);
/* the leg that has the number `id` in the file, or NULL */
struct sum_leg *sum_leg_of(const struct saved_sum *sum,
			   const struct saved_tables *from, uint64_t id);
void sum_fill_legs(struct saved_sum *sum);
void sum_leg_destroy(struct sum_leg *leg);

/* figures_sum.c: make and free what is added up of executions; add executions.
 */
void sum_figures_init(struct sum_figures *figures);
void sum_figures_deinit(struct sum_figures *figures);
void sum_figures_add(struct sum_figures *into, const struct saved_leg *from);
/* Sets how often the nodes were hit, which follows from the other counts. */
void sum_figures_add_hits(struct measure_leg *stats);
/* Lets `into` have what `from` has. */
void sum_figures_copy(struct sum_figures *into, const struct sum_figures *from);
/* Sets what the report layer wants to know, in the row as well. */
void sum_figures_finish(struct sum_figures *figures, struct report_leg *row);

/* share_sum.c: add what processes have of the legs, in two steps: before the
 * legs of the file are added, and after that. */
void sum_begin_shares(struct saved_sum *sum, const struct saved_tables *from);
void sum_add_shares(struct saved_sum *sum, const struct saved_tables *from);
void sum_leg_destroy_shares(struct sum_leg *leg);

/* part_sum.c */
void sum_leg_destroy_parts(struct sum_leg *leg);

/* split_sum.c: add the rows of `from`, if there are any. `by` and `split` are
 * what the sum has; both are NULL at first. `timed`: a leg's. Returns false if
 * the rows cannot be added. */
bool sum_add_split(char **by, struct measure_split **split,
		   const struct saved_split *from, bool timed);

#endif
