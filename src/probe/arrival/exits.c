/*
 * exits.c - the instructions at which a function is left: every return and
 * every tail jump
 *
 * The function's code is read from its file and decoded, range by range. A jump
 * out of all ranges is a tail jump if the stack is as it was at the function's
 * entry. The call frame information tells this: CFA = rsp + 8. If the
 * function's frame is still on the stack, the jump leads to a cold part of the
 * function. If no symbol says so (the file is stripped), the part is added to
 * the ranges when the jump is decoded. Code that compilers write in place of a
 * jump or return is recognized (thunk.c of arch). Whether a conditional jump is
 * taken, and where an indirect jump leads, is determined when a thread reaches
 * the jump. The tool never changes return addresses and never counts at the
 * addresses to which calls return: both go wrong under exceptions
 * (doc/RULES.md, "Function exits").
 *
 * Some compilers put data between the code of a function: GHC (Haskell) has a
 * table before each address to which it returns. Where the bytes look like
 * that, an exit counts only if a way leads to it from the beginning of the
 * function, or if all bytes around it are instructions. A breakpoint in data
 * would be a fault in the program.
 */
#include <stdlib.h>
#include <string.h>

#include "exits.h"
#include "perftool/base/alloc.h"
#include "perftool/basic_blocks.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/debuginfo/go_program.h"
#include "probe/probe_state.h"
#include "probe/site/site.h"

#define DWARF_RSP 7
/* How many bytes of code are examined: more than a thunk has, and more than
 * __morestack has if its size is not known. */
#define THUNK_SIZE 64
#define MORESTACK_SIZE 256

static bool frame_is_gone(struct debugfile *file, uint64_t address)
{
	struct cfa_rule rule;

	return !debugfile_cfa_rule(file, address, &rule) ||
	       (rule.reg == DWARF_RSP && rule.offset == 8);
}

static bool leaves(struct debugfile *file, const struct range_list *ranges,
		   const struct function *function, uint64_t target)
{
	/* A jump to the function's own entry is a call of itself, which the
	 * breakpoint at the entry counts. In Go, however, such a jump comes
	 * back after the stack was enlarged. */
	return !range_list_has(ranges, target) ||
	       (target == function->address &&
		debugfile_go_begins(file, function) == function->address);
}

/* The state of the search for exits while the code of a function is decoded. */
struct sweep {
	struct debugfile *file;
	const struct function *function;
	/* the ranges of the function's code; cold parts are added when they are
	 * found */
	struct range_list *ranges;
	/* the last instruction, and the one before it */
	struct insn before, further;
	struct insn call; /* the last call instruction */
	/* the code of the range that begins at `low` */
	const uint8_t *code;
	uint64_t low;
	size_t size;
	/* The code of a thunk stood in place of a jump or return before. gcc
	 * describes the frame inside of that code, but does not say that the
	 * stack behind it is as before. */
	bool is_misdescribed;
	/* the code of the __morestack that the function calls, see
	 * is_after_morestack() */
	struct range morestack;
	/* there are bytes that no compiler writes as an instruction */
	bool has_data;
	struct spot_list *out;
};

/* A jump out of the function may lead to a thunk, whose code makes an indirect
 * jump or a return for the function. Correct the role of the spot in this
 * case. */
static void consider_thunk(const struct sweep *sweep, struct spot *spot)
{
	uint8_t code[THUNK_SIZE];
	size_t size =
		debugfile_read(sweep->file, spot->target, code, sizeof(code));
	unsigned reg;

	switch (arch_thunk_at(code, size, spot->target, &reg)) {
	case ARCH_THUNK_RETURN:
		spot->role = ROLE_RETURN;
		break;
	case ARCH_THUNK_JUMP:
		spot->role = ROLE_JUMP_INDIRECT;
		spot->thunk = (uint8_t)(reg + 1);
		break;
	case ARCH_THUNK_NONE:
		return;
	}
	spot->target = 0;
}

/*
 * Is the return behind a call of __morestack? With -fsplit-stack, a function
 * that has too little stack calls __morestack, and a return follows the call.
 * __morestack runs the function on another stack. When the function has
 * returned there, control comes back to this return, which ends the frame.
 */
