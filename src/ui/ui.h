/*
 * ui.h - struct ui: the user interface of one run of perftool, which the files
 * of this layer share
 */
#ifndef UI_UI_H
#define UI_UI_H

#include "perftool/base/file_claim.h"
#include "perftool/base/whole_file.h"
#include "perftool/base/writer.h"
#include "perftool/library.h"

#include "exit_status.h"
#include "options.h"
#include "ui/terminal/terminal.h"
#include "unattended.h"

struct editor;
struct run_record;

struct ui {
	struct options options;
	struct perftool_session *session;
	/* carries out the command `dyper`; NULL: it was not given yet */
	/* the line editor; exists only while there is a prompt, else NULL */
	struct editor *editor;
	struct terminal terminal;
	struct status status;
	/* the file of the option -o, for tables and reports; NULL: -o was not
	 * given */
	FILE *output;
	/* The name of this file (report_stream.h): the text to which
	 * `options.output` points; NULL: it is a part of argv. */
	char *output_name;
	/* The name has a part that is not known before the program runs. The
	 * file has a temporary name until then. */
	bool awaits_name;
	/* the file itself; nothing, if the output is standard output, or if the
	 * tables have files of their own */
	struct claimed_file claimed;
	bool has_written; /* something was written to this file */
	/* The whole report is made beside an old one, whose place it takes at
	 * the end, unless it could not be written. */
	struct whole_file whole;
	bool is_spoiled;
	/* the file descriptor that locks the files of -f csv; 0: none */
	int claim;
	/* The stream that wraps the messages of the interpreter for the
	 * terminal; NULL: the messages are not wrapped. */
	FILE *messages;
	/* remarks that the user has not seen yet, because a pager had the
	 * screen when they came */
	struct str held;
	bool paging; /* a pager has the screen now */
	bool asks;   /* a question of the tool waits for the user's answer */
	/* Was another question asked while a question waited for its answer?
	 * The events of the program can cause this. The waiting question must
	 * then be shown again. */
	bool was_interposed;
	bool interactive; /* there is, or there will be, a prompt */
	bool commands_on_stdin;
	/* The signal, other than SIGINT, that has asked the tool to end; 0: no
	 * such signal has come. */
	int ended_by;
	/* The tool has ended the program because the time of --for was over. */
	bool ended_in_time;
	/* Batch mode writes what was measured, and will then end, so Ctrl-C
	 * does not interrupt. */
	bool is_reporting;
	/* the last signal that interrupted the tool, 0: none; and the time of
	 * CLOCK_MONOTONIC at which it did, in ns */
	int interrupted_by;
	uint64_t interrupted_at;
	struct writer writer; /* the writer of the messages */
	/* Has the tool, about to end, waited in vain for a reader of its
	 * output? It then waits for no reader any more. */
	bool is_unread;
	struct unattended unattended;
	/* of one of several runs (--repeat); NULL: it is the only one */
	struct run_record *record;
};

/* Do tables and messages in this file have colours? */
bool ui_wants_color(const struct options *options, FILE *file);

/* Sets up the modes and files that the options ask for, and makes the session.
 * The caller must call ui_deinit() also if
 * this fails. */
struct error *ui_init(struct ui *ui, const struct options *options);

/* Ends the user interface: kills the measured program or detaches from it,
 * closes the files of the output, and restores the modes of the terminal.
 * `has_failed`: the tool has failed, so that an older file keeps its content if
 * nothing was written to it. Returns an error if the output could not be
 * written whole. */
struct error *ui_deinit(struct ui *ui, bool has_failed);

/* Runs one line of commands. */
struct error *ui_line(struct ui *ui, const char *line);

/* Returns the present state of the session. */
struct perftool_state ui_state(const struct ui *ui);

/* Detaches from an attached program, and tells the user that the tool has done
 * so. */
void ui_detach(struct ui *ui);
/* Does the same, and ends a program that the tool has started. */
struct error *ui_end_program(struct ui *ui);

/* remarks.c: tells the user what the tool has done, unless -q was given. `text`
 * has whole lines. The function frees it. */
void ui_say(struct ui *ui, struct str *text);

/* Writes an error as one line, which begins with `prefix`, to standard error,
 * and destroys the error. `ui` is NULL before ui_init() and after ui_deinit().
 */
void ui_report_error(const struct ui *ui, const char *prefix,
		     struct error *error);

/* tasks.c: runs the commands of the user's start-up file if the file exists.
 * The option -n prevents this. */
struct error *ui_run_startup_file(struct ui *ui);

/* Carries out the options -x, -e and -t in the order in which they were given,
 * until one fails. `*script` tells whether the message of the error already
 * names the file and the line. */
struct error *ui_run_tasks(struct ui *ui, bool *script);

/* Appends a line such as "`-t' after ./my is an argument of the program", if an
 * argument of the program looks like an option of perftool and there is no -x,
 * -e or -t. The user has then probably meant the argument for perftool. */
void ui_tell_of_options(const struct ui *ui, struct str *out);

/* batch.c: does all work of perftool without a prompt. Returns the exit status.
 */
int batch_main(struct ui *ui);

/* top_run.c, serve_run.c: `perftool top` and `perftool serve`, after the
 * commands. Each returns the exit status. */
int top_run(struct ui *ui);
int serve_run(struct ui *ui);

/* shell.c: prints the greeting before the first prompt. */
void shell_greet(const struct ui *ui);

/* shell.c: runs the prompt until the user leaves. Returns the exit status. */
int shell_main(struct ui *ui);

#endif
