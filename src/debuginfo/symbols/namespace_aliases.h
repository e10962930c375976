/*
 * namespace_aliases.h - finds the namespace that an alias stands for, as in
 * `namespace fs = std::filesystem;`
 */
#ifndef PERFTOOL_DEBUGINFO_NAMESPACE_ALIASES_H
#define PERFTOOL_DEBUGINFO_NAMESPACE_ALIASES_H

#include "debuginfo/elf/elf.h"

/*
 * Find the full name (with its scopes) of the namespace that `alias` stands
 * for. NULL: there is no such alias outside of all functions and namespaces.
 * The caller frees the name. The function reads the top-level DIEs of all
 * units.
 */
char *namespace_of_alias(struct debugfile *file, const char *alias);

#endif
