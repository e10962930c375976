/*
 * nameless_functions.c - what tables call a function that no symbol names, as a
 * place
 *
 * Tables of functions have MODULE+0xADDRESS for it, with the address of the
 * file. In a place that would be FUNC+OFFSET, and MODULE is no function.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "perftool/base/alloc.h"
#include "perftool/probe/loaded_modules.h"

/* Is the text MODULE+0xADDRESS, possibly with @MODULE, of this module? */
static bool is_of_module(const char *text, const char *module,
			 uint64_t *address)
{
	const size_t length = strlen(module);
	const char *digits;
	char *end;

	if (!str_starts(text, module) || !str_starts(text + length, "+0x"))
		return false;
	digits = text + length + strlen("+0x");
	if (!isxdigit((unsigned char)*digits))
		return false;
	*address = strtoull(digits, &end, 16);
	return !*end || (*end == '@' && str_equal(end + 1, module));
}

/* Has the module a function with the module's own name, and with so many bytes
 * that the user may mean an instruction of that function? */
static bool is_within_namesake(const struct module *module, uint64_t offset)
{
	struct debugfile *file = module_file(module);
	struct function_list found = {0};
	bool is_within = false;

	if (file)
		error_destroy(debugfile_find_functions(
			file, module_name(module), &found));
	for (size_t i = 0; i < found.count; i++)
		is_within |= offset < found.data[i].size;
	vec_free(&found);
	return is_within;
}

char *place_of_nameless(const struct session *session, const char *text)
{
	const char *in = strstr(text, " in "); /* of CALLEE in FUNC */
	const char *place = in ? in + strlen(" in ") : text;
	const struct module *module;
	uint64_t address;

	for (size_t i = 0; (module = probe_module(session->probe, i)); i++) {
		const char *name = module_name(module);

		if (is_of_module(place, name, &address) &&
		    !is_within_namesake(module, address))
			return xasprintf("%.*s*0x%" PRIx64 "@%s",
					 (int)(place - text), text, address,
					 name);
	}
	return NULL;
}
