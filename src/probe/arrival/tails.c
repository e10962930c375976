/*
 * tails.c - tail calls: where the frame of a function ends if the function
 * jumps to another function
 *
 * A tail jump leaves the frame of a function to another function. The tool
 * finds out where a tail jump leads when a thread takes the jump: the thread is
 * stopped, and the function to which the jump leads is followed (its jumps and
 * returns are watched) before the thread gets there. If following a function at
 * once costs nothing, the target of the jump is read from the code in advance:
 * see is_seen_ahead().
 *
 * A call through a procedure linkage table leads to a stub, which jumps through
 * a word in memory. As long as the run-time linker has not filled in the word,
 * the jump of the stub leads to the run-time linker, which finds the function
 * and jumps to it in the same frame: it *binds* the stub. All functions of the
 * program that are bound when they are first called pass the same jump of the
 * run-time linker, so this jump is not followed like other ones. It is watched
 * only while a thread binds in a frame that came through a stub, and it leads
 * on only for this frame.
 */
#include "tails.h"
#include "probe/breakpoint.h"

#include "exits.h"
#include "perftool/base/alloc.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/loaded_modules.h"
#include "plt_stub.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "tail_frames.h"
#include "tail_function.h"

/* The run-time addresses of targets that are still to be followed. */
VEC_STRUCT(target_list, uint64_t);

void tails_init(struct tails *tails)
{
	tails->breakpoint = (struct breakpoint){
		.kind = REQUEST_RETURN, .enabled = true, .wants_frame = true};
}

void tails_deinit(struct tails *tails)
{
	tail_frames_deinit(&tails->frames);
	vec_free(&tails->ends);
}

/* ---- sites --------------------------------------------------------------- */

/* The function is followed now: note this target for each jump that leads to
 * it. */
static void settle_untaken(struct space *space, struct tail_function *at)
{
	for (size_t i = 0; i < at->untaken.count; i++)
		tails_note_target(space, at->untaken.data[i], at->entry);
	vec_clear(&at->untaken);
}

static void note_untaken(struct tail_function *at, uint64_t jump)
{
	for (size_t i = 0; i < at->untaken.count; i++)
		if (at->untaken.data[i] == jump)
			return;
	vec_push(&at->untaken, jump);
}

/* Find the stub at an address: its code, and the word through which it
 * jumps. */
static bool find_stub(struct space *space, const struct module *module,
		      uint64_t address, struct function *stub,
		      struct insn *jump, uint64_t *word)
{
	if (!stub_read_first(space, address, jump) ||
	    !stub_find_word(jump, word))
		return false;
	*stub = (struct function){.address = address - module->bias,
				  .size = jump->address + jump->length -
					  address};
	return true;
}

/* Find the function or the stub whose entry is the target of a jump. NULL if
 * there is neither. */
static struct tail_function *function_at_target(struct space *space,
						uint64_t target)
{
	struct module *module = space_module_at(space, target);
	struct debugfile *file = module ? module_file(module) : NULL;
	struct function function;
	struct insn jump;
	uint64_t word;

	if (!file)
		return NULL;
	if (debugfile_function_at(file, target - module->bias, &function) &&
	    function.name && function.address + module->bias == target)
		return tail_function_enter(space, module, &function);
	return find_stub(space, module, target, &function, &jump, &word)
		       ? tail_function_enter(space, module, &function)
		       : NULL;
}

/* If at least this many functions are watched, the tool watches the returns of
 * the functions to which their jumps lead from the beginning. Otherwise the
 * tool waits until a jump is taken for the first time, and must then stop all
 * threads. With many functions these stops would cost more than watching all
 * returns. With fewer functions the tool waits, because watching the returns of
 * functions to which no jump has led is not free either: where 340 commands of
 * redis-server are timed, these are the returns of addReply() and similar
 * functions, hundreds for each command that is executed. */
#define MANY_WATCHED 500

/*
 * Is the function to which the jump leads followed as soon as the jump is found
 * in the code (true), or only when a thread takes the jump? If the returns of
 * that function are watched anyway, following it at once costs nothing. Two
 * kinds of jumps are followed at once, because threads would hit them as int3s
 * too often: a jump with which a function begins is taken at each call, and
 * most threads that reach a conditional jump do not take it.
 */
