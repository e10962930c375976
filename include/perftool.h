/*
 * perftool.h - libperftool: measures programs from another program
 *
 *	cc -o mine mine.c $(pkg-config --cflags --libs libperftool)
 *
 * A session measures one program, which it launches or attaches to. The session
 * works as the tool `perftool` does: breakpoints, nodes, legs and histograms
 * are made by lines of the tool's command language, perftool_session_command(),
 * and can be read as data.
 *
 * Errors. A function that can fail returns NULL if it has not failed. Otherwise
 * it returns an error, which the caller destroys. A function that has failed
 * leaves its results (the trailing parameters) as they were, unless its comment
 * says otherwise. A pointer that must not be NULL, and is, is an error, too;
 * only the functions that return figures need valid pointers.
 *
 * Texts. What the measured program has chosen, such as names of functions,
 * files and threads, can have characters that a terminal takes as orders. In
 * messages, in the output of commands, in events and in the figures of legs and
 * nodes they are '?'. JSON and CSV have them as they are; perftool_printable()
 * is for a program that prints texts from there.
 *
 * Ownership. Texts and objects of type `const ... *` belong to the library. A
 * `char **` gets a text that the caller frees with free(3).
 *
 * Threads. Each session has a thread of its own, which is created with the
 * session. Any thread may call any function of a session; the calls of several
 * threads wait for each other. Only perftool_session_interrupt() does not wait.
 * While no function is being called, the session's thread serves the processes
 * that the session is attached to, so that they go on.
 *
 * The process. The library does not end the process, prints nothing, and
 * changes the disposition of no signal but SIGSTKFLT, which it directs to its
 * own thread. It ends the process by abort(3) if there is no memory left, as
 * the C library does in such cases. It raises the soft limit of open files to
 * the hard limit. While a session has launched a program, other code of the
 * process must not wait for children in general (waitpid(-1, ...)), because it
 * would take what the session waits for. A child that was made by fork(2)
 * cannot use the sessions of its parent: their functions return an error there.
 */
#ifndef PERFTOOL_H
#define PERFTOOL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "perftool/mark.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Returns the version of the library that is in use, for example "0.1.0". */
const char *perftool_version(void);

/* Returns a copy of a text as a terminal may get it: with '?' in place of each
 * control character but tabs and the ends of lines, and of each character that
 * turns the direction of writing. The caller frees it; NULL: `text` is NULL. */
char *perftool_printable(const char *text);

/* ---- errors -------------------------------------------------------------- */

struct perftool_error;

enum perftool_error_code {
	PERFTOOL_ERROR_OTHER,     /* none of the others */
	PERFTOOL_ERROR_USAGE,     /* the form of a command, or an argument */
	PERFTOOL_ERROR_SYSTEM,    /* a system call has failed */
	PERFTOOL_ERROR_NOT_FOUND, /* no such function, file, node, leg */
	PERFTOOL_ERROR_BAD_FILE,  /* a file is corrupt, or of another kind */
	PERFTOOL_ERROR_NOT_EXECUTABLE, /* the program cannot be executed */
	PERFTOOL_ERROR_NO_PROGRAM,     /* the program was not found */
	PERFTOOL_ERROR_EVALUATE,       /* an expression has no value here */
	PERFTOOL_ERROR_GONE,           /* a thread or a process has ended */
	PERFTOOL_ERROR_INTERRUPTED,    /* perftool_session_interrupt() */
};

/* Returns what kind of error it is. */
enum perftool_error_code
perftool_error_code(const struct perftool_error *error);
/* Returns the message: one line without a newline. The error owns it. */
const char *perftool_error_message(const struct perftool_error *error);
/* Frees an error. Does nothing if `error` is NULL. */
void perftool_error_destroy(struct perftool_error *error);

/* ---- sessions ------------------------------------------------------------ */

struct perftool_session;

/* Makes a session without a program. The caller destroys `*session`. */
struct perftool_error *
perftool_session_create(struct perftool_session **session);

