/*
 * details.c - see details.h
 */
#include "details.h"

#include <stdlib.h>
#include <string.h>

#include "operations/desk.h"
#include "perftool/base/alloc.h"
#include "perftool/base/path.h"
#include "perftool/session/inventory.h"

/* How many functions an item may mean. The program stands still while nodes are
 * made for them. */
#define MOST_FUNCTIONS 10000

static void detail_deinit(struct detail *detail)
{
	free(detail->item);
	free(detail->agent);
	string_list_deinit(&detail->locations);
	holders_deinit(&detail->holders);
}

void details_deinit(struct detail_list *details)
{
	for (size_t i = 0; i < details->list.count; i++)
		detail_deinit(&details->list.data[i]);
	vec_free(&details->list);
}

static struct detail *find(const struct detail_list *details, const char *item,
			   const char *agent)
{
	for (size_t i = 0; i < details->list.count; i++)
		if (str_equal(details->list.data[i].item, item) &&
		    str_equal(details->list.data[i].agent, agent))
			return &details->list.data[i];
	return NULL;
}

const struct detail *details_find(const struct detail_list *details,
				  const char *item, const char *agent)
{
	return find(details, item, agent);
}

bool details_have_agent(const struct detail_list *details, const char *agent)
{
	for (size_t i = 0; i < details->list.count; i++)
		if (str_equal(details->list.data[i].agent, agent))
			return true;
	return false;
}

/* ---- what an item means -------------------------------------------------- */

/* Returns the path of the module that has this file name or path, or NULL. */
static const char *module_path_of(const struct module_facts_list *modules,
				  const char *name)
{
	for (size_t i = 0; i < modules->count; i++)
		if (str_equal(modules->data[i].name, name) ||
		    str_equal(modules->data[i].path, name))
			return modules->data[i].path;
	return NULL;
}

/* Returns the position of the colon between CLASS and METHOD, or NULL. The two
 * colons of a C++ name are none. */
static const char *class_end(const char *item)
{
	const char *colon = strchr(item, ':');

	while (colon && colon[1] == ':')
		colon = strchr(colon + 2, ':');
	return colon;
}

/* Returns the pattern that means the item, as `time` takes it. The caller frees
 * it. */
static char *pattern_of(const struct module_facts_list *modules,
			const char *item)
{
	const char *colon = class_end(item), *at;
	CLEANUP(free_pointer) char *class = NULL;

	if (module_path_of(modules, item))
		return xasprintf("*@%s", path_file_name(item));
	if (!colon)
		return strchr(item, '@') ? xstrdup(item) : NULL;
	class = xstrndup(item, (size_t)(colon - item));
	if (!module_path_of(modules, class))
		return xstrdup(item);
	/* The method may name the module itself: *0x1139@MODULE. */
	at = strrchr(colon + 1, '@');
	return at && !str_equal(at, "@plt")
		       ? xstrdup(colon + 1)
		       : xasprintf("%s@%s", colon + 1, path_file_name(class));
}

/* If the program itself has one of the functions, removes those of libraries: a
 * plain name means the program's. */
static void prefer_program(const struct module_facts_list *modules,
			   struct function_facts_list *functions)
{
	struct function_facts_list others = {0};
	size_t kept = 0;

	for (size_t i = 0; modules->count && i < functions->count; i++)
		kept += str_equal(functions->data[i].module,
				  modules->data[0].name);
	if (!kept)
		return;
	kept = 0;
	for (size_t i = 0; i < functions->count; i++) {
		if (str_equal(functions->data[i].module, modules->data[0].name))
			functions->data[kept++] = functions->data[i];
		else
			vec_push(&others, functions->data[i]);
	}
	functions->count = kept;
	function_facts_deinit(&others);
}

/* May the name be one of a class that a library has which is loaded later? A
 * plain function is searched only once, so that a mistake is noticed. */
static bool may_come_later(const char *item)
{
	return strpbrk(item, "./@*?[") != NULL;
}

/* Finds the functions of an item in the modules that are not in `searched`;
 * NULL: in all. Of the plain functions only those of all modules are found. */
static struct error *find_functions(struct session *session, const char *item,
				    const struct module_facts_list *modules,
				    const struct strmap *searched,
				    struct function_facts_list *out)
{
	CLEANUP(free_pointer) char *pattern = pattern_of(modules, item);
	CLEANUP(free_pointer) char *of_source = NULL;

