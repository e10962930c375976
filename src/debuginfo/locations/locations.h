/*
 * locations.h - finds the places of values, and evaluates DWARF expressions
 *
 * This folder chooses an expression from a location list and evaluates it for a
 * stopped thread. It then puts the bytes of a value together, which may be in
 * memory, in registers, in pieces, or nowhere. It also finds a thread's copy of
 * thread-local variables, and the parts of an object whose place or kind is
 * written only in the object's own memory (virtual bases, the variant of a Rust
 * enumeration). It reaches memory and registers only through struct
 * frame_reader.
 *
 * It is a folder of its own and not part of dwarf/, because it needs a stopped
 * thread, and because no library for reading DWARF evaluates expressions.
 *
 * - location_list.h: the expression that is valid at an address
 * - location_expression.h: evaluates an expression, and reads the value at the
 *   place that the expression gives
 * - expression_number.h: numbers on the stack of an expression
 * - pieces.h: struct place, and reading the bytes at a place
 * - thread_storage.h: thread-local variables
 *
 * It uses types/, dwarf/ and elf/, and also frames/, because an expression may
 * refer to the frame's address and to values that the caller passed. frames/
 * uses this folder to evaluate the expressions of call frame information. The
 * other folder that uses it is variables/.
 */
#ifndef PERFTOOL_DEBUGINFO_LOCATIONS_H
#define PERFTOOL_DEBUGINFO_LOCATIONS_H

#include "expression_number.h"
#include "location_expression.h"
#include "location_list.h"
#include "pieces.h"
#include "thread_storage.h"

#endif
