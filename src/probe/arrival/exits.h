/*
 * exits.h - the instructions at which a function is left: exits.c
 */
#ifndef PROBE_EXITS_H
#define PROBE_EXITS_H

#include "perftool/probe.h"
#include "probe/site/site.h"

/* Append the exits of a function to `out`. On error, some may have been
 * appended. */
struct error *find_exits(struct debugfile *file,
			 const struct function *function,
			 struct spot_list *out);
/* A function that does nothing but go on in another function has its exits
 * before that other function begins. If that is so, tell the user. `exits`: all
 * exits of the function. */
void note_jumps(struct probe *probe, struct debugfile *file,
		const struct function *function, const struct spot *exits,
		size_t count);

#endif
