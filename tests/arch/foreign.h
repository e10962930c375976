/*
 * foreign.h - traps that are none of the tool's doing, in an orphan
 *
 * Included by test programs; it holds their code.
 */
#ifndef TESTS_ARCH_FOREIGN_H
#define TESTS_ARCH_FOREIGN_H

#include "orphan.h"
#include "workload.h"

static void call(const uint8_t *function)
{
	((void (*)(void))function)();
}

static void trap_by_kill(void)
{
	kill(getpid(), SIGTRAP);
}

static void trap_by_raise(void)
{
	raise(SIGTRAP);
}

static void trap_by_queue(void)
{
	sigqueue(getpid(), SIGTRAP, (union sigval){.sival_int = 1234});
}

static void trap_by_int3(void)
{
	call(own_int3);
}

static void trap_by_int1(void)
{
	call(own_int1);
}

static void trap_by_step(void)
{
	call(own_step);
}

static void trap_displaced(void)
{
	call(own_int3);
}

static void trap_without_slot(void)
{
	call(lone_nop);
}

static const struct foreign {
	const char *name;
	void (*trap)(void);
	const uint8_t *site; /* that is broken before */
	bool slotless;
	int expected_code;
} foreigners[] = {
	{"kill", trap_by_kill, NULL, false, SI_USER},
	{"raise", trap_by_raise, NULL, false, SI_TKILL},
	{"sigqueue", trap_by_queue, NULL, false, SI_QUEUE},
	{"int3", trap_by_int3, NULL, false, SI_KERNEL},
	{"int1", trap_by_int1, NULL, false, TRAP_BRKPT},
	{"a step", trap_by_step, NULL, false, TRAP_TRACE},
	{"a displaced int3", trap_displaced, own_int3, false, SI_KERNEL},
	{"a site with no slot", trap_without_slot, lone_nop, true, SI_KERNEL},
};

#define FOREIGNERS (sizeof(foreigners) / sizeof(foreigners[0]))

static void orphan_for(struct orphan *orphan, const struct foreign *foreign)
{
	const uint8_t *site = foreign->site;

	orphan_init(orphan, workload);
	orphan_break_all(orphan, workload, workload_end);
	if (site)
		orphan_break_at(orphan,
				orphan_free_place(orphan, (uint64_t)site), site,
				!foreign->slotless);
	orphan_live(orphan);
}

#endif
