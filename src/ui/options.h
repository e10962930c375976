/*
 * options.h - the command line
 */
#ifndef UI_OPTIONS_H
#define UI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "perftool/base/error.h"
#include "perftool/base/vec.h"
#include "perftool/command.h"

/* Something to do before the prompt, or instead of one. */
struct task {
	enum { TASK_SCRIPT, TASK_LINE, TASK_TIME } kind; /* -x, -e, -t */
	const char *text;                                /* of argv */
};

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct options {
	VEC(struct task) tasks;
	VEC(int) pids; /* -p */
	bool pending;  /* --pending: `set pending on' */
	bool children; /* --children: of those, that are there already */
	bool batch;    /* -b or -t */
	bool quiet, no_rc, help, version;
	VEC(const char *) debug_directories; /* --debuginfo */
	uint64_t duration;                   /* --for, ns; 0: not given */
	uint64_t every;                      /* --every, the same */
	bool delta;                          /* --delta */
	const char *output;                  /* NULL: not given */
	bool format_given;
	enum report_format format;
	enum color color;
	const char *man; /* --man: for the build only */
	/* The program and its arguments, NULL-terminated; of argv. */
	char **program;
	int program_count; /* 0: no program given */
};

/* The options end at the first word that is none: the program's own are left
 * alone. ERROR_USAGE. */
struct error *options_parse(int argc, char **argv, struct options *out);
/* What, of the program's arguments, is called like an option; or NULL. */
const char *options_behind(const struct options *options);
void options_deinit(struct options *options);

void options_print_help(FILE *file);

#endif
