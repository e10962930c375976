/*
 * ui.h - struct ui, which stands for the one user and is shared by the files of
 * this layer
 */
#ifndef UI_UI_H
#define UI_UI_H

#include "perftool/base/writer.h"
#include "perftool/command.h"

#include "options.h"
#include "status.h"
#include "terminal.h"
#include "unattended.h"

/* Exit statuses. env(1), nohup(1) and timeout(1) use the same numbers. */
enum {
	EXIT_NOT_EXPECTED = 124,
	EXIT_TOOL_FAILED = 125,
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
	EXIT_SIGNAL = 128, /* the signal's number is added to this */
};

struct editor;

struct ui {
	struct options options;
	/* the member `context` points to this struct ui */
	struct session_ui callbacks;
	struct session *session;
	struct interpreter *interpreter;
	/* exists only while there is a prompt; else NULL */
	struct editor *editor;
	struct terminal terminal;
	struct status status;
	/* the file of -o for tables and reports; NULL: -o was not given */
	FILE *output;
	/* The stream to which the interpreter writes messages, if the messages
	 * are wrapped; else NULL. */
	FILE *messages;
	/* remarks that came while the pager had the screen */
	struct str held;
	bool paging; /* a pager has the screen now */
	bool asks;   /* a question waits for its answer */
	/* Another question was asked while a question waited for its answer:
	 * the program's events have caused it. The waiting question must be
	 * shown again. */
	bool was_interposed;
	bool interactive; /* there is, or there will be, a prompt */
	bool commands_on_stdin;
	/* The signal, other than SIGINT, that asks the tool to end; 0: no such
	 * signal has come. */
	int ended_by;
	/* the last signal that interrupted the tool; 0: none */
	int interrupted_by;
	struct writer writer; /* writes the messages */
	/* The tool was about to end and has waited in vain for a reader of a
	 * file. It waits for no reader any more. */
	bool is_unread;
	struct unattended unattended;
};

/* Sets up the modes, files and callbacks that the options ask for, and makes
 * the session and the interpreter. The caller must call ui_deinit() also if
 * this fails. */
struct error *ui_init(struct ui *ui, const struct options *options);

/* Ends the program, closes the files, and gives the terminal back. Returns an
 * error if the output could not be written whole. */
struct error *ui_deinit(struct ui *ui);

/* Detaches from an attached program, and tells the user so. */
void ui_detach(struct ui *ui);

/* Tells the user what the tool has done, unless -q was given. `text` has whole
 * lines. The function frees it. */
void ui_say(struct ui *ui, struct str *text);

/* Writes an error as one line, after `prefix`, to standard error, and destroys
 * the error. `ui` is NULL before ui_init() and after ui_deinit(). */
void ui_report_error(const struct ui *ui, const char *prefix,
		     struct error *error);

/* Runs the start-up file if it exists. -n prevents this. */
struct error *ui_run_startup_file(struct ui *ui);

/* Carries out the options -x, -e and -t in the order in which they were given,
 * until one fails. `*script` tells whether the message of the error names a
 * file and a line itself. */
struct error *ui_run_tasks(struct ui *ui, bool *script);

/* Appends a line such as "`-t' after ./my is an argument of the program", if an
 * argument of the program looks like an option of perftool and there is no -x,
 * -e or -t. The user has then probably meant it for perftool. */
void ui_tell_of_options(const struct ui *ui, struct str *out);

/* batch.c: does all work without a prompt. Returns the exit status. */
int batch_main(struct ui *ui);

/* batch.c: what the report of batch mode is like, and the file to which it is
 * written. ui_report_file() returns NULL if each table is written to a file of
 * its own (-f csv). */
struct report_request ui_report_request(const struct ui *ui);
FILE *ui_report_file(const struct ui *ui);
/* batch.c: the file of -o, or standard error if -o was not given; and its name
 * for messages. */
FILE *ui_output(const struct ui *ui);
const char *ui_output_name(const struct ui *ui);

/* shell.c: prints the greeting before the first prompt. */
void shell_greet(const struct ui *ui);

/* shell.c: runs the prompt until the user leaves. Returns the exit status. */
int shell_main(struct ui *ui);

#endif
