/*
 * operations.c - the table of operations as one list, and how one of them is
 * carried out
 */
#include "desk.h"

static const struct operation *const families[] = {
	identity_operations,  variable_operations, detail_operations,
	class_operations,     report_operations,   class_model_operations,
	stack_operations,     agent_operations,    patch_operations,
	call_tree_operations, command_operations};

const struct operation *operation_at(size_t index)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		for (const struct operation *at = families[i]; at->name; at++)
			if (index-- == 0)
				return at;
	return NULL;
}

struct error *operation_run(const struct operation *operation,
			    struct desk *desk, struct caller *caller,
			    struct json_object *params,
			    struct json_object **result)
{
	struct invocation invocation = {
		.desk = desk, .caller = caller, .params = params};
	struct error *error;
	bool was_busy;

	*result = NULL;
	TRY(params_of(params, operation));
	desk_begin_work(desk, &was_busy);
	error = operation->run(&invocation);
	desk_end_work(desk, was_busy);
	if (error) {
		json_object_put(invocation.result);
		invocation.result = NULL;
	}
	*result = invocation.result;
	return error;
}

const struct operation *operation_find(const char *name)
{
	const struct operation *at;

	for (size_t i = 0; (at = operation_at(i)); i++)
		if (str_equal(at->name, name))
			return at;
	return NULL;
}
