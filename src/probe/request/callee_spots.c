/*
 * callee_spots.c - the spots of `break allocations` and `break sync` without
 * `in FUNC`: the functions of the C and C++ libraries themselves
 *
 * A call counts once, whatever these functions call in turn:
 *
 * - An allocator that always goes on to another one (new calls malloc,
 *   reallocarray calls realloc) has no place; the other one counts.
 * - realloc calls malloc in some cases. These calls do not count: the return
 *   address is in realloc. If it goes on to malloc by a jump, which it does for
 *   a null pointer, malloc counts, and realloc counts only calls with another
 *   pointer.
 *
 * A lock is taken where the function that takes it returns with success. If it
 * goes on to a part of its work by a jump, the returns of that part count, too.
 */
#include <string.h>

#include "call_spots.h"
#include "perftool/base/str.h"
#include "perftool/probe/loaded_modules.h"
#include "probe/arrival/arrival.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "request.h"

/* How many jumps from one part of a function's work to the next are followed.
 */
#define MOST_PARTS 4

/* The functions of one file that a request is for. */
struct callee_list {
	struct callee callees[MOST_CALLEES];
	size_t count;
	struct function functions[MOST_CALLEES];
	bool is_here[MOST_CALLEES];
};

/* How one of the functions leads to others of them. */
struct leads {
	bool calls; /* it calls another one */
	bool jumps; /* it goes on to another one by a jump */
};

static struct error *find_leads(struct probe *probe, struct module *module,
				const struct breakpoint *breakpoint,
				const struct function *function,
				struct leads *out)
{
	struct location within = {.kind = LOCATION_ADDRESS,
				  .text = (char *)"",
				  .path = module->path,
				  .number = function->address};
	struct breakpoint asked = {.kind = breakpoint->kind,
				   .location = breakpoint->location};
	struct spot_list spots = {0};
	struct error *error;

	*out = (struct leads){0};
	asked.location.within = &within;
	/* The places of this kind are not the calls themselves. */
	if (asked.kind == REQUEST_SYNC_ENTER)
		asked.kind = REQUEST_SYNC_EXIT;
	error = spots_of_calls(probe, module, &asked, &spots);
	for (size_t i = 0; i < spots.count; i++) {
		out->calls |= spots.data[i].form == FORM_CALL ||
			      spots.data[i].form == FORM_CALL_PLT ||
			      spots.data[i].form == FORM_CALL_GOT;
		out->jumps |= spots.data[i].form == FORM_JUMP;
	}
	vec_free(&spots);
	return error;
}

/* Several functions may have the name, because a library keeps old versions of
 * a function for old programs. Choose one that does not go on to another one.
 */
static struct error *choose(struct probe *probe, struct module *module,
			    const struct breakpoint *breakpoint,
			    const struct function_list *found,
			    struct function *out)
{
	struct leads leads = {0};

	*out = found->data[0];
	for (size_t i = 0; found->count > 1 && i < found->count; i++) {
		TRY(find_leads(probe, module, breakpoint, &found->data[i],
			       &leads));
		if (leads.calls || leads.jumps)
			continue;
		*out = found->data[i];
		break;
	}
	return NULL;
}

static struct error *find(struct probe *probe, struct module *module,
			  const struct breakpoint *breakpoint,
			  struct callee_list *out)
{
	out->count = callees_of(breakpoint, out->callees);
	for (size_t i = 0; i < out->count; i++) {
		struct function_list found = {0};
		struct error *error = callee_functions(
			module_file(module), &out->callees[i], &found);

		out->is_here[i] = !error && found.count;
		if (out->is_here[i])
			error = choose(probe, module, breakpoint, &found,
				       &out->functions[i]);
		/* The address of an alias counts once. */
		for (size_t j = 0; out->is_here[i] && j < i; j++)
			if (out->is_here[j] &&
			    out->functions[j].address ==
				    out->functions[i].address)
				out->is_here[i] = false;
		vec_free(&found);
		if (error)
			return error;
	}
	return NULL;
}

/* ---- allocations --------------------------------------------------------- */

/* The functions that others are made of. They are places even if they call each
 * other. */
static bool is_basic(const char *name)
{
	return str_equal(name, "malloc") || str_equal(name, "calloc") ||
	       str_equal(name, "realloc");
}

