/*
 * dynamic_symbols.h - the symbol table that the run-time linker uses
 *
 * Section headers say where this table is. A file may have no section headers,
 * since they are not needed to run it and some tools strip them. The table is
 * still there then, and the dynamic segment says where.
 */
#ifndef PERFTOOL_DEBUGINFO_DYNAMIC_SYMBOLS_H
#define PERFTOOL_DEBUGINFO_DYNAMIC_SYMBOLS_H

#include "debugfile.h"

struct dynamic {
	struct bytes symbols, strings;     /* .dynsym, .dynstr */
	struct bytes numbers, definitions; /* .gnu.version, .gnu.version_d */
	/* the bytes that were read because no section header described them;
	 * else NULL */
	uint8_t *read[4];
};

/* The file's dynamic symbol table. All its parts are empty if the file has
 * none. */
const struct dynamic *file_dynamic(struct debugfile *file);
void dynamic_destroy(struct dynamic *dynamic);

#endif
