/*
 * symbol_table.h - the functions of the symbol tables
 *
 * Of .symtab and .dynsym together, sorted by address; all names of one address
 * are neighbours, the best one first (global, then weak, then local; then the
 * shortest). Undefined symbols, PLT entries and data are not among them.
 */
#ifndef PERFTOOL_DEBUGINFO_SYMBOL_TABLE_H
#define PERFTOOL_DEBUGINFO_SYMBOL_TABLE_H

#include "data_objects.h"
#include "debuginfo/elf/elf.h"

enum symbol_part {
	PART_WHOLE,
	PART_CLONE, /* NAME.constprop.0, .isra, .lto_priv ...: a NAME */
	PART_SPLIT, /* NAME.part.0, NAME.cold.1 of LLVM: called by NAME, no NAME
		       itself */
	PART_COLD,  /* NAME.cold: jumped to by NAME */
};

struct symbol {
	uint64_t address;
	uint64_t size;          /* 0: the table does not know */
	const char *name;       /* without a version */
	uint32_t group;         /* the STT_FILE before it; 0: global or none */
	uint32_t next_namesake; /* index + 1; 0: the last */
	uint8_t bind;           /* STB_ */
	bool indirect, untyped;
	enum symbol_part part;
	uint16_t base_length; /* of NAME, without what makes it a part */
};

struct symbols {
	struct symbol *list;
	size_t count;
	uint64_t *ends;     /* the highest end of list[0 .. i] */
	uint32_t *hash;     /* index + 1 by name, open addressing; 0: free */
	size_t hash_size;   /* a power of two */
	VEC(uint32_t) cold; /* indices of cold parts */
	VEC(char *) owned;  /* names that had to be copied */
	struct objects objects; /* see data_objects.h: read when asked for */
};

struct symbols *file_symbols(struct debugfile *file);
void symbols_destroy(struct symbols *symbols);

/* The first symbol of this name (`length` bytes of it), and those after it:
 * static functions may be many of a name. NULL: no more. */
const struct symbol *symbols_find(const struct symbols *symbols,
				  const char *name, size_t length);
const struct symbol *symbols_next_namesake(const struct symbols *symbols,
					   const struct symbol *symbol);

/* The innermost symbol that contains `address`, or NULL. A symbol of size 0
 * reaches to the next one. */
const struct symbol *symbols_at(struct debugfile *file, uint64_t address);

/* Its size, or what it must be when the table has none. */
uint64_t symbol_extent(struct debugfile *file, const struct symbol *symbol);

/* The function a cold part belongs to, or NULL. */
const struct symbol *symbols_parent(struct debugfile *file,
				    const struct symbol *cold);

/* cold_parts.c: make cold parts that are called by their functions PART_SPLIT.
 */
void symbols_settle_cold(struct debugfile *file, struct symbols *symbols);

/* The first symbol of the same address. */
const struct symbol *symbols_first_alias(const struct symbols *symbols,
					 const struct symbol *symbol);

/* function_search.c: is a function called so, with all signs that are in it? */
bool names_function(struct debugfile *file, const char *name);

struct function symbol_function(struct debugfile *file,
				const struct symbol *symbol);

#endif
