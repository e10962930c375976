/*
 * locations.h - where values are, and the evaluation of DWARF expressions
 *
 * This folder chooses an expression from a location list, evaluates it for a
 * stopped thread, and puts the bytes of a value together that is in memory, in
 * registers, in pieces, or nowhere. It also finds a thread's copy of
 * thread-local variables, and those parts of an object that only its memory
 * tells (virtual bases, the variant of an enumeration of Rust). Memory and
 * registers are reached through struct frame_reader only.
 *
 * It is apart from dwarf/ because it needs a stopped thread, and because no
 * library for reading DWARF evaluates expressions.
 *
 *  - location_list.h: the expression that is valid at an address
 *  - location_expression.h: its evaluation, and the value at the place found
 *  - expression_number.h: numbers on the stack of an expression
 *  - pieces.h: struct place, and reading what is there
 *  - thread_storage.h: thread-local variables
 *
 * It uses types/, dwarf/ and elf/, and frames/: an expression may refer to the
 * frame's address and to values that the caller had. In return frames/ has the
 * expressions of call frame information evaluated here. The other user is
 * variables.
 */
#ifndef PERFTOOL_DEBUGINFO_LOCATIONS_H
#define PERFTOOL_DEBUGINFO_LOCATIONS_H

#include "expression_number.h"
#include "location_expression.h"
#include "location_list.h"
#include "pieces.h"
#include "thread_storage.h"

#endif
