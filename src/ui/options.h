/*
 * options.h - the command line of perftool
 */
#ifndef UI_OPTIONS_H
#define UI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "perftool/base/error.h"
#include "perftool/base/vec.h"
#include "perftool/library.h"

#include "option_table.h"

/* What one option asks the tool to do before the prompt appears, or instead of
 * a prompt. */
struct task {
	enum { TASK_SCRIPT, TASK_LINE, TASK_TIME } kind; /* -x, -e, -t */
	const char *text;                                /* the argument of the
							  * option; points into
							  * argv */
};

/* The most runs of --repeat and --warmup. */
#define RUNS_MAX 100000

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct options {
	VEC(struct task) tasks;
	VEC(int) pids; /* -p: processes to attach to */
	bool pending;  /* --pending: has the same effect as `set pending on` */
	/* --children: also attach to the children that the processes of -p have
	 * already */
	bool children;
	bool batch; /* -b or -t: there is no prompt */
	enum subcommand subcommand;
	const char *socket; /* --socket: a path; NULL: not given */
	/* --wait-front-end, and its duration in ns; 0: no limit */
	bool waits_for_front_end;
	uint64_t patience;
	/* --http, and its port; 0: one that is free */
	bool has_page;
	uint16_t port;
	bool json;                    /* --json, of `who` */
	VEC(const char *) conditions; /* --fail-if, of `compare` */
	size_t runs;                  /* --repeat; 0: not given */
	size_t warmups;               /* --warmup */
	bool quiet, no_rc, help, version;
	VEC(const char *) debug_directories; /* --debuginfo */
	uint64_t duration;                   /* --for, in ns; 0: not given */
	uint64_t every;                      /* --every: in ns; 0: not given */
	bool delta;                          /* --delta */
	const char *output;                  /* -o: a path; NULL: not given */
	/* -f; PERFTOOL_FORMAT_AS_SET: not given */
	enum perftool_format format;
	bool format_by_name; /* the ending of the file of -o has chosen it */
	enum color color;
	const char *man; /* --man: only the build uses this */
	/* The program and its arguments, the words of the command of `ctl`, or
	 * the files of `compare`;
	 * NULL after the last one. The array is a part of argv. */
	char **program;
	int program_count; /* number of words in `program`; 0: no program was
			    * given */
};

/* Reads the command line. The options end at the first word that is not an
 * option: that word is the program, and the words after it belong to the
 * program. Returns ERROR_USAGE if the command line is wrong; `*out` is then
 * not set. On success the caller calls options_deinit(). `*out` points into
 * argv. */
struct error *options_parse(int argc, char **argv, struct options *out);
/* Returns the first argument of the program that has the form and the name of
 * an option of perftool, or NULL if there is no such argument. The user may
 * have meant such an argument for perftool. */
const char *options_behind(const struct options *options);
void options_deinit(struct options *options);

#endif
