/*
 * instrumentation.c - puts the patches of a model in the program, and takes
 * them out: see instrumentation.h
 *
 * ENTER and EXIT of a method with a mode that times are one leg. Every other
 * patch is a node. All of them are made while the program stands still, so that
 * the program never runs with a part of a model.
 */
#include "instrumentation.h"

#include <stdlib.h>
#include <string.h>

#include "operations/desk.h"
#include "perftool/base/alloc.h"
#include "perftool/document.h"
#include "perftool/session/measurements.h"

/* One insertion while it is made. */
struct insertion {
	struct desk *desk;
	struct inserted_model *model;
	struct json_object *left;
	VEC(uint32_t) traced; /* legs that the trace gets */
	/* why the first method that is nowhere is not there; NULL: all are */
	struct error *missing;
};

/* Tells the front end of a patch that is not in; `function`: the one of the
 * method's functions that has not got it, or NULL. */
static void leave_out(const struct insertion *insertion,
		      const struct patched_method *method,
		      const struct patch *patch, const char *function,
		      const char *why)
{
	struct json_object *one = json_object_new_object();

	json_object_object_add(one, "class", document_text(method->class));
	json_object_object_add(one, "method", document_text(method->method));
	json_object_object_add(one, "what",
			       document_text(patch_what_name(patch->what)));
	if (function)
		json_object_object_add(one, "function",
				       document_text(function));
	json_object_object_add(one, "why", document_text(why));
	json_object_array_add(insertion->left, one);
}

/* ---- legs ---------------------------------------------------------------- */

static bool is_timed(const struct patch_mode *mode)
{
	return mode->action == ACTION_TIME || mode->action == ACTION_TRACE;
}

/* Times a function, unless the other of ENTER and EXIT has done so. */
static struct error *time_function(struct insertion *insertion,
				   const struct patch_mode *mode,
				   const char *location)
{
	struct timed_function_list made = {0};
	const struct time_request request = {.patterns = &location,
					     .count = 1,
					     .condition = mode->condition,
					     .by = mode->label,
					     .made = &made};
	struct str said = {0};
	struct error *error =
		session_time(insertion->desk->session, &request, &said);

	str_deinit(&said);
	for (size_t i = 0; i < made.count; i++) {
		vec_push(&insertion->model->timed, made.data[i]);
		if (mode->action == ACTION_TRACE)
			vec_push(&insertion->traced, made.data[i].leg);
	}
	vec_free(&made);
	return error;
}

/* ---- nodes --------------------------------------------------------------- */

/* Where a patch is, as session_break() takes it. The caller frees `location`.
 */
struct spot {
	enum break_kind kind;
	char *location;
};

static struct error *find_spot(const struct patch *patch, const char *function,
			       struct spot *out)
{
	static const struct {
		enum break_kind kind;
		const char *words;
	} kinds[] = {
		[PATCH_ENTER] = {BREAK_ENTRY, "%s"},
		[PATCH_EXIT] = {BREAK_RETURN, "%s"},
		[PATCH_BLOCK_START] = {BREAK_BLOCKS, "%s"},
		[PATCH_SYNC_TEST] = {BREAK_SYNC_TEST, "sync test in %s"},
		[PATCH_SYNC_ENTER] = {BREAK_SYNC_ENTER, "sync enter in %s"},
		[PATCH_SYNC_EXIT] = {BREAK_SYNC_EXIT, "sync exit in %s"},
		[PATCH_OBJECT_ALLOC] = {BREAK_ALLOCATIONS, "allocations in %s"},
		[PATCH_ARRAY_ALLOC] = {BREAK_ALLOCATIONS, "allocations in %s"},
		[PATCH_BASE_ARRAY_ALLOC] = {BREAK_ALLOCATIONS,
					    "allocations in %s"},
		[PATCH_CALL] = {BREAK_CALLS, "%s"}};
	struct str text = {0};
	const char *words = kinds[patch->what].words, *at = strchr(words, '%');

