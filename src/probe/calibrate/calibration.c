/*
 * calibration.c - the part of a break's cost that the tool cannot observe
 *
 * A break is one stop of a thread at an int3, or its way through a jump. The
 * tool knows when it learned of a hit and when it let the thread go on. It
 * cannot observe the delivery of the trap before that, and the wake-up of the
 * thread after that. But the time from one int3 to the next, if no code lies
 * between them, consists of nothing else. So the tool drives a thread through
 * such a pair, in memory of its own, before the first instruction of the
 * program and again now and then. This is done in the same run and on the same
 * CPUs, because in another run the figure would be wrong by microseconds
 * (doc/RULES.md, "Calibration").
 *
 *	fast from:	nop	<- jump
 *	fast to:	nop	<- jump
 *			one pass less; jmp fast from
 *	around from:	nop	<- jump
 *	count from:	nop	<- jump		counted by the thread itself
 *	count to:	nop	<- jump		counted by the thread itself
 *	around to:	nop	<- jump
 *			one pass less; jmp around from
 *	beside from:	nop	<- jump
 *	follow:		nop	<- jump		followed by the thread itself
 *	follow:		nop	<- jump		followed by the thread itself
 *	beside to:	nop	<- jump
 *			one pass less; jmp beside from
 *	warm entry:	nop	<- jump		the first hits of calls take
 *	warm return:	nop	<- jump		longer: they are left out
 *			one pass less; jmp warm entry
 *	amid from:	nop	<- jump
 *	call entry:	nop	<- jump		counted by the thread itself
 *	call return:	nop	<- jump		counted by the thread itself
 *	amid to:	nop	<- jump
 *			one pass less; jmp amid from
 *	from:		nop	<- int3		a leg from -> to is one wake-up
 *	to:		nop	<- int3		and one delivery
 *			one pass less; jmp from
 *
 * During a calibration all signals but SIGTRAP are blocked in its thread, and
 * struct calibration holds the registers of the thread. (If SIGTRAP were
 * blocked, the trap would reset the handler of SIGTRAP.) Every end of a
 * calibration goes through finish(). If the tool dies, the loop ends by itself,
 * and a script that the tool has put into the program gives the thread its
 * registers and its signal mask back.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate.h"
#include "perftool/target/remote_calls.h"
#include "perftool/target/target_events.h"
#include "probe/arrival/arrival.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/rings/rings.h"
#include "probe/site/site.h"
#include "probe/survive/survive.h"

/* The longest time from one calibration to the next, ns. The first of these
 * intervals is in cost.c. */
#define LAST_INTERVAL 64000000u
/* The number of pairs of int3s in the calibration at the start. */
#define FIRST_PAIRS 64
/* How many times in a row a thread passes the pair of jumps. The number is
 * large, because the first passes are slower. */
#define FAST_PAIRS 300
/* The same for the pairs that threads count or follow by themselves. */
#define COUNTED_PAIRS 256
/* The size of the memory for the script that gives the thread its registers
 * back. */
#define WAY_BACK 256
/* All signals but SIGTRAP. */
#define MASK (~(1ULL << (SIGTRAP - 1)))

static struct error *make_site(struct probe *probe, struct space *space,
			       uint64_t address, enum purpose purpose)
{
	struct site *site;

	TRY(site_get(probe, space, address, &site));
	if (!site->has_slot)
		return error_create(ERROR_OTHER,
				    "the calibration has no out-of-line slot");
	site->purpose = purpose;
	return site_update(space, site);
}

/* The loops of the calibration. rcx counts the remaining passes. rdx holds the
 * number of passes of the second loop, and rbx the address to which the thread
 * goes after the last pass. */
