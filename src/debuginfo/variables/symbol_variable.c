/*
 * symbol_variable.c - makes a variable from a symbol, and finds the names by
 * which a library exports a variable
 */
#include "debuginfo/elf/elf.h"
#include "perftool/base/alloc.h"
#include "perftool/debuginfo/debug_variables.h"
#include "variable.h"

/* Find the variable's address in the file. False: the variable is thread-local,
 * a local of a function, or has no fixed address. */
static bool static_address(const struct variable *variable, uint64_t *out)
{
	struct cursor cursor = cursor_at(variable->location, 0);

	if (variable->source == SOURCE_SYMBOL) {
		*out = variable->symbol.address;
		return !variable->symbol.is_thread_local;
	}
	if (variable->source != SOURCE_LOCATION || variable->is_local)
		return false;
	switch (cursor_u8(&cursor)) {
	case DW_OP_addr:
		*out = cursor_u64(&cursor);
		break;
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		if (!unit_address(variable->unit, cursor_uleb(&cursor), out))
			return false;
		break;
	default:
		return false;
	}
	return !cursor.failed && !cursor_left(&cursor);
}

char *variable_exported(const struct variable *variable, size_t index)
{
	uint64_t address;

	if (!variable->is_external || !static_address(variable, &address) ||
	    dynamic_is_symbolic(variable->file))
		return NULL;
	return debugfile_exported_at(variable->file, address, index);
}

struct variable *debugfile_variable_at(struct debugfile *file,
				       const struct data_symbol *symbol,
				       struct debugtype *type)
{
	struct variable *variable = xcalloc(1, sizeof(*variable));
	uint64_t size;

	if (!type)
		type = debugfile_make_type(
			file,
			symbol->is_thread_local
				? "<thread local variable, no debug info>"
				: "<data variable, no debug info>",
			DEBUGTYPE_OTHER, symbol->size, false, NULL);
	/* `extern int list[];` has no length, but the symbol has a size. */
	else if (debugtype_kind(type) == DEBUGTYPE_ARRAY &&
		 !debugtype_size(type) &&
		 (size = debugtype_size(debugtype_target(type))) != 0 &&
		 symbol->size)
		type = debugtype_sized(type, debugtype_target(type),
				       symbol->size / size);
	variable->file = file;
	variable->type = type;
	variable->is_external = true;
	variable->source = SOURCE_SYMBOL;
	variable->symbol = *symbol;
	return variable;
}
