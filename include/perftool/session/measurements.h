/*
 * measurements.h - nodes, legs, histograms and their tables
 */
#ifndef PERFTOOL_SESSION_MEASUREMENTS_H
#define PERFTOOL_SESSION_MEASUREMENTS_H

#include "perftool/session.h"

/* Turns the monitor on or off. While the monitor is on, breakpoints with a
 * condition count; while the monitor is off, they stop the program. */
struct error *session_monitor(struct session *session, bool on);
bool session_monitor_is_on(const struct session *session);
/* Suspends all nodes: turns the monitor off, but breakpoints with a condition
 * do not stop the program then: they are not in it. `suspended` false: the
 * nodes count again, and the monitor is on. */
struct error *session_suspend(struct session *session, bool suspended);
/* Nobody is at a prompt to let the program go on: from now on, turning the
 * monitor off suspends the nodes, as session_suspend() does. */
struct error *session_keep_running(struct session *session);
/* Enters every breakpoint that has a condition in the node table. */
struct error *session_collect_nodes(struct session *session, struct str *out);

/* One end of a requested leg: the node at which the leg begins, or the node at
 * which it ends. */
struct leg_end {
	/* The number of a breakpoint. 0: `place` says where this end of the leg
	 * is; if `place` is NULL, too, the end is the wildcard `*`, which
	 * stands for each of the current nodes. */
	uint32_t id;
	/* A place in the form LOC. If a breakpoint was set with the same text
	 * and kind, the leg uses that breakpoint; else the session makes a new
	 * breakpoint. */
	const char *place;
	/* The kind of breakpoint that `place` needs. BREAK_PLACE with the name
	 * of a function means the entry of the function. It also means the
	 * entries of the function's inlined copies, unless both ends of the leg
	 * name the same function. */
	enum break_kind kind;
};

struct leg_request {
	struct leg_end from, to;
	enum leg_owner owner;
	enum leg_match match;
	bool owner_given, match_given; /* if false, the session's default owner
					* or match is used */
	const char *key;               /* the key that an execution belongs to,
					* as EXPR[:EXPR]; NULL: no key */
	const char *by;                /* the expression of the split: EXPR, or
					* :EXPR for the end of the leg, or NULL
					*/
	struct split_view view;        /* how the split is shown */
	const char *name;              /* name of a single leg; NULL: the leg is
					* named by its places */
};
/* Adds a leg, or with wildcards the legs between several nodes. Makes a
 * breakpoint for each place that has none. */
struct error *session_add_leg(struct session *session,
			      const struct leg_request *request,
			      struct str *out);
struct error *session_delete_leg(struct session *session, uint32_t id);
/* `add successor`: when a thread hits a node, the tool adds the leg from the
 * node that the thread hit before to this node, unless the leg is in the table
 * already. */
struct error *session_set_add(struct session *session, bool successor);
/* `track`: which legs a hit of a node counts in: in none; only in the leg from
 * the node that the thread hit before; or in all legs of the node. */
struct error *session_set_track(struct session *session,
				enum measure_track track);

struct histogram_request {
	bool of_leg;
	uint32_t id;
	struct histogram_spec spec;
	const char *value; /* value=EXPR: the expression whose values the
			    * histogram counts, for nodes only; or NULL */
	bool replace;      /* discard the existing histogram */
};

/* Adds a histogram to a node or a leg. If the request is for the class hdr and
 * `time` has made such a histogram for the leg already, that histogram stays
 * with its values, unless `replace` is true. */
struct error *session_add_histogram(struct session *session,
				    const struct histogram_request *request,
				    struct str *out);
/* Returns how many values of the present histogram session_add_histogram()
 * would discard for this request. */
uint64_t session_histogram_lost(const struct session *session,
				const struct histogram_request *request);
struct error *session_delete_histogram(struct session *session, bool of_leg,
				       uint32_t id);

struct split_request {
	bool of_leg;
	uint32_t id;
	/* The expression of the split: EXPR. For a leg it may also be :EXPR,
	 * which is evaluated at the leg's end. NULL: only the view changes. */
	const char *by;
	struct split_view view;
};
/* Splits a node or a leg by the values of an expression, or changes how the
 * present split is shown. session_unsplit() ends the split. */
struct error *session_split(struct session *session,
			    const struct split_request *request,
			    struct str *out);
struct error *session_unsplit(struct session *session, bool of_leg,
			      uint32_t id);

/* `time FUNC`: for each function that the patterns name, makes an entry
 * breakpoint, a return breakpoint, a leg that matches nested calls and an hdr
 * histogram. Turns the monitor on. The tool asks the user first if a pattern
 * names more than 1,000 functions (or more than `most`). A pattern that names
 * no function yet is kept as pending: the tool looks for its functions in
 * libraries that the program loads later.
 *
 * `condition` (or NULL) is the condition of the entry breakpoints. `by` (or
 * NULL) splits the legs. If a pattern names several functions, a condition or a
 * split may have no meaning in some of them: the user gets a remark that such a
 * function is not timed, or not split. If session_time() fails, it leaves
 * nothing of the request behind. */
