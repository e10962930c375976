/*
 * plt.c - see plt.h
 *
 * The entries of a PLT have no symbols. Each entry jumps to the address in a
 * word that the run-time linker fills in. The relocation of this word has the
 * name of the function.
 */
#include "plt.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "debuginfo/elf/elf.h"
#include "perftool/base/alloc.h"
#include "perftool/base/map.h"
#include "perftool/base/search.h"
#include "perftool/base/str.h"

#define SUFFIX "@plt"
/* The beginning of an entry is a multiple of this number. */
#define ALIGNMENT 8
/* The length of the longest code that an entry may begin with: endbr64, bnd jmp
 * *word(%rip). */
#define LONGEST 11

bool plt_is_name(const char *name)
{
	size_t length = strlen(name), suffix = strlen(SUFFIX);

	return length > suffix && str_equal(name + length - suffix, SUFFIX);
}

static bool enter_word(void *context, const struct relocation *relocation)
{
	const struct relocations *of = relocation->of;
	struct map *words = context;
	CLEANUP(free_pointer) char *text = NULL;
	Elf64_Sym symbol;

	if ((relocation->type != R_X86_64_JUMP_SLOT &&
	     relocation->type != R_X86_64_GLOB_DAT) ||
	    !relocation_symbol(relocation, &symbol))
		return true;
	text = image_read_string(of->image, of->strings + symbol.st_name);
	if (text && *text && !map_get(words, relocation->address))
		map_set(words, relocation->address,
			xasprintf("%s" SUFFIX, text));
	return true;
}

/* The address of the word through which the entry at `address` jumps, and in
 * `*size` the length of the code up to the end of the jump. 0: there is no
 * entry. */
static uint64_t word_of(const struct image *image, uint64_t address,
			uint64_t *size)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	uint8_t code[LONGEST] = {0};
	int32_t displacement;
	size_t at = 0;

	image_read(image, address, code, sizeof(code));
	if (memcmp(code, endbr64, sizeof(endbr64)) == 0)
		at = sizeof(endbr64);
	at += code[at] == 0xf2;
	if (code[at] != 0xff || code[at + 1] != 0x25)
		return 0;
	memcpy(&displacement, code + at + 2, sizeof(displacement));
	*size = at + 6;
	return address + *size + (uint64_t)(int64_t)displacement;
}

static void read_section(const struct image *image,
			 const struct section *section, const struct map *words,
			 struct function_list *out)
{
	struct function entry = {0};
	const char *name;

	for (uint64_t at = 0; at < section->size; at += ALIGNMENT) {
		uint64_t word;

		entry.address = section->address + at;
		word = word_of(image, entry.address, &entry.size);
		name = word ? map_get(words, word) : NULL;
		if (!name)
			continue;
		entry.name = xstrdup(name);
		vec_push(out, entry);
	}
}

static int compare(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

struct plt *plt_read(const struct image *image)
{
	struct plt *plt = xcalloc(1, sizeof(*plt));
	struct relocations relocations;
	struct map words = {0};
	size_t cursor = 0;
	char *name;

	relocations_find(image, &relocations);
	relocations_each(&relocations, enter_word, &words);
	for (size_t i = 0; i < image->sections.count; i++) {
		const struct section *section = &image->sections.data[i];

		if (section->executable && section->size <= image->file_size &&
		    str_starts(section->name, ".plt"))
			read_section(image, section, &words, &plt->entries);
	}
	while ((name = map_next(&words, &cursor, NULL)))
		free(name);
	map_deinit(&words);
	if (plt->entries.count)
		qsort(plt->entries.data, plt->entries.count,
		      sizeof(*plt->entries.data), compare);
	return plt;
}

void plt_free(struct plt *plt)
{
	if (!plt)
		return;
	for (size_t i = 0; i < plt->entries.count; i++)
		free((char *)plt->entries.data[i].name);
	vec_free(&plt->entries);
	free(plt);
}

const struct plt *file_plt(struct debugfile *file)
{
	if (!file->plt)
		file->plt = plt_read(&file->image);
	return file->plt;
}

bool plt_has(const struct image *image, uint64_t address)
{
	for (size_t i = 0; i < image->sections.count; i++) {
		const struct section *section = &image->sections.data[i];

		if (section->executable && address >= section->address &&
		    address - section->address < section->size)
			return str_starts(section->name, ".plt");
	}
	return false;
}

/* The most bytes that an entry has. Behind the jump there may be the code that
 * has the run-time linker find the function. */
#define LARGEST 16

bool plt_entry_at(struct debugfile *file, uint64_t address,
		  struct function *out)
{
	const struct function_list *entries;
	size_t above;

	if (!plt_has(&file->image, address))
		return false;
	entries = &file_plt(file)->entries;
	SEARCH_FIRST(above, entries->count,
		     entries->data[above].address > address);
	if (!above || address - entries->data[above - 1].address >= LARGEST)
		return false;
	*out = entries->data[above - 1];
	return true;
}

void plt_find(const struct plt *plt, const char *name,
	      struct function_list *out)
{
	bool glob = debuginfo_is_glob(name);

	for (size_t i = 0; i < plt->entries.count; i++) {
		const struct function *entry = &plt->entries.data[i];

		if (glob ? fnmatch(name, entry->name, 0) == 0
			 : str_equal(name, entry->name))
			vec_push(out, *entry);
	}
}
