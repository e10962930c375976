/*
 * session.h - one session: one user, one program, its nodes and its legs
 *
 * The session wires the layers together: every hit of the probe layer reaches
 * the measure layer here. Everything that a command can ask for is a function
 * of this header.
 *
 * The terms (doc/GLOSSARY.md has them all): a node is a conditional breakpoint
 * that is entered in the node table. A hit is one arrival of a thread at a node
 * whose condition is true. A leg is the code that is executed between two
 * nodes, *from* and *to*; the tool counts and times the executions. The owner
 * of a leg is what an execution belongs to, for example a thread. A split
 * divides the counts of a node or a leg by the values of an expression.
 *
 * Text for the user is appended to a `struct str`. A function that cannot do
 * what was asked returns an error, and the message of the error is the one line
 * that the user reads. The caller destroys the error. Where a comment below
 * says "the memo", it means the Mesa memo that describes nodes, legs and their
 * tables.
 */
#ifndef PERFTOOL_SESSION_H
#define PERFTOOL_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "perftool/base/error.h"
#include "perftool/base/output_name.h"
#include "perftool/base/str.h"
#include "perftool/base/string_list.h"
#include "perftool/base/vec.h"
#include "perftool/report.h"

struct session;

/* ---- what the session needs of the user interface ---------------------- */

/* How far a long run has come. The user interface shows this in a live status
 * line. */
struct session_progress {
	uint64_t elapsed; /* measured time, in ns */
	uint64_t hits;    /* hits of all nodes since the tables were zeroed */
	uint64_t breaks;  /* hits that counted, as `breaks` of struct
			   * measure_summary */
};

struct session_ui {
	void *context;
	/* Shows a remark of one line, for example "1 copy of f is inlined and
	 * not covered". */
	void (*note)(void *context, const char *text);
	/* The session calls `program_runs` when the program is about to run and
	 * the tool is about to wait for it, and `program_stopped` when the
	 * program has stopped. The user interface then gives the terminal to
	 * the program, and takes it back. `group` is the program's process
	 * group; 0 means that the program has nothing to do with the terminal.
	 */
	void (*program_runs)(void *context, pid_t group);
	void (*program_stopped)(void *context);
	/* Shows how far the run has come. The session calls this about ten
	 * times a second while the program runs. */
	void (*progress)(void *context,
			 const struct session_progress *progress);
	/* Shows how far a command has come that may take long: it has done its
	 * work at `done` of `count` places. `what` says what it does, for
	 * example "making jumps". The session calls this often, and at the end
	 * with `done` equal to `count`. May be NULL. */
	void (*working)(void *context, const char *what, size_t done,
			size_t count);
	/* Writes tables if `due` is true (see session_set_every()), or if the
	 * user has asked for tables. The session calls this function after
	 * every event of a run, and at least ten times a second while the
	 * program runs. Returns whether the user interface has written tables.
	 * May be NULL. */
	bool (*report)(void *context, bool due);
	/* Has the user asked to interrupt (Ctrl-C, SIGTERM)? The session asks
	 * this after every signal. The function returns true once for each
	 * request. */
	bool (*interrupted)(void *context);
	/* Would `interrupted` return true now? This function does not consume
	 * the user's request. Long computations call this function, also from
	 * threads of their own. May be NULL. */
	bool (*interrupting)(void *context);
	/* `suspended`: has the user asked to suspend the tool (Ctrl-Z)? The
	 * function returns true once for each request, as `interrupted` does.
	 * The session then stops the program and calls `suspend`, which
	 * suspends the tool and returns when the tool is continued. Both
	 * pointers may be NULL. */
	bool (*suspended)(void *context);
	void (*suspend)(void *context);
	/* Waits until one of the events `events` of poll(2) happens to the file
	 * `fd`, or until the user has asked for something that one of the
	 * functions above reports. May be NULL. */
	void (*await)(void *context, int fd, short events);
	/* Waits until the file has room for more output: see struct writer. May
	 * be NULL. */
	bool (*await_room)(void *context, int fd, int milliseconds);
	/* The session calls this with `on` true just before it attaches to a
	 * process, and with `on` false when the tool has detached from that
	 * process or the process has ended. Between these two calls, nothing
	 * may stop the tool itself: the attached program would stand still at
	 * its next breakpoint, because nobody would handle the breakpoint. May
	 * be NULL. */
	void (*holds)(void *context, bool on);
	/* Asks the user a question that is answered by yes or no. Returns false
	 * (no) where no user can be asked. */
	bool (*confirm)(void *context, const char *question);
	/* Asks the user whether to leave perftool. The end of the input
	 * (Ctrl-D) means yes here, and no in `confirm`. May be NULL. */
	bool (*confirm_leaving)(void *context, const char *question);
	/* At a prompt: asks the user for a word that is missing after the
	 * command line `before`. `name` is what the question calls the word.
	 * The caller frees `*answer`. Returns false if the user gives no word.
	 * The pointer is NULL where there is no prompt. */
	bool (*ask)(void *context, const char *name, const char *before,
		    char **answer);
	/* Is the user at a prompt? The program then gets a process group of its
	 * own, and a Ctrl-C that the program receives returns the user to the
	 * prompt. */
	bool interactive;
	/* Are commands read from standard input? The program then gets
	 * /dev/null as its standard input. */
	bool stdin_is_commands;
	/* Does the program run on while its users do other things, also if the
	 * tool has started it? Then an interruption or the end of a duration
	 * does not stop the program, and session_continue() waits for the
	 * program only if it was given a duration. */
	bool program_runs_on;
};

