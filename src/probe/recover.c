/*
 * recover.c - the death of a tool: what one that died has left, and what ours
 * would leave
 *
 * A process that is to outlive the tool has SIGTRAP handled by code of ours in
 * the store (arch.h): at an int3 whose tool is gone it goes on through the
 * slot. The next perftool finds the store by its name, takes the int3s out and
 * goes on with the same table: slots that threads may still be in are reused
 * for the same instructions only.
 *
 * The disposition of SIGTRAP is the program's: it is taken only if the program
 * leaves it alone, and given back only if it is still ours.
 */
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "internal.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

#define INT3 0xcc
#define PAGE 4096

#define FLAG_RESTORER 0x04000000 /* SA_RESTORER, which libc keeps to itself */

/* ---- finding what was left -------------------------------------------------
 */

/* The store, by its name, its magic and its own address. One of another version
 * of perftool that has cleaned up is no concern of ours. */
static bool find_store(const struct space *space,
		       const struct mapping_list *maps,
		       struct store_header *header, bool *others)
{
	*others = false;
	for (size_t i = 0; i < maps->count; i++) {
		const struct mapping *mapping = &maps->data[i];

		if (is_own_mapping(mapping) &&
		    target_read_callback(space->process, mapping->low, header,
					 sizeof(*header)) &&
		    memcmp(header->magic, STORE_MAGIC, sizeof(header->magic)) ==
			    0 &&
		    header->self == mapping->low) {
			if (header->version == STORE_VERSION || header->live)
				return true;
			*others = true;
		}
	}
	return false;
}

static struct error *check_header(const struct store_header *header)
{
	if (header->version != STORE_VERSION ||
	    header->area_count > STORE_AREAS)
		return error_create(ERROR_OTHER,
				    "another version of perftool (store %u, "
				    "not %u) has left breakpoints there: that "
				    "one can remove them",
				    header->version, STORE_VERSION);
	return NULL;
}

#define TABLE_SIZE (sizeof(struct store_entry) << STORE_TABLE_BITS)
#define ENTRIES_A_PAGE (PAGE / sizeof(struct store_entry))

static void take_entries(struct space *space, uint32_t index,
			 const struct store_entry *entries,
			 struct leftover_list *leftovers)
{
	for (uint32_t i = 0; i < ENTRIES_A_PAGE; i++) {
		struct leftover leftover = {index + i, entries[i]};

		if (!entries[i].site)
			continue;
		store_mirror_entry(&space->store, index + i, &entries[i]);
		if (entries[i].length)
			vec_push(leftovers, leftover);
	}
}

static struct error *read_table(struct space *space,
				struct leftover_list *leftovers)
{
	struct store_entry *table = xmalloc(TABLE_SIZE);
	bool populated[TABLE_SIZE / PAGE];
	struct error *error;

	error = target_read_populated(space->process,
				      space->store.address + STORE_TABLE,
				      (uint8_t *)table, TABLE_SIZE, populated);
	for (size_t i = 0; !error && i < TABLE_SIZE / PAGE; i++)
		if (populated[i])
			take_entries(space, (uint32_t)(i * ENTRIES_A_PAGE),
				     table + i * ENTRIES_A_PAGE, leftovers);
	free(table);
	return error;
}

static struct error *remove_int3s(struct space *space,
				  const struct mapping_list *maps,
				  struct restored *restored)
{
	struct leftover_list leftovers = {0};
	struct error *error = read_table(space, &leftovers);

	if (!error)
		error = restore_sites(space, maps, &leftovers, restored);
	vec_free(&leftovers);
	return error;
}

static void note_restored(struct probe *probe, const struct space *space,
			  const struct restored *restored)
{
	pid_t pid = space->process->pid;

	if (restored->removed)
		note(probe,
		     "process %d: a perftool that died has left %zu "
		     "breakpoint%s there; removed",
		     pid, restored->removed, restored->removed == 1 ? "" : "s");
	if (restored->foreign)
		note(probe,
		     "process %d: where a perftool that died had put %zu "
		     "breakpoint%s, the program has other memory now; not "
		     "touched",
		     pid, restored->foreign, restored->foreign == 1 ? "" : "s");
	if (restored->changed)
		note(probe,
		     "process %d: the program has changed its code around %zu "
		     "breakpoint%s of a perftool that died; left in, with "
		     "the signal handler that goes on there",
		     pid, restored->changed, restored->changed == 1 ? "" : "s");
}

/* No thread stays in a slot: nobody is there to explain the pc. */
static struct error *move_out(struct space *space)
{
	struct process *user;
	size_t cursor = 0;

	while ((user = space_user(space, &cursor)))
		TRY(space_move_out(space, user));
	return NULL;
}

static bool is_known(const struct space *space, const struct mapping *mapping)
{
	const struct store *store = &space->store;

	if (store->address == mapping->low)
		return true;
	for (size_t i = 0; i < store->areas.count; i++)
		if (store->areas.data[i].low == mapping->low)
			return true;
	return false;
}

/* Memory that was mapped by one who died before noting it: nobody was ever
 * in there. */
