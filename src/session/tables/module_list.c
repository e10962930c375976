/*
 * module_list.c - the program's file and its libraries, and what is known
 * of them
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/path.h"
#include "perftool/probe/loaded_modules.h"
#include "tables.h"

struct error *session_add_debug_directory(struct session *session,
					  const char *directory)
{
	struct stat status;

	if (stat(directory, &status) != 0)
		return error_system(errno, "%s", directory);
	if (!S_ISDIR(status.st_mode))
		return error_create(ERROR_USAGE, "%s is not a directory",
				    directory);
	probe_add_debug_directory(session->probe, directory);
	return probe_set_program_again(session->probe);
}

static void describe_module(const struct module *module, struct str *out)
{
	struct debugfile *file = module_file(module);

	if (file)
		debugfile_describe(file, out);
	else
		str_append(out, "cannot be read");
	str_append(out, "\n");
}

/* Module 0 is the program. */
void session_describe_program(struct session *session, struct str *out)
{
	const struct module *module = probe_module(session->probe, 0);

	if (!module)
		return;
	str_printf(out, "%s: ", module_name(module));
	describe_module(module, out);
}

void session_list_modules(struct session *session, struct str *out)
{
	const struct module *module;
	size_t i;

	for (i = 0; (module = probe_module(session->probe, i)); i++) {
		str_printf(out, "0x%012" PRIx64 "  %s", module_bias(module),
			   module_path(module));
		if (!str_equal(module_name(module),
			       path_file_name(module_path(module))))
			str_printf(out, ", called %s", module_name(module));
		str_append(out, "\n                ");
		describe_module(module, out);
	}
	if (!i)
		str_append(out, "No modules.\n");
}
