/*
 * scan.c - see scan.h
 *
 * Every abbreviation is made a short program first, that steps over a DIE and
 * marks where the few values are that matter; most are one step long. What is
 * marked is read by die.c as all else is.
 */
#include "scan.h"

#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

#define MAX_DEPTH 1024 /* as die.c has them */
#define MAX_HOPS 16

enum what {
	WHAT_SIBLING,
	WHAT_NAME,
	WHAT_LINKAGE,
	WHAT_OLD_LINKAGE,
	WHAT_ORIGIN,
	WHAT_SPECIFICATION,
	WHAT_ENTRY,
	WHAT_LOW,
	WHAT_HIGH,
	WHAT_RANGES,
	WHAT_DECLARATION,
	WHAT_EXTERNAL,
	WHAT_LOCATION,
	WHAT_CONST,
	WHAT_COUNT,
};

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
	default:
		return WHAT_COUNT;
	}
}

#define BIT(what) (1U << (what))
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

/* What is done with the DIEs of an abbreviation. */
enum interest {
	INTEREST_NONE,
	INTEREST_CALL,
	INTEREST_NAMED, /* a type or a namespace */
	INTEREST_VARIABLE,
};

struct scan_program {
	uint32_t first_spec;
	uint32_t pass, read; /* steps: to the sibling only; to all it has */
	uint16_t has;        /* bits of what is marked when it is read */
	uint16_t tag;
	uint8_t interest, enters; /* what is looked for below */
	bool has_children;
};

/* Abbreviations as programs. Units may share them, some of them by turns. */
struct scan_table {
	uint64_t offset; /* NO_OFFSET: none */
	uint8_t offset_size;
	bool owned;
	const struct abbrev_table *abbrevs;
	VEC(struct scan_program) programs; /* one for each */
	VEC(struct scan_step) steps;
};

#define TABLES 8

/* What is looked for. */
#define LOOK_CODE 1
#define LOOK_TYPES 2
#define LOOK_VARIABLES 4

struct scan_frame {
	uint64_t path; /* hash of the scopes */
	uint8_t look;
};

/* A DIE that has been stepped over. */
struct scanned {
	const struct scan_program *program;
	const uint8_t *found[WHAT_COUNT]; /* where the values are */
	uint16_t number[WHAT_COUNT];      /* of the attribute */
	uint16_t has;                     /* bits of those there */
};

/* ---- what DIEs are -------------------------------------------------------
 */

bool is_named_type(unsigned tag)
{
	switch (tag) {
	case DW_TAG_base_type:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_typedef:
	case DW_TAG_unspecified_type:
		return true;
	default:
		return false;
	}
}

bool is_type_scope(unsigned tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_class_type || tag == DW_TAG_interface_type ||
	       tag == DW_TAG_union_type || tag == DW_TAG_module;
}

bool holds_functions(unsigned tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_namespace:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_module:
		return true;
	default:
		return false;
	}
}

uint64_t scan_hash(uint64_t hash, const char *text)
{
	for (; *text; text++) {
		hash ^= (unsigned char)*text;
		hash *= 0x100000001b3ULL; /* FNV-1a */
	}
	return hash;
}

uint32_t scan_hash_end(uint64_t hash)
{
	return (uint32_t)(hash ^ hash >> 32);
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
	const struct attribute_spec *specs =
		table->abbrevs->specs.data + abbrev->first_spec;
	size_t first = table->steps.count;
	unsigned marked = 0;

	for (uint32_t i = 0; i < abbrev->spec_count; i++) {
		enum what what = what_of(specs[i].name);

		if (wanted & ~marked & BIT(what)) {
			marked |= BIT(what);
			add_step(table, STEP_MARK, what, i);
		}
		add_form(table, &specs[i], i, first);
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
	default:
		return is_named_type(tag) || is_type_scope(tag)
			       ? NAMING | BIT(WHAT_DECLARATION)
			       : 0;
	}
}

static enum interest interest_of(unsigned tag)
{
	if (tag == DW_TAG_inlined_subroutine)
		return INTEREST_CALL;
	if (tag == DW_TAG_variable)
		return INTEREST_VARIABLE;
	return is_named_type(tag) || is_type_scope(tag) ? INTEREST_NAMED
							: INTEREST_NONE;
}