enum {
	FAST_FROM = 0,
	FAST_TO = 5,
	AROUND_FROM = 23,
	COUNT_FROM = 28,
	COUNT_TO = 33,
	AROUND_TO = 38,
	BESIDE_FROM = 56,
	FOLLOW = 61,
	FOLLOW_AGAIN = 66,
	BESIDE_TO = 71,
	WARM_ENTRY = 89,
	WARM_RETURN = 94,
	AMID_FROM = 112,
	CALL_ENTRY = 117,
	CALL_RETURN = 122,
	AMID_TO = 127,
	FROM = 143,
	TO = 144,
	CALLER = 155,
	OTHER_CALLER = 156
};
_Static_assert(COUNTED_PAIRS == 256, "the number is in the code below");
static const uint8_t loop_code[] = {
	0x0f, 0x1f, 0x44, 0,    0, /* fast from: nop */
	0x0f, 0x1f, 0x44, 0,    0, /* fast to:   nop */
	0x48, 0x8d, 0x49, 0xff,    /*       lea -1(%rcx), %rcx */
	0xe3, 0x02,                /*       jrcxz next */
	0xeb, 0xee,                /*       jmp fast from */
	0xb9, 0,    1,    0,    0, /* next: mov $256, %ecx */
	0x0f, 0x1f, 0x44, 0,    0, /* around from: nop */
	0x0f, 0x1f, 0x44, 0,    0, /* count from: nop */
	0x0f, 0x1f, 0x44, 0,    0, /* count to: nop */
	0x0f, 0x1f, 0x44, 0,    0, /* around to: nop */
	0x48, 0x8d, 0x49, 0xff,    /*       lea -1(%rcx), %rcx */
	0xe3, 0x02,                /*       jrcxz next */
	0xeb, 0xe4,                /*       jmp around from */
	0xb9, 0,    1,    0,    0, /* next: mov $256, %ecx */
	0x0f, 0x1f, 0x44, 0,    0, /* beside from: nop */
	0x0f, 0x1f, 0x44, 0,    0, /* follow: nop */
	0x0f, 0x1f, 0x44, 0,    0, /* follow: nop */
	0x0f, 0x1f, 0x44, 0,    0, /* beside to: nop */
	0x48, 0x8d, 0x49, 0xff,    /*       lea -1(%rcx), %rcx */
	0xe3, 0x02,                /*       jrcxz next */
	0xeb, 0xe4,                /*       jmp beside from */
	0xb9, 16,   0,    0,    0, /* next: mov $16, %ecx */
	0x0f, 0x1f, 0x44, 0,    0, /* warm entry: nop */
	0x0f, 0x1f, 0x44, 0,    0, /* warm return: nop */
	0x48, 0x8d, 0x49, 0xff,    /*       lea -1(%rcx), %rcx */
	0xe3, 0x02,                /*       jrcxz next */
	0xeb, 0xee,                /*       jmp warm entry */
	0xb9, 0,    1,    0,    0, /* next: mov $256, %ecx */
	0x0f, 0x1f, 0x44, 0,    0, /* amid from: nop */
	0x0f, 0x1f, 0x44, 0,    0, /* call entry: nop */
	0x0f, 0x1f, 0x44, 0,    0, /* call return: nop */
	0x0f, 0x1f, 0x44, 0,    0, /* amid to: nop */
	0x48, 0x8d, 0x49, 0xff,    /*       lea -1(%rcx), %rcx */
	0xe3, 0x02,                /*       jrcxz next */
	0xeb, 0xe4,                /*       jmp amid from */
	0x48, 0x89, 0xd1,          /* next: mov %rdx, %rcx */
	0x90,                      /* from: nop */
	0x90,                      /* to:   nop */
	0x48, 0x8d, 0x49, 0xff,    /*       lea -1(%rcx), %rcx */
	0xe3, 0x02,                /*       jrcxz out */
	0xeb, 0xf6,                /*       jmp from */
	0xff, 0xe3,                /* out:  jmp *%rbx */
	0x64, 0x65, 0x72, 0x69,    /* caller: CALLS_CALIBRATED, which stands */
	0x76, 0x65, 0x64, 0,       /*         for a return address */
};

