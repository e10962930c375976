/*
 * call_spots.c - the spots of requests for calls: the instructions that call
 * certain functions
 *
 * A call is recognized by where it leads: to the function itself, to a stub of
 * the procedure linkage table, or through a word of the global offset table
 * whose relocation has the function's name. A jump that leaves the code to such
 * a target is a call, too (a tail call). Only a thread that arrives there knows
 * where an indirect call leads; such a spot has the role ROLE_CALL_INDIRECT.
 *
 * Without `in FUNC` all code of the file is searched for bytes that look like a
 * call of the function. Only the functions that contain such bytes are decoded,
 * from their first instruction on.
 */
#include <stdlib.h>
#include <string.h>

#include "call_spots.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/basic_blocks.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/probe/loaded_modules.h"
#include "probe/arrival/arrival.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "request.h"

#define DWARF_RSP 7
/* The code of a file is searched in pieces of this size. */
#define PIECE (1u << 20)
/* The longest instruction that the search looks for, in bytes. */
#define LONGEST 6
/* The longest code of a stub of a procedure linkage table. */
#define STUB 16

/* A search for calls in one file. */
struct call_search {
	struct probe *probe;
	struct debugfile *file;
	const struct breakpoint *breakpoint;
	struct callee callees[MOST_CALLEES];
	size_t callee_count;
	/* The number (from 1) of a callee, by the address of its function, by
	 * that of a word through which it is called, and by that of a stub. */
	struct map functions, words, stubs;
	/* all words through which functions of any name are called */
	struct map imports;
	struct spot_list *out;
	/* a call of FUNC that takes a lock has no place behind it, because it
	 * is a jump, or because a jump leads behind it */
	size_t without_return;
};

/* The code of a function that is searched. */
struct body {
	const struct function *function;
	struct range_list ranges;
	struct basic_blocks blocks; /* only if places behind calls are wanted */
};

static void add_words(struct call_search *search, const struct callee *callee,
		      uint64_t number)
{
	struct address_list words = {0};

	debugfile_import_words(search->file, callee->name, callee->is_exact,
			       &words);
	for (size_t i = 0; i < words.count; i++)
		map_set_number(&search->words, words.data[i], number);
	vec_free(&words);
}

/* A call through a word of the global offset table leads to the function of the
 * word's relocation, so it need not be watched for another one. */
static void find_imports(struct call_search *search)
{
	struct address_list words = {0};

	debugfile_import_words(search->file, "*", false, &words);
	for (size_t i = 0; i < words.count; i++)
		map_set_number(&search->imports, words.data[i], 1);
	vec_free(&words);
}

struct slots {
	struct call_search *search;
	uint64_t number;
};

static bool add_slot(void *context, uint64_t address)
{
	const struct slots *slots = context;

	map_set_number(&slots->search->words, address, slots->number);
	return true;
}

/* Find the functions that are called, and the words through which they are
 * called. */
static struct error *find_targets(struct call_search *search,
				  const struct module *module)
{
	bool own = location_means_module(&search->breakpoint->location, module);

	for (size_t i = 0; i < search->callee_count; i++) {
		const struct callee *callee = &search->callees[i];
		struct slots slots = {search, i + 1};
		struct function_list found = {0};
		struct error *error = NULL;

		if (own)
			error = callee_functions(search->file, callee, &found);
		for (size_t j = 0; !error && j < found.count; j++) {
			map_set_number(&search->functions,
				       found.data[j].address, i + 1);
			if (found.data[j].indirect)
				debugfile_each_slot(
					search->file, found.data[j].address,
					found.data[j].name, add_slot, &slots);
		}
		vec_free(&found);
		if (error)
			return error;
		add_words(search, callee, i + 1);
	}
	return NULL;
}

/* The number of the callee to which the stub at the address leads; 0: there is
 * no stub of one. */