/* Makes a session without a program. `ui` is copied. The caller calls
 * session_destroy(). */
struct session *session_create(const struct session_ui *ui);

/* Frees the session. Kills a launched program that still runs, and detaches
 * from an attached program. */
void session_destroy(struct session *session);

/* ---- the program ------------------------------------------------------- */

/* Chooses the program that session_run() starts. The name is searched in PATH
 * as a shell does. Errors: ERROR_NO_PROGRAM, ERROR_NOT_EXECUTABLE, and
 * ERROR_BAD_FILE if the file is not a program that can be measured; the message
 * says why. */
struct error *session_set_program(struct session *session, const char *name);
/* Returns the path of the program, or NULL if none was chosen. The session owns
 * the text. */
const char *session_program(const struct session *session);
/* Sets the arguments with which session_run() starts the program. The texts are
 * copied. */
void session_set_args(struct session *session, const char *const *args,
		      size_t count);
/* Sets a variable in the environment of programs that session_run() starts
 * later. */
void session_set_env(struct session *session, const char *name,
		     const char *value);
/* Sets the whole environment of programs that session_run() and session_start()
 * start later, a list that ends with NULL. The texts are copied. NULL: the
 * environment is that of the tool, as at first. What session_set_env() has set
 * is added to either. */
void session_set_environment(struct session *session,
			     const char *const *environment);
/* Appends a directory to the list of directories in which source files are
 * searched. */
void session_add_directory(struct session *session, const char *directory);
/* Adds a directory in which the tool searches separate files of debug
 * information, for a program whose own file does not have the debug
 * information. The session reads the program's file again. */
struct error *session_add_debug_directory(struct session *session,
					  const char *directory);
/* Sets what the memo calls the root configuration: `name` must be the name of
 * the program. From now on the tool looks names up in the whole program. `out`
 * gets a line for the user. */
struct error *session_set_root(struct session *session, const char *name,
			       struct str *out);
/* Sets what the memo calls the module context: the names of places are looked
 * up in this source file or library first. NULL: names are looked up in the
 * whole program and its libraries. */
struct error *session_set_context(struct session *session, const char *name,
				  struct str *out);
/* Appends one line about the file of the program, for example "sort: symbols,
 * no debug information; ...". Appends nothing if there is no program. */
void session_describe_program(struct session *session, struct str *out);
/* Lists the program and its libraries, one line each: the load bias, the path
 * of the file, and what the tool knows of the module. */
void session_list_modules(struct session *session, struct str *out);
/* Lists functions, one line each: the size, the module, the name, the source
 * line where the function is written, and the number of calls if a node counts
 * them. `pattern` is a pattern as `time` takes it. NULL: all functions of the
 * program, or of the module context if one is set. */
struct error *session_list_functions(struct session *session,
				     const char *pattern, struct str *out);

/* Lists static probes (sys/sdt.h), one line each: the address, the module, the
 * place `probe:PROVIDER:NAME`, and where its arguments are. `pattern` is
 * PROVIDER:NAME or NAME, either possibly a glob; NULL: all probes of the
 * program and of its libraries. Before the program runs, the libraries are
 * those that it is linked with, and the addresses are those in the files. */
