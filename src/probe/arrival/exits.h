/*
 * exits.h - where a function is left: exits.c
 */
#ifndef PROBE_EXITS_H
#define PROBE_EXITS_H

#include "perftool/probe.h"
#include "probe/site/site.h"

/* Where a function is left, appended. */
struct error *find_exits(struct debugfile *file,
			 const struct function *function,
			 struct spot_list *out);
/* A function that only goes on in another has its exits before that one
 * begins: say so. `exits`: all of its own. */
void note_jumps(struct probe *probe, struct debugfile *file,
		const struct function *function, const struct spot *exits,
		size_t count);

#endif
