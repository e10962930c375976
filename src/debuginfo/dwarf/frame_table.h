/*
 * frame_table.h - call frame information of a file, by address
 */
#ifndef PERFTOOL_DEBUGINFO_FRAME_TABLE_H
#define PERFTOOL_DEBUGINFO_FRAME_TABLE_H

#include "cfi.h"
#include "debuginfo/elf/elf.h"

struct frames {
	struct cfi_section eh, debug;
	struct cfi_index eh_index, debug_index; /* sorted by address */
	uint8_t *read; /* the bytes of `eh`, if no section header tells of it */
};

struct frames *file_frames(struct debugfile *file);
void frames_destroy(struct frames *frames);

/* The rules at an address (of the file). */
bool frames_row_at(struct debugfile *file, uint64_t address,
		   struct cfi_row *out);

/* The code that one FDE describes. */
bool frames_range_at(struct debugfile *file, uint64_t address,
		     struct range *out);

#endif
