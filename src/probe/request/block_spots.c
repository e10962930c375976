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
#include <stdlib.h>

#include "call_spots.h"
#include "perftool/base/alloc.h"
#include "perftool/basic_blocks.h"
#include "perftool/debuginfo/frame_rules.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "request.h"

#define DWARF_RSP 7

static bool read_file(void *context, uint64_t address, void *buffer,
		      size_t size)
{
	return debugfile_read(context, address, buffer, size) == size;
}

static struct error *read_code(struct debugfile *file,
			       const struct function *function,
			       const struct range_list *ranges,
			       struct block_code_list *out)
{
	for (size_t i = 0; i < ranges->count; i++) {
		const struct range *range = &ranges->data[i];
		uint8_t *bytes;
		size_t size;

		TRY(debugfile_function_code(file, function, range, &bytes,
					    &size));
		vec_push(out, (struct block_code){range->low, size, bytes});
	}
	return NULL;
}

static void free_code(struct block_code_list *code)
{
	for (size_t i = 0; i < code->count; i++)
		free((uint8_t *)code->data[i].bytes);
	vec_free(code);
}

struct error *function_blocks(struct debugfile *file,
			      const struct function *function,
			      struct basic_blocks *out)
{
	struct address_list known = {0};
	struct block_code_list code = {0};
	struct range_list ranges = {0};
	struct error *error;

	error = debugfile_function_ranges(file, function, &ranges);
	if (!error)
		error = read_code(file, function, &ranges, &code);
	if (!error) {
		vec_push(&known, function->address);
		debugfile_landing_pads(file, &ranges, &known);
		debugfile_taken_addresses(file, &ranges, &known);
		arch_find_blocks(
			&(struct block_request){.parts = code.data,
						.part_count = code.count,
						.known = known.data,
						.known_count = known.count,
						.read = read_file,
						.context = file},
			out);
	}
	vec_free(&known);
	free_code(&code);
	vec_free(&ranges);
	return error;
}

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
