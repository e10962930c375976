/*
 * code_map.h - which branches lead to an address of a module's code: code_map.c
 *
 * All addresses are those of the file.
 */
#ifndef PROBE_CODE_MAP_H
#define PROBE_CODE_MAP_H

#include "perftool/base/vec.h"
#include "perftool/basic_blocks.h"
#include "perftool/debuginfo.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/straight.h"

/* A part of the code, with one bit for each of its addresses. The bit is set if
 * some four bytes of the module's code, read as the displacement of a branch,
 * lead to the address. */
struct far_targets {
	uint64_t low, high;
	uint8_t *bits;
};

VEC_STRUCT(cfa_rule_list, struct cfa_rule);

/* What is known about branches in a module's code. The module owns it. */
struct code_map {
	VEC(struct far_targets) pieces;
	bool is_too_large;
	/* the address of the function that code_map_know() has read last; 0:
	 * none was read */
	uint64_t function;
	struct straight_code code;
	/* the frames at the indirect jumps and at the calls that an exception
	 * may leave */
	struct cfa_rule_list frames;
	/* The frame at an indirect jump or a call of `frames` is not known, so
	 * that jump or exception may lead anywhere. */
	bool leaps_anywhere;
	/* the blocks of the function, if begins_block() was asked */
	struct basic_blocks blocks;
	bool has_blocks;
};

struct code_map *code_map_create(struct debugfile *file);
void code_map_destroy(struct code_map *map); /* NULL is allowed */

/* Read a function. is_leapt_to() and others_lead() then answer for this
 * function. Returns false if nothing can be known about the function. */
bool code_map_know(struct code_map *map, struct debugfile *file,
		   const struct function *function);
/* May an indirect jump of the function, or an exception that leaves one of its
 * calls, lead to the address? */
bool is_leapt_to(const struct code_map *map, struct debugfile *file,
		 uint64_t address);
/* Does a branch of another function lead to an address behind `low`, up to and
 * including `high`? */
bool others_lead(const struct code_map *map, struct debugfile *file,
		 uint64_t low, uint64_t high);

/* Does a basic block of the function begin at the address (basic_blocks.h)? If
 * so, there is an instruction, and no data. The answer is no for a function
 * without call frame information, for one that calls a place within itself, and
 * for one of whose instructions some overlap: such code was not written by a
 * compiler, and data may stand in it where a call does not return. */
bool begins_block(struct code_map *map, struct debugfile *file,
		  uint64_t address);

#endif
