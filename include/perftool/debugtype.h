/*
 * debugtype.h - the types of a program, as its debug information describes them
 *
 * A typedef, or a qualified type such as `const int`, differs from the type
 * that it stands for only in its name. The file that describes a type owns the
 * struct debugtype and frees it when the file is closed. The reader makes a
 * struct debugtype when it is first needed, and makes only one for each DIE, so
 * types that refer to themselves need no special treatment. If two units define
 * the same type, there are two structures; debugtype_is_same() compares them.
 */
#ifndef PERFTOOL_DEBUGTYPE_H
#define PERFTOOL_DEBUGTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/base/error.h"
#include "perftool/debuginfo/frame_rules.h"

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

/* The size of the type in bytes; 0: not known (void, a declaration, an array
 * without a length). */
uint64_t debugtype_size(struct debugtype *type);

/* The alignment of objects of the type in bytes, at least 1. The debug
 * information does not say whether a structure is packed, so the function also
 * looks at the offsets of its members. */
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

/* Get the number of elements of an array. False: the number is not known,
 * because the array is flexible or of variable length. */
bool debugtype_count(const struct debugtype *type, uint64_t *count);

/* The name of the type as the program's language writes it, with the scopes
 * that contain the type. Typedefs keep their own names: `const node_t *`. The
 * type owns the string. */
const char *debugtype_name(struct debugtype *type);

/* The type that remains if outer typedefs and qualifiers are removed from
 * `type`. A type without them is returned itself. */
struct debugtype *debugtype_plain(struct debugtype *type);

/* Are the two types equal? Pointers, references, arrays and functions are equal
 * if their kinds, sizes and targets (debugtype_target()) are equal; other types
 * if their kinds, sizes and names are equal. Typedefs and qualifiers make no
 * difference. */
bool debugtype_is_same(struct debugtype *a, struct debugtype *b);

/* ---- structures, unions, classes ----------------------------------------- */

struct debugmember {
	const char *name; /* NULL: an anonymous member, or a base class */
	struct debugtype *type;
	/* in bytes from the beginning of the type that has the member */
	uint64_t offset;
	/* of a bit-field: `bit_offset` is the number of its first bit, counted
	 * from the lowest bit of the byte at `offset`; `bit_size` is its length
	 * in bits, or 0 if the member is not a bit-field */
	uint8_t bit_offset, bit_size;
	bool is_base;
	/* The member is a virtual base. Its offset is known only at run time,
	 * and `offset` has no meaning. */
	bool is_virtual;
};

/* The members of a structure or union in the order of the source. If the type
 * was only declared, the members are those of its definition, if the file has
 * one. `*count` is their number; the type owns the array. */
const struct debugmember *debugtype_members(struct debugtype *type,
					    size_t *count);

/* A static member of a C++ class: a variable `Class::name`. */
struct debugstatic {
	const char *name;
	/* The static member stands in the source before the member that has
	 * this index in debugtype_members(). */
	size_t before;
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
	int64_t value; /* a value above INT64_MAX has the same 64 bits */
};

const struct debugenumerator *debugtype_enumerators(struct debugtype *type,
						    size_t *count);

/* The text before the names of an enumeration's enumerators, for example
 * `ns::Kind::`; in C it is empty. The type owns the string. */
const char *debugtype_scope(struct debugtype *type);

/* ---- Rust's enumerations that hold values -------------------------------- */

/* One variant of a Rust enumeration whose variants hold values. The type of the
 * enumeration is a structure without members of its own. `member` describes the
 * value of the variant: a structure that overlays the enumeration in memory
 * while this variant is active. */
struct debugvariant {
	struct debugmember member;
	/* The variant is active for all discriminants that no other variant
	 * has; `discriminant` has no meaning. */
	bool is_default;
	uint64_t discriminant;
};

/* The variants of a type; `*count` is their number, and the type owns the
 * array. `*count` 0: the type is not a Rust enumeration whose variants hold
 * values. */
const struct debugvariant *debugtype_variants(struct debugtype *type,
					      size_t *count);

/* Find out which variant the value at `address` has; `*index` is the index in
 * debugtype_variants(). False: the value cannot be read, or its discriminant is
 * that of no variant. */
bool debugtype_active_variant(struct debugtype *type,
			      const struct frame_reader *reader,
			      uint64_t address, size_t *index);

/* ---- finding ------------------------------------------------------------- */

/*
 * Find a type by its name (`struct point`, `point_t`, `ns::Point`, `unsigned
 * long`). If several units define types of this name, the function prefers the
 * type of the unit that the code at `address` was compiled from. C's words
 * `struct`, `union`, `enum` and `class` restrict the kind of the type. NULL:
 * there is no such type. The file owns the type.
 */
struct debugtype *debugfile_find_type(struct debugfile *file, uint64_t address,
				      const char *name);

/* Make a type that the user has written in an expression and that the program
 * may not have: a number, an array or a function. `size` is the size in bytes,
 * but for an array the number of elements. `target` is the type that
 * debugtype_target() returns. The function copies `name`; the file owns the
 * type. */
struct debugtype *debugfile_make_type(struct debugfile *file, const char *name,
				      enum debugtype_kind kind, uint64_t size,
				      bool is_signed, struct debugtype *target);

/* The type of pointers to `type`. The file owns the result. */
struct debugtype *debugfile_pointer_to(struct debugfile *file,
				       struct debugtype *type);

#endif
