/* types.c - see types.h */
#include "types.h"

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

/* How long a chain of types may be. A broken file may make a circle. */
#define MAX_CHAIN 32
#define MAX_DIMENSIONS 8

/* DW_AT_type, of the DIE or of the one it is a copy of. */
bool type_next(struct debugfile *file, const struct die *die, struct die *out)
{
	struct die current = *die, origin;

	for (int hops = 0; hops < MAX_CHAIN; hops++) {
		if (die_reference(file, &current, DW_AT_type, out)) {
			/* a stand-in for what is in a type unit */
			if (die_reference(file, out, DW_AT_signature, &origin))
				*out = origin;
			return true;
		}
		if (!die_reference(file, &current, DW_AT_abstract_origin,
				   &origin) &&
		    !die_reference(file, &current, DW_AT_specification,
				   &origin))
			return false;
		current = origin;
	}
	return false;
}

static bool is_qualifier(unsigned tag)
{
	switch (tag) {
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
		return true;
	default:
		return false;
	}
}

/* Follow typedefs and qualifiers; false: void, or a circle. */
bool type_strip(struct debugfile *file, struct die *die)
{
	for (int hops = 0; hops < MAX_CHAIN; hops++) {
		unsigned tag = die_tag(die);
		struct die next;

		if (tag != DW_TAG_typedef && !is_qualifier(tag))
			return true;
		if (!type_next(file, die, &next))
			return false;
		*die = next;
	}
	return false;
}

/* The lengths of an array's dimensions; how many, at most `max`. 0: not known
 * (a flexible or variable one). */
static unsigned array_lengths(struct debugfile *file, const struct die *array,
			      uint64_t *lengths, unsigned max)
{
	struct attribute attribute;
	struct die_walk walk;
	unsigned count = 0;

	die_walk_init(&walk, file, array);
	while (count < max && die_walk_next(&walk)) {
		uint64_t length = 0;

		die_walk_skip(&walk);
		if (die_tag(&walk.die) != DW_TAG_subrange_type)
			continue;
		if (die_attribute(file, &walk.die, DW_AT_count, &attribute) &&
		    attribute.class == ATTRIBUTE_UNSIGNED)
			length = attribute.number;
		else if (die_attribute(file, &walk.die, DW_AT_upper_bound,
				       &attribute) &&
			 attribute.class == ATTRIBUTE_UNSIGNED)
			length = attribute.number + 1;
		lengths[count++] = length;
	}
	return count;
}

bool unit_is_c_plus_plus(const struct unit *unit)
{
	switch (unit->language) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case DW_LANG_ObjC_plus_plus:
	/* DWARF 6's numbers, which newer compilers write already */
	case 0x002a: /* C++17 */
	case 0x002b: /* C++20 */
	case 0x003a: /* C++23 */
		return true;
	default:
		return false;
	}
}

static const char *kind_word(unsigned tag)
{
	switch (tag) {
	case DW_TAG_structure_type:
		return "struct ";
	case DW_TAG_union_type:
		return "union ";
	case DW_TAG_enumeration_type:
		return "enum ";
	default:
		return "";
	}
}

static const char *suffix(unsigned tag)
{
	switch (tag) {
	case DW_TAG_pointer_type:
		return "*";
	case DW_TAG_reference_type:
		return "&";
	case DW_TAG_rvalue_reference_type:
		return "&&";
	default:
		return NULL;
	}
}

/* Does a typedef stand for a number, by whatever ways? */
static bool is_plain(struct debugfile *file, struct die die)
{
	return type_strip(file, &die) && die_tag(&die) == DW_TAG_base_type;
}

/* "TYPE *" and the like: a blank, but none between the stars. */
static void append_suffix(struct str *out, const char *sign)
{
	size_t length = out->length;

	if (length && out->data[length - 1] != '*' &&
	    out->data[length - 1] != ' ')
		str_append_char(out, ' ');
	str_append(out, sign);
}

static void append_qualifier(unsigned tag, struct str *out)
{
	if (tag == DW_TAG_const_type)
		str_append(out, "const ");
	else if (tag == DW_TAG_volatile_type)
		str_append(out, "volatile ");
}

static void append_name(struct debugfile *file, const struct die *die,
			bool below_pointer, int depth, struct str *out);

static void append_next(struct debugfile *file, const struct die *die,
			bool below_pointer, int depth, struct str *out)
{
	struct die next;

	if (type_next(file, die, &next))
		append_name(file, &next, below_pointer, depth + 1, out);
	else
		str_append(out, "void");
}

static void append_name(struct debugfile *file, const struct die *die,
			bool below_pointer, int depth, struct str *out)
{
	unsigned tag = die_tag(die);
	const char *name, *sign = suffix(tag);
	uint64_t lengths[MAX_DIMENSIONS];
	struct die next;
	unsigned count;

	if (depth > MAX_CHAIN) {
		str_append(out, "?");
		return;
	}
	if (sign) {
		append_next(file, die, true, depth, out);
		append_suffix(out, sign);
		return;
	}
	if (is_qualifier(tag)) {
		bool of_pointer =
			type_next(file, die, &next) && suffix(die_tag(&next));

		if (!of_pointer)
			append_qualifier(tag, out);
		append_next(file, die, below_pointer, depth, out);
		/* whether the variable itself may change is of no interest */
		if (of_pointer && below_pointer)
			append_qualifier(tag, out);
		return;
	}
	if (tag == DW_TAG_typedef && below_pointer && is_plain(file, *die)) {
		append_next(file, die, below_pointer, depth, out);
		return;
	}
	if (tag == DW_TAG_array_type) {
		append_next(file, die, below_pointer, depth, out);
		count = array_lengths(file, die, lengths, MAX_DIMENSIONS);
		for (unsigned i = 0; i < count; i++) {
			if (lengths[i])
				str_printf(out, "[%lu]", lengths[i]);
			else
				str_append(out, "[]");
		}
		return;
	}
	if (tag == DW_TAG_subroutine_type) {
		append_next(file, die, below_pointer, depth, out);
		str_append(out, " (...)");
		return;
	}
	name = die_name(file, die);
	if ((!unit_is_c_plus_plus(die->unit) &&
	     die->unit->language != DW_LANG_Rust) ||
	    !name)
		str_append(out, kind_word(tag));
	str_append(out, name ? name : "{...}");
}

char *type_name_of(struct debugfile *file, const struct die *die)
{
	struct str name = {0};

	append_next(file, die, false, 0, &name);
	return str_take(&name);
}

char *type_name_at(struct debugfile *file, const struct die *type)
{
	struct str name = {0};

	append_name(file, type, false, 0, &name);
	return str_take(&name);
}
