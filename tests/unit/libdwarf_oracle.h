/*
 * libdwarf_oracle.h - what libdwarf and libelf say about a file, as plain lists
 *
 * The second opinion that test_debuginfo_libdwarf.c compares with. Nothing of
 * src/debuginfo is used here. The files are what compilers just wrote: whatever
 * libdwarf calls an error fails the test.
 */
#ifndef LIBDWARF_ORACLE_H
#define LIBDWARF_ORACLE_H

#include <gelf.h>
#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>

#include "debuginfo_samples.h"
#include "perftool/base/map.h"
#include "perftool/base/vec.h"

/* A row of a line table, in the order of the programs. */
struct oracle_row {
	uint64_t address;
	uint64_t line;
	const char *path;
	const char *other_path; /* NULL, or that may be meant: see there */
	size_t unit;            /* index of the first unit that has the table */
	bool is_stmt, end;
};

struct oracle_type {
	enum variable_kind kind;
	uint64_t size;
	bool size_known, is_number;
	const char *name;        /* NULL: not compared */
	const char *name_inside; /* below a pointer: typedefs replaced */
};

/* A function (then it is its own `function`), a call inlined into it, or a
 * block of either. */
struct oracle_scope {
	struct range_list ranges;
	unsigned tag;
	size_t parent;    /* index; of a function: its own */
	size_t function;  /* index of the function it belongs to */
	unsigned depth;   /* below the function */
	const char *name; /* of a function */
	bool linked;      /* that is the name for the linker */
	/* Of a function: what lies between may also be of functions in it. */
	size_t end_scope, first_variable, end_variable;
};

struct oracle_variable {
	const char *name;
	const struct oracle_type *type;
	size_t scope;
	bool declaration; /* of something that lives elsewhere */
};

/* What the call frame information says of [low, high). */
struct oracle_frame {
	uint64_t low, high;
	bool debug_frame; /* else .eh_frame */
	bool known;       /* a register and an offset, not an expression */
	unsigned reg;
	int64_t offset;
};

struct oracle_symbol {
	uint64_t address, size;
	const char *name; /* without a version */
};

struct oracle {
	Dwarf_Debug dbg;
	struct range_list code; /* executable segments */
	VEC(struct oracle_symbol) symbols;
	VEC(struct range_list) units; /* their code */
	VEC(struct oracle_row) rows;
	VEC(struct oracle_scope) scopes;
	VEC(struct oracle_variable) variables;
	VEC(struct oracle_frame) frames;
	struct strmap strings; /* every string above, once */
	struct map types;      /* struct oracle_type by offset of their DIE */
	struct map tables;     /* line tables that were read, by offset */
	bool c_plus_plus;      /* the unit being read */
};

#define ORACLE_NONE SIZE_MAX

static inline void oracle_failed(Dwarf_Error error, Dwarf_Ptr argument)
{
	fail_msg("libdwarf, on %s: %s", (const char *)argument,
		 dwarf_errmsg(error));
}

/* The same text, kept as long as the oracle. */
static inline const char *oracle_keep(struct oracle *oracle, const char *text)
{
	char *kept;

	if (!text)
		return NULL;
	kept = strmap_get(&oracle->strings, text);
	if (!kept) {
		kept = xstrdup(text);
		strmap_set(&oracle->strings, text, kept);
	}
	return kept;
}

__attribute__((format(printf, 2, 3))) static inline const char *
oracle_printf(struct oracle *oracle, const char *format, ...)
{
	const char *kept;
	va_list ap;
	char *text;

	va_start(ap, format);
	text = xvasprintf(format, ap);
	va_end(ap);
	kept = oracle_keep(oracle, text);
	free(text);
	return kept;
}

static inline bool oracle_in_ranges(const struct range_list *ranges,
				    uint64_t address)
{
	for (size_t i = 0; i < ranges->count; i++)
		if (address >= ranges->data[i].low &&
		    address < ranges->data[i].high)
			return true;
	return false;
}

/* ---- ELF --------------------------------------------------------------- */

