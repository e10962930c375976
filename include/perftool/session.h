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

struct session_ui;

struct session;

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
/* Waits until `enough` returns true, and returns true; or false, if the wait
 * must end before that. */
typedef bool session_wait_fn(void *context, session_enough_fn *enough,
			     void *enough_context);
/* While `wait` is set, session_serve() and session_continue() with a duration
 * do not handle the events of the program themselves: they call this function,
 * whose caller goes on to serve the program and others. Others may end the
 * program meanwhile, or do anything else. It is for a program that others want
 * to run. NULL: they wait themselves. */
void session_set_wait(struct session *session, session_wait_fn *wait,
		      void *context);
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

#endif
