/*
 * debugtype.h - the types of a program, as its debug information describes
 * them
 *
 * A typedef or a qualified type equals the type it stands for in everything
 * except its name. Types belong to their file and are freed with it. The
 * reader makes each type when it is first needed, and makes one object for one
 * DIE, so types that refer to themselves need no special treatment. If two
 * units define the same type, there are two objects; debugtype_is_same()
 * compares them.
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
	/* printed as a character: char, wchar_t, char32_t */
	DEBUGTYPE_CHARACTER,
	DEBUGTYPE_FLOAT, /* of 4, 8 or (long double) 16 bytes */
	DEBUGTYPE_ENUM,
	DEBUGTYPE_POINTER,
	DEBUGTYPE_REFERENCE, /* & and && of C++ */
	DEBUGTYPE_ARRAY,
	DEBUGTYPE_STRUCT, /* also a class */
	DEBUGTYPE_UNION,
	DEBUGTYPE_FUNCTION,
	/* types that expressions cannot compute with: __int128, complex */
	DEBUGTYPE_OTHER,
};

enum debugtype_kind debugtype_kind(const struct debugtype *type);

/* The size in bytes; 0: not known (void, a declaration, an array without a
 * length). */
uint64_t debugtype_size(struct debugtype *type);

/* The alignment of objects of the type in bytes, at least 1. For a packed
 * structure the function uses what the offsets of its members reveal. */
uint64_t debugtype_alignment(struct debugtype *type);

/* Is the integer, character or enumeration type signed? */
bool debugtype_is_signed(const struct debugtype *type);

/*
 * The type that a pointer or reference leads to, the element type of an array
 * (of an array of several dimensions, again an array), or the type that a
 * function returns. The result is never NULL for these kinds, since void is a
 * type. It is NULL for all other kinds.
 */
struct debugtype *debugtype_target(struct debugtype *type);

/* The number of elements of an array. False: not known, because the array is
 * flexible or of variable length. */
bool debugtype_count(const struct debugtype *type, uint64_t *count);

/* The name of the type as C (or the program's language) writes it, with its
 * scopes and as it was declared: `const node_t *`. The type owns the string. */
const char *debugtype_name(struct debugtype *type);

/* The type without the typedefs and qualifiers around it. For most types this
 * is the type itself. */
struct debugtype *debugtype_plain(struct debugtype *type);

/* Have the two types the same kind, size and name, and also the types that
 * they are made of, down to named types? */
bool debugtype_is_same(struct debugtype *a, struct debugtype *b);

/* ---- structures, unions, classes ----------------------------------------- */

struct debugmember {
	const char *name; /* NULL: an anonymous member, or a base class */
	struct debugtype *type;
	uint64_t offset; /* bytes from the beginning of the type */
	/* `bit_offset` counts from the lowest bit of the bytes at `offset`;
	 * `bit_size` 0: not a bit-field */
	uint8_t bit_offset, bit_size;
	bool is_base;
	/* a virtual base: its offset is known only at run time, and `offset`
	 * has no meaning */
	bool is_virtual;
};

/* The members in the order of the source. For a declaration, these are the
 * members of the definition, if the file has one. `*count` is their number;
 * the type owns the array. */
const struct debugmember *debugtype_members(struct debugtype *type,
					    size_t *count);

/* A static member of a C++ class: a variable `Class::name`. */
struct debugstatic {
	const char *name;
	size_t before; /* the index of the member it stands before */
};
const struct debugstatic *debugtype_statics(struct debugtype *type,
					    size_t *count);

/* Find a member by its name: in the type itself, then in anonymous members and
 * base classes. The offset in `*out` is from the beginning of `type`. False:
 * there is no such member, or it is in a virtual base. */
bool debugtype_find_member(struct debugtype *type, const char *name,
			   struct debugmember *out);

/*
 * Find a member of the object at `address`, as debugtype_find_member() does,
 * but also in virtual bases. The offset in `*out` is from `address` and may be
 * negative (it wraps). ERROR_NOT_FOUND: there is no such member.
 * ERROR_EVALUATE: the member is in a virtual base whose place cannot be read.
 */
struct error *debugtype_find_member_of(struct debugtype *type, const char *name,
				       const struct frame_reader *reader,
				       uint64_t address,
				       struct debugmember *out);

/* Find the distance in bytes from the object at `address` to the virtual base
 * that is its member number `index` (of debugtype_members()). */
struct error *debugtype_virtual_offset(struct debugtype *type, size_t index,
				       const struct frame_reader *reader,
				       uint64_t address, uint64_t *offset);

/* ---- enumerations -------------------------------------------------------- */

struct debugenumerator {
	const char *name;
	int64_t value; /* for an unsigned one of 64 bits, the same bits */
};

const struct debugenumerator *debugtype_enumerators(struct debugtype *type,
						    size_t *count);

/* The text before the names of an enumeration's enumerators, for example
 * `ns::Kind::`; in C it is empty. The type owns the string. */
const char *debugtype_scope(struct debugtype *type);

/* ---- Rust's enumerations that hold values -------------------------------- */

/* One variant of a Rust enumeration that holds values. The enumeration is a
 * structure without members, and each variant is a structure that takes the
 * enumeration's place. */
struct debugvariant {
	struct debugmember member;
	/* valid for all discriminants that no other variant has */
	bool is_default;
	uint64_t discriminant;
};

/* The variants of a type; `*count` is their number, and the type owns the
 * array. 0: the type is not such an enumeration. */
const struct debugvariant *debugtype_variants(struct debugtype *type,
					      size_t *count);

/* Find which variant the value at `address` is. False: the value cannot be
 * read, or it is none of the variants. */
bool debugtype_active_variant(struct debugtype *type,
			      const struct frame_reader *reader,
			      uint64_t address, size_t *index);

/* ---- finding ------------------------------------------------------------- */

/*
 * Find a type by its name (`struct point`, `point_t`, `ns::Point`, `unsigned
 * long`) as the unit of the code at `address` knows it, else as any unit knows
 * it. C's words `struct`, `union`, `enum` and `class` restrict the kind of the
 * type. NULL: there is no such type. The file owns the type.
 */
struct debugtype *debugfile_find_type(struct debugfile *file, uint64_t address,
				      const char *name);

/* Make a type that the user has written and that the program may not have: a
 * number of so many bytes, an array of so many elements, a function. The
 * function copies `name`; the file owns the type. */
struct debugtype *debugfile_make_type(struct debugfile *file, const char *name,
				      enum debugtype_kind kind, uint64_t size,
				      bool is_signed, struct debugtype *target);

/* The pointer type to a type. The file owns it. */
struct debugtype *debugfile_pointer_to(struct debugfile *file,
				       struct debugtype *type);

#endif
