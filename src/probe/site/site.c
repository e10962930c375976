/*
 * site.c - int3s in memory, and the slots in which the displaced instructions
 * are executed
 *
 * Invariants: the original byte of a site is known before the site is inserted,
 * and it is the byte that was read at the address. A slot that was given to an
 * instruction belongs to it until the memory is gone, because a thread may be
 * inside the slot at any time.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/probe/loaded_modules.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "provenance.h"
#include "shadow_stack.h"
#include "site.h"
#include "slot.h"
#include "store.h"

size_t site_patched(const struct site *site)
{
	if (!site->inserted)
		return 0;
	return site->is_jump ? site->patch.length : 1;
}

/* In a buffer that was read from memory at `address`, replace the bytes of a
 * site's patch by the displaced bytes, as far as the patch is in the buffer. */
static void put_back(const struct site *site, uint64_t address, uint8_t *bytes,
		     size_t size)
{
	const uint8_t *displaced =
		site->is_jump ? site->displaced : site->insn.bytes;
	size_t patched = site_patched(site);

	for (size_t i = 0; i < patched; i++)
		if (site->address + i - address < size)
			bytes[site->address + i - address] = displaced[i];
}

struct error *read_original(struct space *space, uint64_t address,
			    uint8_t *bytes, size_t size, size_t *got)
{
	size_t before = space->jumps ? PATCH_SIZE - 1 : 0;
	uint8_t left;

	/* The instruction may be the last one of its mapping, so that fewer
	 * bytes can be read. */
	for (*got = size; *got > 0; --*got) {
		struct error *error =
			target_read(space->process, address, bytes, *got);

		if (!error)
			break;
		if (*got == 1)
			return error;
		error_destroy(error);
	}
	for (size_t i = 0; i < *got; i++)
		if (bytes[i] == ARCH_INT3 &&
		    store_has_left(&space->store, address + i, &left))
			bytes[i] = left;
	/* Look up each address at which a site may be whose patch overlaps the
	 * buffer: there are few such addresses. */
	for (uint64_t at = address - before; at != address + *got; at++) {
		const struct site *site = map_get(&space->sites, at);

		if (site)
			put_back(site, address, bytes, *got);
	}
	return NULL;
}

static bool is_system_call(const struct insn *insn)
{
	return insn->kind == INSN_SYSCALL ||
	       (insn->length == 2 && insn->bytes[0] == 0xcd &&
		insn->bytes[1] == 0x80);
}

/* Give the displaced instruction a slot: the slot that the address had earlier
 * if that still fits the instruction, else a new one. */
static struct error *give_slot(struct space *space, struct site *site)
{
	const struct module *module = space_module_at(space, site->address);
	uint64_t low = module ? module->low : site->address;
	uint64_t high = module ? module->high : site->address + 1;
	uint64_t address = store_slot_of(space, site->address);

	TRY(shadow_refuses_slot(space, &site->insn));
	if (!address ||
	    !space_is_slot_of(space, &site->insn, address, &site->slot)) {
		TRY(store_find_room(space, STORE_SLOT, low, high, 1, &address));
		TRY(arch_relocate(&site->insn, address, &site->slot));
		TRY(target_write(space->process, address, site->slot.code,
				 site->slot.length));
		TRY(store_take(space, address, 1));
	}
	site->has_slot = true;
	return NULL;
}

/*
 * The kernel regards a thread as inside a restartable sequence (rseq(2)) only
 * while its pc is within the addresses of the sequence. If an instruction of
 * the sequence were executed in a slot, the sequence would end there for the
 * kernel, and the program would not notice if another thread had its turn on
 * this processor during the rest. If the instruction were single-stepped in
 * place, the sequence would never get past the int3.
 */
static struct error *refuse_in_sequence(struct space *space, uint64_t address)
{
	struct module *module = space_module_at(space, address);
	struct debugfile *file = module ? module_file(module) : NULL;

	if (!file || !debugfile_in_sequence(file, address - module->bias))
		return NULL;
	return error_create(ERROR_OTHER,
			    "0x%" PRIx64 " is within a restartable sequence "
			    "(rseq), which a breakpoint would break",
			    address);
}

