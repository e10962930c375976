/*
 * expr_types.h - the types of a program that is a table
 *
 * The debuginfo layer's types are replaced by these, which describe types of
 * this file, so that what an expression finds can be compared with what C does.
 * Included by expr_program.h.
 */
#ifndef EXPR_TYPES_H
#define EXPR_TYPES_H

#include <string.h>

#include "perftool/debuginfo.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/debugtype.h"

struct debugtype {
	enum debugtype_kind kind;
	const char *name, *scope;
	uint64_t size;
	bool is_signed;
	struct debugtype *target;
	uint64_t count; /* of an array's elements; 0: not known */
	const struct debugmember *members;
	size_t member_count;
	const struct debugenumerator *enumerators;
	size_t enumerator_count;
	const struct debugvariant *variants;
	size_t variant_count;
};

#define ALL(array) (array), sizeof(array) / sizeof(*(array))

/* ---- what they describe -------------------------------------------------- */

enum color { RED, GREEN, BLUE = 5 };

struct point {
	short x;
	int y;
};

struct item {
	int id;
	struct point at;
	union {
		int as_int;
		float as_float;
	};
	unsigned low : 3;
	int high : 5;
	unsigned long crossing : 60;
	struct item *next;
	char name[8];
	int numbers[4];
	struct point points[2];
	struct point *where;
	enum color color;
	int grid[2][3];
};

/* C++'s `struct base { int b; }; struct derived : base { int d; int &ref; }` */
struct derived {
	int b, d;
	int *ref;
};

/* ---- the descriptions ------------------------------------------------------
 */

#define NUMBER(type, kind_, name_, size_, sign)                                \
	static struct debugtype type = {.kind = kind_,                         \
					.name = name_,                         \
					.size = size_,                         \
					.is_signed = sign}

NUMBER(t_void, DEBUGTYPE_VOID, "void", 0, false);
NUMBER(t_bool, DEBUGTYPE_BOOL, "_Bool", 1, false);
NUMBER(t_char, DEBUGTYPE_CHARACTER, "char", 1, true);
NUMBER(t_schar, DEBUGTYPE_CHARACTER, "signed char", 1, true);
NUMBER(t_uchar, DEBUGTYPE_CHARACTER, "unsigned char", 1, false);
NUMBER(t_short, DEBUGTYPE_INTEGER, "short", 2, true);
NUMBER(t_int, DEBUGTYPE_INTEGER, "int", 4, true);
NUMBER(t_unsigned, DEBUGTYPE_INTEGER, "unsigned int", 4, false);
NUMBER(t_long, DEBUGTYPE_INTEGER, "long", 8, true);
NUMBER(t_ulong, DEBUGTYPE_INTEGER, "unsigned long", 8, false);
NUMBER(t_float, DEBUGTYPE_FLOAT, "float", 4, true);
NUMBER(t_double, DEBUGTYPE_FLOAT, "double", 8, true);
NUMBER(t_ldouble, DEBUGTYPE_FLOAT, "long double", 16, true);
NUMBER(t_int128, DEBUGTYPE_OTHER, "__int128", 16, true);
NUMBER(t_unknown, DEBUGTYPE_OTHER, "<unknown>", 4, false);
NUMBER(t_function, DEBUGTYPE_FUNCTION, "void (int)", 0, false);
NUMBER(t_declared, DEBUGTYPE_STRUCT, "struct declared", 0, false);

static const struct debugenumerator color_names[] = {
	{"RED", RED}, {"GREEN", GREEN}, {"BLUE", BLUE}};
static struct debugtype t_color = {.kind = DEBUGTYPE_ENUM,
				   .name = "enum color",
				   .size = 4,
				   .enumerators = color_names,
				   .enumerator_count = 3};

static const struct debugenumerator flag_names[] = {{"READ", 1}, {"WRITE", 2}};
static struct debugtype t_flags = {.kind = DEBUGTYPE_ENUM,
				   .name = "enum flags",
				   .size = 4,
				   .enumerators = flag_names,
				   .enumerator_count = 2};

