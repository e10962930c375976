/*
 * abi.h - how values are passed and returned
 *
 * The sources are the System V ABI for x86-64, 3.2.3, and the C++ ABI's
 * "Non-Trivial Parameters" (3.1.1).
 */
#ifndef PERFTOOL_DEBUGINFO_ABI_H
#define PERFTOOL_DEBUGINFO_ABI_H

#include "debuginfo/types/types.h"

enum abi_way {
	ABI_NOTHING,   /* the value has no bytes to pass */
	ABI_REGISTERS, /* in the registers that `classes` say */
	ABI_MEMORY,    /* on the stack; a result: where the caller has told */
	/* C++: by the address of a copy that the caller made */
	ABI_REFERENCE,
	/* not known: the language does not pass it as C does, or it is not
	 * supported here */
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
	enum abi_class classes[2]; /* of each eightbyte */
	unsigned eightbytes;
	uint64_t alignment; /* on the stack, in bytes, at least 8 */
};

/* How the language of `unit` passes a value of this type. A long double has
 * ABI_REGISTERS, with classes that only results may have. */
struct abi_passing abi_classify(struct debugtype *type,
				const struct unit *unit);

/* Are scalars passed in the unit's language as they are in C? */
bool abi_is_known(const struct unit *unit);

/* May an object of a C++ class be copied and destroyed by copying its bytes? */
enum triviality { TRIVIAL, NOT_TRIVIAL, NOT_KNOWN };

enum triviality abi_triviality(struct debugtype *type);

#endif
