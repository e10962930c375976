/*
 * command.h - the command language: the table of commands, the interpreter, and
 * scripts
 *
 * The table (src/command/table.c) declares each command once: its words, its
 * arguments, one line of help, long help, its completer and its function. The
 * parser, the help, the completion and the command section of the man page are
 * all made from the table.
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
#include "perftool/session/user_interface.h"

struct interpreter;

struct interpreter_options {
	struct session *session;
	/* The callbacks of the user interface. The interpreter calls `confirm`
	 * to ask the user, and `interrupted` to learn whether Ctrl-C ends the
	 * printing. The interpreter keeps this pointer, so the structure must
	 * exist as long as the interpreter. */
	const struct session_ui *ui;
	/* gets what commands print: tables, lists, values, help */
	FILE *output;
	/* Gets the messages that say what commands did, and the stops of the
	 * program. NULL: these messages are not written. */
	FILE *messages;
	/* Is there a prompt? Then `quit` asks the user, and an interrupted run
	 * returns to the prompt. */
	bool interactive;
	/* may what the interpreter writes to `output` be coloured? */
	bool color;
	/* The caller will run the program after the commands, unless the
	 * commands have run it. An `expect` command that comes before that run
	 * is then checked against the tables at the end of that run. */
	bool runs_later;
	/* How long the runs of the program may take in all, in ns, counted from
	 * the beginning of the first run. 0: there is no limit. The interpreter
	 * ends the program that reaches the limit, or lets it go if the tool
	 * has attached to it. The commands that follow are run, except those
	 * that would have the program run on. */
	uint64_t time_limit;
	/* The interpreter calls this before it writes the text of a command to
	 * `output`. The argument is the context of `ui`. May be NULL. */
	void (*before_output)(void *context);
	/* Breaks text for lines of `output`, in case `output` is a terminal
	 * that is narrower than the text. The function appends the text, as the
	 * terminal shall show it, to `out`. May be NULL. */
	void (*lay_out)(FILE *output, const char *text, size_t length,
			struct str *out);
};

struct interpreter *
interpreter_create(const struct interpreter_options *options);
/* Closes the files that commands have opened: the log and the trace. Returns an
 * error if one of these files could not be written whole. */
struct error *interpreter_close(struct interpreter *interpreter);

void interpreter_destroy(struct interpreter *interpreter);

/*
 * Runs one line of commands. When the function returns, everything that the
 * line prints has been written.
 *
 * ERROR_INTERRUPTED: the user has aborted the printing, or the preparations for
 * a run; or, in a script at a prompt, the user has ended the run. Where there
 * is no prompt, a run that the user ends is no error: the interpreter ends the
 * program, or lets it go, carries out what follows, and leaves out further
 * runs.
 */
struct error *interpreter_line(struct interpreter *interpreter,
			       const char *line);

/*
 * Asks the user for the arguments that a command needs and that `line`, which
 * was typed at a prompt, lacks. `*whole` gets the line with these arguments;
 * the caller frees it. `*whole` is NULL if the user gives no answer: then the
 * caller runs nothing. Returns an error if an answer cannot be an argument of
 * the command.
 */
struct error *interpreter_ask(struct interpreter *interpreter, const char *line,
			      char **whole);

/* What interpreter_prepare() has found. All NULL: there is nothing to run and
 * nothing to ask. The caller calls prepared_line_deinit(). */
struct prepared_line {
	char *line; /* the line to run, which lacks nothing */
	/* What the line lacks: how a question calls the word, and the text
	 * after which it comes. */
	char *name, *before;
};
void prepared_line_deinit(struct prepared_line *prepared);

/*
 * Does what a prompt that is elsewhere must do before it has a line run: prints
 * the answer to a line that ends in `?`, and finds the first argument that the
 * line lacks, as interpreter_ask() does, when the user has given these answers
 * so far. If the last answer is `?`, prints what may come there, and finds the
 * same argument again. Returns an error as interpreter_ask() does.
 */
struct error *interpreter_prepare(struct interpreter *interpreter,
				  const char *line, char *const *answers,
				  size_t count, struct prepared_line *out);

/* How many scripts are being run, each for a line of the one before. Sets this
 * number, and returns what it was: while a line waits (session_set_wait()),
 * other lines are not in its scripts. */
unsigned interpreter_set_depth(struct interpreter *interpreter, unsigned depth);

/* The operations of front ends, which the command `dyper` carries out. `words`
 * are its arguments after the name of the operation. Appends what is printed.
 * Without this, there is no such command. */
typedef struct error *operation_fn(void *context, const char *name,
				   const char *const *words, size_t count,
				   struct str *out);
void interpreter_set_operations(struct interpreter *interpreter,
				operation_fn *operate, void *context);

/* Runs the commands of a file until the first command that fails. The error
 * then names the file, the line and the reason. The path "-" means standard
 * input. */
struct error *interpreter_script(struct interpreter *interpreter,
				 const char *path);

/*
 * Handles the events of an attached program while the caller waits for
 * something else, until `enough` returns true: see session_serve(). If a
 * breakpoint has stopped the program meanwhile, or if the program has ended,
 * `told` gets the lines that say so. The function has already written these
 * lines to the log.
 */
struct error *interpreter_serve(struct interpreter *interpreter,
				session_enough_fn *enough, void *context,
				struct str *told);
/* Does an attached program run while commands are entered, so that
 * interpreter_serve() must be called? */
bool interpreter_runs_on(const struct interpreter *interpreter);

