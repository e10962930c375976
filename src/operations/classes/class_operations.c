/*
 * class_operations.c - CLASSES and GETCLASSES
 */
#include "operations/desk.h"

#include "perftool/base/alloc.h"
#include "perftool/document.h"

static struct error *parse_type(const char *word, enum class_type *out)
{
	if (class_type_parse(word, out))
		return NULL;
	return error_create(ERROR_USAGE,
			    "`type' is NORMAL, SYSTEM, IO or SYSTEM_IO, and "
			    "not `%s'",
			    word);
}

/* Reads the entries of one kind. With `table` NULL they are only checked. */
static struct error *read_entries(struct class_table *table,
				  struct json_object *params,
				  const char *member, bool is_package,
				  uint32_t owner)
{
	for (size_t i = 0; i < params_count(params, member); i++) {
		struct json_object *one = params_at(params, member, i);
		const char *name, *word;
		enum class_type type;

		TRY(params_needs_text(one, "name", &name));
		TRY(params_needs_text(one, "type", &word));
		TRY(parse_type(word, &type));
		if (!*name)
			return error_create(ERROR_USAGE, "`name' is empty");
		if (table)
			class_table_set(table, name, is_package, type, owner);
	}
	return NULL;
}

static struct error *run_classes(struct invocation *invocation)
{
	struct class_table *table = &invocation->desk->classes;
	struct json_object *params = invocation->params;
	bool all = false, io = false, system = false;
	uint32_t owner;

	TRY(invocation_owner(invocation, &owner));
	TRY(params_flag(params, "clear", &all));
	TRY(params_flag(params, "cleario", &io));
	TRY(params_flag(params, "clearsystem", &system));
	TRY(read_entries(NULL, params, "package", true, owner));
	TRY(read_entries(NULL, params, "class", false, owner));
	if (all)
		class_table_clear(table, 0);
	if (io)
		class_table_clear(table, CLASS_IO);
	if (system)
		class_table_clear(table, CLASS_SYSTEM);
	TRY(read_entries(table, params, "package", true, owner));
	return read_entries(table, params, "class", false, owner);
}

static struct error *run_getclasses(struct invocation *invocation)
{
	const struct class_table *table = &invocation->desk->classes;
	struct json_object *packages = json_object_new_array();
	struct json_object *classes = json_object_new_array();
	const char *word = NULL, *prefix = "";
	enum class_type type = CLASS_NORMAL;

	invocation->result = json_object_new_object();
	json_object_object_add(invocation->result, "package", packages);
	json_object_object_add(invocation->result, "class", classes);
	TRY(params_text(invocation->params, "name", &prefix));
	TRY(params_text(invocation->params, "type", &word));
	if (word)
		TRY(parse_type(word, &type));
	for (size_t i = 0; i < table->list.count; i++) {
		const struct class_entry *entry = &table->list.data[i];
		struct json_object *one;

		if ((word && entry->type != type) ||
		    !str_starts(entry->name, prefix))
			continue;
		one = json_object_new_object();
		json_object_object_add(one, "name", document_text(entry->name));
		json_object_object_add(
			one, "type",
			json_object_new_string(class_type_name(entry->type)));
		json_object_array_add(entry->is_package ? packages : classes,
				      one);
	}
	return NULL;
}

static const struct member classes_parameters[] = {
	{"clear", "flag", "first remove all settings but those built in"},
	{"cleario", "flag", "first remove those of the types IO and SYSTEM_IO"},
	{"clearsystem", "flag",
	 "first remove those of the types SYSTEM and SYSTEM_IO"},
	{"own", "flag",
	 "the settings go when this front end closes its connection"},
	{"package[].name", "text",
	 "how names and paths of the classes begin; settings of longer names "
	 "go"},
	{"package[].type", "text", "NORMAL, SYSTEM, IO or SYSTEM_IO"},
	{"class[].name", "text", "a source file or a module"},
	{"class[].type", "text", "the same"},
	{0}};

static const struct member getclasses_parameters[] = {
	{"type", "text", "only those of this type"},
	{"name", "text", "only those whose name begins so"},
	{0}};

static const struct member getclasses_reply[] = {
	{"package[].name", "text", "how names and paths of the classes begin"},
	{"package[].type", "text", "NORMAL, SYSTEM, IO or SYSTEM_IO"},
	{"class[].name", "text", "a source file or a module"},
	{"class[].type", "text", "the same"},
	{0}};

const struct operation class_operations[] = {
	{.name = "classes",
	 .request_wrapper = "classes",
	 .summary = "Says which classes are system classes, which are not "
		    "detailed, and which are I/O classes, in which the time is "
		    "waiting.",
	 .parameters = classes_parameters,
	 .run = run_classes},
	{.name = "getclasses",
	 .request_wrapper = "match",
	 .reply_wrapper = "CLASSES",
	 .summary = "Tells these settings.",
	 .parameters = getclasses_parameters,
	 .reply = getclasses_reply,
	 .run = run_getclasses},
	{0}};
