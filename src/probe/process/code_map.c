/*
 * code_map.c - which branches lead to an address of a module's code, so that a
 * thread can come there without having executed the instruction before it
 *
 * straight.h of arch finds the branches of the function that contains the
 * address. This file finds the other ways to the address:
 *
 * - branches of other functions: every four bytes in the module's code that
 *   would be the displacement of a branch to the address count as a branch,
 *   and so do the short branches of the functions around;
 * - an indirect jump of the function itself, and an exception that leaves one
 *   of its calls. The tool does not know where they lead. But for each address
 *   a compiler describes a single frame, whichever way a thread comes there.
 *   So a jump or an exception can only lead to an address where the frame is
 *   the same as at the jump or the call. In the middle of a prologue the frame
 *   differs.
 *
 * It also finds the blocks of a function, which tell where there is certainly
 * code: behind a return or a jump there may be data.
 */
#include "code_map.h"

#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/debuginfo/frame_rules.h"

/* The largest sizes of a function's code and of a module's code. Both are
 * larger than any real ones. */
#define MOST_FUNCTION (16u * 1024 * 1024)
#define MOST_CODE (1024u * 1024 * 1024)

/* How far short branches reach, backwards and forwards. */
#define SHORT_BACK 128
#define SHORT_ON (127 + 2)

static void forget_function(struct code_map *map)
{
	straight_deinit(&map->code);
	arch_blocks_deinit(&map->blocks);
	map->has_blocks = false;
	vec_clear(&map->frames);
	map->leaps_anywhere = false;
	map->function = 0;
}

void code_map_destroy(struct code_map *map)
{
	if (!map)
		return;
	forget_function(map);
	vec_free(&map->frames);
	for (size_t i = 0; i < map->pieces.count; i++)
		free(map->pieces.data[i].bits);
	vec_free(&map->pieces);
	free(map);
}

/* ---- branches with four bytes -------------------------------------------- */

#define CHUNK 65536u
#define FAR_SIZE 6

static void note_far(struct far_targets *piece, uint64_t target)
{
	uint64_t at = target - piece->low;

	if (target >= piece->low && target < piece->high)
		piece->bits[at / 8] |= (uint8_t)(1U << at % 8);
}

/* jmp, call, jcc */
static bool is_far_branch(const uint8_t *bytes)
{
	return bytes[0] == 0xe8 || bytes[0] == 0xe9 ||
	       (bytes[0] == 0x0f && (bytes[1] & 0xf0) == 0x80);
}

static void note_branches(struct code_map *map, uint64_t address,
			  const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i + FAR_SIZE <= size; i++) {
		size_t opcode = bytes[i] == 0x0f ? 2 : 1;
		int32_t displacement;
		uint64_t target;

		if (!is_far_branch(bytes + i))
			continue;
		memcpy(&displacement, bytes + i + opcode, sizeof(displacement));
		target = address + i + opcode + sizeof(displacement) +
			 (uint64_t)displacement;
		for (size_t j = 0; j < map->pieces.count; j++)
			note_far(&map->pieces.data[j], target);
	}
}

static void scan_piece(struct code_map *map, struct debugfile *file,
		       const struct far_targets *piece)
{
	/* The last branch of a piece may have only five bytes: one zero byte is
	 * added behind the code, so that note_branches() examines this branch,
	 * too. */
	uint8_t *bytes = xcalloc(1, CHUNK + FAR_SIZE);

	for (uint64_t at = piece->low; at < piece->high; at += CHUNK) {
		size_t size = CHUNK + FAR_SIZE - 1;

		if (size > piece->high - at)
			size = piece->high - at;
		size = debugfile_read(file, at, bytes, size);
		memset(bytes + size, 0, 1);
		note_branches(map, at, bytes, size + 1);
	}
	free(bytes);
}

struct code_map *code_map_create(struct debugfile *file)
{
	struct code_map *map = xcalloc(1, sizeof(*map));
	struct range range;
	uint64_t size = 0;

	for (size_t i = 0; debugfile_code(file, i, &range); i++) {
		struct far_targets piece = {.low = range.low,
					    .high = range.high};

		if (range.high <= range.low ||
		    range.high - range.low > MOST_CODE - size) {
			map->is_too_large = range.high > range.low;
			break;
		}
		size += range.high - range.low;
		piece.bits = xcalloc(1, (range.high - range.low) / 8 + 1);
		vec_push(&map->pieces, piece);
	}
	for (size_t i = 0; !map->is_too_large && i < map->pieces.count; i++)
		scan_piece(map, file, &map->pieces.data[i]);
	return map;
}

