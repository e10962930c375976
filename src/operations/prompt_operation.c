/*
 * prompt_operation.c - an operation that the command `dyper` asks for, in words
 */
#include "desk.h"

#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/document.h"

/* Returns the last element of the array `name` of an object, and makes it if
 * there is none. `fresh`: makes another one in any case. */
static struct json_object *last_element(struct json_object *object,
					const char *name, bool fresh)
{
	struct json_object *array = NULL, *one;
	size_t count;

	if (!json_object_object_get_ex(object, name, &array) ||
	    !json_object_is_type(array, json_type_array)) {
		array = json_object_new_array();
		json_object_object_add(object, name, array);
	}
	count = json_object_array_length(array);
	if (count && !fresh)
		return json_object_array_get_idx(array, count - 1);
	one = json_object_new_object();
	json_object_array_add(array, one);
	return one;
}

/* Adds a word NAME=VALUE, where NAME may have dots. */
static struct error *add_word(struct json_object *params, const char *word)
{
	CLEANUP(free_pointer) char *path = xstrdup(word);
	char *value = strchr(path, '='), *dot, *name = path;
	struct json_object *object = params, *outer = NULL;
	const char *of_outer = NULL;

	if (!value || value == path)
		return error_create(ERROR_USAGE,
				    "`%s' is not of the form NAME=VALUE", word);
	*value++ = '\0';
	while ((dot = strchr(name, '.'))) {
		*dot = '\0';
		outer = object;
		of_outer = name;
		object = last_element(object, name, false);
		if (!json_object_is_type(object, json_type_object))
			return error_create(ERROR_USAGE,
					    "`%s' has a value already", name);
		name = dot + 1;
	}
	if (outer && json_object_object_get_ex(object, name, NULL))
		object = last_element(outer, of_outer, true);
	json_object_object_add(object, name, document_text(value));
	return NULL;
}

static void print_result(struct json_object *result, struct str *out)
{
	if (json_object_is_type(result, json_type_string))
		str_printf(out, "%s\n", json_object_get_string(result));
	else if (result)
		str_printf(out, "%s\n",
			   json_object_to_json_string_ext(
				   result,
				   JSON_C_TO_STRING_PRETTY |
					   JSON_C_TO_STRING_SPACED |
					   JSON_C_TO_STRING_NOSLASHESCAPE));
}

struct error *desk_operation(void *context, const char *name,
			     const char *const *words, size_t count,
			     struct str *out)
{
	struct desk *desk = context;
	const struct operation *operation = operation_find(name);
	struct caller nobody = {0};
	struct json_object *params, *result = NULL;
	struct error *error = NULL;

	if (!operation)
		return error_create(ERROR_USAGE,
				    "there is no operation `%s'; `help dyper' "
				    "lists all",
				    name);
	/* COMMAND and ASK in a command would end the output of the outer one.
	 */
	if (str_equal(name, "command") || str_equal(name, "ask"))
		return error_create(ERROR_USAGE,
				    "`%s' is for front ends; type the command "
				    "itself",
				    name);
	params = json_object_new_object();
	for (size_t i = 0; !error && i < count; i++)
		error = add_word(params, words[i]);
	if (!error)
		error = operation_run(operation, desk, &nobody, params,
				      &result);
	if (!error)
		print_result(result, out);
	json_object_put(result);
	json_object_put(params);
	return error;
}
