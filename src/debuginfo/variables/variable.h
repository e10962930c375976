/*
 * variable.h - a variable that was found, and how to read its value
 */
#ifndef PERFTOOL_DEBUGINFO_VARIABLE_H
#define PERFTOOL_DEBUGINFO_VARIABLE_H

#include "debuginfo/frames/frames.h"
#include "debuginfo/locations/locations.h"
#include "debuginfo/types/types.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/debug_variables.h"

enum variable_source {
	SOURCE_CONSTANT, /* the value is `constant` */
	SOURCE_LOCATION, /* the expression `location` gives the place */
	/* at the function's entry or return: `entry` gives the place */
	SOURCE_ENTRY,
	SOURCE_SYMBOL,  /* `symbol` gives the address */
	SOURCE_NOWHERE, /* optimized out */
};

struct variable {
	struct debugfile *file;
	/* the unit that has the expressions `location` and `frame_base` */
	struct unit *unit;
	struct debugtype *type;
	bool is_local;
	bool is_external;
	/* the variable's linked name, if the debug information only declares
	 * it; else NULL */
	char *declared;
	/* the function that has the local variable; abbrev NULL: the variable
	 * is not local */
	struct die function;
	/* the address at which the variable was looked up */
	uint64_t address;
	enum variable_source source;
	struct piece constant;
	struct bytes location, frame_base;
	struct known_cfa cfa; /* the rule for the CFA at `address` */
	/* the variable's address is the CFA plus frame_offset */
	bool is_in_frame;
	int64_t frame_offset;
	/* for SOURCE_NOWHERE: text that says where the variable has a value */
	struct str elsewhere;
	struct entry_place entry;
	struct data_symbol symbol;
};

struct visible;

/* Make the variable for a DIE that is visible at `address`, and find its place.
 * `at_entry` is as in debugfile_find_variable(). The caller frees it with
 * variable_destroy(). */
struct error *variable_create(struct debugfile *file, uint64_t address,
			      bool at_entry, const struct visible *visible,
			      struct variable **out);

/* Is the DIE only a declaration of a variable that is defined elsewhere? */
bool variable_is_declaration(struct debugfile *file, const struct die *die);

#endif