static bool is_after_morestack(struct sweep *sweep, const struct insn *insn)
{
	const struct insn *call = &sweep->before;
	struct function callee;

	if (call->kind != INSN_CALL ||
	    call->address + call->length != insn->address ||
	    !debugfile_function_at(sweep->file, call->target, &callee) ||
	    !callee.name || strncmp(callee.name, "__morestack", 11) != 0)
		return false;
	sweep->morestack = (struct range){
		callee.address,
		callee.address + (callee.size ? callee.size : MORESTACK_SIZE)};
	return true;
}

/* An indirect call may be written as a call of code that stands directly before
 * the call and makes the jump. Is `jump` the jump of such code? */
static bool is_called(const struct sweep *sweep, const struct insn *jump)
{
	size_t at = jump->address + jump->length - sweep->low;
	struct error *error;
	struct insn next;

	if (at >= sweep->size)
		return false;
	error = arch_decode(sweep->code + at, sweep->size - at, sweep->low + at,
			    &next);
	if (error) {
		error_destroy(error);
		return false;
	}
	return next.kind == INSN_CALL && next.target == sweep->call.address;
}

static bool is_frame_gone(const struct sweep *sweep, const struct spot *spot)
{
	struct function to;

	if (spot->role == ROLE_RETURN || spot->shift ||
	    frame_is_gone(sweep->file, spot->address))
		return true;
	return sweep->is_misdescribed && spot->target &&
	       debugfile_function_at(sweep->file, spot->target, &to) &&
	       to.address == spot->target;
}

/* The largest number of ranges of one function. In a corrupt file, each part
 * may lead to another one without end. */
#define MOST_PARTS 64

/*
 * A jump is made while the function's frame is on the stack, to code that no
 * symbol names. Then this code is a cold part of the function, and returns in
 * it are returns of the function; add its range. Another function is recognized
 * by its first instruction, where CFA = rsp + 8.
 */
static void add_cold_part(struct sweep *sweep, uint64_t target)
{
	struct function part;
	struct cfa_rule rule;

	if (!target || sweep->ranges->count >= MOST_PARTS ||
	    !debugfile_function_at(sweep->file, target, &part) || part.name ||
	    !part.size || range_list_has(sweep->ranges, part.address) ||
	    !debugfile_cfa_rule(sweep->file, part.address, &rule) ||
	    (rule.reg == DWARF_RSP && rule.offset == 8))
		return;
	vec_push(sweep->ranges,
		 ((struct range){part.address, part.address + part.size}));
}

static void consider(struct sweep *sweep, const struct insn *insn)
{
	const struct function *function = sweep->function;
	const struct range_list *ranges = sweep->ranges;
	struct spot spot = {.address = insn->address,
			    .function = *function,
			    .target = insn->target};
	enum arch_end end = arch_end_of(&sweep->before, &sweep->further, insn);

	if (end == ARCH_END_RETURN) {
		spot.role = ROLE_RETURN;
		spot.shift = -8;
		vec_push(sweep->out, spot);
		return;
	}
	switch (insn->kind) {
	case INSN_RETURN:
		spot.role = ROLE_RETURN;
		sweep->is_misdescribed |=
			sweep->call.target == sweep->before.address;
		if (end == ARCH_END_JUMP) {
			if (is_called(sweep, insn))
				return;
			spot.role = ROLE_JUMP_INDIRECT;
			spot.shift = 8;
		}
		spot.is_last = is_after_morestack(sweep, insn);
		break;
	case INSN_JUMP:
		spot.role = ROLE_JUMP;
		if (!leaves(sweep->file, ranges, function, insn->target))
			return;
		consider_thunk(sweep, &spot);
		break;
	case INSN_JUMP_IF:
		spot.role = ROLE_JUMP_IF;
		if (!leaves(sweep->file, ranges, function, insn->target))
			return;
		break;
	case INSN_JUMP_INDIRECT:
		spot.role = ROLE_JUMP_INDIRECT;
		break;
	default:
		return;
	}
	spot.is_foreign = arch_jumps_through_saved(insn);
	if (is_frame_gone(sweep, &spot))
		vec_push(sweep->out, spot);
	else
		add_cold_part(sweep, spot.target);
}

