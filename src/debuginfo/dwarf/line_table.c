/* line_table.c - reads the header of a line table and runs its program; see
 * line_table.h */
#include "line_table.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf_constants.h"
#include "perftool/base/alloc.h"
#include "perftool/base/search.h"
#include "perftool/base/str.h"

/* The most fields that a directory or file in a version 5 header may have. */
#define MAX_FORMATS 32

/* The format of one field of a directory or file: what the field means
 * (DW_LNCT_...), and in which form its value is. */
struct entry_format {
	uint64_t content, form;
};

struct reader {
	struct cursor cursor;
	const struct line_strings *strings;
	struct line_table *table;
};

/* Read a string or a number in one of the forms of version 5 tables. The form
 * decides whether `*string` or `*number` is set; some forms set neither. False:
 * the form is not supported, or the value cannot be read. */
static bool read_form(struct reader *reader, uint64_t form, const char **string,
		      uint64_t *number)
{
	struct cursor *cursor = &reader->cursor;
	unsigned offset_size = reader->table->offset_size;

	switch (form) {
	case DW_FORM_string:
		*string = cursor_string(cursor);
		break;
	case DW_FORM_line_strp:
		*string = bytes_string(reader->strings->line_str,
				       cursor_unsigned(cursor, offset_size));
		break;
	case DW_FORM_strp:
		*string = bytes_string(reader->strings->str,
				       cursor_unsigned(cursor, offset_size));
		break;
	case DW_FORM_udata:
		*number = cursor_uleb(cursor);
		break;
	case DW_FORM_data1:
		*number = cursor_u8(cursor);
		break;
	case DW_FORM_data2:
		*number = cursor_u16(cursor);
		break;
	case DW_FORM_data4:
		*number = cursor_u32(cursor);
		break;
	case DW_FORM_data8:
		*number = cursor_u64(cursor);
		break;
	case DW_FORM_data16: /* a checksum */
		cursor_skip(cursor, 16);
		break;
	case DW_FORM_block:
		cursor_skip(cursor, cursor_uleb(cursor));
		break;
	default:
		return false;
	}
	return !cursor->failed;
}

/* Read the directories or the files of a version 5 header. */
static bool read_entries(struct reader *reader, bool files)
{
	struct entry_format formats[MAX_FORMATS];
	struct cursor *cursor = &reader->cursor;
	unsigned format_count = cursor_u8(cursor);
	uint64_t count;

	if (format_count > MAX_FORMATS)
		return false;
	for (unsigned i = 0; i < format_count; i++) {
		formats[i].content = cursor_uleb(cursor);
		formats[i].form = cursor_uleb(cursor);
	}
	count = cursor_uleb(cursor);
	/* An entry has at least one byte, so a count above the number of bytes
	 * left is broken. The check keeps such a count from causing much
	 * work. */
	if (cursor->failed || count > cursor_left(cursor) ||
	    (count && !format_count))
		return false;
	for (uint64_t i = 0; i < count; i++) {
		struct line_file file = {.name = NULL};

		for (unsigned j = 0; j < format_count; j++) {
			const char *string = NULL;
			uint64_t number = 0;

			if (!read_form(reader, formats[j].form, &string,
				       &number))
				return false;
			if (formats[j].content == DW_LNCT_path)
				file.name = string;
			else if (formats[j].content == DW_LNCT_directory_index)
				file.directory = number > UINT32_MAX
							 ? UINT32_MAX
							 : (uint32_t)number;
		}
		if (!file.name)
			file.name = "";
		if (files)
			vec_push(&reader->table->files, file);
		else
			vec_push(&reader->table->directories, file.name);
	}
	return true;
}

static void read_file(struct cursor *cursor, const char *name,
		      struct line_table *table)
{
	struct line_file file = {.name = name};
	uint64_t directory = cursor_uleb(cursor);

	cursor_uleb(cursor); /* time of the last change of the file */
	cursor_uleb(cursor); /* length of the file */
	file.directory =
		directory > UINT32_MAX ? UINT32_MAX : (uint32_t)directory;
	vec_push(&table->files, file);
}

/* Read the directories and files of a version 2 to 4 header. Directories and
 * files are numbered from 1. */