#define TO(type, name_, target_)                                               \
	static struct debugtype type = {.kind = DEBUGTYPE_POINTER,             \
					.name = name_,                         \
					.size = 8,                             \
					.target = target_}
#define OF(type, name_, target_, size_, count_)                                \
	static struct debugtype type = {.kind = DEBUGTYPE_ARRAY,               \
					.name = name_,                         \
					.size = size_,                         \
					.target = target_,                     \
					.count = count_}

static struct debugtype t_item, t_point;
TO(p_char, "char *", &t_char);
TO(p_uchar, "unsigned char *", &t_uchar);
TO(p_int, "int *", &t_int);
TO(p_void, "void *", &t_void);
TO(p_function, "void (*)(int)", &t_function);
TO(p_item, "struct item *", &t_item);
TO(p_point, "struct point *", &t_point);
TO(p_declared, "struct declared *", &t_declared);
TO(p_p_char, "char **", &p_char);
OF(a_char8, "char[8]", &t_char, 8, 8);
OF(a_int4, "int[4]", &t_int, 16, 4);
OF(a_int3, "int[3]", &t_int, 12, 3);
OF(a_grid, "int[2][3]", &a_int3, 24, 2);
OF(a_point2, "struct point[2]", &t_point, 16, 2);
static struct debugtype r_int = {.kind = DEBUGTYPE_REFERENCE,
				 .name = "int &",
				 .size = 8,
				 .target = &t_int};

#define AT(structure, member_, type_)                                          \
	{                                                                      \
		.name = #member_, .type = type_,                               \
		.offset = offsetof(struct structure, member_)                  \
	}

static const struct debugmember point_members[] = {AT(point, x, &t_short),
						   AT(point, y, &t_int)};
static struct debugtype t_point = {.kind = DEBUGTYPE_STRUCT,
				   .name = "struct point",
				   .size = sizeof(struct point),
				   .members = point_members,
				   .member_count = 2};

static const struct debugmember union_members[] = {
	{.name = "as_int", .type = &t_int},
	{.name = "as_float", .type = &t_float}};
static struct debugtype t_union = {.kind = DEBUGTYPE_UNION,
				   .name = "union {...}",
				   .size = 4,
				   .members = union_members,
				   .member_count = 2};

/* where compilers put the bit-fields: behind the union, the long one in the
 * next unit that can hold it */
#define LOW_AT (offsetof(struct item, as_int) + 4)
static const struct debugmember item_members[] = {
	AT(item, id, &t_int),
	AT(item, at, &t_point),
	{.type = &t_union, .offset = offsetof(struct item, as_int)},
	{.name = "low", .type = &t_unsigned, .offset = LOW_AT, .bit_size = 3},
	{.name = "high",
	 .type = &t_int,
	 .offset = LOW_AT,
	 .bit_offset = 3,
	 .bit_size = 5},
	{.name = "crossing",
	 .type = &t_ulong,
	 .offset = LOW_AT + 8,
	 .bit_size = 60},
	AT(item, next, &p_item),
	AT(item, name, &a_char8),
	AT(item, numbers, &a_int4),
	AT(item, points, &a_point2),
	AT(item, where, &p_point),
	AT(item, color, &t_color),
	AT(item, grid, &a_grid),
};
static struct debugtype t_item = {.kind = DEBUGTYPE_STRUCT,
				  .name = "struct item",
				  .size = sizeof(struct item),
				  .members = item_members,
				  .member_count = sizeof(item_members) /
						  sizeof(*item_members)};

static const struct debugmember base_members[] = {
	{.name = "b", .type = &t_int}};
static struct debugtype t_base = {.kind = DEBUGTYPE_STRUCT,
				  .name = "ns::base",
				  .size = 4,
				  .members = base_members,
				  .member_count = 1};
static const struct debugmember derived_members[] = {
	{.type = &t_base, .is_base = true},
	AT(derived, d, &t_int),
	AT(derived, ref, &r_int)};
