/*
 * class_table.h - which classes are system classes, and which are I/O classes
 *
 * A class is a source file or a module. Its type is set for the class itself or
 * for a package, which is a prefix of a path or of a name. The most specific
 * setting applies: that of the source file, then that of the module, then that
 * of the longest package. This file knows no session.
 */
#ifndef OPERATIONS_CLASS_TABLE_H
#define OPERATIONS_CLASS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/base/vec.h"

#include "operations/holders.h"

enum class_type {
	CLASS_NORMAL,
	CLASS_SYSTEM = 1,
	CLASS_IO = 2,
	CLASS_SYSTEM_IO = CLASS_SYSTEM | CLASS_IO
};

struct class_entry {
	char *name;
	bool is_package, is_builtin;
	enum class_type type;
	struct holders holders;
};

struct class_table {
	VEC(struct class_entry) list;
};

/* The table begins with what is built in. */
void class_table_init(struct class_table *table);
void class_table_deinit(struct class_table *table);

/* A class by all of its names, each of which may be NULL. */
struct class_names {
	const char *source;      /* file name of the source file */
	const char *source_path; /* as the compiler recorded it */
	const char *module;      /* file name of the module */
	const char *module_path;
};
enum class_type class_table_type(const struct class_table *table,
				 const struct class_names *names);

/* Sets a type. A package removes what was set below it: all classes and
 * packages whose names begin with its name. `owner`: see holders.h. */
void class_table_set(struct class_table *table, const char *name,
		     bool is_package, enum class_type type, uint32_t owner);
/* Removes the settings whose type has one of the bits of `bits`, or all if
 * `bits` is 0. What is built in stays. */
void class_table_clear(struct class_table *table, unsigned bits);
/* A front end is gone: removes what it has set as its own. */
void class_table_forget(struct class_table *table, uint32_t owner);

/* Returns "NORMAL", "SYSTEM", "IO" or "SYSTEM_IO". */
const char *class_type_name(enum class_type type);
/* Reads such a word; the case of letters does not matter. False: it is none. */
bool class_type_parse(const char *word, enum class_type *out);

#endif
