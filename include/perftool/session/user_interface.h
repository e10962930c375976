/*
 * user_interface.h - what the session needs of the user interface
 */
#ifndef PERFTOOL_SESSION_USER_INTERFACE_H
#define PERFTOOL_SESSION_USER_INTERFACE_H

#include "perftool/session.h"

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

#endif
