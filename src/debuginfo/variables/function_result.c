/*
 * function_result.c - the result of a function as a variable; also the type and
 * the language of a function
 */
#include "debuginfo/frames/frames.h"
#include "debuginfo/scopes/scopes.h"
#include "debuginfo/types/types.h"
#include "perftool/base/alloc.h"
#include "perftool/debuginfo/debug_variables.h"
#include "variable.h"

struct error *debugfile_find_return(struct debugfile *file, uint64_t address,
				    struct variable **out)
{
	struct variable *variable;
	struct entry_place place;
	struct die function;

	if (!function_at(file, address, &function))
		return error_create(ERROR_NOT_FOUND,
				    "what the function returns is not known");
	TRY(entry_find_result(file, &function, &place));
	variable = xcalloc(1, sizeof(*variable));
	*variable = (struct variable){
		.file = file,
		.unit = function.unit,
		.type = debugtype_of(file, &function),
		.is_local = true,
		.address = address,
		.source = SOURCE_ENTRY,
		.entry = place,
	};
	*out = variable;
	return NULL;
}

struct debugtype *debugfile_function_type(struct debugfile *file,
					  uint64_t address)
{
	struct die function, origin;

	if (!function_at(file, address, &function))
		return NULL;
	/* A copy of a function may lack parameters, so the original is used. */
	if (die_reference(file, &function, DW_AT_abstract_origin, &origin))
		function = origin;
	return debugtype_at(file, function);
}

enum debugfile_language debugfile_language(struct debugfile *file,
					   uint64_t address)
{
	const struct unit *unit = unit_at(file, address);

	if (unit && unit->language == DW_LANG_Rust)
		return LANGUAGE_RUST;
	return unit && unit_is_c_plus_plus(unit) ? LANGUAGE_C_PLUS_PLUS
						 : LANGUAGE_C;
}
