/*
 * interpreter.h - the interpreter and the running command, as the files of this
 * layer share them
 */
#ifndef COMMAND_INTERPRETER_H
#define COMMAND_INTERPRETER_H

#include "perftool/command.h"

#include "command/expect/expect.h"
#include "fields.h"
#include "table.h"
#include "tokenizer.h"

struct interpreter {
	struct interpreter_options options;
	FILE *log; /* the transcript: the file that the command `log` opens;
		    * NULL: there is none */
	char *log_path;
	/* the errno of the first write to the transcript that failed; 0 if none
	 * has failed */
	int log_errno;
	/* how many scripts are being read, one inside another */
	unsigned depth;
	/* The innermost script that is being read, and the number of its
	 * current line. NULL: no script is being read. */
	const char *script;
	unsigned long line;
	struct fields fields; /* the fields of the memo's window */
	struct expectations expectations;
	bool done;
	size_t commands; /* how many were given */
	int width;       /* of what shows the output, in columns; 0: any */
	/* The time of CLOCK_MONOTONIC, in ns, at which the interpreter
	 * interrupts the program because of `time_limit`. 0: there is no limit,
	 * or the program has not run yet. */
	uint64_t deadline;
	/* Why the interpreter has ended the program, or let it go: that time
	 * has come, or the user has interrupted a run and there is no prompt.
	 */
	bool is_time_over, is_ended_by_user;
	/* A command was run after that. */
	bool ran_after_end;
	void (*print_history)(void *context, struct str *out);
	void *history_context;
	operation_fn *operate; /* of the command `dyper`; NULL: none */
	void *operate_context;
};

/* The execution of one command. */
struct call {
	struct interpreter *interpreter;
	struct session *session;
	const struct command *command;
	/* With COMMAND_REST: the text after the command's words, without blanks
	 * at either end. Not used otherwise. */
	char *rest;
	/* Without COMMAND_REST: the arguments. Not used otherwise. */
	struct tokens tokens;
	struct str printed; /* what the command has printed so far */
	/* the messages so far that say what the command has done */
	struct str said;
};

/* call_count() returns the number of arguments, call_argument() one argument by
 * its index. */
static inline size_t call_count(const struct call *call)
{
	return call->tokens.words.count;
}

static inline const char *call_word(const struct call *call, size_t index)
{
	return call->tokens.words.data[index];
}

/* Returns ERROR_USAGE with the text "REASON; usage: COMMAND ARGUMENTS". */
struct error *call_usage(const struct call *call, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Does no prompt follow the current command? This is so if the command stands
 * in a script, or if no user is there to answer. */
bool interpreter_is_script(const struct interpreter *interpreter);

/* Returns an error if no line may be that long, in bytes. */
struct error *interpreter_check_length(size_t length);

/* Returns the position after the memo's prompt, `>`, if the line begins with
 * it. A user who copies a command from the memo often copies the prompt too. */
const char *interpreter_skip_prompt(const char *line);

/* Has the user asked to interrupt? The function returns true once for each
 * request. */
bool interpreter_is_interrupted(const struct interpreter *interpreter);

/* If `rest` is only a keyword of `break` (for example the line `break entry`),
 * and the program has no function of that name, returns the keyword: the
 * function after the keyword is missing. Otherwise returns NULL, and `break`
 * handles the rest of its line. `exit` is not among the keywords: `break exit`
 * means the function exit, which every program has. */
const char *break_keyword_alone(struct session *session, const char *rest);

/* Computes how long a run may take, in ns. `asked` is the duration that the
 * user asked for; 0: no limit. The time limit of the interpreter, if there is
 * one, limits all runs together. `*duration` is 0 if neither limits the run.
 * `*may_run` is false if the time limit is over already, or if the user has
 * ended the measurement: then the program has been ended or let go, and the
 * message says that the command is left out. */
struct error *interpreter_may_run(struct call *call, uint64_t asked,
				  uint64_t *duration, bool *may_run);

/* Appends the message about a stop of the program. If the program has ended,
 * the function also tells about breakpoints whose place was never found. The
 * function tells this even if the interpreter writes no messages: the user gets
 * a remark instead. */
void call_stop(struct interpreter *interpreter, const struct session_stop *stop,
	       struct str *out);

/* Writes the text that the command has printed, and its messages, to the output
 * now. A command calls this function before a step that takes a long time, or
 * before a step that writes to the output directly. */
struct error *call_flush(struct call *call);

#endif
