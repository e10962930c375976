/* abi.c - see abi.h */
#include "abi.h"

#include <stdio.h>
#include <string.h>

#include "debuginfo/types/types.h"
#include "perftool/base/str.h"

/* The deepest nesting of structures, and the most types that are looked at for
 * one type. A broken file may nest structures without end. */
#define MAX_DEPTH 32
#define MAX_LOOKS 1000

struct classes {
	enum abi_class of[2];
	bool memory, unknown;
	unsigned looks;
};

/* ---- languages ----------------------------------------------------------- */

bool abi_is_fortran(const struct unit *unit)
{
	switch (unit->language) {
	case DW_LANG_Fortran77:
	case DW_LANG_Fortran90:
	case DW_LANG_Fortran95:
	case DW_LANG_Fortran03:
	case DW_LANG_Fortran08:
	case 0x002d: /* Fortran 2018, a number of DWARF 6 */
		return true;
	default:
		return false;
	}
}

static bool is_c_like(const struct unit *unit)
{
	switch (unit->language) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case 0x002c: /* C17; 0x002c and 0x003e are numbers of DWARF 6 */
	case 0x003e: /* C23 */
	case DW_LANG_ObjC:
		return true;
	default:
		return unit_is_c_plus_plus(unit) || abi_is_fortran(unit);
	}
}

bool abi_is_known(const struct unit *unit)
{
	return is_c_like(unit) || unit->language == DW_LANG_Rust;
}

/* ---- classes ------------------------------------------------------------- */

static enum abi_class merge(enum abi_class a, enum abi_class b)
{
	if (a == b || b == CLASS_NONE)
		return a;
	if (a == CLASS_NONE)
		return b;
	if (a == CLASS_MEMORY || b == CLASS_MEMORY)
		return CLASS_MEMORY;
	if (a == CLASS_INTEGER || b == CLASS_INTEGER)
		return CLASS_INTEGER;
	if (a >= CLASS_X87 || b >= CLASS_X87)
		return CLASS_MEMORY;
	return CLASS_SSE;
}

static void put(struct classes *classes, uint64_t offset, enum abi_class class)
{
	if (offset >= 16)
		classes->memory = true;
	else
		classes->of[offset / 8] = merge(classes->of[offset / 8], class);
}

/* Add a scalar of `size` bytes. A scalar that is not aligned is in a packed
 * structure, which is passed in memory. */
static void put_scalar(struct classes *classes, uint64_t offset, uint64_t size,
		       uint64_t alignment, enum abi_class low,
		       enum abi_class high)
{
	if (offset % alignment)
		classes->memory = true;
	put(classes, offset, low);
	if (size > 8)
		put(classes, offset + 8, high);
}

static uint64_t encoding_of(struct debugtype *type)
{
	struct attribute attribute;

	return die_attribute(type->file, &type->die, DW_AT_encoding, &attribute)
		       ? attribute.number
		       : 0;
}

/* Add a value of a type with which perftool's expressions cannot compute:
 * __int128, complex, _Float128 ... */
static void classify_other(struct debugtype *type, uint64_t offset,
			   struct classes *classes)
{
	uint64_t size = debugtype_size(type);

	if (!type->die.abbrev) {
		classes->unknown = true;
		return;
	}
	if (die_tag(&type->die) == DW_TAG_ptr_to_member_type) {
		put_scalar(classes, offset, size, 8, CLASS_INTEGER,
			   CLASS_INTEGER);
		return;
	}
	if (die_tag(&type->die) != DW_TAG_base_type || !size) {
		classes->unknown = true;
		return;
	}
	switch (encoding_of(type)) {
	case DW_ATE_signed:
	case DW_ATE_unsigned:
		if (size == 16)
			put_scalar(classes, offset, 16, 16, CLASS_INTEGER,
				   CLASS_INTEGER);
		else
			classes->unknown = true;
		break;
	case DW_ATE_float:
	case DW_ATE_decimal_float:
		put_scalar(classes, offset, size, size, CLASS_SSE, CLASS_SSEUP);
		break;
	case DW_ATE_complex_float:
		if (size == 32)
			classes->of[0] = classes->of[1] = CLASS_COMPLEX_X87;
		else
			put_scalar(classes, offset, size, size / 2, CLASS_SSE,
				   CLASS_SSE);
		if (size == 8 && offset % 8)
			put(classes, offset + 4, CLASS_SSE);
		break;
	default:
		classes->unknown = true;
		break;
	}
}

