/*
 * exits.h - the instructions at which a function is left, and its basic
 * blocks: exits.c
 */
#ifndef PROBE_EXITS_H
#define PROBE_EXITS_H

#include "perftool/probe.h"
#include "probe/site/site.h"

struct basic_blocks;

/* Append the exits of a function to `out`: its returns, and the jumps that
 * leave it (tail jumps). On error, some of them may have been appended. */
struct error *find_exits(struct debugfile *file,
			 const struct function *function,
			 struct spot_list *out);
/*
 * Does a function with these exits never return? Then the tool watches none of
 * them, and counts the calls only.
 * Code of GHC (Haskell) never returns: it jumps, with a stack of its own, and
 * the stack pointer stays where it is. Nothing would ever end a frame that is
 * followed from there.
 */
bool exits_are_foreign(const struct spot_list *exits);
/* Find the basic blocks of a function. The caller calls arch_blocks_deinit()
 * for the result. */
struct error *function_blocks(struct debugfile *file,
			      const struct function *function,
			      struct basic_blocks *out);
/* The exits of a function, which are found only once until
 * known_exits_forget(): known_exits.c. None if exits_are_foreign(). */
struct error *known_exits_find(struct probe *probe, struct debugfile *file,
			       const struct function *function,
			       struct spot_list *out);
bool known_exits_are_foreign(struct probe *probe, struct debugfile *file,
			     const struct function *function);
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
