/* objects.c - see objects.h */
#include "objects.h"

#include <elf.h>
#include <string.h>

#include "dynamic.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/debugtype.h"
#include "symbols.h"

/* Objects that begin before an address and may yet reach it: those that share
 * an address, or are within each other. */
#define MAX_LOOKS 64

static void read_table(struct bytes table, struct bytes names,
		       struct objects *objects)
{
	size_t end;

	/* every name before this is terminated */
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

/* Of one address, the one to take comes last. */
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
	size_t low = 0, high = objects->list.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (objects->list.data[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (int i = 0; low-- && i < MAX_LOOKS; i++) {
		const struct object *object = &objects->list.data[low];

		if (address - object->address < object->size)
			return object;
	}
	return NULL;
}

/*
 * A function as the source calls it, where that is known: no copy of the
 * compiler's, and in C++ with its parameters even if it is linked by its plain
 * name, as main is.
 */
static void append_function(struct debugfile *file, uint64_t address,
			    const char *name, struct str *out)
{
	struct debugtype *type = debugfile_function_type(file, address);
	const char *copy = strstr(name, " [clone "), *at;
	int depth = 0;

	if (!copy && !strchr(name, '('))
		copy = strchr(name, '.');
	if (!type || !copy)
		copy = name + strlen(name);
	str_append_n(out, name, (size_t)(copy - name));
	if (!type || strchr(name, '(') ||
	    debugfile_language(file, address) != LANGUAGE_C_PLUS_PLUS)
		return;
	/* the last pair of parentheses of `int (char, int (*)(void))` */
	at = debugtype_name(type);
	for (at += strlen(at); at > debugtype_name(type);) {
		at--;
		depth += (*at == ')') - (*at == '(');
		if (depth == 0)
			break;
	}
	str_append(out, str_equal(at, "(void)") ? "()" : at);
}

bool debugfile_append_symbol(struct debugfile *file, uint64_t address,
			     struct str *out)
{
	CLEANUP(free_pointer) char *name = NULL;
	const struct object *object;
	struct function function = {0};
	uint64_t offset;

	if (debugfile_function_at(file, address, &function)) {
		if (!function.name)
			return false;
		name = debuginfo_demangle(function.name);
		offset = address - function.address;
	} else {
		object = objects_at(file, address);
		if (!object)
			return false;
		name = debuginfo_demangle(object->name);
		offset = address - object->address;
	}
	str_append(out, " <");
	if (function.name)
		append_function(file, address, name, out);
	else
		str_append(out, name);
	str_printf(out, offset ? "+%lu>" : ">", offset);
	return true;
}
