/*
 * command.h - the command language: one table, an interpreter, scripts
 *
 * The table (src/command/table.c) declares each command once: words,
 * arguments, one line of help, long help, completer, function. Parsing, help,
 * completion and the man page's command section all come from it.
 */
#ifndef PERFTOOL_COMMAND_H
#define PERFTOOL_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "perftool/base/error.h"
#include "perftool/base/str.h"
#include "perftool/session.h"

struct interpreter;

struct interpreter_options {
	struct session *session;
	/* Who to ask (confirm) and whose Ctrl-C ends printing (interrupted);
	 * must outlive the interpreter. */
	const struct session_ui *ui;
	FILE *output;     /* what commands print: tables, lists, values, help */
	FILE *messages;   /* what commands did, and stops; NULL: nowhere */
	bool interactive; /* quit asks, an interrupted run returns to a prompt
			   */
	bool color;       /* what goes to `output` may be coloured */
	/* Who made this runs the program when the commands are over, unless
	 * they have: what is expected before that is expected of that run. */
	bool runs_later;
	/* How long the program may run in all, ns; 0: as long as it likes.
	 * The run that passes it is interrupted. */
	uint64_t time_limit;
	/* Called before a command's text goes to `output`, with the context of
	 * `ui`. May be NULL. */
	void (*before_output)(void *context);
	/* How text is to look on `output`, where that is a terminal that is too
	 * narrow for it. May be NULL. */
	void (*lay_out)(FILE *output, const char *text, size_t length,
			struct str *out);
};

struct interpreter *
interpreter_create(const struct interpreter_options *options);
/* Close the files that commands have opened, the log and the trace. Fails when
 * one of them could not be written whole. */
struct error *interpreter_close(struct interpreter *interpreter);

void interpreter_destroy(struct interpreter *interpreter);

/*
 * Run one line. What it prints has been written when this returns.
 * ERROR_INTERRUPTED: printing was aborted, or (in a script, and where there is
 * no prompt) the user ended the run, or its time limit did.
 */
struct error *interpreter_line(struct interpreter *interpreter,
			       const char *line);

/*
 * For a line typed at a prompt: ask the user for what its command needs and the
 * line lacks. `*whole`, which the caller frees, is the line with that; NULL:
 * the user gives none, and nothing is to be run. An answer that cannot be meant
 * is an error.
 */
struct error *interpreter_ask(struct interpreter *interpreter, const char *line,
			      char **whole);

/* Run the commands of a file, until the first that fails; the error then
 * names file, line and reason. "-" is standard input. */
struct error *interpreter_script(struct interpreter *interpreter,
				 const char *path);

/*
 * Wait for something else than the program, until `enough`: see
 * session_serve(). If the program was stopped by a breakpoint meanwhile, or has
 * ended, `told` gets the lines that say so; they are in the log already.
 */
struct error *interpreter_serve(struct interpreter *interpreter,
				session_enough_fn *enough, void *context,
				struct str *told);
/* Is there anything to serve? */
bool interpreter_runs_on(const struct interpreter *interpreter);

/*
 * How all came out that was expected, the worst of it. What was put off until
 * the end of a run is checked now, and told of, for no run follows.
 */
enum expected { EXPECTED_MET, EXPECTED_UNMET, EXPECTED_FAILED };
enum expected interpreter_expected(struct interpreter *interpreter);

/* Was any command given, since this was asked last? */
bool interpreter_was_used(struct interpreter *interpreter);

/* `quit` was given. */
bool interpreter_is_done(const struct interpreter *interpreter);

/* Put a line that did not come from a command into the log, if one is kept. */
void interpreter_log(struct interpreter *interpreter, const char *text);

/* The lines entered so far are kept by whoever has the prompt; `history`
 * prints through this. */
void interpreter_set_history(struct interpreter *interpreter,
			     void (*print)(void *context, struct str *out),
			     void *context);

/* Candidates for the word that ends at the end of `line`. */
struct completion {
	size_t start; /* where in the line the word begins */
	char **words; /* NULL-terminated, sorted, each freed with it */
	size_t count;
	/* What the numbers among them are of. */
	enum completion_numbers {
		NUMBERS_OTHER,
		NUMBERS_NODES,
		NUMBERS_LEGS
	} numbers;
};
void interpreter_complete(struct interpreter *interpreter, const char *line,
			  struct completion *out);
void completion_deinit(struct completion *completion);

/* How much of the text of `time' is the function, when a condition or options
 * may stand behind it: all of it where none does. */
size_t command_time_function(const char *text);

/* The command section of the man page, in man(7) form. */
void command_man_section(struct str *out);

/* A report of batch mode: all tables. */
struct report_request {
	enum report_format format;
	/* Text has those legs that were executed, the longest first. */
	bool ranked;
	/* There are several reports in the same file: JSON is one line, and the
	 * others have a line above them that says when they were made. */
	bool repeated;
	/* What it is about: all, or, while the measuring goes on, what was
	 * counted so far, or since the last such report. The latter needs
	 * session_count_intervals(). */
	enum { REPORT_WHOLE, REPORT_SO_FAR, REPORT_SINCE_LAST } part;
};

/* The report in one piece, looking as it should in the file `output`. */
void interpreter_report_text(struct interpreter *interpreter,
			     const struct report_request *request, FILE *output,
			     struct str *out);

/* Write it to `output`; where that is NULL, as CSV to PATH-nodes.csv,
 * PATH-legs.csv, PATH-histograms.csv and PATH-by.csv. */
struct error *interpreter_report(struct interpreter *interpreter,
				 const struct report_request *request,
				 FILE *output, const char *path);
/* Write text that is of such a report to the same `output`. */
struct error *interpreter_report_write(struct interpreter *interpreter,
				       const struct str *text, FILE *output,
				       const char *path);

/* Print all tables as `print tables' does. */
struct error *interpreter_tables(struct interpreter *interpreter);

/* Can these CSV files be written? Creates them. */
struct error *command_check_csv(const char *path);

#endif
