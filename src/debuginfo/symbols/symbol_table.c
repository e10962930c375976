/* symbol_table.c - see symbol_table.h */
#include "symbol_table.h"

#include <ctype.h>
#include <elf.h>
#include <string.h>

#include "debuginfo/elf/elf.h"
#include "function_names.h"
#include "perftool/base/alloc.h"
#include "perftool/base/hash.h"
#include "perftool/base/search.h"
#include "perftool/base/str.h"

/* The search for the function to which a cold part belongs looks at no more
 * functions of one name than this number. */
#define MAX_NAMESAKES 4096

/* The symbols at the beginning and the end of the code that Go compiled. */
#define GO_TEXT "runtime.text"
#define GO_TEXT_END "runtime.etext"

/* An odd number with many bits (the golden ratio), by which the hash of a name
 * is multiplied. */
#define HASH_FACTOR 0x9e3779b97f4a7c15ULL

/* The suffixes that GNU and LLVM compilers append to the name of a function. A
 * number may follow each of them. */
static const struct suffix {
	const char *word;
	enum symbol_part part;
} suffixes[] = {
	{"constprop", PART_CLONE},   {"isra", PART_CLONE},
	{"lto_priv", PART_CLONE},    {"llvm", PART_CLONE},
	{"specialized", PART_CLONE}, {"localalias", PART_CLONE},
	{"ifcvt", PART_CLONE},       {"part", PART_SPLIT},
	{"cold", PART_COLD},
};

/* Are these `length` bytes a suffix, or the number of one? `*part` is what the
 * suffix says of its symbol, PART_WHOLE for a number. */
static bool read_suffix(const char *text, size_t length, enum symbol_part *part)
{
	size_t digits = 0;

	while (digits < length && isdigit((unsigned char)text[digits]))
		digits++;
	*part = PART_WHOLE;
	if (digits && digits == length)
		return true;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		if (strlen(suffixes[i].word) == length &&
		    memcmp(suffixes[i].word, text, length) == 0) {
			*part = suffixes[i].part;
			return true;
		}
	}
	return false;
}

/* The hash of a name. A program may have 100,000 names of 100 bytes, so the
 * function takes eight bytes at a time. */
static uint32_t hash_name(const char *name, size_t length)
{
	uint64_t hash = HASH_START ^ length, word;

	for (; length >= sizeof(word); length -= sizeof(word)) {
		memcpy(&word, name, sizeof(word));
		name += sizeof(word);
		hash = (hash ^ word) * HASH_FACTOR;
		hash ^= hash >> 32;
	}
	word = 0;
	memcpy(&word, name, length);
	hash = (hash ^ word) * HASH_FACTOR;
	return (uint32_t)(hash ^ hash >> 32);
}

/* Is it a name that only GNAT makes: of a procedure that is no part of a
 * package, of the function that calls the initialisations of all packages, or
 * of one of these? */
static bool is_of_gnat(const char *name, size_t length)
{
	static const char end[] = "___elab"; /* and b or s: body or spec */
	const size_t more = sizeof(end) - 1;

	return str_starts(name, "_ada_") || str_equal(name, "adainit") ||
	       (length > more + 1 &&
		memcmp(name + length - more - 1, end, more) == 0);
}

/* Read the suffixes at the end of the symbol's name, and set the symbol's
 * `part` and `base_length` by them. Before the suffixes, other dots may stand
 * in the name: Rust's and Go's names have such dots. */
static void classify(struct symbol *symbol)
{
	const char *end = symbol->name + symbol->length, *dot;
	enum symbol_part part;

	symbol->part = PART_WHOLE;
	while ((dot = memrchr(symbol->name, '.',
			      (size_t)(end - symbol->name))) &&
	       dot != symbol->name &&
	       read_suffix(dot + 1, (size_t)(end - dot - 1), &part)) {
		end = dot;
		if (dot - symbol->name > UINT16_MAX)
			continue;
		/* A cold part belongs to the function whose name is all text
		 * before ".cold". */
		if (part == PART_COLD || symbol->part != PART_COLD)
			symbol->base_length = (uint16_t)(dot - symbol->name);
		if (part > symbol->part)
			symbol->part = part;
	}
}