static bool is_far_target(const struct code_map *map, uint64_t address)
{
	for (size_t i = 0; i < map->pieces.count; i++) {
		const struct far_targets *piece = &map->pieces.data[i];
		uint64_t at = address - piece->low;

		if (address >= piece->low && address < piece->high)
			return piece->bits[at / 8] >> at % 8 & 1;
	}
	return true;
}

/* ---- the function itself ------------------------------------------------- */

static bool add_range(struct straight_code *code, struct debugfile *file,
		      const struct range *range)
{
	uint8_t *bytes;
	size_t size;

	if (range->high <= range->low ||
	    range->high - range->low > MOST_FUNCTION)
		return false;
	size = range->high - range->low;
	bytes = xmalloc(size);
	if (debugfile_read(file, range->low, bytes, size) != size) {
		free(bytes);
		return false;
	}
	straight_add(code, range->low, bytes, size);
	return true;
}

static bool read_function(struct debugfile *file,
			  const struct function *function,
			  struct straight_code *code)
{
	struct range_list ranges = {0};
	struct error *error =
		debugfile_function_ranges(file, function, &ranges);
	bool good = !error && ranges.count;

	for (size_t i = 0; good && i < ranges.count; i++)
		good = add_range(code, file, &ranges.data[i]);
	error_destroy(error);
	vec_free(&ranges);
	return good;
}

static bool is_same_frame(const struct cfa_rule *a, const struct cfa_rule *b)
{
	return a->reg == b->reg && a->offset == b->offset;
}

static void note_leaps(struct code_map *map, struct debugfile *file,
		       const struct straight_list *from)
{
	for (size_t i = 0; i < from->count && !map->leaps_anywhere; i++) {
		struct cfa_rule rule;
		size_t known = 0;

		if (!debugfile_cfa_rule(file, from->data[i], &rule)) {
			map->leaps_anywhere = true;
			break;
		}
		while (known < map->frames.count &&
		       !is_same_frame(&map->frames.data[known], &rule))
			known++;
		if (known == map->frames.count)
			vec_push(&map->frames, rule);
	}
}

bool code_map_know(struct code_map *map, struct debugfile *file,
		   const struct function *function)
{
	if (map->function == function->address)
		return !map->code.unclear;
	forget_function(map);
	map->function = function->address;
	if (!read_function(file, function, &map->code)) {
		map->code.unclear = true;
		return false;
	}
	note_leaps(map, file, &map->code.jumps);
	for (size_t i = 0; i < map->code.ranges.count; i++) {
		if (debugfile_has_pads(file, map->code.ranges.data[i].low)) {
			note_leaps(map, file, &map->code.calls);
			break;
		}
	}
	return !map->code.unclear;
}

/* May an indirect jump of the function, or an exception that leaves one of its
 * calls, lead to the address? */
bool is_leapt_to(const struct code_map *map, struct debugfile *file,
		 uint64_t address)
{
	struct cfa_rule rule;

	if (map->leaps_anywhere)
		return true;
	if (!map->frames.count)
		return false;
	if (!debugfile_cfa_rule(file, address, &rule))
		return true;
	for (size_t i = 0; i < map->frames.count; i++)
		if (is_same_frame(&map->frames.data[i], &rule))
			return true;
	return false;
}

/* ---- where blocks begin -------------------------------------------------- */

static bool read_file(void *context, uint64_t address, void *buffer,
		      size_t size)
{
	return debugfile_read(context, address, buffer, size) == size;
}

/* The range of the function's code that contains the address; NULL: there is
 * none. */
static const struct straight_range *range_at(const struct code_map *map,
					     uint64_t address)
{
	for (size_t i = 0; i < map->code.ranges.count; i++) {
		const struct straight_range *range = &map->code.ranges.data[i];

		if (address >= range->low && address < range->high)
			return range;
	}
	return NULL;
}

/* Does the function call a place within itself? Code by hand does so to learn
 * the address of data that stands behind the call. */
