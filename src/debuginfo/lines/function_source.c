/* function_source.c - see function_source.h */
#include "function_source.h"

#include <string.h>

#include "debuginfo/scopes/scopes.h"
#include "debuginfo/symbols/symbols.h"
#include "lines.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/code_lines.h"

/* The most references to originals and declarations that are followed. In a
 * broken file they may form a circle. */
#define MAX_HOPS 16

bool die_written(struct debugfile *file, const struct die *die,
		 const char **path, uint32_t *line)
{
	struct die current = *die, next;
	struct line_table *table;
	uint64_t index, number;
	bool has_line;
	int hops = 0;

	/* The meaning of a file number depends on the unit of the DIE that has
	 * the attribute. die_inherited() does not tell this DIE, so it is
	 * searched for here. A definition in the file of its declaration has
	 * only a line of its own. */
	has_line = die_constant(file, &current, DW_AT_decl_line, &number);
	while (!die_constant(file, &current, DW_AT_decl_file, &index)) {
		if ((!die_reference(file, &current, DW_AT_abstract_origin,
				    &next) &&
		     !die_reference(file, &current, DW_AT_specification,
				    &next)) ||
		    hops++ >= MAX_HOPS)
			return false;
		current = next;
		has_line = has_line || die_constant(file, &current,
						    DW_AT_decl_line, &number);
	}
	table = unit_line_header(file, current.unit);
	if (!table || index > UINT32_MAX || number > UINT32_MAX)
		return false;
	*path = line_table_path(table, (uint32_t)index,
				current.unit->directory);
	*line = (uint32_t)number;
	return *path != NULL;
}

/* Read the DIE of the scope with this index in the unit's list of scopes.
 * False: the scope is NO_SCOPE, or its DIE cannot be read. */
static bool read_scope(struct debugfile *file, struct unit *unit,
		       uint32_t index, struct die *out)
{
	const struct scopes *scopes = unit_scopes(file, unit);

	return index != NO_SCOPE &&
	       die_read(file, unit, scopes->list.data[index].die, out) &&
	       out->abbrev;
}

const struct line_row *written_row(struct debugfile *file, struct unit *unit,
				   struct line_table *table,
				   const struct line_row *row)
{
	const struct line_row *rows = table->rows.data;
	const struct line_row *first = row, *last = row;
	const char *path, *other;
	bool several = false;
	struct die die;
	uint32_t line;

	while (first > rows && first[-1].address == row->address &&
	       !first[-1].end)
		first--;
	while (last + 1 < rows + table->rows.count &&
	       last[1].address == row->address && !last[1].end)
		last++;
	for (const struct line_row *at = first; at <= last; at++)
		several |= at->file != row->file;
	if (!several ||
	    !read_scope(file, unit,
			scopes_at(unit_scopes(file, unit), row->address),
			&die) ||
	    !die_written(file, &die, &path, &line))
		return row;
	/* Take the last statement that is of the file `path`. The rows before
	 * it belong to inlined calls of which no code is left. */
	for (const struct line_row *at = last + 1; at-- > first;) {
		other = line_table_path(table, at->file, unit->directory);
		if (at->is_stmt && at->line && other && str_equal(other, path))
			return at;
	}
	return row;
}

bool debugfile_written_at(struct debugfile *file, uint64_t address,
			  const char **path, uint32_t *line)
{
	struct unit *unit = unit_at(file, address);
	struct die die;

	return unit &&
	       read_scope(file, unit,
			  scopes_function_at(unit_scopes(file, unit), address),
			  &die) &&
	       die_written(file, &die, path, line);
}

/* Does the row belong to the source file `path`? */
static bool is_row_of(struct line_table *table, const struct unit *unit,
		      const struct line_row *row, const char *path)
{
	const char *name = line_table_path(table, row->file, unit->directory);

	return name && str_equal(name, path);
}

bool debugfile_opening(struct debugfile *file, const struct function *function,
		       const char **path, uint32_t *line)
{
	struct unit *unit = unit_at(file, function->address);
	struct line_table *table = unit ? unit_lines(file, unit) : NULL;
	const struct line_row *row;
	size_t first;

	if (!table ||
	    !debugfile_written_at(file, function->address, path, line))
		return false;
	row = line_row_at(table, function->address);
	if (row && is_row_of(table, unit, row, *path)) {
		*line = row->line;
		return true;
	}
	first = line_table_upper_bound(table, function->address);
	while (first &&
	       table->rows.data[first - 1].address == function->address)
		first--;
	for (size_t i = first; i < table->rows.count; i++) {
		row = &table->rows.data[i];
		if (row->address - function->address >= function->size)
			break;
		if (row->is_stmt && !row->end && row->line &&
		    is_row_of(table, unit, row, *path)) {
			*line = row->line;
			break;
		}
	}
	return true;
}

bool debugfile_is_written_in(struct debugfile *file, uint64_t address,
			     const char *inlined, const char *source)
{
	struct unit *unit = unit_at(file, address);
	const struct scopes *scopes = unit ? unit_scopes(file, unit) : NULL;
	uint32_t index = scopes ? scopes_at(scopes, address) : NO_SCOPE, line;
	struct pattern pattern;
	bool found = false;
	const char *path;
	struct die die;

	if (!inlined || index == NO_SCOPE)
		return (debugfile_written_at(file, address, &path, &line) ||
			debugfile_source_at(file, address, &path, &line)) &&
		       debugfile_path_matches(path, source);
	pattern_init(&pattern, inlined);
	for (; !found && index != NO_SCOPE && scopes->list.data[index].inlined;
	     index = scopes->list.data[index].parent) {
		const char *name;

		if (!read_scope(file, unit, index, &die))
			break;
		name = die_linkage_name(file, &die);
		found = name &&
			(pattern_matches(&pattern, name) ||
			 qualified_matches(file, &die, &pattern)) &&
			die_written(file, &die, &path, &line) &&
			debugfile_path_matches(path, source);
	}
	pattern_deinit(&pattern);
	return found;
}