static inline void oracle_read_symbols(struct oracle *oracle, Elf *elf)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr header;
		Elf_Data *data;

		assert_non_null(gelf_getshdr(scn, &header));
		if (header.sh_type != SHT_SYMTAB &&
		    header.sh_type != SHT_DYNSYM)
			continue;
		data = elf_getdata(scn, NULL);
		if (!data || !data->d_buf)
			continue;
		for (int i = 1; (size_t)i < header.sh_size / header.sh_entsize;
		     i++) {
			const char *name;
			char *plain;
			GElf_Sym sym;

			assert_non_null(gelf_getsym(data, i, &sym));
			name = elf_strptr(elf, header.sh_link, sym.st_name);
			if (!name || !*name || sym.st_shndx == SHN_UNDEF ||
			    !oracle_in_ranges(&oracle->code, sym.st_value) ||
			    (GELF_ST_TYPE(sym.st_info) != STT_FUNC &&
			     GELF_ST_TYPE(sym.st_info) != STT_GNU_IFUNC))
				continue;
			plain = xstrndup(name, strcspn(name, "@"));
			vec_push(&oracle->symbols,
				 (struct oracle_symbol){
					 sym.st_value, sym.st_size,
					 oracle_keep(oracle, plain)});
			free(plain);
		}
	}
}

static inline void oracle_read_elf(struct oracle *oracle, const char *path,
				   bool program)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t count;
	Elf *elf;

	assert_true(fd >= 0);
	assert_int_not_equal(elf_version(EV_CURRENT), EV_NONE);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	assert_non_null(elf);
	assert_int_equal(elf_getphdrnum(elf, &count), 0);
	for (int i = 0; program && (size_t)i < count; i++) {
		GElf_Phdr header;

		assert_non_null(gelf_getphdr(elf, i, &header));
		if (header.p_type == PT_LOAD && header.p_flags & PF_X)
			vec_push(&oracle->code,
				 (struct range){header.p_vaddr,
						header.p_vaddr +
							header.p_memsz});
	}
	oracle_read_symbols(oracle, elf);
	elf_end(elf);
	close(fd);
}

/* ---- attributes -------------------------------------------------------- */

static inline bool oracle_has(Dwarf_Die die, Dwarf_Half name)
{
	Dwarf_Bool has = false;

	dwarf_hasattr(die, name, &has, NULL);
	return has;
}

static inline uint64_t oracle_number(struct oracle *oracle, Dwarf_Die die,
				     Dwarf_Half name)
{
	Dwarf_Unsigned number = 0;
	Dwarf_Signed constant;
	Dwarf_Attribute attribute;
	Dwarf_Half form;

	if (dwarf_attr(die, name, &attribute, NULL) != DW_DLV_OK)
		return 0;
	dwarf_whatform(attribute, &form, NULL);
	if (form == DW_FORM_implicit_const) {
		dwarf_formsdata(attribute, &constant, NULL);
		number = (Dwarf_Unsigned)constant;
	} else {
		dwarf_formudata(attribute, &number, NULL);
	}
	dwarf_dealloc(oracle->dbg, attribute, DW_DLA_ATTR);
	return number;
}

/* The DIE that an attribute refers to; the caller gives it back. */
static inline bool oracle_follow(struct oracle *oracle, Dwarf_Die die,
				 Dwarf_Half name, Dwarf_Die *out)
{
	Dwarf_Bool is_info = true;
	Dwarf_Attribute attribute;
	Dwarf_Sig8 signature;
	Dwarf_Half form;
	Dwarf_Off offset;

	if (dwarf_attr(die, name, &attribute, NULL) != DW_DLV_OK)
		return false;
	dwarf_whatform(attribute, &form, NULL);
	if (form == DW_FORM_ref_sig8) {
		dwarf_formsig8(attribute, &signature, NULL);
		assert_int_equal(dwarf_find_die_given_sig8(oracle->dbg,
							   &signature, out,
							   &is_info, NULL),
				 DW_DLV_OK);
	} else {
		dwarf_global_formref(attribute, &offset, NULL);
		assert_int_equal(
			dwarf_offdie_b(oracle->dbg, offset, true, out, NULL),
			DW_DLV_OK);
	}
	dwarf_dealloc(oracle->dbg, attribute, DW_DLA_ATTR);
	return true;
}

