/*
 * table.h - the commands, and how the words of a line find a command
 *
 * Each command is declared once, in the file of its family: its words,
 * arguments, help, completion and function. All other code that needs to know
 * the commands (parser, help, completion, man page) reads these entries.
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
	/* A command of the Mesa memo: a `!` or a `:` may follow its words. */
	COMMAND_MEMO = 1,
	/* The command gets the rest of the line unchanged. The tool neither
	 * splits it into words nor looks for comments in it. */
	COMMAND_REST = 2,
	/* With `> FILE` after the command, the command's output goes to a file.
	 */
	COMMAND_PRINTS = 4,
	/* The second word must be typed in full, and a word other than `if`
	 * must follow. Otherwise the second word is an argument: `break exit`
	 * breaks at the function exit(). */
	COMMAND_IN_FULL = 8,
	/* The arguments include names of functions, so the tokenizer gets the
	 * flag TOKEN_NAMES. */
	COMMAND_NAMES = 32,
	/* The word of a label may also stand without its colon. The word is not
	 * an argument then. */
	COMMAND_LABEL_IS_WORD = 64,
	/* At least two letters of the second word must be typed, because with
	 * fewer letters the word is an argument: `print n` prints a variable.
	 */
	COMMAND_TWO_LETTERS = 16,
	/* With COMMAND_IN_FULL: nothing need follow the second word. */
	COMMAND_ALONE = 128,
};

#define ANY_NUMBER 1000000u

struct command {
	/* One or two words in lower case. Other spellings of a word follow it
	 * after `|`. */
	const char *words;
	/* The arguments in the form that help shows: "FROM TO [owner=...]". */
	const char *arguments;
	const char *summary; /* what the command does, in one line */
	/* The long help: paragraphs of one line each. A line that starts with
	 * blanks is an example. */
	const char *help;
	/*
	 * What may stand in the place of each argument: items separated by
	 * blanks. An item consists of alternatives separated by `|`. An
	 * alternative is a literal word, or the name of a source of candidates
	 * in argument_candidates.c, such as `@function`. "..." after an item
	 * repeats this item for all further arguments.
	 */
	const char *complete;
	/*
	 * The memo's names of parameters, separated by `|`. The tool removes
	 * them: `From Node: 1` becomes 1. A name that ends in `=` replaces the
	 * label: `Buckets: 8` becomes buckets=8.
	 */
	const char *labels;
	unsigned flags;
	/* the least and the greatest number of arguments; not used with
	 * COMMAND_REST */
	unsigned least, most;
	/* What the tool asks the user for, at a prompt, if an argument is
	 * missing: names in the order of the arguments, separated by `|`, for
	 * example "From Node|To Node". NULL: the tool asks for nothing. */
	const char *asks;
	command_fn *run;
	/* Words that may stand in the place of the second word and select this
	 * command, because they are its argument: the names of settings. The
	 * function returns NULL after the last word. */
	const char *(*nouns)(size_t index);
};

struct command_family {
	const char *name;
	const struct command *commands; /* array; `words` of the last entry is
					 * NULL */
};

/* The last family has a NULL name. */
extern const struct command_family command_families[];

extern const struct command program_commands[];
extern const struct command look_commands[];
extern const struct command context_commands[];
extern const struct command break_commands[];
extern const struct command place_commands[];
extern const struct command watch_commands[];
extern const struct command node_commands[];
extern const struct command histogram_commands[];
extern const struct command print_commands[];
extern const struct command picture_commands[];
extern const struct command top_commands[];
extern const struct command spy_commands[];
extern const struct command profile_commands[];
extern const struct command expect_commands[];
extern const struct command session_commands[];

/* Returns the command at this index among all commands of all families, in
 * order, or NULL after the last one. The first index is 0. */
const struct command *command_at(size_t index);

/* Appends the words of a command as help shows them: "break exit|xit" becomes
 * "break exit". */
void command_name(const struct command *command, struct str *out);

/*
 * Finds the next spelling of a word of a command. `word` is 0 or 1, for the
 * first or the second word. `*cursor` must be 0 before the first call. Returns
 * false if there are no more spellings. `*text` is not terminated by a NUL;
 * `*length` is its length.
 */
bool command_spelling(const struct command *command, unsigned word,
		      size_t *cursor, const char **text, size_t *length);

/* Returns the token_flags with which tokenize() splits the arguments of this
 * command. */
unsigned command_token_flags(const struct command *command);

/* If the word is an alias of one or two letters, returns the word that the
 * alias stands for. Otherwise returns NULL. */
const char *command_alias(const char *word);

/* If the word is a command of gdb or perf that the tool does not have, returns
 * one line that says what to use instead. Otherwise returns NULL. */
const char *command_instead(const char *word);

/* Reads a command word from the beginning of the line: letters, digits, `-` and
 * `_`. The word is appended to `word`. Returns the position after the word. If
 * `mark` is not NULL, the function also reads one `!` or `:` after the word and
 * stores it in `*mark`, or 0 if there is none. */
const char *command_word(const char *line, struct str *word, char *mark);

/*
 * Finds the command that a line means. `*rest` is the position after the
 * command's words. `*command` is NULL for an empty line or a comment. Returns
 * ERROR_USAGE if the words are ambiguous or unknown; the error lists the
 * candidates or similar words.
 */
struct error *command_resolve(const char *line, const struct command **command,
			      const char **rest);

/*
 * Finds the choice that a word means. A word that is equal to a choice wins;
 * otherwise the word must be the prefix of exactly one choice. Upper and lower
 * case are not distinguished. `what` names the choices in the error, for
 * example "setting". The last of `choices` is NULL.
 */
struct error *command_choose(const char *word, const char *what,
			     const char *const *choices, size_t *index);

#endif
