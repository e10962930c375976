/*
 * report.h - tables as text, JSON and CSV
 *
 * The session describes what it knows in the structs below, and this layer
 * writes the description. A node is a breakpoint that is measured, and a leg is
 * a pair of nodes, with the executions of the code from one to the other
 * (perftool/measure.h). The text has the form of the sample session in the Mesa
 * memo (doc/memo.md). JSON and CSV have the form of doc/FORMATS.md. All strings
 * are UTF-8. The layer borrows them until the call returns. A string that is
 * NULL is not known, and becomes null in JSON.
 */
#ifndef PERFTOOL_REPORT_H
#define PERFTOOL_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "perftool/base/error.h"
#include "perftool/base/interrupt.h"
#include "perftool/base/left_counts.h"
#include "perftool/base/str.h"
#include "perftool/histogram.h"
#include "perftool/measure.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/process_share.h"
#include "perftool/split.h"

/* A node: what the user asked for, and the places that the tool found for it.
 */
struct report_node {
	const struct measure_node *stats;
	const char *kind;     /* entry, exit, return, function, line, address */
	const char *location; /* as the user wrote it */
	const char *place;    /* as the names of legs show it: "exit AllocVM" */
	const char *function; /* demangled */
	const char *file;
	uint32_t line;      /* 0: not known */
	const char *module; /* file name of the program or library */
	/* the load bias of the module; the memo calls the column Global Frame
	 */
	uint64_t load_bias;
	const uint64_t *addresses;
	size_t address_count;
	const char *condition;
	/* the condition names the variable that a histogram of the node
	 * counts, and filters no hits: `attach condition' */
	bool only_names;
	/* "fast", "int3", "fast, int3" or "debug register" */
	const char *mechanism;
	const char *int3_reason; /* why places of the node are int3s, or NULL */
	const char *by_text; /* the expression that splits the node, or NULL */
	const char *made_by; /* "detail" (`set detail auto'); NULL: the user */
	/* The function has lost its node again: it is not in the program now.
	 */
	bool is_out;
};

/* A leg, or the share of a leg that belongs to one process. */
struct report_leg {
	const struct measure_leg *stats;
	/* the name that the user gave to the leg, or else a name that says what
	 * the leg times */
	const char *name;
	/* the places of the two nodes; NULL: the node's breakpoint does not
	 * exist any more */
	const char *from_place;
	const char *to_place;
	bool below_resolution; /* measure_leg_below_resolution() */
	double resolution;     /* ns; measure_leg_resolution() */
	/* Of a sum of several tables: only upper bounds are known of the totals
	 * of all of them. The sum of these bounds, ns. */
	bool has_total_bound;
	double total_bound;
	const char *key_text; /* the key expression as written, or NULL */
	const char *by_text;  /* the expression that splits the leg, or NULL */
	const char *made_by;  /* as of a node */

	/* In a leg: the shares of the processes, in the order in which the
	 * processes first executed the leg. A leg that no process has executed
	 * has no share. */
	const struct report_leg *shares;
	size_t share_count;
	/* `shares` is NULL if the tables make shares one by one. Then this is
	 * the number of the first one. */
	size_t first_share;

	/* The share belongs to a rank and not to a process: tables that were
	 * merged (perftool/merge.h). */
	bool has_rank;
	int64_t rank;
	/* In a share: the process to which the share belongs. NULL: the share
	 * belongs to all processes that came when there was no room for more
	 * shares (process_share.h). */
	bool is_share;
	const struct measure_process *process;
	bool shares_pid; /* another process of the tables has the same pid */
};

struct report_program {
	/* the absolute path by which the program was called; the path may be
	 * that of a symbolic link */
	const char *path;
	const char *build_id;    /* of the file that is executed; hex digits */
	const char *const *args; /* NULL-terminated, without argv[0] */
	int32_t pid;             /* 0: no process was started */
	const char *state; /* running, stopped, exited, signaled, detached */
	int exit_status;   /* -1: not known */
	int exit_signal;   /* 0: no signal has ended the program */
};

/* One setting, with the value that `show` prints for it. */
struct report_setting {
	const char *name, *value;
};

/* A part of the measured time: ns since the measured time began. */
struct report_interval {
	uint64_t from, to;
};

/* A function that `set detail auto` does not time, because its calls would cost
 * the program too much. */