static uint64_t stub_callee(struct call_search *search, uint64_t address)
{
	uint64_t known = map_get_number(&search->stubs, address), word;
	uint8_t code[STUB];
	size_t size;

	if (known)
		return known - 1;
	size = debugfile_read(search->file, address, code, sizeof(code));
	if (arch_stub_word(code, size, address, &word))
		known = map_get_number(&search->words, word);
	map_set_number(&search->stubs, address, known + 1);
	return known;
}

/* ---- one instruction ----------------------------------------------------- */

/* The word relative to the code through which an indirect branch goes; 0: the
 * branch is another one. */
static uint64_t word_of(const struct insn *insn)
{
	int32_t displacement;

	/* A prefix such as notrack or bnd may stand before the opcode. */
	if (insn->length < 6 || insn->bytes[insn->length - 6] != 0xff ||
	    (insn->bytes[insn->length - 5] & 0xc7) != 0x05)
		return 0;
	memcpy(&displacement, insn->bytes + insn->length - 4,
	       sizeof(displacement));
	return insn->address + insn->length + (uint64_t)(int64_t)displacement;
}

static bool is_call(const struct insn *insn)
{
	return insn->kind == INSN_CALL || insn->kind == INSN_CALL_INDIRECT;
}

/* Does the instruction lead to a callee? Returns its number, or 0. */
static uint64_t direct_callee(struct call_search *search,
			      const struct body *body, const struct insn *insn,
			      enum place_form *form)
{
	uint64_t number;

	/* A jump inside of the function is no call, except one to its first
	 * instruction, which the function's entry counts, too. */
	if (insn->kind != INSN_CALL &&
	    range_list_has(&body->ranges, insn->target) &&
	    insn->target != body->function->address)
		return 0;
	*form = insn->kind == INSN_CALL ? FORM_CALL : FORM_JUMP;
	number = map_get_number(&search->functions, insn->target);
	if (number)
		return number;
	if (insn->kind == INSN_CALL)
		*form = FORM_CALL_PLT;
	return stub_callee(search, insn->target);
}

/* Is the stack at the jump as it was at the function's entry, as far as is
 * known? Then the jump leaves the function. */
static bool may_leave(struct call_search *search, uint64_t address)
{
	struct cfa_rule rule;

	return !debugfile_cfa_rule(search->file, address, &rule) ||
	       (rule.reg == DWARF_RSP && rule.offset == 8);
}

/* The number of the callee that the instruction calls; 0: none. For an indirect
 * call whose target only the thread knows, the result is 1. */
static uint64_t called(struct call_search *search, const struct body *body,
		       const struct insn *insn, struct spot *spot)
{
	uint64_t number = 0;

	switch (insn->kind) {
	case INSN_JUMP_IF:
	case INSN_JUMP:
	case INSN_CALL:
		if (insn->kind == INSN_JUMP_IF)
			spot->role = ROLE_JUMP_IF;
		spot->target = insn->target;
		return direct_callee(search, body, insn, &spot->form);
	case INSN_CALL_INDIRECT:
	case INSN_JUMP_INDIRECT:
		number = map_get_number(&search->words, word_of(insn));
		spot->form = is_call(insn) ? FORM_CALL_GOT : FORM_JUMP;
		if (number || !search->breakpoint->location.within ||
		    map_get_number(&search->imports, word_of(insn)))
			return number;
		if (!is_call(insn) && !may_leave(search, insn->address))
			return 0;
		spot->role = ROLE_CALL_INDIRECT;
		spot->form = FORM_INDIRECT;
		return 1;
	default:
		return 0;
	}
}

/* Does a jump of the function lead to the address? */
static bool is_jumped_to(const struct body *body, uint64_t address)
{
	for (size_t i = 0; i < body->blocks.starts.count; i++)
		if (body->blocks.starts.data[i] == address)
			return true;
	return false;
}

/* The place where a lock was taken is behind the call. It would also be reached
 * by a jump to there. */
