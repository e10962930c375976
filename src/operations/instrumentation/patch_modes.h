/*
 * patch_modes.h - what a patch does: the modes of a resource file
 *
 * Four modes come with the tool: count, time, histogram and trace. A resource
 * file defines further ones. It is XML, as the DYPATCH_MODE elements of
 * doc/PROTOCOL.md, or the same as JSON.
 */
#ifndef OPERATIONS_PATCH_MODES_H
#define OPERATIONS_PATCH_MODES_H

#include <stddef.h>

#include "perftool/base/error.h"
#include "perftool/base/vec.h"
#include "perftool/operations.h"

enum patch_action {
	ACTION_COUNT,     /* a node */
	ACTION_TIME,      /* a leg from the entry to the return */
	ACTION_HISTOGRAM, /* a node, and a histogram of its value */
	ACTION_TRACE, /* a leg, each execution of which is a row of a file */
};

struct patch_mode {
	char *name;
	enum patch_action action;
	/* Expressions of the command language, or NULL: the condition under
	 * which the patch counts, the value that it counts, and the label that
	 * divides its counts. */
	char *condition, *value, *label;
};

struct patch_modes {
	VEC(struct patch_mode) list;
};

/* The list begins with the modes that come with the tool. */
void patch_modes_init(struct patch_modes *modes);
void patch_modes_deinit(struct patch_modes *modes);
/* Adds the modes of a resource file. A mode of the same name is replaced. An
 * error changes nothing. */
struct error *patch_modes_read(struct patch_modes *modes, const char *path);
/* The same for the text of such a file. */
struct error *patch_modes_parse(struct patch_modes *modes, const char *text,
				size_t length);
/* The same for the value of such a file, or of a message that has the same
 * members. */
struct error *patch_modes_take(struct patch_modes *modes,
			       struct json_object *document);
/* The parameters of MODES: the path of a resource file, and the members of such
 * a file. */
extern const struct member patch_modes_members[];
/* Returns the mode of this name, or NULL. */
const struct patch_mode *patch_modes_find(const struct patch_modes *modes,
					  const char *name);

#endif