static bool is_vector(struct debugtype *type)
{
	struct attribute attribute;

	return type->die.abbrev && die_attribute(type->file, &type->die,
						 DW_AT_GNU_vector, &attribute);
}

static void classify(struct debugtype *type, uint64_t offset, int depth,
		     struct classes *classes);

static void classify_array(struct debugtype *type, uint64_t offset, int depth,
			   struct classes *classes)
{
	struct debugtype *element = debugtype_target(type);
	uint64_t count, size = debugtype_size(element);

	if (is_vector(type)) {
		if (debugtype_size(type) == 8 || debugtype_size(type) == 16)
			put_scalar(classes, offset, debugtype_size(type),
				   debugtype_size(type), CLASS_SSE,
				   CLASS_SSEUP);
		else
			classes->unknown = true;
		return;
	}
	if (!debugtype_count(type, &count)) {
		/* A flexible array at the end of a structure has no elements
		 * here. */
		return;
	}
	if (count && (!size || count > 16)) {
		classes->unknown = true;
		return;
	}
	for (uint64_t i = 0; i < count; i++)
		classify(element, offset + i * size, depth + 1, classes);
}

static void classify_bits(const struct debugmember *member, uint64_t offset,
			  struct classes *classes)
{
	uint64_t first = (offset + member->offset) * 8 + member->bit_offset;

	put(classes, first / 8, CLASS_INTEGER);
	put(classes, (first + member->bit_size - 1) / 8, CLASS_INTEGER);
}

static void classify_members(struct debugtype *type, uint64_t offset, int depth,
			     struct classes *classes)
{
	const struct debugmember *members;
	size_t count;

	members = debugtype_members(type, &count);
	for (size_t i = 0; i < count && !classes->unknown; i++) {
		if (members[i].is_virtual)
			classes->unknown = true;
		else if (members[i].bit_size)
			classify_bits(&members[i], offset, classes);
		else
			classify(members[i].type, offset + members[i].offset,
				 depth + 1, classes);
	}
}

static void classify(struct debugtype *type, uint64_t offset, int depth,
		     struct classes *classes)
{
	uint64_t size = debugtype_size(type);

	if (depth == MAX_DEPTH || classes->looks++ == MAX_LOOKS) {
		classes->unknown = true;
		classes->looks = MAX_LOOKS;
		return;
	}
	switch (debugtype_kind(type)) {
	case DEBUGTYPE_BOOL:
	case DEBUGTYPE_INTEGER:
	case DEBUGTYPE_CHARACTER:
	case DEBUGTYPE_ENUM:
	case DEBUGTYPE_POINTER:
	case DEBUGTYPE_REFERENCE:
		if (size & (size - 1))
			classes->unknown = true;
		else
			put_scalar(classes, offset, size, size, CLASS_INTEGER,
				   CLASS_INTEGER);
		break;
	case DEBUGTYPE_FLOAT:
		if (size == 16)
			put_scalar(classes, offset, size, size, CLASS_X87,
				   CLASS_X87UP);
		else
			put_scalar(classes, offset, size, size, CLASS_SSE,
				   CLASS_SSE);
		break;
	case DEBUGTYPE_ARRAY:
		classify_array(type, offset, depth, classes);
		break;
	case DEBUGTYPE_STRUCT:
	case DEBUGTYPE_UNION:
		classify_members(type, offset, depth, classes);
		break;
	case DEBUGTYPE_OTHER:
		classify_other(type, offset, classes);
		break;
	case DEBUGTYPE_VOID:
	case DEBUGTYPE_FUNCTION:
		classes->unknown = true;
		break;
	}
}

/* ---- alignment ----------------------------------------------------------- */

