/*
 * passage.c - threads that are between a place and the site to which the
 * breakpoints of the place were moved
 *
 * When breakpoints move to a nearby instruction (transfer.c), some threads are
 * between the two addresses. If such a thread would not be counted any more, it
 * is counted at once; if it was counted already, it is led past the site. The
 * instructions between the two addresses cannot fail, wait or branch; they only
 * push, pop and change registers.
 */
#include "passage.h"
#include "perftool/straight.h"
#include "perftool/target/target_events.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"

/* Compute the value that rsp has at `home`, from its value in `regs`. */
static struct error *find_sp(struct space *space,
			     const struct user_regs_struct *regs, uint64_t home,
			     uint64_t *sp)
{
	uint64_t low = home < regs->rip ? home : regs->rip;
	uint64_t high = home < regs->rip ? regs->rip : home;
	int32_t change = 0;

	while (low < high) {
		uint8_t bytes[ARCH_MAX_INSN];
		struct effect effect;
		struct insn insn;
		size_t got;

		TRY(read_original(space, low, bytes, sizeof(bytes), &got));
		TRY(arch_decode(bytes, got, low, &insn));
		if (!arch_effect(&insn, &effect))
			return error_create(ERROR_OTHER, "no way is known");
		change += effect.sp;
		low += insn.length;
	}
	*sp = regs->rsp;
	*sp += (uint64_t)(int64_t)(home < regs->rip ? -change : change);
	return NULL;
}

/* Copy the attachments at a site that belong at `home`, as they would be at
 * `home`. */
static void bring_home(struct space *space, const struct site *site,
		       uint64_t home, struct attachment_list *out)
{
	for (size_t i = 0; i < site->attachments.count; i++) {
		struct attachment *at = site->attachments.data[i];

		if (at->address == home)
			vec_push(out, attachment_at_home(space, at));
	}
}

struct error *count_on_way(struct probe *probe, struct thread *thread,
			   const struct user_regs_struct *regs,
			   const struct site *site, uint64_t home)
{
	struct space *space = space_of(thread->process);
	/* The stop of all threads is told when it ends, as a time that is in no
	 * call. So a hit of a thread that stands still was where the stop
	 * began. */
	const uint64_t time = probe->own_stop_since ? probe->own_stop_since
						    : clock_now(probe->clock);
	struct event event = {.kind = EVENT_TRAP,
			      .process = thread->process,
			      .thread = thread,
			      .time = time,
			      .pc = home + 1,
			      .has_regs = true,
			      .regs = *regs};
	struct probe_outcome outcome = {0};
	struct site there = {.address = home};
	struct error *error = NULL;

	bring_home(space, site, home, &there.attachments);
	if (there.attachments.count)
		error = find_sp(space, regs, home, &event.sp);
	event.regs.rsp = event.sp;
	event.regs.rip = event.pc;
	/* No int3 has stopped the thread here. */
	probe->in_hand = (struct stop_in_hand){
		.thread = thread->serial, .seen = time, .arrival = time};
	if (!error)
		error = make_hits(probe, &event, &there, &outcome);
	for (size_t i = 0; i < there.attachments.count; i++)
		attachment_unref(there.attachments.data[i]);
	vec_free(&there.attachments);
	return error;
}

struct error *pass_on_way(struct thread *thread, const struct site *from,
			  const struct site *to)
{
	struct user_regs_struct regs;
	uint64_t start = 0;

	while (true) {
		TRY(target_get_regs(thread, &regs));
		if (from)
			arch_slot_pc(&from->slot, &regs);
		if (!start)
			start = regs.rip;
		if (regs.rip < start || regs.rip >= to->address)
			break;
		TRY(target_step(thread));
	}
	if (regs.rip != to->address)
		return NULL;
	regs.rip = to->slot.address;
	return target_set_regs(thread, &regs);
}