/* A string attribute of the DIE, or of those it completes or copies. */
static inline const char *oracle_string(struct oracle *oracle, Dwarf_Die die,
					Dwarf_Half name)
{
	const char *kept = NULL;
	Dwarf_Die origin;
	char *text;

	if (dwarf_die_text(die, name, &text, NULL) == DW_DLV_OK)
		return oracle_keep(oracle, text);
	if (!oracle_follow(oracle, die, DW_AT_abstract_origin, &origin) &&
	    !oracle_follow(oracle, die, DW_AT_specification, &origin))
		return NULL;
	kept = oracle_string(oracle, origin, name);
	dwarf_dealloc(oracle->dbg, origin, DW_DLA_DIE);
	return kept;
}

/* ---- code -------------------------------------------------------------- */

static inline void oracle_add_range(const struct oracle *oracle,
				    struct range_list *out, uint64_t low,
				    uint64_t high)
{
	if (low < high && oracle_in_ranges(&oracle->code, low))
		vec_push(out, (struct range){low, high});
}

static inline void oracle_old_ranges(struct oracle *oracle, Dwarf_Die die,
				     Dwarf_Attribute attribute, uint64_t base,
				     struct range_list *out)
{
	Dwarf_Ranges *ranges;
	Dwarf_Signed count;
	Dwarf_Off offset;

	dwarf_global_formref(attribute, &offset, NULL);
	if (dwarf_get_ranges_b(oracle->dbg, offset, die, NULL, &ranges, &count,
			       NULL, NULL) != DW_DLV_OK)
		return;
	for (Dwarf_Signed i = 0; i < count; i++) {
		if (ranges[i].dwr_type == DW_RANGES_END)
			break;
		if (ranges[i].dwr_type == DW_RANGES_ADDRESS_SELECTION)
			base = ranges[i].dwr_addr2;
		else
			oracle_add_range(oracle, out,
					 base + ranges[i].dwr_addr1,
					 base + ranges[i].dwr_addr2);
	}
	dwarf_ranges_dealloc(oracle->dbg, ranges, count);
}

static inline void oracle_new_ranges(struct oracle *oracle,
				     Dwarf_Attribute attribute, Dwarf_Half form,
				     struct range_list *out)
{
	Dwarf_Unsigned value, count, low, high;
	Dwarf_Rnglists_Head head;
	Dwarf_Off offset;

	if (form == DW_FORM_rnglistx) {
		dwarf_formudata(attribute, &value, NULL);
	} else {
		dwarf_global_formref(attribute, &offset, NULL);
		value = offset;
	}
	assert_int_equal(dwarf_rnglists_get_rle_head(attribute, form, value,
						     &head, &count, NULL, NULL),
			 DW_DLV_OK);
	for (Dwarf_Unsigned i = 0; i < count; i++) {
		Dwarf_Bool unavailable;
		unsigned code;

		assert_int_equal(dwarf_get_rnglists_entry_fields_a(
					 head, i, NULL, &code, NULL, NULL,
					 &unavailable, &low, &high, NULL),
				 DW_DLV_OK);
		if (code != DW_RLE_end_of_list && code != DW_RLE_base_address &&
		    code != DW_RLE_base_addressx)
			oracle_add_range(oracle, out, low, high);
	}
	dwarf_dealloc_rnglists_head(head);
}

/* The code of a DIE; `base` is its unit's address. */
static inline void oracle_ranges(struct oracle *oracle, Dwarf_Die die,
				 uint64_t base, struct range_list *out)
{
	enum Dwarf_Form_Class class;
	Dwarf_Half version, offset_size, form;
	Dwarf_Attribute attribute;
	Dwarf_Addr low, high;

	if (dwarf_attr(die, DW_AT_ranges, &attribute, NULL) == DW_DLV_OK) {
		dwarf_get_version_of_die(die, &version, &offset_size);
		dwarf_whatform(attribute, &form, NULL);
		if (version >= 5)
			oracle_new_ranges(oracle, attribute, form, out);
		else
			oracle_old_ranges(oracle, die, attribute, base, out);
		dwarf_dealloc(oracle->dbg, attribute, DW_DLA_ATTR);
		return;
	}
	if (dwarf_lowpc(die, &low, NULL) != DW_DLV_OK ||
	    dwarf_highpc_b(die, &high, &form, &class, NULL) != DW_DLV_OK)
		return;
	oracle_add_range(oracle, out, low,
			 class == DW_FORM_CLASS_CONSTANT ? low + high : high);
}

