/*
 * procedures.h - the procedures that profiles speak of, each with a number
 *
 * A procedure is a function of the program or of a library. An inlined function
 * and its copy out of line are one procedure. The Spy's waits are procedures,
 * too (doc/RULES.md, "Profiles"): they are innermost frames such as
 * `waiting.read`, and have no code.
 */
#ifndef PERFTOOL_PROFILE_PROCEDURES_H
#define PERFTOOL_PROFILE_PROCEDURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/base/map.h"
#include "perftool/base/vec.h"

/* No procedure: the caller of a function that nobody is known to have called.
 */
#define NO_PROCEDURE UINT32_MAX

struct procedure {
	const char *name; /* readable; of code without a symbol `lib+0x12a0` */
	const char
		*module;  /* file name of the program or library; "" of waits */
	const char *file; /* the source file of its definition, or NULL */
	uint32_t line;    /* of its definition; 0: not known */
	/* where its code begins, an address of the module's file; 0: not known,
	 * or it has only inlined copies */
	uint64_t address;
	bool is_wait;
};

/* All zero is the empty table. */
struct procedures {
	VEC(struct procedure) list; /* by number */
	struct map by_hash;
};

void procedures_deinit(struct procedures *procedures);

/* Return the number of a procedure, which gets one if it has none yet. Two
 * procedures are the same if they have the same name, module, file and line; if
 * the file is not known, they must have the same address, too. The texts are
 * copied. */
uint32_t procedures_number(struct procedures *procedures,
			   const struct procedure *procedure);

/* Does another procedure have the same name? Its name is then shown with
 * `@module`. */
bool procedures_share_name(const struct procedures *procedures,
			   uint32_t number);

#endif