#define LOOP_GRANULES                                                          \
	((sizeof(loop_code) + ARCH_SLOT_SIZE - 1) / ARCH_SLOT_SIZE)

struct error *calibrate_prepare(struct probe *probe, struct space *space)
{
	const struct module *module = space->modules.data[0].module;
	uint64_t address;

	TRY(store_find_room(space, STORE_FAST_CODE, module->low, module->high,
			    LOOP_GRANULES, &address));
	TRY(target_write(space->process, address, loop_code,
			 sizeof(loop_code)));
	TRY(store_take(space, address, LOOP_GRANULES));
	TRY(make_site(probe, space, address + FAST_FROM, SITE_FAST_FROM));
	TRY(make_site(probe, space, address + FAST_TO, SITE_FAST_TO));
	TRY(make_site(probe, space, address + FROM, SITE_CALIBRATE_FROM));
	TRY(make_site(probe, space, address + TO, SITE_CALIBRATE_TO));
	space->calibrate_from = address + FROM;
	return NULL;
}

struct loop_site {
	uint8_t offset, purpose;
};

/* Make sites in the loop of a space, unless they are there, or the space has no
 * loop. */
static struct error *make_sites(struct probe *probe, struct space *space,
				const struct loop_site *sites, size_t count)
{
	uint64_t loop = space->calibrate_from - FROM;

	if (!space->calibrate_from ||
	    map_get(&space->sites, loop + sites[0].offset))
		return NULL;
	for (size_t i = 0; i < count; i++)
		TRY(make_site(probe, space, loop + sites[i].offset,
			      sites[i].purpose));
	return NULL;
}

struct error *calibrate_prepare_counting(struct probe *probe,
					 struct space *space)
{
	static const struct loop_site sites[] = {
		{AROUND_FROM, SITE_AROUND_FROM}, {COUNT_FROM, SITE_COUNT_FROM},
		{COUNT_TO, SITE_COUNT_TO},       {AROUND_TO, SITE_AROUND_TO},
		{BESIDE_FROM, SITE_BESIDE_FROM}, {FOLLOW, SITE_FOLLOW},
		{FOLLOW_AGAIN, SITE_FOLLOW},     {BESIDE_TO, SITE_BESIDE_TO},
	};

	return make_sites(probe, space, sites, sizeof(sites) / sizeof(*sites));
}

struct error *calibrate_prepare_calls(struct probe *probe, struct space *space)
{
	static const struct loop_site sites[] = {
		{WARM_ENTRY, SITE_WARM_ENTRY},
		{WARM_RETURN, SITE_WARM_RETURN},
		{AMID_FROM, SITE_AMID_FROM},
		{CALL_ENTRY, SITE_CALL_ENTRY},
		{CALL_RETURN, SITE_CALL_RETURN},
		{AMID_TO, SITE_AMID_TO},
	};

	return make_sites(probe, space, sites, sizeof(sites) / sizeof(*sites));
}

bool calibrate_is_due(const struct probe *probe, const struct space *space,
		      uint64_t now)
{
	return now >= probe->costs.next && !probe->calibration.thread &&
	       space->calibrate_from && !target_is_stopping(probe->target);
}

/* Write a script without system calls, which only restores the thread's
 * registers and mask. */
static struct error *write_way_back(struct calibration *calibration,
				    struct process *process, uint64_t *start)
{
	struct arch_script script;
	uint64_t address;

	TRY(target_find_script_room(process, WAY_BACK, &address));
	TRY(arch_script_build(address, NULL, 0, &calibration->regs,
			      calibration->mask, NULL, 0, &script));
	if (script.length > WAY_BACK)
		return error_create(ERROR_OTHER,
				    "the calibration's script is too long");
	calibration->script = address;
	calibration->script_length = script.length;
	*start = script.start;
	return target_write(process, address, script.code, script.length);
}

