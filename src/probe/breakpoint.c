/*
 * breakpoint.c - requests: the table of what was asked for
 *
 * A breakpoint number is an index into the table plus one and is never used
 * again.
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "perftool/base/alloc.h"

void breakpoint_destroy(struct breakpoint *breakpoint)
{
	location_deinit(&breakpoint->location);
	expr_destroy(breakpoint->condition);
	expr_destroy(breakpoint->value);
	for (size_t i = 0; i < breakpoint->keys.count; i++)
		expr_destroy(breakpoint->keys.data[i]);
	vec_free(&breakpoint->keys);
	vec_free(&breakpoint->places);
	str_deinit(&breakpoint->problem);
	free(breakpoint);
}

struct probe *probe_create(struct target *target, const struct clock *clock,
			   const struct probe_ops *ops)
{
	struct probe *probe = xcalloc(1, sizeof(*probe));

	probe->target = target;
	probe->clock = clock;
	probe->ops = *ops;
	probe->filtering = true;
	return probe;
}

void probe_destroy(struct probe *probe)
{
	if (!probe)
		return;
	forget_places(probe);
	vec_free(&probe->retired);
	space_destroy(probe->space);
	module_destroy(probe->program);
	for (size_t i = 0; i < probe->breakpoints.count; i++)
		if (probe->breakpoints.data[i])
			breakpoint_destroy(probe->breakpoints.data[i]);
	vec_free(&probe->breakpoints);
	vec_free(&probe->interrupted);
	vec_free(&probe->keys);
	close_files(probe);
	free(probe);
}

void forget_places(struct probe *probe)
{
	for (size_t i = 0; i < probe->breakpoints.count; i++)
		if (probe->breakpoints.data[i])
			vec_clear(&probe->breakpoints.data[i]->places);
	for (size_t i = 0; i < probe->retired.count; i++)
		module_destroy(probe->retired.data[i]);
	vec_clear(&probe->retired);
}

struct error *probe_set_program(struct probe *probe, const char *path)
{
	struct module *module = module_create(probe, path);
	struct debugfile *file;
	struct error *error;

	/* opened for its error */
	error = debugfile_open(path, &file);
	if (error) {
		module_destroy(module);
		return error;
	}
	debugfile_close(file);
	if (!probe->space || !probe->space->process) {
		forget_places(probe);
		space_destroy(probe->space);
		probe->space = NULL;
	}
	module_destroy(probe->program);
	probe->program = module;
	return resolve_new_modules(probe);
}

struct error *probe_set_program_again(struct probe *probe)
{
	struct error *error;
	char *path;

	if (!probe->program)
		return NULL;
	path = xstrdup(probe->program->path);
	error = probe_set_program(probe, path);
	free(path);
	return error;
}

struct debugfile *probe_program_file(const struct probe *probe)
{
	return probe->program ? module_file(probe->program) : NULL;
}

struct error *probe_add(struct probe *probe, enum request_kind kind,
			const char *location, struct expr *condition,
			struct breakpoint **out)
{
	struct breakpoint *breakpoint = xcalloc(1, sizeof(*breakpoint));
	struct error *error;

	breakpoint->condition = condition;
	breakpoint->enabled = true;
	breakpoint->kind = kind;
	error = location_parse(location, &breakpoint->location);
	if (error) {
		breakpoint_destroy(breakpoint);
		return error;
	}
	if (condition)
		breakpoint->value = expr_first_variable(condition);
	breakpoint->id = (uint32_t)probe->breakpoints.count + 1;
	vec_push(&probe->breakpoints, breakpoint);
	probe->adding = breakpoint;
	error = resolve_new_modules(probe);
	probe->adding = NULL;
	if (!error && condition)
		error = bind_breakpoint(probe, breakpoint);
	if (error) {
		detach_breakpoint(probe, breakpoint);
		breakpoint_destroy(breakpoint);
		probe->breakpoints.count--;
		for (size_t i = 0; probe_module(probe, i); i++) {
			struct module *module =
				(struct module *)probe_module(probe, i);

			module->resolved = (uint32_t)probe->breakpoints.count;
		}
		return error;
	}
	describe_problem(probe, breakpoint);
	*out = breakpoint;
	return NULL;
}

void probe_remove(struct probe *probe, struct breakpoint *breakpoint)
{
	breakpoint->enabled = false;
	breakpoint->deleted = true;
	detach_breakpoint(probe, breakpoint);
}

void probe_forget(struct probe *probe, struct breakpoint *breakpoint)
{
	probe->breakpoints.data[breakpoint->id - 1] = NULL;
	breakpoint_destroy(breakpoint);
}

void probe_forget_deleted(struct probe *probe)
{
	for (size_t i = 0; i < probe->breakpoints.count; i++) {
		struct breakpoint *at = probe->breakpoints.data[i];

		if (at && at->deleted)
			probe_forget(probe, at);
	}
}

struct error *probe_enable(struct probe *probe, struct breakpoint *breakpoint,
			   bool enabled)
{
	breakpoint->enabled = enabled;
	return update_sites(probe, breakpoint);
}

struct error *probe_set_condition(struct probe *probe,
				  struct breakpoint *breakpoint,
				  struct expr *condition)
{
	struct expr *old_condition = breakpoint->condition;
	struct expr *old_value = breakpoint->value;
	struct error *error;

	breakpoint->condition = condition;
	if (!breakpoint->value_given)
		breakpoint->value =
			condition ? expr_first_variable(condition) : NULL;
	error = bind_breakpoint(probe, breakpoint);
	if (error) {
		if (!breakpoint->value_given) {
			expr_destroy(breakpoint->value);
			breakpoint->value = old_value;
		}
		breakpoint->condition = old_condition;
		expr_destroy(condition);
		/* what was bound before can be bound again */
		error_destroy(bind_breakpoint(probe, breakpoint));
		return error;
	}
	expr_destroy(old_condition);
	if (!breakpoint->value_given)
		expr_destroy(old_value);
	return NULL;
}

struct error *probe_set_value(struct probe *probe,
			      struct breakpoint *breakpoint, struct expr *value)
{
	struct expr *old = breakpoint->value;
	bool was_given = breakpoint->value_given;
	struct error *error;

	breakpoint->value = value;
	breakpoint->value_given = true;
	error = bind_breakpoint(probe, breakpoint);
	if (error) {
		breakpoint->value = old;
		breakpoint->value_given = was_given;
		expr_destroy(value);
		error_destroy(bind_breakpoint(probe, breakpoint));
		return error;
	}
	expr_destroy(old);
	return NULL;
}

struct error *probe_add_key(struct probe *probe, struct breakpoint *breakpoint,
			    struct expr *key, uint32_t *index)
{
	struct error *error;

	vec_push(&breakpoint->keys, key);
	error = bind_breakpoint(probe, breakpoint);
	if (error) {
		expr_destroy(key);
		breakpoint->keys.count--;
		error_destroy(bind_breakpoint(probe, breakpoint));
		return error;
	}
	*index = (uint32_t)breakpoint->keys.count - 1;
	return NULL;
}

struct breakpoint *probe_find(const struct probe *probe, uint32_t id)
{
	struct breakpoint *breakpoint;

	if (!id || id > probe->breakpoints.count)
		return NULL;
	breakpoint = probe->breakpoints.data[id - 1];
	return breakpoint && !breakpoint->deleted ? breakpoint : NULL;
}

struct breakpoint *probe_at(const struct probe *probe, size_t index)
{
	for (size_t i = 0; i < probe->breakpoints.count; i++)
		if (probe->breakpoints.data[i] && index-- == 0)
			return probe->breakpoints.data[i];
	return NULL;
}
