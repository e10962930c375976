/*
 * dynamic_symbols.h - the symbol table that the run-time linker uses
 *
 * Section headers tell where it is; a file that has none (they are no part of
 * what is run, and some strip them) has it all the same, where the dynamic
 * segment says.
 */
#ifndef PERFTOOL_DEBUGINFO_DYNAMIC_SYMBOLS_H
#define PERFTOOL_DEBUGINFO_DYNAMIC_SYMBOLS_H

#include "debugfile.h"

struct dynamic {
	struct bytes symbols, strings;     /* .dynsym, .dynstr */
	struct bytes numbers, definitions; /* .gnu.version, .gnu.version_d */
	uint8_t *read[4]; /* what no section header tells of; else NULL */
};

/* Empty where there is none. */
const struct dynamic *file_dynamic(struct debugfile *file);
void dynamic_destroy(struct dynamic *dynamic);

#endif
