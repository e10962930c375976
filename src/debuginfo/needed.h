/*
 * needed.h - what a file's dynamic section asks of the run-time linker
 */
#ifndef PERFTOOL_DEBUGINFO_NEEDED_H
#define PERFTOOL_DEBUGINFO_NEEDED_H

#include "file.h"

/* Does the library prefer its own symbols to those of the program? */
bool dynamic_is_symbolic(const struct debugfile *file);

#endif
