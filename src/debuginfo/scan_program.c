/*
 * scan_program.c - see scan_program.h
 *
 * Most programs are one step long: skip so many bytes. Where a value is that
 * matters is marked in passing; die.c reads it, as all else.
 */
#include "scan_program.h"

#include <string.h>

#include "perftool/base/alloc.h"

#define NAMING (BIT(WHAT_NAME) | BIT(WHAT_ORIGIN) | BIT(WHAT_SPECIFICATION))

enum step_kind {
	STEP_END,
	STEP_SKIP, /* `number` bytes */
	STEP_LEB,
	STEP_STRING,
	STEP_BLOCK, /* its size comes first, in `number` bytes; 0: as LEB128 */
	STEP_VALUE, /* attribute `number`: as die.c does it */
	STEP_MARK,  /* what comes next is `what`, attribute `number` */
};

struct scan_step {
	uint8_t kind, what;
	uint16_t number;
};

/* Abbreviations as programs. Units may share them, some of them by turns. */
struct scan_table {
	const struct source *source;
	uint64_t offset; /* NO_OFFSET: none */
	uint8_t offset_size;
	bool owned;
	const struct abbrev_table *abbrevs;
	VEC(struct scan_program) programs; /* one for each */
	VEC(struct scan_step) steps;
};

#define TABLES 8

/* WHAT_COUNT: nothing that matters. */
static enum what what_of(unsigned attribute)
{
	switch (attribute) {
	case DW_AT_sibling:
		return WHAT_SIBLING;
	case DW_AT_name:
		return WHAT_NAME;
	case DW_AT_linkage_name:
		return WHAT_LINKAGE;
	case DW_AT_MIPS_linkage_name:
		return WHAT_OLD_LINKAGE;
	case DW_AT_abstract_origin:
		return WHAT_ORIGIN;
	case DW_AT_specification:
		return WHAT_SPECIFICATION;
	case DW_AT_entry_pc:
		return WHAT_ENTRY;
	case DW_AT_low_pc:
		return WHAT_LOW;
	case DW_AT_high_pc:
		return WHAT_HIGH;
	case DW_AT_ranges:
		return WHAT_RANGES;
	case DW_AT_declaration:
		return WHAT_DECLARATION;
	case DW_AT_external:
		return WHAT_EXTERNAL;
	case DW_AT_location:
		return WHAT_LOCATION;
	case DW_AT_const_value:
		return WHAT_CONST;
	case DW_AT_import:
		return WHAT_IMPORT;
	default:
		return WHAT_COUNT;
	}
}

/* ---- abbreviations as programs -------------------------------------------
 */

static void add_step(struct scan_table *table, enum step_kind kind,
		     enum what what, unsigned number)
{
	struct scan_step step = {(uint8_t)kind, (uint8_t)what,
				 (uint16_t)number};

	vec_push(&table->steps, step);
}

/* Step over a value. */
static void add_form(struct scan_table *table,
		     const struct attribute_spec *spec, unsigned number,
		     size_t first)
{
	int size = form_size(spec->form, table->offset_size);
	struct scan_step *last;

	switch (spec->form) {
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_ref_udata:
	case DW_FORM_GNU_str_index:
	case DW_FORM_GNU_addr_index:
		add_step(table, STEP_LEB, 0, 0);
		return;
	case DW_FORM_string:
		add_step(table, STEP_STRING, 0, 0);
		return;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		add_step(table, STEP_BLOCK, 0, 0);
		return;
	case DW_FORM_block1:
		add_step(table, STEP_BLOCK, 0, 1);
		return;
	default:
		break;
	}
	if (size < 0) {
		add_step(table, STEP_VALUE, 0, number);
		return;
	}
	last = table->steps.count > first
		       ? &table->steps.data[table->steps.count - 1]
		       : NULL;
	if (last && last->kind == STEP_SKIP && last->number < UINT16_MAX - 16)
		last->number = (uint16_t)(last->number + size);
	else if (size)
		add_step(table, STEP_SKIP, 0, (unsigned)size);
}

/* The steps of an abbreviation that mark `wanted`; returns the first one. */
static uint32_t add_steps(struct scan_table *table, const struct abbrev *abbrev,
			  unsigned wanted, uint16_t *has)
{
	size_t first = table->steps.count;
	unsigned marked = 0;

	for (uint32_t i = 0; i < abbrev->spec_count; i++) {
		const struct attribute_spec *spec =
			&table->abbrevs->specs.data[abbrev->first_spec + i];
		enum what what = what_of(spec->name);

		if (wanted & ~marked & BIT(what)) {
			marked |= BIT(what);
			add_step(table, STEP_MARK, what, i);
		}
		add_form(table, spec, i, first);
	}
	add_step(table, STEP_END, 0, 0);
	*has = (uint16_t)marked;
	return (uint32_t)first;
}

