/*
 * patch_model.h - what is to be instrumented: the models of DYPATCH MODEL
 *
 * A model is a list of methods, each with its patches. This file knows no
 * session.
 */
#ifndef OPERATIONS_PATCH_MODEL_H
#define OPERATIONS_PATCH_MODEL_H

#include <json-c/json.h>
#include <stdbool.h>

#include "perftool/base/error.h"
#include "perftool/base/vec.h"

enum patch_what {
	PATCH_ENTER,
	PATCH_EXIT,
	PATCH_BLOCK_START,
	PATCH_SYNC_TEST,
	PATCH_SYNC_ENTER,
	PATCH_SYNC_EXIT,
	PATCH_STATIC_ACCESS,
	PATCH_FIELD_ACCESS,
	PATCH_STATIC_WRITE,
	PATCH_FIELD_WRITE,
	PATCH_OBJECT_ALLOC,
	PATCH_ARRAY_ALLOC,
	PATCH_BASE_ARRAY_ALLOC,
	PATCH_CALL,
};
/* Returns the word of the message, for example "BLOCK_START". */
const char *patch_what_name(enum patch_what what);

struct patch {
	enum patch_what what;
	char *mode;
	/* WHEN, by its CASE; NULL: no such condition */
	char *field, *block, *class, *method;
};

struct patched_method {
	char *class, *method; /* "*": all */
	VEC(struct patch) patches;
};

struct patch_model {
	char *name;
	VEC(struct patched_method) methods;
};
void patch_model_deinit(struct patch_model *model);

/* Changes the model as one FOR of a MODEL message says. An error changes
 * nothing. */
struct error *patch_model_update(struct patch_model *model,
				 struct json_object *update);

/* Does the model have a patch of this class? */
bool patch_model_has(const struct patch_model *model, const char *class);

#endif