static uint64_t alignment_of(struct debugtype *type, int depth, unsigned *left)
{
	uint64_t most = 1, size = debugtype_size(type);
	const struct debugmember *members;
	struct attribute attribute;
	size_t count;

	if (depth == MAX_DEPTH || !*left)
		return 1;
	--*left;
	if (type->die.abbrev &&
	    die_attribute(type->file, &type->die, DW_AT_alignment, &attribute))
		most = attribute.number;
	switch (debugtype_kind(type)) {
	case DEBUGTYPE_ARRAY:
		if (is_vector(type))
			return size;
		size = alignment_of(debugtype_target(type), depth + 1, left);
		return size > most ? size : most;
	case DEBUGTYPE_STRUCT:
	case DEBUGTYPE_UNION:
		members = debugtype_members(type, &count);
		for (size_t i = 0; i < count; i++) {
			size = alignment_of(members[i].type, depth + 1, left);
			/* A member at an unaligned offset is in a packed
			 * structure, and its alignment does not count. */
			if (!members[i].is_virtual && size &&
			    members[i].offset % size == 0 && size > most)
				most = size;
		}
		return most;
	case DEBUGTYPE_OTHER:
		if (type->die.abbrev &&
		    die_tag(&type->die) == DW_TAG_base_type &&
		    encoding_of(type) == DW_ATE_complex_float)
			size /= 2;
		return size ? size : 8;
	default:
		return size ? size : 1;
	}
}

uint64_t debugtype_alignment(struct debugtype *type)
{
	unsigned left = MAX_LOOKS;

	return alignment_of(type, 0, &left);
}

/* ---- the whole value ----------------------------------------------------- */

static bool is_aggregate(struct debugtype *type)
{
	return debugtype_kind(type) == DEBUGTYPE_STRUCT ||
	       debugtype_kind(type) == DEBUGTYPE_UNION ||
	       debugtype_kind(type) == DEBUGTYPE_ARRAY ||
	       debugtype_kind(type) == DEBUGTYPE_OTHER;
}

static bool is_declaration(struct debugtype *type)
{
	struct attribute attribute;

	return type->die.abbrev && die_attribute(type->file, &type->die,
						 DW_AT_declaration, &attribute);
}

/* The "post merger cleanup" of the ABI's classification. */
static void clean_up(struct classes *classes, uint64_t size)
{
	enum abi_class *of = classes->of;

	if (of[0] == CLASS_MEMORY || of[1] == CLASS_MEMORY)
		classes->memory = true;
	if (of[1] == CLASS_X87UP && of[0] != CLASS_X87)
		classes->memory = true;
	if (of[1] == CLASS_SSEUP && of[0] != CLASS_SSE)
		of[1] = CLASS_SSE;
	if (size > 16 && of[0] != CLASS_COMPLEX_X87)
		classes->memory = true;
}

struct abi_passing abi_classify(struct debugtype *type, const struct unit *unit)
{
	struct abi_passing passing = {.way = ABI_UNKNOWN, .alignment = 8};
	uint64_t size = debugtype_size(type), alignment;
	struct classes classes = {0};
	enum triviality triviality;
	unsigned left = MAX_LOOKS;

	if (!abi_is_known(unit) || is_declaration(type))
		return passing;
	alignment = alignment_of(type, 0, &left);
	if (alignment > 8)
		passing.alignment = alignment;
	if (!is_c_like(unit) && is_aggregate(type)) {
		if (!size && debugtype_kind(type) != DEBUGTYPE_ARRAY)
			passing.way = ABI_NOTHING;
		return passing;
	}
	if (unit_is_c_plus_plus(unit) && is_aggregate(type)) {
		triviality = abi_triviality(type);
		if (triviality == NOT_TRIVIAL)
			passing.way = ABI_REFERENCE;
		if (triviality != TRIVIAL)
			return passing;
	}
	/* AVX vectors are passed in registers of which the tool can read only
	 * one half. classify() gives them ABI_UNKNOWN. */
	if (size > 16 && debugtype_kind(type) != DEBUGTYPE_OTHER &&
	    !is_vector(type)) {
		passing.way = ABI_MEMORY;
		return passing;
	}
	classify(type, 0, 0, &classes);
	clean_up(&classes, size);
	passing.eightbytes = size > 8 ? 2 : 1;
	memcpy(passing.classes, classes.of, sizeof(passing.classes));
	if (classes.unknown)
		return passing;
	if (classes.memory)
		passing.way = ABI_MEMORY;
	else if (classes.of[0] == CLASS_NONE && classes.of[1] == CLASS_NONE)
		passing.way = ABI_NOTHING;
	else if (classes.of[0] != CLASS_NONE)
		passing.way = ABI_REGISTERS;
	return passing;
}
