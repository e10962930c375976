/*
 * prologue.c - finds the end of a function's prologue, as gdb 16 does
 *
 * The rules are gdb's rules for amd64, so that `break FUNC` means the same
 * address in both tools:
 * - Code from gcc whose variables have location lists (optimized code) is taken
 *   to have no prologue, because location lists are valid from the first
 *   instruction on.
 * - In code from clang the line table marks the row at which the prologue
 *   ends. gdb 13 ignores this mark. It takes the second line of each function,
 *   which in optimized code may be in a loop.
 * - Where the line table of such code has no mark, the prologue is the code of
 *   the function's first line. If the next code has a lower line number, it is
 *   part of the prologue, too, and so on.
 * - In all other code the instructions tell the prologue: [endbr64] push %rbp;
 *   mov %rsp,%rbp is skipped. Nothing is skipped if the function makes no
 *   frame.
 * - If the address that was found is in the middle of the code of a line, it
 *   moves to the end of this code.
 */
#include <string.h>

#include "debuginfo/scopes/scopes.h"
#include "debuginfo/symbols/symbols.h"
#include "lines.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/code_lines.h"

/* What find_pc_line() of gdb would return for an address: its line, and the
 * start and end of the line's code around the address. Line 0: the address has
 * no line. */
struct line_span {
	uint64_t start, end;
	uint32_t line, file;
};

/* Does gdb leave this row of the line table out when it reads the table? */
static bool is_left_out(const struct line_row *row)
{
	return !row->end && (row->repeats || !row->line);
}

static struct line_span span_at(const struct line_table *table,
				uint64_t address)
{
	struct line_span span = {.start = address};
	size_t above, i;

	if (!table)
		return span;
	above = line_table_upper_bound(table, address);
	i = above;
	while (i && is_left_out(&table->rows.data[i - 1]))
		i--;
	if (!i || table->rows.data[i - 1].end)
		return span;
	span.start = table->rows.data[i - 1].address;
	span.line = table->rows.data[i - 1].line;
	span.file = table->rows.data[i - 1].file;
	while (above < table->rows.count &&
	       is_left_out(&table->rows.data[above]))
		above++;
	span.end = above < table->rows.count ? table->rows.data[above].address
					     : UINT64_MAX;
	return span;
}

/* Did gcc compile the unit? The unit's producer is then such as "GNU C17 12.2.0
 * ...". "GNU AS 2.40" is the assembler. */
static bool is_gcc(const struct unit *unit)
{
	return unit->producer && str_starts(unit->producer, "GNU ") &&
	       !str_starts(unit->producer, "GNU AS ");
}

/* Did clang or flang compile the unit? Other words may stand before "clang" in
 * the producer, as in "Debian clang version 14.0.6". */
static bool is_clang(const struct unit *unit)
{
	return unit->producer && (strstr(unit->producer, "clang ") ||
				  str_starts(unit->producer, " F90 Flang "));
}

/* Has any variable of the unit a location list? gdb takes this as the sign of
 * optimized code. */
static bool has_location_lists(struct debugfile *file, struct unit *unit)
{
	struct attribute location;
	struct die_walk walk;

	if (unit->loclists_known)
		return unit->has_loclists;
	unit->loclists_known = true;
	if (!die_walk_unit(&walk, file, unit))
		return false;
	while (!unit->has_loclists && die_walk_next(&walk)) {
		unsigned tag = die_tag(&walk.die);

		if ((tag == DW_TAG_variable ||
		     tag == DW_TAG_formal_parameter) &&
		    die_attribute(file, &walk.die, DW_AT_location, &location) &&
		    (location.class == ATTRIBUTE_OFFSET ||
		     location.class == ATTRIBUTE_INDEX ||
		     location.class == ATTRIBUTE_UNSIGNED))
			unit->has_loclists = true;
	}
	return unit->has_loclists;
}

static bool starts_with(const uint8_t *code, size_t size, const char *bytes,
			size_t length)
{
	return size >= length && memcmp(code, bytes, length) == 0;
}

#define STARTS_WITH(code, size, bytes)                                         \
	starts_with(code, size, bytes, sizeof(bytes) - 1)

/* The length of the code that aligns the stack, if a function begins with such
 * code, as main or a function that uses vectors may: lea 8(%rsp),%r10; and
 * $-16,%rsp; push -8(%r10). 0: the function does not begin with it. */
