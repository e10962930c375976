/*
 * signature.h - the parts of a C++ or Rust function's name
 *
 * People and demanglers spell the same name in different ways. A signature has
 * only one spelling: it has no blanks, `const` is behind the type that it
 * qualifies, `unsigned` is `unsigned int`, `long int` is `long`, and 64ul is
 * 64. std::string is the template that it stands for, and arguments of std's
 * templates that equal their defaults are left out. Every text can be read;
 * text that is not understood is kept as it is.
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

/* The text between two `::`, for example `bar<int>(int) const`. The scope of a
 * function may be a function, too: `main::{lambda(int)#1}::operator()(int)
 * const`. */
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

/* Read `text` into `signature`, which is zero or was used before. If a type
 * stands before the name, it is left out. */
void signature_read(struct signature *signature, const char *text);
void signature_deinit(struct signature *signature);

/* The whole text of a type in the same spelling. The caller frees it. */
char *signature_of_type(const char *text);

/* The length of "operator()", "operator<<" and the like at `at`, where the
 * signs are part of a name and not brackets. 0: there is no such operator.
 * `text` is the beginning of the whole name. */
size_t operator_length(const char *text, const char *at);

/* The beginning of the list of parameters, or the end of the text if there is
 * none. */
const char *find_parameters(const char *text);

#endif
