/*
 * params.c - reads parameters: their names, their types, and what is wrong with
 * them
 *
 * In XML all values are texts, so a text that says a flag or a number is taken
 * for one.
 */
#include "invocation.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "perftool/base/alloc.h"

static struct json_object *find(struct json_object *params, const char *name)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(params, name, &value);
	return value;
}

size_t params_count(struct json_object *params, const char *name)
{
	struct json_object *value = find(params, name);

	if (!value)
		return 0;
	return json_object_is_type(value, json_type_array)
		       ? json_object_array_length(value)
		       : 1;
}

struct json_object *params_at(struct json_object *params, const char *name,
			      size_t index)
{
	struct json_object *value = find(params, name);

	return json_object_is_type(value, json_type_array)
		       ? json_object_array_get_idx(value, index)
		       : value;
}

static struct error *wrong_type(const char *name, const char *wanted)
{
	return error_create(ERROR_USAGE, "`%s' must be %s", name, wanted);
}

struct error *params_text(struct json_object *params, const char *name,
			  const char **out)
{
	struct json_object *value = find(params, name);

	if (!value)
		return NULL;
	if (json_object_is_type(value, json_type_object) ||
	    json_object_is_type(value, json_type_array))
		return wrong_type(name, "a text");
	*out = json_object_get_string(value);
	return NULL;
}

struct error *params_needs_text(struct json_object *params, const char *name,
				const char **out)
{
	const char *text = NULL;

	TRY(params_text(params, name, &text));
	if (!text)
		return error_create(ERROR_USAGE, "`%s' is missing", name);
	*out = text;
	return NULL;
}

struct error *params_needs_name(struct json_object *element, const char *name,
				const char **out)
{
	if (!json_object_is_type(element, json_type_string))
		return params_needs_text(element, name, out);
	*out = json_object_get_string(element);
	return NULL;
}

struct error *params_flag(struct json_object *params, const char *name,
			  bool *out)
{
	static const char *const words[][2] = {
		{"f", "t"}, {"false", "true"}, {"0", "1"}, {"off", "on"}};
	struct json_object *value = find(params, name);
	const char *text;

	if (!value)
		return NULL;
	if (json_object_is_type(value, json_type_boolean)) {
		*out = json_object_get_boolean(value);
		return NULL;
	}
	text = json_object_get_string(value);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		for (int flag = 0; flag < 2; flag++) {
			if (text && strcasecmp(text, words[i][flag]) == 0) {
				*out = flag;
				return NULL;
			}
		}
	}
	return wrong_type(name, "TRUE or FALSE");
}

struct error *params_number(struct json_object *params, const char *name,
			    double *out)
{
	struct json_object *value = find(params, name);
	const char *text;
	char *end;
	double number;

	if (!value)
		return NULL;
	if (json_object_is_type(value, json_type_object) ||
	    json_object_is_type(value, json_type_array))
		return wrong_type(name, "a number");
	text = json_object_get_string(value);
	number = strtod(text, &end);
	if (!*text || *end || !isfinite(number))
		return wrong_type(name, "a number");
	*out = number;
	return NULL;
}

/* ---- names --------------------------------------------------------------- */

/* Does the name of a member begin with `path`, and is that a part of it which
 * ends there? */
static bool has_path(const char *name, const char *path)
{
	size_t length = strlen(path);

	return strncmp(name, path, length) == 0 &&
	       (!name[length] || name[length] == '.' || name[length] == '[');
}

static bool is_known(const struct member *members, const char *path)
{
	for (; members && members->name; members++)
		if (has_path(members->name, path))
			return true;
	return false;
}

/* Appends the names of the members behind `prefix`, each once. */
static void append_names(const struct member *members, const char *prefix,
			 struct str *out)
{
	size_t length = strlen(prefix);
	const char *last = "";

	for (; members && members->name; members++) {
		const char *name = members->name + length;
		size_t end;

		if (strncmp(members->name, prefix, length) != 0)
			continue;
		end = strcspn(name, ".[");
		if (strncmp(last, name, end) == 0 && strcspn(last, ".[") == end)
			continue;
		last = name;
		str_printf(out, "%s%.*s", out->length ? ", " : "", (int)end,
			   name);
	}
}

/* Appends a path as a reader writes it, without its brackets and without the
 * dot at its end. */
static void append_path(const char *path, struct str *out)
{
	for (; *path; path++)
		if (*path != '[' && *path != ']' && (*path != '.' || path[1]))
			str_append_char(out, *path);
}

