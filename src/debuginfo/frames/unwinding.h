/*
 * unwinding.h - computes the CFA of a frame from its call frame information
 */
#ifndef PERFTOOL_DEBUGINFO_UNWINDING_H
#define PERFTOOL_DEBUGINFO_UNWINDING_H

#include "debuginfo/elf/elf.h"
#include "perftool/debuginfo/frame_rules.h"

/* The CFA of the frame at the reader's pc. ERROR_NOT_FOUND: the file has no
 * call frame information for this pc. ERROR_EVALUATE: the CFA cannot be
 * computed. */
struct error *frames_cfa(struct debugfile *file,
			 const struct frame_reader *reader, uint64_t *cfa);

#endif
