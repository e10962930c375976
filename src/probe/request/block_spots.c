/*
 * block_spots.c - the spots of `break blocks`: the first instruction of each
 * basic block of a function
 *
 * The blocks are found in the function's file (basic_blocks.h). What the code
 * itself does not show is looked up in the file: where exceptions continue, and
 * which labels the program takes the address of. The user is told what stays
 * unknown.
 */
#include <inttypes.h>

#include "call_spots.h"
#include "perftool/base/alloc.h"
#include "perftool/basic_blocks.h"
#include "perftool/debuginfo/frame_rules.h"
#include "probe/arrival/arrival.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "request.h"

#define DWARF_RSP 7

/* Is the stack at the jump as it was at the function's entry? Then the jump
 * leaves the function. */
static bool leaves(struct debugfile *file, uint64_t address)
{
	struct cfa_rule rule;

	return debugfile_cfa_rule(file, address, &rule) &&
	       rule.reg == DWARF_RSP && rule.offset == 8;
}

void note_missing_blocks(struct probe *probe, struct debugfile *file,
			 const struct function *function,
			 const struct basic_blocks *blocks)
{
	CLEANUP(free_pointer)
	char *name = debuginfo_demangle(function->name ? function->name : "?");
	size_t unknown = 0;

	for (size_t i = 0; i < blocks->unknown.count; i++)
		unknown += !leaves(file, blocks->unknown.data[i]);
	if (unknown && blocks->unreached)
		note(probe,
		     "%s has %zu jump%s whose targets perftool does not know: "
		     "blocks to which nothing else leads do not count "
		     "(%" PRIu64 " bytes of code)",
		     name, unknown, unknown == 1 ? "" : "s", blocks->unreached);
	if (blocks->within.count)
		note(probe,
		     "%zu block%s of %s begin%s within another instruction and "
		     "do%s not count",
		     blocks->within.count, blocks->within.count == 1 ? "" : "s",
		     name, blocks->within.count == 1 ? "s" : "",
		     blocks->within.count == 1 ? "es" : "");
}

struct error *spots_of_blocks(struct probe *probe, struct debugfile *file,
			      const struct function *function,
			      struct spot_list *out)
{
	struct basic_blocks blocks = {0};

	TRY(function_blocks(file, function, &blocks));
	for (size_t i = 0; i < blocks.starts.count; i++) {
		struct spot spot = {.address = blocks.starts.data[i],
				    .role = ROLE_PLACE,
				    .function = *function};

		if (spot.address == function->address)
			spot.role = ROLE_ENTRY;
		vec_push(out, spot);
	}
	note_missing_blocks(probe, file, function, &blocks);
	arch_blocks_deinit(&blocks);
	return NULL;
}
