/*
 * source_statements.c - see source_statements.h
 */
#include "source_statements.h"

#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/probe/loaded_modules.h"

static struct function_statements *read_statements(const struct place *place)
{
	struct function_statements *out = xcalloc(1, sizeof(*out));
	struct debugfile *file =
		place->module ? module_file(place->module) : NULL;

	out->module = place->module;
	out->address = place->function.address;
	/* (Without a file or if it is broken, there are none.) */
	if (file)
		error_destroy(debugfile_statements(file, &place->function,
						   &out->statements));
	out->lines =
		xcalloc(out->statements.list.count + 1, sizeof(*out->lines));
	for (size_t i = 0; i < out->statements.list.count; i++)
		out->lines[i] = out->statements.list.data[i].line;
	return out;
}

const struct function_statements *
source_statements_of(struct source_statements *known, const struct place *place)
{
	struct function_statements *out;

	for (size_t i = 0; i < known->count; i++) {
		out = known->data[i];
		if (out->module == place->module &&
		    out->address == place->function.address)
			return out;
	}
	out = read_statements(place);
	vec_push(known, out);
	return out;
}

size_t lines_begun(const struct function_statements *function, uint64_t address,
		   const uint32_t **lines)
{
	const struct statement *first;
	size_t count = statements_at(&function->statements, address, &first);

	*lines = count ? function->lines +
				 (first - function->statements.list.data)
		       : NULL;
	return count;
}

void source_statements_deinit(struct source_statements *known)
{
	for (size_t i = 0; i < known->count; i++) {
		vec_free(&known->data[i]->statements.list);
		free(known->data[i]->lines);
		free(known->data[i]);
	}
	vec_free(known);
}
