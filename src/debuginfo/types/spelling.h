/*
 * spelling.h - how compilers write the arguments of templates in names
 */
#ifndef PERFTOOL_DEBUGINFO_SPELLING_H
#define PERFTOOL_DEBUGINFO_SPELLING_H

/* `long int` and `char const*` (gcc), or `long` and `const char *` (clang); two
 * templates end in `> >` (most), or in `>>` (clang, of late). */
enum spelling { SPELLING_GCC, SPELLING_CLANG, SPELLING_CLANG_NEW };
#define SPELLING_COUNT 3

/* The name of a type, as somebody has written it, in the way of that compiler.
 * The caller frees it. */
char *spell(const char *name, enum spelling how);

#endif