struct report_refusal {
	const char *function;
	/* in a second, and in a second of the program's own time on CPUs, when
	 * its cost was measured */
	double calls, cpu_calls;
	double cost;   /* percent of the program's own time on CPUs, then */
	bool is_least; /* it may cost more, and be called more often */
	/* ns until it may be tried again; below 0: as soon as the others leave
	 * room for it */
	double left;
};

/* What `set detail auto` does. Costs are percent of the program's time. */
struct report_detail {
	double limit;     /* the setting detail-cost */
	double nodes;     /* what the nodes cost now */
	double room;      /* up to what cost functions get nodes */
	double pauses;    /* what making and removing them has cost so far */
	double sampling;  /* what ticks cost that stop threads */
	size_t functions; /* that have nodes now */
	const struct report_refusal *refused;
	size_t refused_count;
};

/* What the hits of one call have cost, in ns. */
double report_call_cost(const struct report_refusal *refusal);
/* Append what `show detail` says of it. */
void report_detail_text(const struct report_detail *detail, struct str *out);

/* Makes rows one by one, if there is no room for all of them: those of ten
 * thousand ranks. A row is valid until the next call. */
struct report_leg_source {
	const struct report_leg *(*row)(void *context, size_t index);
	void *context;
};

/* Everything that `print tables` shows. Each time of day is a text that
 * host_time_text() has written. */
struct tables {
	const char *version;
	const char *at; /* when the tables were made */
	/* when the program began, and when it ended; NULL: that is not known,
	 * or has not happened */
	const char *started, *ended;
	const char *host, *kernel, *cpu; /* see struct host */
	/* the number that a launcher has given to the process
	 * (perftool/base/rank.h), if it has a rank */
	bool has_rank;
	int64_t rank;
	/* The tables that are made during the measurement have the counts and
	 * times of this part of the measured time. NULL: the tables have those
	 * of the whole measured time. */
	const struct report_interval *interval;
	struct report_program program;
	const struct report_setting *settings;
	size_t setting_count;
	const char *clock_source;
	/* why the tool uses this clock; NULL: there is nothing to say */
	const char *clock_remark;
	double clock_resolution; /* ns */
	const char *placement;   /* on which CPUs the tool has placed itself and
				  * the program, or NULL */
	/* How many times as much as the calibrated cost hits at jumps have cost
	 * in the run, from so many samples; 0 samples: this is not known. */
	double cost_factor;
	uint64_t cost_samples;
	struct measure_summary summary;
	const struct report_node *nodes;
	size_t node_count;
	const struct report_leg *legs;
	size_t leg_count;
	bool is_untracked;    /* `track none' is on: legs are not measured */
	size_t process_count; /* processes that have executed legs */
	bool by_rank;         /* the shares are those of ranks */
	/* By rank: makes the shares. In a table of shares it makes the rows,
	 * and `legs` is NULL. */
	struct report_leg_source share_source;
	/* the tables are a sum of saved tables (perftool/saved.h), so that no
	 * command can show more of them */
	bool is_sum;
	/* why the tool may not know the time of some executions on a CPU, or
	 * NULL */
	const char *cpu_problem;
	const struct report_detail *detail; /* NULL: it is off */
	/* The functions that make JSON look at `interrupt` before each row,
	 * because tables may have many rows. If the user has interrupted, the
	 * functions leave out the remaining rows, and the caller must not use
	 * the text. */
	struct interrupt interrupt;
};

/* Row `index` of the legs, and share `index` of a leg. They are valid until the
 * next call. */
static inline const struct report_leg *report_row(const struct tables *tables,
						  size_t index)
{
	return tables->legs ? &tables->legs[index]
			    : tables->share_source.row(
				      tables->share_source.context, index);
}
static inline const struct report_leg *
report_share(const struct tables *tables, const struct report_leg *leg,
	     size_t index)
{
	return leg->shares
		       ? &leg->shares[index]
		       : tables->share_source.row(tables->share_source.context,
						  leg->first_share + index);
}

enum report_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

enum report_part {
	PART_SUMMARY = 1, /* the memo's header */
	PART_NODES = 2,
	PART_LEGS = 4,
	/* All histograms. The text has the histograms that the user asked for,
	 * and one line for each histogram that `time' made. */
	PART_HISTOGRAMS = 8,
	PART_SPLITS = 16, /* all splits */
	PART_ALL = 31,
	PART_PROCESSES = 32, /* only CSV: the shares of the legs */
};

