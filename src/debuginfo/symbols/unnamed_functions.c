/*
 * unnamed_functions.c - the functions of a stripped file, which only .eh_frame
 * describes, and the code between them
 */
#include "debuginfo/dwarf/dwarf.h"
#include "perftool/base/search.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/debuginfo/unknown_code.h"
#include "plt.h"
#include "symbol_table.h"

#define RSP 7

/* Does a call lead to the code that begins here? The return address is then on
 * top of the stack. In a cold part of a function, to which jumps lead, more is
 * there. */
static bool is_entry(struct debugfile *file, uint64_t address)
{
	struct cfa_rule rule;

	return debugfile_cfa_rule(file, address, &rule) && rule.reg == RSP &&
	       rule.offset == sizeof(uint64_t);
}

void debugfile_unnamed_functions(struct debugfile *file,
				 struct function_list *out)
{
	const struct cfi_index *index = &file_frames(file)->eh_index;
	struct function function;

	for (size_t i = 0; i < index->count; i++) {
		uint64_t low = index->data[i].low;

		/* One FDE describes all entries of a procedure linkage table,
		 * and they are no function of the program. */
		if (debugfile_function_at(file, low, &function) &&
		    !function.name && function.address == low &&
		    is_entry(file, low) && !plt_has(&file->image, low))
			vec_push(out, function);
	}
}

/* ---- code between functions ---------------------------------------------- */

#define ALIGNMENT 16

/* Take from `gap`, which contains `address`, what is described. */
static void leave_out(uint64_t address, struct range described,
		      struct range *gap)
{
	if (described.high <= address && described.high > gap->low)
		gap->low = described.high;
	if (described.low > address && described.low < gap->high)
		gap->high = described.low;
}

static void leave_out_frames(const struct cfi_index *index, uint64_t address,
			     struct range *gap)
{
	size_t above;

	SEARCH_FIRST(above, index->count, index->data[above].low > address);
	for (size_t i = above ? above - 1 : 0; i < index->count && i <= above;
	     i++)
		leave_out(
			address,
			(struct range){index->data[i].low, index->data[i].high},
			gap);
}

static void leave_out_symbols(const struct symbols *symbols, uint64_t address,
			      struct range *gap)
{
	size_t above;

	SEARCH_FIRST(above, symbols->count,
		     symbols->list[above].address > address);
	if (above)
		leave_out(address, (struct range){0, symbols->ends[above - 1]},
			  gap);
	if (above < symbols->count)
		leave_out(address,
			  (struct range){symbols->list[above].address,
					 UINT64_MAX},
			  gap);
}

bool debugfile_unknown_code(struct debugfile *file, uint64_t address,
			    uint64_t *start)
{
	const struct frames *frames = file_frames(file);
	struct range whole = {0, 0}, gap;

	for (size_t i = 0; i < file->image.sections.count; i++) {
		const struct section *section = &file->image.sections.data[i];

		if (section->executable && address >= section->address &&
		    address - section->address < section->size)
			whole = (struct range){section->address,
					       section->address +
						       section->size};
	}
	gap = whole;
	leave_out_frames(&frames->eh_index, address, &gap);
	leave_out_frames(&frames->debug_index, address, &gap);
	leave_out_symbols(file_symbols(file), address, &gap);
	if (gap.low == whole.low && gap.high == whole.high)
		return false;
	*start = (gap.low + ALIGNMENT - 1) & -(uint64_t)ALIGNMENT;
	if (*start > address)
		*start = gap.low;
	return true;
}
