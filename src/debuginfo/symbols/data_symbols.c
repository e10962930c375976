/*
 * data_symbols.c - finds the symbols of variables by name, and the names by
 * which a library exports a variable
 *
 * The tool searches a symbol table for a name only when it binds an expression.
 * This is rare, so this file keeps no index of the names.
 */

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "debuginfo/elf/elf.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/debug_variables.h"

/* flag in .gnu.version: not the default version of the symbol */
#define HIDDEN_VERSION 0x8000

/* A symbol table with its strings. */
struct table {
	const struct image *image;
	struct bytes symbols, names, versions; /* .symtab has no `versions` */
	/* every name that begins before this offset is terminated */
	size_t end;
};

static bool open_table(const struct image *image, const char *section,
		       struct table *out)
{
	size_t index = image_find_section(image, section);
	size_t versions = image_find_section(image, ".gnu.version");

	*out = (struct table){.image = image};
	if (!index || image->sections.data[index].link >= image->sections.count)
		return false;
	out->symbols = image_section_bytes(image, index);
	out->names =
		image_section_bytes(image, image->sections.data[index].link);
	if (versions && image->sections.data[versions].link == index)
		out->versions = image_section_bytes(image, versions);
	for (out->end = out->names.size;
	     out->end && out->names.data[out->end - 1] != '\0';)
		out->end--;
	return true;
}

static bool is_data(const struct image *image, const Elf64_Sym *sym)
{
	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS)
		return false;
	switch (ELF64_ST_TYPE(sym->st_info)) {
	case STT_OBJECT:
	case STT_COMMON:
	case STT_TLS:
		return true;
	/* a symbol from assembler code, or one that the linker defines */
	case STT_NOTYPE:
		return ELF64_ST_BIND(sym->st_info) != STB_LOCAL &&
		       sym->st_shndx < image->sections.count &&
		       !image->sections.data[sym->st_shndx].executable;
	default:
		return false;
	}
}

/* Go to the next data symbol behind symbol number `*index`. The result is its
 * name, or NULL if there are no more. */
static const char *next_data(const struct table *table, size_t *index,
			     Elf64_Sym *sym)
{
	while (++*index < table->symbols.size / sizeof(*sym)) {
		memcpy(sym, table->symbols.data + *index * sizeof(*sym),
		       sizeof(*sym));
		if (sym->st_name < table->end &&
		    table->names.data[sym->st_name] &&
		    is_data(table->image, sym))
			return (const char *)table->names.data + sym->st_name;
	}
	return NULL;
}

static bool is_default(const struct table *table, size_t index)
{
	uint16_t version;

	if (table->versions.size / sizeof(version) <= index)
		return true;
	memcpy(&version, table->versions.data + index * sizeof(version),
	       sizeof(version));
	return !(version & HIDDEN_VERSION);
}

/* Is `symbol` the mangled form of `ns::name`? */
static bool is_mangled(const char *symbol, const char *name)
{
	CLEANUP(free_pointer) char *demangled = NULL;
	const char *base = NULL;

	for (const char *at = name; (at = strstr(at, "::")); at += 2)
		base = at + 2;
	if (!base || !str_starts(symbol, "_Z") || !strstr(symbol, base))
		return false;
	demangled = debuginfo_demangle(symbol);
	return str_equal(demangled, str_starts(name, "::") ? name + 2 : name);
}

/* Is `symbol` a symbol of the variable `name`? In .symtab a version may follow
 * the symbol's name, as in `name@VERSION`. */
static bool is_called(const char *symbol, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(symbol, name, length) == 0 &&
	    (!symbol[length] || symbol[length] == '@'))
		return true;
	return is_mangled(symbol, name);
}

static bool search(const struct table *table, const char *name, bool local,
		   struct data_symbol *out)
{
	bool found = false;
	const char *symbol;
	size_t index = 0;
	Elf64_Sym sym;

	while ((symbol = next_data(table, &index, &sym))) {
		if ((ELF64_ST_BIND(sym.st_info) == STB_LOCAL) != local ||
		    !is_called(symbol, name) ||
		    (found && !is_default(table, index)))
			continue;
		*out = (struct data_symbol){
			.address = sym.st_value,
			.size = sym.st_size,
			.is_thread_local =
				ELF64_ST_TYPE(sym.st_info) == STT_TLS,
		};
		found = true;
		if (is_default(table, index))
			break;
	}
	return found;
}

bool debugfile_find_data(struct debugfile *file, const char *name,
			 enum data_scope scope, struct data_symbol *out)
{
	struct table table;

	if (scope != DATA_LOCAL &&
	    open_table(&file->image, ".dynsym", &table) &&
	    search(&table, name, false, out))
		return true;
	return scope != DATA_EXPORTED &&
	       (open_table(&file->image, ".symtab", &table) ||
		open_table(&file->debug.image, ".symtab", &table)) &&
	       search(&table, name, scope == DATA_LOCAL, out);
}

bool debugfile_has_data(struct debugfile *file, const char *name)
{
	struct data_symbol symbol;
	struct table table;

	return debugfile_find_data(file, name, DATA_GLOBAL, &symbol) ||
	       debugfile_find_data(file, name, DATA_LOCAL, &symbol) ||
	       (!open_table(&file->image, ".symtab", &table) &&
		!open_table(&file->debug.image, ".symtab", &table));
}

char *debugfile_exported_at(struct debugfile *file, uint64_t address,
			    size_t index)
{
	struct table table;
	const char *symbol;
	size_t at = 0;
	Elf64_Sym sym;

	if (!open_table(&file->image, ".dynsym", &table))
		return NULL;
	while ((symbol = next_data(&table, &at, &sym)))
		if (sym.st_value == address &&
		    ELF64_ST_TYPE(sym.st_info) == STT_OBJECT &&
		    ELF64_ST_BIND(sym.st_info) != STB_LOCAL &&
		    ELF64_ST_VISIBILITY(sym.st_other) == STV_DEFAULT &&
		    index-- == 0)
			return xstrdup(symbol);
	return NULL;
}
