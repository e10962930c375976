/*
 * call_counting.c - the description of the code by which threads count calls
 * (call_counting.S), and checks of the numbers in call_counting_offsets.h
 */
#include "counting_text.h"
#include "perftool/ring.h"

#define SAME(a, b) _Static_assert((a) == (b), #b)
#define IN_CALLS(name, member)                                                 \
	SAME(name, COUNTING_CALLS + offsetof(struct call_block, member))
#define IN_OPENED(name, member)                                                \
	SAME(name, offsetof(struct call_activation, member))
#define IN_ARC(name, member) SAME(name, offsetof(struct call_block_arc, member))

#include "call_counting_offsets.h"

SAME(HELD, offsetof(struct ring_header, calls.held));
SAME(CALLS, COUNTING_CALLS);
IN_CALLS(CALLS_HITS, hits);
IN_CALLS(CALLS_TOP, top);
IN_CALLS(CALLS_ARC_COUNT, arc_count);
IN_CALLS(CALLS_IGNORED, ignored);
IN_CALLS(CALLS_COST, cost);
IN_CALLS(CALLS_OWN, own);
IN_CALLS(CALLS_STACK_LOW, stack_low);
IN_CALLS(CALLS_STACK_SIZE, stack_size);
IN_CALLS(CALLS_INDEX_SHIFT, index_shift);
IN_CALLS(CALLS_LAST_SHIFT, last_shift);
IN_CALLS(CALLS_SKIP_FRAME, skip_frame);
IN_CALLS(CALLS_SKIP_SITE, skip_site);
IN_CALLS(CALLS_MOST, most);

SAME(OPENS, COUNTING_CALLS + COUNTING_CALLS_HEADER);
SAME(LAST_OPENED, COUNTING_MOST_CALLS - 1);
SAME(ARCS, OPENS + COUNTING_CALLS_OPEN_SIZE);
SAME(LAST_ARC, COUNTING_MOST_ARCS - 1);
SAME(COLD, ARCS + COUNTING_CALLS_ARCS_SIZE);
SAME(INDEX, COLD + COUNTING_CALLS_COLD_SIZE);
SAME(LAST_SLOT, 2 * COUNTING_MOST_ARCS - 1);
SAME(DEPTHS, INDEX + COUNTING_CALLS_INDEX_SIZE);
SAME(LAST_FUNCTION, COUNTING_MOST_FUNCTIONS);

SAME(1 << OPENED_BITS, sizeof(struct call_activation));
SAME(OPENED_BYTES, sizeof(struct call_activation));
IN_OPENED(OPENED_FRAME, frame);
IN_OPENED(OPENED_FUNCTION, function);
IN_OPENED(OPENED_ARC, arc);
IN_OPENED(OPENED_START, start);
IN_OPENED(OPENED_TAKEN, taken);
IN_OPENED(OPENED_CHILDREN, children);
IN_OPENED(OPENED_COMING, coming);

SAME(1 << ARC_BITS, sizeof(struct call_block_arc));
IN_ARC(ARC_SITE, site);
IN_ARC(ARC_CALLER, caller);
IN_ARC(ARC_CALLEE, callee);
IN_ARC(ARC_COUNT, count);
IN_ARC(ARC_ELAPSED, elapsed);
IN_ARC(ARC_SELF, self);
IN_ARC(ARC_OUTERMOST, outermost);

SAME(1 << COLD_BITS, sizeof(struct call_block_cold));
SAME(COLD_UNRETURNED, offsetof(struct call_block_cold, unreturned));

SAME(1ULL << OUTERMOST_BIT, RING_CALL_OUTERMOST);
SAME(TOLD_CALL, RING_CALL);
SAME(NO_FUNCTION, CALL_NO_FUNCTION);
SAME(ANY_FUNCTION, CALL_ANY_FUNCTION);

const struct call_block_size counting_calls_size = {
	.functions = COUNTING_MOST_FUNCTIONS + 1,
	.open = COUNTING_MOST_CALLS,
	.arcs = COUNTING_MOST_ARCS,
};

/* What call_counting.S says about itself. */
struct call_layout {
	uint64_t part_count, size, enter, leave, jump, untold;
};

extern const struct call_layout call_layout;
extern const struct counting_part call_parts[];
extern const uint8_t call_text[];

struct counting_text call_profile_text(struct counting_code *out)
{
	out->call_enter = call_layout.enter;
	out->call_leave = call_layout.leave;
	out->call_jump = call_layout.jump;
	out->untold = call_layout.untold;
	return (struct counting_text){.code = call_text,
				      .size = call_layout.size,
				      .parts = call_parts,
				      .part_count = call_layout.part_count};
}
