/*
 * session.h - one user, one program, its nodes and legs: all wiring is here
 *
 * Everything a command can ask for is a function of this header. Text for the
 * user is appended to a `struct str`; what cannot be done comes back as an
 * error whose message is the one line the user reads.
 */
#ifndef PERFTOOL_SESSION_H
#define PERFTOOL_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "perftool/base/error.h"
#include "perftool/base/str.h"
#include "perftool/report.h"

struct session;

/* ---- what the session needs of whoever talks to the user -------------- */

/* How a long run is going, for a live status line. */
struct session_progress {
	uint64_t elapsed; /* ns of measured time */
	uint64_t hits;    /* of all nodes, since the tables were zeroed */
	uint64_t breaks;  /* stops handled */
};

struct session_ui {
	void *context;
	/* A remark, one line: "1 copy of f is inlined and not covered". */
	void (*note)(void *context, const char *text);
	/* The program is about to run and to be waited for, or has stopped:
	 * the terminal changes hands. `group` is the program's process group;
	 * 0: it has nothing to do with the terminal. */
	void (*program_runs)(void *context, pid_t group);
	void (*program_stopped)(void *context);
	/* Some ten times a second while the program runs. */
	void (*progress)(void *context,
			 const struct session_progress *progress);
	/* Write tables, if they are `due` (see session_set_every()) or the user
	 * has asked for them. Called after every event of a run, and at least
	 * ten times a second, while the program goes on. Returns whether some
	 * were written. May be NULL. */
	bool (*report)(void *context, bool due);
	/* Has the user asked to interrupt (Ctrl-C, SIGTERM)? Asked after every
	 * signal; true once for each request. */
	bool (*interrupted)(void *context);
	/* Would `interrupted` say so now? The request stays. Asked by long
	 * computations, also by threads of theirs. May be NULL. */
	bool (*interrupting)(void *context);
	/* Has the user asked to suspend the tool (Ctrl-Z)? As above. `suspend`
	 * then does it, the program having been stopped, and returns when the
	 * tool is brought back. Both may be NULL. */
	bool (*suspended)(void *context);
	void (*suspend)(void *context);
	/* Wait until a file is ready for these events of poll(2), or until one
	 * of the above has something to tell. May be NULL. */
	void (*await)(void *context, int fd, short events);
	/* Wait until a file has room: see struct writer. May be NULL. */
	bool (*await_room)(void *context, int fd, int milliseconds);
	/* From just before a process is attached to until it is let go or has
	 * ended (`on` false): were the tool stopped, that program would stand
	 * still at its next breakpoint. May be NULL. */
	void (*holds)(void *context, bool on);
	/* Yes or no. Answers no where nobody can be asked. */
	bool (*confirm)(void *context, const char *question);
	/* The same of the question whether to leave perftool: there the end of
	 * the input (Ctrl-D) means yes, elsewhere no. May be NULL. */
	bool (*confirm_leaving)(void *context, const char *question);
	/* At a prompt: ask for a word that the line `before` lacks, and call it
	 * by that name. The caller frees `*answer`. False: the user gives none.
	 * NULL where there is no prompt. */
	bool (*ask)(void *context, const char *name, const char *before,
		    char **answer);
	/* At a prompt: the program gets a process group of its own, and a
	 * Ctrl-C in it returns to the prompt. */
	bool interactive;
	/* Commands come from standard input: the program gets /dev/null. */
	bool stdin_is_commands;
};

struct session *session_create(const struct session_ui *ui);

/* A launched program that still runs is killed, an attached one is let go. */
void session_destroy(struct session *session);

/* ---- the program ------------------------------------------------------ */

/* Searched in PATH as a shell does. ERROR_NO_PROGRAM, ERROR_NOT_EXECUTABLE,
 * ERROR_BAD_FILE (not a program that can be measured: says why). */
struct error *session_set_program(struct session *session, const char *name);
const char *session_program(const struct session *session); /* or NULL */
void session_set_args(struct session *session, const char *const *args,
		      size_t count);