/* ---- types ------------------------------------------------------------- */

static inline enum variable_kind oracle_kind(uint64_t encoding, uint64_t size)
{
	bool integer = size >= 1 && size <= 8;

	switch (encoding) {
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		return integer ? VARIABLE_SIGNED : VARIABLE_OTHER;
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_boolean:
	case DW_ATE_UTF:
		return integer ? VARIABLE_UNSIGNED : VARIABLE_OTHER;
	case DW_ATE_float:
		return size == 4 || size == 8 || size == 16 ? VARIABLE_FLOAT
							    : VARIABLE_OTHER;
	default:
		return VARIABLE_OTHER;
	}
}

static inline const struct oracle_type *oracle_type(struct oracle *oracle,
						    Dwarf_Die die);

static inline const char *oracle_join(struct oracle *oracle, const char *before,
				      const char *text, const char *after)
{
	return text ? oracle_printf(oracle, "%s%s%s", before, text, after)
		    : NULL;
}

/* `TYPE *`, `TYPE **`, `TYPE &` ... */
static inline void oracle_name_pointer(struct oracle *oracle,
				       const struct oracle_type *inner,
				       const char *sign,
				       struct oracle_type *type)
{
	const char *name = inner->name_inside;
	size_t length = name ? strlen(name) : 0;
	bool close =
		length && (name[length - 1] == '*' || name[length - 1] == ' ');

	if (name)
		type->name = oracle_printf(oracle, "%s%s%s", name,
					   close ? "" : " ", sign);
	type->name_inside = type->name;
}

static inline void oracle_qualify(struct oracle *oracle, const char *word,
				  bool of_pointer,
				  const struct oracle_type *inner,
				  struct oracle_type *type)
{
	*type = *inner;
	if (of_pointer) {
		type->name_inside =
			oracle_join(oracle, "", inner->name_inside, word);
		return;
	}
	type->name = oracle_join(oracle, word, inner->name, "");
	type->name_inside = oracle_join(oracle, word, inner->name_inside, "");
}

static inline bool oracle_is_pointer(Dwarf_Half tag)
{
	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type;
}

static inline void oracle_describe(struct oracle *oracle, Dwarf_Die die,
				   struct oracle_type *type)
{
	const struct oracle_type *inner = oracle_type(oracle, die);
	const char *name = oracle_string(oracle, die, DW_AT_name);
	const char *word = "";
	uint64_t encoding = oracle_number(oracle, die, DW_AT_encoding);
	Dwarf_Half tag, inner_tag = 0;
	Dwarf_Die next;

	dwarf_tag(die, &tag, NULL);
	if (oracle_follow(oracle, die, DW_AT_type, &next)) {
		dwarf_tag(next, &inner_tag, NULL);
		dwarf_dealloc(oracle->dbg, next, DW_DLA_DIE);
	}
	type->kind = VARIABLE_OTHER;
	type->size = oracle_number(oracle, die, DW_AT_byte_size);
	type->size_known = true;
	switch (tag) {
	case DW_TAG_base_type:
		type->kind = oracle_kind(encoding, type->size);
		type->is_number = true;
		type->name = type->name_inside = name;
		return;
	case DW_TAG_typedef:
		*type = *inner;
		type->name = name;
		if (!type->is_number)
			type->name_inside = name;
		return;
	case DW_TAG_const_type:
		oracle_qualify(oracle, "const ", oracle_is_pointer(inner_tag),
			       inner, type);
		return;
	case DW_TAG_volatile_type:
		oracle_qualify(oracle, "volatile ",
			       oracle_is_pointer(inner_tag), inner, type);
		return;
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
		*type = *inner;
		return;
	case DW_TAG_pointer_type:
		type->kind = VARIABLE_POINTER;
		type->size = 8;
		oracle_name_pointer(oracle, inner, "*", type);
		return;
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		*type = *inner;
		type->is_number = false;
		type->name = NULL;
		oracle_name_pointer(oracle, inner,
				    tag == DW_TAG_reference_type ? "&" : "&&",
				    type);
		return;
	case DW_TAG_enumeration_type:
		word = "enum ";
		type->kind = oracle_kind(encoding, type->size);
		if (!encoding)
			type->kind = inner->kind;
		if (type->kind != VARIABLE_SIGNED)
			type->kind = VARIABLE_UNSIGNED;
		break;
	case DW_TAG_structure_type:
		word = "struct ";
		break;
	case DW_TAG_union_type:
		word = "union ";
		break;
	case DW_TAG_class_type:
		break;
	case DW_TAG_unspecified_type:
		type->kind = VARIABLE_POINTER;
		type->size = 8;
		break;
	default: /* arrays, functions ...: only that they are no scalars */
		type->size_known = false;
		return;
	}
	if (oracle->c_plus_plus && name)
		word = "";
	type->name = type->name_inside =
		oracle_printf(oracle, "%s%s", word, name ? name : "{...}");
}

