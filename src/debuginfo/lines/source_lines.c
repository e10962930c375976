/*
 * source_lines.c - finds the addresses of a source line
 *
 * For FILE:LINE the reader looks at the headers of all line tables. It decodes
 * only the tables that have the file, and reads only the compilation units of
 * the code that it has found. From DWARF 5 on it goes through the tables in the
 * order of .debug_line, without reading their units. Before DWARF 5 it has to
 * find the tables by reading the root DIEs of all units, because only a unit's
 * root DIE has the compilation directory, with which relative paths in the
 * table begin.
 */
#include <string.h>

#include "debuginfo/scopes/scopes.h"
#include "debuginfo/symbols/symbols.h"
#include "lines.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/code_lines.h"

/* ---- the tables ---------------------------------------------------------- */

/* A line table, and the compilation directory, with which relative paths in the
 * table begin (may be NULL). */
struct placed_table {
	struct line_table *table;
	const char *directory;
};
VEC_STRUCT(placed_table_list, struct placed_table);

/* List the line tables in the order of .debug_line, without reading the units.
 * False: a table is of a version before 5, so it does not have the compilation
 * directory, or it is broken. */
static bool list_tables(struct source *source, struct placed_table_list *out)
{
	uint64_t size = source_section(source, SECTION_LINE).size, offset = 0;

	while (offset < size) {
		struct line_table *table = line_header(source, offset);

		if (!table->good || table->version < 5 ||
		    !table->directories.count)
			return false;
		vec_push(out, (struct placed_table){
				      table, table->directories.data[0]});
		offset = table->end;
	}
	return true;
}

static void list_tables_of_units(struct debugfile *file,
				 struct placed_table_list *out)
{
	struct source *source = file->dwarf->main;
	struct map seen = {0}; /* several units may share one table */

	source_complete(source);
	for (size_t i = 0; i < source->units.count; i++) {
		struct unit *unit = source->units.data[i];
		struct line_table *table;

		if (unit->type == DW_UT_type)
			continue;
		table = unit_line_header(file, unit);
		if (!table || map_get(&seen, table->offset))
			continue;
		map_set(&seen, table->offset, table);
		vec_push(out, (struct placed_table){table, unit->directory});
	}
	map_deinit(&seen);
}

/* List the line tables of all units in the program's own file (not of those in
 * .dwo files). */
static void find_tables(struct debugfile *file, struct placed_table_list *out)
{
	if (list_tables(file_dwarf(file)->main, out))
		return;
	out->count = 0;
	list_tables_of_units(file, out);
}

/* ---- FILE:LINE ----------------------------------------------------------- */

bool debugfile_path_matches(const char *path, const char *wanted)
{
	size_t path_length = strlen(path), length;

	while (str_starts(wanted, "./"))
		wanted += 2;
	length = strlen(wanted);
	if (!length || length > path_length ||
	    !str_equal(path + path_length - length, wanted))
		return false;
	return length == path_length || wanted[0] == '/' ||
	       path[path_length - length - 1] == '/';
}

/* Which source files of the table match the path `wanted`? The result has a
 * flag for each file, for the caller to free; NULL: no file matches. */
static bool *matching_files(const struct placed_table *placed,
			    const char *wanted)
{
	struct line_table *table = placed->table;
	const char *base = strrchr(wanted, '/');
	bool *matches = NULL;

	base = base ? base + 1 : wanted;
	for (uint32_t i = 0; i < table->files.count; i++) {
		const char *name = table->files.data[i].name;
		const char *last = strrchr(name, '/'), *path;

		if (!str_equal(last ? last + 1 : name, base))
			continue;
		path = line_table_path(table, i, placed->directory);
		if (!path || !debugfile_path_matches(path, wanted))
			continue;
		if (!matches)
			matches = xcalloc(table->files.count, sizeof(bool));
		matches[i] = true;
	}
	return matches;
}

/* A line table that has the source file that is searched for. `files` has a
 * flag for each file of the table: does it match? */
struct candidate {
	struct line_table *table;
	const char *directory;
	bool *files;
};
VEC_STRUCT(candidate_list, struct candidate);

static void find_candidates(struct debugfile *file, const char *name,
			    struct candidate_list *out)
{
	struct placed_table_list tables = {0};

	find_tables(file, &tables);
	for (size_t i = 0; i < tables.count; i++) {
		struct placed_table *placed = &tables.data[i];
		bool *files = matching_files(placed, name);

		if (files && line_rows(file, placed->table))
			vec_push(out,
				 (struct candidate){placed->table,
						    placed->directory, files});
		else
			free(files);
	}
	vec_free(&tables);
}

