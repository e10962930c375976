/*
 * class_model.c - CLASSMODEL: the modules of the program and their functions
 */
#include "operations/desk.h"

#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/path.h"
#include "perftool/document.h"
#include "perftool/session/inventory.h"

static void add(struct json_object *object, const char *name, const char *text)
{
	if (text)
		json_object_object_add(object, name, document_text(text));
}

/* ---- files, encoded ------------------------------------------------------ */

static void append_base64(const unsigned char *bytes, size_t length,
			  struct str *out)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < length; i += 3) {
		size_t left = length - i;
		uint32_t word = (uint32_t)bytes[i] << 16;

		if (left > 1)
			word |= (uint32_t)bytes[i + 1] << 8;
		if (left > 2)
			word |= bytes[i + 2];
		str_append_char(out, digits[word >> 18]);
		str_append_char(out, digits[word >> 12 & 63]);
		str_append_char(out, left > 1 ? digits[word >> 6 & 63] : '=');
		str_append_char(out, left > 2 ? digits[word & 63] : '=');
	}
}

/* Adds the file itself. A file that cannot be read is left out. */
static void add_binary(struct json_object *object, const char *path)
{
	struct json_object *binary;
	unsigned char bytes[3 * 16384];
	struct str text = {0};
	FILE *file = fopen(path, "re");
	size_t length;

	if (!file)
		return;
	while ((length = fread(bytes, 1, sizeof(bytes), file)))
		append_base64(bytes, length, &text);
	fclose(file);
	binary = json_object_new_object();
	add(binary, "encoding", "base64");
	json_object_object_add(
		binary, "text",
		json_object_new_string_len(str_text(&text), (int)text.length));
	json_object_object_add(object, "binary", binary);
	str_deinit(&text);
}

/* ---- the model ----------------------------------------------------------- */

static struct error *add_functions(struct session *session, const char *module,
				   struct json_object *object)
{
	CLEANUP(free_pointer) char *pattern = xasprintf("*@%s", module);
	struct json_object *list = json_object_new_array();
	struct function_facts_list functions = {0};
	struct error *error;

	error = session_functions(session, pattern, false, &functions);
	for (size_t i = 0; !error && i < functions.count; i++) {
		const struct function_facts *at = &functions.data[i];
		struct json_object *one = json_object_new_object();

		add(one, "name", at->name);
		if (at->path) {
			add(one, "file", path_file_name(at->path));
			json_object_object_add(one, "line",
					       json_object_new_int64(at->line));
		}
		json_object_array_add(list, one);
	}
	function_facts_deinit(&functions);
	json_object_object_add(object, "method", list);
	return error;
}

static struct json_object *class_object(struct session *session,
					const struct module_facts *module,
					bool binary)
{
	struct json_object *object = json_object_new_object();

	add(object, "name", module->name);
	add(object, "path", module->path);
	add(object, "build_id", module->build_id);
	if (binary)
		add_binary(object, module->path);
	/* A module whose file cannot be read has no functions here. */
	error_destroy(add_functions(session, module->name, object));
	return object;
}

/* Appends the folders of the modules, each once, with colons between them. */
static void append_folders(const struct module_facts_list *modules,
			   struct str *out)
{
	struct strmap known = {0};

	for (size_t i = 0; i < modules->count; i++) {
		const char *path = modules->data[i].path;
		const char *slash = strrchr(path, '/');
		CLEANUP(free_pointer) char *folder = NULL;

		if (!slash || slash == path)
			continue;
		folder = xstrndup(path, (size_t)(slash - path));
		if (strmap_get(&known, folder))
			continue;
		strmap_set(&known, folder, out);
		str_printf(out, "%s%s", out->length ? ":" : "", folder);
	}
	strmap_deinit(&known);
}

static void add_element(struct json_object *object, const char *name,
			const char *text)
{
	struct json_object *list = json_object_new_array();

	json_object_array_add(list, document_text(text));
	json_object_object_add(object, name, list);
}

static struct error *class_model(struct invocation *invocation)
{
	struct session *session = invocation->desk->session;
	struct json_object *result = json_object_new_object();
	struct json_object *user = json_object_new_object();
	struct json_object *list = json_object_new_array();
	const struct passwd *entry = getpwuid(getuid());
	struct module_facts_list modules = {0};
	const char *only = NULL, *refusal = session_refuses_jumps(session);
	struct str path = {0};
	bool binary = false;
	struct error *error;

	invocation->result = result;
	json_object_object_add(result, "candredfine",
			       json_object_new_boolean(!refusal));
	add(result, "refusal", refusal);
	add(user, "name", entry ? entry->pw_name : "?");
	error = params_flag(invocation->params, "binary", &binary);
	if (!error)
		error = params_text(invocation->params, "name", &only);
	session_modules(session, &modules);
	append_folders(&modules, &path);
	add_element(result, "classpath", str_text(&path));
	str_deinit(&path);
	json_object_object_add(result, "user", user);
	for (size_t i = 0; !error && i < modules.count; i++)
		if (!only || str_equal(only, modules.data[i].name))
			json_object_array_add(
				list, class_object(session, &modules.data[i],
						   binary));
	vec_free(&modules);
	json_object_object_add(result, "class", list);
	return error;
}

static const struct member model_parameters[] = {
	{"binary", "flag", "add the files of the modules, encoded"},
	{"name", "text", "only the module of this name"},
	{0}};

static const struct member model_reply[] = {
	{"candredfine", "flag", "nodes can be jumps, which are fast"},
	{"refusal", "text", "the reason, if they cannot"},
	{"classpath", "text", "the folders of the modules"},
	{"user.name", "text", "the user"},
	{"class[].name", "text", "a module"},
	{"class[].path", "text", "its file"},
	{"class[].build_id", "text", "its build ID, if it has one"},
	{"class[].binary.encoding", "text", "base64"},
	{"class[].binary.text", "text", "the file itself"},
	{"class[].method[].name", "text", "a function"},
	{"class[].method[].file", "text", "its source file, if it is known"},
	{"class[].method[].line", "number", "the line"},
	{0}};

const struct operation class_model_operations[] = {
	{.name = "classmodel",
	 .request_wrapper = "options",
	 .reply_wrapper = "CLASSMODEL",
	 .summary = "The modules of the program, and their functions.",
	 .parameters = model_parameters,
	 .reply = model_reply,
	 .run = class_model},
	{0}};