static bool read_old_entries(struct reader *reader)
{
	struct line_table *table = reader->table;
	struct cursor *cursor = &reader->cursor;
	const char *name;

	/* Directory 0 is the compilation directory of the unit, which the table
	 * does not name. */
	vec_push(&table->directories, NULL);
	while (*(name = cursor_string(cursor)))
		vec_push(&table->directories, name);
	vec_push(&table->files, (struct line_file){.name = ""});
	while (*(name = cursor_string(cursor)))
		read_file(cursor, name, table);
	return !cursor->failed;
}

static bool read_header(struct reader *reader)
{
	struct line_table *table = reader->table;
	struct cursor *cursor = &reader->cursor;
	const uint8_t *start = cursor->at;
	uint64_t length = cursor_unit_length(cursor, &table->offset_size);
	uint64_t header_length;

	if (cursor->failed || length > cursor_left(cursor))
		return false;
	cursor->end = cursor->at + length;
	table->end = table->offset + (uint64_t)(cursor->end - start);
	table->version = cursor_u16(cursor);
	if (cursor->failed || table->version < 2 || table->version > 5)
		return false;
	if (table->version >= 5) {
		if (cursor_u8(cursor) != 8) /* address size */
			return false;
		if (cursor_u8(cursor) != 0) /* segment selector size */
			return false;
	}
	header_length = cursor_unsigned(cursor, table->offset_size);
	if (cursor->failed || header_length > cursor_left(cursor))
		return false;
	table->program = *cursor;
	table->program.at += header_length;
	cursor->end = table->program.at;
	table->min_insn = cursor_u8(cursor);
	if (table->version >= 4)
		cursor_u8(cursor); /* operations per VLIW instruction */
	table->default_is_stmt = cursor_u8(cursor);
	table->line_base = (int8_t)cursor_u8(cursor);
	table->line_range = cursor_u8(cursor);
	table->opcode_base = cursor_u8(cursor);
	for (unsigned i = 1; i < table->opcode_base; i++)
		table->opcode_lengths[i] = cursor_u8(cursor);
	if (cursor->failed || !table->line_range || !table->opcode_base)
		return false;
	if (table->version >= 5)
		return read_entries(reader, false) &&
		       read_entries(reader, true);
	return read_old_entries(reader);
}

struct line_table *line_table_create(struct bytes section, uint64_t offset,
				     const struct line_strings *strings)
{
	struct line_table *table = xcalloc(1, sizeof(*table));
	struct reader reader = {cursor_at(section, offset), strings, table};
	const uint8_t *start;

	table->offset = offset;
	start = reader.cursor.at;
	table->good = !reader.cursor.failed && read_header(&reader);
	table->header_size = (size_t)(reader.cursor.at - start);
	return table;
}

void line_table_destroy(struct line_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->files.count; i++)
		free(table->files.data[i].path);
	vec_free(&table->files);
	vec_free(&table->directories);
	vec_free(&table->rows);
	free(table);
}

/* The registers of the line number machine (DWARF 5, 6.2.2). */
struct machine {
	struct line_table *table;
	uint64_t address, line, file;
	uint32_t discriminator;
	bool is_stmt, prologue_end;
	size_t sequence; /* index of the first row of the current sequence */
	uint64_t last_line, last_file; /* of the row that was appended last */
	/* one of the rows appended last, which all have this line and file, had
	 * a discriminator */
	bool discriminated;
};

static void reset(struct machine *machine)
{
	machine->address = 0;
	machine->line = 1;
	machine->file = 1;
	machine->discriminator = 0;
	machine->is_stmt = machine->table->default_is_stmt;
	machine->prologue_end = false;
	machine->sequence = machine->table->rows.count;
	machine->last_line = machine->last_file = 0;
	machine->discriminated = false;
}

static uint32_t narrow(uint64_t number, uint32_t otherwise)
{
	return number > UINT32_MAX ? otherwise : (uint32_t)number;
}

/*
 * Keep only the useful rows of the sequence that has just ended. If the linker
 * dropped the code of the sequence, it left 0 or -1 as the address, and the
 * function removes all rows. It also removes rows with the address at which the
 * sequence ends, because the code there does not belong to the sequence. gdb
 * drops these rows, too.
 */
