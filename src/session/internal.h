/*
 * internal.h - what the files of the session layer share
 */
#ifndef SESSION_INTERNAL_H
#define SESSION_INTERNAL_H

#include "perftool/base/clock.h"
#include "perftool/measure.h"
#include "perftool/probe.h"
#include "perftool/session.h"
#include "perftool/target.h"

VEC_STRUCT(string_list, char *);

/* `trace FILE`: rows go there until it is turned off. */
struct tracing {
	FILE *file; /* NULL: off */
	char *path;
	enum trace_format format;
	uint64_t serial;
	bool failed;
	VEC(uint32_t) legs; /* empty: all */
};

struct session {
	struct session_ui ui;
	struct clock clock;
	struct target *target;
	struct probe *probe;
	struct measure *measure;

	/* what `run` runs: the file, and the word it was named by */
	char *program, *program_word;
	struct string_list args, env, directories;

	/* what was run last */
	char *run_program;
	struct string_list run_args;

	struct process *process; /* NULL: none is there */
	pid_t last_pid;
	bool was_run;
	bool has_end;
	struct session_stop end; /* of the last process */
	struct session_stop stop;
	struct thread *selected; /* of the stopped process */
	/* breakpoints that others reached while all threads were being
	 * stopped: they are the next stops */
	VEC(struct session_stop) pending_stops;
	bool starting; /* before the program's first instruction */
	bool frozen;   /* the measuring is over, the program is ending */
	bool interrupted_program; /* it was given a SIGINT in this run */
	uint64_t next_look;       /* when to look after the user again */

	int32_t tracked_pid, tracked_tid;
	enum leg_owner owner; /* of `add leg` */
	enum leg_match match;
	bool match_set;
	enum report_format format;
	bool compensation, filtering;
	enum affinity affinity;

	struct tracing tracing;

	/* session_tables(): the last ones and what they refer to */
	struct tables tables;
	VEC(struct report_node) report_nodes;
	VEC(struct report_leg) report_legs;
	VEC(uint64_t *) report_addresses;
	VEC(const char *) report_args;
	struct string_list report_strings;
	struct string_list key_texts; /* of legs, by number; NULL: no key */

	/* patterns of `time` that name no function yet */
	struct string_list pending_times;
	bool lost_times; /* one named more than could be asked about */

	/* `list source` goes on from here */
	char *listed_file;
	uint32_t listed_line;
};

void session_note(struct session *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* hits.c: the callbacks of the probe layer. */
void session_probe_ops(struct session *session, struct probe_ops *ops);

/* $node(N), as expressions ask for it; the context is the session. */
bool session_node_count(void *session, uint32_t node, uint64_t *count);

/* Not deleted, or an error that says so. */
struct error *find_breakpoint(struct session *session, uint32_t id,
			      struct breakpoint **out);

/* A condition of an unconditional one, and a row in the node table. */
struct error *make_node(struct session *session, struct breakpoint *breakpoint,
			struct str *out);

/* "entry of f, x.c:7" */
void describe_breakpoint(const struct breakpoint *breakpoint, struct str *out);

/* "f () at x.c:7" of a run-time address, "?? in MODULE" where nothing names
 * it. */
void describe_address(struct session *session, uint64_t address,
		      struct str *out);

/* Libraries were loaded: what do the pending patterns of `time` name now? */
void session_time_pending(struct session *session);

struct error *need_process(struct session *session);
void trace_execution(void *session, const struct execution *execution);
void string_list_deinit(struct string_list *list);
void string_list_clear(struct string_list *list);

#endif
