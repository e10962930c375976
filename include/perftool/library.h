/*
 * library.h - what a user interface needs of a session of the library, besides
 * the functions of perftool.h
 *
 * The functions of perftool.h are for programs that measure others. A session
 * of perftool_session_create_here() has a user: it asks questions, takes turns
 * with the program at the terminal, and writes what commands print to a file.
 * It has no thread of its own: the session works on the thread that has made
 * it, while one of its functions is being called. No other thread may call a
 * function of the session but perftool_session_interrupt(). The callbacks of
 * such a session may call its functions, and so may the handler of events.
 *
 * The functions of this header are for such sessions only. They are not a part
 * of libperftool.so. Errors are those of the base layer; the caller destroys
 * them. Text is appended to a `struct str`, in whole lines.
 */
#ifndef PERFTOOL_LIBRARY_H
#define PERFTOOL_LIBRARY_H

#include <perftool.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "perftool/base/error.h"
#include "perftool/base/str.h"

/* Returns the error of a function of perftool.h as one of the base layer. It is
 * the same object. */
struct error *perftool_error_cause(struct perftool_error *error);

/* ---- the user ------------------------------------------------------------ */

/* What the session needs of the user interface. Each pointer may be NULL: then
 * the session does without, and the user answers every question with no.
 * Remarks, stops and progress are events (perftool_session_on_event()). */
struct perftool_user {
	void *context;
	/* The program is about to run, and the session is about to wait for it;
	 * the program has stopped. The user interface then gives the terminal
	 * to the program, and takes it back. `group` is the program's process
	 * group; 0 means that the program has nothing to do with the terminal.
	 */
	void (*program_runs)(void *context, pid_t group);
	void (*program_stopped)(void *context);
	/* Shows how far a command has come that may take long: it has done its
	 * work at `done` of `count` places. `what` says what it does, for
	 * example "making jumps". The session calls this often, and at the end
	 * with `done` equal to `count`. */
	void (*working)(void *context, const char *what, size_t done,
			size_t count);
	/* Writes tables if `due` is true (`every_ns` below), or if the user has
	 * asked for tables. The session calls this after every event of a run,
	 * and at least ten times a second while the program runs. Returns
	 * whether tables were written. */
	bool (*report)(void *context, bool due);
	/* Has the user asked to interrupt (Ctrl-C, SIGTERM)? The session asks
	 * this after every signal. The function returns true once for each
	 * request. */
	bool (*interrupted)(void *context);
	/* Would `interrupted` return true now? This function does not consume
	 * the user's request. Long computations call it, also from threads of
	 * their own. */
	bool (*interrupting)(void *context);
	/* `suspended`: has the user asked to suspend the tool (Ctrl-Z)? The
	 * function returns true once for each request. The session then stops
	 * the program and calls `suspend`, which suspends the tool and returns
	 * when the tool is continued. */
	bool (*suspended)(void *context);
	void (*suspend)(void *context);
	/* Waits until one of the events `events` of poll(2) happens to the file
	 * `fd`, or until the user has asked for something that one of the
	 * functions above reports. */
	void (*await)(void *context, int fd, short events);
	/* Waits until the file has room for more output: see struct writer. */
	bool (*await_room)(void *context, int fd, int milliseconds);
	/* The session calls this with `on` true just before it attaches to a
	 * process, and with `on` false when it has let go of the process.
	 * Between these two calls, nothing may stop the tool itself: the
	 * process would stand still at its next breakpoint. */
	void (*holds)(void *context, bool on);
	/* Asks the user a question that is answered by yes or no. `is_leaving`:
	 * it is the question whether to leave the tool, which the end of the
	 * input (Ctrl-D) answers with yes. */
	bool (*confirm)(void *context, const char *question, bool is_leaving);
	/* At a prompt: asks the user for a word that is missing after the
	 * command line `before`. `name` is what the question calls the word.
	 * The caller frees `*answer`. Returns false if the user gives no word.
	 */
	bool (*ask)(void *context, const char *name, const char *before,
		    char **answer);
	/* The session is about to write what a command has printed. */
	void (*before_output)(void *context);
};