/* The type that DW_AT_type of a DIE (or of its origin) says; never NULL. */
static inline const struct oracle_type *oracle_type(struct oracle *oracle,
						    Dwarf_Die die)
{
	static const struct oracle_type no_type = {
		.kind = VARIABLE_OTHER,
		.size_known = true,
		.name = "void",
		.name_inside = "void",
	};
	const struct oracle_type *known;
	struct oracle_type *type;
	Dwarf_Die next, whole;
	Dwarf_Off offset;

	if (!oracle_follow(oracle, die, DW_AT_type, &next)) {
		if (!oracle_follow(oracle, die, DW_AT_abstract_origin, &next) &&
		    !oracle_follow(oracle, die, DW_AT_specification, &next))
			return &no_type;
		known = oracle_type(oracle, next);
		dwarf_dealloc(oracle->dbg, next, DW_DLA_DIE);
		return known;
	}
	if (oracle_follow(oracle, next, DW_AT_signature, &whole)) {
		dwarf_dealloc(oracle->dbg, next, DW_DLA_DIE);
		next = whole;
	}
	dwarf_dieoffset(next, &offset, NULL);
	type = map_get(&oracle->types, offset);
	if (!type) {
		type = xcalloc(1, sizeof(*type));
		map_set(&oracle->types, offset, type);
		oracle_describe(oracle, next, type);
	}
	dwarf_dealloc(oracle->dbg, next, DW_DLA_DIE);
	return type;
}

/* ---- functions and variables ------------------------------------------- */

struct oracle_walk {
	uint64_t base;  /* of the unit */
	size_t scope;   /* around, or ORACLE_NONE */
	unsigned depth; /* below the function */
};

static inline void oracle_add_variable(struct oracle *oracle, Dwarf_Die die,
				       size_t scope)
{
	struct oracle_variable variable = {
		.name = oracle_string(oracle, die, DW_AT_name),
		.scope = scope,
		.declaration = oracle_has(die, DW_AT_declaration) &&
			       !oracle_has(die, DW_AT_location),
	};

	if (!variable.name)
		return;
	variable.type = oracle_type(oracle, die);
	vec_push(&oracle->variables, variable);
}

/* Enter a function, inlined call or block; returns whether it has code. */
static inline bool oracle_enter(struct oracle *oracle, Dwarf_Die die,
				Dwarf_Half tag, struct oracle_walk *walk)
{
	struct oracle_scope scope = {.tag = tag, .parent = walk->scope};
	size_t index = oracle->scopes.count;

	oracle_ranges(oracle, die, walk->base, &scope.ranges);
	if (tag == DW_TAG_subprogram)
		walk->scope = ORACLE_NONE;
	if (!scope.ranges.count ||
	    (tag != DW_TAG_subprogram && walk->scope == ORACLE_NONE)) {
		vec_free(&scope.ranges);
		return false;
	}
	if (tag == DW_TAG_subprogram) {
		walk->depth = 0;
		scope.parent = scope.function = index;
		scope.name = oracle_string(oracle, die, DW_AT_linkage_name);
		scope.linked = scope.name || !oracle->c_plus_plus;
		if (!scope.name)
			scope.name = oracle_string(oracle, die, DW_AT_name);
	} else {
		scope.function = oracle->scopes.data[walk->scope].function;
	}
	scope.depth = walk->depth++;
	vec_push(&oracle->scopes, scope);
	walk->scope = index;
	return true;
}