static bool is_seen_ahead(struct space *space, const struct tail_function *from,
			  const struct module *module, const struct spot *spot)
{
	struct tail_function *to;

	if (spot->role != ROLE_JUMP ||
	    spot->address == from->function.address ||
	    space->tails.watched >= MANY_WATCHED)
		return true;
	to = function_at_target(space, spot->target + module->bias);
	if (to && (to->is_watched || to->is_followed))
		return true;
	if (to)
		note_untaken(to, spot->address + module->bias);
	return false;
}

/* Do only profiles of calls wait for the ends of frames? */
static bool is_only_for_calls(const struct probe *probe)
{
	for (size_t i = 0; i < probe->breakpoints.count; i++) {
		const struct breakpoint *at = probe->breakpoints.data[i];

		if (at && !at->deleted && at->kind == REQUEST_RETURN &&
		    !at->is_of_calls)
			return false;
	}
	return true;
}

/* (A profile marks the calls of which it does not see the end.) */
static void note_unknown(struct probe *probe, const struct function *from,
			 uint64_t target)
{
	if (!is_only_for_calls(probe))
		note(probe,
		     "%s jumps to 0x%lx, which is in no known function: "
		     "perftool does not see where its frame ends there",
		     from->name ? from->name : "a function", target);
}

/* The code at the target is known, but its frames do not end by a return: see
 * exits_are_foreign(). */
static void note_foreign(struct probe *probe, const struct function *from,
			 const struct function *to)
{
	if (!is_only_for_calls(probe))
		note(probe,
		     "%s jumps to %s, which leaves its frame as code of "
		     "Haskell does, not by a return: perftool does not see "
		     "where its frame ends there",
		     from->name ? from->name : "a function",
		     to->name ? to->name : "a function");
}

/* A breakpoint was attached at the address. If a jump is there, its trampoline
 * has to be made again before a thread passes it: it does nothing yet for the
 * new breakpoint. But if threads count calls there by themselves, the
 * trampoline ends the calls of each frame already, whoever has jumped there. So
 * the update can wait, see make_jumps(). */
static void note_jump(struct probe *probe, const struct space *space,
		      uint64_t address)
{
	const struct site *site = map_get(&space->sites, address);

	probe->tails.must_remake |=
		site && site->is_jump &&
		!(site->fast && site->fast->call && is_only_for_calls(probe));
}

static struct error *attach(struct probe *probe, struct space *space,
			    struct module *module, const struct spot *spot)
{
	struct error *error = attach_at_spot(
		probe, space, &probe->tails.breakpoint, module, spot);

	if (!error)
		note_jump(probe, space, spot->address + module->bias);
	if (!error || error_code(error) == ERROR_GONE)
		return error;
	/* If one place cannot be watched, that is no reason to give up the
	 * others. */
	note_error(probe,
		   error_prefix(
			   error,
			   "perftool cannot watch a place where a function "
			   "may end (by a return, or by a jump to another "
			   "function), and may miss the ends of calls there"));
	return NULL;
}

/* Watch the entry of a function that can come back to its own frame. */
static struct error *see_entry(struct probe *probe, struct space *space,
			       struct module *module, struct tail_function *at)
{
	const struct spot spot = {.address = at->function.address,
				  .role = ROLE_ENTRY,
				  .function = at->function};

	if (at->sees_entry || !at->is_watched || !at->is_followed ||
	    !at->has_jumps)
		return NULL;
	at->sees_entry = true;
	return attach(probe, space, module, &spot);
}

/* Watch the exits of a function: its jumps, and if the function is followed
 * also its returns. Append to `targets` where the jumps lead that are followed
 * at once. */
static struct error *see_exits(struct probe *probe, struct space *space,
			       struct module *module, struct tail_function *at,
			       struct target_list *targets)
{
	struct spot_list spots = {0};
	struct error *error = known_exits_find(probe, module_file(module),
					       &at->function, &spots);

