/*
 * availability.c - see availability.h
 *
 * The user has asked for a variable at an address where it has no value. This
 * file searches the code that follows for a line where the variable has a
 * value. The search happens only when the tool writes a message for the user,
 * so it need not be fast, but it is bounded.
 */
#include "availability.h"
#include "perftool/debuginfo/code_lines.h"

#include <string.h>

#include "debuginfo/locations/locations.h"

#define FAR 4096    /* the most bytes of code that are searched */
#define MAX_LINES 8 /* the most lines that are tested */

static bool is_somewhere(struct debugfile *file, const struct die *variable,
			 uint64_t address)
{
	struct bytes expression;
	bool is_list;

	return location_list_of(file, variable, DW_AT_location, address,
				&expression, &is_list) &&
	       expression.size;
}

/* Has the variable a value at all addresses at which a breakpoint on this line
 * stops in the function? If one of these is `here`, the address where the
 * variable has no value, the answer is no. */
static bool is_at_line(struct debugfile *file, const struct die *variable,
		       const struct function *function, uint64_t here,
		       const char *path, uint32_t line)
{
	struct line_list places = {0};
	bool any = false, all = true;

	error_destroy(debugfile_find_line(file, path, line, &places));
	for (size_t i = 0; i < places.count; i++) {
		uint64_t address = places.data[i].address;

		if (places.data[i].line != line ||
		    address - function->address >= function->size)
			continue;
		any = true;
		all &= address != here && is_somewhere(file, variable, address);
	}
	vec_free(&places);
	return any && all;
}

void elsewhere_describe(struct debugfile *file, const struct die *variable,
			uint64_t address, struct str *out)
{
	struct function function;
	uint32_t line = 0, last = 0;
	uint64_t end;
	const char *path, *name;
	int lines = 0;

	if (!debugfile_function_at(file, address, &function))
		return;
	/* the line of `address` itself */
	debugfile_source_at(file, address, &path, &last);
	end = function.address + function.size;
	if (end - address > FAR)
		end = address + FAR;
	for (uint64_t at = address; at < end && lines < MAX_LINES; at++) {
		if (!is_somewhere(file, variable, at) ||
		    !debugfile_source_at(file, at, &path, &line) ||
		    line == last)
			continue;
		last = line;
		lines++;
		if (!is_at_line(file, variable, &function, address, path, line))
			continue;
		name = strrchr(path, '/');
		str_printf(out, "; it has a value at %s:%u",
			   name ? name + 1 : path, line);
		return;
	}
}
