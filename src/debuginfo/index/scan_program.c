/*
 * scan_program.c - runs scan programs and steps over DIEs; see scan_program.h
 *
 * The scan skips most DIEs without running their program: either the size of
 * all values is known, or DW_AT_sibling says where the first DIE behind the
 * children is. A program only marks the places of the values that a scan needs.
 * attribute.c reads these values, as it does for all other readers of DIEs.
 */
#include <string.h>

#include "scan_table.h"

static const struct attribute_spec *spec_of(const struct scan *scan,
					    const struct scan_program *program,
					    unsigned number)
{
	return &scan->table->abbrevs->specs.data[program->first_spec + number];
}

/* Run the steps of a program, from step number `steps` of the table on. The
 * caller has set out->program. False: the unit ends within the values. */
static bool run(struct scan *scan, struct cursor *cursor, uint32_t steps,
		struct scanned *out)
{
	const struct scan_step *step = scan->table->steps.data + steps;
	struct attribute ignored;
	uint64_t size;

	for (;; step++) {
		if (step->skip > cursor_left(cursor))
			return false;
		cursor->at += step->skip;
		switch (step->kind) {
		case STEP_NOTHING:
			break;
		case STEP_LEB:
			do {
				if (cursor->at == cursor->end)
					return false;
			} while (*cursor->at++ & 0x80);
			break;
		case STEP_STRING:
			cursor_string(cursor);
			break;
		case STEP_BLOCK:
			if (cursor->at == cursor->end)
				return false;
			if (step->number || *cursor->at < 0x80)
				size = *cursor->at++;
			else
				size = cursor_uleb(cursor);
			if (size > cursor_left(cursor))
				return false;
			cursor->at += size;
			break;
		case STEP_VALUE:
			unit_read_value(
				scan->file, scan->unit, cursor,
				spec_of(scan, out->program, step->number),
				false, &ignored);
			break;
		case STEP_MARK:
			out->found[step->what] = cursor->at;
			out->number[step->what] = step->number;
			break;
		default: /* STEP_END */
			return !cursor->failed;
		}
	}
}

/* Read the abbreviation code of the DIE at the cursor, and find the program for
 * it. `*out` is NULL if the cursor is at the end of a list of siblings. False:
 * the unit ends here, or there is no such abbreviation. */
static inline bool next_program(const struct scan_table *table,
				struct cursor *cursor,
				const struct scan_program **out)
{
	const struct abbrev_table *abbrevs = table->abbrevs;
	uint64_t code = cursor_uleb(cursor);
	const struct abbrev *abbrev;

	*out = NULL;
	if (!code)
		return !cursor->failed;
	abbrev = abbrev_find(abbrevs, code);
	if (!abbrev)
		return false;
	*out = &table->programs.data[abbrev - abbrevs->abbrevs.data];
	return true;
}

/* Step over the values of a DIE with this program; NULL is the end of a list of
 * siblings, which has no values. */
static bool step_over_values(struct scan *scan, struct cursor *cursor,
			     const struct scan_program *program,
			     struct scanned *out)
{
	out->program = program;
	if (!program)
		return true;
	out->has = program->has;
	return run(scan, cursor, program->steps, out);
}

bool scan_step_over(struct scan *scan, struct cursor *cursor,
		    struct scanned *out)
{
	const struct scan_program *program;

	return next_program(scan->table, cursor, &program) &&
	       step_over_values(scan, cursor, program, out);
}

/* Skip the values of a DIE, and its children, without running its program.
 * False: how many bytes they have is known neither from the abbreviation nor
 * from DW_AT_sibling; the cursor has not moved. */
static inline bool pass_at_once(const struct unit *unit, struct cursor *cursor,
				const struct scan_program *program)
{
	size_t left = cursor_left(cursor);
	const uint8_t *place;
	uint32_t sibling;

	if (!program->has_children) {
		if (program->size == NO_SIZE || program->size > left)
			return false;
		cursor->at += program->size;
		return true;
	}
	if (program->sibling == NO_SIZE ||
	    program->sibling + sizeof(sibling) > left)
		return false;
	place = cursor->at + program->sibling;
	memcpy(&sibling, place, sizeof(sibling));
	if (sibling <= (size_t)(place - unit->data) ||
	    sibling > unit->end - unit->offset)
		return false;
	cursor->at = unit->data + sibling;
	return true;
}