/* Ends a session. Kills a program that the session has launched and that still
 * runs, and detaches from a process that it has attached to, which then goes on
 * as if it had never been measured. Calls that other threads are in are
 * interrupted, and later ones return an error. Several threads may close a
 * session; each returns when it has ended. Only perftool_session_destroy()
 * frees the session and the figures of its legs and nodes. */
struct perftool_error *perftool_session_close(struct perftool_session *session);

/* Closes a session that is still open, and frees it. No other thread may be in
 * a function of the session. Does nothing if `session` is NULL, in a handler of
 * events, and in a child that was made by fork(2). */
void perftool_session_destroy(struct perftool_session *session);

/*
 * Starts a program, which then stands still before its first instruction until
 * perftool_session_run() lets it run. `path` is searched in PATH if it has no
 * slash. `argv` ends with NULL; its first element is not used, because the
 * program is called by `path`; `argv` NULL: there are no arguments. `envp` ends
 * with NULL; `envp` NULL: the program gets the environment of this process.
 *
 * A session may launch one program after another; the counts of its nodes and
 * legs add up, unless they are zeroed (command `zero tables`).
 */
struct perftool_error *perftool_session_launch(struct perftool_session *session,
					       const char *path,
					       char *const argv[],
					       char *const envp[]);

/* Attaches to a process, which runs on. Its user must be that of this process,
 * or this process must have the right to trace it (ptrace(2)). */
struct perftool_error *perftool_session_attach(struct perftool_session *session,
					       pid_t pid);

/* Runs one line of the command language. `*output` gets what the command has
 * printed and said, which may be the empty text; `output` may be NULL. If the
 * command fails, `*output` becomes NULL. */
struct perftool_error *
perftool_session_command(struct perftool_session *session, const char *command,
			 char **output);

/*
 * Carries out an operation, as front ends of `perftool serve` ask for it.
 * `request` is an object of JSON with the name of the operation in lower case
 * and its parameters: {"method": "setdetail", "params": {...}}. `*reply` gets
 * the result as JSON, {} if there is none; `reply` may be NULL. If the
 * operation fails, `*reply` becomes NULL. doc/PROTOCOL.md lists the operations.
 * What they make belongs to the session, also with the parameter `own`.
 * REPORTTIME and SHOWSTACK make events, and are refused if no handler hears of
 * these.
 *
 * PERFTOOL_ERROR_USAGE: the request or a parameter has the wrong form.
 * PERFTOOL_ERROR_NOT_FOUND: also if there is no such operation.
 */
struct perftool_error *
perftool_session_operation(struct perftool_session *session,
			   const char *request, char **reply);

/*
 * Turns the monitor on and lets the program run for `ns` nanoseconds; -1: to
 * its end; 0: only turns the monitor on. A launched program stands still again
 * after that time; a process that was attached to runs on and is measured. The
 * program does not stop at breakpoints that have no condition: each such stop
 * is an event, and the program goes on. PERFTOOL_ERROR_INTERRUPTED:
 * perftool_session_interrupt() has ended the run.
 */
struct perftool_error *perftool_session_run(struct perftool_session *session,
					    int64_t ns);

/* Lets the processes go that are being measured, launched or attached to. They
 * go on as if they had never been measured. `*text` gets a line that says so,
 * with the time for which they stood still; `text` may be NULL. An error says
 * that nothing is being measured. */
struct perftool_error *perftool_session_detach(struct perftool_session *session,
					       char **text);

/* Ends the program: one that was launched gets a SIGINT and, if it has not
 * ended after 2 seconds, a SIGKILL. A process that was attached to is let go,
 * as by perftool_session_detach(), and `*text` is as there; it is else the
 * empty text. */
struct perftool_error *perftool_session_end(struct perftool_session *session,
					    char **text);

/* Gives a setting of the command `set` another value. */
struct perftool_error *perftool_session_set(struct perftool_session *session,
					    const char *name,
					    const char *value);

