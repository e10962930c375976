/*
 * landing_pads.c - where exceptions continue: the landing pads of a function
 *
 * The table of landing pads (LSDA) is in .gcc_except_table; the FDE of the code
 * has its address. The table begins with a header and a list of call sites. An
 * entry of the list is a range of code and the landing pad for exceptions that
 * come from there. "Itanium C++ ABI: Exception Handling Tables" describes it.
 */
#include <stdlib.h>

#include "debuginfo/elf/elf.h"
#include "dwarf_constants.h"
#include "frame_table.h"
#include "perftool/base/alloc.h"

/* The largest list of call sites that is read, in bytes. */
#define MOST_BYTES (1u << 20)

/* Read a number of a call site. */
static uint64_t read_number(struct cursor *cursor, uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_uleb128:
		return cursor_uleb(cursor);
	case DW_EH_PE_udata2:
		return cursor_u16(cursor);
	case DW_EH_PE_udata4:
	case DW_EH_PE_sdata4:
		return cursor_u32(cursor);
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
		return cursor_u64(cursor);
	default:
		cursor_fail(cursor);
		return 0;
	}
}

static void read_sites(struct cursor *cursor, uint64_t start,
		       const struct range_list *ranges,
		       struct address_list *out)
{
	uint8_t encoding = cursor_u8(cursor);
	struct cursor sites = cursor_take(cursor, cursor_uleb(cursor));

	while (cursor_left(&sites) && !sites.failed) {
		uint64_t pad;

		read_number(&sites, encoding); /* the beginning of the range */
		read_number(&sites, encoding); /* its length */
		pad = read_number(&sites, encoding);
		cursor_uleb(&sites); /* what the exception must be */
		if (!sites.failed && pad && range_list_has(ranges, start + pad))
			vec_push(out, start + pad);
	}
}

/* `low` is the first address of the code that the table is for. */
static void read_table(const struct image *image, uint64_t table, uint64_t low,
		       const struct range_list *ranges,
		       struct address_list *out)
{
	CLEANUP(free_pointer) uint8_t *bytes = xmalloc(MOST_BYTES);
	size_t size = image_read(image, table, bytes, MOST_BYTES);
	struct cursor cursor =
		cursor_at((struct bytes){.data = bytes, .size = size}, 0);

	/* The landing pads are relative to the beginning of the code. No
	 * compiler gives another beginning. */
	if (cursor_u8(&cursor) != DW_EH_PE_omit)
		return;
	if (cursor_u8(&cursor) != DW_EH_PE_omit)
		cursor_uleb(&cursor); /* the offset of the list of types */
	read_sites(&cursor, low, ranges, out);
}

void debugfile_landing_pads(struct debugfile *file,
			    const struct range_list *ranges,
			    struct address_list *out)
{
	for (size_t i = 0; i < ranges->count; i++) {
		uint64_t at = ranges->data[i].low;
		struct range range;
		struct cfi_row row;

		while (at < ranges->data[i].high &&
		       frames_range_at(file, at, &range) && range.high > at) {
			if (frames_row_at(file, range.low, &row) && row.table)
				read_table(&file->image, row.table, row.low,
					   ranges, out);
			at = range.high;
		}
	}
}
