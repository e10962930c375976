/*
 * unnamed_functions.c - the functions of a stripped file, which only .eh_frame
 * describes
 */
#include <string.h>

#include "debuginfo/dwarf/dwarf.h"
#include "perftool/debuginfo.h"

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

/* Is the address in a procedure linkage table? One FDE describes all of its
 * stubs, and they are no function of the program. */
static bool is_in_plt(const struct debugfile *file, uint64_t address)
{
	for (size_t i = 0; i < file->image.sections.count; i++) {
		const struct section *section = &file->image.sections.data[i];

		if (section->executable && address >= section->address &&
		    address - section->address < section->size)
			return strncmp(section->name, ".plt", 4) == 0;
	}
	return false;
}

void debugfile_unnamed_functions(struct debugfile *file,
				 struct function_list *out)
{
	const struct cfi_index *index = &file_frames(file)->eh_index;
	struct function function;

	for (size_t i = 0; i < index->count; i++) {
		uint64_t low = index->data[i].low;

		if (debugfile_function_at(file, low, &function) &&
		    !function.name && function.address == low &&
		    is_entry(file, low) && !is_in_plt(file, low))
			vec_push(out, function);
	}
}
