/*
 * instrumentation.h - models of patches, and which of them are in the program
 */
#ifndef OPERATIONS_INSTRUMENTATION_H
#define OPERATIONS_INSTRUMENTATION_H

#include <json-c/json.h>

#include "perftool/session.h"
#include "perftool/session/measurements.h"

#include "operations/holders.h"
#include "patch_model.h"
#include "patch_modes.h"

struct desk;

/* What patches of memory do. watch_memory() sets a watchpoint: see
 * session_watch(). It is in a folder of its own, without which perftool can be
 * built (tests/periphery.txt). */
typedef struct error *watch_fn(struct session *session, const char *object,
			       bool reads, const char *condition, uint32_t *id);
watch_fn watch_memory;

/* A model that is in the program: what its patches have made. */
struct inserted_model {
	char *name;
	VEC(struct timed_function) timed;
	VEC(uint32_t) breaks; /* numbers of breakpoints */
	bool traces;          /* it has begun the trace */
	struct holders holders;
};

struct instrumentation {
	VEC(struct patch_model) models;
	VEC(struct inserted_model) inserted;
	struct patch_modes modes;
	/* where the files of patches are; NULL: not needed yet. `is_own`: the
	 * tool has made the folder. */
	char *directory;
	bool is_own;
};
void instrumentation_init(struct instrumentation *patches);
/* Also removes the folder of the files, if the tool has made it. */
void instrumentation_deinit(struct instrumentation *patches);

/* Returns the model of this name, or NULL. The other function makes it if there
 * is none. */
struct patch_model *instrumentation_find(struct instrumentation *patches,
					 const char *name);
struct patch_model *instrumentation_model(struct instrumentation *patches,
					  const char *name);
/* Forgets a model without methods. */
void instrumentation_drop_empty(struct instrumentation *patches);

/* The folder for the files of patches, which is made if there is none. */
struct error *instrumentation_folder(struct instrumentation *patches,
				     const char **out);
struct error *instrumentation_set_folder(struct instrumentation *patches,
					 const char *path);

/* Puts the patches of a model in the program, while it stands still. `classes`
 * names the only classes that get them; an empty list: all of them get them.
 * `left` gets an object for each patch that has no place, with the reason. It
 * is an error if nothing is in because a method is nowhere. After an error,
 * nothing of the model is in. A model that is in already is taken out first. */
struct error *model_insert(struct desk *desk, const char *name,
			   const struct string_list *classes, uint32_t owner,
			   struct json_object *left);
/* Takes it out. It is no error if it is not in. */
struct error *model_remove(struct desk *desk, const char *name);
/* A front end is gone. */
void instrumentation_forget(struct desk *desk, uint32_t owner);

#endif