static void make_programs(struct scan_table *table)
{
	table->programs.count = table->steps.count = 0;
	for (size_t i = 0; i < table->abbrevs->abbrevs.count; i++) {
		const struct abbrev *abbrev = &table->abbrevs->abbrevs.data[i];
		unsigned wanted = wanted_of(abbrev->tag);
		struct scan_program program = {
			.first_spec = abbrev->first_spec,
			.tag = abbrev->tag,
			.interest = (uint8_t)interest_of(abbrev->tag),
			.has_children = abbrev->has_children,
		};

		if (holds_functions(abbrev->tag))
			program.enters |= LOOK_CODE;
		if (is_type_scope(abbrev->tag))
			program.enters |= LOOK_TYPES;
		if (abbrev->tag == DW_TAG_namespace)
			program.enters |= LOOK_VARIABLES;
		program.pass = add_steps(table, abbrev, BIT(WHAT_SIBLING),
					 &program.has);
		if (wanted)
			program.read = add_steps(table, abbrev,
						 wanted | BIT(WHAT_SIBLING),
						 &program.has);
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

enum table_state { TABLE_GOOD, TABLE_BAD, TABLE_LATER };

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
			file_section(scan->file, SECTION_ABBREV),
			unit->abbrev_offset, UINT64_MAX, &size);
		table->owned = table->abbrevs != NULL;
	}
	if (!table->abbrevs)
		return TABLE_BAD;
	if (!spend(scan->shared, size)) {
		clear_table(table);
		return scan->alone ? TABLE_BAD : TABLE_LATER;
	}
	table->offset = unit->abbrev_offset;
	table->offset_size = unit->offset_size;
	make_programs(table);
	return TABLE_GOOD;
}

static enum table_state find_table(struct scan *scan)
{
	const struct unit *unit = scan->unit;

	for (size_t i = 0; i < TABLES; i++) {
		scan->table = &scan->tables[i];
		if (scan->table->offset == unit->abbrev_offset &&
		    scan->table->offset_size == unit->offset_size)
			return TABLE_GOOD;
	}
	scan->table = &scan->tables[scan->oldest_table++ % TABLES];
	return read_table(scan, scan->table);
}

/* ---- stepping over DIEs ----------------------------------------------------
 */

/* From `steps` on; false: the unit ends here. */
static bool run(struct scan *scan, struct cursor *cursor, uint32_t steps,
		struct scanned *out)
{
	const struct scan_step *step = scan->table->steps.data + steps;
	const struct attribute_spec *specs =
		scan->table->abbrevs->specs.data + out->program->first_spec;
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
			unit_read_value(scan->file, scan->unit, cursor,
					&specs[step->number], false, &ignored);
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

/* Of which DIEs the values are marked; of others only the sibling is. */
enum marked { MARKED_NONE, MARKED_INTERESTING, MARKED_ALL };

/*
 * The DIE at the cursor. Without one (`program` NULL) it is the end of a list
 * of siblings. False: the unit ends.
 */
static inline bool step_over(struct scan *scan, struct cursor *cursor,
			     enum marked marked, struct scanned *out)
{
	const struct abbrev *abbrev;
	uint64_t code;
	bool whole;

	if (cursor->at < cursor->end && *cursor->at < 0x80)
		code = *cursor->at++;
	else
		code = cursor_uleb(cursor);
	out->program = NULL;
	if (!code)
		return !cursor->failed;
	abbrev = abbrev_find(scan->table->abbrevs, code);
	if (!abbrev)
		return false;
	out->program =
		&scan->table->programs
			 .data[abbrev - scan->table->abbrevs->abbrevs.data];
	whole = marked == MARKED_ALL ||
		(marked == MARKED_INTERESTING &&
		 out->program->interest != INTEREST_NONE);
	out->has = whole ? out->program->has
			 : out->program->has & BIT(WHAT_SIBLING);
	return run(scan, cursor,
		   whole ? out->program->read : out->program->pass, out);
}

/* A value of it; false: it has none that can be read. */
static bool value(const struct scan *scan, const struct scanned *scanned,
		  enum what what, struct attribute *out)
{
	struct cursor cursor = {scanned->found[what],
				scan->unit->data +
					(scan->unit->end - scan->unit->offset),
				false};