	for (size_t i = 0; !error && i < spots.count; i++) {
		const struct spot *spot = &spots.data[i];

		if (is_jump(spot->role))
			at->has_jumps = true;
		else if (!at->is_followed)
			continue;
		error = attach(probe, space, module, spot);
		if (error || !is_jump(spot->role) || !spot->target ||
		    !is_seen_ahead(space, at, module, spot))
			continue;
		tails_note_target(space, spot->address + module->bias,
				  spot->target + module->bias);
		vec_push(targets, spot->target + module->bias);
	}
	vec_free(&spots);
	return error ? error : see_entry(probe, space, module, at);
}

/* ---- stubs --------------------------------------------------------------- */

/* Follow a stub: follow the function that it leads to if that is known; else
 * watch the jump of the stub. */
static struct error *follow_stub(struct probe *probe, struct space *space,
				 struct module *module,
				 const struct function *stub,
				 const struct insn *jump, uint64_t word,
				 struct target_list *targets)
{
	struct tail_function *at = tail_function_enter(space, module, stub);
	struct spot spot = {.address = jump->address - module->bias,
			    .role = ROLE_JUMP_INDIRECT,
			    .function = *stub,
			    .is_stub = true};
	uint64_t target;

	if (at->is_followed)
		return NULL;
	at->is_stub = at->is_followed = true;
	settle_untaken(space, at);
	if (!target_read_callback(space->process, word, &target,
				  sizeof(target)) ||
	    !stub_is_bound(space, target))
		return attach(probe, space, module, &spot);
	at->goes_to = target;
	vec_push(targets, target);
	return NULL;
}

/* ---- threads that bind --------------------------------------------------- */

/* Is the function watched as other ones are, too? */
static bool is_needed_otherwise(const struct tail_function *function)
{
	return function->is_watched || function->is_followed;
}

bool tails_is_linker(const struct space *space,
		     const struct attachment *attachment)
{
	const struct tail_function *at = tail_function_at(space, attachment);

	return at && at->is_linker && !is_needed_otherwise(at);
}

const struct binding *tails_binding(const struct space *space,
				    const struct tail_spot *spot)
{
	const struct binding_list *list = &space->tails.bindings;

	for (size_t i = 0; i < list->count; i++) {
		const struct binding *at = &list->data[i];

		if (at->owner == spot->owner && at->cfa == spot->cfa &&
		    at->caller == spot->caller)
			return at;
	}
	return NULL;
}

bool tails_are_binding(const struct space *space, uint64_t linker)
{
	for (size_t i = 0; i < space->tails.bindings.count; i++)
		if (space->tails.bindings.data[i].linker == linker)
			return true;
	return false;
}

/* Watch the exits of a function of the run-time linker. They are int3s, so no
 * update is due for them, unless one is a jump already. */
static struct error *watch_linker(struct probe *probe, struct space *space,
				  struct module *module,
				  const struct tail_function *linker)
{
	const bool is_outdated = space->is_outdated;
	struct spot_list spots = {0};
	struct error *error = known_exits_find(probe, module_file(module),
					       &linker->function, &spots);

	for (size_t i = 0; !error && i < spots.count; i++)
		error = attach(probe, space, module, &spots.data[i]);
	vec_free(&spots);
	if (!probe->tails.must_remake)
		space->is_outdated = is_outdated;
	return error;
}

/* Remove the tool's own attachments of the function from a site. */
static struct error *leave_site(struct space *space, struct site *site,
				const struct tail_function *function)
{
	size_t count = site->attachments.count;

	for (size_t i = count; i-- > 0;) {
		struct attachment *at = site->attachments.data[i];

		if (!is_of_tails(at) || tail_function_at(space, at) != function)
			continue;
		attachment_unref(at);
		vec_remove(&site->attachments, i);
	}
	return site->attachments.count < count ? site_update(space, site)
					       : NULL;
}

/* No thread binds any more: do not stop those that bind in frames for which
 * nobody waits. */
static struct error *leave_linker(struct probe *probe, struct space *space,
				  const struct tail_function *linker)
{
	struct module *module = space_module_at(space, linker->entry);
	struct spot_list spots = {0};
	struct error *error;

	if (!module || is_needed_otherwise(linker))
		return NULL;
	error = known_exits_find(probe, module_file(module), &linker->function,
				 &spots);
	for (size_t i = 0; !error && i < spots.count; i++) {
		struct site *site = map_get(
			&space->sites, spots.data[i].address + module->bias);
		struct site *stand =
			site && site->stand
				? map_get(&space->sites, site->stand)
				: NULL;

		if (stand)
			error = leave_site(space, stand, linker);
		if (site)
			error = error_first(error,
					    leave_site(space, site, linker));
	}
	vec_free(&spots);
	return error;
}