/* Decode the instruction that begins with these bytes of memory. It is an error
 * if another tool has put an int3 there, or if the bytes are not those of the
 * module's file, because the program or another tool has changed them. */
static struct error *decode(struct space *space, uint64_t address,
			    const uint8_t *bytes, size_t size, struct insn *out)
{
	struct error *error;

	TRY(check_first_byte(space, address, bytes[0]));
	error = arch_decode(bytes, size, address, out);
	if (error)
		return error_prefix(error, "0x%" PRIx64, address);
	return check_code(space, out);
}

struct error *site_get(struct probe *probe, struct space *space,
		       uint64_t address, struct site **out)
{
	struct site *site = map_get(&space->sites, address);
	uint8_t bytes[ARCH_MAX_INSN];
	struct error *error;
	struct insn insn;
	size_t got;

	if (site) {
		*out = site;
		return NULL;
	}
	TRY(refuse_in_sequence(space, address));
	TRY(check_mapping(space, address));
	TRY(read_original(space, address, bytes, sizeof(bytes), &got));
	TRY(decode(space, address, bytes, got, &insn));
	site = xcalloc(1, sizeof(*site));
	site->address = address;
	site->insn = insn;
	error = give_slot(space, site);
	if (error && error_code(error) == ERROR_GONE) {
		free(site);
		return error;
	}
	if (error && is_system_call(&site->insn)) {
		/* The instruction is a system call, which might wait for
		 * another thread; but all other threads are stopped while an
		 * instruction is single-stepped. */
		free(site);
		return error_prefix(error,
				    "0x%" PRIx64
				    ": perftool can set no breakpoint on a "
				    "system call instruction that cannot be "
				    "executed at another address",
				    address);
	}
	if (error) {
		note(probe,
		     "0x%" PRIx64 ": %s; the instruction is single-stepped, "
		     "with all threads stopped at each hit",
		     address, error_message(error));
		error_destroy(error);
	}
	map_set(&space->sites, address, site);
	*out = site;
	return NULL;
}

struct site *site_clone(const struct site *site)
{
	struct site *clone = xmalloc(sizeof(*clone));

	*clone = *site;
	if (clone->fast)
		clone->fast->users++;
	clone->attachments = (struct attachment_list){0};
	for (size_t i = 0; i < site->attachments.count; i++) {
		site->attachments.data[i]->users++;
		vec_push(&clone->attachments, site->attachments.data[i]);
	}
	return clone;
}

static bool has_breakpoints(const struct site *site)
{
	for (size_t i = 0; i < site->attachments.count; i++)
		if (breakpoint_is_in(site->attachments.data[i]->breakpoint))
			return true;
	return site->purpose != SITE_USER;
}

bool site_is_wanted(const struct site *site)
{
	return site->is_evicted || has_breakpoints(site);
}

/* The program may have written over its code since the site was made. If so,
 * decode the new instruction, which the int3 will displace. */
static struct error *renew_instruction(struct space *space, struct site *site)
{
	uint8_t bytes[ARCH_MAX_INSN];
	size_t got;

	TRY(check_mapping(space, site->address));
	TRY(read_original(space, site->address, bytes, sizeof(bytes), &got));
	if (got >= site->insn.length &&
	    memcmp(bytes, site->insn.bytes, site->insn.length) == 0)
		return NULL;
	TRY(decode(space, site->address, bytes, got, &site->insn));
	if (!site->has_slot)
		return NULL;
	site->has_slot = false;
	return give_slot(space, site);
}

static struct error *restart_in_slot(struct thread *thread,
				     const struct arch_slot *slot)
{
	struct user_regs_struct regs;

	if (thread->state != THREAD_STOPPED || thread->in_call)
		return NULL;
	TRY(target_get_regs(thread, &regs));
	return arch_slot_restart(slot, &regs) ? target_set_regs(thread, &regs)
					      : NULL;
}

/*
 * Threads that wait in the displaced system call were past the site before the
 * int3 is inserted. If the kernel makes the call again, after a stop or a
 * signal, such a thread must not be counted as arriving; so these threads are
 * moved into the slot.
 */
static struct error *move_waiting(struct space *space, const struct site *site)
{
	struct process *process;
	size_t cursor = 0;

