/*
 * source_statements.h - the statements of the functions whose source lines are
 * counted
 */
#ifndef SESSION_SOURCE_STATEMENTS_H
#define SESSION_SOURCE_STATEMENTS_H

#include "perftool/base/vec.h"
#include "perftool/debuginfo.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/probe.h"

/* The statements of one function. */
struct function_statements {
	const struct module *module; /* with the address of the function: which
					function it is */
	uint64_t address;
	struct statement_list statements;
	uint32_t *lines; /* those of the statements, in the same order */
};

VEC_STRUCT(source_statements, struct function_statements *);

/* Find the statements of the function that the place is in, which are read if
 * they have not been read yet. */
const struct function_statements *
source_statements_of(struct source_statements *known,
		     const struct place *place);
/* Find the lines of the statements that begin at an address of the file; the
 * result is their number. */
size_t lines_begun(const struct function_statements *function, uint64_t address,
		   const uint32_t **lines);
void source_statements_deinit(struct source_statements *known);

#endif
