/* type_chain.c - see type_chain.h */
#include "type_chain.h"

/* The longest chain of types that is followed. In a broken file the chain may
 * be a circle. */
#define MAX_CHAIN 32

bool type_next(struct debugfile *file, const struct die *die, struct die *out)
{
	struct die current = *die, origin;

	for (int hops = 0; hops < MAX_CHAIN; hops++) {
		if (die_reference(file, &current, DW_AT_type, out)) {
			/* This DIE only refers to the type's real DIE, which is
			 * in a type unit. */
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

bool unit_is_c_plus_plus(const struct unit *unit)
{
	switch (unit->language) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case DW_LANG_ObjC_plus_plus:
	/* Newer compilers already write these numbers of DWARF 6. */
	case 0x002a: /* C++17 */
	case 0x002b: /* C++20 */
	case 0x003a: /* C++23 */
		return true;
	default:
		return false;
	}
}