static unsigned wanted_of(unsigned tag)
{
	switch (tag) {
	case DW_TAG_inlined_subroutine:
		return BIT(WHAT_ORIGIN) | BIT(WHAT_ENTRY) | BIT(WHAT_LOW) |
		       BIT(WHAT_HIGH) | BIT(WHAT_RANGES);
	case DW_TAG_subprogram:
		return NAMING | BIT(WHAT_LINKAGE) | BIT(WHAT_OLD_LINKAGE);
	case DW_TAG_variable:
	case DW_TAG_member:
		return NAMING | BIT(WHAT_EXTERNAL) | BIT(WHAT_LOCATION) |
		       BIT(WHAT_CONST);
	case DW_TAG_imported_unit:
		return BIT(WHAT_IMPORT);
	default:
		return is_named_type(tag) || is_type_scope(tag)
			       ? NAMING | BIT(WHAT_DECLARATION)
			       : 0;
	}
}

static unsigned look_for(unsigned tag)
{
	if (tag == DW_TAG_inlined_subroutine)
		return LOOK_CODE;
	if (tag == DW_TAG_variable)
		return LOOK_VARIABLES;
	if (tag == DW_TAG_imported_unit)
		return LOOK_IMPORTS;
	return is_named_type(tag) || is_type_scope(tag) ? LOOK_TYPES : 0;
}

/* How many bytes the steps skip, if they do nothing else; or NO_SIZE. */
static uint16_t size_of(const struct scan_step *steps)
{
	if (steps->kind == STEP_END)
		return 0;
	return steps[0].kind == STEP_SKIP && steps[1].kind == STEP_END
		       ? steps->number
		       : NO_SIZE;
}

static bool is_declaration(const struct scan_table *table,
			   const struct abbrev *abbrev)
{
	for (uint32_t i = 0; i < abbrev->spec_count; i++) {
		const struct attribute_spec *spec =
			&table->abbrevs->specs.data[abbrev->first_spec + i];

		if (spec->name == DW_AT_declaration &&
		    spec->form == DW_FORM_flag_present)
			return true;
	}
	return false;
}

/* Of tens of millions of DIEs the sibling is looked for: in this form only, but
 * for what no compiler writes. */
static bool has_near_sibling(const struct scan_table *table,
			     const struct abbrev *abbrev)
{
	for (uint32_t i = 0; i < abbrev->spec_count; i++) {
		const struct attribute_spec *spec =
			&table->abbrevs->specs.data[abbrev->first_spec + i];

		if (spec->name == DW_AT_sibling)
			return spec->form == DW_FORM_ref4;
	}
	return false;
}

static void make_programs(struct scan_table *table)
{
	table->programs.count = table->steps.count = 0;
	for (size_t i = 0; i < table->abbrevs->abbrevs.count; i++) {
		const struct abbrev *abbrev = &table->abbrevs->abbrevs.data[i];
		unsigned wanted = wanted_of(abbrev->tag);
		unsigned sibling = abbrev->has_children ? BIT(WHAT_SIBLING) : 0;
		struct scan_program program = {
			.first_spec = abbrev->first_spec,
			.tag = abbrev->tag,
			.is = (uint8_t)(LOOK_ANY | look_for(abbrev->tag)),
			.has_children = abbrev->has_children,
			.near_sibling = has_near_sibling(table, abbrev),
		};

		/* a function that is declared has no code below it */
		if (holds_functions(abbrev->tag) &&
		    (abbrev->tag != DW_TAG_subprogram ||
		     !is_declaration(table, abbrev)))
			program.enters |= LOOK_CODE;
		if (is_type_scope(abbrev->tag))
			program.enters |= LOOK_TYPES;
		if (abbrev->tag == DW_TAG_namespace)
			program.enters |= LOOK_VARIABLES;
		program.pass = add_steps(table, abbrev, sibling, &program.has);
		program.size = size_of(&table->steps.data[program.pass]);
		if (wanted)
			program.read = add_steps(
				table, abbrev, wanted | sibling, &program.has);
		else
			program.read = program.pass;
		vec_push(&table->programs, program);
	}
}

static void clear_table(struct scan_table *table)
{
	if (table->owned)
		abbrev_table_destroy((struct abbrev_table *)table->abbrevs);
	table->owned = false;
	table->abbrevs = NULL;
	table->offset = NO_OFFSET;
}

/* Take `size` off the budget for all. False: it is spent; nobody but broken
 * files, and units that share a lot by turns, do that. */
static bool spend(struct scan_shared *shared, uint64_t size)
{
	bool enough;

	pthread_mutex_lock(&shared->lock);
	enough = size <= shared->abbrev_budget;
	shared->abbrev_budget -= enough ? size : shared->abbrev_budget;
	pthread_mutex_unlock(&shared->lock);
	return enough;
}

static enum table_state read_table(struct scan *scan, struct scan_table *table)
{
	const struct unit *unit = scan->unit;
	uint64_t size;