static void finish_sequence(struct machine *machine)
{
	struct line_table *table = machine->table;
	struct line_row *rows = table->rows.data;
	size_t first = machine->sequence, kept = first;
	size_t last = table->rows.count - 1;

	if (rows[first].address > 0 && rows[first].address < UINT64_MAX - 1)
		for (size_t i = first; i < last; i++)
			if (rows[i].address != rows[last].address)
				rows[kept++] = rows[i];
	if (kept > first)
		rows[kept++] = rows[last];
	table->rows.count = kept;
}

/* Append a row with the current values of the machine's registers. `end`: the
 * row ends the sequence. */
static void emit(struct machine *machine, bool end)
{
	struct line_table *table = machine->table;
	bool same = machine->line == machine->last_line &&
		    machine->file == machine->last_file;
	struct line_row row = {
		.address = machine->address,
		.line = narrow(machine->line, 0),
		.file = narrow(machine->file, UINT32_MAX),
		.discriminator = machine->discriminator,
		.is_stmt = machine->is_stmt,
		.prologue_end = machine->prologue_end,
		.end = end,
	};

	if (!same)
		machine->discriminated = false;
	if (machine->discriminator)
		machine->discriminated = true;
	row.repeats = same && machine->discriminated;
	machine->last_line = machine->line;
	machine->last_file = machine->file;
	vec_push(&table->rows, row);
	machine->discriminator = 0;
	machine->prologue_end = false;
	if (end)
		finish_sequence(machine);
}

static void extended(struct machine *machine, struct cursor *program)
{
	struct cursor operands = cursor_take(program, cursor_uleb(program));
	const char *name;

	switch (cursor_u8(&operands)) {
	case DW_LNE_end_sequence:
		emit(machine, true);
		reset(machine);
		break;
	case DW_LNE_set_address:
		machine->address = cursor_u64(&operands);
		break;
	case DW_LNE_define_file:
		name = cursor_string(&operands);
		if (!operands.failed)
			read_file(&operands, name, machine->table);
		break;
	case DW_LNE_set_discriminator:
		machine->discriminator = (uint32_t)cursor_uleb(&operands);
		break;
	default:
		break;
	}
}

static void standard(struct machine *machine, struct cursor *program,
		     unsigned opcode)
{
	const struct line_table *table = machine->table;

	switch (opcode) {
	case DW_LNS_copy:
		emit(machine, false);
		break;
	case DW_LNS_advance_pc:
		machine->address += cursor_uleb(program) * table->min_insn;
		break;
	case DW_LNS_advance_line:
		machine->line += (uint64_t)cursor_sleb(program);
		break;
	case DW_LNS_set_file:
		machine->file = cursor_uleb(program);
		break;
	case DW_LNS_negate_stmt:
		machine->is_stmt = !machine->is_stmt;
		break;
	case DW_LNS_set_prologue_end:
		machine->prologue_end = true;
		break;
	case DW_LNS_const_add_pc:
		machine->address += (uint64_t)(255 - table->opcode_base) /
				    table->line_range * table->min_insn;
		break;
	case DW_LNS_fixed_advance_pc:
		machine->address += cursor_u16(program);
		break;
	default:
		/* DW_LNS_set_column and the other opcodes change nothing that
		 * the reader needs. Step over their operands. */
		for (unsigned i = 0; i < table->opcode_lengths[opcode]; i++)
			cursor_uleb(program);
		break;
	}
}

static void special(struct machine *machine, unsigned opcode)
{
	const struct line_table *table = machine->table;
	unsigned adjusted = opcode - table->opcode_base;

	machine->address +=
		(uint64_t)(adjusted / table->line_range) * table->min_insn;
	machine->line +=
		(uint64_t)(int64_t)(table->line_base +
				    (int)(adjusted % table->line_range));
	emit(machine, false);
}

static int compare(const void *a_, const void *b_)
{
	const struct line_row *a = a_, *b = b_;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->end != b->end)
		return a->end ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* A stretch: consecutive rows of one sequence that are in order already. */
