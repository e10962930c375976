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

/* A name with several suffixes has the part that comes last here. */
enum symbol_part {
	PART_WHOLE,
	/* NAME.constprop.0, .isra, .lto_priv ...: a copy of NAME */
	PART_CLONE,
	/* NAME.part.0, or NAME.cold.1 of LLVM: code that NAME calls, so it is a
	 * function of its own */
	PART_SPLIT,
	PART_COLD, /* NAME.cold: code of NAME elsewhere, to which NAME jumps */
};

struct symbol {
	uint64_t address;
	uint64_t size;    /* 0: the table gives no size */
	const char *name; /* without the symbol's version */
	/* index, in the symbol table, of the STT_FILE symbol (source file) that
	 * the symbol belongs to; 0: the symbol is global, or has none */
	uint32_t group;
	/* index + 1 of the next symbol of the same name; 0: none */
	uint32_t next_namesake;
	/* length and hash of `name`, so that most comparisons of names need not
	 * read the names */
	uint32_t length, hash;
	/* length of NAME, the part of `name` before the suffix */
	uint16_t base_length;
	uint8_t bind; /* STB_GLOBAL, STB_WEAK, ... */
	bool indirect : 1, untyped : 1;
	bool mangled : 1; /* is_mangled(name) */
	enum symbol_part part : 8;
};

/* A search through all symbols, and what it has found: indices of symbols. */
struct symbol_search {
	char *text; /* NULL: there was no search yet */
	bool glob;
	VEC(uint32_t) found;
};

struct symbols {
	struct symbol *list;
	size_t count;
	/* ends[i] is the highest end address of the symbols list[0 .. i] */
	uint64_t *ends;
	/* hash table of the names, with open addressing: index + 1 of the first
	 * symbol of a name; 0: free */
	uint32_t *hash;
	size_t hash_size;   /* a power of two */
	VEC(uint32_t) cold; /* indices of the cold parts */
	/* The file has code that GNAT has compiled (Ada). */
	bool has_ada;
	/* names that were copied without their versions */
	VEC(char *) owned;
	struct objects objects; /* read when first needed: data_objects.h */
	/* The last search. A place is looked for when the user names it, and
	 * again when the program starts. */
	struct symbol_search last_search;
};

/* Sort the symbols by address, the best name of an address first, and keep a
 * symbol only once if it is in the list twice. The function frees `list`, sets
 * `*count` to the new number, and returns the new list, which the caller frees
 * (symbol_order.c). */
struct symbol *symbols_in_order(struct symbol *list, size_t *count);

/* A loop that looks at the names of all symbols in the order of the list calls
 * this at each index. The names are anywhere in memory, so the function makes
 * the processor fetch a name some symbols before the loop needs it. */
static inline void symbol_prefetch(const struct symbol *list, size_t count,
				   size_t index)
{
	const size_t ahead = 12, line = 64;

	if (count > ahead && index < count - ahead) {
		__builtin_prefetch(list[index + ahead].name);
		__builtin_prefetch(list[index + ahead].name + line);
	}
}

struct symbols *file_symbols(struct debugfile *file);

/* The range of the code that Go compiled; it is empty in a file that Go did not
 * link. C code that cgo adds to the program is before or behind this range. */
struct range symbols_go_code(struct debugfile *file,
			     const struct symbols *symbols);
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

/* The symbol's size. If the table gives no size, the symbol extends to the next
 * symbol or to the end of its section. 0: not known. */
uint64_t symbol_extent(struct debugfile *file, const struct symbol *symbol);

/* The function that a cold part belongs to, or NULL. */
const struct symbol *symbols_parent(struct debugfile *file,
				    const struct symbol *cold);

/* Change a PART_COLD symbol to PART_SPLIT if its function calls it (see
 * cold_parts.c, which has this function). */
void symbols_settle_cold(struct debugfile *file, struct symbols *symbols);

/* The first (best) of the symbols that have the same address as `symbol`. */
const struct symbol *symbols_first_alias(const struct symbols *symbols,
					 const struct symbol *symbol);

/*
 * Does debugfile_find_functions() find a function by `name` as it stands,
 * before it tries a text such as `f(char*)` as a glob? Callers use this
 * function, which is in function_search.c, to tell a name with signs such as
 * `*` from a glob.
 */
bool names_function(struct debugfile *file, const char *name);

struct function symbol_function(struct debugfile *file,
				const struct symbol *symbol);

#endif
