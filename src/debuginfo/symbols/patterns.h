/*
 * patterns.h - does a function's name match what was asked for?
 */
#ifndef PERFTOOL_DEBUGINFO_PATTERNS_H
#define PERFTOOL_DEBUGINFO_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>

#include "perftool/base/vec.h"
#include "signature.h"

VEC_STRUCT(needle_list, char *);

/* What was asked for, read once. */
struct pattern {
	const char *text;
	bool glob;
	char *plain;      /* without parameters and blanks */
	char *parameters; /* "(int)" without blanks, or NULL: any */
	/* What every mangled name that matches has in it: saves demangling all
	 * others. */
	struct needle_list needles;
	bool has_arguments;      /* template arguments were given */
	struct signature wanted; /* unless it is a glob */
	bool has_details;        /* parameters are in it, or `[clone ...]` */
};

void pattern_init(struct pattern *pattern, const char *text);

/* The same of a text that is a glob, though its signs could be those of types:
 * `f(char*)`. */
void pattern_init_glob(struct pattern *pattern, const char *text);

void pattern_deinit(struct pattern *pattern);

/* Of a name as linked, that is no mangled one. */
bool pattern_matches_linked(const struct pattern *pattern, const char *name);

/* Of a mangled name. */
bool pattern_matches_mangled(const struct pattern *pattern, const char *name);

/* Is all that was written the same of what was found? */
bool signature_matches(const struct signature *wanted,
		       const struct signature *found);

/* Of either, as debug information has it. */
bool pattern_matches(const struct pattern *pattern, const char *name);

#endif