/* Is this add %al,(%rax)? Two bytes that are 0 are data. */
static bool is_zeros(const struct insn *insn)
{
	return insn->length == 2 && !insn->bytes[0] && !insn->bytes[1];
}

static struct error *scan(struct sweep *sweep, const struct range *range)
{
	CLEANUP(free_pointer) uint8_t *code = NULL;
	struct insn insn;
	size_t size;

	TRY(debugfile_function_code(sweep->file, sweep->function, range, &code,
				    &size));
	sweep->before = sweep->further = sweep->call = (struct insn){0};
	sweep->code = code;
	sweep->low = range->low;
	sweep->size = size;
	for (size_t at = 0; at < size; at += insn.length) {
		struct error *error = arch_decode(code + at, size - at,
						  range->low + at, &insn);

		if (error) {
			/* The bytes that cannot be decoded are data between the
			 * code, or padding. */
			error_destroy(error);
			sweep->has_data = true;
			insn.length = 1;
			continue;
		}
		sweep->has_data |= is_zeros(&insn);
		consider(sweep, &insn);
		sweep->further = sweep->before;
		sweep->before = insn;
		if (insn.kind == INSN_CALL)
			sweep->call = insn;
	}
	return NULL;
}

/* ---- data between the code ----------------------------------------------- */

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

/* Are all bytes of the gap instructions? */
static bool is_all_code(struct debugfile *file, const struct block_gap *gap)
{
	const size_t size = gap->high - gap->low;
	CLEANUP(free_pointer) uint8_t *code = xcalloc(size, 1);
	struct insn insn;
	size_t at = 0;

	if (debugfile_read(file, gap->low, code, size) != size)
		return false;
	while (at < size) {
		struct error *error =
			arch_decode(code + at, size - at, gap->low + at, &insn);

		if (error || is_zeros(&insn)) {
			error_destroy(error);
			return false;
		}
		at += insn.length;
	}
	return true;
}

static bool is_in_data(struct debugfile *file,
		       const struct basic_blocks *blocks, uint64_t address)
{
	for (size_t i = 0; i < blocks->gaps.count; i++) {
		const struct block_gap *gap = &blocks->gaps.data[i];

		if (address >= gap->low && address < gap->high)
			return !is_all_code(file, gap);
	}
	return false;
}

/* The function has data between its code. Take out the exits, from `first` on,
 * that may be in it. */
static struct error *leave_out_data(const struct sweep *sweep, size_t first)
{
	struct basic_blocks blocks = {0};

	TRY(function_blocks(sweep->file, sweep->function, &blocks));
	for (size_t i = sweep->out->count; i-- > first;)
		if (!blocks.is_undecoded &&
		    is_in_data(sweep->file, &blocks,
			       sweep->out->data[i].address))
			vec_remove(sweep->out, i);
	arch_blocks_deinit(&blocks);
	return NULL;
}

/* ---- the exits ----------------------------------------------------------- */

static void exclude(struct spot *spot, const struct range *callers)
{
	if (spot->unless_count < MOST_UNLESS)
		spot->unless[spot->unless_count++] = *callers;
}

/* With -fsplit-stack, an exit that returns into __morestack only leaves the
 * other stack, and does not end the frame that was entered. Note this in all
 * exits from `first` on. */
static void except_morestack(const struct sweep *sweep, size_t first)
{
	for (size_t i = first; sweep->morestack.high && i < sweep->out->count;
	     i++)
		if (!sweep->out->data[i].is_last)
			exclude(&sweep->out->data[i], &sweep->morestack);
}