static struct debugtype t_derived = {.kind = DEBUGTYPE_STRUCT,
				     .name = "ns::derived",
				     .size = sizeof(struct derived),
				     .members = derived_members,
				     .member_count = 3};
TO(p_derived, "ns::derived *", &t_derived);
static const struct debugmember virtual_members[] = {
	{.type = &t_base, .is_base = true, .is_virtual = true},
	{.name = "own", .type = &t_int, .offset = 8}};
static struct debugtype t_virtual = {.kind = DEBUGTYPE_STRUCT,
				     .name = "ns::virtual",
				     .size = 16,
				     .members = virtual_members,
				     .member_count = 2};
static const struct debugmember pair_members[] = {
	{.name = "__0", .type = &t_int},
	{.name = "__1", .type = &t_point, .offset = 4}};
static struct debugtype t_pair = {.kind = DEBUGTYPE_STRUCT,
				  .name = "(i32, point)",
				  .size = 12,
				  .members = pair_members,
				  .member_count = 2};

/* Rust's &str, and an Option<i32> whose first word tells what it is. */
static struct debugtype t_u8 = {
	.kind = DEBUGTYPE_INTEGER, .name = "u8", .size = 1};
TO(p_u8, "*mut u8", &t_u8);
static const struct debugmember str_members[] = {
	{.name = "data_ptr", .type = &p_u8},
	{.name = "length", .type = &t_ulong, .offset = 8}};
static struct debugtype t_str = {.kind = DEBUGTYPE_STRUCT,
				 .name = "&str",
				 .size = 16,
				 .members = str_members,
				 .member_count = 2};
static struct debugtype t_none = {
	.kind = DEBUGTYPE_STRUCT, .name = "Option<i32>::None", .size = 8};
static const struct debugmember some_members[] = {
	{.name = "__0", .type = &t_int, .offset = 4}};
static struct debugtype t_some = {.kind = DEBUGTYPE_STRUCT,
				  .name = "Option<i32>::Some",
				  .size = 8,
				  .members = some_members,
				  .member_count = 1};
static const struct debugvariant option_variants[] = {
	{.member = {.name = "None", .type = &t_none}},
	{.member = {.name = "Some", .type = &t_some}, .discriminant = 1}};
static struct debugtype t_option = {.kind = DEBUGTYPE_STRUCT,
				    .name = "Option<i32>",
				    .size = 8,
				    .variants = option_variants,
				    .variant_count = 2};

/* ---- debugtype.h
 * ------------------------------------------------------------- */

enum debugtype_kind debugtype_kind(const struct debugtype *type)
{
	return type->kind;
}

uint64_t debugtype_size(struct debugtype *type)
{
	return type->size;
}

uint64_t debugtype_alignment(struct debugtype *type)
{
	return type->size < 8 ? type->size : 8;
}

bool debugtype_is_signed(const struct debugtype *type)
{
	return type->is_signed;
}

struct debugtype *debugtype_target(struct debugtype *type)
{
	return type->target;
}

bool debugtype_count(const struct debugtype *type, uint64_t *count)
{
	*count = type->count;
	return type->count > 0;
}

const char *debugtype_name(struct debugtype *type)
{
	return type->name;
}

struct debugtype *debugtype_plain(struct debugtype *type)
{
	return type;
}

const char *debugtype_scope(struct debugtype *type)
{
	return type->scope ? type->scope : "";
}

bool debugtype_is_same(struct debugtype *a, struct debugtype *b)
{
	return a == b;
}

const struct debugmember *debugtype_members(struct debugtype *type,
					    size_t *count)
{
	*count = type->member_count;
	return type->members;
}

const struct debugstatic *debugtype_statics(struct debugtype *type,
					    size_t *count)
{
	*count = 0;
	(void)type;
	return NULL;
}

bool debugtype_find_member(struct debugtype *type, const char *name,
			   struct debugmember *out)
{
	for (size_t i = 0; i < type->member_count; i++) {
		const struct debugmember *member = &type->members[i];

		if (member->name && strcmp(member->name, name) == 0) {
			*out = *member;
			return true;
		}
		if (!member->name && !member->is_virtual &&
		    debugtype_find_member(member->type, name, out)) {
			out->offset += member->offset;
			return true;
		}
	}
	return false;
}