static bool has_fast(const struct space *space, const struct thread *thread)
{
	uint64_t loop = space->calibrate_from - FROM;
	const struct site *from = map_get(&space->sites, loop + FAST_FROM);
	const struct site *to = map_get(&space->sites, loop + FAST_TO);

	return thread->ring && from && from->is_jump && to && to->is_jump;
}

struct error *calibrate_begin(struct probe *probe, struct thread *thread,
			      uint64_t pc, uint64_t arrival, uint32_t pairs,
			      bool *begun)
{
	struct calibration *calibration = &probe->calibration;
	struct space *space = space_of(thread->process);
	struct user_regs_struct regs;
	uint64_t way_back;

	*begun = false;
	/* SIGTRAP is unblocked during the calibration, so a SIGTRAP that is
	 * pending would be delivered. */
	if (target_is_pending(thread, SIGTRAP))
		return NULL;
	TRY(target_get_regs(thread, &calibration->regs));
	if (calibration->regs.eflags & ARCH_TRAP_FLAG)
		/* The thread single-steps itself, and would step through the
		 * tool's code. */
		return NULL;
	*begun = true;
	switches_watch(probe, thread);
	TRY(target_get_signal_mask(thread, &calibration->mask));
	calibration->regs.rip = pc;
	TRY(write_way_back(calibration, thread->process, &way_back));
	if (!arrival && thread->watch)
		/* Report what the thread did by itself, before the calibration
		 * begins. */
		switches_tell(probe, thread->watch, UINT64_MAX);
	calibration->thread = thread;
	calibration->process = thread->process;
	calibration->arrival = arrival;
	calibration->hold = stop_of(probe, thread, arrival);
	calibration->began = clock_now(probe->clock);
	calibration->wanted = pairs;
	calibration->done = 0;
	calibration->from_resume = 0;
	calibration->counts = (struct counts_kept){0};
	if (thread->ring)
		counts_keep(thread->ring, &calibration->counts);
	if (thread->ring)
		calls_keep(thread->ring, &calibration->calls);
	if (probe->costs.is_told != resumed_is_told(thread))
		probe->costs.sample_count = 0;
	probe->costs.is_told = resumed_is_told(thread);
	regs = calibration->regs;
	if (has_fast(space, thread)) {
		regs.rip = space->calibrate_from - FROM;
		regs.rcx = FAST_PAIRS;
		regs.rdx = pairs + 1;
	} else {
		regs.rip = space->calibrate_from;
		regs.rcx = pairs + 1;
	}
	regs.rbx = way_back;
	/* The way back restores rbx, and the registers that system calls and
	 * their arguments change; no other register may be used here. */
	regs.r8 = space->calibrate_from - FROM + CALLER;
	regs.r9 = space->calibrate_from - FROM + OTHER_CALLER;
	regs.orig_rax = UINT64_MAX;
	/* The registers are set before the signal mask, because the script
	 * restores the mask: only a thread that is certain to reach the script
	 * may get another mask. */
	TRY(target_set_regs(thread, &regs));
	TRY(target_set_signal_mask(thread, MASK));
	return thread->state == THREAD_STOPPED
		       ? target_resume(thread)
		       : target_deliver(thread, 0, NULL);
}

struct error *calibrate_first(struct probe *probe, struct space *space)
{
	struct process *process = space->process;
	struct thread *thread;
	struct error *error;
	uint64_t pc;
	bool begun;

	error = target_calling_thread(process, &thread);
	if (error) {
		error_destroy(error);
		return NULL;
	}
	placement_calibrate(probe, process, true);
	TRY(target_get_reg(thread, offsetof(struct user_regs_struct, rip),
			   &pc));
	return calibrate_begin(probe, thread, pc, 0, FIRST_PAIRS, &begun);
}

/* Can sites of the space be jumps, and is the cost of a jump not known? */
static bool is_unknown(const struct probe *probe, const struct space *space)
{
	return probe->costs.fast.cost <= 0 && !probe->calibration.thread &&
	       space->process && space->calibrate_from &&
	       space->fast.has_rings && !space->fast.refusal;
}