struct perftool_options {
	struct perftool_user user;
	/* `output` gets what commands print: tables, lists, values, help.
	 * `messages` gets what says what commands did; NULL: nothing does. */
	FILE *output, *messages;
	/* Appends `text` to `out`, as a terminal that is `output` shall show
	 * it. May be NULL. */
	void (*lay_out)(FILE *output, const char *text, size_t length,
			struct str *out);
	/* May what commands print be coloured? */
	bool color;
	/* Is the user at a prompt? The program then gets a process group of its
	 * own, a Ctrl-C that the program receives returns the user to the
	 * prompt, and `quit` asks. */
	bool interactive;
	/* Are commands read from standard input? The program then gets
	 * /dev/null as its standard input. */
	bool stdin_is_commands;
	/* Does the program run on while its users do other things, also if the
	 * session has started it? */
	bool program_runs_on;
	/* perftool_session_measure() will run the program after the commands,
	 * unless the commands have run it. Expectations that come before that
	 * run are then checked at its end. */
	bool runs_later;
	/* How long the runs that commands make may take in all, in ns; 0: there
	 * is no limit. A program that reaches the limit is ended, or let go if
	 * the session has attached to it. */
	uint64_t time_limit_ns;
	/* Tables are due (see `report` above) each time that so much more was
	 * measured, in ns; 0: never. */
	uint64_t every_ns;
	/* Shall PERFTOOL_REPORT_SINCE_LAST be possible? */
	bool counts_intervals;
};

/* Makes a session that works on the caller's thread. `options` is copied; the
 * files must be open, and the context must exist, as long as the session. The
 * caller calls perftool_session_destroy(), on the same thread. */
void perftool_session_create_here(const struct perftool_options *options,
				  struct perftool_session **session);
/* Closes the files that commands have opened: the log and the trace. Returns an
 * error if one of them could not be written whole. */
struct error *perftool_session_close_files(struct perftool_session *session);

/* ---- the state ----------------------------------------------------------- */

struct perftool_state {
	bool has_program; /* was a program chosen? */
	bool has_process; /* is any process being measured? */
	/* Has the session attached to the present process or, if there is none,
	 * to the last one? */
	bool is_attached;
	/* The number of the main process, also after its end; 0: none was
	 * started. */
	pid_t pid;
	/* Does a process run while commands are entered, so that
	 * perftool_session_serve() must be called? */
	bool runs_on;
	/* Was the program started, and stands still before its first
	 * instruction until perftool_session_let_begin()? */
	bool is_held;
	/* Has the program run for the user: was it started, continued, or left
	 * to itself? */
	bool was_run;
	bool is_monitored; /* is the monitor on? */
	/* Are there breakpoints, or will there be some once the functions that
	 * a command names are loaded? */
	bool has_requests;
	/* Has a program ended, and no other was started? `exit_status` is then
	 * its status, as a shell has it. */
	bool has_ended;
	int exit_status;
	/* How many commands the user and scripts have given. */
	size_t commands;
	bool is_done; /* was the command `quit` given, by the user or by a front
		       * end? */
	/* Has the time limit ended the program, or let it go? Has the user done
	 * so, by an interruption where there is no prompt? Was a command run
	 * after that? */
	bool is_time_over, is_ended_by_user, ran_after_end;
	/* The command, in quotes, that shows a profile that was recorded and
	 * that no command has shown or saved; NULL: there is none. */
	const char *unseen_profile;
};

/* Fills `*state`. */
void perftool_session_state(struct perftool_session *session,
			    struct perftool_state *state);

/* ---- the program --------------------------------------------------------- */

/* Chooses the program that the command `run` starts. `argv` ends with NULL; its
 * first element is the name, which is searched in PATH if it has no slash.
 * Errors: ERROR_NO_PROGRAM, ERROR_NOT_EXECUTABLE, ERROR_BAD_FILE. */
struct error *perftool_session_load(struct perftool_session *session,
				    char *const argv[]);
/* Appends a line about the file of the program: has it symbols, and debug
 * information? Appends nothing if there is no program. */
void perftool_session_describe(struct perftool_session *session,
			       struct str *out);
/* Adds a directory in which separate files of debug information are searched.
 */
struct error *
perftool_session_add_debug_directory(struct perftool_session *session,
				     const char *directory);

/* Attaches to several processes and, if `children` is true, to the children
 * that they have. If it is not, remarks tell of the children. `out` gets what
 * was done, also if the function fails. */