/* Finds what the last word of `line`, the beginning of a command, may be
 * completed to. `*words` gets the candidates, sorted, with NULL at the end; the
 * caller frees them with perftool_words_destroy(). `*start` gets the index in
 * `line` at which the word begins that a candidate replaces. */
struct perftool_error *
perftool_session_complete(struct perftool_session *session, const char *line,
			  size_t *start, char ***words);
/* Does nothing if `words` is NULL. */
void perftool_words_destroy(char **words);

/* Ends the run, or the command, that another thread is in, or the next one if
 * there is none. May be called from a handler of a signal. */
void perftool_session_interrupt(struct perftool_session *session);

/* `*pid` gets the pid of the main process; 0: no process is being measured. */
struct perftool_error *perftool_session_pid(struct perftool_session *session,
					    pid_t *pid);

/* `*status` gets the exit status of the program as a shell has it: 128 plus the
 * number of the signal if a signal has ended it. An error says that no program
 * has ended. */
struct perftool_error *
perftool_session_exit_status(struct perftool_session *session, int *status);

/* `*json` gets all tables as one JSON object, whose members are those of the
 * command `save tables FILE.json`. */
struct perftool_error *perftool_session_tables(struct perftool_session *session,
					       char **json);

/* ---- events -------------------------------------------------------------- */

enum perftool_event_kind {
	/* A remark: `text` is one line. */
	PERFTOOL_EVENT_NOTE,
	/* The program has stopped, or has ended: `text` says where or how. */
	PERFTOOL_EVENT_STOP,
	/* The program runs, and was measured for `elapsed_ns`; the nodes have
	 * been hit `hits` times. Such an event comes about ten times a second
	 * during perftool_session_run(). */
	PERFTOOL_EVENT_PROGRESS,
	/* A report, or a dump of all stacks, is due, because an operation has
	 * set REPORTTIME or SHOWSTACK: `text` is what the operation REPORT or
	 * SHOWSTACK replies, as JSON. Such events come while the program runs.
	 * A launched program stands still meanwhile, and executions of legs
	 * that are under way are interrupted; one that was attached to runs on.
	 */
	PERFTOOL_EVENT_REPORT,
	PERFTOOL_EVENT_DUMP,
};

struct perftool_event {
	enum perftool_event_kind kind;
	const char *text;    /* valid during the call; NULL: there is none */
	uint64_t elapsed_ns; /* measured time */
	uint64_t hits;
};

typedef void perftool_event_fn(void *context,
			       const struct perftool_event *event);

/* From now on calls `handler` for each event; NULL: for none. Reports and dumps
 * that the handler before has asked for end. The session calls
 * it on its own thread. The handler must return soon, because the program may
 * wait for it. It may call no function of the session but
 * perftool_session_interrupt(): the others return an error there. */
struct perftool_error *
perftool_session_on_event(struct perftool_session *session,
			  perftool_event_fn *handler, void *context);

/* ---- legs and nodes ------------------------------------------------------ */

/*
 * The figures of a leg or a node are a copy, made when
 * perftool_session_leg() and the like are called; a later call for the same leg
 * renews the figures in the same object. The object lives until the next
 * perftool_session_run() or until the session is destroyed.
 */
struct perftool_leg;
struct perftool_node;

/* A part of a distribution: so many values from `from`, less than `to`. */
struct perftool_bucket {
	double from, to;
	uint64_t count;
};

/* `*leg` gets the leg with this number, which `print legs` shows. */
struct perftool_error *perftool_session_leg(struct perftool_session *session,
					    uint32_t id,
					    const struct perftool_leg **leg);
/* `*leg` gets the leg at `index`, in the order of the numbers, from 0; NULL
 * after the last one. */
struct perftool_error *perftool_session_leg_at(struct perftool_session *session,
					       size_t index,
					       const struct perftool_leg **leg);

