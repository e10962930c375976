/*
 * abi.h - how values are passed and returned: System V ABI for x86-64, 3.2.3,
 * and the C++ ABI's "Non-Trivial Parameters" (3.1.1)
 */
#ifndef PERFTOOL_DEBUGINFO_ABI_H
#define PERFTOOL_DEBUGINFO_ABI_H

#include "debuginfo/types/types.h"

enum abi_way {
	ABI_NOTHING,   /* it has no bytes to pass */
	ABI_REGISTERS, /* `classes` say in which */
	ABI_MEMORY,    /* on the stack; returned: where the caller said */
	ABI_REFERENCE, /* C++: a copy that the caller made, by its address */
	ABI_UNKNOWN,   /* nobody can tell: not C's way, or not known here */
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
	enum abi_class classes[2]; /* of the eightbytes */
	unsigned eightbytes;
	uint64_t alignment; /* on the stack, at least 8 */
};

/* How a value of this type is passed in the language of `unit`. A long double
 * is ABI_REGISTERS of classes that only results may have. */
struct abi_passing abi_classify(struct debugtype *type,
				const struct unit *unit);

/* Are functions of the unit's language called as C's are, as far as scalars
 * go? */
bool abi_is_known(const struct unit *unit);

/* May objects of a class of C++ be copied and destroyed as bytes are? */
enum triviality { TRIVIAL, NOT_TRIVIAL, NOT_KNOWN };

enum triviality abi_triviality(struct debugtype *type);

#endif
