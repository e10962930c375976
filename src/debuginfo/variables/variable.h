/*
 * variable.h - a variable that was found: how its value can be had
 */
#ifndef PERFTOOL_DEBUGINFO_VARIABLE_H
#define PERFTOOL_DEBUGINFO_VARIABLE_H

#include "debuginfo/frames/frames.h"
#include "debuginfo/locations/locations.h"
#include "debuginfo/types/types.h"
#include "perftool/base/str.h"

enum variable_source {
	SOURCE_CONSTANT, /* `constant` */
	SOURCE_LOCATION, /* the expression `location` */
	SOURCE_ENTRY,    /* `entry` */
	SOURCE_SYMBOL,   /* `symbol` */
	SOURCE_NOWHERE,  /* optimized out */
};

struct variable {
	struct debugfile *file;
	struct unit *unit; /* of the expressions */
	struct debugtype *type;
	bool is_local;
	bool is_external;
	char *declared; /* its symbol, of one that is only declared; else NULL
			 */
	struct die function; /* of a local; abbrev NULL: of none */
	uint64_t address;    /* for which it was found */
	enum variable_source source;
	struct piece constant;
	struct bytes location, frame_base;
	struct known_cfa cfa; /* at `address` */
	bool is_in_frame;     /* `location` is the CFA and frame_offset */
	int64_t frame_offset;
	struct str elsewhere; /* of SOURCE_NOWHERE: where it has a value */
	struct entry_place entry;
	struct data_symbol symbol;
};

struct visible;

/* The variable that was found for `address`: where it is. */
struct error *variable_create(struct debugfile *file, uint64_t address,
			      bool at_entry, const struct visible *visible,
			      struct variable **out);

/* Is it only the declaration of what is elsewhere? */
bool variable_is_declaration(struct debugfile *file, const struct die *die);

#endif
