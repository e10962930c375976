/*
 * unwinding.h - a frame's address, by its call frame information
 */
#ifndef PERFTOOL_DEBUGINFO_UNWINDING_H
#define PERFTOOL_DEBUGINFO_UNWINDING_H

#include "debuginfo/elf/elf.h"

/* The CFA at the reader's pc. */
struct error *frames_cfa(struct debugfile *file,
			 const struct frame_reader *reader, uint64_t *cfa);

#endif
