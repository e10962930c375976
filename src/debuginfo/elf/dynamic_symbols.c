/* dynamic_symbols.c - see dynamic_symbols.h */
#include "dynamic_symbols.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"

/* What the dynamic segment says about the symbol table. All members are
 * link-time addresses, except `strings_size`. */
struct told {
	uint64_t symbols, strings, strings_size;
	uint64_t hash, gnu_hash;
	uint64_t numbers, definitions;
};

static void read_told(const struct image *image, struct told *told)
{
	Elf64_Dyn entry;

	for (size_t i = 0; image_dynamic(image, i, &entry); i++) {
		switch (entry.d_tag) {
		case DT_SYMTAB:
			told->symbols = entry.d_un.d_ptr;
			break;
		case DT_STRTAB:
			told->strings = entry.d_un.d_ptr;
			break;
		case DT_STRSZ:
			told->strings_size = entry.d_un.d_val;
			break;
		case DT_HASH:
			told->hash = entry.d_un.d_ptr;
			break;
		case DT_GNU_HASH:
			told->gnu_hash = entry.d_un.d_ptr;
			break;
		case DT_VERSYM:
			told->numbers = entry.d_un.d_ptr;
			break;
		case DT_VERDEF:
			told->definitions = entry.d_un.d_ptr;
			break;
		default:
			break;
		}
	}
}

/* The number of bytes that the file has in the segment of `address`, from
 * `address` to the end of the segment. */
static uint64_t bytes_from(const struct image *image, uint64_t address)
{
	const struct segment *segment = image_segment_at(image, address);
	uint64_t into = segment ? address - segment->address : 0;

	return segment && into < segment->file_size ? segment->file_size - into
						    : 0;
}

/* Read at most `size` bytes from `address` on. `*read` gets the memory of the
 * result, which the caller frees, or NULL. */
static struct bytes read_bytes(const struct image *image, uint64_t address,
			       uint64_t size, uint8_t **read)
{
	uint64_t there = address ? bytes_from(image, address) : 0;
	struct bytes bytes = {0};

	if (size > there)
		size = there;
	*read = size ? malloc(size) : NULL;
	if (!*read)
		return bytes;
	bytes.data = *read;
	bytes.size = image_read(image, address, *read, size);
	return bytes;
}

static uint32_t word_at(struct bytes bytes, uint64_t index)
{
	uint32_t word = 0;

	if (index < bytes.size / sizeof(word))
		memcpy(&word, bytes.data + index * sizeof(word), sizeof(word));
	return word;
}

/* The number of symbols according to a GNU hash table. The hash table covers
 * the last symbols of the symbol table, in the order of its chains, so the end
 * of the last chain is the end of the symbol table. The last entry of a chain
 * has its lowest bit set. */
static uint64_t count_by_gnu_hash(struct bytes table)
{
	uint64_t buckets = word_at(table, 0), first = word_at(table, 1);
	uint64_t filters = word_at(table, 2);
	uint64_t bucket = 4 + filters * 2, chain = bucket + buckets;
	uint64_t words = table.size / sizeof(uint32_t), last = 0;

	if (words < 4 || chain > words)
		return 0;
	for (uint64_t i = 0; i < buckets; i++)
		if (word_at(table, bucket + i) > last)
			last = word_at(table, bucket + i);
	if (last < first)
		return first;
	while (chain + (last - first) < words &&
	       !(word_at(table, chain + (last - first)) & 1))
		last++;
	return last + 1;
}

/* The number of symbols. No entry of the dynamic segment gives it, so it is
 * found through the hash tables of the symbols. */
static uint64_t count_symbols(const struct image *image,
			      const struct told *told)
{
	uint8_t *read;
	struct bytes table;
	uint64_t count = 0;

	if (told->gnu_hash) {
		table = read_bytes(image, told->gnu_hash, UINT64_MAX, &read);
		count = count_by_gnu_hash(table);
		free(read);
	}
	if (!count && told->hash) {
		table = read_bytes(image, told->hash, 8, &read);
		count = word_at(table, 1);
		free(read);
	}
	/* Linkers put the string table directly behind the symbol table. */
	if (!count && told->strings > told->symbols)
		count = (told->strings - told->symbols) / sizeof(Elf64_Sym);
	return count < image->file_size / sizeof(Elf64_Sym)
		       ? count
		       : image->file_size / sizeof(Elf64_Sym);
}

/* The most bytes of version definitions that are read. The definitions are a
 * chain, and the dynamic segment gives only the number of entries in the chain,
 * not their size. */
#define MOST_DEFINITIONS (1024UL * 1024)

static void read_by_segment(const struct image *image, struct dynamic *out)
{
	struct told told = {0};
	uint64_t count;

	read_told(image, &told);
	if (!told.symbols || !told.strings)
		return;
	count = count_symbols(image, &told);
	out->symbols = read_bytes(image, told.symbols,
				  count * sizeof(Elf64_Sym), &out->read[0]);
	out->strings = read_bytes(image, told.strings, told.strings_size,
				  &out->read[1]);
	out->numbers = read_bytes(image, told.numbers, count * sizeof(uint16_t),
				  &out->read[2]);
	out->definitions = read_bytes(image, told.definitions, MOST_DEFINITIONS,
				      &out->read[3]);
}

static struct bytes section(const struct image *image, const char *name)
{
	return image_section_bytes(image, image_find_section(image, name));
}

const struct dynamic *file_dynamic(struct debugfile *file)
{
	const struct image *image = &file->image;
	size_t symbols = image_find_section(image, ".dynsym");
	struct dynamic *dynamic;

	if (file->dynamic)
		return file->dynamic;
	dynamic = file->dynamic = xcalloc(1, sizeof(*dynamic));
	if (!symbols) {
		read_by_segment(image, dynamic);
		return dynamic;
	}
	dynamic->symbols = image_section_bytes(image, symbols);
	if (image->sections.data[symbols].link < image->sections.count)
		dynamic->strings = image_section_bytes(
			image, image->sections.data[symbols].link);
	dynamic->numbers = section(image, ".gnu.version");
	dynamic->definitions = section(image, ".gnu.version_d");
	return dynamic;
}

void dynamic_destroy(struct dynamic *dynamic)
{
	if (!dynamic)
		return;
	for (size_t i = 0; i < sizeof(dynamic->read) / sizeof(uint8_t *); i++)
		free(dynamic->read[i]);
	free(dynamic);
}
