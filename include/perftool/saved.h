/*
 * saved.h - tables that perftool has written as JSON (`-f json`, `save tables
 * FILE.json`), read again
 *
 * The form is that of doc/FORMATS.md. The reader holds one row of a file in
 * memory as JSON, and of all rows only what the structs below have, so that a
 * file of a million legs can be read. What a file must not be: another
 * program's, that of another version of the form, truncated. The errors say
 * which, and what to do.
 *
 * Texts are UTF-8, never NULL unless it says so, and may have control
 * characters: who prints them replaces these.
 */
#ifndef PERFTOOL_SAVED_H
#define PERFTOOL_SAVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/base/error.h"
#include "perftool/base/map.h"
#include "perftool/base/str.h"
#include "perftool/base/string_list.h"
#include "perftool/base/vec.h"
#include "perftool/compare.h"

/* The schema that this version writes and reads. */
#define SAVED_SCHEMA 1

/* Values in [from, to). Buckets of legs are those of class hdr, so that two
 * that overlap are equal, and their counts can be added. */
struct saved_bucket {
	double from, to;
	uint64_t count;
};

VEC_STRUCT(saved_bucket_list, struct saved_bucket);

/* One row of a split (perftool/split.h). */
struct saved_row {
	unsigned kind; /* enum row_kind */
	/* Of the kind ROW_VALUE: the value is `text`, or if that is NULL a
	 * number. */
	char *text;
	bool is_whole;
	int64_t whole;
	double real;
	uint64_t count;
	/* of a leg only */
	uint64_t interrupted;
	__int128 total;
	double min, max; /* NAN: not known */
	struct saved_bucket_list buckets;
};

VEC_STRUCT(saved_row_list, struct saved_row);

/* What a node or a leg has counted by the value of an expression. */
struct saved_split {
	char *expression;
	bool at_to;
	struct saved_row_list rows;
};

/* Who has made a node or a leg. */
enum saved_maker {
	MADE_BY_USER,
	MADE_BY_DETAIL, /* `set detail auto` */
};

struct saved_share;
VEC_STRUCT(saved_share_list, struct saved_share);

struct saved_leg {
	char *name;
	/* 0 of the first leg of its name in the file, 1 of the second one...:
	 * legs of several files belong together if both agree. */
	uint32_t nth;
	uint64_t id;
	uint64_t from, to; /* numbers of nodes */
	/* places of the nodes; NULL: not known */
	char *from_place, *to_place;
	/* NULL: not known */
	char *owner, *match, *counted;
	unsigned made_by; /* an enum saved_maker */
	uint64_t count, ignored_from, ignored_to, unwound, discarded, open;
	/* Of `count`: executions that are in no bucket, and not in `min`, `max`
	 * and the percentiles. */
	uint64_t interrupted;
	__int128 total; /* ns */
	bool has_cpu;   /* is `cpu` known of all executions? */
	__int128 cpu;   /* ns */
	/* Of how many executions the time on a CPU is known, and their means in
	 * ns; NAN: of none. */
	uint64_t cpu_count;
	double cpu_mean, waiting_mean;
	double min, max; /* ns, as all that follow; NAN: not known */
	double mean, stddev, p50, p90, p99, p999;
	/* How far the mean may be off, because the cost of hits varies; 0: not
	 * known, or nothing was subtracted. */
	double resolution;
	bool below_resolution;
	/* ns; of `total` only this is known, that it is less; NAN: more is */
	double total_bound;
	/* In rising order. Empty: not known, or no executions. */
	struct saved_bucket_list buckets;
	bool has_buckets;          /* did the row itself have them? */
	struct saved_split *split; /* NULL: not split */
	/* what processes have of it; empty: one process has all */
	struct saved_share_list shares;
};

/* What a process has of a leg. */
struct saved_share {
	uint64_t number; /* of the process; 0: of several that have no row */
	int64_t pid;
	char *comm, *command; /* NULL: not known */
	/* What processes have: counts, times and buckets. */
	struct saved_leg figures;
};

/* A histogram that a command has made. The hdr histogram of a leg is not among
 * these, because the leg has its buckets. */
