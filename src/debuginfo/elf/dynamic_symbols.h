/*
 * dynamic_symbols.h - the symbol table that the run-time linker uses
 *
 * Section headers say where this table is. Some tools remove the section
 * headers from a file, since the program runs without them. The reader then
 * finds the table through the dynamic segment.
 */
#ifndef PERFTOOL_DEBUGINFO_DYNAMIC_SYMBOLS_H
#define PERFTOOL_DEBUGINFO_DYNAMIC_SYMBOLS_H

#include "debugfile.h"

struct dynamic {
	struct bytes symbols, strings;     /* .dynsym, .dynstr */
	struct bytes numbers, definitions; /* .gnu.version, .gnu.version_d */
	/* the memory of the four members above if they were found through the
	 * dynamic segment; NULL if they are bytes of sections */
	uint8_t *read[4];
};

/* The file's dynamic symbol table. If the file has none, all members of the
 * result are empty. The file owns the result. */
const struct dynamic *file_dynamic(struct debugfile *file);
void dynamic_destroy(struct dynamic *dynamic);

#endif