struct error *session_list_probes(struct session *session, const char *pattern,
				  struct str *out);

/* Tells the user which files with code or debug information could not be read
 * since the last call, and why. */
void session_check_files(struct session *session);

enum stop_reason {
	STOP_EXITED,      /* the program has ended, with the exit status
			   * `status` */
	STOP_SIGNALED,    /* the signal `signal` has killed the program */
	STOP_BREAKPOINT,  /* thread `tid` has reached the breakpoint
			   * `breakpoint` */
	STOP_INTERRUPTED, /* the user has interrupted the run */
	STOP_DURATION,    /* the duration that the user gave is over */
	STOP_DETACHED,    /* the program goes on without the tool */
	STOP_RUNS_ON,     /* no stop: the program goes on, and is measured */
};

struct session_stop {
	enum stop_reason reason;
	int status, signal;
	uint32_t breakpoint;
	pid_t pid, tid;
	/* The user has asked for the end of the run. `reason` may be another
	 * one, because the program has ended before the tool stopped it. */
	bool is_asked;
};

/* Appends one line that describes the stop, for example "Breakpoint 1, main ()
 * at x.c:7". */
void session_describe_stop(struct session *session,
			   const struct session_stop *stop, struct str *out);

/* Starts the program and lets it run until a stop, which `*stop` describes. If
 * `args` is NULL, the arguments of session_set_args() are used. `input` and
 * `output` are the names of files for the program's standard input and output;
 * they may be NULL. `duration_ns` limits the run; 0 means no limit.
 *
 * The tool detaches from a program that executes another program which is not
 * measured. Unless there is a prompt, the tool then waits for the end of the
 * process, and that end is the stop. If the user interrupts, or the duration is
 * over, while the tool waits, the process goes on by itself. */
struct error *session_run(struct session *session, const char *const *args,
			  size_t arg_count, const char *input,
			  const char *output, uint64_t duration_ns,
			  struct session_stop *stop);

/*
 * Starts the program as session_run() does, but does not wait for it: the
 * program runs on while the caller does other things, as an attached program
 * does, and the caller calls session_serve() and session_go_on(). If `held` is
 * true, the program stands still before its first instruction until the first
 * session_go_on() after session_let_begin().
 *
 * `*stopped`: the program has stopped or ended already, as `*stop` describes.
 */
struct error *session_start(struct session *session, bool held, bool *stopped,
			    struct session_stop *stop);
void session_let_begin(struct session *session);
/* Does the program stand still before its first instruction, because
 * session_let_begin() was not called yet? */
bool session_is_to_begin(const struct session *session);
/* Does the process of the program still live? A process that was killed while
 * it stood still is reported by session_serve() only after it could go on. */
bool session_is_alive(const struct session *session);

/* Continues the program until a stop, which `*stop` describes. `duration_ns`
 * limits the run; 0 means no limit. An interruption, or the end of the
 * duration, does not stop an attached program: that program runs on. */
struct error *session_continue(struct session *session, uint64_t duration_ns,
			       struct session_stop *stop);

/* Kills all measured processes with SIGKILL and reaps them. Returns an error if
 * no process is measured. */
struct error *session_kill(struct session *session);

/* Ends the program. Batch mode calls this at the end of `--for` and after a
 * Ctrl-C. A launched program gets a SIGINT and some time to end by itself; a
 * second request of the user ends this wait. If the program has not ended then,
 * it gets a SIGKILL. The tool detaches from an attached program. */
struct error *session_end_program(struct session *session,
				  struct session_stop *stop);

/* Is any process measured, the program itself or a child of the program? */
bool session_has_process(const struct session *session);
/* Returns the pid of the main process. If the main process has ended, returns
 * the pid of a child that still runs. Returns 0 if no process is measured. */
pid_t session_pid(const struct session *session);
/* Returns the pid of a measured process, the first of which has the index 0, or
 * 0 if there are not so many. */
pid_t session_process_at(const struct session *session, size_t index);
/* What stands for the parts of a name of a file: the number and the rank of the
 * main process, also after its end, and the machine. The session owns the
 * text. */
void session_name_parts(struct session *session, struct name_parts *out);
/* Has the program run for the user in this session: was it started by
 * session_run(), continued by session_continue(), or left to itself by
 * session_detach()? */
bool session_was_run(const struct session *session);