struct saved_histogram {
	bool of_leg;    /* else of a node */
	uint64_t id;    /* of the leg or of the node */
	unsigned class; /* an enum histogram_class (perftool/measure.h) */
	bool is_known;  /* the buckets were not needed, and not read */
	__int128 scale, base;
	uint64_t references, underflow, overflow;
	/* Of values that are not all integers the sum is `sum_floats`. */
	bool has_floats;
	__int128 sum;
	double sum_floats;
	struct saved_bucket_list buckets; /* linear, log: also the empty ones */
};

VEC_STRUCT(saved_histogram_list, struct saved_histogram);

struct saved_node {
	uint64_t id;
	char *kind, *location;
	/* NULL: not known */
	char *function, *file, *module, *condition, *mechanism;
	uint64_t line; /* 0: not known */
	uint64_t count, errors;
	unsigned made_by;          /* an enum saved_maker */
	bool deleted;              /* it is not in the program any more */
	struct saved_split *split; /* NULL: not split */
};

/* The legs of one name, by their index in the list, in its order. */
VEC_STRUCT(saved_namesakes, size_t);

VEC_STRUCT(saved_leg_list, struct saved_leg);
VEC_STRUCT(saved_node_list, struct saved_node);
VEC_STRUCT(saved_run_list, struct saved_tables *);

struct saved_tables {
	char *path;    /* the file, as the user named it; NULL: none */
	char *version; /* of perftool */
	/* NULL: not known */
	char *at, *started, *ended, *host, *kernel, *cpu;
	char *clock;             /* `source` of the clock; NULL: not known */
	double clock_resolution; /* ns; NAN: not known */
	int64_t rank;            /* of MPI and the like; -1: none */
	/* The program: NULL, no program was started. */
	char *program, *build_id;
	struct string_list arguments;
	bool has_arguments; /* are they known? */
	int64_t pid;        /* 0: not known */
	char *state;
	int64_t exit_status, exit_signal; /* -1 and 0: not known */
	/* of the summary; times are ns */
	uint64_t elapsed, overhead, added_overhead, breaks, passed;
	uint64_t followed, followed_int3;
	bool is_interval; /* only about a part of the time: `--delta` */
	struct saved_node_list nodes;
	struct saved_leg_list legs;
	struct saved_histogram_list histograms;
	/* Of tables that `perftool merge` has made: how many files they are of,
	 * and the ranks of these; 0: the tables are of one process. */
	uint64_t merged_files;
	VEC(int64_t) merged_ranks;
	struct string_list merged_hosts, merged_programs;
	/* Of `-r N`: the tables of each run, which have no runs of their own.
	 * The figures above are then those over all runs. */
	struct saved_run_list runs;
	/* Of `-r N`: runs that were left out, because they have failed. */
	uint64_t failed_runs;
	/* How many objects the file has. With `--every` there are several, of
	 * which the last one was read. */
	size_t objects;
	/* The legs of each name: struct saved_namesakes. */
	struct strmap by_name;
};

/* Is told how far the reading of a large file has come. */
struct saved_watch {
	/* `size`: how many bytes the file has; 0: not known. Returns false if
	 * the reading is to end, with an ERROR_INTERRUPTED. */
	bool (*goes_on)(void *context, const char *path, uint64_t done,
			uint64_t size);
	/* Waits until a pipe or a terminal can be read, or until `goes_on`
	 * would return false. A signal that came just before the read would
	 * not end it. */
	void (*await)(void *context, int fd);
	void *context;
};

/* Makes tables without rows, whose figures are not known or 0. */
struct saved_tables *saved_create(void);
/* Numbers the legs of equal names, and lets saved_find() find them. The caller
 * has changed the list of legs. */
void saved_index(struct saved_tables *tables);

/* Reads a file; "-" is standard input. The caller calls saved_destroy(). The
 * message of an error begins with the file's name. `watch` may be NULL. */
struct error *saved_read(const char *path, const struct saved_watch *watch,
			 struct saved_tables **out);
/* Does the same with a text. `name` is what errors call it. */
struct error *saved_parse(const char *text, size_t length, const char *name,
			  struct saved_tables **out);
void saved_destroy(struct saved_tables *tables);