void session_set_env(struct session *session, const char *name,
		     const char *value);
/* For source files; appended to the places where they are looked for. */
void session_add_directory(struct session *session, const char *directory);
/* For debug information that is not in the program's own file. The program is
 * looked at again. */
struct error *session_add_debug_directory(struct session *session,
					  const char *directory);
/* The memo's root configuration: `name' must be the program's. Names are looked
 * up in all of it from now on. */
struct error *session_set_root(struct session *session, const char *name,
			       struct str *out);
/* The memo's module context: names of places are looked up in this source file
 * or library first; NULL: in all alike. */
struct error *session_set_context(struct session *session, const char *name,
				  struct str *out);
/* "sort: symbols, no debug information; ...": one line, or none when there is
 * no program. */
void session_describe_program(struct session *session, struct str *out);
/* The program and its libraries, a line each: where, and what of it is known.
 */
void session_list_modules(struct session *session, struct str *out);
/* The functions that a pattern names (as `time' takes it; NULL: those of the
 * program), a line each: size, module, name, where it is written, and how often
 * it was called if a node counts that. */
struct error *session_list_functions(struct session *session,
				     const char *pattern, struct str *out);

/* Say which files with code or debug information could not be read somewhere,
 * and why, since the last call. */
void session_check_files(struct session *session);

enum stop_reason {
	STOP_EXITED,      /* `status` */
	STOP_SIGNALED,    /* killed by `signal` */
	STOP_BREAKPOINT,  /* `breakpoint`, in thread `tid` */
	STOP_INTERRUPTED, /* the user asked */
	STOP_DURATION,    /* the time given is over */
	STOP_DETACHED,    /* it goes on, but not with us */
};

struct session_stop {
	enum stop_reason reason;
	int status, signal;
	uint32_t breakpoint;
	pid_t pid, tid;
};

/* One line for people: "Breakpoint 1, main () at x.c:7". */
void session_describe_stop(struct session *session,
			   const struct session_stop *stop, struct str *out);

/* Start the program and let it go on until a stop. One that is let go when it
 * executes what is not measured is waited for, unless there is a prompt: its
 * end is the stop. Interrupted, or at the end of its time, it goes on by
 * itself. `input` and `output` may be NULL. `args` NULL: those of
 * session_set_args(). */
struct error *session_run(struct session *session, const char *const *args,
			  size_t arg_count, const char *input,
			  const char *output, uint64_t duration_ns,
			  struct session_stop *stop);

/* Go on; `duration_ns` 0 means without limit. An attached program is not
 * stopped by an interruption or when the duration is over: it runs on. */
struct error *session_continue(struct session *session, uint64_t duration_ns,
			       struct session_stop *stop);

/* SIGKILL and reap, all that is followed; an error when nothing runs. */
struct error *session_kill(struct session *session);

/* Batch mode's end of `--for` and Ctrl-C. Launched: SIGINT, some time to end
 * by itself (a second request of the user ends the wait), then SIGKILL.
 * Attached: it is let go. */
struct error *session_end_program(struct session *session,
				  struct session_stop *stop);

/* Is any process measured: the program, or a child of it? */
bool session_has_process(const struct session *session);
/* The program's number; if it has ended, that of a child that goes on; 0: no
 * process is measured. */
pid_t session_pid(const struct session *session);
/* It was, or it was told to continue. */
bool session_was_run(const struct session *session);

/*
 * Attach to a running process, all its threads; it runs on, also while
 * commands are entered. If others are attached to already, it is measured
 * beside them. Errors say why it cannot be had. `out` is told how long they
 * stood still.
 */
struct error *session_attach(struct session *session, pid_t pid,
			     struct str *out);
/* A remark if a process has children that are not measured. */
void session_note_children(struct session *session, pid_t pid);
/* Also to the descendants that a process (0: the main one), which is attached
 * to, has now. One that cannot be had is told of, and costs only itself. */
