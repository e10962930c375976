/*
 * table.h - what a command is, and how the words of a line find one
 *
 * A command is declared once, in the file of its family: its words, arguments,
 * help, completion and function. Everything else that knows commands - parser,
 * help, completion, man page - reads these entries.
 */
#ifndef COMMAND_TABLE_H
#define COMMAND_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "perftool/base/error.h"
#include "perftool/base/str.h"

struct call;
typedef struct error *command_fn(struct call *call);

enum command_flags {
	/* A command of the Mesa memo: its words may end in `!` or `:`. */
	COMMAND_MEMO = 1,
	/* The rest of the line belongs to it as it stands: no words, no
	 * comments. */
	COMMAND_REST = 2,
	/* `> FILE` takes what it prints. */
	COMMAND_PRINTS = 4,
	/* The second word counts only in full, and when a word that is not
	 * `if` follows: `break exit` breaks at the function exit(). */
	COMMAND_IN_FULL = 8,
	/* Names of functions are among its arguments: TOKEN_NAMES. */
	COMMAND_NAMES = 32,
	/* Its label may stand without a colon, too: it is no argument. */
	COMMAND_LABEL_IS_WORD = 64,
	/* The second word needs two letters: `print n` prints a variable. */
	COMMAND_TWO_LETTERS = 16,
};

#define ANY_NUMBER 1000000u

struct command {
	/* One or two words, lower case; other spellings of one after `|`. */
	const char *words;
	const char *arguments; /* as help shows them: "FROM TO [owner=...]" */
	const char *summary;   /* one line */
	/* Paragraphs; a line that starts with blanks is an example. */
	const char *help;
	/*
	 * What may stand at each argument: items parted by blanks. `a|b` are
	 * literal words, `@function` and so on what completion.c knows by that
	 * name; "..." repeats the item before it.
	 */
	const char *complete;
	/*
	 * The memo's names of parameters, parted by `|`: `From Node: 1` is 1.
	 * One that ends in `=` becomes that: `Buckets: 8` is buckets=8.
	 */
	const char *labels;
	unsigned flags;
	unsigned least, most; /* number of arguments, unless COMMAND_REST */
	/* What a prompt asks for when it is missing, in the order of the
	 * arguments, parted by `|`: "From Node|To Node"; NULL: nothing. */
	const char *asks;
	command_fn *run;
	/* Words that may stand where a second word would, and lead to this
	 * command: the names of settings. NULL-terminated by index. */
	const char *(*nouns)(size_t index);
};

struct command_family {
	const char *name;
	const struct command *commands; /* ends with NULL words */
};

/* Ends with a NULL name. */
extern const struct command_family command_families[];

extern const struct command program_commands[];
extern const struct command look_commands[];
extern const struct command context_commands[];
extern const struct command break_commands[];
extern const struct command node_commands[];
extern const struct command histogram_commands[];
extern const struct command print_commands[];
extern const struct command expect_commands[];
extern const struct command session_commands[];

/* All commands of all families in order: `index` from 0; NULL: no more. */
const struct command *command_at(size_t index);

/* The words of a command as help shows them: "break exit|xit" is
 * "break exit"; appended. */
void command_name(const struct command *command, struct str *out);

/*
 * The next spelling of a word of a command: word 0 or 1, *cursor from 0; false:
 * there is none. `text` is not terminated.
 */
bool command_spelling(const struct command *command, unsigned word,
		      size_t *cursor, const char **text, size_t *length);

/* How the words behind those of the command are parted: token_flags. */
unsigned command_token_flags(const struct command *command);

/* The fixed one- and two-letter aliases; NULL: not one. */
const char *command_alias(const char *word);

/* What there is for a word of gdb's that is none of ours: one line; NULL: it is
 * not known. */
const char *command_instead(const char *word);

/* Split a command word off: letters, digits, `-`, `_`. Returns past it and
 * one `!` or `:` if `mark` is not NULL (which becomes it, or 0). */
const char *command_word(const char *line, struct str *word, char *mark);

/*
 * Which command a line means; *rest is what follows its words. NULL for an
 * empty line or a comment. ERROR_USAGE with candidates or near names.
 */
struct error *command_resolve(const char *line, const struct command **command,
			      const char **rest);

/*
 * Of several words, the one meant: exact wins, else a unique prefix, case
 * ignored. `what` is for the error: "setting". Ends with a NULL word.
 */
struct error *command_choose(const char *word, const char *what,
			     const char *const *choices, size_t *index);

#endif
