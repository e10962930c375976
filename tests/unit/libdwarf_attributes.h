/*
 * libdwarf_attributes.h - attributes of a DIE, and the code it has, as libdwarf
 * reads them
 */
#ifndef LIBDWARF_ATTRIBUTES_H
#define LIBDWARF_ATTRIBUTES_H

#include "libdwarf_lists.h"

static inline bool oracle_has(Dwarf_Die die, Dwarf_Half name)
{
	Dwarf_Bool has = false;

	dwarf_hasattr(die, name, &has, NULL);
	return has;
}

static inline uint64_t oracle_number(struct oracle *oracle, Dwarf_Die die,
				     Dwarf_Half name)
{
	Dwarf_Unsigned number = 0;
	Dwarf_Signed constant;
	Dwarf_Attribute attribute;
	Dwarf_Half form;

	if (dwarf_attr(die, name, &attribute, NULL) != DW_DLV_OK)
		return 0;
	dwarf_whatform(attribute, &form, NULL);
	if (form == DW_FORM_implicit_const) {
		dwarf_formsdata(attribute, &constant, NULL);
		number = (Dwarf_Unsigned)constant;
	} else {
		dwarf_formudata(attribute, &number, NULL);
	}
	dwarf_dealloc(oracle->dbg, attribute, DW_DLA_ATTR);
	return number;
}

/* The DIE that an attribute refers to; the caller gives it back. */
static inline bool oracle_follow(struct oracle *oracle, Dwarf_Die die,
				 Dwarf_Half name, Dwarf_Die *out)
{
	Dwarf_Bool is_info = true;
	Dwarf_Attribute attribute;
	Dwarf_Sig8 signature;
	Dwarf_Half form;
	Dwarf_Off offset;

	if (dwarf_attr(die, name, &attribute, NULL) != DW_DLV_OK)
		return false;
	dwarf_whatform(attribute, &form, NULL);
	if (form == DW_FORM_ref_sig8) {
		dwarf_formsig8(attribute, &signature, NULL);
		assert_int_equal(dwarf_find_die_given_sig8(oracle->dbg,
							   &signature, out,
							   &is_info, NULL),
				 DW_DLV_OK);
	} else {
		dwarf_global_formref(attribute, &offset, NULL);
		assert_int_equal(
			dwarf_offdie_b(oracle->dbg, offset, true, out, NULL),
			DW_DLV_OK);
	}
	dwarf_dealloc(oracle->dbg, attribute, DW_DLA_ATTR);
	return true;
}

/* A string attribute of the DIE, or of those it completes or copies. */
static inline const char *oracle_string(struct oracle *oracle, Dwarf_Die die,
					Dwarf_Half name)
{
	const char *kept = NULL;
	Dwarf_Die origin;
	char *text;

	if (dwarf_die_text(die, name, &text, NULL) == DW_DLV_OK)
		return oracle_keep(oracle, text);
	if (!oracle_follow(oracle, die, DW_AT_abstract_origin, &origin) &&
	    !oracle_follow(oracle, die, DW_AT_specification, &origin))
		return NULL;
	kept = oracle_string(oracle, origin, name);
	dwarf_dealloc(oracle->dbg, origin, DW_DLA_DIE);
	return kept;
}

/* ---- code -------------------------------------------------------------- */

static inline void oracle_add_range(const struct oracle *oracle,
				    struct range_list *out, uint64_t low,
				    uint64_t high)
{
	if (low < high && range_list_has(&oracle->code, low))
		vec_push(out, (struct range){low, high});
}

static inline void oracle_old_ranges(struct oracle *oracle, Dwarf_Die die,
				     Dwarf_Attribute attribute, uint64_t base,
				     struct range_list *out)
{
	Dwarf_Ranges *ranges;
	Dwarf_Signed count;
	Dwarf_Off offset;

	dwarf_global_formref(attribute, &offset, NULL);
	if (dwarf_get_ranges_b(oracle->dbg, offset, die, NULL, &ranges, &count,
			       NULL, NULL) != DW_DLV_OK)
		return;
	for (Dwarf_Signed i = 0; i < count; i++) {
		if (ranges[i].dwr_type == DW_RANGES_END)
			break;
		if (ranges[i].dwr_type == DW_RANGES_ADDRESS_SELECTION)
			base = ranges[i].dwr_addr2;
		else
			oracle_add_range(oracle, out,
					 base + ranges[i].dwr_addr1,
					 base + ranges[i].dwr_addr2);
	}
	dwarf_dealloc_ranges(oracle->dbg, ranges, count);
}

static inline void oracle_new_ranges(struct oracle *oracle,
				     Dwarf_Attribute attribute, Dwarf_Half form,
				     struct range_list *out)
{
	Dwarf_Unsigned value, count, low, high;
	Dwarf_Rnglists_Head head;
	Dwarf_Off offset;

	if (form == DW_FORM_rnglistx) {
		dwarf_formudata(attribute, &value, NULL);
	} else {
		dwarf_global_formref(attribute, &offset, NULL);
		value = offset;
	}
	assert_int_equal(dwarf_rnglists_get_rle_head(attribute, form, value,
						     &head, &count, NULL, NULL),
			 DW_DLV_OK);
	for (Dwarf_Unsigned i = 0; i < count; i++) {
		Dwarf_Bool unavailable;
		unsigned code;

		assert_int_equal(dwarf_get_rnglists_entry_fields_a(
					 head, i, NULL, &code, NULL, NULL,
					 &unavailable, &low, &high, NULL),
				 DW_DLV_OK);
		if (code != DW_RLE_end_of_list && code != DW_RLE_base_address &&
		    code != DW_RLE_base_addressx)
			oracle_add_range(oracle, out, low, high);
	}
	dwarf_dealloc_rnglists_head(head);
}

/* The code of a DIE; `base` is its unit's address. */
static inline void oracle_ranges(struct oracle *oracle, Dwarf_Die die,
				 uint64_t base, struct range_list *out)
{
	enum Dwarf_Form_Class class;
	Dwarf_Half version, offset_size, form;
	Dwarf_Attribute attribute;
	Dwarf_Addr low, high;

	if (dwarf_attr(die, DW_AT_ranges, &attribute, NULL) == DW_DLV_OK) {
		dwarf_get_version_of_die(die, &version, &offset_size);
		dwarf_whatform(attribute, &form, NULL);
		if (version >= 5)
			oracle_new_ranges(oracle, attribute, form, out);
		else
			oracle_old_ranges(oracle, die, attribute, base, out);
		dwarf_dealloc(oracle->dbg, attribute, DW_DLA_ATTR);
		return;
	}
	if (dwarf_lowpc(die, &low, NULL) != DW_DLV_OK ||
	    dwarf_highpc_b(die, &high, &form, &class, NULL) != DW_DLV_OK)
		return;
	oracle_add_range(oracle, out, low,
			 class == DW_FORM_CLASS_CONSTANT ? low + high : high);
}

#endif
