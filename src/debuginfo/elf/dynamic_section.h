/*
 * dynamic_section.h - what a file's dynamic section requests of the run-time
 * linker
 */
#ifndef PERFTOOL_DEBUGINFO_DYNAMIC_SECTION_H
#define PERFTOOL_DEBUGINFO_DYNAMIC_SECTION_H

#include "debugfile.h"

/* Does the run-time linker look up the library's references first in the
 * library itself, and only then in the program (DT_SYMBOLIC)? */
bool dynamic_is_symbolic(const struct debugfile *file);

#endif