	if (!(scanned->has & BIT(what)))
		return false;
	unit_read_value(scan->file, scan->unit, &cursor,
			scan->table->abbrevs->specs.data +
				scanned->program->first_spec +
				scanned->number[what],
			true, out);
	return out->class != ATTRIBUTE_NONE;
}

static const char *string(const struct scan *scan,
			  const struct scanned *scanned, enum what what)
{
	struct attribute attribute;

	return value(scan, scanned, what, &attribute) &&
			       attribute.class == ATTRIBUTE_STRING
		       ? attribute.string
		       : NULL;
}

static struct cursor cursor_of(const struct unit *unit, uint64_t offset)
{
	struct bytes bytes = {unit->data, unit->end - unit->offset};

	return cursor_at(bytes, offset - unit->offset);
}

/* Past the children of the DIE that the cursor has just left. */
static bool skip_children(struct scan *scan, struct cursor *cursor,
			  const struct scanned *parent)
{
	const struct unit *unit = scan->unit;
	struct attribute sibling;
	struct scanned scanned;
	size_t depth = 1;
	uint64_t place = unit->offset + (uint64_t)(cursor->at - unit->data);

	if (value(scan, parent, WHAT_SIBLING, &sibling) &&
	    sibling.class == ATTRIBUTE_DIE && sibling.number > place &&
	    sibling.number <= unit->end) {
		*cursor = cursor_of(unit, sibling.number);
		return true;
	}
	while (depth) {
		if (!step_over(scan, cursor, MARKED_NONE, &scanned))
			return false;
		if (!scanned.program)
			depth--;
		else if (scanned.program->has_children)
			depth++;
	}
	return true;
}

/* ---- names -----------------------------------------------------------------
 */

/* A string that may be among the unit's bytes, as one that stays. */
static const char *lasting(struct scan *scan, const char *text)
{
	uintptr_t place = (uintptr_t)text - (uintptr_t)scan->unit->data;
	char *copy;

	if (!scan->shared->copy_strings ||
	    place >= scan->unit->end - scan->unit->offset)
		return text;
	copy = xstrdup(text);
	vec_push(&scan->strings, copy);
	return copy;
}

enum found { FOUND, NOT_FOUND, ELSEWHERE };

/* What the names of a DIE are, its own or inherited ones (see dwarf.h). */
struct naming {
	const char *name, *linkage, *old_linkage;
	bool external;
};

static void take(const char **known, const char *new)
{
	if (!*known)
		*known = new;
}

/* ELSEWHERE: they are in another unit, as far as they are not here. */
static enum found read_naming(struct scan *scan, const struct scanned *first,
			      struct naming *out)
{
	struct scanned scanned = *first;

