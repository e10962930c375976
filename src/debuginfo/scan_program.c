/*
 * scan_program.c - see scan_program.h
 *
 * Most DIEs are passed without a program: their values are so many bytes, or
 * say where what follows their children is. Where a value is that matters is
 * marked in passing; values.c reads it, as all else.
 */
#include "scan_program.h"

#include <string.h>

#include "perftool/base/alloc.h"

#define NAMING (BIT(WHAT_NAME) | BIT(WHAT_ORIGIN) | BIT(WHAT_SPECIFICATION))

/* What is done behind the `skip` bytes that each step begins with. */
enum step_kind {
	STEP_END,
	STEP_NOTHING,
	STEP_LEB,
	STEP_STRING,
	STEP_BLOCK, /* its size comes first, in `number` bytes; 0: as LEB128 */
	STEP_VALUE, /* attribute `number`: as die.c does it */
	STEP_MARK,  /* what comes next is `what`, attribute `number` */
};

struct scan_step {
	uint16_t skip;
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

/* + 1; 0: nothing that matters. A table, for each unit has thousands. */
static const uint8_t whats[] = {
	[DW_AT_sibling] = WHAT_SIBLING + 1,
	[DW_AT_name] = WHAT_NAME + 1,
	[DW_AT_linkage_name] = WHAT_LINKAGE + 1,
	[DW_AT_abstract_origin] = WHAT_ORIGIN + 1,
	[DW_AT_specification] = WHAT_SPECIFICATION + 1,
	[DW_AT_entry_pc] = WHAT_ENTRY + 1,
	[DW_AT_low_pc] = WHAT_LOW + 1,
	[DW_AT_high_pc] = WHAT_HIGH + 1,
	[DW_AT_ranges] = WHAT_RANGES + 1,
	[DW_AT_declaration] = WHAT_DECLARATION + 1,
	[DW_AT_external] = WHAT_EXTERNAL + 1,
	[DW_AT_location] = WHAT_LOCATION + 1,
	[DW_AT_const_value] = WHAT_CONST + 1,
	[DW_AT_import] = WHAT_IMPORT + 1,
};

/* WHAT_COUNT: nothing that matters. */
static enum what what_of(unsigned attribute)
{
	if (attribute < sizeof(whats) && whats[attribute])
		return (enum what)(whats[attribute] - 1);
	return attribute == DW_AT_MIPS_linkage_name ? WHAT_OLD_LINKAGE
						    : WHAT_COUNT;
}

/* ---- abbreviations as programs -------------------------------------------
 */

/* Steps that are being made. */
struct maker {
	struct scan_table *table;
	unsigned skip; /* bytes that lie before the next one */
};

static void add_step(struct maker *maker, enum step_kind kind, enum what what,
		     unsigned number)
{
	struct scan_step step = {(uint16_t)maker->skip, (uint8_t)kind,
				 (uint8_t)what, (uint16_t)number};

	vec_push(&maker->table->steps, step);
	maker->skip = 0;
}

/* Step over a value. */
static void add_form(struct maker *maker, const struct attribute_spec *spec,
		     unsigned number)
{
	int size = form_size(spec->form, maker->table->offset_size);

	if (size >= 0) {
		maker->skip += (unsigned)size;
		if (maker->skip > UINT16_MAX / 2)
			add_step(maker, STEP_NOTHING, 0, 0);
		return;
	}
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
		add_step(maker, STEP_LEB, 0, 0);
		return;
	case DW_FORM_string:
		add_step(maker, STEP_STRING, 0, 0);
		return;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		add_step(maker, STEP_BLOCK, 0, 0);
		return;
	case DW_FORM_block1:
		add_step(maker, STEP_BLOCK, 0, 1);
		return;
	default:
		add_step(maker, STEP_VALUE, 0, number);
		return;
	}
}

static const struct attribute_spec *specs_of(const struct scan_table *table,
					     const struct abbrev *abbrev)
{
	return table->abbrevs->specs.data + abbrev->first_spec;
}