static inline void oracle_walk_children(struct oracle *oracle, Dwarf_Die parent,
					struct oracle_walk walk);

static inline void oracle_visit(struct oracle *oracle, Dwarf_Die die,
				struct oracle_walk walk)
{
	struct oracle_scope *function;
	size_t first_variable;
	Dwarf_Half tag;

	dwarf_tag(die, &tag, NULL);
	switch (tag) {
	case DW_TAG_formal_parameter:
	case DW_TAG_variable:
		if (walk.scope != ORACLE_NONE)
			oracle_add_variable(oracle, die, walk.scope);
		return;
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		if (!oracle_enter(oracle, die, tag, &walk))
			return;
		break;
	case DW_TAG_subprogram:
		if (!oracle_enter(oracle, die, tag, &walk))
			break;
		first_variable = oracle->variables.count;
		oracle_walk_children(oracle, die, walk);
		function = &oracle->scopes.data[walk.scope];
		function->end_scope = oracle->scopes.count;
		function->first_variable = first_variable;
		function->end_variable = oracle->variables.count;
		return;
	case DW_TAG_namespace:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		walk.scope = ORACLE_NONE;
		break;
	default:
		return;
	}
	oracle_walk_children(oracle, die, walk);
}

static inline void oracle_walk_children(struct oracle *oracle, Dwarf_Die parent,
					struct oracle_walk walk)
{
	Dwarf_Die die, next;
	int result = dwarf_child(parent, &die, NULL);

	while (result == DW_DLV_OK) {
		oracle_visit(oracle, die, walk);
		result = dwarf_siblingof_b(oracle->dbg, die, true, &next, NULL);
		dwarf_dealloc(oracle->dbg, die, DW_DLA_DIE);
		die = next;
	}
}

/* ---- lines ------------------------------------------------------------- */

/* The path of a file of a table of version 5, by its number. */
static inline const char *oracle_file(struct oracle *oracle,
				      Dwarf_Line_Context context,
				      Dwarf_Signed number)
{
	const char *name, *directory, *unit_directory;
	Dwarf_Signed base, count, end;
	Dwarf_Unsigned index;

	dwarf_srclines_files_indexes(context, &base, &count, &end, NULL);
	if (number >= end)
		return NULL;
	assert_int_equal(dwarf_srclines_files_data_b(context, number, &name,
						     &index, NULL, NULL, NULL,
						     NULL),
			 DW_DLV_OK);
	assert_int_equal(dwarf_srclines_include_dir_data(context,
							 (Dwarf_Signed)index,
							 &directory, NULL),
			 DW_DLV_OK);
	dwarf_srclines_comp_dir(context, &unit_directory, NULL);
	if (name[0] == '/')
		return oracle_keep(oracle, name);
	if (directory[0] == '/')
		return oracle_printf(oracle, "%s/%s", directory, name);
	return oracle_printf(oracle, "%s/%s/%s", unit_directory, directory,
			     name);
}

static inline void oracle_add_rows(struct oracle *oracle, Dwarf_Line *lines,
				   Dwarf_Signed count, const char *first_file,
				   bool may_be_zero)
{
	struct map paths = {0}; /* by number of the file */

	if (first_file && !may_be_zero)
		map_set(&paths, 0, (void *)first_file);
	for (Dwarf_Signed i = 0; i < count; i++) {
		struct oracle_row row = {0};
		Dwarf_Unsigned line, file;
		Dwarf_Bool is_stmt, end;
		Dwarf_Addr address;
		char *path;

		dwarf_lineaddr(lines[i], &address, NULL);
		dwarf_lineno(lines[i], &line, NULL);
		dwarf_line_srcfileno(lines[i], &file, NULL);
		dwarf_linebeginstatement(lines[i], &is_stmt, NULL);
		dwarf_lineendsequence(lines[i], &end, NULL);
		row.path = map_get(&paths, file);
		if (!row.path &&
		    dwarf_linesrc(lines[i], &path, NULL) == DW_DLV_OK) {
			row.path = oracle_keep(oracle, path);
			map_set(&paths, file, (void *)row.path);
			dwarf_dealloc(oracle->dbg, path, DW_DLA_STRING);
		}
		if (may_be_zero && !file)
			row.other_path = first_file;
		row.address = address;
		row.line = line;
		row.unit = oracle->units.count - 1;
		row.is_stmt = is_stmt;
		row.end = end;
		vec_push(&oracle->rows, row);
	}
	map_deinit(&paths);
}

