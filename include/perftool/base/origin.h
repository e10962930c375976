/*
 * origin.h - how a thread came to the beginning of an execution: the arguments
 * of the function there, and its callers
 *
 * Whoever makes a hit may attach an origin to it. The code that counts hits
 * keeps the origin with what the hit begins, and gives it up when nothing needs
 * it any more. Origins are counted by references.
 */
#ifndef PERFTOOL_BASE_ORIGIN_H
#define PERFTOOL_BASE_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/base/vec.h"

struct origin_argument {
	char *name, *value; /* as texts */
};

/* A call, as the source shows it. */
struct origin_frame {
	char *function; /* without parameters; or `module+0x1234` */
	char *module;   /* NULL: no module has the code */
	char *file;     /* NULL: not known */
	uint32_t line;
	bool inlined; /* into the next frame of the list */
};

struct origin {
	size_t references;
	/* Frees the origin, when there are no references any more. */
	void (*destroy)(struct origin *origin);
	VEC(struct origin_argument) arguments;
	/* The innermost frame is first. The list is filled when the origin is
	 * kept (measure_set_keeper()). */
	VEC(struct origin_frame) frames;
	bool is_broken; /* the callers of the last frame are not known */
};

static inline struct origin *origin_ref(struct origin *origin)
{
	if (origin)
		origin->references++;
	return origin;
}

/* NULL is allowed. */
static inline void origin_release(struct origin *origin)
{
	if (origin && !--origin->references)
		origin->destroy(origin);
}

#endif