struct error *perftool_session_attach_all(struct perftool_session *session,
					  const pid_t *pids, size_t count,
					  bool children, struct str *out);

/*
 * Measures the program until it ends or until `ns` have passed (0: no limit):
 * turns the monitor on, starts the program that was chosen or lets the present
 * process go on, passes over breakpoints that stop it, and ends it as
 * perftool_session_end() does. Each of these stops, and an end that is not an
 * ordinary one, is an event. `*in_time`: the time was over. If the process that
 * the session had attached to has ended already, does nothing.
 */
struct error *perftool_session_measure(struct perftool_session *session,
				       uint64_t ns, bool *in_time);

/* Turns the monitor on, and starts the program that was chosen, unless there is
 * a process. A program that is started stands still before its first
 * instruction until perftool_session_let_begin(), and then runs on while the
 * caller does other things. */
struct error *perftool_session_start(struct perftool_session *session);
void perftool_session_let_begin(struct perftool_session *session);
/* Has the time limit begin now, as interpreter_begin_limit() does. */
uint64_t perftool_session_begin_limit(struct perftool_session *session);
/* Does the process of the program still live? A process that was killed while
 * it stood still ends for the session only after it could go on. */
bool perftool_session_is_alive(const struct perftool_session *session);

/* Gives the user a remark of one line, as the session does: it is written to
 * the log, and is an event. */
void perftool_session_remark(struct perftool_session *session,
			     const char *text);

/* ---- while the caller does other things ---------------------------------- */

/* Handles the events of a process that runs on while the caller waits for
 * something else, until `enough` returns true; it is asked about fifty times a
 * second and after every signal. Returns also if the process has stopped or
 * ended: then `told` gets the lines that say so. Returns at once if no process
 * runs on. */
struct error *perftool_session_serve(struct perftool_session *session,
				     bool (*enough)(void *context),
				     void *context, struct str *told);

/* Lets perftool_session_serve() ask `enough` at once when the file can be read
 * or written. The file becomes non-blocking. */
void perftool_session_wake_at(struct perftool_session *session, int fd);
/* The caller expects that such a file can be read soon:
 * perftool_session_serve() then asks `enough` again after a tenth of a
 * millisecond, and after ever longer times until it asks as often as usual. */
void perftool_session_expect(struct perftool_session *session);
/* Returns how many events of processes the session has handled so far. The
 * function `enough` can see by it whether the program needs the tool. */
uint64_t perftool_session_events(const struct perftool_session *session);

/* Has the user, or perftool_session_interrupt(), asked to interrupt? The
 * first function returns true once for each request; the other one does not
 * consume the request. */
bool perftool_session_is_interrupted(struct perftool_session *session);
bool perftool_session_is_interrupting(struct perftool_session *session);

/* Front ends have the program from now on, and nobody is at a prompt to let it
 * go on: where the monitor is turned off, nodes are suspended, and do not stop
 * the program. */
struct error *perftool_session_keep_running(struct perftool_session *session);

/* Calls `work`, which may call functions of the session. Processes that stand
 * still for one of these calls go on only when `work` has returned. `told` gets
 * the lines that say so if a breakpoint has stopped the program meanwhile, or
 * if the program has ended. */
struct error *perftool_session_together(struct perftool_session *session,
					void (*work)(void *context),
					void *context, struct str *told);

/* An operation that its caller has left to wait for something, on a stack of
 * its own, is no call of the session meanwhile: the caller tells when it leaves
 * the operation, and when it goes on with it. */
void perftool_session_step_aside(struct perftool_session *session,
				 bool is_aside);

/* ---- operations ---------------------------------------------------------- */

struct caller;
struct json_object;
struct operation;

/* Carries out an operation for a caller of its own: see operation_run() in
 * operations.h, which has the table of operations. */
struct error *perftool_session_operate(struct perftool_session *session,
				       const struct operation *operation,
				       struct caller *caller,
				       struct json_object *params,
				       struct json_object **result);
/* A caller is gone. What it has asked for as its own goes while the program
 * goes on, and stays in the tables of a program that has ended. */
void perftool_session_forget(struct perftool_session *session,
			     const struct caller *caller);