static bool is_function(const struct debugfile *file, const struct image *image,
			const Elf64_Sym *sym)
{
	const struct section *section;

	if (sym->st_shndx == SHN_UNDEF ||
	    (sym->st_shndx >= SHN_LORESERVE && sym->st_shndx != SHN_XINDEX) ||
	    !file_is_code(file, sym->st_value))
		return false;
	switch (ELF64_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return true;
	/* Code written in assembler often has no type. A symbol at the end of
	 * a section is not a function. */
	case STT_NOTYPE:
		if (ELF64_ST_BIND(sym->st_info) == STB_LOCAL ||
		    sym->st_shndx >= image->sections.count)
			return false;
		section = &image->sections.data[sym->st_shndx];
		return section->executable &&
		       sym->st_value >= section->address &&
		       sym->st_value - section->address < section->size;
	default:
		return false;
	}
}

struct symbol_list {
	VEC(struct symbol) list;
};

/* Add the functions of one symbol table to `out`. */
static void read_table(struct debugfile *file, const struct image *image,
		       struct bytes table, struct bytes names,
		       struct symbols *symbols, struct symbol_list *out)
{
	size_t names_end = 0, name_bytes;
	uint32_t group = 0;

	/* Every name that begins before names_end is terminated. */
	for (names_end = names.size; names_end; names_end--)
		if (names.data[names_end - 1] == '\0')
			break;
	/* Linkers store two names once if one is the end of the other, but a
	 * byte is part of only a few names. The limit keeps a broken file from
	 * making the reader scan its strings again and again. */
	name_bytes = names.size * 16 + 65536;
	for (size_t i = 1; i < table.size / sizeof(Elf64_Sym); i++) {
		struct symbol symbol = {0};
		const char *version;
		size_t length;
		Elf64_Sym sym;

		memcpy(&sym, table.data + i * sizeof(sym), sizeof(sym));
		if (ELF64_ST_TYPE(sym.st_info) == STT_FILE) {
			group = (uint32_t)i;
			continue;
		}
		if (!is_function(file, image, &sym) ||
		    sym.st_name >= names_end || !names.data[sym.st_name])
			continue;
		symbol.name = (const char *)names.data + sym.st_name;
		length = strlen(symbol.name);
		if (length > name_bytes)
			break;
		name_bytes -= length;
		version = memchr(symbol.name, '@', length);
		if (version == symbol.name || length > UINT32_MAX)
			continue;
		if (version) {
			char *name;

			length = (size_t)(version - symbol.name);
			name = xstrndup(symbol.name, length);
			vec_push(&symbols->owned, name);
			symbol.name = name;
		}
		symbol.length = (uint32_t)length;
		symbol.hash = hash_name(symbol.name, length);
		symbol.mangled = is_mangled(symbol.name);
		symbols->has_ada |= is_of_gnat(symbol.name, length);
		symbol.address = sym.st_value;
		symbol.size = sym.st_size;
		if (symbol.size > UINT64_MAX - symbol.address)
			symbol.size = 0;
		symbol.bind = ELF64_ST_BIND(sym.st_info);
		symbol.group = symbol.bind == STB_LOCAL ? group : 0;
		symbol.indirect = ELF64_ST_TYPE(sym.st_info) == STT_GNU_IFUNC;
		symbol.untyped = ELF64_ST_TYPE(sym.st_info) == STT_NOTYPE;
		classify(&symbol);
		vec_push(&out->list, symbol);
	}
}

/* Find the slot of the hash table that has the first symbol of this name, or
 * the free slot for the name. */
static uint32_t *find_slot(const struct symbols *symbols, const char *name,
			   size_t length, uint32_t hash)
{
	size_t mask = symbols->hash_size - 1;
	size_t slot = hash & mask;

	for (; symbols->hash[slot]; slot = (slot + 1) & mask) {
		const struct symbol *other =
			&symbols->list[symbols->hash[slot] - 1];

		if (other->hash == hash && other->length == length &&
		    memcmp(other->name, name, length) == 0)
			break;
	}
	return &symbols->hash[slot];
}