	clear_table(table);
	if (!spend(scan->shared, 1))
		return scan->alone ? TABLE_BAD : TABLE_LATER;
	if (scan->alone) {
		/* the file keeps it, and knows its bounds */
		table->abbrevs = unit->abbrevs;
		size = unit->abbrevs->specs.count;
	} else {
		table->abbrevs = abbrev_table_read(
			unit_section(unit, SECTION_ABBREV), unit->abbrev_offset,
			UINT64_MAX, &size);
		table->owned = table->abbrevs != NULL;
	}
	if (!table->abbrevs)
		return TABLE_BAD;
	if (!spend(scan->shared, size)) {
		clear_table(table);
		return scan->alone ? TABLE_BAD : TABLE_LATER;
	}
	table->source = unit->source;
	table->offset = unit->abbrev_offset;
	table->offset_size = unit->offset_size;
	make_programs(table);
	return TABLE_GOOD;
}

enum table_state scan_find_table(struct scan *scan)
{
	const struct unit *unit = scan->unit;

	if (!scan->tables) {
		scan->tables = xcalloc(TABLES, sizeof(*scan->tables));
		for (size_t i = 0; i < TABLES; i++)
			scan->tables[i].offset = NO_OFFSET;
	}
	for (size_t i = 0; i < TABLES; i++) {
		scan->table = &scan->tables[i];
		if (scan->table->source == unit->source &&
		    scan->table->offset == unit->abbrev_offset &&
		    scan->table->offset_size == unit->offset_size)
			return TABLE_GOOD;
	}
	scan->table = &scan->tables[scan->oldest_table++ % TABLES];
	return read_table(scan, scan->table);
}

/* ---- stepping over DIEs ----------------------------------------------------
 */

static const struct attribute_spec *spec_of(const struct scan *scan,
					    const struct scan_program *program,
					    unsigned number)
{
	return &scan->table->abbrevs->specs.data[program->first_spec + number];
}

/* From `steps` on; false: the unit ends here. */
static bool run(struct scan *scan, struct cursor *cursor, uint32_t steps,
		struct scanned *out)
{
	const struct scan_step *step = scan->table->steps.data + steps;
	struct attribute ignored;
	uint64_t size;

	for (;; step++) {
		switch (step->kind) {
		case STEP_SKIP:
			if (step->number > cursor_left(cursor))
				return false;
			cursor->at += step->number;
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

bool scan_step_over(struct scan *scan, struct cursor *cursor, unsigned look,
		    struct scanned *out)
{
	const struct scan_table *table = scan->table;
	const struct scan_program *program;
	const struct abbrev *abbrev;
	uint64_t code;

	code = cursor_uleb(cursor);
	out->program = NULL;
	if (!code)
		return !cursor->failed;
	abbrev = abbrev_find(table->abbrevs, code);
	if (!abbrev)
		return false;
	program = &table->programs.data[abbrev - table->abbrevs->abbrevs.data];
	out->program = program;
	if (program->is & look) {
		out->has = program->has;
		return run(scan, cursor, program->read, out);
	}
	out->has = program->has & BIT(WHAT_SIBLING);
	if (program->size > cursor_left(cursor) || program->size == NO_SIZE)
		return run(scan, cursor, program->pass, out);
	cursor->at += program->size;
	return true;
}

bool scan_value(const struct scan *scan, const struct scanned *scanned,
		enum what what, struct attribute *out)
{
	struct cursor cursor = {scanned->found[what],
				scan->unit->data +
					(scan->unit->end - scan->unit->offset),
				false};

	if (!(scanned->has & BIT(what)))
		return false;
	unit_read_value(scan->file, scan->unit, &cursor,
			spec_of(scan, scanned->program, scanned->number[what]),
			true, out);
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

/* Where what follows it and its children is; 0: that has to be found out. */
static uint64_t sibling_of(const struct scan *scan,
			   const struct scanned *scanned)
{
	struct attribute sibling;
	uint32_t near;

	/* its bytes were gone past, so that they are there */
	if (scanned->program->near_sibling) {
		memcpy(&near, scanned->found[WHAT_SIBLING], sizeof(near));
		return scan->unit->offset + near;
	}
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
		if (!scan_step_over(scan, cursor, 0, &scanned))
			return false;
		if (!scanned.program)
			depth--;
		else if (scanned.program->has_children)
			depth++;
	}
	return true;
}

const struct abbrev_table *scan_abbrevs(const struct scan *scan)
{
	return scan->table->abbrevs;
}

void scan_clear_tables(struct scan *scan)
{
	for (size_t i = 0; scan->tables && i < TABLES; i++) {
		clear_table(&scan->tables[i]);
		vec_free(&scan->tables[i].programs);
		vec_free(&scan->tables[i].steps);
	}
	free(scan->tables);
	scan->tables = NULL;
}