struct report_options {
	bool color;
	bool ascii; /* the locale's encoding is not UTF-8 */
	/* leg table: show also each count of the conservation rule (struct
	 * measure_leg) */
	bool verbose;
	/* node and leg tables: only the memo's columns; leg table, splits and
	 * slowest executions: times in the memo's form */
	bool memo;
	/* leg table: the names of the columns to show; NULL: the default */
	const char *chosen;
	bool by_process; /* leg table: each row is a share of a leg */
	/* profiles of calls: the times are to be those on a CPU, not the
	 * elapsed ones */
	bool by_cpu;
	/* calls and times by function: the most rows to show; 0: all */
	size_t top;
	/* What the caller has left out of the tables: */
	size_t unexecuted; /* legs that were never executed */
	size_t unreached;  /* nodes that were never reached */
	size_t beyond;     /* rows after the first `top' ones */
	/* which rows of a split to show; all zero: the rows that were set for
	 * the split */
	struct split_view view;
	int width; /* of the terminal, for the bars; 0: 80 */
	/* The width of the terminal. If a table is wider, the columns that tell
	 * least are left out. 0: all columns are shown. */
	int columns;
	int lines; /* `top': of the screen, which the table must fit; 0: any */
	/* What the user has to type to see all columns. NULL: `> FILE', which
	 * commands understand. */
	const char *all_columns_by;
};

/*
 * Append a report in the form that is asked for. `name` stands for the three
 * functions report_NAME_text(), report_NAME_json() and report_NAME_csv(), of
 * which the first one takes options.
 */
#define REPORT_AS(name, report, format, options, out)                          \
	do {                                                                   \
		switch (format) {                                              \
		case FORMAT_TEXT:                                              \
			report_##name##_text(report, options, out);            \
			break;                                                 \
		case FORMAT_JSON:                                              \
			report_##name##_json(report, out);                     \
			break;                                                 \
		case FORMAT_CSV:                                               \
			report_##name##_csv(report, out);                      \
			break;                                                 \
		}                                                              \
	} while (0)

/*
 * The columns of the leg table that the user can choose.
 *
 * report_column_name() returns the name of column `index`, counted from 0, or
 * NULL after the last one. The name is static.
 *
 * report_check_columns() checks a list of names, which commas separate. The
 * case of letters does not matter. If a name is not known, the error lists all
 * names.
 */
const char *report_column_name(size_t index);
struct error *report_check_columns(const char *names);

/* Set `memo` and `chosen` of the options. `columns` is `auto', `memo', or a
 * list that report_check_columns() has accepted. The options borrow the string.
 */
void report_choose_columns(struct report_options *options, const char *columns);

/* Append the tables as text in the memo's form. `parts` is a set of enum
 * report_part. */
void report_text(const struct tables *tables, unsigned parts,
		 const struct report_options *options, struct str *out);

/* Append the line that separates the tables from earlier tables in the same
 * file. The line says when the tables were made, and how much time was measured
 * until then. */
void report_heading(const struct tables *tables, bool color, struct str *out);

/* Takes what was written of a report so far, because the whole may be larger
 * than the memory, and is told how many of the rows these are. */
struct report_sink {
	/* Is called after each row. Empties `text` if it writes it. An error
	 * ends the report. */
	struct error *(*take)(void *context, struct str *text, size_t done,
			      size_t rows);
	void *context;
};

/* Append one JSON object with all parts and with every field.
 * report_json_line() writes the same object in a single line. */
void report_json(const struct tables *tables, struct str *out);
void report_json_line(const struct tables *tables, struct str *out);
/* Does the same as report_json(), row by row. What the sink has not taken, at
 * least the end of the object, is left in `out`. */
struct error *report_json_pieces(const struct tables *tables,
				 const struct report_sink *sink,
				 struct str *out);
/* Add a member to the object that one of these has appended last. `json` is
 * the text of its value, without a line end behind it. */
void report_json_member(const char *name, const char *json, struct str *out);

/* Append one table as CSV. `part` is PART_NODES, PART_LEGS, PART_HISTOGRAMS,
 * PART_SPLITS or PART_PROCESSES. */
void report_csv(const struct tables *tables, enum report_part part,
		struct str *out);
/* Does the same, row by row. What the sink has not taken is left in `out`. */
struct error *report_csv_pieces(const struct tables *tables,
				enum report_part part,
				const struct report_sink *sink,
				struct str *out);

/* The histogram of a node or of a leg. */
struct report_histogram {
	const struct histogram *histogram; /* NULL: there is no histogram */
	bool of_leg;
	uint32_t id;       /* of the node or of the leg */
	double resolution; /* ns; of a leg: measure_leg_resolution() */
	const char *name;  /* the name of the leg, or the place of the node */
};
struct report_histogram report_node_histogram(const struct report_node *node);
struct report_histogram report_leg_histogram(const struct report_leg *leg);