static bool calls_itself_amid(const struct code_map *map)
{
	for (size_t i = 0; i < map->code.calls.count; i++) {
		uint64_t at = map->code.calls.data[i];
		const struct straight_range *range = range_at(map, at);
		struct error *error;
		struct insn insn;

		if (!range)
			return true;
		error = arch_decode(range->bytes + (at - range->low),
				    range->high - at, at, &insn);
		if (error) {
			error_destroy(error);
			return true;
		}
		if (insn.kind == INSN_CALL && insn.target != map->function &&
		    range_at(map, insn.target))
			return true;
	}
	return false;
}

/* Find the blocks of the function, once. There are none if the function's code
 * is not as compilers write it. */
static void find_blocks(struct code_map *map, struct debugfile *file)
{
	VEC(struct block_code) parts = {0};
	struct address_list known = {0};
	struct range_list ranges = {0};

	map->has_blocks = true;
	if (map->code.unclear || calls_itself_amid(map))
		return;
	vec_push(&known, map->function);
	for (size_t i = 0; i < map->code.ranges.count; i++) {
		const struct straight_range *range = &map->code.ranges.data[i];

		vec_push(&ranges, (struct range){range->low, range->high});
		vec_push(&parts, (struct block_code){range->low,
						     range->high - range->low,
						     range->bytes});
	}
	debugfile_landing_pads(file, &ranges, &known);
	arch_find_blocks(&(struct block_request){.parts = parts.data,
						 .part_count = parts.count,
						 .known = known.data,
						 .known_count = known.count,
						 .read = read_file,
						 .context = file},
			 &map->blocks);
	if (map->blocks.within.count)
		vec_clear(&map->blocks.starts);
	vec_free(&parts);
	vec_free(&ranges);
	vec_free(&known);
}

static int compare_addresses(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

bool begins_block(struct code_map *map, struct debugfile *file,
		  uint64_t address)
{
	if (!debugfile_has_frame(file, address))
		return false;
	if (!map->has_blocks)
		find_blocks(map, file);
	return map->blocks.starts.count &&
	       bsearch(&address, map->blocks.starts.data,
		       map->blocks.starts.count, sizeof(address),
		       compare_addresses);
}

/* ---- the functions around ------------------------------------------------ */

static bool is_short_branch(uint8_t opcode)
{
	return opcode == 0xeb || (opcode & 0xf0) == 0x70 ||
	       (opcode & 0xfc) == 0xe0;
}

/* Would these two bytes, which are at address `at`, be a short branch to an
 * address behind `low`, up to and including `high`? */
static bool seems_to_lead(const uint8_t *bytes, uint64_t at, uint64_t low,
			  uint64_t high)
{
	uint64_t target = at + 2 + (uint64_t)(int8_t)bytes[1];

	return is_short_branch(bytes[0]) && target > low && target <= high;
}

/* Two bytes at `at`, in another function, look like a short branch into the
 * range. Are they really an instruction? */
static bool leads_from(struct debugfile *file, uint64_t at, uint64_t low,
		       uint64_t high)
{
	struct straight_code code = {0};
	struct function function;
	bool leads = true;

	if (debugfile_function_at(file, at, &function) &&
	    read_function(file, &function, &code) && !code.unclear)
		leads = straight_leads(&code, low, high);
	straight_deinit(&code);
	return leads;
}

/* How many bytes of code are read at once. */
#define WINDOW 512

/* Does a short branch of another function lead to an address behind `low`, up
 * to and including `high`? */
static bool short_leads(const struct code_map *map, struct debugfile *file,
			uint64_t low, uint64_t high)
{
	const uint64_t end = high + SHORT_BACK + 1;
	uint8_t bytes[WINDOW];
	uint64_t start = low - SHORT_ON;
	size_t got;

	/* The code is read in windows of WINDOW bytes. The last byte of a
	 * window is also the first byte of the next one, because a branch may
	 * begin with this byte. There may be no code at the beginning of a
	 * window. */
	for (; start<end; start += got> 1 ? got - 1 : 1) {
		got = debugfile_read(file, start, bytes, sizeof(bytes));
		for (size_t i = 0; i + 1 < got && start + i < end; i++)
			if (seems_to_lead(bytes + i, start + i, low, high) &&
			    !range_at(map, start + i) &&
			    leads_from(file, start + i, low, high))
				return true;
	}
	return false;
}

bool others_lead(const struct code_map *map, struct debugfile *file,
		 uint64_t low, uint64_t high)
{
	if (short_leads(map, file, low, high))
		return true;
	for (uint64_t at = low + 1; at <= high; at++)
		if (is_far_target(map, at))
			return true;
	return false;
}