/* The steps of an abbreviation that mark `wanted`; returns the first one. */
static uint32_t add_steps(struct scan_table *table, const struct abbrev *abbrev,
			  unsigned wanted, uint16_t *has)
{
	const struct attribute_spec *specs = specs_of(table, abbrev);
	struct maker maker = {.table = table};
	size_t first = table->steps.count;
	unsigned marked = 0;

	for (uint32_t i = 0; i < abbrev->spec_count; i++) {
		enum what what = what_of(specs[i].name);

		if (wanted & ~marked & BIT(what)) {
			marked |= BIT(what);
			add_step(&maker, STEP_MARK, what, i);
		}
		add_form(&maker, &specs[i], i);
	}
	add_step(&maker, STEP_END, 0, 0);
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

static bool is_declaration(const struct scan_table *table,
			   const struct abbrev *abbrev)
{
	const struct attribute_spec *specs = specs_of(table, abbrev);

	for (uint32_t i = 0; i < abbrev->spec_count; i++)
		if (specs[i].name == DW_AT_declaration &&
		    specs[i].form == DW_FORM_flag_present)
			return true;
	return false;
}

/* As other compilers than gcc and clang write it, it is read by steps. */
static uint16_t place_of_sibling(const struct scan_table *table,
				 const struct abbrev *abbrev)
{
	const struct attribute_spec *specs = specs_of(table, abbrev);
	unsigned place = 0;

	for (uint32_t i = 0; i < abbrev->spec_count && place < NO_SIZE; i++) {
		int size = form_size(specs[i].form, table->offset_size);

		if (specs[i].name == DW_AT_sibling)
			return specs[i].form == DW_FORM_ref4 ? (uint16_t)place
							     : NO_SIZE;
		if (size < 0)
			break;
		place += (unsigned)size;
	}
	return NO_SIZE;
}

static uint16_t size_of(const struct scan_table *table,
			const struct abbrev *abbrev)
{
	return table->offset_size == 4 && abbrev->fixed_size >= 0 &&
			       abbrev->fixed_size < NO_SIZE
		       ? (uint16_t)abbrev->fixed_size
		       : NO_SIZE;
}

/* What can be found below such DIEs. */
static unsigned enters_of(const struct scan_table *table,
			  const struct abbrev *abbrev)
{
	unsigned tag = abbrev->tag, enters = 0;

	if (!abbrev->has_children)
		return 0;
	/* a function that is declared has no code below it */
	if (holds_functions(tag) &&
	    (tag != DW_TAG_subprogram || !is_declaration(table, abbrev)))
		enters |= LOOK_CODE;
	if (is_type_scope(tag))
		enters |= LOOK_TYPES;
	if (tag == DW_TAG_namespace)
		enters |= LOOK_VARIABLES;
	return enters;
}

static void make_program(struct scan_table *table, const struct abbrev *abbrev)
{
	unsigned sibling = abbrev->has_children ? BIT(WHAT_SIBLING) : 0;
	unsigned wanted = wanted_of(abbrev->tag);
	struct scan_program program = {
		.first_spec = abbrev->first_spec,
		.tag = abbrev->tag,
		.size = size_of(table, abbrev),
		.sibling = sibling ? place_of_sibling(table, abbrev) : NO_SIZE,
		.is = (uint8_t)look_for(abbrev->tag),
		.enters = (uint8_t)enters_of(table, abbrev),
		.has_children = abbrev->has_children,
	};

	program.steps =
		add_steps(table, abbrev, wanted | sibling, &program.has);
	vec_push(&table->programs, program);
}

static void make_programs(struct scan_table *table)
{
	table->programs.count = table->steps.count = 0;
	for (size_t i = 0; i < table->abbrevs->abbrevs.count; i++)
		make_program(table, &table->abbrevs->abbrevs.data[i]);
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

/* Of the DIE at the cursor; NULL: it is the end of a list of siblings. False:
 * the unit ends. */
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

/* The values of a DIE whose program is known. */
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

/* Go past the values of a DIE, and what is below it, if it says how many bytes
 * that takes. */
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

/* A value in one of the forms that nearly all are written in; they are within
 * the unit, for they were stepped over. */
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

/* Where what follows it and its children is; 0: that has to be found out. */
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