static void add_return(struct call_search *search, const struct body *body,
		       const struct insn *insn, const struct callee *callee,
		       struct spot *spot)
{
	spot->address += insn->length;
	spot->taken = callee->taken;
	if (!is_call(insn) || spot->role != ROLE_PLACE ||
	    is_jumped_to(body, spot->address) ||
	    !range_list_has(&body->ranges, spot->address))
		search->without_return++;
	else
		vec_push(search->out, *spot);
}

static void consider(struct call_search *search, const struct body *body,
		     const struct insn *insn)
{
	struct spot spot = {.address = insn->address,
			    .role = ROLE_PLACE,
			    .function = *body->function};
	uint64_t number = called(search, body, insn, &spot);

	if (!number)
		return;
	if (search->breakpoint->kind != REQUEST_SYNC_ENTER)
		vec_push(search->out, spot);
	else if (spot.role != ROLE_CALL_INDIRECT)
		add_return(search, body, insn, &search->callees[number - 1],
			   &spot);
}

/* ---- one function -------------------------------------------------------- */

static struct error *search_range(struct call_search *search,
				  const struct body *body,
				  const struct range *range)
{
	CLEANUP(free_pointer) uint8_t *code = NULL;
	struct insn insn;
	size_t size;

	TRY(debugfile_function_code(search->file, body->function, range, &code,
				    &size));
	for (size_t at = 0; at < size; at += insn.length) {
		struct error *error = arch_decode(code + at, size - at,
						  range->low + at, &insn);

		if (error) {
			/* data between the code, or padding */
			error_destroy(error);
			insn.length = 1;
			continue;
		}
		consider(search, body, &insn);
	}
	return NULL;
}

static struct error *search_function(struct call_search *search,
				     const struct function *function)
{
	struct body body = {.function = function};
	struct error *error;

	error = debugfile_function_ranges(search->file, function, &body.ranges);
	if (!error && search->breakpoint->kind == REQUEST_SYNC_ENTER)
		error = function_blocks(search->file, function, &body.blocks);
	for (size_t i = 0; !error && i < body.ranges.count; i++)
		error = search_range(search, &body, &body.ranges.data[i]);
	vec_free(&body.ranges);
	arch_blocks_deinit(&body.blocks);
	return error;
}

static void note_without_return(const struct call_search *search,
				const struct location *within)
{
	if (search->without_return)
		note(search->probe,
		     "%s takes a lock in %zu place%s where perftool cannot see "
		     "that it was taken, because the call is a jump or a jump "
		     "leads behind it: `break sync enter' without `in' counts "
		     "there, too",
		     within->text, search->without_return,
		     search->without_return == 1 ? "" : "s");
}

static struct error *search_within(struct call_search *search,
				   const struct module *module,
				   const struct location *within)
{
	struct function_list functions = {0};
	struct error *error = NULL;
	uint64_t address;

	if (!location_means_module(within, module))
		return NULL;
	if (within->kind == LOCATION_ADDRESS) {
		struct function function;

		if (address_in_module(search->probe, within, module,
				      &address) &&
		    debugfile_function_at(search->file, address, &function))
			vec_push(&functions, function);
	} else if (within->name && within->kind == LOCATION_FUNCTION) {
		error = debugfile_find_functions(search->file, within->name,
						 &functions);
	}
	for (size_t i = 0; !error && i < functions.count; i++)
		if (within->kind == LOCATION_ADDRESS ||
		    location_means_function(within, module, &functions.data[i]))
			error = error_first(
				search_function(search, &functions.data[i]),
				interrupt_check(
					&search->probe->client.interrupt));
	vec_free(&functions);
	note_without_return(search, within);
	return error;
}

/* ---- a whole file -------------------------------------------------------- */

static uint64_t relative(const uint8_t *bytes, uint64_t behind)
{
	int32_t displacement;

	memcpy(&displacement, bytes, sizeof(displacement));
	return behind + (uint64_t)(int64_t)displacement;
}

/* Do the bytes look like an instruction that leads to a callee? If they are a
 * stub, it is entered among the stubs instead. */
