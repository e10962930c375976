/*
 * interpreter.h - what the files of this layer share about a running command
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
	FILE *log; /* transcript, or NULL */
	char *log_path;
	int log_errno;  /* of the first write that failed; 0: none has */
	unsigned depth; /* of scripts that are being read */
	/* The innermost of them, and the line that it is at; NULL: none. */
	const char *script;
	unsigned long line;
	struct fields fields; /* of the memo's window */
	struct expectations expectations;
	bool done;
	bool was_used;
	uint64_t deadline; /* CLOCK_MONOTONIC, ns; 0: none, or no run yet */
	void (*print_history)(void *context, struct str *out);
	void *history_context;
};

/* One command being carried out. */
struct call {
	struct interpreter *interpreter;
	struct session *session;
	const struct command *command;
	char *rest;           /* COMMAND_REST: after the words, trimmed */
	struct tokens tokens; /* else */
	struct str printed;   /* what it prints, so far */
	struct str said;      /* what it did, so far */
};

/* The number of arguments, and one of them. */
static inline size_t call_count(const struct call *call)
{
	return call->tokens.words.count;
}

static inline const char *call_word(const struct call *call, size_t index)
{
	return call->tokens.words.data[index];
}

/* ERROR_USAGE: "REASON; usage: COMMAND ARGUMENTS". */
struct error *call_usage(const struct call *call, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Whether no prompt follows: the command is a script's, or nobody is there. */
bool interpreter_is_script(const struct interpreter *interpreter);

/* Past the memo's prompt, `>`, where a line begins with it: it is copied with
 * the command. */
const char *interpreter_skip_prompt(const char *line);

/* Whether the user has interrupted; that is then over. */
bool interpreter_is_interrupted(const struct interpreter *interpreter);

/* `break entry' alone, where no function is called so: the keyword, of which
 * the function is missing. NULL: `break' knows what the rest of its line means.
 * (`break exit' alone is the function exit, which every program has.) */
const char *break_keyword_alone(struct session *session, const char *rest);

/* What is said of a stop. What was never found is said even where nothing else
 * is. */
void call_stop(struct interpreter *interpreter, const struct session_stop *stop,
	       struct str *out);

/* Write what was printed or said so far, for a command that then takes time
 * or prints by itself. */
struct error *call_flush(struct call *call);

#endif
