/*
 * symbol_text.c - writes the name of the function or data object at an address
 * as gdb does: <NAME+OFFSET>
 */
#include <string.h>

#include "debuginfo/symbols/symbols.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/debug_variables.h"
#include "perftool/debugtype.h"

/*
 * Append a function's name as it is in the source. If debug information
 * describes the function, the suffix of a copy that the compiler made
 * (".isra.0", " [clone ...]") is left out. A C++ function gets its parameters
 * even if it is linked by its plain name, as main is.
 */
static void append_function(struct debugfile *file, uint64_t address,
			    const char *name, struct str *out)
{
	struct debugtype *type = debugfile_function_type(file, address);
	const char *copy = strstr(name, " [clone "), *at;
	int depth = 0;

	if (!copy && !strchr(name, '('))
		copy = strchr(name, '.');
	if (!type || !copy)
		copy = name + strlen(name);
	str_append_n(out, name, (size_t)(copy - name));
	if (!type || strchr(name, '(') ||
	    debugfile_language(file, address) != LANGUAGE_C_PLUS_PLUS)
		return;
	/* Find the last pair of parentheses, as in `int (char, int
	 * (*)(void))`. */
	at = debugtype_name(type);
	for (at += strlen(at); at > debugtype_name(type);) {
		at--;
		depth += (*at == ')') - (*at == '(');
		if (depth == 0)
			break;
	}
	str_append(out, str_equal(at, "(void)") ? "()" : at);
}

bool debugfile_append_symbol(struct debugfile *file, uint64_t address,
			     struct str *out)
{
	CLEANUP(free_pointer) char *name = NULL;
	const struct object *object;
	struct function function = {0};
	uint64_t offset;

	if (debugfile_function_at(file, address, &function)) {
		if (!function.name)
			return false;
		name = debugfile_demangle(file, function.name);
		offset = address - function.address;
	} else {
		object = objects_at(file, address);
		if (!object)
			return false;
		name = debuginfo_demangle(object->name);
		offset = address - object->address;
	}
	str_append(out, " <");
	if (function.name)
		append_function(file, address, name, out);
	else
		str_append(out, name);
	str_printf(out, offset ? "+%lu>" : ">", offset);
	return true;
}
