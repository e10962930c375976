/*
 * report.h - tables as text, JSON and CSV
 *
 * Columns as data: the session describes what it knows in the structs below,
 * a report writes it down. Forms: the Mesa memo's sample session for text;
 * spec of commands, "JSON", for the other two. All strings are UTF-8 and are
 * borrowed for the time of the call; NULL is unknown and becomes null.
 */
#ifndef PERFTOOL_REPORT_H
#define PERFTOOL_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "perftool/base/error.h"
#include "perftool/base/interrupt.h"
#include "perftool/base/str.h"
#include "perftool/histogram.h"
#include "perftool/measure.h"
#include "perftool/process_share.h"
#include "perftool/split.h"

/* A node: what was asked for, and where it was put. */
struct report_node {
	const struct measure_node *stats;
	const char *kind;     /* entry, exit, return, function, line, address */
	const char *location; /* as the user wrote it */
	const char *place;    /* as names of legs have it: "exit AllocVM" */
	const char *function; /* demangled */
	const char *file;
	uint32_t line;      /* 0: unknown */
	const char *module; /* file name of the program or library */
	uint64_t load_bias; /* of that module: the memo's Global Frame */
	const uint64_t *addresses;
	size_t address_count;
	const char *condition;
	bool only_names; /* the condition filters nothing: see attach condition
			  */
	const char *mechanism;   /* fast, int3, or both */
	const char *int3_reason; /* why places of it are not fast, or NULL */
	const char *by_text;     /* what it is split by, or NULL */
};

/* A leg; or what a process has of one. */
struct report_leg {
	const struct measure_leg *stats;
	const char *name;       /* as the user calls it, or what it times */
	const char *from_place; /* its nodes' places; NULL: a node is gone */
	const char *to_place;
	bool below_resolution;
	double resolution;    /* measure_leg_resolution() */
	const char *key_text; /* the key expression as written, or NULL */
	const char *by_text;  /* what it is split by, or NULL */

	/* Of a leg: what each process has of it, in the order of their first
	 * executions; none of a leg that was never executed. */
	const struct report_leg *shares;
	size_t share_count;

	/* Of such a share: whose it is (NULL: of several for which there was no
	 * room, see process.h), and whether another process of the tables has
	 * the same pid. */
	bool is_share;
	const struct measure_process *process;
	bool shares_pid;
};

struct report_program {
	const char *path;        /* absolute, as it was called: maybe a link */
	const char *build_id;    /* of the file that is executed; hex digits */
	const char *const *args; /* NULL-terminated, without argv[0] */
	int32_t pid;             /* 0: none */
	const char *state; /* running, stopped, exited, signaled, detached */
	int exit_status;   /* -1: unknown */
	int exit_signal;   /* 0: none */
};

/* As `show` gives it. */
struct report_setting {
	const char *name, *value;
};

/* A part of the measured time, ns since it began. */
struct report_interval {
	uint64_t from, to;
};

/* Everything that `print tables` shows. Times of the day are as
 * host_time_text() writes them. */
struct tables {
	const char *version;
	const char *at; /* when the tables were made */
	/* when the program began, and ended; NULL: it has not, as far as is
	 * known */
	const char *started, *ended;
	const char *host, *kernel, *cpu; /* see struct host */
	/* The part of the measured time that they are about, while the
	 * measuring goes on; NULL: they are about all of it. */
	const struct report_interval *interval;
	struct report_program program;
	const struct report_setting *settings;
	size_t setting_count;
	const char *clock_source;
	const char *clock_remark; /* why it is that one; NULL: nothing to say */
	double clock_resolution;
	const char *placement; /* what was done about CPU affinity, or NULL */
	struct measure_summary summary;
	const struct report_node *nodes;
	size_t node_count;
	const struct report_leg *legs;
	size_t leg_count;
	bool is_untracked;       /* legs are not measured now: `track none' */
	size_t process_count;    /* that have executed legs */
	const char *cpu_problem; /* why time on a CPU may not be known; NULL */
	/* Asked while JSON is made of many rows. If the user has interrupted,
	 * the rows that are left are not in the text: the caller must not write
	 * it. */
	struct interrupt interrupt;
};

enum report_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

enum report_part {
	PART_SUMMARY = 1, /* the memo's header */
	PART_NODES = 2,
	PART_LEGS = 4,
	PART_HISTOGRAMS = 8, /* all of them; as text those that were asked for,
				and a line for each that `time' made */
	PART_SPLITS = 16,    /* all of them */
	PART_ALL = 31,
	PART_PROCESSES = 32, /* CSV: the legs' shares */
};