/* What `time` has made for one function. The numbers are those of two
 * breakpoints, which are nodes, and of the leg between them. */
struct timed_function {
	uint32_t entry, exit_point, leg;
};
VEC_STRUCT(timed_function_list, struct timed_function);

struct time_request {
	const char *const *patterns;
	size_t count;
	const char *condition;
	const char *by;
	struct split_view view;
	/* how many functions a pattern may name without a question; 0: 1,000 */
	size_t most;
	/* the name of the leg, if one function alone is timed; NULL: the tool
	 * names the leg */
	const char *name;
	/* If not NULL, session_time() appends what it has made, in the order of
	 * the functions. The list is empty after an error. */
	struct timed_function_list *made;
};
struct error *session_time(struct session *session,
			   const struct time_request *request, struct str *out);

/* Removes what session_time() has made for these functions: the legs and the
 * breakpoints. The rows of those nodes stay in the table that have counted.
 * What the user has deleted already is left out. */
struct error *session_untime(struct session *session,
			     const struct timed_function *timed, size_t count);

/* Takes what session_time() has made for these functions out of the program.
 * The rows of what has counted stay in the tables, and count on if
 * session_put_back() puts it back into the program; the tables do not show
 * those that have counted nothing. Breakpoints and legs keep their numbers.
 * session_is_complete(): Is everything there that session_time() has made, in
 * the program or out of it? */
struct error *session_take_out(struct session *session,
			       const struct timed_function *timed,
			       size_t count);
struct error *session_put_back(struct session *session,
			       const struct timed_function *timed,
			       size_t count);
bool session_is_complete(const struct session *session,
			 const struct timed_function *timed);

/* Lets the program go on for some milliseconds, if it has stood still for long
 * for a command that does thousands of things one after the other. The command
 * has it stand still again when it needs to. */
struct error *session_relent(struct session *session);

/* Was a pattern among the names that `time` was given? Text reports then show
 * the legs that were executed, the leg with the longest total time first. */
bool session_timed_pattern(const struct session *session);

/* `initialize tables`: removes all nodes, legs, histograms and counts. */
struct error *session_initialize_tables(struct session *session);
/* `zero tables`: sets all counts, times and histograms to 0, and keeps the
 * rows.
 */
struct error *session_zero_tables(struct session *session);

/* Returns all tables as data. The session owns the tables; they are valid until
 * the next call of any session function. */
const struct tables *session_tables(struct session *session);

/*
 * Makes tables due each time that another `ns` of measured time has passed:
 * when the measured time is ns, twice ns, and so on. The session then calls
 * `report` of the user interface with `due` true. If several such moments pass
 * before the session can make the call, it makes one call for all of them.
 */
void session_set_every(struct session *session, uint64_t ns);

/* Prepares session_tables_since_last(). The caller calls this function before
 * anything is measured. */
void session_count_intervals(struct session *session);
/* Returns tables as session_tables() does, but with only what was counted since
 * the last call of this function: see perftool/interval.h. */
const struct tables *session_tables_since_last(struct session *session);

/* Returns what perftools that died have left of legs, in the processes of the
 * present program: `*count` of them. They belong to the session. */
const struct left_counts *session_left_counts(const struct session *session,
					      size_t *count);

/* Lists the longest executions of a leg, or of all legs if `leg` < 0: at most
 * `max`, the longest first. The caller frees the list. `*added_up`: there are
 * short executions besides, of which only sums are known. */
struct error *session_slowest(struct session *session, int64_t leg, size_t max,
			      struct execution_list *out, bool *added_up);

/* Lists the longest executions that have kept what is inside them
 * (perftool/inside.h), like session_slowest(). Returns an error if none has,
 * and the setting `inside` is 0. */
struct error *session_slowest_inside(struct session *session, int64_t leg,
				     size_t max, struct execution_list *out);

/* Writes every execution from now on as a row of the file `path`. A path that
 * ends in .json selects the Chrome trace format; all other paths select CSV.
 * `legs` selects legs by their numbers; NULL: the executions of all legs are
 * written. */
struct error *session_trace(struct session *session, const char *path,
			    const uint32_t *legs, size_t count);
/* Completes the trace file and closes it. Returns an error if a part of the
 * file could not be written. */
struct error *session_trace_off(struct session *session);

/* Are there breakpoints, or will there be breakpoints once the functions that a
 * pending `time` names are loaded? */
bool session_has_requests(const struct session *session);

/* Describes the breakpoints whose place was never found, with the reason, and
 * those that no thread has reached, one line each. Returns false if the places
 * of some breakpoints were never found. */
bool session_describe_unresolved(struct session *session, struct str *out);
/* Does the same as session_describe_unresolved(), but only for the breakpoints
 * whose place was never found. */
bool session_describe_unfound(struct session *session, struct str *out);

#endif