	if (patch->class)
		return error_create(ERROR_USAGE,
				    "the class of what is allocated is not "
				    "known in machine code");
	out->kind = kinds[patch->what].kind;
	if (patch->what == PATCH_CALL) {
		str_printf(&text, "%s in ",
			   patch->method ? patch->method : "*");
	} else if (patch->what == PATCH_BLOCK_START && patch->block) {
		/* The number of an instruction is its distance from the begin
		 * of the function, in bytes. */
		out->kind = BREAK_PLACE;
		at = words;
	}
	str_append_n(&text, words, (size_t)(at - words));
	str_append(&text, function);
	if (out->kind == BREAK_PLACE) {
		char *module = strrchr(text.data, '@');
		CLEANUP(free_pointer)
		char *rest = module ? xstrdup(module) : NULL;

		if (module) {
			*module = '\0';
			text.length = (size_t)(module - text.data);
		}
		str_printf(&text, "+%s%s", patch->block, rest ? rest : "");
	}
	out->location = str_take(&text);
	return NULL;
}

/* Gives a node what its mode wants besides its count. */
static struct error *refine(struct session *session, uint32_t id,
			    const struct patch *patch,
			    const struct patch_mode *mode)
{
	struct histogram_request histogram = {
		.id = id, .spec = {.class = HISTOGRAM_HDR, .scale = -1}};
	struct split_request split = {.id = id, .by = mode->label};
	struct str said = {0};
	struct error *error = NULL;

	if (mode->action == ACTION_HISTOGRAM) {
		histogram.value = mode->value                 ? mode->value
				  : patch->what == PATCH_EXIT ? "$ret"
							      : "$arg1";
		error = session_add_histogram(session, &histogram, &said);
	}
	if (!error && mode->label)
		error = session_split(session, &split, &said);
	str_deinit(&said);
	return error;
}

static struct error *add_node(struct insertion *insertion,
			      const struct patch *patch,
			      const struct patch_mode *mode,
			      const char *function)
{
	struct session *session = insertion->desk->session;
	const char *condition = mode->condition ? mode->condition : "1";
	struct str said = {0};
	struct error *error;
	struct spot spot;
	uint32_t id = 0;

	TRY(find_spot(patch, function, &spot));
	error = session_break(session, spot.kind, spot.location, NULL,
			      condition, &id, &said);
	free(spot.location);
	str_deinit(&said);
	TRY(error);
	error = refine(session, id, patch, mode);
	if (error)
		error_destroy(session_take_back_break(session, id));
	else
		vec_push(&insertion->model->breaks, id);
	return error;
}

/* ---- memory -------------------------------------------------------------- */

static bool is_memory(enum patch_what what)
{
	return what >= PATCH_STATIC_ACCESS && what <= PATCH_FIELD_WRITE;
}

/* What watches memory, if perftool was built with it (tests/periphery.txt). */
static watch_fn *const watchers[] = {
	watch_memory,
	NULL,
};

/* Watches a static or a field of a given object, which the field's name says.
 */
static struct error *watch(struct insertion *insertion,
			   const struct patch *patch,
			   const struct patch_mode *mode)
{
	bool reads = patch->what == PATCH_STATIC_ACCESS ||
		     patch->what == PATCH_FIELD_ACCESS;
	uint32_t id = 0;

	if (!watchers[0])
		return error_create(ERROR_OTHER,
				    "this perftool cannot watch memory");
	if (!patch->field)
		return error_create(ERROR_USAGE,
				    "WHEN CASE='FIELD' must name the static or "
				    "the field to watch");
	TRY(watchers[0](insertion->desk->session, patch->field, reads,
			mode->condition ? mode->condition : "1", &id));
	vec_push(&insertion->model->breaks, id);
	return NULL;
}

/* ---- methods ------------------------------------------------------------- */