/* A virtual base is as far from its object as the object's first word says. */
struct error *debugtype_virtual_offset(struct debugtype *type, size_t index,
				       const struct frame_reader *reader,
				       uint64_t address, uint64_t *offset)
{
	assert_true(type->members[index].is_virtual);
	if (!frame_read(reader, address, offset, sizeof(*offset)))
		return error_create(ERROR_EVALUATE, "no object");
	return NULL;
}

struct error *debugtype_find_member_of(struct debugtype *type, const char *name,
				       const struct frame_reader *reader,
				       uint64_t address,
				       struct debugmember *out)
{
	uint64_t offset;

	for (size_t i = 0; i < type->member_count; i++) {
		if (!type->members[i].is_virtual ||
		    !debugtype_find_member(type->members[i].type, name, out))
			continue;
		TRY(debugtype_virtual_offset(type, i, reader, address,
					     &offset));
		out->offset += offset;
		return NULL;
	}
	return error_create(ERROR_NOT_FOUND, "no member");
}

const struct debugenumerator *debugtype_enumerators(struct debugtype *type,
						    size_t *count)
{
	*count = type->enumerator_count;
	return type->enumerators;
}

const struct debugvariant *debugtype_variants(struct debugtype *type,
					      size_t *count)
{
	*count = type->variant_count;
	return type->variants;
}

/* The first word tells which one it is. */
bool debugtype_active_variant(struct debugtype *type,
			      const struct frame_reader *reader,
			      uint64_t address, size_t *index)
{
	uint32_t number;

	if (!frame_read(reader, address, &number, sizeof(number)) ||
	    number >= type->variant_count)
		return false;
	*index = number;
	return true;
}

struct debugtype *debugfile_find_type(struct debugfile *file, uint64_t address,
				      const char *name)
{
	static const struct {
		const char *name;
		struct debugtype *type;
	} named[] = {
		{"struct item", &t_item},
		{"item_t", &t_item},
		{"struct point", &t_point},
		{"point_t", &t_point},
		{"enum color", &t_color},
		{"enum flags", &t_flags},
		{"ns::derived", &t_derived},
		{"number_t", &t_int},
		{"list<int, a<int> >", &t_int},
		{"struct declared", &t_declared},
	};

	(void)file;
	(void)address;
	for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++)
		if (strcmp(named[i].name, name) == 0)
			return named[i].type;
	return NULL;
}

/* Made when asked for: as many as a test needs, one for each type. */
/* One at a time is enough here. */
struct debugtype *debugfile_make_type(struct debugfile *file, const char *name,
				      enum debugtype_kind kind, uint64_t size,
				      bool is_signed, struct debugtype *target)
{
	static struct debugtype made[8];
	static char names[8][32];
	static unsigned next;
	struct debugtype *type = &made[next % 8];

	(void)file;
	snprintf(names[next % 8], sizeof(names[0]), "%s", name);
	*type = (struct debugtype){.kind = kind,
				   .name = names[next++ % 8],
				   .size = size,
				   .is_signed = is_signed,
				   .target = target};
	if (kind == DEBUGTYPE_ARRAY) {
		type->count = size;
		type->size *= target->size;
	}
	return type;
}

struct debugtype *debugfile_pointer_to(struct debugfile *file,
				       struct debugtype *type)
{
	static struct debugtype made[32];
	static char names[32][64];
	static size_t count;

	(void)file;
	for (size_t i = 0; i < count; i++)
		if (made[i].target == type)
			return &made[i];
	assert_true(count < sizeof(made) / sizeof(*made));
	snprintf(names[count], sizeof(names[count]), "%s *", type->name);
	made[count] = (struct debugtype){.kind = DEBUGTYPE_POINTER,
					 .name = names[count],
					 .size = 8,
					 .target = type};
	return &made[count++];
}

#endif
