/*
 * patch_model.c - see patch_model.h
 */
#include "patch_model.h"

#include <stdlib.h>
#include <strings.h>

#include "operations/invocation.h"
#include "perftool/base/alloc.h"

static const char *const names[] = {[PATCH_ENTER] = "ENTER",
				    [PATCH_EXIT] = "EXIT",
				    [PATCH_BLOCK_START] = "BLOCK_START",
				    [PATCH_SYNC_TEST] = "SYNC_TEST",
				    [PATCH_SYNC_ENTER] = "SYNC_ENTER",
				    [PATCH_SYNC_EXIT] = "SYNC_EXIT",
				    [PATCH_STATIC_ACCESS] = "STATIC_ACCESS",
				    [PATCH_FIELD_ACCESS] = "FIELD_ACCESS",
				    [PATCH_STATIC_WRITE] = "STATIC_WRITE",
				    [PATCH_FIELD_WRITE] = "FIELD_WRITE",
				    [PATCH_OBJECT_ALLOC] = "OBJECT_ALLOC",
				    [PATCH_ARRAY_ALLOC] = "ARRAY_ALLOC",
				    [PATCH_BASE_ARRAY_ALLOC] =
					    "BASE_ARRAY_ALLOC",
				    [PATCH_CALL] = "CALL"};
#define NAMES (sizeof(names) / sizeof(*names))

const char *patch_what_name(enum patch_what what)
{
	return names[what];
}

static void patch_deinit(struct patch *patch)
{
	free(patch->mode);
	free(patch->field);
	free(patch->block);
	free(patch->class);
	free(patch->method);
}

static void method_deinit(struct patched_method *method)
{
	free(method->class);
	free(method->method);
	for (size_t i = 0; i < method->patches.count; i++)
		patch_deinit(&method->patches.data[i]);
	vec_free(&method->patches);
}

void patch_model_deinit(struct patch_model *model)
{
	free(model->name);
	for (size_t i = 0; i < model->methods.count; i++)
		method_deinit(&model->methods.data[i]);
	vec_free(&model->methods);
}

/* ---- reading ------------------------------------------------------------- */

static struct error *parse_what(const char *word, enum patch_what *out)
{
	for (size_t i = 0; i < NAMES; i++) {
		if (strcasecmp(names[i], word) != 0)
			continue;
		*out = (enum patch_what)i;
		return NULL;
	}
	return error_create(ERROR_USAGE,
			    "`what' is ENTER, EXIT, BLOCK_START, CALL and so "
			    "on, and not `%s'",
			    word);
}

static struct error *read_when(struct json_object *when, struct patch *patch)
{
	struct {
		const char *name;
		char **text;
	} cases[] = {{"FIELD", &patch->field},
		     {"BLOCK", &patch->block},
		     {"CLASS", &patch->class},
		     {"METHOD", &patch->method}};
	const char *word, *arg;

	TRY(params_needs_text(when, "case", &word));
	TRY(params_needs_text(when, "arg", &arg));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (strcasecmp(cases[i].name, word) != 0)
			continue;
		free(*cases[i].text);
		*cases[i].text = xstrdup(arg);
		return NULL;
	}
	return error_create(ERROR_USAGE,
			    "`case' is FIELD, BLOCK, CLASS or METHOD, and not "
			    "`%s'",
			    word);
}

static struct error *read_patch(struct json_object *params, struct patch *out)
{
	const char *what, *mode;

	TRY(params_needs_text(params, "what", &what));
	TRY(parse_what(what, &out->what));
	TRY(params_needs_text(params, "mode", &mode));
	out->mode = xstrdup(mode);
	for (size_t i = 0; i < params_count(params, "when"); i++)
		TRY(read_when(params_at(params, "when", i), out));
	return NULL;
}

static bool is_all(const char *name)
{
	return str_equal(name, "*");
}

static struct error *read_method(struct json_object *params,
				 struct patched_method *out)
{
	const char *class, *method;