static struct error *patch_function(struct insertion *insertion,
				    const struct patched_method *method,
				    const char *function)
{
	const struct patch_modes *modes = &insertion->desk->patches.modes;
	bool is_leg = false;

	for (size_t i = 0; i < method->patches.count; i++) {
		const struct patch *patch = &method->patches.data[i];
		const struct patch_mode *mode =
			patch_modes_find(modes, patch->mode);
		struct error *error = NULL;

		if (is_memory(patch->what))
			continue;
		if (patch->what <= PATCH_EXIT && is_timed(mode)) {
			if (!is_leg)
				error = time_function(insertion, mode,
						      function);
			is_leg = !error;
		} else {
			error = add_node(insertion, patch, mode, function);
		}
		/* A WHAT without a place is no error. */
		if (error && error_code(error) == ERROR_INTERRUPTED)
			return error;
		if (error)
			leave_out(insertion, method, patch, function,
				  error_message(error));
		error_destroy(error);
	}
	return NULL;
}

static bool is_all(const char *name)
{
	return str_equal(name, "*");
}

/* Finds the functions of a method, and patches each of them. */
static struct error *patch_functions(struct insertion *insertion,
				     const struct patched_method *method)
{
	CLEANUP(free_pointer) char *item = NULL;
	struct desk *desk = insertion->desk;
	struct string_list functions = {0};
	struct error *error;

	item = is_all(method->method) ? xstrdup(method->class)
	       : is_all(method->class)
		       ? xstrdup(method->method)
		       : xasprintf("%s:%s", method->class, method->method);
	error = item_functions(desk, desk->session, item, true, &functions);
	for (size_t i = 0; !error && i < functions.count; i++)
		error = patch_function(insertion, method, functions.data[i]);
	string_list_deinit(&functions);
	return error;
}

static struct error *patch_method(struct insertion *insertion,
				  const struct patched_method *method)
{
	const struct patch_modes *modes = &insertion->desk->patches.modes;
	bool has_code = false;

	for (size_t i = 0; i < method->patches.count; i++) {
		const struct patch *patch = &method->patches.data[i];
		const struct patch_mode *mode =
			patch_modes_find(modes, patch->mode);
		struct error *error;

		has_code |= !is_memory(patch->what);
		if (!is_memory(patch->what))
			continue;
		error = watch(insertion, patch, mode);
		if (error)
			leave_out(insertion, method, patch, NULL,
				  error_message(error));
		error_destroy(error);
	}
	return has_code ? patch_functions(insertion, method) : NULL;
}

/* A method that nothing has, for example one of a source file without debug
 * information, is left out: the others of the model get their patches. */
static struct error *patch_or_leave_out(struct insertion *insertion,
					const struct patched_method *method)
{
	struct error *error = patch_method(insertion, method);

	if (!error || error_code(error) == ERROR_INTERRUPTED)
		return error;
	for (size_t i = 0; i < method->patches.count; i++)
		if (!is_memory(method->patches.data[i].what))
			leave_out(insertion, method, &method->patches.data[i],
				  NULL, error_message(error));
	if (insertion->missing)
		error_destroy(error);
	else
		insertion->missing = error;
	return NULL;
}

static bool is_empty(const struct inserted_model *model)
{
	return !model->timed.count && !model->breaks.count;
}

/* ---- models -------------------------------------------------------------- */

static struct inserted_model *find_inserted(struct instrumentation *patches,
					    const char *name)
{
	for (size_t i = 0; i < patches->inserted.count; i++)
		if (str_equal(patches->inserted.data[i].name, name))
			return &patches->inserted.data[i];
	return NULL;
}

/* Takes out what is in. What the user has deleted meanwhile is no failure. */
static void take_out(struct session *session, struct inserted_model *model)
{
	if (model->traces)
		error_destroy(session_trace_off(session));
	error_destroy(
		session_untime(session, model->timed.data, model->timed.count));
	for (size_t i = 0; i < model->breaks.count; i++)
		error_destroy(
			session_delete_break(session, model->breaks.data[i]));
	free(model->name);
	vec_free(&model->timed);
	vec_free(&model->breaks);
	holders_deinit(&model->holders);
}

static void remove_inserted(struct desk *desk, struct inserted_model *model)
{
	struct instrumentation *patches = &desk->patches;

	take_out(desk->session, model);
	vec_remove(&patches->inserted,
		   (size_t)(model - patches->inserted.data));
}

struct error *model_remove(struct desk *desk, const char *name)
{
	struct inserted_model *model = find_inserted(&desk->patches, name);