bool scan_find(struct scan *scan, struct cursor *cursor, unsigned look,
	       uint64_t *offset, struct scanned *out)
{
	const struct scan_table *table = scan->table;
	const struct unit *unit = scan->unit;
	const struct scan_program *program;

	for (;;) {
		const uint8_t *at = cursor->at;

		if (!next_program(table, cursor, &program))
			return false;
		if (!program || (program->is | program->enters) & look) {
			*offset = unit->offset + (uint64_t)(at - unit->data);
			return step_over_values(scan, cursor, program, out);
		}
		if (pass_at_once(unit, cursor, program))
			continue;
		if (!step_over_values(scan, cursor, program, out) ||
		    (program->has_children &&
		     !scan_skip_children(scan, cursor, out)))
			return false;
	}
}

/* Read a value in one of the most frequent forms. False: the value has another
 * form. The value ends before the end of the unit, since the scan has already
 * skipped it. */
static inline bool read_usual(const struct unit *unit, unsigned form,
			      const uint8_t *at, struct attribute *out)
{
	uint64_t wide;
	uint32_t number;

	switch (form) {
	case DW_FORM_ref4:
		memcpy(&number, at, sizeof(number));
		*out = (struct attribute){.class = ATTRIBUTE_DIE,
					  .number = unit->offset + number};
		return true;
	case DW_FORM_addr:
	case DW_FORM_data8:
		memcpy(&wide, at, sizeof(wide));
		*out = (struct attribute){.class = form == DW_FORM_addr
							   ? ATTRIBUTE_ADDRESS
							   : ATTRIBUTE_UNSIGNED,
					  .number = wide};
		return true;
	default:
		return false;
	}
}

bool scan_value(const struct scan *scan, const struct scanned *scanned,
		enum what what, struct attribute *out)
{
	struct cursor cursor = {scanned->found[what],
				scan->unit->data +
					(scan->unit->end - scan->unit->offset),
				false};

	const struct attribute_spec *spec;

	if (!(scanned->has & BIT(what)))
		return false;
	spec = spec_of(scan, scanned->program, scanned->number[what]);
	if (read_usual(scan->unit, spec->form, cursor.at, out))
		return true;
	unit_read_value(scan->file, scan->unit, &cursor, spec, true, out);
	return out->class != ATTRIBUTE_NONE;
}

const char *scan_string(const struct scan *scan, const struct scanned *scanned,
			enum what what)
{
	struct attribute attribute;

	return scan_value(scan, scanned, what, &attribute) &&
			       attribute.class == ATTRIBUTE_STRING
		       ? attribute.string
		       : NULL;
}

struct cursor scan_cursor(const struct unit *unit, uint64_t offset)
{
	struct bytes bytes = {unit->data, unit->end - unit->offset};

	return cursor_at(bytes, offset - unit->offset);
}

/* The offset of the first DIE behind the children of this DIE (DW_AT_sibling);
 * 0: the DIE does not have this attribute, so the scan must step over each
 * child. */
static uint64_t sibling_of(const struct scan *scan,
			   const struct scanned *scanned)
{
	struct attribute sibling;

	return scan_value(scan, scanned, WHAT_SIBLING, &sibling) &&
			       sibling.class == ATTRIBUTE_DIE
		       ? sibling.number
		       : 0;
}

bool scan_skip_children(struct scan *scan, struct cursor *cursor,
			const struct scanned *parent)
{
	const struct unit *unit = scan->unit;
	struct scanned scanned;
	size_t depth = 1;
	uint64_t place = unit->offset + (uint64_t)(cursor->at - unit->data);
	uint64_t sibling = sibling_of(scan, parent);

	if (sibling > place && sibling <= unit->end) {
		*cursor = scan_cursor(unit, sibling);
		return true;
	}
	while (depth) {
		if (!scan_step_over(scan, cursor, &scanned))
			return false;
		if (!scanned.program)
			depth--;
		else if (scanned.program->has_children)
			depth++;
	}
	return true;
}