/*
 * Tells how the `expect` commands came out: the worst result of all of them.
 * EXPECTED_UNMET: an expectation was not met. EXPECTED_FAILED: an expectation
 * could not be checked.
 *
 * The function first checks the expectations that the interpreter has put off
 * until the end of a run, and tells the user of the expectations that are not
 * met. The caller calls the function when no run follows.
 */
enum expected { EXPECTED_MET, EXPECTED_UNMET, EXPECTED_FAILED };
enum expected interpreter_expected(struct interpreter *interpreter);

/* How many commands have the user and scripts given? */
size_t interpreter_commands(const struct interpreter *interpreter);

/* Has the time limit begin now, unless it has begun already. Returns when it
 * ends, as a time of CLOCK_MONOTONIC in ns; UINT64_MAX: there is none. Without
 * this call the time begins with the first command that runs the program. */
uint64_t interpreter_begin_limit(struct interpreter *interpreter);
/* Has the time limit end at this time of CLOCK_MONOTONIC. */
void interpreter_set_end(struct interpreter *interpreter, uint64_t end);
/* Has the time limit ended the program, or let it go? */
bool interpreter_time_is_over(const struct interpreter *interpreter);
/* Has the user interrupted a run where there is no prompt, so that the
 * interpreter has ended the program, or let it go? */
bool interpreter_is_ended_by_user(const struct interpreter *interpreter);
/* Was a command run after either of these ends? */
bool interpreter_ran_after_end(const struct interpreter *interpreter);

/* Has the user or a script given the command `quit`? */
bool interpreter_is_done(const struct interpreter *interpreter);

/* Writes a line that does not come from a command into the log, if the user
 * keeps a log. */
void interpreter_log(struct interpreter *interpreter, const char *text);

/* Says how many columns the reader of the output has, if the output is no
 * terminal. 0: tables are as wide as they need to be, as at first. */
void interpreter_set_width(struct interpreter *interpreter, int columns);

/* Gives the interpreter the function that prints the history of entered lines.
 * The part of the user interface that has the prompt keeps these lines. The
 * command `history` calls `print`. NULL: there is no history. */
void interpreter_set_history(struct interpreter *interpreter,
			     void (*print)(void *context, struct str *out),
			     void *context);

/* The candidates for completing the word that ends at the end of `line`. */
struct completion {
	size_t start; /* index in `line` at which the word begins */
	/* sorted, and NULL at the end; completion_deinit() frees the words and
	 * the list */
	char **words;
	size_t count;
	/* What the numbers among the candidates are: numbers of nodes, of legs,
	 * or of something else. */
	enum completion_numbers {
		NUMBERS_OTHER,
		NUMBERS_NODES,
		NUMBERS_LEGS
	} numbers;
};
/* Finds the candidates for completing the last word of the line. The caller
 * calls completion_deinit(). */
void interpreter_complete(struct interpreter *interpreter, const char *line,
			  struct completion *out);
void completion_deinit(struct completion *completion);

/* Returns how many bytes at the beginning of `text`, the arguments of `time`,
 * name the function. A condition or options may follow the function. If nothing
 * follows, all of the text is the function. */
size_t command_time_function(const char *text);

/* Appends the command section of the man page, in the form of man(7). */
void command_man_section(struct str *out);
/* Appends the sections of doc/reference.md on commands, settings and topics. */
void command_reference(struct str *out);

/* What a report of batch mode contains besides all tables, and in which form it
 * is written. */
struct report_request {
	enum report_format format;
	/* Does a report in the form of text have only the legs that were
	 * executed, the leg with the longest total time first? */
	bool ranked;
	/* Are there several reports in the same file? Then a report as JSON is
	 * one line. In the other forms, a line above each report says when the
	 * report was made. */
	bool repeated;
	/* What the report covers: everything that was counted; or, while the
	 * tool still measures, what was counted so far, or what was counted
	 * since the last such report. For REPORT_SINCE_LAST, the caller must
	 * have called session_count_intervals() before. */
	enum { REPORT_WHOLE, REPORT_SO_FAR, REPORT_SINCE_LAST } part;
};

/* Appends the whole report to `out`, with the colours and the width that suit
 * the file `output`. */
void interpreter_report_text(struct interpreter *interpreter,
			     const struct report_request *request, FILE *output,
			     struct str *out);

/* Writes the report to `output`. If `output` is NULL, writes CSV to the files
 * PATH-nodes.csv, PATH-legs.csv, PATH-histograms.csv and PATH-by.csv, and to
 * PATH-processes.csv if there are several processes or if that file exists; and
 * a file for each profile: PATH-flat.csv, PATH-graph.csv, PATH-functions.csv
 * and PATH-source.csv. The ending .csv of PATH is left out of these names. */
struct error *interpreter_report(struct interpreter *interpreter,
				 const struct report_request *request,
				 FILE *output, const char *path);
/* Returns the command, in quotes, that shows a profile that was recorded and
 * that no command has shown or saved; NULL: there is none. */
const char *interpreter_unseen_profile(const struct interpreter *interpreter);
/* Writes text, which is a whole report of interpreter_report_text() or a part
 * of such a report, to `output`. `path` is the path of the option -o, which an
 * error names; may be NULL. */
struct error *interpreter_report_write(struct interpreter *interpreter,
				       const struct str *text, FILE *output,
				       const char *path);

/* Prints all tables as the command `print tables` does. */
struct error *interpreter_tables(struct interpreter *interpreter);

/* Checks that the CSV files of interpreter_report() can be written. The
 * function creates these files, except PATH-processes.csv: at this time it is
 * not known whether there will be several processes. Returns an error that
 * names the file. `*claim` gets a descriptor, which the caller closes: until
 * then this function fails for other tools (perftool/base/file_claim.h). */
struct error *command_check_csv(const char *path, int *claim);

#endif