struct stretch {
	const struct line_row *first;
	size_t count;
};
VEC_STRUCT(stretch_list, struct stretch);

static int compare_stretches(const void *a_, const void *b_)
{
	const struct stretch *a = a_, *b = b_;

	return compare(a->first, b->first);
}

static bool follows(const struct stretch *after, const struct stretch *before)
{
	return compare(&before->first[before->count - 1], after->first) < 0;
}

/* Sort the rows by moving whole stretches. False: the addresses of two
 * stretches overlap; the rows are unchanged. */
static bool join(struct line_table *table, struct stretch_list *stretches)
{
	struct line_row *rows;
	size_t used = 0;

	qsort(stretches->data, stretches->count, sizeof(*stretches->data),
	      compare_stretches);
	for (size_t i = 1; i < stretches->count; i++)
		if (!follows(&stretches->data[i], &stretches->data[i - 1]))
			return false;
	rows = xcalloc(table->rows.count, sizeof(*rows));
	for (size_t i = 0; i < stretches->count; i++) {
		const struct stretch *stretch = &stretches->data[i];

		memcpy(rows + used, stretch->first,
		       stretch->count * sizeof(*rows));
		used += stretch->count;
	}
	free(table->rows.data);
	table->rows.data = rows;
	table->rows.capacity = table->rows.count;
	return true;
}

/* Sort the rows, and use that most of them are in order already. In many tables
 * all rows are sorted. If each function has a sequence of its own, the
 * sequences may be in any order, but the rows within each sequence are sorted;
 * it is then enough to sort the sequences. */
static void sort_rows(struct line_table *table)
{
	struct line_row *rows = table->rows.data;
	struct stretch_list stretches = {0};
	bool sorted = true;

	for (size_t i = 0; i < table->rows.count; i++) {
		bool in_order;

		rows[i].order = (uint32_t)i;
		in_order = i && compare(&rows[i - 1], &rows[i]) < 0;
		sorted &= in_order || !i;
		if (!in_order || rows[i - 1].end)
			vec_push(&stretches, (struct stretch){&rows[i], 0});
		stretches.data[stretches.count - 1].count++;
	}
	if (!sorted && !join(table, &stretches))
		qsort(rows, table->rows.count, sizeof(*rows), compare);
	vec_free(&stretches);
}

void line_table_run(struct line_table *table)
{
	struct machine machine = {.table = table};
	struct cursor program = table->program;

	if (table->rows_known || !table->good)
		return;
	table->rows_known = true;
	reset(&machine);
	while (!program.failed && cursor_left(&program)) {
		unsigned opcode = cursor_u8(&program);

		if (opcode >= table->opcode_base)
			special(&machine, opcode);
		else if (opcode == 0)
			extended(&machine, &program);
		else
			standard(&machine, &program, opcode);
	}
	/* The line number program has ended within a sequence. End the sequence
	 * here, because its last row would otherwise be valid for all higher
	 * addresses. */
	if (table->rows.count && !table->rows.data[table->rows.count - 1].end)
		emit(&machine, true);
	sort_rows(table);
}

const char *line_table_path(struct line_table *table, uint32_t file,
			    const char *directory)
{
	struct line_file *entry;
	const char *own = NULL;
	struct str path = {0};
	bool is_whole;

	if (file >= table->files.count)
		return NULL;
	entry = &table->files.data[file];
	if (entry->path)
		return entry->path;
	if (entry->directory < table->directories.count)
		own = table->directories.data[entry->directory];
	if (entry->name[0] != '/') {
		/* Since DWARF 5, directory 0 is the compilation directory,
		 * which may be a relative path itself. */
		is_whole = own && (own[0] == '/' ||
				   (table->version >= 5 && !entry->directory));
		if (!is_whole && directory && *directory)
			str_printf(&path, "%s/", directory);
		if (own && *own)
			str_printf(&path, "%s/", own);
	}
	str_append(&path, entry->name);
	entry->path = str_take(&path);
	return entry->path;
}

size_t line_table_upper_bound(const struct line_table *table, uint64_t address)
{
	size_t low;

	SEARCH_FIRST(low, table->rows.count,
		     table->rows.data[low].address > address);
	return low;
}
