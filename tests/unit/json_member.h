/*
 * json_member.h - a member of a JSON object, which must be there
 *
 * Included after cmocka's header.
 */
#ifndef JSON_MEMBER_H
#define JSON_MEMBER_H

#include <json-c/json.h>

static inline struct json_object *member(struct json_object *object,
					 const char *name)
{
	struct json_object *value = NULL;

	assert_true(json_object_object_get_ex(object, name, &value));
	return value;
}

#endif
