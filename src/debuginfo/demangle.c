/*
 * demangle.c - C++ and Rust names for people
 *
 * libiberty does the work. A mangled name can say that a piece of it repeats,
 * so that a short one may stand for gigabytes of text; names are therefore
 * measured before they are printed.
 */
#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

bool is_mangled(const char *name)
{
	/* C++ and Rust's legacy scheme; Rust's own one; with a C prefix */
	return str_starts(name, "_Z") || str_starts(name, "_R") ||
	       str_starts(name, "__Z");
}

static char *demangle(const char *name, int options)
{
	if (!is_mangled(name))
		return NULL;
	return cplus_demangle(name, options | DMGL_ANSI | DMGL_AUTO);
}

char *demangle_plain(const char *name)
{
	return demangle(name, 0);
}

char *demangle_parameters(const char *name)
{
	return demangle(name, DMGL_PARAMS);
}

char *debuginfo_demangle(const char *name)
{
	char *text = demangle_parameters(name);

	return text ? text : xstrdup(name);
}