/* Append the histogram as text. It must exist. */
void report_histogram_text(const struct report_histogram *histogram,
			   const struct report_options *options,
			   struct str *out);

/* Append the histogram as one JSON object, or as CSV. It must exist. */
void report_histogram_json(const struct report_histogram *histogram,
			   struct str *out);
void report_histogram_csv(const struct report_histogram *histogram,
			  struct str *out);

/* Append as text the rows of a split: what the node or the leg counted for each
 * value of the expression. The node or the leg must be split. */
void report_node_split_text(const struct report_node *node,
			    const struct report_options *options,
			    struct str *out);
void report_leg_split_text(const struct report_leg *leg,
			   const struct report_options *options,
			   struct str *out);

/* Append the split of a node (`leg` is NULL) or of a leg (`node` is NULL) as
 * JSON, or as CSV. */
void report_split_json(const struct report_node *node,
		       const struct report_leg *leg, struct str *out);
void report_split_csv(const struct report_node *node,
		      const struct report_leg *leg, struct str *out);

/* Append executions, one a row, in the given order: the longest first. The
 * functions take the names of the legs from the tables. */
void report_slowest_text(const struct execution *executions, size_t count,
			 const struct tables *tables,
			 const struct report_options *options, struct str *out);
void report_slowest_json(const struct execution *executions, size_t count,
			 const struct tables *tables, struct str *out);
void report_slowest_csv(const struct execution *executions, size_t count,
			const struct tables *tables, struct str *out);

/* Append what lies inside executions, which all have kept it
 * (perftool/inside.h): one time line for each. The functions take the names of
 * legs and nodes from the tables. */
void report_inside_text(const struct execution *executions, size_t count,
			const struct tables *tables,
			const struct report_options *options, struct str *out);
void report_inside_json(const struct execution *executions, size_t count,
			const struct tables *tables, struct str *out);
void report_inside_csv(const struct execution *executions, size_t count,
		       const struct tables *tables, struct str *out);

/* Append what perftools that died have left of legs, one leg a row. */
void report_left_counts_text(const struct left_counts *counts, size_t count,
			     const struct report_options *options,
			     struct str *out);
void report_left_counts_json(const struct left_counts *counts, size_t count,
			     struct str *out);
void report_left_counts_csv(const struct left_counts *counts, size_t count,
			    struct str *out);

/* Append a time in the memo's form sec.msec:usec, such as "27.328:536". The
 * magnitude of `ns` is rounded down to whole microseconds. */
void report_memo_time(__int128 ns, struct str *out);

/* Append a time such as "1.23us", with three digits and a unit, for figures
 * that have no column in the memo. If `ns` is not finite, append "-". */
void report_duration(double ns, struct str *out);

/* Append a number with commas: 1234567 as "1,234,567". */
void report_number(__int128 number, struct str *out);

/* ---- trace: every execution as a row ------------------------------------ */

enum trace_format { TRACE_CSV, TRACE_CHROME };

/*
 * Write a trace: trace_begin(), then trace_row() for each execution, then
 * trace_end(), which completes the file and flushes it. The caller owns `file`
 * and closes it. In Chrome's trace format an execution is a pair of async
 * events, because executions overlap. `serial` identifies the pair: the caller
 * passes a different number for each execution. `leg_name` may be NULL.
 *
 * All functions return false, with errno set, if the file could not be written.
 */
bool trace_begin(FILE *file, enum trace_format format);
bool trace_row(FILE *file, enum trace_format format,
	       const struct execution *execution, uint64_t serial,
	       const char *leg_name);
bool trace_end(FILE *file, enum trace_format format);

/* Writes the name of a process to a trace in Chrome's format, whose viewers
 * show it beside the executions. It may come anywhere before trace_end(). */
bool trace_process(FILE *file, int32_t pid, const char *name);

/* What names the entries of an execution: append the name of a leg or the place
 * of a node. */
struct trace_names {
	void (*append)(void *context, bool is_node, uint32_t id,
		       struct str *out);
	void *context;
};

/* Write what lies inside an execution, which has kept it, to a trace in
 * Chrome's format: as nested async events of the category "slowest", which all
 * have the id `serial`. */
bool trace_inside(FILE *file, const struct execution *execution,
		  uint64_t serial, const struct trace_names *names);

#endif