uint32_t perftool_leg_id(const struct perftool_leg *leg);
/* The name that `print legs` shows; the places of the nodes *from* and *to*, or
 * NULL if that node was deleted. */
const char *perftool_leg_name(const struct perftool_leg *leg);
const char *perftool_leg_from(const struct perftool_leg *leg);
const char *perftool_leg_to(const struct perftool_leg *leg);
/* How many executions have ended. */
uint64_t perftool_leg_count(const struct perftool_leg *leg);
/* Times of all executions together and of one, in ns, from which the cost of
 * the measurement is subtracted. The least and the longest time, the mean and
 * the quantiles are 0 while there are no executions. The total is signed: of
 * executions that are shorter than what is known of the cost of hits it may be
 * below 0. */
int64_t perftool_leg_total_ns(const struct perftool_leg *leg);
int64_t perftool_leg_min_ns(const struct perftool_leg *leg);
int64_t perftool_leg_max_ns(const struct perftool_leg *leg);
double perftool_leg_mean_ns(const struct perftool_leg *leg);
double perftool_leg_stddev_ns(const struct perftool_leg *leg);
/* The time below which the part `q` (0 to 1) of the executions stays. */
double perftool_leg_quantile_ns(const struct perftool_leg *leg, double q);
/* The distribution of the times, in ns: those parts that are not empty, the
 * shortest times first. Returns how many there are; `*buckets` gets the first.
 * The leg owns them. */
size_t perftool_leg_buckets(const struct perftool_leg *leg,
			    const struct perftool_bucket **buckets);

/* The same for nodes. The number is that of the breakpoint. */
struct perftool_error *perftool_session_node(struct perftool_session *session,
					     uint32_t id,
					     const struct perftool_node **node);
struct perftool_error *
perftool_session_node_at(struct perftool_session *session, size_t index,
			 const struct perftool_node **node);

uint32_t perftool_node_id(const struct perftool_node *node);
/* How often threads have reached the node with its condition true. */
uint64_t perftool_node_count(const struct perftool_node *node);
/* How often its condition or its value could not be evaluated. */
uint64_t perftool_node_errors(const struct perftool_node *node);
/* The place as the user wrote it, the function, the file and the line of the
 * source; NULL or 0 if that is not known. */
const char *perftool_node_location(const struct perftool_node *node);
const char *perftool_node_function(const struct perftool_node *node);
const char *perftool_node_file(const struct perftool_node *node);
uint32_t perftool_node_line(const struct perftool_node *node);
/* The distribution of the node's values, if the command `add histogram` has
 * given it a histogram; else there are no parts. */
size_t perftool_node_buckets(const struct perftool_node *node,
			     const struct perftool_bucket **buckets);

/* ---- from inside --------------------------------------------------------- */

/*
 * spy_start() begins to measure the calling process itself: a `perftool serve`
 * of this process takes samples of what its threads do on the CPU, until
 * spy_stop(). spy_start() uses a server that is attached to this process
 * already, or starts one (the program `perftool` in PATH, or the one that the
 * environment variable PERFTOOL names), which stays until this process ends.
 * Samples of several stretches add up.
 *
 * Both return 0, or -1 with errno: ENOENT: there is no perftool to start;
 * EALREADY: the stretch has begun already, or, for spy_stop(), it has not
 * begun; ETIMEDOUT: the server does not answer; EPERM: it may not attach, or
 * the folder of its socket could be another user's; EIO: it has refused. Any
 * thread may call them; the calls wait for each other. In a child that the
 * process forks after spy_start(), spy_start() fails with EPERM, because the
 * server of the parent measures the child, too.
 *
 * spy_command() has the same server run a line of the command language, for
 * example `print flat`; `*output` is as for perftool_session_command(). It
 * returns as the others do; EIO: the command has failed, and `*output` is the
 * message.
 */
int spy_start(void);
int spy_stop(void);
int spy_command(const char *line, char **output);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