/* `prefix`: the path of the object that has the member `name`. */
static struct error *unknown(const struct member *members, const char *prefix,
			     const char *name, const char *whole)
{
	struct str names = {0}, place = {0};
	struct error *error;

	append_names(members, prefix, &names);
	append_path(prefix, &place);
	error = error_create(
		ERROR_USAGE, "%s has no `%s'%s%s%s; %s%s", whole, name,
		*prefix ? " in `" : "", str_text(&place), *prefix ? "'" : "",
		names.length ? "there are: " : "there are no parameters",
		str_text(&names));
	str_deinit(&names);
	str_deinit(&place);
	return error;
}

static bool has_members(const struct member *members, const char *prefix)
{
	for (; members && members->name; members++)
		if (str_starts(members->name, prefix))
			return true;
	return false;
}

/* Checks the members of an object, which are at `prefix` in the list. What is
 * no object has no members. */
static struct error *check_names(struct json_object *object,
				 const struct member *members,
				 const char *prefix, const char *whole);

/* Checks the members of a value, or of each of its elements. A value that
 * cannot have any is of a wrong type, which the operation notices. */
static struct error *check_value(struct json_object *value,
				 const struct member *members, const char *path,
				 const char *whole)
{
	CLEANUP(free_pointer) char *inner = xasprintf("%s[].", path);

	if (!has_members(members, inner))
		return NULL;
	if (!json_object_is_type(value, json_type_array))
		return check_names(value, members, inner, whole);
	for (size_t i = 0; i < json_object_array_length(value); i++)
		TRY(check_names(json_object_array_get_idx(value, i), members,
				inner, whole));
	return NULL;
}

static struct error *check_names(struct json_object *object,
				 const struct member *members,
				 const char *prefix, const char *whole)
{
	if (!json_object_is_type(object, json_type_object))
		return NULL;
	json_object_object_foreach(object, name, value)
	{
		CLEANUP(free_pointer)
		char *path = xasprintf("%s%s", prefix, name);

		if (strpbrk(name, ".[") || !is_known(members, path))
			return unknown(members, prefix, name, whole);
		TRY(check_value(value, members, path, whole));
	}
	return NULL;
}

struct error *params_known(struct json_object *params,
			   const struct member *members, const char *whole)
{
	return check_names(params, members, "", whole);
}

/* `prefix`: the path of the parameter whose members may stand alone. */
static struct error *unknown_alone(const struct operation *operation,
				   const char *prefix, const char *name,
				   const char *whole)
{
	struct str names = {0};
	struct error *error;

	append_names(operation->parameters, prefix, &names);
	error = error_create(ERROR_USAGE,
			     "%s has no `%s'; there are: %s (or %s, which has "
			     "these)",
			     whole, name, str_text(&names), operation->alone);
	str_deinit(&names);
	return error;
}

/* The members of the parameter that stand alone, and the others. */
static struct error *check_alone(struct json_object *params,
				 const struct operation *operation,
				 const char *whole)
{
	CLEANUP(free_pointer)
	char *prefix = xasprintf("%s[].", operation->alone);
	struct json_object *others = json_object_new_object();
	struct error *error = NULL;

	json_object_object_foreach(params, name, value)
	{
		CLEANUP(free_pointer)
		char *path = xasprintf("%s%s", prefix, name);

		if (!is_known(operation->parameters, path))
			json_object_object_add(others, name,
					       json_object_get(value));
	}
	json_object_object_foreach(others, other, of_other)
	{
		(void)of_other;
		if (!error && !is_known(operation->parameters, other))
			error = unknown_alone(operation, prefix, other, whole);
	}
	if (!error && json_object_object_length(others))
		error = params_known(others, operation->parameters, whole);
	json_object_put(others);
	return error;
}

struct error *params_of(struct json_object *params,
			const struct operation *operation)
{
	CLEANUP(free_pointer) char *whole = xstrdup(operation->name);
	struct json_object *text = NULL;
	struct error *error;

	for (char *at = whole; *at; at++)
		*at = (char)toupper((unsigned char)*at);
	if (operation->takes_text &&
	    json_object_object_get_ex(params, "text", &text)) {
		json_object_get(text);
		json_object_object_del(params, "text");
	}
	if (operation->alone && !params_count(params, operation->alone))
		error = check_alone(params, operation, whole);
	else
		error = params_known(params, operation->parameters, whole);
	if (text)
		json_object_object_add(params, "text", text);
	return error;
}
