/*
 * leak_sanitizer.c - remarks on a program with LeakSanitizer
 *
 * AddressSanitizer contains LeakSanitizer, too. When the program ends,
 * LeakSanitizer uses ptrace to look for leaks. If the program is traced
 * already, LeakSanitizer cannot do that: it ends the program with an exit
 * status of its own, before the contents of stdio's buffers are written. The
 * program's environment belongs to the user, so the tool does not change it.
 * The tool tells the user how to turn LeakSanitizer off.
 */
#include <stdlib.h>
#include <string.h>

#include "perftool/base/str.h"
#include "perftool/debuginfo/debug_variables.h"
#include "run.h"

static bool is_library(const char *name)
{
	return str_starts(name, "libasan.so") ||
	       str_starts(name, "liblsan.so") ||
	       str_starts(name, "libclang_rt.asan") ||
	       str_starts(name, "libclang_rt.lsan");
}

static bool find_library(void *context, const char *name)
{
	const char **found = context;

	if (is_library(name))
		*found = strstr(name, "lsan") ? "LSAN_OPTIONS" : "ASAN_OPTIONS";
	return *found == NULL;
}

static bool has_function(struct debugfile *file, const char *name)
{
	struct function_list functions = {0};
	struct error *error = debugfile_find_functions(file, name, &functions);
	bool found = !error && functions.count;

	error_destroy(error);
	vec_free(&functions);
	return found;
}

/* Returns the name of the environment variable that turns LeakSanitizer off.
 * NULL: the program has no LeakSanitizer. */
static const char *find_options(struct debugfile *file)
{
	const char *found = NULL;

	debugfile_each_needed(file, find_library, &found);
	if (found)
		return found;
	if (has_function(file, "__asan_init"))
		return "ASAN_OPTIONS";
	return has_function(file, "__lsan_init") ? "LSAN_OPTIONS" : NULL;
}

/* Returns the value that the environment variable will have in the program; "":
 * it is not set. */
static const char *variable(const struct session *session, const char *name)
{
	const char *value = getenv(name);
	size_t length = strlen(name);

	for (size_t i = 0; i < session->env.count; i++)
		if (str_starts(session->env.data[i], name) &&
		    session->env.data[i][length] == '=')
			return session->env.data[i] + length + 1;
	return value ? value : "";
}

static bool is_off(const struct session *session, const char *name)
{
	const char *value = variable(session, name);

	return strstr(value, "detect_leaks=0") ||
	       strstr(value, "detect_leaks=false") ||
	       strstr(value, "detect_leaks=no");
}

void note_leak_checker(struct session *session)
{
	struct debugfile *file = probe_program_file(session->probe);
	const char *name = file ? find_options(file) : NULL, *value;

	if (!name || is_off(session, "ASAN_OPTIONS") ||
	    is_off(session, "LSAN_OPTIONS"))
		return;
	value = variable(session, name);
	session_note(session,
		     "%s has LeakSanitizer, which fails in a program that is "
		     "traced and ends it with another status; `env "
		     "%s=%s%sdetect_leaks=0' before `run' turns it off",
		     session->program, name, value, *value ? ":" : "");
}
