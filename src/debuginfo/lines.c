/*
 * lines.c - see lines.h; from addresses to source lines and back
 *
 * A table is read once and shared by the units that name it. FILE:LINE looks
 * at the headers of all tables, but runs only those that know the file.
 */
#include "lines.h"

#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "scopes.h"
#include "symbols.h"

/* Take `bytes` off the budget for reading line tables; false: it is spent,
 * which only tables that overlap can do. */
static bool spend(struct debugfile *file, uint64_t bytes)
{
	struct dwarf *dwarf = file->dwarf;

	if (bytes > dwarf->line_budget)
		return false;
	dwarf->line_budget -= bytes;
	return true;
}

struct line_table *unit_line_header(struct debugfile *file, struct unit *unit)
{
	struct line_strings strings;
	struct line_table *table;
	struct bytes section;
	struct map *tables;

	/* lines have to do with addresses: they are not split off */
	if (unit->skeleton)
		unit = unit->skeleton;
	if (!unit_read_root(file, unit) || unit->line_offset == NO_OFFSET)
		return NULL;
	section = unit_section(unit, SECTION_LINE);
	if (unit->line_offset >= section.size)
		return NULL;
	tables = &unit->source->line_tables;
	table = map_get(tables, unit->line_offset);
	if (!table) {
		strings.line_str = unit_section(unit, SECTION_LINE_STR);
		strings.str = unit_section(unit, SECTION_STR);
		table = line_table_create(section, unit->line_offset, &strings);
		if (table->good && !spend(file, table->header_size))
			table->good = false;
		map_set(tables, unit->line_offset, table);
	}
	return table->good ? table : NULL;
}

struct line_table *unit_lines(struct debugfile *file, struct unit *unit)
{
	struct line_table *table = unit_line_header(file, unit);

	if (!table)
		return NULL;
	if (!table->rows_known) {
		if (!spend(file, cursor_left(&table->program)))
			return NULL;
		line_table_run(table);
	}
	return table;
}

const struct line_row *line_row_at(const struct line_table *table,
				   uint64_t address)
{
	size_t i = line_table_upper_bound(table, address);
	const struct line_row *row, *best;

	if (!i)
		return NULL;
	row = &table->rows.data[i - 1];
	if (row->end || !row->line)
		return NULL;
	/* of several rows of one address, a statement says more */
	for (best = row; best > table->rows.data && !best->is_stmt &&
			 best[-1].address == row->address && !best[-1].end;
	     best--)
		;
	return best->is_stmt && best->line ? best : row;
}

bool debugfile_source_at(struct debugfile *file, uint64_t address,
			 const char **path, uint32_t *line)
{
	struct unit *unit = unit_at(file, address);
	struct line_table *table = unit ? unit_lines(file, unit) : NULL;
	const struct line_row *row = table ? line_row_at(table, address) : NULL;
	const char *name;

	if (!row)
		return false;
	name = line_table_path(table, row->file, unit->directory);
	if (!name)
		return false;
	*path = name;
	*line = row->line;
	return true;
}

bool die_call_site(struct debugfile *file, const struct die *call,
		   const char **path, uint32_t *line)
{
	struct line_table *table = unit_lines(file, call->unit);
	uint64_t index, number;

	die_constant(file, call, DW_AT_call_file, &index);
	die_constant(file, call, DW_AT_call_line, &number);
	if (!table || index > UINT32_MAX || number > UINT32_MAX)
		return false;
	*path = line_table_path(table, (uint32_t)index, call->unit->directory);
	*line = (uint32_t)number;
	return *path != NULL;
}

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

/* Which files of a table are meant: a flag for each, or NULL: none. */
static bool *matching_files(struct line_table *table, const struct unit *unit,
			    const char *wanted)
{
	const char *base = strrchr(wanted, '/');
	bool *matches = NULL;

	base = base ? base + 1 : wanted;
	for (uint32_t i = 0; i < table->files.count; i++) {
		const char *name = table->files.data[i].name;
		const char *last = strrchr(name, '/'), *path;

		if (!str_equal(last ? last + 1 : name, base))
			continue;
		path = line_table_path(table, i, unit->directory);
		if (!path || !debugfile_path_matches(path, wanted))
			continue;
		if (!matches)
			matches = xcalloc(table->files.count, sizeof(bool));
		matches[i] = true;
	}
	return matches;
}

/* A unit that knows the file. */
struct candidate {
	struct unit *unit;
	struct line_table *table;
	bool *files;
};
VEC_STRUCT(candidate_list, struct candidate);

static void find_candidates(struct debugfile *file, const char *name,
			    struct candidate_list *out)
{
	const struct source *source = file_dwarf(file)->main;
	struct map seen = {0};

	for (size_t i = 0; i < source->unit_count; i++) {
		struct unit *unit = &source->units[i];
		struct candidate candidate = {.unit = unit};

		if (unit->type == DW_UT_type)
			continue;
		candidate.table = unit_line_header(file, unit);
		if (!candidate.table || map_get(&seen, candidate.table->offset))
			continue;
		map_set(&seen, candidate.table->offset, candidate.table);
		candidate.files = matching_files(candidate.table, unit, name);
		if (!candidate.files)
			continue;
		if (!unit_lines(file, unit)) {
			free(candidate.files);
			continue;
		}
		vec_push(out, candidate);
	}
	map_deinit(&seen);
}

/* Is the row a place to break at, in one of the files meant? */
static bool is_place(const struct debugfile *file,
		     const struct candidate *candidate,
		     const struct line_row *row)
{
	return row->is_stmt && !row->end && row->line &&
	       row->file < candidate->table->files.count &&
	       candidate->files[row->file] && file_is_code(file, row->address);
}

/* A place found, and the DIE of the function or inlined call around it. */
struct found {
	struct line_place place;
	uint64_t scope;
};
VEC_STRUCT(found_list, struct found);

static void add_row(struct debugfile *file, const struct candidate *candidate,
		    const struct line_row *row, struct found_list *found)
{
	struct unit *unit = unit_at(file, row->address);
	uint64_t scope = NO_OFFSET;
	const struct scopes *scopes;
	uint32_t index;

	if (!unit)
		unit = candidate->unit;
	scopes = unit_scopes(file, unit);
	index = scopes_at(scopes, row->address);
	if (index != NO_SCOPE) {
		scope = scopes->list.data[index].die;
	} else {
		const struct symbol *symbol = symbols_at(file, row->address);

		/* no DIE number can be that high: sections are smaller */
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
						candidate->unit->directory)},
				       scope});
}

/* The first line from `line` on that has code, or 0. */
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

			if (row->line >= line && (!best || row->line < best) &&
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

			if (row->line == actual &&
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

void debugfile_each_source(struct debugfile *file, debugfile_visit_fn *visit,
			   void *context)
{
	const struct source *source = file_dwarf(file)->main;
	struct strmap seen = {0};
	struct map tables = {0}; /* units may share one */
	bool more = true;

	for (size_t i = 0; more && i < source->unit_count; i++) {
		struct unit *unit = &source->units[i];
		struct line_table *table = unit_line_header(file, unit);

		if (!table || map_get(&tables, table->offset))
			continue;
		map_set(&tables, table->offset, table);
		for (uint32_t j = 0; more && j < table->files.count; j++) {
			const char *path;

			if (!*table->files.data[j].name)
				continue;
			path = line_table_path(table, j, unit->directory);
			if (!path || strmap_get(&seen, path))
				continue;
			strmap_set(&seen, path, unit);
			more = visit(context, path);
		}
	}
	map_deinit(&tables);
	strmap_deinit(&seen);
}