static inline bool oracle_is_clang(Dwarf_Die root)
{
	char *producer;

	return dwarf_die_text(root, DW_AT_producer, &producer, NULL) ==
		       DW_DLV_OK &&
	       strstr(producer, "clang");
}

/*
 * In tables of version 5 this libdwarf starts every sequence with file 0; the
 * standard (DWARF 5, 6.2.2), readelf and gdb start with file 1. So does GNU as,
 * which never writes a 0; clang does, so that its 0 may mean either.
 */
static inline void oracle_read_lines(struct oracle *oracle, Dwarf_Die root)
{
	Dwarf_Unsigned version, offset;
	const char *first_file = NULL;
	Dwarf_Line_Context context;
	Dwarf_Signed count;
	Dwarf_Small tables;
	Dwarf_Line *lines;

	if (dwarf_srclines_b(root, &version, &tables, &context, NULL) !=
	    DW_DLV_OK)
		return;
	dwarf_srclines_table_offset(context, &offset, NULL);
	if (!map_get(&oracle->tables, offset) &&
	    dwarf_srclines_from_linecontext(context, &lines, &count, NULL) ==
		    DW_DLV_OK) {
		if (version >= 5)
			first_file = oracle_file(oracle, context, 1);
		map_set(&oracle->tables, offset, oracle);
		oracle_add_rows(oracle, lines, count, first_file,
				oracle_is_clang(root));
	}
	dwarf_srclines_dealloc_b(context);
}

static inline bool oracle_is_c_plus_plus(struct oracle *oracle, Dwarf_Die root)
{
	switch (oracle_number(oracle, root, DW_AT_language)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return true;
	default:
		return false;
	}
}

static inline void oracle_read_units(struct oracle *oracle)
{
	Dwarf_Unsigned length, type_offset, next_header;
	Dwarf_Half version, address_size, offset_size, extension, type;
	Dwarf_Sig8 signature;
	Dwarf_Off abbrev;

	while (dwarf_next_cu_header_d(oracle->dbg, true, &length, &version,
				      &abbrev, &address_size, &offset_size,
				      &extension, &signature, &type_offset,
				      &next_header, &type, NULL) == DW_DLV_OK) {
		struct oracle_walk walk = {.scope = ORACLE_NONE};
		struct range_list code = {0};
		Dwarf_Addr low = 0;
		Dwarf_Die root;

		assert_int_equal(
			dwarf_siblingof_b(oracle->dbg, NULL, true, &root, NULL),
			DW_DLV_OK);
		if (type != DW_UT_type) {
			oracle->c_plus_plus =
				oracle_is_c_plus_plus(oracle, root);
			dwarf_lowpc(root, &low, NULL);
			walk.base = low;
			oracle_ranges(oracle, root, low, &code);
			vec_push(&oracle->units, code);
			oracle_read_lines(oracle, root);
			oracle_walk_children(oracle, root, walk);
		}
		dwarf_dealloc(oracle->dbg, root, DW_DLA_DIE);
	}
}

/* ---- frames ------------------------------------------------------------ */