struct error *tails_bind(struct probe *probe, struct space *space,
			 const struct attachment *from,
			 const struct tail_spot *spot, uint64_t linker)
{
	struct module *module = space_module_at(space, linker);
	struct debugfile *file = module ? module_file(module) : NULL;
	struct tail_function *at;
	struct function function;

	if (!file ||
	    !debugfile_function_at(file, linker - module->bias, &function)) {
		note_unknown(probe, &from->function, linker);
		return NULL;
	}
	at = tail_function_enter(space, module, &function);
	at->is_linker = true;
	if (is_needed_otherwise(at))
		return NULL;
	if (!tails_binding(space, spot))
		vec_push(&space->tails.bindings,
			 (struct binding){.owner = spot->owner,
					  .cfa = spot->cfa,
					  .caller = spot->caller,
					  .stub = spot->function,
					  .linker = at->entry});
	return watch_linker(probe, space, module, at);
}

void tails_end_binding(struct space *space, const struct tail_spot *spot)
{
	const struct binding *at = tails_binding(space, spot);

	if (at)
		vec_remove(&space->tails.bindings,
			   (size_t)(at - space->tails.bindings.data));
}

void tails_forget_bindings_of(struct probe *probe, uint32_t thread)
{
	for (size_t i = 0; i < probe->spaces.count; i++) {
		struct binding_list *list =
			&probe->spaces.data[i]->tails.bindings;

		for (size_t j = list->count; j-- > 0;)
			if (list->data[j].owner == thread)
				vec_remove(list, j);
	}
}

void tails_forget_bindings(struct probe *probe)
{
	for (size_t i = 0; i < probe->spaces.count; i++)
		vec_clear(&probe->spaces.data[i]->tails.bindings);
}

/* ---- following functions ------------------------------------------------- */

static struct error *follow_function(struct probe *probe, struct space *space,
				     struct module *module,
				     const struct function *function,
				     struct target_list *targets)
{
	struct tail_function *at = tail_function_enter(space, module, function);

	if (at->is_followed)
		return NULL;
	at->is_followed = true;
	settle_untaken(space, at);
	return see_exits(probe, space, module, at, targets);
}

/* Follow the function or stub at one target of a jump. Tell the user if the
 * tool will not see where frames end there. */
static struct error *follow_one(struct probe *probe, struct space *space,
				const struct function *from, uint64_t target,
				struct target_list *targets)
{
	struct module *module = space_module_at(space, target);
	struct debugfile *file = module ? module_file(module) : NULL;
	struct function function, stub;
	struct insn insn;
	uint64_t word;
	bool found;

	found = file &&
		debugfile_function_at(file, target - module->bias, &function);
	/* If a name belongs to the target, the target is a function, even if it
	 * begins with a jump through a word. */
	if (file &&
	    (!found || !function.name ||
	     function.address + module->bias != target) &&
	    find_stub(space, module, target, &stub, &insn, &word))
		return follow_stub(probe, space, module, &stub, &insn, word,
				   targets);
	if (!found) {
		note_unknown(probe, from, target);
		return NULL;
	}
	if (known_exits_are_foreign(probe, file, &function))
		note_foreign(probe, from, &function);
	return follow_function(probe, space, module, &function, targets);
}

static struct error *follow_all(struct probe *probe, struct space *space,
				const struct function *from,
				struct target_list *targets)
{
	struct error *error = NULL;

	while (!error && targets->count) {
		uint64_t target = targets->data[--targets->count];

		error = follow_one(probe, space, from, target, targets);
	}
	vec_free(targets);
	return error;
}

struct error *tails_follow(struct probe *probe, struct space *space,
			   const struct attachment *from, uint64_t target)
{
	struct target_list targets = {0};
	struct tail_function *stub = tail_function_at(space, from);

	if (stub && stub->is_stub && stub_is_bound(space, target))
		stub->goes_to = target;
	vec_push(&targets, target);
	return follow_all(probe, space, &from->function, &targets);
}

