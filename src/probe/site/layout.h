/*
 * layout.h - where sites have come or gone: layout.c
 *
 * Whether a site can be a jump, and where its breakpoints move if it cannot,
 * depends on the sites around it. An update tries this again only if one of
 * them has come or gone since the last time.
 */
#ifndef PROBE_LAYOUT_H
#define PROBE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "perftool/base/map.h"
#include "perftool/base/vec.h"

struct layout {
	/* address / LAYOUT_BYTES -> the number of the last change there */
	struct map changed;
	uintptr_t changes; /* how many changes there were */
	/* how many attempts are being made, and the addresses of their changes
	 */
	unsigned attempts;
	VEC(uint64_t) attempted;
};

/* How far away a site may be that matters; more than STRAIGHT_REACH. */
#define LAYOUT_BYTES 128

/* A site at the address has come or gone. */
void layout_note(struct layout *layout, uint64_t address);
/*
 * Between these two calls something is attempted that may be undone again. If
 * it was undone (`kept` is false), its changes do not count: otherwise the
 * failed attempts of neighbours would make each other try again at each update.
 * `mark` is what layout_attempt() returned.
 */
size_t layout_attempt(struct layout *layout);
void layout_attempted(struct layout *layout, size_t mark, bool kept);
/* Has a site near the address come or gone since `changes` was `since`? */
bool layout_has_changed(const struct layout *layout, uint64_t address,
			uintptr_t since);
void layout_copy(const struct layout *from, struct layout *to);
void layout_deinit(struct layout *layout);

#endif
