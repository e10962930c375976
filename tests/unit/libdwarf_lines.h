/*
 * libdwarf_lines.h - the rows of line tables, as libdwarf reads them
 */
#ifndef LIBDWARF_LINES_H
#define LIBDWARF_LINES_H

#include "libdwarf_lists.h"

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
	if (directory[0] == '/' || !index) /* directory 0 is the unit's */
		return oracle_printf(oracle, "%s/%s", directory, name);
	return oracle_printf(oracle, "%s/%s/%s", unit_directory, directory,
			     name);
}

/* The path without its first part, if that is a relative directory that follows
 * once more, or NULL: libdwarf 0.5 joins the compilation directory with itself.
 */
static inline const char *oracle_once(const char *path)
{
	for (const char *at = path; *path != '/' && (at = strchr(at, '/'));
	     at++) {
		size_t length = (size_t)(at + 1 - path);

		if (length > 2 && strncmp(at + 1, path, length) == 0)
			return at + 1;
	}
	return NULL;
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
		Dwarf_Unsigned line, file, isa, discriminator;
		Dwarf_Bool is_stmt, end, prologue_ends, epilogue_begins;
		Dwarf_Addr address;
		char *path;

		dwarf_lineaddr(lines[i], &address, NULL);
		dwarf_lineno(lines[i], &line, NULL);
		dwarf_line_srcfileno(lines[i], &file, NULL);
		dwarf_linebeginstatement(lines[i], &is_stmt, NULL);
		dwarf_lineendsequence(lines[i], &end, NULL);
		/* libdwarf 0.11 says so of the begin of an epilogue, too */
		dwarf_prologue_end_etc(lines[i], &prologue_ends,
				       &epilogue_begins, &isa, &discriminator,
				       NULL);
		end = end && !epilogue_begins;
		row.path = map_get(&paths, file);
		if (!row.path &&
		    dwarf_linesrc(lines[i], &path, NULL) == DW_DLV_OK) {
			row.path = oracle_keep(oracle, path);
			map_set(&paths, file, (void *)row.path);
			dwarf_dealloc(oracle->dbg, path, DW_DLA_STRING);
		}
		if (may_be_zero && !file)
			row.other_path = first_file;
		else if (row.path)
			row.other_path = oracle_once(row.path);
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

#endif
