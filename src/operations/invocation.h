/*
 * invocation.h - an operation that is being carried out: who asks, for what
 *
 * The functions params_...() read parameters. In XML all values are texts, so
 * they take a text that says a flag or a number for one.
 */
#ifndef OPERATIONS_INVOCATION_H
#define OPERATIONS_INVOCATION_H

#include "perftool/operations.h"

struct invocation {
	struct desk *desk;
	struct caller *caller;
	struct json_object *params;
	/* What is replied; NULL: a reply without data. The caller of the
	 * operation frees it. */
	struct json_object *result;
};

/* The owner that a request names by OWN='TRUE': the caller's serial, or 0. */
struct error *invocation_owner(const struct invocation *invocation,
			       uint32_t *out);

/* Each returns ERROR_USAGE if the parameter has the wrong type. `needs_...`
 * return it also if there is no such parameter; the others then leave `*out`
 * unchanged. A text belongs to `params`. */
struct error *params_text(struct json_object *params, const char *name,
			  const char **out);
struct error *params_needs_text(struct json_object *params, const char *name,
				const char **out);
/* The same for an element whose only part it may be: the element may then be
 * the text itself. */
struct error *params_needs_name(struct json_object *element, const char *name,
				const char **out);
struct error *params_flag(struct json_object *params, const char *name,
			  bool *out);
struct error *params_number(struct json_object *params, const char *name,
			    double *out);

/* Returns ERROR_USAGE if an object has a member, at any depth, that is not in
 * the list. The error names the member, and `whole`, which has it: an operation
 * or a file. */
struct error *params_known(struct json_object *params,
			   const struct member *members, const char *whole);
/* The same for the parameters of an operation. */
struct error *params_of(struct json_object *params,
			const struct operation *operation);

/* The children of this name: how many, and each of them by index from 0. An
 * object or a text that stands alone is one child. */
size_t params_count(struct json_object *params, const char *name);
struct json_object *params_at(struct json_object *params, const char *name,
			      size_t index);

/* The operations by the file that has their functions. Each list ends with an
 * operation without a name. */
extern const struct operation identity_operations[], command_operations[],
	report_operations[], variable_operations[], stack_operations[],
	detail_operations[], class_operations[], class_model_operations[],
	agent_operations[], patch_operations[], call_tree_operations[];

#endif
