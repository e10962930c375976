/*
 * params.c - reads parameters: their types, and what is wrong with them
 *
 * In XML all values are texts, so a text that says a flag or a number is taken
 * for one.
 */
#include "invocation.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>

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
