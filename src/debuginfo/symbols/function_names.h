/*
 * function_names.h - functions by their display names (demangled, without
 * parameters), and demangling
 */
#ifndef PERFTOOL_DEBUGINFO_FUNCTION_NAMES_H
#define PERFTOOL_DEBUGINFO_FUNCTION_NAMES_H

#include "debuginfo/elf/elf.h"
#include "symbol_table.h"

struct name_entry {
	/* demangled without parameters, or the linked name */
	const char *name;
	uint32_t symbol; /* index in struct symbols */
	bool owned;      /* the demangler made `name`, so it must be freed */
};

/* The display name of every function, sorted by name. Cold parts are not among
 * them. */
struct names {
	struct name_entry *list;
	size_t count;
};

struct names *file_names(struct debugfile *file);
void names_destroy(struct names *names);

/* Demangle a name. Each function returns NULL if `name` is not a mangled name;
 * the caller frees the result. */
char *demangle_plain(const char *name); /* ns::Foo<int>::bar */
/* With the parameters, as (int), but without the type that the function
 * returns. */
char *demangle_parameters(const char *name);
/* With the hash that names of Rust's older scheme end in. Two instances of a
 * generic function differ only in this hash. */
char *demangle_hashed(const char *name); /* r::inner::h8768f3789d3406c3 */

/* The name in the source of a name that GNAT has linked, in small letters:
 * package.name for package__name, and name for _ada_name. Those that Ada gives
 * one name have a number, as GNAT has it: package.name__2. NULL: it is not the
 * linked name of a subprogram, or is the same in the source. */
char *demangle_ada(const char *name);

/* Does a demangled name end in the hash of Rust's older scheme? */
bool has_hash(const char *name);

/* Could `name` be a mangled name at all? */
bool is_mangled(const char *name);

#endif