/*
 * Attaches to a running process and all of its threads. The process runs on,
 * also while the user enters commands. If the tool is attached to other
 * processes already, the new process is measured beside them. An error says why
 * the tool cannot attach. `out` gets the time for which the processes stood
 * still.
 */
struct error *session_attach(struct session *session, pid_t pid,
			     struct str *out);
/* Gives the user a remark if the process has children that are not measured. */
void session_note_children(struct session *session, pid_t pid);
/* Attaches also to the present descendants of `pid`, a process that the tool is
 * attached to (0: the main process). If the tool cannot attach to one of the
 * descendants, the user gets a remark, and the tool measures the others. */
struct error *session_attach_children(struct session *session, pid_t pid,
				      struct str *out);

/* Detaches from all measured processes, attached or launched. The processes go
 * on by themselves, and every byte of their code is as it was before the tool
 * came. `out` (may be NULL) gets the time for which the processes stood still.
 */
struct error *session_detach(struct session *session, struct str *out);

/* Did the tool attach to the present program (or, if no program is present, to
 * the last one)? */
bool session_is_attached(const struct session *session);

/*
 * Handles the events of an attached program while the tool waits for something
 * else, for example for a key or for the next line of a script. The attached
 * program runs during such a wait, so the code that waits must call this
 * function.
 *
 * The function returns when `enough` returns true. The session calls `enough`
 * about fifty times a second and after every signal. The function also returns
 * if a breakpoint has stopped the program, or if the program has ended: then it
 * sets `*stopped`, and the caller tells the user of `*stop`. The function
 * returns at once if no program runs.
 */
typedef bool session_enough_fn(void *context);
struct error *session_serve(struct session *session, session_enough_fn *enough,
			    void *context, bool *stopped,
			    struct session_stop *stop);
/* The session calls `loaded` when the program has loaded libraries, before it
 * executes their code. The function may look at modules and functions, and may
 * time functions by session_time(). NULL: nothing is called any more. */
typedef void session_loaded_fn(void *context);
void session_on_libraries(struct session *session, session_loaded_fn *loaded,
			  void *context);
/* Lets session_serve() ask `enough` at once when the file can be read or
 * written, and not only about fifty times a second. The file becomes
 * non-blocking. */
void session_wake_at(struct session *session, int fd);
/* Returns the number of a signal which, when it is sent to the thread that
 * calls this function, has session_serve() and session_continue() look around
 * at once. A signal that comes just before a wait begins is noticed at the next
 * tick. */
int session_wake_signal(struct session *session);
/* The caller expects that such a file can be read soon: session_serve() then
 * asks `enough` again after a tenth of a millisecond, and after ever longer
 * times until it asks as often as usual. */
void session_expect(struct session *session);
/* Returns how many events of the program the session has handled so far. A
 * caller of session_serve() can see by it whether the program needs the tool.
 */
uint64_t session_events(const struct session *session);
/* Does the program run while commands are entered, because it was attached to
 * or started by session_start()? It may stand still for the present command. */
bool session_runs_on(const struct session *session);

/* Waits for the end of a child process that the caller has started. The caller
 * must use this function instead of waitpid(2), because session_serve() may
 * have collected the child's end already. */
void session_reap(pid_t pid);

/*
 * Ends a command. If the program runs while the user enters commands, and had
 * to stand still for this command, the program continues. `*stood` gets the
 * time in ns for which the program stood still; 0 means that it did not.
 * `*stopped` and `*stop` are as for session_serve().
 */
struct error *session_go_on(struct session *session, uint64_t *stood,
			    bool *stopped, struct session_stop *stop);

/* Tells how the last program ended. Returns false if no program has ended. */
bool session_last_end(const struct session *session, struct session_stop *end);

/* session_list_processes() lists the measured processes, session_list_threads()
 * their threads. An empty list is no error. */
struct error *session_list_processes(struct session *session, struct str *out);
struct error *session_list_threads(struct session *session, struct str *out);
/* Chooses the thread that `where`, frames and expressions refer to. */
struct error *session_select_thread(struct session *session, pid_t tid);
/* Lists the frames of the chosen thread, innermost first, one a line. The
 * program stands still for this. */
struct error *session_where(struct session *session, struct str *out);
/* Chooses the frame, by its number in the list of session_where(), that
 * expressions and listings refer to until the thread moves. NULL: the choice is
 * not changed. The function appends the frame as a line of `where`. */