	TRY(params_needs_text(params, "class", &class));
	TRY(params_needs_text(params, "method", &method));
	if (is_all(class) && is_all(method) && params_count(params, "patch"))
		return error_create(ERROR_USAGE,
				    "all methods of all classes cannot be "
				    "patched, only cleared");
	out->class = xstrdup(class);
	out->method = xstrdup(method);
	for (size_t i = 0; i < params_count(params, "patch"); i++) {
		struct patch patch = {0};
		struct error *error =
			read_patch(params_at(params, "patch", i), &patch);

		if (error) {
			patch_deinit(&patch);
			return error;
		}
		vec_push(&out->patches, patch);
	}
	return NULL;
}

/* ---- changing ------------------------------------------------------------ */

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? str_equal(a, b) : a == b;
}

/* Two patches conflict if they are at the same places. */
static bool conflicts(const struct patch *a, const struct patch *b)
{
	return a->what == b->what && is_same_text(a->field, b->field) &&
	       is_same_text(a->block, b->block) &&
	       is_same_text(a->class, b->class) &&
	       is_same_text(a->method, b->method);
}

/* Removes the methods that these names mean. */
static void clear(struct patch_model *model, const char *class,
		  const char *method)
{
	for (size_t i = model->methods.count; i-- > 0;) {
		struct patched_method *at = &model->methods.data[i];

		if ((!is_all(class) && !str_equal(at->class, class)) ||
		    (!is_all(method) && !str_equal(at->method, method)))
			continue;
		method_deinit(at);
		vec_remove(&model->methods, i);
	}
}

static struct patched_method *find_method(const struct patch_model *model,
					  const struct patched_method *like)
{
	for (size_t i = 0; i < model->methods.count; i++) {
		struct patched_method *at = &model->methods.data[i];

		if (str_equal(at->class, like->class) &&
		    str_equal(at->method, like->method))
			return at;
	}
	return NULL;
}

/* Adds a patch to a method in the place of one with which it conflicts. */
static void add_patch(struct patched_method *method, struct patch patch)
{
	for (size_t i = 0; i < method->patches.count; i++) {
		struct patch *at = &method->patches.data[i];

		if (!conflicts(at, &patch))
			continue;
		patch_deinit(at);
		*at = patch;
		return;
	}
	vec_push(&method->patches, patch);
}

/* The function takes what is in `fresh`. */
static void add_method(struct patch_model *model, struct patched_method *fresh)
{
	struct patched_method *known = find_method(model, fresh);

	if (!fresh->patches.count) {
		method_deinit(fresh);
		return;
	}
	if (!known) {
		vec_push(&model->methods,
			 (struct patched_method){.class = fresh->class,
						 .method = fresh->method});
		known = &model->methods.data[model->methods.count - 1];
		fresh->class = fresh->method = NULL;
	}
	for (size_t i = 0; i < fresh->patches.count; i++)
		add_patch(known, fresh->patches.data[i]);
	vec_clear(&fresh->patches);
	method_deinit(fresh);
}

struct error *patch_model_update(struct patch_model *model,
				 struct json_object *update)
{
	struct patched_method fresh = {0};
	const char *how = "ADD";
	struct error *error = params_text(update, "update", &how);
	bool is_new = strcasecmp(how, "NEW") == 0;

	if (!error && !is_new && strcasecmp(how, "ADD") != 0)
		error = error_create(ERROR_USAGE,
				     "`update' is NEW or ADD, and not `%s'",
				     how);
	if (!error)
		error = read_method(update, &fresh);
	if (error) {
		method_deinit(&fresh);
		return error;
	}
	if (is_new)
		clear(model, fresh.class, fresh.method);
	add_method(model, &fresh);
	return NULL;
}

bool patch_model_has(const struct patch_model *model, const char *class)
{
	for (size_t i = 0; i < model->methods.count; i++)
		if (is_all(model->methods.data[i].class) ||
		    str_equal(model->methods.data[i].class, class))
			return true;
	return false;
}