struct error *tails_follow_binding(struct probe *probe, struct space *space,
				   const struct attachment *from,
				   const struct binding *binding,
				   uint64_t target)
{
	struct tail_function *stub =
		map_get(&space->tails.functions, binding->stub);
	struct target_list targets = {0};

	if (stub && stub->is_stub && stub_is_bound(space, target))
		stub->goes_to = target;
	vec_push(&targets, target);
	return follow_all(probe, space, &from->function, &targets);
}

bool tails_is_stub(const struct space *space,
		   const struct attachment *attachment)
{
	const struct tail_function *at = tail_function_at(space, attachment);

	return at && at->is_stub;
}

bool tails_looks_each_time(const struct space *space,
			   const struct attachment *attachment)
{
	return tails_is_stub(space, attachment) ||
	       tails_is_linker(space, attachment);
}

bool tails_follows(const struct space *space,
		   const struct attachment *attachment)
{
	const struct tail_function *at = tail_function_at(space, attachment);

	return at && at->is_followed;
}

bool tails_is_followed(struct space *space, const struct attachment *from,
		       uint64_t target)
{
	const struct tail_function *at =
		map_get(&space->tails.functions, target);
	const struct tail_function *stub = tail_function_at(space, from);

	/* The function behind a stub may have been followed from elsewhere. But
	 * the jump of the stub is watched until the function has been followed
	 * through the stub itself. */
	if (stub && stub->is_stub && !stub->goes_to)
		return false;
	return at && at->is_followed && (!at->is_stub || at->goes_to);
}

uint64_t tails_destination(struct space *space, uint64_t target)
{
	const struct tail_function *at =
		map_get(&space->tails.functions, target);

	return at && at->is_stub && at->goes_to ? at->goes_to : target;
}

uint64_t tails_function(struct space *space, uint64_t target)
{
	uint64_t destination = tails_destination(space, target);
	const struct tail_function *at =
		map_get(&space->tails.functions, destination);
	struct module *module;
	struct debugfile *file;
	struct function function;

	if (at)
		return destination;
	module = space_module_at(space, destination);
	file = module ? module_file(module) : NULL;
	if (!file ||
	    !debugfile_function_at(file, destination - module->bias, &function))
		return destination;
	at = map_get(&space->tails.functions, function.address + module->bias);
	return at && at->is_followed && !at->is_stub ? at->entry : destination;
}

struct error *tails_settle(struct probe *probe, struct space *space,
			   struct site *site)
{
	const struct tail_function *linker = NULL;
	bool settled = false;

	for (size_t i = site->attachments.count; i-- > 0;) {
		struct attachment *at = site->attachments.data[i];
		const struct tail_function *function =
			is_of_tails(at) ? tail_function_at(space, at) : NULL;

		if (function && function->is_linker)
			linker = function;
		if (!function || !function->is_stub || !function->goes_to)
			continue;
		attachment_unref(at);
		vec_remove(&site->attachments, i);
		settled = true;
	}
	if (settled)
		TRY(site_update(space, site));
	return linker && !tails_are_binding(space, linker->entry)
		       ? leave_linker(probe, space, linker)
		       : NULL;
}

/* Append to `targets` the functions to which jumps lead that no thread has
 * taken yet. */
static void see_all_ahead(struct space *space, struct target_list *targets)
{
	const struct tail_function *at;
	size_t cursor = 0;

	while ((at = map_next(&space->tails.functions, &cursor, NULL)))
		if (at->untaken.count)
			vec_push(targets, at->entry);
}

struct error *tails_begin_to_watch(struct probe *probe, struct space *space,
				   struct module *module,
				   struct tail_function *at)
{
	struct target_list targets = {0};

	at->is_watched = true;
	if (++space->tails.watched == MANY_WATCHED)
		see_all_ahead(space, &targets);
	TRY(see_exits(probe, space, module, at, &targets));
	if (at->untaken.count)
		vec_push(&targets, at->entry);
	return follow_all(probe, space, &at->function, &targets);
}