/* Returns how long after a dump of stacks, which was ready after `took` ns, the
 * next one comes, in ns. */
uint64_t perftool_session_dump_pause(struct perftool_session *session,
				     uint64_t took);

/* ---- commands ------------------------------------------------------------ */

/* perftool_session_command() runs one line of commands. Of a session with files
 * of its own, what the line prints was written when the function returns, and
 * `*output` is the empty text. */

/* Runs the commands of a file until the first one that fails; the error then
 * names the file and the line. "-" is standard input. */
struct error *perftool_session_script(struct perftool_session *session,
				      const char *path);
/* Times functions as the command `time` does. `text` is FUNC, which may have
 * blanks, or FUNC and options of the command, for example `f if n > 3`. */
struct error *perftool_session_time(struct perftool_session *session,
				    const char *text);
/* Asks the user for the arguments that `line`, which was typed at a prompt,
 * lacks. The caller frees `*whole`, the line with these arguments. It is NULL
 * if the user gives no answer. */
struct error *perftool_session_ask(struct perftool_session *session,
				   const char *line, char **whole);

/* How the `expect` commands came out: the worst result of all. Those that were
 * put off until the end of a run are checked now. */
enum perftool_expected {
	PERFTOOL_EXPECTED_MET,
	PERFTOOL_EXPECTED_UNMET,
	PERFTOOL_EXPECTED_FAILED, /* one could not be checked */
};
enum perftool_expected
perftool_session_expected(struct perftool_session *session);
/* Appends a line for each breakpoint whose place was never found, and for those
 * that no thread has reached. Returns false if there are some of the former. */
bool perftool_session_unresolved(struct perftool_session *session,
				 struct str *out);

/* Gives the command `history` the function that appends the lines which the
 * user has entered so far. NULL: there is no history. */
void perftool_session_set_history(struct perftool_session *session,
				  void (*print)(void *context, struct str *out),
				  void *context);

/* Appends the command section of the man page, in the form of man(7). */
void perftool_man_commands(struct str *out);
/* Appends the same for doc/reference.md, as Markdown. */
void perftool_reference_commands(struct str *out);

/* ---- reports ------------------------------------------------------------- */

enum perftool_format {
	PERFTOOL_FORMAT_AS_SET, /* as `set format` says */
	PERFTOOL_FORMAT_TEXT,
	PERFTOOL_FORMAT_JSON,
	PERFTOOL_FORMAT_CSV,
};

/* What a report has besides all tables. */
struct perftool_report {
	enum perftool_format format;
	/* Are there several reports in the same file? Then one as JSON is one
	 * line; in the other forms, a line above each says when it was made. */
	bool is_repeated;
	/* Everything that was counted; or, while the session still measures,
	 * what was counted so far, or since the last such report. */
	enum perftool_report_part {
		PERFTOOL_REPORT_WHOLE,
		PERFTOOL_REPORT_SO_FAR,
		PERFTOOL_REPORT_SINCE_LAST
	} part;
};

/* Returns the format of a report: never PERFTOOL_FORMAT_AS_SET. */
enum perftool_format
perftool_session_format(struct perftool_session *session,
			const struct perftool_report *report);
/* Appends a report, with the colours and the width that suit `output`. */
void perftool_session_report_text(struct perftool_session *session,
				  const struct perftool_report *report,
				  FILE *output, struct str *out);
/* Writes text, which is a report or a part of one. `path` is the name of the
 * file for an error; may be NULL. */
struct error *perftool_session_write(struct perftool_session *session,
				     const struct str *text, FILE *output,
				     const char *path);
/* Writes a report to `output`. If `output` is NULL, writes CSV, a file for each
 * table: PATH-nodes.csv, PATH-legs.csv and so on (doc/FORMATS.md). */
struct error *perftool_session_report(struct perftool_session *session,
				      const struct perftool_report *report,
				      FILE *output, const char *path);
/* Makes these CSV files, so that a path that cannot be written is known before
 * anything is measured. `*claim` gets a file descriptor, which the caller
 * closes: until then another tool that calls this function for the same path
 * fails. */
struct error *perftool_report_check_csv(const char *path, int *claim);
/* Prints all tables, as the command `print tables` does. */
struct error *perftool_session_print_tables(struct perftool_session *session);

#endif