	if (pattern)
		return session_new_functions(session, pattern, true, searched,
					     out);
	if (searched && !may_come_later(item))
		return NULL;
	/* A source file, if one has this name; else a function. */
	of_source = xasprintf("%s:*", item);
	error_destroy(
		session_new_functions(session, of_source, true, searched, out));
	if (out->count || searched)
		return NULL;
	TRY(session_functions(session, item, true, out));
	prefer_program(modules, out);
	return NULL;
}

static struct error *new_functions(struct desk *desk, struct session *session,
				   const char *item, bool system,
				   const struct strmap *searched,
				   struct string_list *out)
{
	struct module_facts_list modules = {0};
	struct function_facts_list functions = {0};
	struct error *error;

	if (str_equal(item, "*"))
		return error_create(ERROR_USAGE,
				    "`*' means all functions of all modules; "
				    "name a class or a function");
	session_modules(session, &modules);
	error = find_functions(session, item, &modules, searched, &functions);
	if (!error && !functions.count && !searched)
		error = error_create(ERROR_NOT_FOUND,
				     "no source file with debug information, "
				     "no module and no function is named `%s'",
				     item);
	if (!error && functions.count > MOST_FUNCTIONS)
		error = error_create(ERROR_OTHER,
				     "`%s' means %zu functions, and %d are the "
				     "most",
				     item, functions.count, MOST_FUNCTIONS);
	for (size_t i = 0; !error && i < functions.count; i++) {
		const struct function_facts *at = &functions.data[i];
		const struct class_names names = {
			.source = at->path ? path_file_name(at->path) : NULL,
			.source_path = at->path,
			.module = at->module,
			.module_path = module_path_of(&modules, at->module)};

		if (system ||
		    !(class_table_type(&desk->classes, &names) & CLASS_SYSTEM))
			vec_push(out, xstrdup(at->location));
	}
	function_facts_deinit(&functions);
	vec_free(&modules);
	return error;
}

struct error *item_functions(struct desk *desk, struct session *session,
			     const char *item, bool system,
			     struct string_list *out)
{
	return new_functions(desk, session, item, system, NULL, out);
}

/* ---- in and out ---------------------------------------------------------- */

struct error *details_add(struct desk *desk, struct session *session,
			  const char *item, const char *agent, uint32_t owner)
{
	struct detail *known = find(&desk->details, item, agent);
	struct detail fresh = {0};
	struct error *error;

	if (known) {
		holders_add(&known->holders, owner);
		return NULL;
	}
	error = item_functions(desk, session, item, false, &fresh.locations);
	if (error && error_code(error) == ERROR_NOT_FOUND &&
	    may_come_later(item)) {
		error_destroy(error);
		error = NULL;
		fresh.is_pending = true;
	}
	if (!error)
		error = timed_set_add(&desk->timed, session, &fresh.locations);
	if (error) {
		detail_deinit(&fresh);
		return error;
	}
	fresh.item = xstrdup(item);
	fresh.agent = xstrdup(agent);
	holders_add(&fresh.holders, owner);
	vec_push(&desk->details.list, fresh);
	agents_detailed(desk, agent);
	return NULL;
}

static struct error *look_again(struct desk *desk, struct detail *detail,
				const struct strmap *searched)
{
	struct string_list fresh = {0};
	struct error *error = new_functions(desk, desk->session, detail->item,
					    false, searched, &fresh);

	if (error)
		return error_prefix(error, "%s", detail->item);
	detail->is_pending &= !fresh.count;
	error = timed_set_extend(&desk->timed, desk->session, &fresh,
				 &detail->locations);
	return error ? error_prefix(error, "%s", detail->item) : NULL;
}

void details_look_again(struct desk *desk, const struct strmap *searched)
{
	struct detail_list *details = &desk->details;

	for (size_t i = 0; i < details->list.count; i++)
		desk_note(desk,
			  look_again(desk, &details->list.data[i], searched));
}

static void remove_one(struct desk *desk, struct session *session,
		       struct detail *detail)
{
	CLEANUP(free_pointer) char *agent = xstrdup(detail->agent);

	timed_set_remove(&desk->timed, session, &detail->locations, true);
	detail_deinit(detail);
	vec_remove(&desk->details.list,
		   (size_t)(detail - desk->details.list.data));
	agents_detailed(desk, agent);
}

void details_remove(struct desk *desk, struct session *session,
		    const char *item, const char *agent)
{
	struct detail *detail = find(&desk->details, item, agent);

	if (detail)
		remove_one(desk, session, detail);
}

void details_forget(struct desk *desk, struct session *session, uint32_t owner)
{
	for (size_t i = desk->details.list.count; i-- > 0;) {
		struct detail *detail = &desk->details.list.data[i];

		if (holders_drop(&detail->holders, owner))
			remove_one(desk, session, detail);
	}
}
