/*
 * signature.h - the name of a C++ or Rust function, taken apart
 *
 * What people and demanglers write differently is the same here: blanks are
 * gone, `const` stands behind what it is about, `unsigned` is `unsigned int`
 * and `long int` is `long`, 64ul is 64; std::string is the template it stands
 * for, and the arguments of std's templates that are what they are by default
 * are left out. No text is refused: what cannot be understood is kept.
 */
#ifndef PERFTOOL_DEBUGINFO_SIGNATURE_H
#define PERFTOOL_DEBUGINFO_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

#include "perftool/base/str.h"
#include "perftool/base/vec.h"

/* A piece of the signature's text; of length 0 if there is none. */
struct span {
	size_t begin, length;
};

/* What is between two `::`, as `bar<int>(int) const`. A function's scope may
 * be a function, too: `main::{lambda(int)#1}::operator()(int) const`. */
struct name_part {
	struct span word, arguments, parameters, qualifiers;
};

struct signature {
	struct str text;
	VEC(struct name_part) parts;
	struct span kind;  /* "non-virtual thunk to" */
	struct span clone; /* "[clone.isra.0]" */
	bool is_global;    /* it began with `::` */
};

/* Take `text` apart; zero or one that was used before is made anew. A type in
 * front of the name is left out. */
void signature_read(struct signature *signature, const char *text);
void signature_deinit(struct signature *signature);

/* The whole text of a type, in the same form; the caller frees it. */
char *signature_of_type(const char *text);

/* Length of "operator()", "operator<<" and the like at `at`, where the signs
 * are part of a name and not brackets; 0 when there is none. `text` is where
 * the name begins. */
size_t operator_length(const char *text, const char *at);

/* Where the list of parameters begins, or the end of the text. */
const char *find_parameters(const char *text);

#endif
