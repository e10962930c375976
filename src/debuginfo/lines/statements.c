/*
 * statements.c - where the statements of a function begin, as far as its line
 * table says it
 *
 * An optimizing gcc marks the instruction at which a statement begins, in the
 * order of the source, whatever has become of the statement's own instructions.
 * A row without this mark only says which line an instruction belongs to. Other
 * compilers mark each change of the line.
 */
#include <stdlib.h>
#include <string.h>

#include "debuginfo/scopes/scopes.h"
#include "lines.h"
#include "perftool/base/search.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/code_lines.h"

/* The lines from `first` to `last` of a source file. */
struct extent {
	const char *path;
	uint32_t first, last;
};

/* The last line before the next function that is written in the file. What is
 * written inside of the function (a lambda) is none: its DIE is below that of
 * the function, and code of it that is elsewhere refers to that DIE and has no
 * line of its own. */
static void find_last(struct debugfile *file, struct unit *unit,
		      struct extent *extent)
{
	struct die_walk walk;

	extent->last = UINT32_MAX;
	if (!die_walk_unit(&walk, file, unit))
		return;
	while (die_walk_next(&walk)) {
		const char *path;
		uint64_t own;
		uint32_t line;

		if (die_tag(&walk.die) == DW_TAG_subprogram) {
			if (die_constant(file, &walk.die, DW_AT_decl_line,
					 &own) &&
			    die_written(file, &walk.die, &path, &line) &&
			    line > extent->first && line <= extent->last &&
			    str_equal(path, extent->path))
				extent->last = line - 1;
			die_walk_skip(&walk);
		} else if (!holds_functions(die_tag(&walk.die))) {
			die_walk_skip(&walk);
		}
	}
}

static bool find_extent(struct debugfile *file, struct unit *unit,
			const struct function *function, struct extent *out)
{
	if (!debugfile_written_at(file, function->address, &out->path,
				  &out->first))
		return false;
	find_last(file, unit, out);
	return true;
}

static bool is_within(struct line_table *table, const struct unit *unit,
		      const struct line_row *row, const struct extent *extent)
{
	const char *path;

	if (row->line < extent->first || row->line > extent->last)
		return false;
	path = line_table_path(table, row->file, unit->directory);
	return path && str_equal(path, extent->path);
}

static void add_range(struct unit *unit, struct line_table *table,
		      const struct range *range, const struct extent *extent,
		      struct statement_list *out)
{
	size_t i =
		range->low ? line_table_upper_bound(table, range->low - 1) : 0;
	uint32_t line = 0;

	for (; i < table->rows.count; i++) {
		const struct line_row *row = &table->rows.data[i];

		if (row->address >= range->high)
			break;
		if (row->end || !row->line)
			continue;
		out->are_marked |= !row->is_stmt && line && row->line != line;
		line = row->line;
		if (row->is_stmt && is_within(table, unit, row, extent))
			vec_push(&out->list,
				 (struct statement){row->address, row->line});
	}
}

struct error *debugfile_statements(struct debugfile *file,
				   const struct function *function,
				   struct statement_list *out)
{
	struct unit *unit = unit_at(file, function->address);
	struct line_table *table = unit ? unit_lines(file, unit) : NULL;
	struct range_list ranges = {0};
	struct extent extent;
	struct error *error;

	*out = (struct statement_list){0};
	if (!table || !find_extent(file, unit, function, &extent))
		return NULL;
	out->path = extent.path;
	out->first = extent.first;
	out->last = extent.last;
	error = debugfile_function_ranges(file, function, &ranges);
	for (size_t i = 0; !error && i < ranges.count; i++)
		add_range(unit, table, &ranges.data[i], &extent, out);
	vec_free(&ranges);
	return error;
}

size_t statements_at(const struct statement_list *statements, uint64_t address,
		     const struct statement **first)
{
	size_t from = 0, count = 0;

	SEARCH_FIRST(from, statements->list.count,
		     statements->list.data[from].address >= address);
	*first = statements->list.data + from;
	while (from + count < statements->list.count &&
	       (*first)[count].address == address)
		count++;
	return count;
}
