/*
 * abi.h - how a function's parameters and result are passed, by their types
 *
 * The sources are the System V ABI for x86-64, 3.2.3, and the C++ ABI's
 * "Non-Trivial Parameters" (3.1.1).
 */
#ifndef PERFTOOL_DEBUGINFO_ABI_H
#define PERFTOOL_DEBUGINFO_ABI_H

#include "debuginfo/types/types.h"

enum abi_way {
	ABI_NOTHING,   /* the value has no bytes to pass */
	ABI_REGISTERS, /* in the registers that `classes` says */
	/* a parameter: on the stack; a result: at an address that the caller
	 * passes */
	ABI_MEMORY,
	/* only C++: the address of a copy that the caller made is passed */
	ABI_REFERENCE,
	/* not known: the language does not pass this value as C does, or this
	 * file does not support the type */
	ABI_UNKNOWN,
};

enum abi_class {
	CLASS_NONE, /* padding */
	CLASS_INTEGER,
	CLASS_SSE,
	CLASS_SSEUP, /* the second half of a vector register */
	CLASS_X87,   /* with CLASS_X87UP: a long double */
	CLASS_X87UP,
	CLASS_COMPLEX_X87,
	CLASS_MEMORY,
};

struct abi_passing {
	enum abi_way way;
	/* of the value's first and second 8 bytes (in the ABI's words,
	 * eightbytes) */
	enum abi_class classes[2];
	unsigned eightbytes;
	/* alignment of the value if it is on the stack: in bytes, at least 8 */
	uint64_t alignment;
};

/* How the language of `unit` passes a value of this type. A long double has
 * ABI_REGISTERS, with classes that are valid only for results; as a parameter
 * it is on the stack. */
struct abi_passing abi_classify(struct debugtype *type,
				const struct unit *unit);

/* Is the unit written in Fortran? Fortran passes the addresses of arguments,
 * unless they are declared VALUE. */
bool abi_is_fortran(const struct unit *unit);

/* Are scalars passed in the unit's language as they are in C? */
bool abi_is_known(const struct unit *unit);

/* Is an object of a C++ class trivial, so that it can be copied by copying its
 * bytes, and needs no destructor? */
enum triviality { TRIVIAL, NOT_TRIVIAL, NOT_KNOWN };

enum triviality abi_triviality(struct debugtype *type);

#endif
