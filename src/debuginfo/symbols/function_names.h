/*
 * function_names.h - functions by the names people use for them
 */
#ifndef PERFTOOL_DEBUGINFO_FUNCTION_NAMES_H
#define PERFTOOL_DEBUGINFO_FUNCTION_NAMES_H

#include "debuginfo/elf/elf.h"
#include "symbol_table.h"

struct name_entry {
	const char *name; /* demangled without parameters, or as linked */
	uint32_t symbol;  /* index */
	bool owned;       /* `name` was made by the demangler */
};

/* Every function's name for people, sorted. Cold parts are not among them. */
struct names {
	struct name_entry *list;
	size_t count;
};

struct names *file_names(struct debugfile *file);
void names_destroy(struct names *names);

/* A demangled name, or NULL when it is not a mangled one. The caller frees. */
char *demangle_plain(const char *name); /* ns::Foo<int>::bar */
/* ... with (int), but not with the type that is returned */
char *demangle_parameters(const char *name);
/* ... with the hash that Rust's older names end in: the instances of a generic
 * function differ in nothing else. */
char *demangle_hashed(const char *name); /* r::inner::h8768f3789d3406c3 */

/* Does a demangled name end in such a hash? */
bool has_hash(const char *name);

/* Could `name` be a mangled one at all? */
bool is_mangled(const char *name);

#endif