struct error *session_frame(struct session *session, const uint32_t *number,
			    struct str *out);
/* Lists the arguments and the local variables of the chosen frame, one a line.
 */
struct error *session_list_locals(struct session *session, struct str *out);
/* Lists source lines. `location` NULL: the lines around the place where the
 * thread stopped, or the lines that follow the last listing. */
struct error *session_list_source(struct session *session, const char *location,
				  struct str *out);
/* Appends the value of an expression, which is evaluated in the chosen frame.
 * If no program runs, the values come from the program's file. */
struct error *session_evaluate(struct session *session, const char *expression,
			       struct str *out);

/* session_set_follow_fork(): does the tool measure child processes, too?
 * session_set_follow_exec(): does the tool go on measuring a process that
 * executes another program? */
void session_set_follow_fork(struct session *session, bool on);
void session_set_follow_exec(struct session *session, bool on);

/* Restricts what counts to the hits of one process or one thread. 0: the hits
 * of all processes or threads count. */
struct error *session_track_process(struct session *session, pid_t pid);
struct error *session_track_thread(struct session *session, pid_t tid);

/* Which threads count, besides that choice. THREAD_AS_DEFAULT: as
 * session_use_threads() says of all threads without a choice of their own. */
enum thread_use { THREAD_AS_DEFAULT, THREAD_USED, THREAD_IGNORED };
struct error *session_use_thread(struct session *session, pid_t tid,
				 enum thread_use use);
struct error *session_use_threads(struct session *session, bool used);
/* Does the thread count? */
bool session_uses_thread(const struct session *session, pid_t tid);
/* Is there a thread that does not count because of these functions, or could
 * there be one? */
bool session_chooses_threads(const struct session *session);

/* ---- breakpoints ------------------------------------------------------- */

enum break_kind {
	BREAK_PLACE,
	BREAK_ENTRY, /* the entry of a function whose exits are breakpoints, too
		      */
	BREAK_EXIT,
	BREAK_RETURN,
	BREAK_BEGIN, /* the entry of a function and the entries of its inlined
		      * copies */
	BREAK_BLOCKS,
	/* Calls of functions. The place is `CALLEE`, `allocations`, `sync
	 * test`, `sync enter` or `sync exit`, with or without ` in FUNC`. */
	BREAK_CALLS,
	BREAK_ALLOCATIONS,
	BREAK_SYNC_TEST,
	BREAK_SYNC_ENTER,
	BREAK_SYNC_EXIT
};

/* Sets a breakpoint at the place `location`. `condition` may be NULL.
 * `mechanism` may be NULL, or is one of the values of the setting `mechanism`.
 * `*id` gets the number of the breakpoint, and `out` gets a text that says what
 * was done. */
struct error *session_break(struct session *session, enum break_kind kind,
			    const char *location, const char *mechanism,
			    const char *condition, uint32_t *id,
			    struct str *out);

/* Sets a watchpoint: writes to the object that the expression `text` means
 * count (with `reads`, accesses to it). The object is a global variable or a
 * part of one, or, while the program is stopped, what the expression means in
 * the chosen frame. The rest is as for session_break(). */
struct error *session_watch(struct session *session, const char *text,
			    bool reads, const char *condition, uint32_t *id,
			    struct str *out);

/* Sets the condition of a breakpoint. NULL removes the condition of a
 * breakpoint that is no node; a node gets the condition 1 instead. */
struct error *session_condition(struct session *session, uint32_t id,
				const char *condition, struct str *out);
/* `attach condition` of the memo: the condition does not filter hits. The
 * condition names the variable whose values a histogram counts, unless `set
 * conditions` says otherwise. */
struct error *session_attach_condition(struct session *session, uint32_t id,
				       const char *condition, struct str *out);
/* Gives the condition 1 to every breakpoint that has no condition. */
struct error *session_condition_breaks(struct session *session,
				       struct str *out);
/* session_delete_break() deletes one breakpoint, the other function all
 * breakpoints. If a deleted breakpoint is a node, its row in the node table
 * stays. */
struct error *session_delete_break(struct session *session, uint32_t id);
struct error *session_delete_breaks(struct session *session);
/* Removes a breakpoint that a caller has made for something that is refused. If
 * nothing was counted at it, it leaves neither a row nor its number. */