static void index_names(struct symbols *symbols)
{
	symbols->hash_size = 16;
	while (symbols->hash_size < symbols->count * 2)
		symbols->hash_size *= 2;
	symbols->hash = xcalloc(symbols->hash_size, sizeof(*symbols->hash));
	for (size_t i = symbols->count; i--;) {
		struct symbol *symbol = &symbols->list[i];
		uint32_t *slot = find_slot(symbols, symbol->name,
					   symbol->length, symbol->hash);

		symbol->next_namesake = *slot;
		*slot = (uint32_t)i + 1;
	}
}

/* Read the functions of .symtab, which may be in a separate file. */
static void read_symtab(struct debugfile *file, struct symbols *symbols,
			struct symbol_list *out)
{
	const struct image *image = &file->image;
	size_t index = image_find_section(image, ".symtab");
	struct bytes names = {0};

	if (!index) {
		image = &file->debug.image;
		index = image_find_section(image, ".symtab");
	}
	if (!index)
		return;
	if (image->sections.data[index].link < image->sections.count)
		names = image_section_bytes(image,
					    image->sections.data[index].link);
	read_table(file, image, image_section_bytes(image, index), names,
		   symbols, out);
}

struct range symbols_go_code(struct debugfile *file,
			     const struct symbols *symbols)
{
	const struct symbol *low =
		symbols_find(symbols, GO_TEXT, strlen(GO_TEXT));
	const struct symbol *high =
		symbols_find(symbols, GO_TEXT_END, strlen(GO_TEXT_END));
	struct range code = {UINT64_MAX, 0}, range;

	if (!image_find_section(&file->image, ".note.go.buildid") &&
	    !image_find_section(&file->image, ".go.buildinfo"))
		return code;
	if (low && high && low->address < high->address)
		return (struct range){low->address, high->address};
	for (size_t i = 0; debugfile_code(file, i, &range); i++) {
		if (range.low < code.low)
			code.low = range.low;
		if (range.high > code.high)
			code.high = range.high;
	}
	return code;
}

struct symbols *file_symbols(struct debugfile *file)
{
	const struct dynamic *dynamic;
	struct symbols *symbols;
	struct symbol_list found = {0};
	struct range go;
	uint64_t end = 0;

	if (file->symbols)
		return file->symbols;
	symbols = xcalloc(1, sizeof(*symbols));
	file->symbols = symbols;
	read_symtab(file, symbols, &found);
	dynamic = file_dynamic(file);
	read_table(file, &file->image, dynamic->symbols, dynamic->strings,
		   symbols, &found);
	symbols->count = found.list.count;
	symbols->list = symbols_in_order(found.list.data, &symbols->count);
	symbols->ends = xcalloc(symbols->count + 1, sizeof(*symbols->ends));
	index_names(symbols);
	go = symbols_go_code(file, symbols);
	for (size_t i = 0; i < symbols->count; i++) {
		struct symbol *symbol = &symbols->list[i];

		if (symbol->address + symbol->size > end)
			end = symbol->address + symbol->size;
		symbols->ends[i] = end;
		/* A name of Go is a package and a function, such as
		 * `main.cold`, and has no suffix. */
		if (symbol->address >= go.low && symbol->address < go.high)
			symbol->part = PART_WHOLE;
		if (symbol->part == PART_COLD)
			vec_push(&symbols->cold, (uint32_t)i);
	}
	symbols_settle_cold(file, symbols);
	return symbols;
}

void symbols_destroy(struct symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < symbols->owned.count; i++)
		free(symbols->owned.data[i]);
	vec_free(&symbols->owned);
	vec_free(&symbols->cold);
	objects_deinit(&symbols->objects);
	free(symbols->last_search.text);
	vec_free(&symbols->last_search.found);
	free(symbols->list);
	free(symbols->ends);
	free(symbols->hash);
	free(symbols);
}

const struct symbol *symbols_find(const struct symbols *symbols,
				  const char *name, size_t length)
{
	uint32_t index =
		*find_slot(symbols, name, length, hash_name(name, length));

	return index ? &symbols->list[index - 1] : NULL;
}

