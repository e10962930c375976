/*
 * fast_site.h - a site whose instruction is a jump to a trampoline: fast.c
 */
#ifndef PROBE_FAST_SITE_H
#define PROBE_FAST_SITE_H

#include "perftool/fast.h"
#include "site.h"

#define FAST_NO_VALUE UINT8_MAX

/* One breakpoint there; its values are in the record, by their index. */
struct fast_part {
	struct attachment *attachment;
	uint8_t value; /* for its histogram; FAST_NO_VALUE: it has none */
	uint8_t keys, key_count;
	uint8_t labels, label_count;
};

/*
 * What a trampoline records, by the number that it writes. Forked children
 * share it: their trampolines are copies.
 */
struct fast_site {
	size_t users; /* sites */
	uint32_t number;
	enum purpose purpose;
	uint8_t cells;
	uint8_t is_signed; /* bit by value */
	size_t part_count;
	struct fast_part parts[FAST_PARTS];
	uint64_t trampoline; /* where it is, .. */
	uint16_t length, wait, again, foreign; /* .. see struct trampoline */
	uint64_t slot;
	struct trampoline_point *points;
	uint8_t point_count;
	struct patch patch;
};

/* By number; NULL: it is no more. */
struct fast_site *fast_site_find(const struct probe *probe, uint32_t number);

#endif
