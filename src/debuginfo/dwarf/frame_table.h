/*
 * frame_table.h - finds the call frame information for an address of a file
 *
 * Call frame information (cfi.h) is in .eh_frame and .debug_frame. A file may
 * have one of these sections, both, or none. All addresses are link-time
 * addresses.
 */
#ifndef PERFTOOL_DEBUGINFO_FRAME_TABLE_H
#define PERFTOOL_DEBUGINFO_FRAME_TABLE_H

#include "cfi.h"
#include "debuginfo/elf/elf.h"

struct frames {
	struct cfi_section eh, debug;
	struct cfi_index eh_index, debug_index; /* sorted by address */
	/* memory with the bytes of `eh` if the file has no section header for
	 * .eh_frame; else NULL */
	uint8_t *read;
};

/* The call frame information of the file. The function reads it when it is
 * first needed; the file owns it. The indexes are empty if the file has no call
 * frame information. */
struct frames *file_frames(struct debugfile *file);
void frames_destroy(struct frames *frames);

/* Get the rules at an address, from .eh_frame or else from .debug_frame. False:
 * neither section has rules for the address. */
bool frames_row_at(struct debugfile *file, uint64_t address,
		   struct cfi_row *out);

/* Get the range of code that the FDE of this address describes. False: there is
 * no FDE for the address. */
bool frames_range_at(struct debugfile *file, uint64_t address,
		     struct range *out);

#endif
