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

/* Addresses that some bytes, taken for a branch, would lead to. */
struct far_targets {
	uint64_t low, high;
	uint8_t *bits;
};

VEC_STRUCT(cfa_rule_list, struct cfa_rule);

/* What is known of a module's code: kept with it. */
struct code_map {
	VEC(struct far_targets) pieces;
	bool is_too_large;
	/* the function that was last asked about */
	uint64_t function; /* 0: none */
	struct straight_code code;
	struct cfa_rule_list frames; /* of which there may be leaps */
	bool leaps_anywhere;         /* of some the frame is not known */
};

struct code_map *code_map_create(struct debugfile *file);
void code_map_destroy(struct code_map *map); /* NULL is allowed */

/* Read a function; the two below are about the one that was read last. False:
 * nothing can be known of it. */
bool code_map_know(struct code_map *map, struct debugfile *file,
		   const struct function *function);
/* May an indirect jump or an exception lead there? */
bool is_leapt_to(const struct code_map *map, struct debugfile *file,
		 uint64_t address);
/* Does other code lead behind `low`, as far as to `high`? */
bool others_lead(const struct code_map *map, struct debugfile *file,
		 uint64_t low, uint64_t high);

#endif