/* Returns the leg of a name, or NULL. `nth` is that of struct saved_leg. */
struct saved_leg *saved_find(const struct saved_tables *tables,
			     const char *name, uint32_t nth);

/* Stores the value below which the part `q` (0 to 1) of the executions lies, as
 * measure_leg_quantile() does. Returns false if the buckets are not known. */
bool saved_quantile(const struct saved_leg *leg, double q, double *result);

/* ---- the sum of several tables ------------------------------------------- */

struct saved_sum;
struct tables;

struct saved_sum *saved_sum_create(void);
void saved_sum_destroy(struct saved_sum *sum);

/*
 * Adds tables to the sum: counts, totals, times of the summary, and the
 * histograms, bucket by bucket. Legs belong together by their names (and
 * `nth`), nodes by what they are and where. What the tables say of the program,
 * of the machine and of the clock stays in the sum as long as all agree. Rows
 * of splits (`by`) belong together by their value. Rows of processes do by the
 * command line, and among those of one command line by their order. The sum
 * keeps nothing of `tables`.
 */
void saved_sum_add(struct saved_sum *sum, const struct saved_tables *tables);

/*
 * Does the same, and keeps also what part number `part` of the sum has of each
 * leg, a rank for example. This takes few bytes, and names of legs are not kept
 * again.
 */
void saved_sum_add_part(struct saved_sum *sum,
			const struct saved_tables *tables, uint32_t part);

/* What a part has of a leg, as the sum keeps it. Valid until the sum changes.
 */
struct saved_part {
	uint32_t part;
	const uint8_t *packed;
};

VEC_STRUCT(saved_part_list, struct saved_part);

struct report_leg;

/* Appends those parts that have executed leg `leg` of the tables, in the order
 * of their numbers. */
void saved_sum_parts(const struct saved_sum *sum, size_t leg,
		     struct saved_part_list *out);
/* Makes a row of one of them, which is valid until the next call. */
void saved_sum_part_row(struct saved_sum *sum, size_t leg,
			const struct saved_part *part, struct report_leg *out);

/* The name of a leg, or the place of a node, whose histogram was left out
 * because the tables do not all have the same buckets; NULL: there is none. */
const char *saved_sum_left_out(const struct saved_sum *sum);

/* The same of a leg or a node whose rows of `by` were left out, of some tables,
 * because it is split by another expression there, or the rows have no buckets.
 */
const char *saved_sum_unsplit(const struct saved_sum *sum);

/* Returns the sum as tables, which the functions of report.h write. They belong
 * to the sum, and are valid until it changes. */
const struct tables *saved_sum_tables(struct saved_sum *sum);

/* ---- comparing ----------------------------------------------------------- */

/* The names of the legs of all files that are compared. */
struct compared_names;
struct compared_names *compared_names_create(void);
void compared_names_destroy(struct compared_names *names);

/* What a comparison needs of tables, which is a small part. It uses `names`,
 * which must exist longer. */
struct compared_tables;
/* Read a file, or a text, as saved_read() and saved_parse() do. `watch` may be
 * NULL. */
struct error *compared_read(const char *path, struct compared_names *names,
			    const struct saved_watch *watch,
			    struct compared_tables **out);
struct error *compared_parse(const char *text, size_t length, const char *name,
			     struct compared_names *names,
			     struct compared_tables **out);
/* Returns that of tables, of which it keeps nothing. */
struct compared_tables *compared_of(const struct saved_tables *from,
				    struct compared_names *names);
void compared_destroy(struct compared_tables *tables);

/* Adds those of a run. They belong to `tables` then. */
void compared_take_run(struct compared_tables *tables,
		       struct compared_tables *run);

/* Compares all legs that both have: over their runs if both have at least two
 * runs with the leg, else over the executions. The result points into the
 * tables, and the caller calls comparison_deinit(). */
void saved_compare(const struct compared_tables *before,
		   const struct compared_tables *after, struct comparison *out);

/* Appends, of each leg, how far the figures of the runs lie apart. The list
 * points into the tables, and the caller frees it. */
void saved_spread(const struct compared_tables *tables,
		  struct leg_spread_list *out);

#endif