/* Calls that come from this function do not count at any of the spots. */
static struct error *exclude_callers(struct debugfile *file,
				     const struct function *function,
				     struct spot_list *spots)
{
	struct range_list ranges = {0};
	struct error *error;

	error = debugfile_function_ranges(file, function, &ranges);
	for (size_t i = 0; !error && i < ranges.count; i++)
		for (size_t j = 0; j < spots->count; j++)
			if (spots->data[j].unless_count < MOST_UNLESS)
				spots->data[j]
					.unless[spots->data[j].unless_count++] =
					ranges.data[i];
	vec_free(&ranges);
	return error;
}

static struct error *spots_of_allocators(struct probe *probe,
					 struct module *module,
					 const struct breakpoint *breakpoint,
					 const struct callee_list *list,
					 struct spot_list *out)
{
	struct debugfile *file = module_file(module);
	struct spot_list found = {0};
	struct error *error = NULL;

	for (size_t i = 0; !error && i < list->count; i++) {
		const struct function *function = &list->functions[i];
		struct spot spot = {.address = function->address,
				    .role = ROLE_ENTRY,
				    .form = FORM_ENTRY,
				    .function = *function};
		struct leads leads;

		if (!list->is_here[i])
			continue;
		error = find_leads(probe, module, breakpoint, function, &leads);
		if (error || (!is_basic(list->callees[i].name) &&
			      (leads.calls || leads.jumps)))
			continue;
		spot.needs_argument = leads.jumps;
		vec_push(&found, spot);
	}
	for (size_t i = 0; !error && i < list->count; i++)
		if (list->is_here[i] && is_basic(list->callees[i].name) &&
		    !str_equal(list->callees[i].name, "malloc"))
			error = exclude_callers(file, &list->functions[i],
						&found);
	for (size_t i = 0; !error && i < found.count; i++)
		vec_push(out, found.data[i]);
	vec_free(&found);
	return error;
}

/* ---- locks --------------------------------------------------------------- */

static bool is_listed(const struct callee_list *list, uint64_t address)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->is_here[i] && list->functions[i].address == address)
			return true;
	return false;
}

static bool has_spot(const struct spot_list *list, uint64_t address)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->data[i].address == address)
			return true;
	return false;
}

/* Append the returns of a function that takes a lock, and those of the parts to
 * which it goes on. */
static struct error *add_returns(struct debugfile *file,
				 const struct callee_list *list,
				 const struct callee *callee,
				 const struct function *function,
				 unsigned depth, struct spot_list *out)
{
	struct spot_list exits = {0};
	struct error *error = find_exits(file, function, &exits);

	for (size_t i = 0; !error && i < exits.count; i++) {
		struct spot spot = exits.data[i];
		struct function part;

		if (spot.role == ROLE_RETURN) {
			spot.taken = callee->taken;
			if (!has_spot(out, spot.address))
				vec_push(out, spot);
		} else if (depth < MOST_PARTS && spot.target &&
			   !is_listed(list, spot.target) &&
			   debugfile_function_at(file, spot.target, &part) &&
			   part.address == spot.target) {
			error = add_returns(file, list, callee, &part,
					    depth + 1, out);
		}
	}
	vec_free(&exits);
	return error;
}

static struct error *spots_of_locks(struct module *module,
				    const struct breakpoint *breakpoint,
				    const struct callee_list *list,
				    struct spot_list *out)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct function *function = &list->functions[i];
		struct spot spot = {.address = function->address,
				    .role = ROLE_ENTRY,
				    .form = FORM_ENTRY,
				    .function = *function};

		if (!list->is_here[i])
			continue;
		if (breakpoint->kind == REQUEST_SYNC_ENTER)
			TRY(add_returns(module_file(module), list,
					&list->callees[i], function, 0, out));
		else
			vec_push(out, spot);
	}
	return NULL;
}

struct error *spots_of_callees(struct probe *probe, struct module *module,
			       const struct breakpoint *breakpoint,
			       struct spot_list *out)
{
	struct callee_list list = {0};

	TRY(find(probe, module, breakpoint, &list));
	if (breakpoint->kind == REQUEST_ALLOCATIONS)
		return spots_of_allocators(probe, module, breakpoint, &list,
					   out);
	return spots_of_locks(module, breakpoint, &list, out);
}
