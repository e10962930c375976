/*
 * unnamed_functions.c - the functions of a stripped file, which only .eh_frame
 * describes
 */
#include "debuginfo/dwarf/dwarf.h"
#include "perftool/debuginfo.h"
#include "plt.h"

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