static inline void oracle_add_frames(struct oracle *oracle, Dwarf_Fde fde,
				     bool debug_frame)
{
	Dwarf_Addr low, at, next;
	Dwarf_Unsigned size;

	dwarf_get_fde_range(fde, &low, &size, NULL, NULL, NULL, NULL, NULL,
			    NULL);
	for (at = low; at < low + size; at = next) {
		Dwarf_Signed relevant, reg, offset;
		Dwarf_Bool more = false;
		Dwarf_Small kind;
		Dwarf_Ptr block;
		Dwarf_Addr row;

		assert_int_equal(dwarf_get_fde_info_for_cfa_reg3_b(
					 fde, at, &kind, &relevant, &reg,
					 &offset, &block, &row, &more, &next,
					 NULL),
				 DW_DLV_OK);
		if (!more || next > low + size)
			next = low + size;
		assert_true(next > at);
		vec_push(&oracle->frames,
			 (struct oracle_frame){
				 .low = at,
				 .high = next,
				 .debug_frame = debug_frame,
				 .known = kind == DW_EXPR_OFFSET,
				 .reg = (unsigned)reg,
				 .offset = offset,
			 });
	}
}

static inline void oracle_read_frames(struct oracle *oracle, bool debug_frame)
{
	Dwarf_Signed cie_count, fde_count;
	Dwarf_Cie *cies;
	Dwarf_Fde *fdes;
	int result;

	if (debug_frame)
		result = dwarf_get_fde_list(oracle->dbg, &cies, &cie_count,
					    &fdes, &fde_count, NULL);
	else
		result = dwarf_get_fde_list_eh(oracle->dbg, &cies, &cie_count,
					       &fdes, &fde_count, NULL);
	if (result != DW_DLV_OK)
		return;
	for (Dwarf_Signed i = 0; i < fde_count; i++)
		oracle_add_frames(oracle, fdes[i], debug_frame);
	dwarf_fde_cie_list_dealloc(oracle->dbg, cies, cie_count, fdes,
				   fde_count);
}

/* ---- all of it --------------------------------------------------------- */

static inline int oracle_open_dwarf(struct oracle *oracle, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(dwarf_init_b(fd, DW_DLC_READ, DW_GROUPNUMBER_ANY,
				      oracle_failed, (void *)path, &oracle->dbg,
				      NULL),
			 DW_DLV_OK);
	dwarf_set_frame_cfa_value(oracle->dbg, DW_FRAME_CFA_COL3);
	return fd;
}

static inline void oracle_close_dwarf(struct oracle *oracle, int fd)
{
	dwarf_finish(oracle->dbg, NULL);
	oracle->dbg = NULL;
	close(fd);
}

static inline int oracle_compare_symbols(const void *a_, const void *b_)
{
	const struct oracle_symbol *a = a_, *b = b_;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* Read the program at `path`, whose debug information is in `debug_path`: the
 * same file, or one of its own. */
static inline void oracle_read(struct oracle *oracle, const char *path,
			       const char *debug_path)
{
	bool separate = strcmp(path, debug_path) != 0;
	int fd;

	*oracle = (struct oracle){0};
	oracle_read_elf(oracle, path, true);
	if (separate)
		oracle_read_elf(oracle, debug_path, false);
	if (oracle->symbols.count)
		qsort(oracle->symbols.data, oracle->symbols.count,
		      sizeof(*oracle->symbols.data), oracle_compare_symbols);
	fd = oracle_open_dwarf(oracle, path);
	oracle_read_frames(oracle, false);
	if (separate) {
		oracle_close_dwarf(oracle, fd);
		fd = oracle_open_dwarf(oracle, debug_path);
	}
	oracle_read_frames(oracle, true);
	oracle_read_units(oracle);
	oracle_close_dwarf(oracle, fd);
}

static inline void oracle_deinit(struct oracle *oracle)
{
	size_t cursor = 0;
	const char *key;
	void *value;

	for (size_t i = 0; i < oracle->scopes.count; i++)
		vec_free(&oracle->scopes.data[i].ranges);
	vec_free(&oracle->scopes);
	for (size_t i = 0; i < oracle->units.count; i++)
		vec_free(&oracle->units.data[i]);
	vec_free(&oracle->units);
	vec_free(&oracle->code);
	vec_free(&oracle->symbols);
	vec_free(&oracle->rows);
	vec_free(&oracle->variables);
	vec_free(&oracle->frames);
	while ((value = strmap_next(&oracle->strings, &cursor, &key)))
		free(value);
	strmap_deinit(&oracle->strings);
	cursor = 0;
	while ((value = map_next(&oracle->types, &cursor, NULL)))
		free(value);
	map_deinit(&oracle->types);
	map_deinit(&oracle->tables);
}

#endif
