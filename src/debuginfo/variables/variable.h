/*
 * variable.h - a variable that was found, and how to read its value
 */
#ifndef PERFTOOL_DEBUGINFO_VARIABLE_H
#define PERFTOOL_DEBUGINFO_VARIABLE_H

#include "debuginfo/frames/frames.h"
#include "debuginfo/locations/locations.h"
#include "debuginfo/types/types.h"
#include "perftool/base/str.h"

enum variable_source {
	SOURCE_CONSTANT, /* the value is `constant` */
	SOURCE_LOCATION, /* the expression `location` gives its place */
	SOURCE_ENTRY,    /* `entry` gives its place */
	SOURCE_SYMBOL,   /* `symbol` gives its place */
	SOURCE_NOWHERE,  /* optimized out */
};

struct variable {
	struct debugfile *file;
	struct unit *unit; /* the unit of the expressions */
	struct debugtype *type;
	bool is_local;
	bool is_external;
	/* the linked name, if it is only declared; else NULL */
	char *declared;
	struct die function; /* of a local; abbrev NULL: in no function */
	uint64_t address;    /* the address for which it was found */
	enum variable_source source;
	struct piece constant;
	struct bytes location, frame_base;
	struct known_cfa cfa; /* the rule at `address` */
	bool is_in_frame;     /* its place is the CFA plus frame_offset */
	int64_t frame_offset;
	/* for SOURCE_NOWHERE: where the variable has a value */
	struct str elsewhere;
	struct entry_place entry;
	struct data_symbol symbol;
};

struct visible;

/* Make the variable for a DIE that is visible at `address`, and find its
 * place. The caller frees it with variable_destroy(). */
struct error *variable_create(struct debugfile *file, uint64_t address,
			      bool at_entry, const struct visible *visible,
			      struct variable **out);

/* Is the DIE only a declaration of a variable that is defined elsewhere? */
bool variable_is_declaration(struct debugfile *file, const struct die *die);

#endif
