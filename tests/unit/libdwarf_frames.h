/*
 * libdwarf_frames.h - the rows of call frame information, as libdwarf reads
 * them
 */
#ifndef LIBDWARF_FRAMES_H
#define LIBDWARF_FRAMES_H

#include "libdwarf_lists.h"

static inline void oracle_add_frames(struct oracle *oracle, Dwarf_Fde fde,
				     bool debug_frame)
{
	Dwarf_Addr low, at, next;
	Dwarf_Unsigned size;

	dwarf_get_fde_range(fde, &low, &size, NULL, NULL, NULL, NULL, NULL,
			    NULL);
	for (at = low; at < low + size; at = next) {
		libdwarf_rule_number relevant, reg, offset;
		Dwarf_Bool more = false;
		Dwarf_Small kind;
		libdwarf_rule_block block;
		Dwarf_Addr row;

		assert_int_equal(dwarf_get_fde_info_for_cfa_reg3_b(
					 fde, at, &kind, &relevant, &reg,
					 &offset, &block, &row, &more, &next,
					 NULL),
				 DW_DLV_OK);
		if (!more || next > low + size)
			next = low + size;
		assert_true(next > at);
		vec_push(&oracle->frames,
			 (struct oracle_frame){
				 .low = at,
				 .high = next,
				 .debug_frame = debug_frame,
				 .known = kind == DW_EXPR_OFFSET,
				 .reg = (unsigned)reg,
				 .offset = (int64_t)offset,
			 });
	}
}

static inline void oracle_read_frames(struct oracle *oracle, bool debug_frame)
{
	Dwarf_Signed cie_count, fde_count;
	Dwarf_Cie *cies;
	Dwarf_Fde *fdes;
	int result;

	if (debug_frame)
		result = dwarf_get_fde_list(oracle->dbg, &cies, &cie_count,
					    &fdes, &fde_count, NULL);
	else
		result = dwarf_get_fde_list_eh(oracle->dbg, &cies, &cie_count,
					       &fdes, &fde_count, NULL);
	if (result != DW_DLV_OK)
		return;
	for (Dwarf_Signed i = 0; i < fde_count; i++)
		oracle_add_frames(oracle, fdes[i], debug_frame);
	dwarf_dealloc_fde_cie_list(oracle->dbg, cies, cie_count, fdes,
				   fde_count);
}

#endif