struct error *session_attach_children(struct session *session, pid_t pid,
				      struct str *out);

/* Let go of all that is followed, attached or launched: it goes on by itself,
 * every byte as it was. `out` (may be NULL) is told how long it stood still. */
struct error *session_detach(struct session *session, struct str *out);

/* Was what is there, or was there last, attached to? */
bool session_is_attached(const struct session *session);

/*
 * An attached program runs while nobody waits for it. Whoever waits for
 * something else (a key, a line of a script) handles its events meanwhile:
 * until `enough` says so, which is asked some fifty times a second and after
 * every signal. `stopped`: a breakpoint has stopped the program, or it has
 * ended, and `stop` is to be told. Returns at once when nothing runs.
 */
typedef bool session_enough_fn(void *context);
struct error *session_serve(struct session *session, session_enough_fn *enough,
			    void *context, bool *stopped,
			    struct session_stop *stop);
bool session_runs_on(const struct session *session);

/* Wait for the end of a child that the caller has started, which
 * session_serve() may have taken note of already. */
void session_reap(pid_t pid);

/*
 * A command is over: if the program runs while commands are entered, and had to
 * stand still for this one, it goes on. `stood`: for how long it did, ns; 0:
 * it did not. `stopped`, `stop` as above.
 */
struct error *session_go_on(struct session *session, uint64_t *stood,
			    bool *stopped, struct session_stop *stop);

/* How the last program ended; false: none has. */
bool session_last_end(const struct session *session, struct session_stop *end);

/* That there are none is no error. */
struct error *session_list_processes(struct session *session, struct str *out);
struct error *session_list_threads(struct session *session, struct str *out);
struct error *session_select_thread(struct session *session, pid_t tid);
struct error *session_where(struct session *session, struct str *out);
/* The frame that expressions and listings are about from now on, until the
 * thread moves; NULL: which one it is. Written like a line of `where`. */
struct error *session_frame(struct session *session, const uint32_t *number,
			    struct str *out);
/* The arguments and locals of that frame, one a line. */
struct error *session_list_locals(struct session *session, struct str *out);
/* `location` NULL: around the stop, or on from the last listing. */
struct error *session_list_source(struct session *session, const char *location,
				  struct str *out);
struct error *session_evaluate(struct session *session, const char *expression,
			       struct str *out);

/* Are children followed, and what they (and the program) execute? */
void session_set_follow_fork(struct session *session, bool on);
void session_set_follow_exec(struct session *session, bool on);

/* 0: all. */
struct error *session_track_process(struct session *session, pid_t pid);
struct error *session_track_thread(struct session *session, pid_t tid);

/* ---- breakpoints -------------------------------------------------------- */

enum break_kind {
	BREAK_PLACE,
	BREAK_ENTRY, /* of a function, as its exits belong to it */
	BREAK_EXIT,
	BREAK_RETURN,
	BREAK_BEGIN /* of a function: its entry and its inlined copies */
};

/* `condition` may be NULL; so may `mechanism`, which is else one of the values
 * of that setting. What was done is told in `out`. */
struct error *session_break(struct session *session, enum break_kind kind,
			    const char *location, const char *mechanism,
			    const char *condition, uint32_t *id,
			    struct str *out);

/* NULL clears the condition (of a node: sets it to 1). */
struct error *session_condition(struct session *session, uint32_t id,
				const char *condition, struct str *out);
/* `attach condition` of the memo: the condition filters no hits, but names the
 * variable that a histogram counts, unless `set conditions` says otherwise. */
struct error *session_attach_condition(struct session *session, uint32_t id,
				       const char *condition, struct str *out);
struct error *session_condition_breaks(struct session *session,
				       struct str *out);
struct error *session_delete_break(struct session *session, uint32_t id);
struct error *session_delete_breaks(struct session *session);
struct error *session_enable_break(struct session *session, uint32_t id,
				   bool enabled);
void session_list_breaks(struct session *session, struct str *out);

/* ---- nodes, legs, histograms -------------------------------------------- */