static struct error *unmap_unknown(struct space *space,
				   const struct mapping_list *maps)
{
	struct thread *thread;
	int64_t result;

	for (size_t i = 0; i < maps->count; i++) {
		const struct mapping *mapping = &maps->data[i];

		if (!is_own_mapping(mapping) || is_known(space, mapping))
			continue;
		TRY(space_calling_thread(space, &thread));
		TRY(target_remote_calls(
			thread,
			&(struct script_call){
				.number = SYS_munmap,
				.args = {mapping->low,
					 mapping->high - mapping->low}},
			1, NULL, 0, &result));
	}
	return NULL;
}

/* Forked since, with a copy of the memory. One that borrows it has had its
 * int3s removed: the store that it sees is clean. */
static bool has_leftovers(const struct space *space, pid_t pid)
{
	uint64_t store = space->store.address;
	const struct mapping *mapping;
	struct store_header header;
	struct mapping_list maps;
	struct error *error;
	bool has;

	error = target_read_maps(pid, &maps);
	if (error) {
		error_destroy(error);
		return false;
	}
	mapping = find_mapping(&maps, store);
	has = mapping && mapping->low == store && is_own_mapping(mapping) &&
	      (!target_peek(pid, store, &header, sizeof(header)) ||
	       header.live);
	mapping_list_deinit(&maps);
	return has;
}

#define MOST_NAMED 8

static void note_children(struct probe *probe, const struct space *space)
{
	struct str pids = {0};
	struct pid_list children;
	size_t count = 0;

	target_find_children(space->process->pid, &children);
	for (size_t i = 0; i < children.count; i++) {
		if (!has_leftovers(space, children.data[i]))
			continue;
		if (count++ < MOST_NAMED)
			str_printf(&pids, "%s%d", count > 1 ? ", " : "",
				   children.data[i]);
	}
	if (count > MOST_NAMED)
		str_printf(&pids, " and %zu more", count - MOST_NAMED);
	if (count)
		note(probe,
		     "process %d: children of it have such "
		     "breakpoints, too, until they are attached to: %s",
		     space->process->pid, pids.data);
	str_deinit(&pids);
	vec_free(&children);
}

static struct error *take_over(struct probe *probe, struct space *space,
			       const struct mapping_list *maps,
			       const struct store_header *header)
{
	struct store *store = &space->store;
	const uint32_t live = 0;
	struct restored restored = {0};

	TRY(check_header(header));
	store->address = header->self;
	store->handles = header->handles;
	for (size_t i = 0; i < header->area_count; i++)
		store_mirror_area(store, &header->areas[i]);
	target_set_scripts(space->process, store->address + STORE_SCRIPTS,
			   STORE_SCRIPTS_SIZE);
	TRY(target_finish_scripts(
		space->process, store->address + STORE_SCRIPTS,
		store->address + STORE_SCRIPTS + STORE_SCRIPTS_SIZE));
	TRY(remove_int3s(space, maps, &restored));
	TRY(move_out(space));
	if (header->live)
		note_restored(probe, space, &restored);
	TRY(target_write(space->process,
			 store->address + offsetof(struct store_header, live),
			 &live, sizeof(live)));
	if (header->live)
		note_children(probe, space);
	return NULL;
}

struct error *recover(struct probe *probe, struct space *space)
{
	struct store_header header;
	struct mapping_list maps;
	struct error *error = NULL;
	bool others;

	TRY(target_read_maps(space->process->pid, &maps));
	if (find_store(space, &maps, &header, &others))
		error = take_over(probe, space, &maps, &header);
	else
		/* it may have died in its very first script, in the vdso */
		error = target_finish_scripts(space->process, 0, 0);
	if (!error && !others)
		error = unmap_unknown(space, &maps);
	mapping_list_deinit(&maps);
	return error;
}

/* ---- the handler -----------------------------------------------------------
 */

static struct action handler_of(const struct space *space)
{
	uint64_t code = space->store.address + STORE_CODE;
	struct survivor survivor;

	arch_survivor(&survivor);
	return (struct action){.handler = code + survivor.handler,
			       .flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER |
					FLAG_RESTORER,
			       .restorer = code + survivor.restorer};
}

bool is_survivor(const struct space *space, const struct action *action)
{
	return space->store.address &&
	       action->handler == handler_of(space).handler;
}

static struct error *is_still_ours(struct space *space, struct process *process,
				   bool *ours)
{
	enum disposition disposition;
	struct action action;

	*ours = false;
	TRY(target_get_disposition(process, SIGTRAP, &disposition));
	if (disposition != DISPOSITION_CAUGHT)
		return NULL;
	TRY(get_action(process, &action));
	*ours = is_survivor(space, &action);
	return NULL;
}

static struct error *note_handles(struct space *space, bool handles)
{
	uint64_t word = handles;

	space->store.handles = handles;
	return target_write(space->process,
			    space->store.address +
				    offsetof(struct store_header, handles),
			    &word, sizeof(word));
}

static struct error *take_signal(struct space *space, const char **why)
{
	struct action action = handler_of(space);
	enum disposition disposition;
	bool ours = false;