	while ((process = space_user(space, &cursor))) {
		const struct thread_list *threads = &process->threads;
		struct error *error = NULL;

		for (size_t j = 0; !error && j < threads->count; j++)
			error = restart_in_slot(threads->data[j], &site->slot);
		/* A thread that was killed does not wait in the system call any
		 * more. */
		TRY(error_unless(error, ERROR_GONE));
	}
	return NULL;
}

/* Enter the site in the store before the int3 is written, because a thread may
 * hit it at once. */
static struct error *insert(struct space *space, struct site *site)
{
	static const uint8_t int3 = ARCH_INT3;

	TRY(patch_make_way(space, site->address));
	TRY(renew_instruction(space, site));
	TRY(store_enter(space, site));
	if (site->has_slot && is_system_call(&site->insn))
		TRY(move_waiting(space, site));
	TRY(target_write(space->process, site->address, &int3, 1));
	site->inserted = true;
	site->lost = false;
	layout_note(&space->layout, site->address);
	site_outdate(space, site);
	return NULL;
}

enum standing site_standing(struct space *space, const struct site *site)
{
	static const uint8_t int3 = ARCH_INT3;
	const uint8_t *ours = site->is_jump ? site->patch.bytes : &int3;
	const uint8_t *displaced =
		site->is_jump ? site->displaced : site->insn.bytes;
	uint8_t bytes[PATCH_SIZE];
	size_t size = site_patched(site);

	if (!target_read_callback(space->process, site->address, bytes, size))
		return STANDS_GONE;
	if (memcmp(bytes, ours, size) == 0)
		return STANDS;
	if (memcmp(bytes, displaced, size) == 0)
		return STANDS_NOT;
	if (site->is_jump && memcmp(bytes + 1, ours + 1, size - 1) == 0)
		return STANDS_REST;
	return site->is_jump && bytes[0] == int3 &&
			       memcmp(bytes + 1, displaced + 1, size - 1) == 0
		       ? STANDS_INT3
		       : STANDS_OTHER;
}

/* Take the int3 out of memory, but only if it is the tool's own. The program
 * may have written something else there, or it may have unmapped or replaced
 * the memory. */
static struct error *take_int3_out(struct space *space, struct site *site)
{
	uint8_t byte;

	site->inserted = false;
	if (!target_read_callback(space->process, site->address, &byte, 1) ||
	    byte != ARCH_INT3 || !may_be_ours(space, site->address))
		return NULL;
	TRY(target_write(space->process, site->address, site->insn.bytes, 1));
	TRY(target_read(space->process, site->address, &byte, 1));
	if (byte != site->insn.bytes[0])
		return error_create(ERROR_OTHER,
				    "perftool cannot restore the original byte "
				    "at 0x%" PRIx64
				    ", because the memory keeps another one; a "
				    "thread that reaches this address may die",
				    site->address);
	return NULL;
}

struct error *site_take_out(struct space *space, struct site *site)
{
	if (!site->inserted)
		return NULL;
	layout_note(&space->layout, site->address);
	TRY(patch_out(space, site));
	TRY(patch_make_way(space, site->address));
	if (site->inserted)
		TRY(take_int3_out(space, site));
	TRY(evict_no_more(space, site));
	return store_leave(space, site);
}

struct error *site_update(struct space *space, struct site *site)
{
	bool wanted = site_is_wanted(site);

	if (site->is_evicted && has_breakpoints(site)) {
		/* The jump of an evicted site leads past the breakpoints that
		 * were attached here, so the site becomes an int3 at once. */
		site->is_evicted = false;
		TRY(patch_out(space, site));
	}
	/* The site may have other enabled breakpoints than before. */
	if (wanted)
		site_outdate(space, site);
	site->lost &= wanted;
	if (site->inserted == wanted)
		return NULL;
	return wanted ? insert(space, site) : site_take_out(space, site);
}

void site_outdate(struct space *space, struct site *site)
{
	site->is_outdated = space->is_outdated = true;
}

void site_destroy(struct site *site)
{
	for (size_t i = 0; i < site->attachments.count; i++)
		attachment_unref(site->attachments.data[i]);
	vec_free(&site->attachments);
	free(site);
}