struct error *session_monitor(struct session *session, bool on);
bool session_monitor_is_on(const struct session *session);
struct error *session_collect_nodes(struct session *session, struct str *out);

/* Where a leg begins or ends. */
struct leg_end {
	/* number of a breakpoint; 0: `place`, or the wildcard `*` over the
	 * current nodes where that is NULL */
	uint32_t id;
	/* LOC: the breakpoint that was set there so, or else a new one */
	const char *place;
	/* of that breakpoint; BREAK_PLACE: a function stands for its entry,
	 * and unless the leg is within it, for where its inlined copies begin
	 */
	enum break_kind kind;
};

struct leg_request {
	struct leg_end from, to;
	enum leg_owner owner;
	enum leg_match match;
	bool owner_given, match_given; /* else the session's default */
	const char *key;               /* EXPR[:EXPR] or NULL */
	const char *by;                /* EXPR or :EXPR (at the end), or NULL */
	struct split_view view;        /* of what is split */
	const char *name;              /* of one leg; NULL: by its places */
};
struct error *session_add_leg(struct session *session,
			      const struct leg_request *request,
			      struct str *out);
struct error *session_delete_leg(struct session *session, uint32_t id);
void session_set_add(struct session *session, bool successor);
void session_set_track(struct session *session, enum measure_track track);

struct histogram_request {
	bool of_leg;
	uint32_t id;
	struct histogram_spec spec;
	const char *value; /* value=EXPR, nodes only, or NULL */
	bool replace;      /* discard the one that is there */
};

/* Where hdr is asked for and `time' has made such a histogram, that one stays
 * with its values, unless the request is to replace it. */
struct error *session_add_histogram(struct session *session,
				    const struct histogram_request *request,
				    struct str *out);
/* How many values of the present histogram session_add_histogram() would
 * discard. */
uint64_t session_histogram_lost(const struct session *session,
				const struct histogram_request *request);
struct error *session_delete_histogram(struct session *session, bool of_leg,
				       uint32_t id);

struct split_request {
	bool of_leg;
	uint32_t id;
	const char *by; /* EXPR; of a leg also :EXPR, evaluated at its end;
			   NULL: only the view changes */
	struct split_view view;
};
struct error *session_split(struct session *session,
			    const struct split_request *request,
			    struct str *out);
struct error *session_unsplit(struct session *session, bool of_leg,
			      uint32_t id);

/* `time FUNC`: entry, exit, a nested leg and an hdr histogram for each
 * function of the patterns; turns the monitor on. More than 1,000 functions
 * asks first. A pattern that names nothing yet is pending. `condition` (or
 * NULL) is that of the entries; `by` (or NULL) splits the legs. Of
 * several functions of a pattern, those where the one or the other has no
 * meaning are noted: not timed, or not split. On failure nothing is left. */
struct time_request {
	const char *const *patterns;
	size_t count;
	const char *condition;
	const char *by;
	struct split_view view;
	size_t most; /* functions that a pattern may name; 0: 1,000 */
};
struct error *session_time(struct session *session,
			   const struct time_request *request, struct str *out);

/* Was a pattern among what `time` was given? Text reports then show the legs
 * that were executed, the longest first. */
bool session_timed_pattern(const struct session *session);

void session_initialize_tables(struct session *session);
void session_zero_tables(struct session *session);

/* All tables as data; valid until the next call of any session function. */
const struct tables *session_tables(struct session *session);

/*
 * Tables are due each time that another `ns` of measured time has passed: at
 * ns, twice that, and so on. `report` of the user interface is told so. If
 * several such moments have passed before it can be told, it is told once.
 */
void session_set_every(struct session *session, uint64_t ns);

/* session_tables_since_last() will be called. To be called before anything is
 * measured. */
void session_count_intervals(struct session *session);
/* As session_tables(), of what was counted since this was called last: see
 * perftool/interval.h. */
const struct tables *session_tables_since_last(struct session *session);

