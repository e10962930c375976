/*
 * frames.h - frames of the machine and of the source
 *
 * This folder finds the caller of a frame, and tells what is in a frame by the
 * rules of calls. It applies the call frame information that dwarf/ reads, so
 * that the caller's registers are known (unwinding.h); knows how the ABI passes
 * parameters and results (abi.h), and so where they are at a function's first
 * and last instruction (entry_place.h); and recovers values that a function was
 * entered with, from what its caller knows (entry_value.h). One frame of the
 * machine is several of the source where calls were inlined: source_frames.c
 * lists them, and inlined_calls.c finds the inlined calls of a function by its
 * name.
 *
 * It uses locations/, lines/, symbols/, types/, index/, scopes/, dwarf/ and
 * elf/. Its users are variables, and locations: the evaluation of an expression
 * may need the caller's frame, as unwinding may need that of an expression.
 */
#ifndef PERFTOOL_DEBUGINFO_FRAMES_H
#define PERFTOOL_DEBUGINFO_FRAMES_H

#include "entry_place.h"
#include "entry_value.h"
#include "unwinding.h"

#endif