	if (space->store.handles)
		TRY(is_still_ours(space, space->process, &ours));
	if (ours)
		return NULL;
	TRY(target_get_disposition(space->process, SIGTRAP, &disposition));
	if (disposition != DISPOSITION_DEFAULT) {
		*why = disposition == DISPOSITION_IGNORED
			       ? "the program ignores SIGTRAP"
			       : "the program handles SIGTRAP itself";
		return note_handles(space, false);
	}
	/* first the word of it: one that installs and dies must be undone */
	TRY(note_handles(space, true));
	return set_action(space->process, &action);
}

#define BLOCKS "a thread of it blocks SIGTRAP and may reach a breakpoint"

static void warn(struct probe *probe, const struct process *process,
		 const char *why)
{
	note(probe,
	     "process %d: %s: should perftool be killed, the next breakpoint "
	     "it "
	     "reaches kills it, too",
	     process->pid, why);
}

void cover(struct probe *probe, struct space *space)
{
	const uint32_t live = 1;
	const char *why = NULL;
	struct thread *blocking;
	struct error *error;

	if (!space->process->survives)
		return;
	if (!space->store.address) {
		if (!space->is_covered)
			warn(probe, space->process, "it has no memory for us");
		space->is_covered = true;
		return;
	}
	error = take_signal(space, &why);
	if (!error)
		error = target_write(
			space->process,
			space->store.address +
				offsetof(struct store_header, live),
			&live, sizeof(live));
	blocking = target_find_blocking(space->process, SIGTRAP);
	if (error)
		why = error_message(error);
	else if (!why && blocking)
		why = BLOCKS;
	if (why && !space->is_covered)
		warn(probe, space->process, why);
	space->is_covered = true;
	error_destroy(error);
}

/* Each has actions of its own. */
static struct error *cover_borrower(struct space *space,
				    struct process *process, const char **why)
{
	struct action action = handler_of(space);
	enum disposition disposition;
	bool ours;

	TRY(target_get_disposition(process, SIGTRAP, &disposition));
	if (disposition == DISPOSITION_DEFAULT)
		return set_action(process, &action);
	TRY(is_still_ours(space, process, &ours));
	if (!ours)
		*why = "it does with SIGTRAP what we cannot change";
	return NULL;
}

void cover_borrowers(struct probe *probe, struct space *space)
{
	struct process *user;
	size_t cursor = 0;

	while (space->store.handles && (user = space_user(space, &cursor))) {
		const char *why = NULL;
		struct error *error;

		if (user == space->process)
			continue;
		error = cover_borrower(space, user, &why);
		if (error)
			why = error_message(error);
		if (why)
			warn(probe, user, why);
		error_destroy(error);
	}
}

struct error *uncover_borrower(struct space *space, struct process *process)
{
	const struct action action = {0};
	bool ours;

	if (!space->store.handles)
		return NULL;
	TRY(is_still_ours(space, process, &ours));
	return ours ? set_action(process, &action) : NULL;
}

/* An int3 has reset the handler and nothing else; whoever sets the default says
 * that of all. */
static bool was_reset(struct space *space)
{
	struct action action, ours = handler_of(space);
	struct error *error = get_action(space->process, &action);

	if (error) {
		error_destroy(error);
		return false;
	}
	return !action.handler && action.flags == ours.flags &&
	       action.restorer == ours.restorer;
}

void cover_again(struct probe *probe, struct space *space)
{
	if (was_reset(space))
		warn(probe, space->process, BLOCKS);
	cover(probe, space);
}

/* The handler itself makes no system call, but to return from it is one. Strict
 * mode allows that. */
void warn_of_filters(struct probe *probe, struct space *space)
{
	if (space->is_told_of_filters || !space->process ||
	    !space->process->survives || !space->store.handles)
		return;
	space->is_told_of_filters = true;
	if (target_find_filtered(space->process))
		note(probe,
		     "process %d: a thread of it is under a seccomp filter: "
		     "should perftool be killed and the filter forbid "
		     "rt_sigreturn, the next breakpoint it reaches kills it, "
		     "too",
		     space->process->pid);
}

struct error *uncover(struct space *space)
{
	const struct action action = {0};
	const uint32_t live = 0;
	bool ours;

	if (!space->store.address)
		return NULL;
	if (space->store.left.count)
		/* an int3 that was left needs it as before */
		return NULL;
	if (space->store.handles) {
		TRY(is_still_ours(space, space->process, &ours));
		if (ours)
			TRY(set_action(space->process, &action));
		TRY(note_handles(space, false));
	}
	return target_write(space->process,
			    space->store.address +
				    offsetof(struct store_header, live),
			    &live, sizeof(live));
}

bool is_uncovered(const struct space *space)
{
	enum disposition disposition;
	struct error *error;

	if (!space->process || !space->store.handles)
		return false;
	error = target_get_disposition(space->process, SIGTRAP, &disposition);
	if (error) {
		error_destroy(error);
		return false;
	}
	return disposition == DISPOSITION_DEFAULT;
}