/* Can a breakpoint be at the address of the row, and does the row belong to a
 * source file that matches? */
static bool is_place(const struct debugfile *file,
		     const struct candidate *candidate,
		     const struct line_row *row)
{
	return row->is_stmt && !row->end && row->line &&
	       row->file < candidate->table->files.count &&
	       candidate->files[row->file] && file_is_code(file, row->address);
}

/* An address of the line, and the offset of the DIE of the innermost block
 * around this address. One address is kept for each block. */
struct found {
	struct line_place place;
	uint64_t scope;
};
VEC_STRUCT(found_list, struct found);

static void add_row(struct debugfile *file, const struct candidate *candidate,
		    const struct line_row *row, struct found_list *found)
{
	struct unit *unit = unit_at(file, row->address);
	uint64_t scope = unit ? block_at(file, unit, row->address) : NO_OFFSET;

	if (scope == NO_OFFSET) {
		const struct symbol *symbol = symbols_at(file, row->address);

		/* If no DIE describes the code, the address of its symbol
		 * identifies the block. The high bit distinguishes it from
		 * offsets of DIEs, which are never so large. */
		if (symbol)
			scope = symbol->address | 1ULL << 63;
	}
	for (size_t i = 0; i < found->count; i++) {
		struct found *other = &found->data[i];

		if (other->scope != scope &&
		    other->place.address != row->address)
			continue;
		if (row->address < other->place.address) {
			other->place.address = row->address;
			other->scope = scope;
		}
		return;
	}
	vec_push(found, (struct found){{.address = row->address,
					.line = row->line,
					.file = line_table_path(
						candidate->table, row->file,
						candidate->directory)},
				       scope});
}

/* The first line from `line` on that has code in one of the candidates, or
 * 0. */
static uint32_t line_with_code(const struct debugfile *file,
			       const struct candidate_list *candidates,
			       uint32_t line)
{
	uint32_t best = 0;

	for (size_t i = 0; i < candidates->count; i++) {
		const struct candidate *candidate = &candidates->data[i];

		for (size_t j = 0; j < candidate->table->rows.count; j++) {
			const struct line_row *row =
				&candidate->table->rows.data[j];

			if (row->line >= line && !row->repeats &&
			    (!best || row->line < best) &&
			    is_place(file, candidate, row))
				best = row->line;
		}
	}
	return best;
}

static int compare_places(const void *a_, const void *b_)
{
	const struct line_place *a = a_, *b = b_;

	return a->address < b->address ? -1 : a->address > b->address;
}

struct error *debugfile_find_line(struct debugfile *file, const char *name,
				  uint32_t line, struct line_list *out)
{
	struct candidate_list candidates = {0};
	struct found_list found = {0};
	size_t first = out->count;
	uint32_t actual;

	find_candidates(file, name, &candidates);
	actual = line_with_code(file, &candidates, line ? line : 1);
	for (size_t i = 0; actual && i < candidates.count; i++) {
		const struct candidate *candidate = &candidates.data[i];

		for (size_t j = 0; j < candidate->table->rows.count; j++) {
			const struct line_row *row =
				&candidate->table->rows.data[j];

			if (row->line == actual && !row->repeats &&
			    is_place(file, candidate, row))
				add_row(file, candidate, row, &found);
		}
	}
	for (size_t i = 0; i < found.count; i++)
		vec_push(out, found.data[i].place);
	if (found.count)
		qsort(out->data + first, out->count - first, sizeof(*out->data),
		      compare_places);
	for (size_t i = 0; i < candidates.count; i++)
		free(candidates.data[i].files);
	vec_free(&candidates);
	vec_free(&found);
	return NULL;
}

/* ---- files --------------------------------------------------------------- */

void debugfile_each_source(struct debugfile *file, debugfile_visit_fn *visit,
			   void *context)
{
	struct placed_table_list tables = {0};
	struct strmap seen = {0};
	bool more = true;

	find_tables(file, &tables);
	for (size_t i = 0; more && i < tables.count; i++) {
		struct line_table *table = tables.data[i].table;

		for (uint32_t j = 0; more && j < table->files.count; j++) {
			const char *path;

			if (!*table->files.data[j].name)
				continue;
			path = line_table_path(table, j,
					       tables.data[i].directory);
			if (!path || strmap_get(&seen, path))
				continue;
			strmap_set(&seen, path, table);
			more = visit(context, path);
		}
	}
	vec_free(&tables);
	strmap_deinit(&seen);
}
