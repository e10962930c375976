/*
 * debugtype.h - the types of a program, as its debug information has them
 *
 * A typedef, or a qualified type, is the type it stands for, in all but its
 * name. Types belong to their file and are freed with it; each is made when it
 * is first asked for and is one object for one DIE, so that types which refer
 * to themselves are no difficulty. Two units that define the same type have
 * two: debugtype_is_same() compares.
 */
#ifndef PERFTOOL_DEBUGTYPE_H
#define PERFTOOL_DEBUGTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/base/error.h"

struct debugfile;
struct debugtype;
struct frame_reader;

enum debugtype_kind {
	DEBUGTYPE_VOID,
	DEBUGTYPE_BOOL,
	DEBUGTYPE_INTEGER,
	DEBUGTYPE_CHARACTER, /* printed as such: char, wchar_t, char32_t */
	DEBUGTYPE_FLOAT,     /* of 4, 8 or (long double) 16 bytes */
	DEBUGTYPE_ENUM,
	DEBUGTYPE_POINTER,
	DEBUGTYPE_REFERENCE, /* C++: & and && */
	DEBUGTYPE_ARRAY,
	DEBUGTYPE_STRUCT, /* class too */
	DEBUGTYPE_UNION,
	DEBUGTYPE_FUNCTION,
	DEBUGTYPE_OTHER, /* what nobody computes with: __int128, complex */
};

enum debugtype_kind debugtype_kind(const struct debugtype *type);

/* Bytes; 0: not known (void, a declaration, an array without a length). */
uint64_t debugtype_size(struct debugtype *type);

/* At multiples of how many bytes objects of it lie; at least 1. What a packed
 * structure's members tell is taken into account, as far as they do. */
uint64_t debugtype_alignment(struct debugtype *type);

/* Of integers, characters, enumerations. */
bool debugtype_is_signed(const struct debugtype *type);

/* What is pointed or referred to, an array's element (of several dimensions: an
 * array again), what a function returns. Never NULL for these; void is a type.
 * NULL for others. */
struct debugtype *debugtype_target(struct debugtype *type);

/* Elements of an array; false: not known (flexible, or of variable length). */
bool debugtype_count(const struct debugtype *type, uint64_t *count);

/* As C (or the program's language) writes it, with its scopes: what it was
 * declared as, `const node_t *`. Owned by the type. */
const char *debugtype_name(struct debugtype *type);

/* The type without typedefs and qualifiers around it: itself, mostly. */
struct debugtype *debugtype_plain(struct debugtype *type);

/* The same kind, size and name, all the way down to named types. */
bool debugtype_is_same(struct debugtype *a, struct debugtype *b);

/* ---- structures, unions, classes ---------------------------------------- */

struct debugmember {
	const char *name; /* NULL: anonymous, or a base class */
	struct debugtype *type;
	uint64_t offset;              /* bytes from the beginning */
	uint8_t bit_offset, bit_size; /* from the lowest bit of the bytes at
					 `offset`; size 0: no bit-field */
	bool is_base;                 /* a base class */
	bool is_virtual; /* a virtual base: its place is known only at run time,
			    and `offset` means nothing */
};

/* In the order of the source; those of a declaration are of the definition, if
 * the file has one. `*count` of them, owned by the type. */
const struct debugmember *debugtype_members(struct debugtype *type,
					    size_t *count);

/* A static member of a C++ class, which is a variable `Class::name`. */
struct debugstatic {
	const char *name;
	size_t before; /* it stands before the member of this index */
};
const struct debugstatic *debugtype_statics(struct debugtype *type,
					    size_t *count);

/*
 * A member by its name, in the type itself, then in anonymous members and base
 * classes: `*out` is it with its offset from the beginning of `type`. False:
 * there is none, or it is in a virtual base.
 */
bool debugtype_find_member(struct debugtype *type, const char *name,
			   struct debugmember *out);

/*
 * The same in the object at `address`, where virtual bases can be found too:
 * `*out` is the member, and its offset from `address` may be a negative one
 * (it wraps). ERROR_NOT_FOUND: there is none. ERROR_EVALUATE: it is in a
 * virtual base whose place cannot be read.
 */
struct error *debugtype_find_member_of(struct debugtype *type, const char *name,
				       const struct frame_reader *reader,
				       uint64_t address,
				       struct debugmember *out);

/* How far from the object at `address` the virtual base is that is its member
 * number `index` (of debugtype_members()). */
struct error *debugtype_virtual_offset(struct debugtype *type, size_t index,
				       const struct frame_reader *reader,
				       uint64_t address, uint64_t *offset);

/* ---- enumerations -------------------------------------------------------- */

struct debugenumerator {
	const char *name;
	int64_t value; /* of an unsigned one of 64 bits: its bits */
};

const struct debugenumerator *debugtype_enumerators(struct debugtype *type,
						    size_t *count);

/* What is in front of the names of an enumeration's enumerators: `ns::Kind::`;
 * nothing, in C. Owned by the type. */
const char *debugtype_scope(struct debugtype *type);

/* ---- Rust's enumerations that hold values -------------------------------- */

/* Such a type is a structure without members; each of its variants is another
 * in its place. */
struct debugvariant {
	struct debugmember member;
	bool is_default; /* of all discriminants that no other has */
	uint64_t discriminant;
};

/* `*count` of them, owned by the type; 0: it is no such type. */
const struct debugvariant *debugtype_variants(struct debugtype *type,
					      size_t *count);

/* Which of them the value at `address` is; false: it cannot be read, or is
 * none. */
bool debugtype_active_variant(struct debugtype *type,
			      const struct frame_reader *reader,
			      uint64_t address, size_t *index);

/* ---- finding ------------------------------------------------------------- */

/*
 * A type by its name: `struct point`, `point_t`, `ns::Point`, `unsigned long`,
 * as the unit of the code at `address` knows it, else any unit. C's words
 * `struct`, `union`, `enum` and `class` say of what kind it must be. NULL:
 * there is none.
 */
struct debugtype *debugfile_find_type(struct debugfile *file, uint64_t address,
				      const char *name);

/*
 * A type that the program may not have, but somebody has written: a number of
 * so many bytes, an array of so many elements, a function. `name` is copied;
 * the type is owned by the file.
 */
struct debugtype *debugfile_make_type(struct debugfile *file, const char *name,
				      enum debugtype_kind kind, uint64_t size,
				      bool is_signed, struct debugtype *target);

/* The pointer to a type; owned by the file. */
struct debugtype *debugfile_pointer_to(struct debugfile *file,
				       struct debugtype *type);

#endif
