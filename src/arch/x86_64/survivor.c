/*
 * survivor.c - the description of the SIGTRAP handler (survivor.S) for the rest
 * of the layer, checks of the numbers in survivor.h, and the hash of the
 * store's index
 */
#include "survivor.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>

#include "perftool/arch.h"

#define SAME(a, b) _Static_assert((a) == (b), #a " is " #b)

SAME(CODE_OFFSET, STORE_CODE - STORE_HEADER);
SAME(INDEX_OFFSET, STORE_INDEX - STORE_HEADER);
SAME(INDEX_BITS, STORE_INDEX_BITS);
SAME(TABLE_OFFSET, STORE_TABLE - STORE_HEADER);
SAME(MOST_ENTRIES, STORE_ENTRIES);
SAME(SLOTS_OFFSET, STORE_SLOTS - STORE_HEADER);
SAME(HEADER_AREA_COUNT, offsetof(struct store_header, area_count));
SAME(HEADER_AREAS, offsetof(struct store_header, areas));
SAME(MOST_AREAS, STORE_AREAS);
SAME(AREA_LOW, offsetof(struct store_area, low));
SAME(AREA_HIGH, offsetof(struct store_area, high));
SAME(AREA_SIZE, sizeof(struct store_area));
SAME(ENTRY_SITE, offsetof(struct store_entry, site));
SAME(ENTRY_SLOT, offsetof(struct store_entry, slot));
SAME(1 << ENTRY_SIZE_BITS, sizeof(struct store_entry));

SAME(INFO_CODE, offsetof(siginfo_t, si_code));
SAME(CONTEXT_RIP, offsetof(ucontext_t, uc_mcontext.gregs[REG_RIP]));
SAME(CONTEXT_FLAGS, offsetof(ucontext_t, uc_mcontext.gregs[REG_EFL]));
SAME(CONTEXT_MASK, offsetof(ucontext_t, uc_sigmask));
SAME(TRAP_SIGNAL, SIGTRAP);
SAME(CODE_INT3, SI_KERNEL);
SAME(CODE_STEP, TRAP_TRACE);
SAME(CODE_INT1, TRAP_BRKPT);
SAME(HOW_BLOCK, SIG_BLOCK);
SAME(CALL_RT_SIGACTION, SYS_rt_sigaction);
SAME(CALL_RT_SIGPROCMASK, SYS_rt_sigprocmask);
SAME(CALL_RT_SIGRETURN, SYS_rt_sigreturn);
SAME(CALL_GETPID, SYS_getpid);
SAME(CALL_GETTID, SYS_gettid);
SAME(CALL_TGKILL, SYS_tgkill);
SAME(CALL_RT_TGSIGQUEUEINFO, SYS_rt_tgsigqueueinfo);

_Static_assert(sizeof(struct store_header) <= STORE_CODE - STORE_HEADER,
	       "the header ends before the code");

/* survivor.S has the code, and this description of the code. */
struct survivor_layout {
	uint64_t size, handler, restorer;
};

extern const struct survivor_layout survivor_layout;
extern const uint8_t survivor_code[];

void arch_survivor(struct survivor *out)
{
	*out = (struct survivor){
		.code = survivor_code,
		.size = survivor_layout.size,
		.handler = survivor_layout.handler,
		.restorer = survivor_layout.restorer,
	};
}

uint32_t store_hash(uint64_t site)
{
	return (uint32_t)(site * HASH_FACTOR >> (64 - STORE_INDEX_BITS));
}
