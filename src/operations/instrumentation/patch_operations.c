/*
 * patch_operations.c - the operations of DYPATCH: MODEL, PATCH, DIRECTORY and
 * MODES; and INSTRUMENT
 */
#include "operations/desk.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/host.h"
#include "perftool/document.h"
#include "perftool/session/inventory.h"

/* ---- MODEL --------------------------------------------------------------- */

static struct error *run_model(struct invocation *invocation)
{
	struct instrumentation *patches = &invocation->desk->patches;
	struct json_object *params = invocation->params;
	struct patch_model trial = {0};
	struct error *error = NULL;
	struct patch_model *model;
	const char *name;

	TRY(params_needs_text(params, "name", &name));
	/* The whole message is checked before a part of it changes the model.
	 */
	for (size_t i = 0; !error && i < params_count(params, "for"); i++)
		error = patch_model_update(&trial, params_at(params, "for", i));
	patch_model_deinit(&trial);
	TRY(error);
	model = instrumentation_model(patches, name);
	for (size_t i = 0; i < params_count(params, "for"); i++)
		TRY(patch_model_update(model, params_at(params, "for", i)));
	return NULL;
}

/* ---- PATCH --------------------------------------------------------------- */

/* Appends what is to be patched, where, and on which condition. */
static void describe_patch(const struct patch *patch,
			   const struct patch_modes *modes, struct str *out)
{
	const struct patch_mode *mode = patch_modes_find(modes, patch->mode);
	const struct {
		const char *name, *arg;
	} cases[] = {{"FIELD", patch->field},
		     {"BLOCK", patch->block},
		     {"CLASS", patch->class},
		     {"METHOD", patch->method}};

	str_printf(out, "%s %s", patch_what_name(patch->what), patch->mode);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (cases[i].arg)
			str_printf(out, " WHEN %s %s", cases[i].name,
				   cases[i].arg);
	/* MODES may add the mode later. */
	if (mode && mode->condition)
		str_printf(out, " CONDITION %s", mode->condition);
}

/* Appends the patches of one class, a line each. */
static void list_patches(const struct instrumentation *patches,
			 const struct patch_model *model, const char *class,
			 struct str *out)
{
	for (size_t i = 0; i < model->methods.count; i++) {
		const struct patched_method *method = &model->methods.data[i];

		if (!str_equal(method->class, class) &&
		    !str_equal(method->class, "*"))
			continue;
		for (size_t j = 0; j < method->patches.count; j++) {
			size_t begin = out->length;

			str_printf(out, "%s ", method->method);
			describe_patch(&method->patches.data[j],
				       &patches->modes, out);
			/* A name may be any text, and a line is one patch. */
			for (char *at = out->data + begin; *at; at++)
				*at = iscntrl((unsigned char)*at) ? '?' : *at;
			str_append_char(out, '\n');
		}
	}
}

/* Makes the file of a class, and appends its path. */
static struct error *make_file(struct instrumentation *patches,
			       const struct patch_model *model,
			       const char *class, struct str *path)
{
	CLEANUP(free_pointer)
	char *name = xasprintf("%s-%s", model->name, class);
	CLEANUP(str_deinit) struct str text = {0};
	const char *folder;
	bool failed;
	FILE *file;

	TRY(instrumentation_folder(patches, &folder));
	for (char *at = name; *at; at++)
		*at = *at == '/' ? '_' : *at;
	str_printf(path, "%s/%s.patch", folder, name);
	file = fopen(str_text(path), "we");
	if (!file)
		return error_system(errno, "%s", str_text(path));
	list_patches(patches, model, class, &text);
	failed = fputs(str_text(&text), file) == EOF;
	failed |= fclose(file) != 0;
	return failed ? error_create(ERROR_OTHER, "cannot write %s",
				     str_text(path))
		      : NULL;
}

/* Returns the file in which the code of a class is: the path of a module, or
 * the name of the source file itself. */
static char *original(struct session *session, const char *class)
{
	struct module_facts_list modules = {0};
	char *path = NULL;

	session_modules(session, &modules);
	for (size_t i = 0; !path && i < modules.count; i++)
		if (str_equal(modules.data[i].name, class))
			path = xstrdup(modules.data[i].path);
	/* A source file is part of a module; the program is the first. */
	if (!path)
		path = xstrdup(modules.count ? modules.data[0].path : class);
	vec_free(&modules);
	return path;
}