static size_t stack_align_length(const uint8_t *code, size_t size)
{
	size_t at = 0;
	bool pushed = false;
	uint8_t reg;

	/* A push %reg comes first if the lea uses a register that the callee
	 * must save. The lea then has 16(%rsp). */
	if (size > 0 && code[0] >= 0x50 && code[0] <= 0x57) {
		pushed = true;
		at = 1;
	} else if (size > 1 && code[0] == 0x41 && code[1] >= 0x50 &&
		   code[1] <= 0x57) {
		pushed = true;
		at = 2;
	}
	/* lea: REX.W or REX.WR, 8d, modrm 01 reg 100, sib 24, disp8 */
	if (size < at + 5 || (code[at] & 0xfb) != 0x48 ||
	    code[at + 1] != 0x8d || (code[at + 2] & 0xc7) != 0x44 ||
	    code[at + 3] != 0x24 || code[at + 4] != (pushed ? 16 : 8))
		return 0;
	reg = (uint8_t)((code[at + 2] >> 3 & 7) | (code[at] & 4 ? 8 : 0));
	at += 5;
	/* and $imm,%rsp */
	if (STARTS_WITH(code + at, size - at, "\x48\x83\xe4"))
		at += 4;
	else if (STARTS_WITH(code + at, size - at, "\x48\x81\xe4"))
		at += 7;
	else
		return 0;
	/* push -8(%reg) */
	if (reg >= 8) {
		if (size <= at || code[at] != 0x41)
			return 0;
		at++;
	}
	if (size < at + 3 || code[at] != 0xff ||
	    code[at + 1] != (0x70 | (reg & 7)) || code[at + 2] != 0xf8)
		return 0;
	return at + 3;
}

static uint64_t skip_instructions(const struct debugfile *file,
				  uint64_t address)
{
	uint8_t code[48];
	size_t size = debugfile_read(file, address, code, sizeof(code));
	size_t at = 0;

	if (STARTS_WITH(code, size, "\xf3\x0f\x1e\xfa")) /* endbr64 */
		at = 4;
	at += stack_align_length(code + at, size - at);
	if (STARTS_WITH(code + at, size - at, "\x55\x48\x89\xe5") ||
	    STARTS_WITH(code + at, size - at, "\x55\x48\x8b\xec"))
		return address + at + 4;
	/* The function does not set up %rbp, so there is no prologue. */
	return address;
}

/* Find the row of the function that the compiler has marked as the end of the
 * prologue. The function is from `start` to `end`. 0: there is none. */
static uint64_t marked_end(const struct line_table *table, uint64_t start,
			   uint64_t end)
{
	if (!table || !start)
		return 0;
	for (size_t i = line_table_upper_bound(table, start - 1);
	     i < table->rows.count && table->rows.data[i].address < end; i++)
		if (table->rows.data[i].prologue_end)
			return table->rows.data[i].address;
	return 0;
}

/* Find the end of the prologue by the line table, as gdb's
 * skip_prologue_using_sal() does. The function is from `start` to `end`. 0: the
 * table does not tell. */
static uint64_t skip_lines(struct debugfile *file, struct unit *unit,
			   const struct line_table *table, uint64_t start,
			   uint64_t end)
{
	struct line_span span = span_at(table, start), next;
	size_t first;

	if (!span.line)
		return 0;
	/* If two rows have the function's address, the first row is that of a
	 * prologue without instructions. */
	first = line_table_upper_bound(table, start);
	if (first >= 2 && table->rows.data[first - 1].address == start &&
	    table->rows.data[first - 2].address == start &&
	    !table->rows.data[first - 2].end)
		return start;
	if (span.end >= end)
		return 0;
	while (span.end < end) {
		const struct scopes *scopes = unit_scopes(file, unit);
		uint32_t scope;

		next = span_at(table, span.end);
		if (!next.line || next.line >= span.line ||
		    next.file != span.file)
			break;
		scope = scopes_at(scopes, span.end);
		if (scope != NO_SCOPE && scopes->list.data[scope].inlined)
			break;
		span = next;
	}
	return span.end < end ? span.end : span.start;
}

struct error *debugfile_skip_prologue(struct debugfile *file,
				      const struct function *function,
				      uint64_t *address)
{
	uint64_t start = function->address, size = function->size, at;
	struct unit *unit = unit_at(file, start);
	const struct line_table *table = unit ? unit_lines(file, unit) : NULL;
	struct line_span span;

	if (!file_is_code(file, start))
		return error_create(ERROR_NOT_FOUND, "no code at %#lx", start);
	if (!size) {
		const struct symbol *symbol = symbols_at(file, start);

		size = symbol ? symbol_extent(file, symbol) : 0;
	}
	if (unit && is_gcc(unit) && unit->language != DW_LANG_Mips_Assembler &&
	    has_location_lists(file, unit)) {
		*address = start;
		return NULL;
	}
	if (unit && is_clang(unit)) {
		*address = marked_end(table, start, start + size);
		if (*address)
			return NULL;
	}
	at = skip_instructions(file, start);
	if (unit && is_clang(unit)) {
		uint64_t by_line =
			skip_lines(file, unit, table, start, start + size);

		if (by_line)
			at = by_line;
	}
	span = span_at(table, at);
	if (span.line && span.start != at && start <= span.end &&
	    span.end < start + size)
		at = span.end;
	*address = at;
	return NULL;
}
