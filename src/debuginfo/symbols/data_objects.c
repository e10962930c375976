/* data_objects.c - see data_objects.h */
#include "data_objects.h"

#include <elf.h>
#include <string.h>

#include "debuginfo/elf/elf.h"
#include "perftool/base/alloc.h"
#include "perftool/base/search.h"
#include "symbol_table.h"

/* How many objects before an address objects_at() tests at most. An object
 * before the nearest one can still contain the address if objects share an
 * address or lie within each other. */
#define MAX_LOOKS 64

static void read_table(struct bytes table, struct bytes names,
		       struct objects *objects)
{
	size_t end;

	/* Every name that begins before `end` is terminated. */
	for (end = names.size; end && names.data[end - 1] != '\0';)
		end--;
	for (size_t i = 1; i < table.size / sizeof(Elf64_Sym); i++) {
		Elf64_Sym sym;

		memcpy(&sym, table.data + i * sizeof(sym), sizeof(sym));
		if (ELF64_ST_TYPE(sym.st_info) != STT_OBJECT ||
		    sym.st_shndx == SHN_UNDEF || sym.st_shndx == SHN_ABS ||
		    !sym.st_size || sym.st_size > UINT64_MAX - sym.st_value ||
		    sym.st_name >= end || !names.data[sym.st_name])
			continue;
		vec_push(&objects->list,
			 (struct object){
				 .address = sym.st_value,
				 .size = sym.st_size,
				 .name = (const char *)names.data + sym.st_name,
				 .local = ELF64_ST_BIND(sym.st_info) ==
					  STB_LOCAL,
			 });
	}
}

static void read_symtab(const struct image *image, struct objects *objects)
{
	size_t index = image_find_section(image, ".symtab");

	if (index && image->sections.data[index].link < image->sections.count)
		read_table(image_section_bytes(image, index),
			   image_section_bytes(
				   image, image->sections.data[index].link),
			   objects);
}

/* Sort by address. Of several objects at one address, the preferred object (not
 * static, then first by name) comes last, because objects_at() searches
 * backwards. */
static int compare(const void *a_, const void *b_)
{
	const struct object *a = a_, *b = b_;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->local != b->local)
		return a->local ? -1 : 1;
	return -strcmp(a->name, b->name);
}

static const struct objects *file_objects(struct debugfile *file)
{
	struct objects *objects = &file_symbols(file)->objects;
	const struct dynamic *dynamic = file_dynamic(file);

	if (objects->known)
		return objects;
	objects->known = true;
	if (image_find_section(&file->image, ".symtab"))
		read_symtab(&file->image, objects);
	else
		read_symtab(&file->debug.image, objects);
	read_table(dynamic->symbols, dynamic->strings, objects);
	if (objects->list.count)
		qsort(objects->list.data, objects->list.count,
		      sizeof(*objects->list.data), compare);
	return objects;
}

void objects_deinit(struct objects *objects)
{
	vec_free(&objects->list);
}

const struct object *objects_at(struct debugfile *file, uint64_t address)
{
	const struct objects *objects = file_objects(file);
	size_t low;

	SEARCH_FIRST(low, objects->list.count,
		     objects->list.data[low].address > address);
	for (int i = 0; low-- && i < MAX_LOOKS; i++) {
		const struct object *object = &objects->list.data[low];

		if (address - object->address < object->size)
			return object;
	}
	return NULL;
}