struct error *find_exits(struct debugfile *file,
			 const struct function *function, struct spot_list *out)
{
	struct range_list ranges = {0};
	struct sweep sweep = {.file = file,
			      .function = function,
			      .ranges = &ranges,
			      .out = out};
	size_t first = out->count;
	struct error *error;

	error = debugfile_function_ranges(file, function, &ranges);
	/* (The range is copied, because the list may grow, and move, during the
	 * scan.) */
	for (size_t i = 0; !error && i < ranges.count; i++) {
		const struct range range = ranges.data[i];

		error = scan(&sweep, &range);
	}
	if (!error && sweep.has_data)
		error = leave_out_data(&sweep, first);
	except_morestack(&sweep, first);
	vec_free(&ranges);
	return error;
}

bool exits_are_foreign(const struct spot_list *exits)
{
	bool any = false;

	for (size_t i = 0; i < exits->count; i++) {
		if (exits->data[i].role == ROLE_RETURN)
			return false;
		any |= exits->data[i].is_foreign;
	}
	return any;
}

/* ---- functions that only go on in another -------------------------------- */

/* The message names at most this many functions, and calls the rest
 * "others". */
#define MOST_NAMES 3

/* Does the function always end with a jump to another function? That is so if
 * all exits are jumps, or if its first instruction is a jump. A jump to the
 * function's own entry does not lead to another function. */
static bool only_goes_on(const struct function *function,
			 const struct spot *exits, size_t count)
{
	bool all = true, any = false;

	for (size_t i = 0; i < count; i++) {
		if (is_jump(exits[i].role) &&
		    exits[i].address == function->address)
			return exits[i].target != function->address;
		all &= is_jump(exits[i].role);
		any |= exits[i].target != function->address;
	}
	return all && any;
}

/* Collect the names of the functions to which the jumps lead, each name once.
 * The caller frees the names. `*others` is set if there are targets that are
 * not named. */
static size_t goes_on_in(struct debugfile *file,
			 const struct function *function,
			 const struct spot *exits, size_t count,
			 char *names[MOST_NAMES], bool *others)
{
	size_t found = 0;

	*others = false;
	for (size_t i = 0; i < count; i++) {
		struct function to;
		size_t known = 0;
		char *name;

		if (exits[i].target == function->address)
			continue;
		if (!exits[i].target ||
		    !debugfile_function_at(file, exits[i].target, &to) ||
		    !to.name) {
			*others = true;
			continue;
		}
		name = debuginfo_demangle(to.name);
		while (known < found && !str_equal(names[known], name))
			known++;
		*others |= known == MOST_NAMES;
		if (known < found || found == MOST_NAMES)
			free(name);
		else
			names[found++] = name;
	}
	return found;
}

void note_jumps(struct probe *probe, struct debugfile *file,
		const struct function *function, const struct spot *exits,
		size_t count)
{
	char *names[MOST_NAMES];
	struct str text = {0};
	size_t found;
	bool others;

	if (!function->name || !only_goes_on(function, exits, count))
		return;
	CLEANUP(free_pointer) char *name = debuginfo_demangle(function->name);

	found = goes_on_in(file, function, exits, count, names, &others);
	for (size_t i = 0; i < found; i++)
		str_printf(&text, "%s%s", i ? ", " : "", names[i]);
	if (others)
		str_append(&text, found ? " and others" : "another function");
	note(probe,
	     "%s ends with %s to %s: its exit is before the jump; `break "
	     "return %s' is where its frame ends",
	     name, count > 1 ? "jumps" : "a jump", str_text(&text), name);
	for (size_t i = 0; i < found; i++)
		free(names[i]);
	str_deinit(&text);
}

void note_loop(struct probe *probe, const struct function *function,
	       const struct spot_list *exits)
{
	CLEANUP(free_pointer) char *name = NULL;
	size_t i = 0;

	while (i < exits->count &&
	       !(is_jump(exits->data[i].role) &&
		 exits->data[i].target == function->address))
		i++;
	if (i == exits->count || !function->name)
		return;
	name = debuginfo_demangle(function->name);
	note(probe,
	     "%s jumps to its own first instruction, in a loop or to call "
	     "itself: each such jump counts as a call (`break calls %s in "
	     "FUNC' counts the calls in FUNC)",
	     name, name);
}
