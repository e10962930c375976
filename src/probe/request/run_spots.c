/*
 * run_spots.c - the spots of a profile of source lines: each instruction of a
 * function at which control enters a line, or leaves the function's own code
 *
 * A run is a sequence of instructions of one line within a basic block. A run
 * also begins behind a call, and a call and a return are runs of their own, so
 * that the time between two spots belongs to one line, and either to the
 * function's own code or to what it calls. Code of inlined calls belongs to the
 * line of the function that calls it. Where the compiler says at which
 * instructions statements begin, each of these begins a run, too.
 */
#include <stdlib.h>

#include "call_spots.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/basic_blocks.h"
#include "perftool/debuginfo/code_lines.h"
#include "probe/arrival/arrival.h"
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
	struct statement_list statements;
	struct spot_list *out;
};

/* Set the line of the function itself that the instruction at the spot belongs
 * to; 0: none. (Of an inlined call that has no code left, a row of the line
 * table may be left.) */
static void find_line(const struct body *body, struct spot *spot)
{
	const struct statement_list *own = &body->statements;
	struct source_frame_list frames = {0};
	const struct source_frame *frame;

	debugfile_source_frames(body->file, spot->address, 0, &frames);
	frame = &frames.data[frames.count - 1];
	spot->line = frame->line;
	spot->file = frame->file;
	if (frames.count > 1)
		spot->marks |= RUN_INLINED;
	source_frames_clear(&frames);
	if (own->path && spot->file && str_equal(spot->file, own->path) &&
	    (spot->line < own->first || spot->line > own->last))
		spot->line = 0;
}

static bool begins_statement(const struct body *body, uint64_t address)
{
	const struct statement *first;

	return body->statements.are_marked &&
	       statements_at(&body->statements, address, &first);
}

static bool is_call(const struct insn *insn)
{
	return insn->kind == INSN_CALL || insn->kind == INSN_CALL_INDIRECT;
}

static bool leaves(const struct body *body, const struct insn *insn)
{
	return insn->kind == INSN_RETURN ||
	       (insn->kind == INSN_JUMP &&
		!range_list_has(&body->ranges, insn->target));
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
		uint8_t is_inlined;

		if (error) {
			error_destroy(error);
			return;
		}
		find_line(body, &spot);
		is_inlined = spot.marks;
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
		if (begins_statement(body, at))
			spot.marks |= RUN_STATEMENT;
		if (spot.marks != is_inlined)
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
	if (!error)
		error = debugfile_statements(file, function, &body.statements);
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
	vec_free(&body.statements.list);
	return error;
}