/* Longest executions of a leg, or (`leg` < 0) of all, at most `max`, longest
 * first. The caller frees the list. */
struct error *session_slowest(struct session *session, int64_t leg, size_t max,
			      struct execution_list *out);

/* Every execution from now on becomes a row of this file (.json: Chrome trace
 * form); `legs` NULL: of all legs. */
struct error *session_trace(struct session *session, const char *path,
			    const uint32_t *legs, size_t count);
/* Complete the file; an error when it could not be written whole. */
struct error *session_trace_off(struct session *session);

/* Are there breakpoints, or will there be when what `time' names comes? */
bool session_has_requests(const struct session *session);

/* Breakpoints that were never found, and why, or never reached: a line each.
 * False: some were never found. */
bool session_describe_unresolved(struct session *session, struct str *out);
/* Only those that were never found. */
bool session_describe_unfound(struct session *session, struct str *out);

/* ---- settings ------------------------------------------------------------ */

enum setting_type {
	SETTING_SWITCH, /* on or off */
	SETTING_CHOICE, /* one of several words */
	SETTING_NUMBER, /* a whole number */
	SETTING_DURATION,
	SETTING_TEXT,
};

/*
 * A setting. The table of them in src/session/settings.c is the only list of
 * settings: `set`, `show`, `help`, completion, the man page and the settings in
 * the tables are made from it. A setting has a value, which is a number for all
 * types but SETTING_TEXT: true or false of a switch, the index of the word of a
 * choice, ns of a duration.
 */
struct session_setting {
	const char *name;
	enum setting_type type;
	/* what it may be: "on|off" and the like of a switch and a choice; of
	 * the other types a word for the usage: "NUMBER" */
	const char *values;
	int64_t least, most; /* of a number, or a duration */
	const char *zero;    /* the word for the number 0; NULL: it is "0" */
	int64_t initial;     /* its value in a new session */
	const char *summary; /* what it is for: one clause */
	const char *help;    /* what there is to say besides, or NULL */
	/* the command that sets it; NULL: `set NAME VALUE` does */
	const char *set_by;
	bool is_left_out; /* of the settings in the tables */
	bool needs_still; /* the program must not run while it changes */

	/* Where the value is: in a member of struct session, which may be a
	 * bool, an enumeration or an integer (size 0: in none), */
	struct {
		size_t offset, size;
	} field;
	/* or wherever these two functions read and write it. */
	int64_t (*get)(const struct session *session);
	void (*set)(struct session *session, int64_t value);
	/* The same of a SETTING_TEXT: the value is appended to `out`. */
	void (*get_text)(struct session *session, struct str *out);
	struct error *(*set_text)(struct session *session, const char *text);
	/* Hand the new value to the layer that goes by it, or NULL. */
	void (*changed)(struct session *session);
};

/* The settings that `set NAME VALUE` sets, by index from 0, sorted by name.
 * NULL: there are no more. */
const struct session_setting *session_setting_at(size_t index);

struct error *session_set(struct session *session, const char *name,
			  const char *value);
struct error *session_show(struct session *session, const char *name,
			   struct str *out);
/* The form tables are printed in, and the default number of bars' columns. */
enum report_format session_format(const struct session *session);
/* `auto', `memo', or names of columns for report_choose_columns(). */
const char *session_columns(const struct session *session);

/* ---- completion -----------------------------------------------------------
 */

enum complete_what {
	COMPLETE_FUNCTION, /* and FILE: */
	COMPLETE_MODULE,
	COMPLETE_BREAK,
	COMPLETE_NODE,
	COMPLETE_LEG,
	COMPLETE_THREAD,
	COMPLETE_PROCESS,
	COMPLETE_VARIABLE,
	COMPLETE_CONTEXT, /* source files and libraries */
	COMPLETE_PROGRAM,
};
typedef bool session_visit_fn(void *context, const char *candidate);
void session_complete(struct session *session, enum complete_what what,
		      const char *prefix, session_visit_fn *visit,
		      void *context);

#endif