struct error *session_take_back_break(struct session *session, uint32_t id);
struct error *session_enable_break(struct session *session, uint32_t id,
				   bool enabled);
/* Lists the breakpoints with their places. */
void session_list_breaks(struct session *session, struct str *out);

/* ---- nodes, legs, histograms ------------------------------------------- */

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
void session_set_add(struct session *session, bool successor);
/* `track`: which legs a hit of a node counts in: in none; only in the leg from
 * the node that the thread hit before; or in all legs of the node. */
void session_set_track(struct session *session, enum measure_track track);

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
void session_initialize_tables(struct session *session);
/* `zero tables`: sets all counts, times and histograms to 0, and keeps the
 * rows.
 */
void session_zero_tables(struct session *session);

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

/* ---- settings ---------------------------------------------------------- */

enum setting_type {
	SETTING_SWITCH, /* on or off */
	SETTING_CHOICE, /* one of several words */
	SETTING_NUMBER, /* a whole number */
	SETTING_DURATION,
	SETTING_DECIMAL, /* a number, which may have a fraction */
	SETTING_TEXT,
};

/*
 * A setting. The table in src/session/settings/settings.c is the only list of
 * settings: `set`, `show`, `help`, completion, the man page and the settings in
 * the tables are made from it. The value of a setting is a number: true or
 * false for a switch, the index of the word for a choice, the ns for a
 * duration, millionths for a decimal. Only the value of a SETTING_TEXT is a
 * text.
 */
struct session_setting {
	const char *name;
	enum setting_type type;
	/* The values that the setting may have: "on|off" and the like for a
	 * switch and a choice. For the other types it is a word for the usage,
	 * for example "NUMBER". */
	const char *values;
	int64_t least, most; /* limits of a number, a duration or a decimal */
	const char *zero;    /* the word that the user reads and types for 0;
			      * NULL: "0" */
	int64_t initial;     /* the value in a new session */
	const char *summary; /* what the setting is for, as one clause */
	const char *help;    /* further explanation, or NULL */
	/* The command that sets the setting. NULL: `set NAME VALUE` sets it. */
	const char *set_by;
	/* Do the tables leave this setting out? */
	bool is_left_out;
	/* Must the program stand still while the setting changes? */
	bool needs_still;

	/* The member of struct session that stores the value. The member may be
	 * a bool, an enumeration or an integer. Size 0: no member stores the
	 * value. */
	struct {
		size_t offset, size;
	} field;
	/* If no member stores the value, `get` returns the value and `set`
	 * changes it. */
	int64_t (*get)(const struct session *session);
	void (*set)(struct session *session, int64_t value);
	/* If the setting is a SETTING_TEXT, `get_text` appends the value to
	 * `out`, and `set_text` changes it. */
	void (*get_text)(struct session *session, struct str *out);
	struct error *(*set_text)(struct session *session, const char *text);
	/* Appends what `show NAME' says besides the value. May be NULL. */
	void (*describe)(struct session *session, struct str *out);
	/* Passes the new value to the layer that uses it. May be NULL. */
	void (*changed)(struct session *session);
};

/* Returns the settings that `set NAME VALUE` sets, by index from 0, sorted by
 * name. Returns NULL for an index after the last setting. */
const struct session_setting *session_setting_at(size_t index);

/* session_set() sets the setting `name` to the text that the user has typed.
 * session_show() lists the settings that `name` means; NULL: all settings. */
struct error *session_set(struct session *session, const char *name,
			  const char *value);
struct error *session_show(struct session *session, const char *name,
			   struct str *out);
/* Appends the value of the one setting that has this name, as the user would
 * type it. Returns ERROR_USAGE if there is no such setting. */
struct error *session_setting_text(struct session *session, const char *name,
				   struct str *out);
/* Returns the format in which tables are printed. */
enum report_format session_format(const struct session *session);
/* Returns the columns of tables that the user has chosen: `auto', `memo', or
 * the names of columns as report_choose_columns() takes them. */
const char *session_columns(const struct session *session);

/* ---- completion -------------------------------------------------------- */

enum complete_what {
	COMPLETE_FUNCTION, /* functions, and source files in the form FILE: */
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
/* Calls `visit` for each name of the kind `what` that begins with `prefix`,
 * until `visit` returns false. These are the candidates for completing a word.
 */
void session_complete(struct session *session, enum complete_what what,
		      const char *prefix, session_visit_fn *visit,
		      void *context);

#endif
