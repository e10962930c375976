/*
 * exits.h - the instructions at which a function is left: exits.c
 */
#ifndef PROBE_EXITS_H
#define PROBE_EXITS_H

#include "perftool/probe.h"
#include "probe/site/site.h"

/* Append the exits of a function to `out`: its returns, and the jumps that
 * leave it (tail jumps). On error, some of them may have been appended. */
struct error *find_exits(struct debugfile *file,
			 const struct function *function,
			 struct spot_list *out);
/* The same, but the exits of a function are found only once until
 * known_exits_forget(): known_exits.c. */
struct error *known_exits_find(struct probe *probe, struct debugfile *file,
			       const struct function *function,
			       struct spot_list *out);
void known_exits_forget(struct probe *probe);
/* Tell the user if a function always ends with a jump to another function,
 * because its exit is then before that other function begins. `exits`: all
 * exits of the function. */
void note_jumps(struct probe *probe, struct debugfile *file,
		const struct function *function, const struct spot *exits,
		size_t count);
/* Tell the user if one of the function's exits is a jump to its own first
 * instruction: each such jump counts as a call, also if it is that of a loop.
 */
void note_loop(struct probe *probe, const struct function *function,
	       const struct spot_list *exits);

#endif
