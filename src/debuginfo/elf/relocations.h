/*
 * relocations.h - relocations: the words of a loaded file that the run-time
 * linker fills in
 */
#ifndef PERFTOOL_DEBUGINFO_RELOCATIONS_H
#define PERFTOOL_DEBUGINFO_RELOCATIONS_H

#include <elf.h>

#include "image.h"

struct relocation {
	/* the link-time address of the word that is filled in */
	uint64_t address;
	unsigned type; /* R_X86_64_... */
	uint64_t addend;
	/* the index of the relocation's symbol; 0: it has no symbol */
	uint64_t symbol;
	const struct relocations *of;
};

/* The places of a file's relocation tables, and of the tables that they refer
 * to: addresses and sizes. The dynamic section says where these tables are; in
 * a statically linked program a section header does. */
struct relocations {
	const struct image *image;
	uint64_t rela, rela_size, jump, jump_size, symbols, strings;
	uint64_t flags_1; /* DT_FLAGS_1 */
	bool has_soname;
};

void relocations_find(const struct image *image, struct relocations *out);

/* Visit all relocations until `visit` returns false. */
void relocations_each(const struct relocations *relocations,
		      bool (*visit)(void *context,
				    const struct relocation *relocation),
		      void *context);

/* Read the relocation's symbol from the file. False: the relocation has no
 * symbol, or the symbol cannot be read. */
bool relocation_symbol(const struct relocation *relocation, Elf64_Sym *out);

/* Has the relocation's symbol this name? */
bool relocation_is_of(const struct relocation *relocation, const char *name);

#endif
