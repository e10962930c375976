/*
 * dynamic_section.h - what a file's dynamic section requests of the run-time
 * linker
 */
#ifndef PERFTOOL_DEBUGINFO_DYNAMIC_SECTION_H
#define PERFTOOL_DEBUGINFO_DYNAMIC_SECTION_H

#include "debugfile.h"

/* Does the library prefer its own symbols to the program's (DT_SYMBOLIC)? */
bool dynamic_is_symbolic(const struct debugfile *file);

#endif
