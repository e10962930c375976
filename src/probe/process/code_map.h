/*
 * code_map.h - what leads to an address of a module's code: code_map.c
 *
 * All addresses are those of the file.
 */
#ifndef PROBE_CODE_MAP_H
#define PROBE_CODE_MAP_H

#include "perftool/base/vec.h"
#include "perftool/debuginfo.h"
#include "perftool/straight.h"

/* A part of the code, with one bit for each of its addresses. The bit is set if
 * some four bytes of the module, read as the displacement of a branch, would
 * lead there. */
struct far_targets {
	uint64_t low, high;
	uint8_t *bits;
};

VEC_STRUCT(cfa_rule_list, struct cfa_rule);

/* What is known about a module's code. The module keeps it. */
struct code_map {
	VEC(struct far_targets) pieces;
	bool is_too_large;
	/* the function that code_map_know() has read last */
	uint64_t function; /* its address; 0: none was read */
	struct straight_code code;
	/* the frames at the indirect jumps and at the calls that an exception
	 * may leave */
	struct cfa_rule_list frames;
	/* the frame at one of these is not known, so it may lead anywhere */
	bool leaps_anywhere;
};

struct code_map *code_map_create(struct debugfile *file);
void code_map_destroy(struct code_map *map); /* NULL is allowed */

/* Read a function. is_leapt_to() and others_lead() are about the function that
 * was read last. Returns false if nothing can be known about the function. */
bool code_map_know(struct code_map *map, struct debugfile *file,
		   const struct function *function);
/* May an indirect jump or an exception lead to the address? */
bool is_leapt_to(const struct code_map *map, struct debugfile *file,
		 uint64_t address);
/* Does code of another function lead to an address behind `low`, up to and
 * including `high`? */
bool others_lead(const struct code_map *map, struct debugfile *file,
		 uint64_t low, uint64_t high);

#endif
