/*
 * exits.c - where a function is left: every return and every tail jump
 *
 * The function's code is decoded from its file, range by range. A jump out of
 * all ranges is a tail jump if the stack is as it was at the entry, which the
 * call frame information tells (CFA = rsp + 8); with a frame still there it
 * goes to a cold part that no symbol names. Whether a conditional jump is
 * taken and where an indirect one goes is seen when it is reached. Return
 * addresses are never touched and return sites never counted: both go wrong
 * under exceptions (spec of probes, "Function exits").
 */
#include <stdlib.h>

#include "internal.h"
#include "perftool/base/alloc.h"

#define DWARF_RSP 7
/* More code than any function has: a symbol of a corrupt file. */
#define MOST_CODE (64u * 1024 * 1024)

static bool inside(const struct range_list *ranges, uint64_t address)
{
	for (size_t i = 0; i < ranges->count; i++)
		if (address >= ranges->data[i].low &&
		    address < ranges->data[i].high)
			return true;
	return false;
}

static bool frame_is_gone(struct debugfile *file, uint64_t address)
{
	struct cfa_rule rule;

	return !debugfile_cfa_rule(file, address, &rule) ||
	       (rule.reg == DWARF_RSP && rule.offset == 8);
}

static bool leaves(const struct range_list *ranges,
		   const struct function *function, uint64_t target)
{
	/* a jump to the very entry is a call of itself: the entry counts it */
	return !inside(ranges, target) || target == function->address;
}

static void consider(struct debugfile *file, const struct function *function,
		     const struct range_list *ranges, const struct insn *insn,
		     struct spot_list *out)
{
	struct spot spot = {.address = insn->address,
			    .function = *function,
			    .target = insn->target};

	switch (insn->kind) {
	case INSN_RETURN:
		spot.role = ROLE_RETURN;
		break;
	case INSN_JUMP:
		spot.role = ROLE_JUMP;
		if (!leaves(ranges, function, insn->target))
			return;
		break;
	case INSN_JUMP_IF:
		spot.role = ROLE_JUMP_IF;
		if (!leaves(ranges, function, insn->target))
			return;
		break;
	case INSN_JUMP_INDIRECT:
		spot.role = ROLE_JUMP_INDIRECT;
		break;
	default:
		return;
	}
	if (insn->kind == INSN_RETURN || frame_is_gone(file, insn->address))
		vec_push(out, spot);
}

static struct error *scan(struct debugfile *file,
			  const struct function *function,
			  const struct range_list *ranges,
			  const struct range *range, struct spot_list *out)
{
	size_t size = range->high - range->low;
	CLEANUP(free_pointer) uint8_t *code = NULL;
	struct insn insn;

	if (range->high < range->low || size > MOST_CODE)
		return error_create(ERROR_BAD_FILE, "%s: impossible size",
				    function->name ? function->name : "?");
	code = xmalloc(size);
	size = debugfile_read(file, range->low, code, size);
	for (size_t at = 0; at < size; at += insn.length) {
		struct error *error = arch_decode(code + at, size - at,
						  range->low + at, &insn);

		if (error) {
			/* data between the code, or padding */
			error_destroy(error);
			insn.length = 1;
			continue;
		}
		consider(file, function, ranges, &insn, out);
	}
	return NULL;
}

struct error *find_exits(struct debugfile *file,
			 const struct function *function, struct spot_list *out)
{
	struct range_list ranges = {0};
	struct error *error;

	error = debugfile_function_ranges(file, function, &ranges);
	for (size_t i = 0; !error && i < ranges.count; i++)
		error = scan(file, function, &ranges, &ranges.data[i], out);
	vec_free(&ranges);
	return error;
}

/* ---- functions that only go on in another ------------------------------- */

/* More are "others". */
#define MOST_NAMES 3

/* Is there nothing but jumps, or one in the place of the function's code? A
 * jump to its own entry leads nowhere else. */
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

/* Where the jumps lead: each name once, the caller frees them; `*others` when
 * that is not all. */
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
	struct str text = {0}, advice = {0};
	size_t found;
	bool others;

	if (!function->name || !only_goes_on(function, exits, count))
		return;
	CLEANUP(free_pointer) char *name = debuginfo_demangle(function->name);

	found = goes_on_in(file, function, exits, count, names, &others);
	for (size_t i = 0; i < found; i++)
		str_printf(&text, "%s%s", i ? ", " : "", names[i]);
	if (found)
		str_printf(&advice, "; time %s as well",
			   found > 1 || others ? "those" : names[0]);
	if (others)
		str_append(&text, found ? " and others" : "another function");
	note(probe, "%s goes on in %s (%s at its end), not timed with it%s",
	     name, str_text(&text), count > 1 ? "jumps" : "a jump",
	     str_text(&advice));
	for (size_t i = 0; i < found; i++)
		free(names[i]);
	str_deinit(&text);
	str_deinit(&advice);
}