const struct symbol *symbols_next_namesake(const struct symbols *symbols,
					   const struct symbol *symbol)
{
	return symbol->next_namesake ? &symbols->list[symbol->next_namesake - 1]
				     : NULL;
}

/* The index of the first symbol above `address`. */
static size_t upper_bound(const struct symbols *symbols, uint64_t address)
{
	size_t low;

	SEARCH_FIRST(low, symbols->count, symbols->list[low].address > address);
	return low;
}

const struct symbol *symbols_first_alias(const struct symbols *symbols,
					 const struct symbol *symbol)
{
	while (symbol > symbols->list && symbol[-1].address == symbol->address)
		symbol--;
	return symbol;
}

uint64_t symbol_extent(struct debugfile *file, const struct symbol *symbol)
{
	const struct symbols *symbols = file_symbols(file);
	const struct segment *segment;
	uint64_t end = UINT64_MAX;
	size_t next;

	if (symbol->size)
		return symbol->size;
	/* Another symbol of the same address may have a size. */
	for (const struct symbol *other = symbols_first_alias(symbols, symbol);
	     other < symbols->list + symbols->count &&
	     other->address == symbol->address;
	     other++)
		if (other->size)
			return other->size;
	segment = image_segment_at(&file->image, symbol->address);
	if (segment)
		end = segment->address + segment->memory_size;
	for (size_t i = 0; i < file->image.sections.count; i++) {
		const struct section *section = &file->image.sections.data[i];

		if (section->executable &&
		    symbol->address >= section->address &&
		    symbol->address - section->address < section->size &&
		    section->size <= UINT64_MAX - section->address &&
		    section->address + section->size < end)
			end = section->address + section->size;
	}
	next = upper_bound(symbols, symbol->address);
	if (next < symbols->count && symbols->list[next].address < end)
		end = symbols->list[next].address;
	return end == UINT64_MAX ? 0 : end - symbol->address;
}

const struct symbol *symbols_at(struct debugfile *file, uint64_t address)
{
	const struct symbols *symbols = file_symbols(file);
	size_t i = upper_bound(symbols, address);
	bool nearest = true;
	uint64_t group;

	while (i) {
		const struct symbol *symbol = &symbols->list[--i];
		uint64_t extent = symbol->size;

		if (nearest && !extent)
			extent = symbol_extent(file, symbol);
		if (address - symbol->address < extent)
			return symbols_first_alias(symbols, symbol);
		/* A symbol without a size extends to the next symbol. So a
		 * symbol without a size can extend to `address` only if its own
		 * address is the nearest below. */
		group = symbol->address;
		if (i && symbols->list[i - 1].address != group)
			nearest = false;
		if (i && symbols->ends[i - 1] <= address && !nearest)
			break;
	}
	return NULL;
}

const struct symbol *symbols_parent(struct debugfile *file,
				    const struct symbol *cold)
{
	const struct symbols *symbols = file_symbols(file);
	const struct symbol *best = NULL, *symbol;
	unsigned looked_at = 0;

	/* The best match is a static function of the same source file, and the
	 * second best is a global function. */
	for (symbol = symbols_find(symbols, cold->name, cold->base_length);
	     symbol && looked_at++ < MAX_NAMESAKES;
	     symbol = symbols_next_namesake(symbols, symbol)) {
		if (symbol->bind == STB_LOCAL && cold->group &&
		    symbol->group == cold->group)
			return symbol;
		if (!best ||
		    (best->bind == STB_LOCAL && symbol->bind != STB_LOCAL))
			best = symbol;
	}
	return best;
}

struct function symbol_function(struct debugfile *file,
				const struct symbol *symbol)
{
	return (struct function){
		.address = symbol->address,
		.size = symbol->size ? symbol->size
				     : symbol_extent(file, symbol),
		.name = symbol->name,
		.indirect = symbol->indirect,
		.untyped = symbol->untyped,
		.local = symbol->bind == STB_LOCAL,
		.is_part = symbol->part == PART_SPLIT,
	};
}
