/*
 * patterns.h - does a function's name match a pattern of the user?
 */
#ifndef PERFTOOL_DEBUGINFO_PATTERNS_H
#define PERFTOOL_DEBUGINFO_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>

#include "perftool/base/vec.h"
#include "signature.h"

VEC_STRUCT(needle_list, char *);

/* A pattern that the user has written, parsed once. */
struct pattern {
	const char *text;
	bool glob;
	char *plain; /* the pattern without parameters and blanks */
	/* the number of characters before the first that is special in a glob
	 */
	size_t literal;
	/* "(int)" without blanks; NULL: any parameters match */
	char *parameters;
	/* Strings that every matching mangled name contains. Names without
	 * them need not be demangled, which saves most of the time. */
	struct needle_list needles;
	bool has_arguments;      /* the pattern has template arguments */
	struct signature wanted; /* not used if the pattern is a glob */
	bool has_details; /* the pattern has parameters or `[clone ...]` */
};

void pattern_init(struct pattern *pattern, const char *text);

/* Like pattern_init(), but treat the text as a glob even if its `*` could
 * belong to a type, as in `f(char*)`. */
void pattern_init_glob(struct pattern *pattern, const char *text);

void pattern_deinit(struct pattern *pattern);

/* Does the pattern match a linked name that is not a mangled name? */
bool pattern_matches_linked(const struct pattern *pattern, const char *name);

/* Does the pattern match a mangled name? */
bool pattern_matches_mangled(const struct pattern *pattern, const char *name);

/* Does the name `found` have every part (scope, arguments, parameters ...) that
 * the name `wanted` has, and are these parts the same? */
bool signature_matches(const struct signature *wanted,
		       const struct signature *found);

/* Does the pattern match a name from the debug information, which may be
 * mangled or not? */
bool pattern_matches(const struct pattern *pattern, const char *name);

#endif
