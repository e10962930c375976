/*
 * frame_table.h - the call frame information of a file, by address
 *
 * The information is in .eh_frame and .debug_frame, of which a file may have
 * one, both, or none. Addresses are those of the file.
 */
#ifndef PERFTOOL_DEBUGINFO_FRAME_TABLE_H
#define PERFTOOL_DEBUGINFO_FRAME_TABLE_H

#include "cfi.h"
#include "debuginfo/elf/elf.h"

struct frames {
	struct cfi_section eh, debug;
	struct cfi_index eh_index, debug_index; /* sorted by address */
	/* the bytes of `eh` if no section header described them; else NULL */
	uint8_t *read;
};

/* The call frame information of the file. It is read when it is first needed,
 * and the file owns it. Its indexes are empty if the file has none. */
struct frames *file_frames(struct debugfile *file);
void frames_destroy(struct frames *frames);

/* Get the rules at an address. .eh_frame is tried first, then .debug_frame.
 * False: neither has rules for the address. */
bool frames_row_at(struct debugfile *file, uint64_t address,
		   struct cfi_row *out);

/* Get the code that the FDE of this address describes. False: there is no FDE
 * for the address. */
bool frames_range_at(struct debugfile *file, uint64_t address,
		     struct range *out);

#endif
