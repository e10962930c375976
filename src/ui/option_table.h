/*
 * option_table.h - the options and the subcommands of perftool
 *
 * Each of them is declared once, in option_table.c. What reads the command line
 * (options.c), `--help`, the completions of the three shells and
 * doc/reference.md are made from that.
 */
#ifndef UI_OPTION_TABLE_H
#define UI_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "perftool/base/str.h"

/* The first word of the command line, if it is one of these. */
enum subcommand {
	SUBCOMMAND_NONE,
	SUBCOMMAND_TOP,
	SUBCOMMAND_SERVE,
	SUBCOMMAND_WHO,
	SUBCOMMAND_CTL,
	SUBCOMMAND_COMPARE,
	SUBCOMMAND_MERGE,
	SUBCOMMAND_COUNT,
};

/* What getopt_long() returns for an option that has no letter. */
enum option_key {
	OPTION_FOR = 256,
	OPTION_EVERY,
	OPTION_DELTA,
	OPTION_DEBUGINFO,
	OPTION_COLOR,
	OPTION_MAN,
	OPTION_CHILDREN,
	OPTION_PENDING,
	OPTION_PROFILE,
	OPTION_SOCKET,
	OPTION_WAIT,
	OPTION_HTTP,
	OPTION_JSON,
	OPTION_FAIL_IF,
	OPTION_WARMUP
};

struct option_entry {
	int key;          /* the letter of the option, or an option_key */
	const char *name; /* the long name, without its dashes */
	/* What the argument is, as `--help` shows it: FILE; [=PORT] if it may
	 * be left out. NULL: the option takes no argument. */
	const char *argument;
	/* How shells complete the argument: @file, @directory, @process (the
	 * number of one), @text (not at all), or the words that there are, with
	 * blanks between them. */
	const char *completes;
	/* OF(SUBCOMMAND_X) of each that takes the option. If it means something
	 * else with some subcommands, it has a row for these, too. */
	unsigned of;
	/*
	 * What `--help` says; the function usage_print() breaks it into lines.
	 * Shells show the part before the first `(', `:' or `;' beside the
	 * option, so that part must be a whole phrase, without an apostrophe.
	 * NULL: the option is for the build alone, and is shown nowhere.
	 */
	const char *help;
};

#define OF(subcommand) (1u << (subcommand))

/* What the words are that follow the options. */
enum operands {
	OPERANDS_PROGRAM, /* a program and its arguments */
	OPERANDS_NOTHING,
	OPERANDS_SERVED, /* the number of a process that is served, a command */
	OPERANDS_FILES,  /* options may follow these */
};

struct subcommand_entry {
	const char *word; /* "" for SUBCOMMAND_NONE */
	enum operands operands;
	/* Words with blanks between them that may stand among the operands;
	 * NULL: none. */
	const char *words;
	const char *summary;  /* a phrase, without an apostrophe */
	const char *synopsis; /* lines that follow "Usage: perftool" */
	const char *about;    /* what `--help` says above the options */
	const char *examples; /* and below them */
};

/* The index is an enum subcommand. */
extern const struct subcommand_entry subcommand_table[SUBCOMMAND_COUNT];

/* Ends with an entry whose name is NULL. */
extern const struct option_entry option_table[];

/* Appends the beginning of the help of an option, as far as shells show it. */
void option_summary(const struct option_entry *option, struct str *out);

/*
 * Appends a line for each option, and for each subcommand, for the completions
 * of shells. Fields are separated by `|`:
 *
 *     LETTER|NAME|ARGUMENT|COMPLETES|SUBCOMMANDS|SUMMARY
 *     WORD|OPERANDS|WORDS|SUMMARY
 *
 * SUBCOMMANDS are words with blanks between them, in which "perftool" stands
 * for no subcommand. OPERANDS is program, nothing, served or files.
 */
void option_lines(struct str *out);
void subcommand_lines(struct str *out);

/* Appends the tables of options and subcommands for doc/reference.md. */
void option_reference(struct str *out);
void subcommand_reference(struct str *out);

#endif