static struct error *add_class(struct invocation *invocation,
			       const struct patch_model *model,
			       const char *class, struct json_object *list)
{
	struct desk *desk = invocation->desk;
	CLEANUP(free_pointer) char *path = original(desk->session, class);
	struct json_object *one = json_object_new_object();
	struct error *error = NULL;
	struct str file = {0};

	json_object_object_add(one, "name", document_text(class));
	json_object_object_add(one, "orig", document_text(path));
	json_object_array_add(list, one);
	if (!patch_model_has(model, class))
		return NULL;
	error = make_file(&desk->patches, model, class, &file);
	if (!error)
		json_object_object_add(one, "patch",
				       document_text(str_text(&file)));
	str_deinit(&file);
	return error;
}

static bool is_listed(struct json_object *list, const char *class)
{
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		const char *name = "";

		error_destroy(params_text(json_object_array_get_idx(list, i),
					  "name", &name));
		if (str_equal(name, class))
			return true;
	}
	return false;
}

static struct error *run_patch(struct invocation *invocation)
{
	struct instrumentation *patches = &invocation->desk->patches;
	struct json_object *params = invocation->params;
	struct json_object *list = json_object_new_array();
	const struct patch_model *model;
	const char *name, *class;
	bool all = false;

	invocation->result = json_object_new_object();
	json_object_object_add(invocation->result, "class", list);
	TRY(params_needs_text(params, "model", &name));
	TRY(params_flag(params, "all", &all));
	model = instrumentation_find(patches, name);
	if (!model)
		return error_create(ERROR_NOT_FOUND,
				    "there is no model `%s'; MODEL makes one",
				    name);
	for (size_t i = 0; i < params_count(params, "class"); i++) {
		TRY(params_needs_name(params_at(params, "class", i), "name",
				      &class));
		TRY(add_class(invocation, model, class, list));
	}
	for (size_t i = 0; all && i < model->methods.count; i++) {
		class = model->methods.data[i].class;
		if (!is_listed(list, class))
			TRY(add_class(invocation, model, class, list));
	}
	return NULL;
}

/* ---- INSTRUMENT, DIRECTORY, MODES ---------------------------------------- */

static struct error *run_instrument(struct invocation *invocation)
{
	CLEANUP(string_list_deinit) struct string_list classes = {0};
	struct json_object *params = invocation->params;
	struct json_object *left = json_object_new_array();
	struct desk *desk = invocation->desk;
	const char *name;
	uint32_t owner;
	bool in = true;

	invocation->result = json_object_new_object();
	json_object_object_add(invocation->result, "left", left);
	TRY(params_needs_text(params, "name", &name));
	TRY(params_flag(params, "insert", &in));
	TRY(invocation_owner(invocation, &owner));
	for (size_t i = 0; i < params_count(params, "patch"); i++) {
		const char *class;

		TRY(params_needs_name(params_at(params, "patch", i), "class",
				      &class));
		vec_push(&classes, xstrdup(class));
	}
	TRY(in ? model_insert(desk, name, &classes, owner, left)
	       : model_remove(desk, name));
	json_object_object_add(invocation->result, "time",
			       json_object_new_int64(host_time_ms()));
	return NULL;
}

/* The argument is the text of the message in XML, and a member in JSON. */
static struct error *path_of(const struct invocation *invocation,
			     const char *member, const char **out)
{
	*out = NULL;
	TRY(params_text(invocation->params, "text", out));
	return *out ? NULL : params_needs_text(invocation->params, member, out);
}

/* Returns the path without the blanks around it, which a message may have. */
static char *without_blanks(const char *path)
{
	size_t begin = strspn(path, " \t\r\n"), length = strlen(path + begin);

	while (length && strchr(" \t\r\n", path[begin + length - 1]))
		length--;
	return xstrndup(path + begin, length);
}

static struct error *run_directory(struct invocation *invocation)
{
	CLEANUP(free_pointer) char *path = NULL;
	const char *text;

	TRY(path_of(invocation, "directory", &text));
	path = without_blanks(text);
	return instrumentation_set_folder(&invocation->desk->patches, path);
}

/* Adds the modes of a file, or those of the message. */
static struct error *add_modes(struct invocation *invocation)
{
	struct patch_modes *modes = &invocation->desk->patches.modes;
	struct json_object *params = invocation->params;
	CLEANUP(free_pointer) char *path = NULL;
	const char *file = NULL, *text = NULL;

	TRY(params_text(params, "file", &file));
	TRY(params_text(params, "text", &text));
	if (!!file + !!text + !!params_count(params, "dypatch_mode") > 1)
		return error_create(ERROR_USAGE,
				    "MODES takes the path of one file, or the "
				    "modes themselves");
	if (params_count(params, "dypatch_mode"))
		return patch_modes_take(modes, params);
	if (!file && !text)
		return NULL;
	path = without_blanks(file ? file : text);
	return patch_modes_read(modes, path);
}

