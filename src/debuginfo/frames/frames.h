/*
 * frames.h - machine frames (a frame on the stack) and source frames (a call in
 * the source, which may be inlined)
 *
 * This folder finds the caller of a frame, and the parameters and results that
 * the calling convention puts into a frame:
 *
 * - It applies the call frame information that dwarf/ reads, to compute the
 *   registers of the caller (unwinding.h).
 * - It knows how the ABI passes parameters and results (abi.h), and therefore
 *   where they are at a function's first and last instruction (entry_place.h).
 * - It finds the value that a register had when the function was entered, by
 *   what the debug information of its caller says about the call
 *   (entry_value.h).
 * - One machine frame is several source frames if calls were inlined.
 *   source_frames.c lists these, and inlined_calls.c finds the inlined calls of
 *   a function by its name.
 *
 * It uses locations/, lines/, symbols/, types/, index/, scopes/, dwarf/ and
 * elf/. The folders variables/ and locations/ use it. locations/ and frames/
 * use each other: the evaluation of an expression may need the caller's frame,
 * and unwinding may need the value of an expression.
 */
#ifndef PERFTOOL_DEBUGINFO_FRAMES_H
#define PERFTOOL_DEBUGINFO_FRAMES_H

#include "entry_place.h"
#include "entry_value.h"
#include "unwinding.h"

#endif
