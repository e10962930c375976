/*
 * signature.h - the parts of a C++ or Rust function's name
 *
 * People and demanglers spell the same name in different ways. A signature has
 * only one spelling: it has no blanks, `const` is behind the type that it
 * qualifies, `unsigned` is `unsigned int`, `long int` is `long`, and 64ul is
 * 64. std::string is the template that it stands for, and arguments of std's
 * templates that equal their defaults are left out. The functions accept every
 * text; they keep what they do not understand as it is.
 */
#ifndef PERFTOOL_DEBUGINFO_SIGNATURE_H
#define PERFTOOL_DEBUGINFO_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

#include "perftool/base/str.h"
#include "perftool/base/vec.h"

/* A part of the signature's text. Its length is 0 if the name has no such
 * part. */
struct span {
	size_t begin, length;
};

/*
 * One component of a name, which stands between two `::`, for example
 * `bar<int>(int) const`. Every component may have parameters, because the scope
 * of a function may be a function, too: `main::{lambda(int)#1}::operator()(int)
 * const`.
 */
struct name_part {
	struct span word, arguments, parameters, qualifiers;
};

struct signature {
	struct str text;
	VEC(struct name_part) parts;
	struct span kind;  /* for example "non-virtual thunk to" */
	struct span clone; /* for example "[clone.isra.0]" */
	bool is_global;    /* the text began with `::` */
};

/* Read the name `text` into `signature`, which is zero or was used before. A
 * type before the name, as in `int f(char)`, is left out. */
void signature_read(struct signature *signature, const char *text);
void signature_deinit(struct signature *signature);

/* Rewrite the text of a type in the spelling of signatures. The caller frees
 * it. */
char *signature_of_type(const char *text);

/*
 * The length of "operator()", "operator<<" and the like at `at`. Callers use it
 * because the signs of such a name are not brackets. 0: there is no such
 * operator at `at`. `text` is the beginning of the text that `at` points into.
 */
size_t operator_length(const char *text, const char *at);

/* Find the beginning of a function's list of parameters, or the end of the text
 * if there is no such list. */
const char *find_parameters(const char *text);

#endif