	if (model)
		remove_inserted(desk, model);
	return NULL;
}

void instrumentation_forget(struct desk *desk, uint32_t owner)
{
	struct instrumentation *patches = &desk->patches;

	for (size_t i = patches->inserted.count; i-- > 0;)
		if (holders_drop(&patches->inserted.data[i].holders, owner))
			remove_inserted(desk, &patches->inserted.data[i]);
}

/* Is this one of the classes that get their patches? */
static bool is_chosen(const struct string_list *classes, const char *class)
{
	for (size_t i = 0; i < classes->count; i++)
		if (str_equal(classes->data[i], class))
			return true;
	return !classes->count || is_all(class);
}

/* Tells the front end of the classes that it chose and that the model does not
 * have: their names may be misspelt. */
static void leave_out_classes(const struct patch_model *model,
			      const struct string_list *classes,
			      struct json_object *left)
{
	for (size_t i = 0; i < classes->count; i++) {
		const char *class = classes->data[i];
		struct json_object *one;

		if (is_all(class) || patch_model_has(model, class))
			continue;
		one = json_object_new_object();
		json_object_object_add(one, "class", document_text(class));
		json_object_object_add(
			one, "why",
			document_text("the model has no patches of it"));
		json_object_array_add(left, one);
	}
}

/* Checks that all modes exist, before anything is done. */
static struct error *check_modes(const struct instrumentation *patches,
				 const struct patch_model *model)
{
	for (size_t i = 0; i < model->methods.count; i++) {
		const struct patched_method *method = &model->methods.data[i];

		for (size_t j = 0; j < method->patches.count; j++)
			if (!patch_modes_find(&patches->modes,
					      method->patches.data[j].mode))
				return error_create(
					ERROR_NOT_FOUND,
					"there is no mode `%s'; MODES reads "
					"a resource file that has it",
					method->patches.data[j].mode);
	}
	return NULL;
}

/* Begins the trace, if a patch wants it. */
static struct error *begin_trace(struct insertion *insertion)
{
	struct instrumentation *patches = &insertion->desk->patches;
	CLEANUP(free_pointer) char *name = NULL, *path = NULL;
	const char *folder;

	if (!insertion->traced.count)
		return NULL;
	TRY(instrumentation_folder(patches, &folder));
	/* The name of a model may be any text. */
	name = xstrdup(insertion->model->name);
	for (char *at = name; *at; at++)
		*at = *at == '/' ? '_' : *at;
	path = xasprintf("%s/%s.csv", folder, name);
	TRY(session_trace(insertion->desk->session, path,
			  insertion->traced.data, insertion->traced.count));
	insertion->model->traces = true;
	return NULL;
}

struct error *model_insert(struct desk *desk, const char *name,
			   const struct string_list *classes, uint32_t owner,
			   struct json_object *left)
{
	struct instrumentation *patches = &desk->patches;
	const struct patch_model *model = instrumentation_find(patches, name);
	struct inserted_model fresh = {0};
	struct insertion insertion = {
		.desk = desk, .model = &fresh, .left = left};
	struct error *error = NULL;

	if (!model)
		return error_create(ERROR_NOT_FOUND,
				    "there is no model `%s'; MODEL makes one",
				    name);
	TRY(check_modes(patches, model));
	TRY(model_remove(desk, name));
	leave_out_classes(model, classes, left);
	fresh.name = xstrdup(name);
	for (size_t i = 0; !error && i < model->methods.count; i++)
		if (is_chosen(classes, model->methods.data[i].class))
			error = patch_or_leave_out(&insertion,
						   &model->methods.data[i]);
	if (!error)
		error = begin_trace(&insertion);
	vec_free(&insertion.traced);
	/* If no method is in, its reason is that of the whole model. */
	if (!error && is_empty(&fresh))
		error = insertion.missing;
	else
		error_destroy(insertion.missing);
	if (error) {
		take_out(desk->session, &fresh);
		return error;
	}
	holders_add(&fresh.holders, owner);
	vec_push(&patches->inserted, fresh);
	return NULL;
}
