/*
 * symbol_table.h - the functions of the symbol tables
 *
 * The table has the functions of .symtab and .dynsym together, sorted by
 * address. The names of one address are neighbours, the best name first:
 * global before weak before local, then the shortest. Undefined symbols, PLT
 * entries and data are not in the table.
 */
#ifndef PERFTOOL_DEBUGINFO_SYMBOL_TABLE_H
#define PERFTOOL_DEBUGINFO_SYMBOL_TABLE_H

#include "data_objects.h"
#include "debuginfo/elf/elf.h"

enum symbol_part {
	PART_WHOLE,
	/* NAME.constprop.0, .isra, .lto_priv ...: a copy of NAME */
	PART_CLONE,
	/* NAME.part.0, NAME.cold.1 of LLVM: NAME calls it; it is not NAME
	 * itself */
	PART_SPLIT,
	PART_COLD, /* NAME.cold: NAME jumps to it */
};

struct symbol {
	uint64_t address;
	uint64_t size;    /* 0: the table gives no size */
	const char *name; /* without the symbol's version */
	/* index of the STT_FILE symbol before it; 0: the symbol is global, or
	 * there is none */
	uint32_t group;
	/* index + 1 of the next symbol of the same name; 0: none */
	uint32_t next_namesake;
	uint8_t bind; /* STB_GLOBAL, STB_WEAK, ... */
	bool indirect, untyped;
	enum symbol_part part;
	/* length of NAME, without the suffix of a part */
	uint16_t base_length;
};

struct symbols {
	struct symbol *list;
	size_t count;
	uint64_t *ends; /* [i] is the highest end of list[0 .. i] */
	/* index + 1 of a symbol, by name; open addressing; 0: free */
	uint32_t *hash;
	size_t hash_size;       /* a power of two */
	VEC(uint32_t) cold;     /* indices of the cold parts */
	VEC(char *) owned;      /* names that had to be copied */
	struct objects objects; /* read when first needed: data_objects.h */
};

struct symbols *file_symbols(struct debugfile *file);
void symbols_destroy(struct symbols *symbols);

/* The first symbol with this name (the first `length` bytes of `name`), and
 * the next one with the same name. Several static functions may have the same
 * name. NULL: there are no more. */
const struct symbol *symbols_find(const struct symbols *symbols,
				  const char *name, size_t length);
const struct symbol *symbols_next_namesake(const struct symbols *symbols,
					   const struct symbol *symbol);

/* The innermost symbol that contains `address`, or NULL. A symbol of size 0
 * extends to the next symbol. */
const struct symbol *symbols_at(struct debugfile *file, uint64_t address);

/* The symbol's size; if the table gives none, the size that the symbol must
 * have. */
uint64_t symbol_extent(struct debugfile *file, const struct symbol *symbol);

/* The function that a cold part belongs to, or NULL. */
const struct symbol *symbols_parent(struct debugfile *file,
				    const struct symbol *cold);

/* Change those PART_COLD symbols that their functions call to PART_SPLIT. It
 * is in cold_parts.c. */
void symbols_settle_cold(struct debugfile *file, struct symbols *symbols);

/* The first (best) symbol of the same address. */
const struct symbol *symbols_first_alias(const struct symbols *symbols,
					 const struct symbol *symbol);

/* Does `name` mean at least one function if it is read as
 * debugfile_find_functions() reads names? This tells a name with signs such as
 * `*` from a glob. It is in function_search.c. */
bool names_function(struct debugfile *file, const char *name);

struct function symbol_function(struct debugfile *file,
				const struct symbol *symbol);

#endif
