/*
 * run_spots.c - the spots of a profile of source lines: each instruction of a
 * function at which control enters a line, or leaves the function's own code
 *
 * A run is a sequence of instructions of one line within a basic block. A run
 * also begins behind a call, and a call and a return are runs of their own, so
 * that the time between two spots belongs to one line, and either to the
 * function's own code or to what it calls. Code of inlined calls belongs to the
 * line of the function that calls it.
 */
#include <stdlib.h>

#include "call_spots.h"
#include "perftool/base/alloc.h"
#include "perftool/basic_blocks.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "request.h"

struct body {
	struct debugfile *file;
	const struct function *function;
	struct range_list ranges;
	struct basic_blocks blocks;
	struct spot_list *out;
};

/* The line of the function itself that an instruction belongs to; 0: none. */
static uint32_t line_of(struct debugfile *file, uint64_t address,
			const char **path)
{
	struct source_frame_list frames = {0};
	const struct source_frame *frame;
	uint32_t line;

	debugfile_source_frames(file, address, 0, &frames);
	frame = &frames.data[frames.count - 1];
	line = frame->line;
	*path = frame->file;
	source_frames_clear(&frames);
	return line;
}

static bool is_inside(const struct body *body, uint64_t address)
{
	for (size_t i = 0; i < body->ranges.count; i++)
		if (address >= body->ranges.data[i].low &&
		    address < body->ranges.data[i].high)
			return true;
	return false;
}

static bool is_call(const struct insn *insn)
{
	return insn->kind == INSN_CALL || insn->kind == INSN_CALL_INDIRECT;
}

static bool leaves(const struct body *body, const struct insn *insn)
{
	return insn->kind == INSN_RETURN ||
	       (insn->kind == INSN_JUMP && !is_inside(body, insn->target));
}

static bool ends_block(const struct insn *insn)
{
	switch (insn->kind) {
	case INSN_RETURN:
	case INSN_JUMP:
	case INSN_JUMP_IF:
	case INSN_JUMP_INDIRECT:
	case INSN_STOP:
		return true;
	default:
		return false;
	}
}

/* Append the runs of the block between two addresses. */
static void add_block(struct body *body, uint64_t at, uint64_t end)
{
	uint32_t last = 0;
	bool begins = true, is_behind_call = false;
	struct insn insn = {0};

	while (at < end && !ends_block(&insn)) {
		uint8_t bytes[ARCH_MAX_INSN];
		size_t size =
			debugfile_read(body->file, at, bytes, sizeof(bytes));
		struct spot spot = {.address = at,
				    .role = ROLE_PLACE,
				    .function = *body->function};
		struct error *error = arch_decode(bytes, size, at, &insn);

		if (error) {
			error_destroy(error);
			return;
		}
		spot.line = line_of(body->file, at, &spot.file);
		if (begins)
			spot.marks |= RUN_BLOCK;
		if (at == body->function->address) {
			spot.marks |= RUN_ENTRY;
			spot.role = ROLE_ENTRY;
		}
		if (spot.line && spot.line != last)
			spot.marks |= RUN_LINE;
		if (is_behind_call)
			spot.marks |= RUN_BEHIND_CALL;
		if (is_call(&insn))
			spot.marks |= RUN_CALL;
		if (leaves(body, &insn))
			spot.marks |= RUN_EXIT;
		if (spot.marks)
			vec_push(body->out, spot);
		last = spot.line ? spot.line : last;
		begins = false;
		is_behind_call = is_call(&insn);
		at += insn.length;
	}
}

struct error *spots_of_runs(struct probe *probe, struct debugfile *file,
			    const struct function *function,
			    struct spot_list *out)
{
	struct body body = {.file = file, .function = function, .out = out};
	struct error *error;

	error = debugfile_function_ranges(file, function, &body.ranges);
	if (!error)
		error = function_blocks(file, function, &body.blocks);
	for (size_t i = 0; !error && i < body.blocks.starts.count; i++) {
		uint64_t start = body.blocks.starts.data[i], end = start;

		for (size_t j = 0; j < body.ranges.count; j++)
			if (start >= body.ranges.data[j].low &&
			    start < body.ranges.data[j].high)
				end = body.ranges.data[j].high;
		if (i + 1 < body.blocks.starts.count &&
		    body.blocks.starts.data[i + 1] < end)
			end = body.blocks.starts.data[i + 1];
		add_block(&body, start, end);
	}
	if (!error)
		note_missing_blocks(probe, file, function, &body.blocks);
	arch_blocks_deinit(&body.blocks);
	vec_free(&body.ranges);
	return error;
}