static bool is_candidate(struct call_search *search, const uint8_t *bytes,
			 size_t size, uint64_t address, bool stubs_only)
{
	uint64_t target;

	if (stubs_only) {
		if (size < 6 || bytes[0] != 0xff || bytes[1] != 0x25 ||
		    !map_get_number(&search->words,
				    relative(bytes + 2, address + 6)))
			return false;
		/* A stub may begin with endbr64 and bnd. */
		for (uint64_t back = 0; back <= 5; back++)
			stub_callee(search, address - back);
		return false;
	}
	if (size >= 6 && bytes[0] == 0xff &&
	    (bytes[1] == 0x25 || bytes[1] == 0x15))
		return map_get_number(&search->words,
				      relative(bytes + 2, address + 6));
	if (size >= 5 && (bytes[0] == 0xe8 || bytes[0] == 0xe9))
		target = relative(bytes + 1, address + 5);
	else if (size >= 6 && bytes[0] == 0x0f && (bytes[1] & 0xf0) == 0x80)
		target = relative(bytes + 2, address + 6);
	else if (size >= 2 && (bytes[0] == 0xeb || (bytes[0] & 0xf0) == 0x70))
		target = address + 2 + (uint64_t)(int64_t)(int8_t)bytes[1];
	else
		return false;
	return map_get_number(&search->functions, target) ||
	       map_get_number(&search->stubs, target) > 1;
}

/* Search the function that contains a candidate, once. A stub is in no function
 * that has a symbol. */
static struct error *search_around(struct call_search *search, uint64_t address,
				   struct map *searched)
{
	struct function function;

	if (!debugfile_function_at(search->file, address, &function) ||
	    map_get_number(searched, function.address))
		return NULL;
	map_set_number(searched, function.address, 1);
	if (!function.name && map_get_number(&search->stubs, address) > 1)
		return NULL;
	return search_function(search, &function);
}

static struct error *search_piece(struct call_search *search,
				  const uint8_t *bytes, size_t size,
				  size_t count, uint64_t address,
				  bool stubs_only, struct map *searched)
{
	for (size_t i = 0; i < count; i++)
		if (is_candidate(search, bytes + i, size - i, address + i,
				 stubs_only))
			TRY(search_around(search, address + i, searched));
	return interrupt_check(&search->probe->client.interrupt);
}

static struct error *search_code(struct call_search *search, bool stubs_only,
				 struct map *searched)
{
	CLEANUP(free_pointer) uint8_t *bytes = xmalloc(PIECE + LONGEST);
	struct range range;

	for (size_t i = 0; debugfile_code(search->file, i, &range); i++) {
		for (uint64_t at = range.low; at < range.high; at += PIECE) {
			uint64_t left = range.high - at;
			size_t count = left < PIECE ? left : PIECE;
			size_t size =
				left < PIECE + LONGEST ? left : PIECE + LONGEST;

			size = debugfile_read(search->file, at, bytes, size);
			if (count > size)
				count = size;
			TRY(search_piece(search, bytes, size, count, at,
					 stubs_only, searched));
		}
	}
	return NULL;
}

static struct error *search_file(struct call_search *search)
{
	struct map searched = {0};
	struct error *error;

	if (!search->functions.count && !search->words.count)
		return NULL;
	error = search_code(search, true, &searched);
	if (!error)
		error = search_code(search, false, &searched);
	map_deinit(&searched);
	return error;
}

struct error *spots_of_calls(struct probe *probe, struct module *module,
			     const struct breakpoint *breakpoint,
			     struct spot_list *out)
{
	const struct location *within = breakpoint->location.within;
	struct call_search search = {.probe = probe,
				     .file = module_file(module),
				     .breakpoint = breakpoint,
				     .out = out};
	struct error *error;

	search.callee_count = callees_of(breakpoint, search.callees);
	error = find_targets(&search, module);
	if (within)
		find_imports(&search);
	if (!error)
		error = within ? search_within(&search, module, within)
			       : search_file(&search);
	map_deinit(&search.functions);
	map_deinit(&search.words);
	map_deinit(&search.stubs);
	map_deinit(&search.imports);
	return error;
}