struct report_options {
	bool color;
	bool ascii;   /* the locale's text is not UTF-8 */
	bool verbose; /* legs: each figure of the conservation rule */
	bool memo; /* nodes and legs: the memo's columns; its form of times */
	const char *chosen; /* legs: the columns, by name; NULL: by default */
	bool by_process;    /* legs: each is the share of a process */
	size_t unexecuted;  /* legs that the tables leave out for that */
	size_t unreached;   /* nodes that the tables leave out */
	size_t beyond;      /* rows that are below the `top' ones */
	struct split_view view; /* of what is split; 0: as it is set */
	int width;              /* columns for the bars; 0: 80 */
	int columns; /* of a terminal: the columns that tell least are left
			out where not all fit; 0: all are shown */
	/* What to type to have all of them; NULL: `> FILE', which commands
	 * understand. */
	const char *all_columns_by;
};

/* The columns of a leg table by which `chosen' calls them; NULL after the last.
 * Names are parted by commas, in any case; an error lists what names there are.
 */
const char *report_column_name(size_t index);
struct error *report_check_columns(const char *names);

/* `auto', `memo', or names that were checked; they are borrowed. */
void report_choose_columns(struct report_options *options, const char *columns);

/* Text in the memo's form; `parts` is a set of enum report_part. */
void report_text(const struct tables *tables, unsigned parts,
		 const struct report_options *options, struct str *out);

/* The line above tables that follow others in a file: when they were made, and
 * how long was measured until then. */
void report_heading(const struct tables *tables, bool color, struct str *out);

/* One JSON object, all parts, every field always there; or the same in a single
 * line. */
void report_json(const struct tables *tables, struct str *out);
void report_json_line(const struct tables *tables, struct str *out);

/* One table as CSV: `part` is PART_NODES, PART_LEGS, PART_HISTOGRAMS,
 * PART_SPLITS or PART_PROCESSES. */
void report_csv(const struct tables *tables, enum report_part part,
		struct str *out);

/* One histogram, of a node or of a leg. */
struct report_histogram {
	const struct histogram *histogram; /* NULL: there is none */
	bool of_leg;
	uint32_t id;
	double resolution; /* of a leg: measure_leg_resolution() */
	const char *name;  /* of the leg; of a node its place */
};
struct report_histogram report_node_histogram(const struct report_node *node);
struct report_histogram report_leg_histogram(const struct report_leg *leg);

void report_histogram_text(const struct report_histogram *histogram,
			   const struct report_options *options,
			   struct str *out);

/* The same histogram as JSON (one object) or CSV. */
void report_histogram_json(const struct report_histogram *histogram,
			   struct str *out);
void report_histogram_csv(const struct report_histogram *histogram,
			  struct str *out);

/* What one node or leg counted by the value of an expression; it is split. */
void report_node_split_text(const struct report_node *node,
			    const struct report_options *options,
			    struct str *out);
void report_leg_split_text(const struct report_leg *leg,
			   const struct report_options *options,
			   struct str *out);

/* Of the tables' node (`leg` NULL) or leg (`node` NULL): JSON, CSV. */
void report_split_json(const struct report_node *node,
		       const struct report_leg *leg, struct str *out);
void report_split_csv(const struct report_node *node,
		      const struct report_leg *leg, struct str *out);

/* The slowest executions, longest first; the tables have the names of their
 * legs.
 */
void report_slowest_text(const struct execution *executions, size_t count,
			 const struct tables *tables,
			 const struct report_options *options, struct str *out);
void report_slowest_json(const struct execution *executions, size_t count,
			 const struct tables *tables, struct str *out);
void report_slowest_csv(const struct execution *executions, size_t count,
			const struct tables *tables, struct str *out);

/* "27.328:536" sec.msec:usec as the memo writes a time; ns is rounded down. */
void report_memo_time(__int128 ns, struct str *out);

/* "1.23us": three digits and a unit, for what the memo has no column for. */
void report_duration(double ns, struct str *out);

/* 1234567 as "1,234,567". */
void report_number(__int128 number, struct str *out);

/* ---- trace: every execution as a row ------------------------------- */

enum trace_format { TRACE_CSV, TRACE_CHROME };

/*
 * Rows go to `file`, which stays the caller's. Chrome trace form has async
 * events, for legs overlap; trace_end() makes the file complete, and both
 * return false when the file could not be written.
 */
bool trace_begin(FILE *file, enum trace_format format);
bool trace_row(FILE *file, enum trace_format format,
	       const struct execution *execution, uint64_t serial,
	       const char *leg_name);
bool trace_end(FILE *file, enum trace_format format);

#endif