struct error *calibrate_jumps(struct probe *probe)
{
	for (size_t i = 0; i < probe->spaces.count; i++) {
		struct space *space = probe->spaces.data[i];

		if (is_unknown(probe, space))
			return space_fail(probe, space,
					  calibrate_first(probe, space));
	}
	return NULL;
}

struct error *calibrate_and_resume(struct probe *probe, struct thread *thread)
{
	struct space *space = space_of(thread->process);

	if (space && is_unknown(probe, space) && space_is_stopped(space))
		TRY(calibrate_first(probe, space));
	return thread == probe->calibration.thread ? NULL
						   : target_resume(thread);
}

/* Compute what a hit costs that a thread counts by itself. */
static void learn_counted(struct probe *probe)
{
	struct fast_costs *fast = &probe->costs.fast;
	struct thread *thread = probe->calibration.thread;
	double around, beside, spread, own;

	if (!thread->ring || !counts_calibrated(probe, thread->ring, &own) ||
	    !cost_of_jumps(&fast->around, &around, &spread) ||
	    !cost_of_jumps(&fast->beside, &beside, &spread) ||
	    around <= fast->cost || beside <= fast->cost)
		return;
	fast->counted = (around - fast->cost) / 2;
	fast->followed = (beside - fast->cost) / 2;
	fast->own = own;
}

/* Compute what a hit of a call costs that the thread counts. */
static void learn_calls(struct probe *probe)
{
	struct fast_costs *fast = &probe->costs.fast;
	struct thread *thread = probe->calibration.thread;
	double amid, spread, own;

	if (!thread->ring || !calls_calibrated(probe, thread->ring, &own) ||
	    !cost_of_jumps(&fast->amid, &amid, &spread) || amid <= fast->cost)
		return;
	fast->called = (amid - fast->cost) / 2;
	fast->call_own = cost_of_empty_call(own, fast->called, fast->call_own);
}

/* Compute the costs from the samples, and report them. Returns true if the cost
 * of an int3 is known. */
static bool learn(struct probe *probe)
{
	struct fast_costs *fast = &probe->costs.fast;
	double on_cpu;

	drain(probe, UINT64_MAX, true);
	if (cost_of_jumps(&fast->empty, &fast->cost, &fast->spread)) {
		learn_counted(probe);
		learn_calls(probe);
		counts_set_costs(probe);
		emit(probe, (struct probe_event){.kind = PROBE_EVENT_CALIBRATED,
						 .mechanism = HIT_FAST,
						 .cost = fast->cost,
						 .spread = fast->spread});
	}
	if (!cost_summarise(probe->costs.samples, probe->costs.sample_count,
			    &probe->costs.cost, &probe->costs.spread))
		return false;
	emit(probe, (struct probe_event){.kind = PROBE_EVENT_CALIBRATED,
					 .mechanism = HIT_INT3,
					 .cost = probe->costs.cost,
					 .spread = probe->costs.spread});
	if (switches_calibrated(probe, &on_cpu)) {
		probe->switches.on_cpu = on_cpu;
		emit(probe, (struct probe_event){.kind = PROBE_EVENT_CPU_COST,
						 .cost = on_cpu});
	}
	return true;
}

/* The thread stops at an int3 of the calibration. Make the signal of this int3
 * look like that of a single step. If the tool dies now, the thread gets the
 * signal, perhaps at a pc of the program. The handler that outlives the tool
 * returns to any pc after a step, but after an int3 only to a pc that it
 * knows. */
static struct error *disguise_trap(struct thread *thread)
{
	siginfo_t info;

	TRY(target_get_siginfo(thread, &info));
	info.si_code = TRAP_TRACE;
	return target_set_siginfo(thread, &info);
}

/* Give the thread back to the program. The caller resumes the thread. */
static struct error *finish(struct probe *probe)
{
	struct calibration *calibration = &probe->calibration;
	static const uint8_t zeros[WAY_BACK];
	struct thread *thread = calibration->thread;
	const struct stop_in_hand *hold = &calibration->hold;
	struct finished_stop *finished = &probe->finished;
	struct ring *ring = thread->ring;
	uint64_t pc = calibration->regs.rip;
	bool is_known, is_told;