	*out = (struct naming){0};
	for (int hops = 0; hops < MAX_HOPS; hops++) {
		struct attribute next;
		struct cursor cursor;

		take(&out->name, string(scan, &scanned, WHAT_NAME));
		take(&out->linkage, string(scan, &scanned, WHAT_LINKAGE));
		take(&out->old_linkage,
		     string(scan, &scanned, WHAT_OLD_LINKAGE));
		out->external |= (scanned.has & BIT(WHAT_EXTERNAL)) != 0;
		if (!value(scan, &scanned, WHAT_ORIGIN, &next) &&
		    !value(scan, &scanned, WHAT_SPECIFICATION, &next))
			return FOUND;
		if (next.class != ATTRIBUTE_DIE ||
		    next.number < scan->unit->root ||
		    next.number >= scan->unit->end)
			return ELSEWHERE;
		cursor = cursor_of(scan->unit, next.number);
		if (!step_over(scan, &cursor, MARKED_ALL, &scanned) ||
		    !scanned.program)
			return FOUND;
	}
	return FOUND;
}

static uint32_t number_of_name(struct scan *scan, const char *name)
{
	uint64_t key = (uint64_t)(uintptr_t)name;
	size_t number = (size_t)(uintptr_t)map_get(&scan->name_numbers, key);

	if (!number) {
		vec_push(&scan->names, name);
		number = scan->names.count;
		map_set(&scan->name_numbers, key, (void *)(uintptr_t)number);
	}
	return (uint32_t)(number - 1);
}

/* ---- what is found ---------------------------------------------------------
 */

/* The number of the name of an origin in this unit + 1, or 0: it has none;
 * UINT32_MAX: it is in another one. */
static uint32_t read_origin(struct scan *scan, uint64_t offset)
{
	struct cursor cursor = cursor_of(scan->unit, offset);
	struct scanned scanned;
	struct naming naming;
	enum found found;

	if (!step_over(scan, &cursor, MARKED_ALL, &scanned) || !scanned.program)
		return 0;
	found = read_naming(scan, &scanned, &naming);
	if (!naming.linkage && found == ELSEWHERE)
		return UINT32_MAX;
	take(&naming.linkage, naming.old_linkage);
	take(&naming.linkage, naming.name);
	if (!naming.linkage)
		return 0;
	return number_of_name(scan, lasting(scan, naming.linkage)) + 1;
}

/* Where the code of a call begins; false: it has none. */
static bool read_entry(struct scan *scan, const struct scanned *scanned,
		       uint64_t *address)
{
	struct attribute low = {0}, high = {0}, ranges = {0}, entry;

	if (value(scan, scanned, WHAT_RANGES, &ranges)) {
		if (!scan->lists_known) {
			pthread_mutex_lock(&scan->shared->lock);
			file_section(scan->file, SECTION_RANGES);
			file_section(scan->file, SECTION_RNGLISTS);
			pthread_mutex_unlock(&scan->shared->lock);
			scan->lists_known = true;
		}
	} else if (!value(scan, scanned, WHAT_LOW, &low) ||
		   !value(scan, scanned, WHAT_HIGH, &high)) {
		return false;
	}
	scan->ranges.count = 0;
	attribute_ranges(scan->file, scan->unit, &ranges, &low, &high,
			 &scan->range_budget, &scan->ranges);
	if (!scan->ranges.count)
		return false;
	*address = scan->ranges.data[0].low; /* the first one has the entry */
	if (value(scan, scanned, WHAT_ENTRY, &entry)) {
		if (entry.class == ATTRIBUTE_ADDRESS)
			*address = entry.number;
		else if (entry.class == ATTRIBUTE_UNSIGNED)
			*address += entry.number;
	}
	return file_is_code(scan->file, *address);
}

static void add_call(struct scan *scan, const struct scanned *scanned)
{
	const struct unit *unit = scan->unit;
	struct attribute origin;
	uint32_t number;
	uint64_t address;
	void *known;

	if (!value(scan, scanned, WHAT_ORIGIN, &origin) ||
	    origin.class != ATTRIBUTE_DIE ||
	    !read_entry(scan, scanned, &address))
		return;
	if (origin.number < unit->root || origin.number >= unit->end) {
		vec_push(&scan->far_calls,
			 (struct scan_far_call){address, origin.number});
		return;
	}
	known = map_get(&scan->origins, origin.number);
	if (known) {
		number = (uint32_t)((uintptr_t)known - 1);
	} else {
		number = read_origin(scan, origin.number);
		map_set(&scan->origins, origin.number,
			(void *)((uintptr_t)number + 1));
	}
	if (number == UINT32_MAX)
		vec_push(&scan->far_calls,
			 (struct scan_far_call){address, origin.number});
	else if (number)
		vec_push(&scan->calls, (struct scan_call){address, number - 1});
}

/* The name of the DIE at `offset`, wherever it is; see read_naming(). */
static enum found name_of(struct scan *scan, const struct scanned *scanned,
			  uint64_t offset, struct naming *naming)
{
	enum found found = read_naming(scan, scanned, naming);
	struct attribute external;
	struct die die;

	if (found == FOUND || (naming->name && naming->external))
		return FOUND;
	if (!scan->alone)
		return ELSEWHERE;
	if (die_read(scan->file, scan->unit, offset, &die) && die.abbrev) {
		naming->name = die_name(scan->file, &die);
		naming->external = die_inherited(scan->file, &die,
						 DW_AT_external, &external);
	}
	return FOUND;
}

static bool add_variable(struct scan *scan, const struct scanned *scanned,
			 uint64_t offset)
{
	struct scan_variable variable = {.die = offset};
	struct naming naming;

	if (!(scanned->has & (BIT(WHAT_LOCATION) | BIT(WHAT_CONST))))
		return true;
	if (name_of(scan, scanned, offset, &naming) == ELSEWHERE)
		return false;
	if (!naming.name)
		return true;
	variable.name = lasting(scan, naming.name);
	variable.external = naming.external;
	vec_push(&scan->variables, variable);
	return true;
}

/* A type or a scope of types; *path becomes that of what is in it. */
static bool add_named(struct scan *scan, const struct scanned *scanned,
		      uint64_t offset, uint64_t *path)
{
	unsigned tag = scanned->program->tag;
	struct attribute declaration;
	struct naming naming = {0};
	struct scan_type type = {.die = offset, .tag = (uint16_t)tag};

	naming.name = string(scan, scanned, WHAT_NAME);
	if (!naming.name) {
		naming.external = true; /* which nobody asks for */
		if (name_of(scan, scanned, offset, &naming) == ELSEWHERE)
			return false;
	}
	if (!naming.name && tag == DW_TAG_namespace)
		naming.name = ANONYMOUS_NAMESPACE;
	if (!naming.name)
		return true;
	*path = scan_hash(*path, naming.name);
	if (is_named_type(tag)) {
		type.hash = scan_hash_end(*path);
		type.declaration =
			value(scan, scanned, WHAT_DECLARATION, &declaration);
		vec_push(&scan->types, type);
	}
	*path = scan_hash(*path, "::");
	return true;
}

/* False: it has to be done again, alone. */
static bool add(struct scan *scan, const struct scanned *scanned,
		uint64_t offset, unsigned look, uint64_t *path)
{
	switch (scanned->program->interest) {
	case INTEREST_CALL:
		if (look & LOOK_CODE)
			add_call(scan, scanned);
		return true;
	case INTEREST_NAMED:
		return !(look & LOOK_TYPES) ||
		       add_named(scan, scanned, offset, path);
	case INTEREST_VARIABLE:
		return !(look & LOOK_VARIABLES) ||
		       add_variable(scan, scanned, offset);
	default:
		return true;
	}
}

/* ---- units -----------------------------------------------------------------
 */

/* What is looked for right below the root. */
static unsigned look_of(const struct unit *unit)
{
	return unit->type == DW_UT_type
		       ? LOOK_TYPES
		       : LOOK_CODE | LOOK_TYPES | LOOK_VARIABLES;
}

/* False: it has to be done again, alone. */
static bool scan_dies(struct scan *scan)
{
	const struct unit *unit = scan->unit;
	struct cursor cursor = cursor_of(unit, unit->root);
	struct scan_frame frame = {SCAN_HASH, (uint8_t)look_of(unit)};
	struct scanned scanned;

	scan->frames.count = 0;
	if (!step_over(scan, &cursor, MARKED_NONE, &scanned) ||
	    !scanned.program || !scanned.program->has_children)
		return true;
	vec_push(&scan->frames, frame);
	while (scan->frames.count) {
		uint64_t offset =
			unit->offset + (uint64_t)(cursor.at - unit->data);
		const struct scan_frame *around =
			&scan->frames.data[scan->frames.count - 1];

		if (!step_over(scan, &cursor, MARKED_INTERESTING, &scanned))
			break;
		if (!scanned.program) {
			scan->frames.count--;
			continue;
		}
		frame = *around;
		if (scanned.program->interest != INTEREST_NONE &&
		    !add(scan, &scanned, offset, around->look, &frame.path))
			return false;
		if (!scanned.program->has_children)
			continue;
		frame.look &= scanned.program->enters;
		if (!frame.look) {
			if (!skip_children(scan, &cursor, &scanned))
				break;
			continue;
		}
		if (scan->frames.count == MAX_DEPTH)
			break;
		vec_push(&scan->frames, frame);
	}
	return true;
}

/* What was found before a unit was begun. */
struct counts {
	size_t calls, far_calls, types, variables;
};

static void set_unit(struct scan *scan, struct unit *unit)
{
	scan->unit = unit;
	map_deinit(&scan->origins);
}

static void scan_loaded(struct scan *scan, struct unit *unit)
{
	struct counts before = {scan->calls.count, scan->far_calls.count,
				scan->types.count, scan->variables.count};

	if (scan_dies(scan))
		return;
	scan->calls.count = before.calls;
	scan->far_calls.count = before.far_calls;
	scan->types.count = before.types;
	scan->variables.count = before.variables;
	vec_push(&scan->left_over, unit->offset);
}

void scan_again(struct scan *scan, struct unit *unit)
{
	set_unit(scan, unit);
	scan->alone = true;
	if (unit_read_root(scan->file, unit) && unit_load(scan->file, unit) &&
	    find_table(scan) == TABLE_GOOD)
		scan_loaded(scan, unit);
	scan->alone = false;
}

uint32_t scan_far_name(struct scan *scan, uint64_t origin)
{
	struct unit *unit = unit_of_die(scan->file, origin);
	const char *name = NULL;
	struct die die;

	if (unit && die_read(scan->file, unit, origin, &die) && die.abbrev)
		name = die_linkage_name(scan->file, &die);
	return name ? number_of_name(scan, name) + 1 : 0;
}

void scan_shared_init(struct scan_shared *shared, struct debugfile *file,
		      bool copy_strings)
{
	*shared = (struct scan_shared){
		.file = file,
		.copy_strings = copy_strings,
		.abbrev_budget = 4 * file->dwarf->abbrev_budget,
	};
	pthread_mutex_init(&shared->lock, NULL);
}

/* Have the sections that are needed to scan; one thread gets them for all. */
static void have_sections(struct scan *scan)
{
	static const enum section_id needed[] = {
		SECTION_ABBREV,      SECTION_STR,  SECTION_LINE_STR,
		SECTION_STR_OFFSETS, SECTION_ADDR,
	};

	if (scan->sections_known)
		return;
	pthread_mutex_lock(&scan->shared->lock);
	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		file_section(scan->file, needed[i]);
	pthread_mutex_unlock(&scan->shared->lock);
	scan->sections_known = true;
}

/* Read the unit's root and scan it, its abbreviations being there. */
static void scan_with_table(struct scan *scan, struct unit *unit)
{
	unit->abbrevs = scan->table->abbrevs;
	if (unit_read_loaded_root(scan->file, unit)) {
		if (unit->name)
			unit->name = lasting(scan, unit->name);
		if (unit->directory)
			unit->directory = lasting(scan, unit->directory);
		if (unit->producer)
			unit->producer = lasting(scan, unit->producer);
		scan_loaded(scan, unit);
	}
	unit->abbrevs = NULL;
}

void scan_unit(struct scan *scan, struct unit *unit)
{
	have_sections(scan);
	set_unit(scan, unit);
	switch (unit->root_state == ROOT_BAD ? TABLE_BAD : find_table(scan)) {
	case TABLE_GOOD:
		scan_with_table(scan, unit);
		break;
	case TABLE_LATER:
		vec_push(&scan->left_over, unit->offset);
		break;
	case TABLE_BAD:
		unit->root_state = ROOT_BAD;
		break;
	}
	if (scan->shared->copy_strings)
		unit->data = NULL;
	vec_push(&scan->units, *unit);
}

void scan_init(struct scan *scan, struct scan_shared *shared)
{
	*scan = (struct scan){
		.shared = shared,
		.file = shared->file,
		.range_budget = shared->file->dwarf->range_budget,
		.tables = xcalloc(TABLES, sizeof(*scan->tables)),
	};
	for (size_t i = 0; i < TABLES; i++)
		scan->tables[i].offset = NO_OFFSET;
}

void scan_deinit(struct scan *scan)
{
	for (size_t i = 0; i < scan->strings.count; i++)
		free(scan->strings.data[i]);
	vec_free(&scan->strings);
	vec_free(&scan->names);
	vec_free(&scan->calls);
	vec_free(&scan->far_calls);
	vec_free(&scan->types);
	vec_free(&scan->variables);
	vec_free(&scan->units);
	vec_free(&scan->left_over);
	map_deinit(&scan->name_numbers);
	scan_finish(scan);
}

void scan_finish(struct scan *scan)
{
	for (size_t i = 0; scan->tables && i < TABLES; i++) {
		clear_table(&scan->tables[i]);
		vec_free(&scan->tables[i].programs);
		vec_free(&scan->tables[i].steps);
	}
	free(scan->tables);
	scan->tables = NULL;
	vec_free(&scan->frames);
	vec_free(&scan->ranges);
	map_deinit(&scan->origins);
}
