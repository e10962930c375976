/*
 * spelling.h - the ways in which compilers spell template arguments in names
 */
#ifndef PERFTOOL_DEBUGINFO_SPELLING_H
#define PERFTOOL_DEBUGINFO_SPELLING_H

/* gcc writes `long int` and `char const*`, clang `long` and `const char *`.
 * Two templates end in `> >` with most versions, but in `>>` with recent
 * versions of clang. */
enum spelling { SPELLING_GCC, SPELLING_CLANG, SPELLING_CLANG_NEW };
#define SPELLING_COUNT 3

/* Rewrite the name of a type, as a user has written it, in the spelling of the
 * compiler `how`. The caller frees the result. */
char *spell(const char *name, enum spelling how);

#endif
