/*
 * ui.h - one user: what the parts of this layer share
 */
#ifndef UI_UI_H
#define UI_UI_H

#include "perftool/base/writer.h"
#include "perftool/command.h"

#include "options.h"
#include "status.h"
#include "terminal.h"
#include "unattended.h"

/* Exit statuses, as env(1), nohup(1) and timeout(1) use them. */
enum {
	EXIT_NOT_EXPECTED = 124,
	EXIT_TOOL_FAILED = 125,
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
	EXIT_SIGNAL = 128, /* plus the signal's number */
};

struct editor;

struct ui {
	struct options options;
	struct session_ui callbacks; /* `context` is this ui */
	struct session *session;
	struct interpreter *interpreter;
	struct editor *editor; /* of the prompt, while there is one */
	struct terminal terminal;
	struct status status;
	FILE *output;    /* tables and reports, if -o was given; else NULL */
	FILE *messages;  /* of the interpreter, if they are wrapped; or NULL */
	struct str held; /* remarks that came while a pager has the screen */
	bool paging;     /* it has */
	bool asks;       /* a question waits for its answer, */
	bool was_interposed; /* and the program has made another meanwhile */
	bool interactive;    /* there will be a prompt */
	bool commands_on_stdin;
	int ended_by;         /* a signal but SIGINT, once it came; else 0 */
	int interrupted_by;   /* the last signal that interrupted; or 0 */
	struct writer writer; /* of messages */
	bool is_unread; /* a file that somebody should have read had no room */
	struct unattended unattended;
};

/* The modes, files and callbacks that the options ask for, the session and
 * the interpreter. On failure, ui_deinit() is still due. */
struct error *ui_init(struct ui *ui, const struct options *options);

/* Ends the program, closes files, gives the terminal back. Fails when the
 * output could not be written whole. */
struct error *ui_deinit(struct ui *ui);

/* Let go of what was attached to, and say so. */
void ui_detach(struct ui *ui);

/* What was done, where that is to be told; text of whole lines, which is
 * freed. */
void ui_say(struct ui *ui, struct str *text);

/* An error as a line on standard error; destroys it. `ui` may be NULL: there is
 * none yet, or none any more. */
void ui_report_error(const struct ui *ui, const char *prefix,
		     struct error *error);

/* The start-up file, if there is one and it is wanted. */
struct error *ui_run_startup_file(struct ui *ui);

/* What -x, -e and -t ask for, in their order, until one fails; `script` tells
 * whether the error names file and line itself. */
struct error *ui_run_tasks(struct ui *ui, bool *script);

/* "`-t' after ./my is an argument of the program", if the options behind the
 * program are the only sign of what was meant: nothing was asked for. */
void ui_tell_of_options(const struct ui *ui, struct str *out);

/* batch.c: all without a prompt. Returns the exit status. */
int batch_main(struct ui *ui);

/* batch.c: what its report is to be like, and where it goes; NULL: into files
 * of its own. */
struct report_request ui_report_request(const struct ui *ui);
FILE *ui_report_file(const struct ui *ui);
/* The file of -o, or else standard error. */
FILE *ui_output(const struct ui *ui);
const char *ui_output_name(const struct ui *ui);

/* shell.c: what is said before the prompt. */
void shell_greet(const struct ui *ui);

/* shell.c: the prompt, until the user leaves. Returns the exit status. */
int shell_main(struct ui *ui);

#endif