static struct error *run_modes(struct invocation *invocation)
{
	struct patch_modes *modes = &invocation->desk->patches.modes;
	struct json_object *list = json_object_new_array();

	invocation->result = json_object_new_object();
	json_object_object_add(invocation->result, "mode", list);
	TRY(add_modes(invocation));
	for (size_t i = 0; i < modes->list.count; i++) {
		struct json_object *one = json_object_new_object();

		json_object_object_add(one, "name",
				       document_text(modes->list.data[i].name));
		json_object_array_add(list, one);
	}
	return NULL;
}

static const struct member model_parameters[] = {
	{"name", "text", "the model; it is made if there is none"},
	{"for[].class", "text",
	 "a source file or a module; `*`: all, to clear them"},
	{"for[].method", "text", "a function; `*`: all"},
	{"for[].update", "text",
	 "NEW: the old patches of the method go; ADD: those stay that do not "
	 "conflict"},
	{"for[].patch[].what", "text",
	 "ENTER, EXIT, BLOCK_START, SYNC_TEST, SYNC_ENTER, SYNC_EXIT, "
	 "STATIC_ACCESS, FIELD_ACCESS, STATIC_WRITE, FIELD_WRITE, "
	 "OBJECT_ALLOC, ARRAY_ALLOC, BASE_ARRAY_ALLOC or CALL"},
	{"for[].patch[].mode", "text", "a mode of the resource file"},
	{"for[].patch[].when[].case", "text", "FIELD, BLOCK, CLASS or METHOD"},
	{"for[].patch[].when[].arg", "text",
	 "what is accessed (a static, or a field of a static object), the "
	 "distance of the block from the begin of the function in bytes, or "
	 "the function that is called"},
	{0}};

static const struct member patch_parameters[] = {
	{"model", "text", "the model"},
	{"all", "flag", "all classes of the model"},
	{"class[].name", "text", "a class"},
	{0}};

static const struct member patch_reply[] = {
	{"class[].name", "text", "the class"},
	{"class[].orig", "text", "the file that has its code"},
	{"class[].patch", "text",
	 "a file that lists its patches, as METHOD WHAT MODE on a line, with "
	 "the WHEN of a patch and the CONDITION of its mode; missing if it has "
	 "none"},
	{0}};

static const struct member instrument_parameters[] = {
	{"name", "text", "the model"},
	{"insert", "flag", "in, which is meant if it is missing, or out"},
	{"own", "flag",
	 "the patches go when this front end closes its connection"},
	{"patch[].class", "text", "only these classes"},
	{"patch[].orig", "text", "as PATCH has replied; it is not used"},
	{"patch[].patch", "text", "as PATCH has replied; it is not used"},
	{0}};

static const struct member instrument_reply[] = {
	{"time", "number", "when all were in place, in ms since 1970"},
	{"left[].class", "text",
	 "the class of a patch that has no place here, or a class of which the "
	 "model has no patches"},
	{"left[].method", "text", "the method of the patch"},
	{"left[].what", "text", "its WHAT"},
	{"left[].function", "text",
	 "the function that has not got it; missing if the method is nowhere"},
	{"left[].why", "text", "the reason"},
	{0}};

static const struct member directory_parameters[] = {
	{"directory", "text",
	 "a folder that exists; in XML the text of the message"},
	{0}};

static const struct member modes_reply[] = {
	{"mode[].name", "text", "a mode that a patch can have"}, {0}};

const struct operation patch_operations[] = {
	{.name = "instrument",
	 .request_wrapper = "model",
	 .reply_wrapper = "PATCH",
	 .summary = "Puts the patches of a model in the program, all at once, "
		    "or takes them out.",
	 .parameters = instrument_parameters,
	 .reply = instrument_reply,
	 .run = run_instrument},
	{.name = "model",
	 .is_patch = true,
	 .request_wrapper = "model",
	 .summary = "Says what is to be instrumented, and how.",
	 .parameters = model_parameters,
	 .run = run_model},
	{.name = "patch",
	 .is_patch = true,
	 .request_wrapper = "patch",
	 .reply_wrapper = "PATCH",
	 .summary = "Makes the files that list the patches of classes.",
	 .parameters = patch_parameters,
	 .reply = patch_reply,
	 .run = run_patch},
	{.name = "directory",
	 .is_patch = true,
	 .takes_text = true,
	 .summary = "Sets the folder of these files, and of traces.",
	 .parameters = directory_parameters,
	 .run = run_directory},
	{.name = "modes",
	 .is_patch = true,
	 .takes_text = true,
	 .summary = "Adds further modes: those of a resource file, or those "
		    "of the message. An error adds none.",
	 .parameters = patch_modes_members,
	 .reply = modes_reply,
	 .run = run_modes},
	{0}};
