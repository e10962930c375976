/*
 * scan_table.c - makes scan programs from abbreviations; see scan_program.h
 *
 * A scan keeps the tables that the last units used, since the next units may
 * have the same abbreviations.
 */
#include "scan_table.h"

#include "perftool/base/alloc.h"

#define NAMING (BIT(WHAT_NAME) | BIT(WHAT_ORIGIN) | BIT(WHAT_SPECIFICATION))

#define TABLES 8

/* For each attribute (DW_AT_...): its number in enum what, + 1; 0: a scan does
 * not need the attribute. A table is faster than a switch, and the lookup is
 * done thousands of times for each unit. */
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

/* The result is WHAT_COUNT if a scan does not need the attribute. */
static enum what what_of(unsigned attribute)
{
	if (attribute < sizeof(whats) && whats[attribute])
		return (enum what)(whats[attribute] - 1);
	return attribute == DW_AT_MIPS_linkage_name ? WHAT_OLD_LINKAGE
						    : WHAT_COUNT;
}

/* ---- abbreviations as programs ------------------------------------------- */

/* The state while the steps of a program are made. */
struct maker {
	struct scan_table *table;
	unsigned skip; /* how many bytes the next step must skip first */
};

static void add_step(struct maker *maker, enum step_kind kind, enum what what,
		     unsigned number)
{
	struct scan_step step = {(uint16_t)maker->skip, (uint8_t)kind,
				 (uint8_t)what, (uint16_t)number};

	vec_push(&maker->table->steps, step);
	maker->skip = 0;
}

/* Add a step that skips a value, or let the next step skip it if its size is
 * known. `number` is the number of the attribute in its abbreviation. */
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
	/* If there are no attributes, the data pointer may be NULL, with which
	 * C does not allow arithmetic. */
	return abbrev->spec_count
		       ? table->abbrevs->specs.data + abbrev->first_spec
		       : NULL;
}

/* Add the steps for an abbreviation. They mark the values of the attributes in
 * `wanted` (BIT()s); *has gets the attributes that the abbreviation has of
 * these. The result is the index of the first step. */
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

/* How many bytes behind the first value the value of DW_AT_sibling is, if it
 * has the form that gcc and clang use (DW_FORM_ref4). NO_SIZE: the place varies
 * from DIE to DIE, or the form is another one, so a step must mark the value;
 * or there is no DW_AT_sibling. */
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

/* What can be below DIEs with this abbreviation (LOOK_ bits). */
static unsigned enters_of(const struct scan_table *table,
			  const struct abbrev *abbrev)
{
	unsigned tag = abbrev->tag, enters = 0;

	if (!abbrev->has_children)
		return 0;
	/* A function's declaration has no inlined calls below it. */
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

/* Subtract `size` from the budget for abbreviations that all threads share.
 * False: the budget is spent. This happens with broken files. It also happens
 * if units with the same abbreviations have many other units between them, so
 * that their table is read again and again. */
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
		/* struct source owns this table, and abbrev_budget in struct
		 * dwarf limits its size. */
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