	switches_calibrate(probe, true);
	is_known = learn(probe);
	if (thread->ring)
		calls_put_back(thread->ring, &calibration->calls);
	if (thread->ring)
		counts_put_back(thread->ring, &calibration->counts);
	calibration->thread = NULL;
	/* (After a hit the thread is to go on in a slot, which is a pc that the
	 * handler knows.) */
	if (!calibration->arrival && thread->state == THREAD_AT_TRAP)
		TRY(disguise_trap(thread));
	TRY(target_set_signal_mask(thread, calibration->mask));
	/* On a busy machine the thread may have to wait for a CPU now. */
	if (calibration->arrival && !target_is_stopping(probe->target))
		calibration->regs.rip = resumed_pc(thread, pc);
	is_told = calibration->regs.rip != pc;
	TRY(target_set_regs(thread, &calibration->regs));
	TRY(target_write(thread->process, calibration->script, zeros,
			 calibration->script_length));
	probe->finished = (struct finished_stop){
		.holder = {thread->serial, thread->process->pid, thread->tid},
		.arrival = calibration->began};
	if (calibration->arrival) {
		finished->arrival = hold->arrival;
		finished->cost = hold->cost;
		finished->is_off_known = hold->is_off_known;
		probe->costs.next =
			clock_now(probe->clock) + probe->costs.interval;
		if (probe->costs.interval < LAST_INTERVAL)
			probe->costs.interval *= 2;
	} else {
		/* This was the calibration at the start of the program. Another
		 * one is due at the first hit. */
		placement_calibrate(probe, thread->process, false);
		cost_invalidate(probe);
	}
	TRY(target_settle(probe->target));
	finished->resume = clock_now(probe->clock);
	if (is_told) {
		calls_resume_by_itself(probe, thread, finished);
		ring->finished = *finished;
		switches_will_tell(probe, ring->watch, finished->arrival);
		finished->holder.serial = 0;
	} else {
		calls_resume(probe, thread, finished->resume, finished);
	}
	if (is_known)
		emit(probe, (struct probe_event){.kind = PROBE_EVENT_BEGAN});
	return NULL;
}

struct error *calibrate_trap(struct probe *probe, const struct event *event,
			     struct site *site)
{
	struct calibration *calibration = &probe->calibration;
	struct thread *thread = event->thread;
	uint64_t pc;

	if (thread != calibration->thread)
		/* The thread is still in the calibration of a tool that died:
		 * let it go on to the end of that calibration. */
		return target_resume_at(thread, site->slot.address, NULL);
	switches_calibrate(probe, site->purpose == SITE_CALIBRATE_FROM);
	if (site->purpose == SITE_CALIBRATE_FROM) {
		pc = resumed_pc(thread, site->slot.address);
		return target_resume_at(thread, pc, &calibration->from_resume);
	}
	probe->costs.samples[probe->costs.sample_count++ % CALIBRATION_WINDOW] =
		(double)event->time - (double)calibration->from_resume;
	calibration->done++;
	if (calibration->done >= calibration->wanted ||
	    target_is_stopping(probe->target)) {
		TRY(finish(probe));
		TRY(undo_reset(probe, thread, calibration->regs.rip, false));
		return thread->state == THREAD_STOPPED
			       ? target_resume(thread)
			       : target_deliver(thread, 0, NULL);
	}
	return target_resume_at(thread, site->slot.address, NULL);
}

struct error *calibrate_stopped(struct probe *probe)
{
	struct thread *thread = probe->calibration.thread;

	if (!thread)
		return NULL;
	/* The thread may have begun a record in its ring that it would never
	 * complete. The reader of the ring would wait for this record. */
	TRY(fast_leave(space_of(thread->process), thread));
	return finish(probe);
}
