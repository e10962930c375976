/*
 * file.c - opens a file, and reads struct debugfile_facts
 *
 * Debug information and .symtab may be in a separate file (separate_file.c).
 * The separate file is opened, too, and the reader takes from it what the
 * program's own file does not have.
 */
#include "debuginfo/elf/elf.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debuginfo/dwarf/dwarf.h"
#include "debuginfo/frames/frames.h"
#include "debuginfo/index/index.h"
#include "debuginfo/locations/locations.h"
#include "debuginfo/symbols/symbols.h"
#include "debuginfo/types/types.h"
#include "debuginfo/variables/variables.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

#define PAGE 4096ULL

/*
 * Read from the dynamic section the soname, and whether the file needs
 * libraries (*needs), has dynamic symbols, and has text relocations. The
 * section is found by the program headers, so this also works for a file
 * without section headers.
 */
static void read_dynamic(struct debugfile *file, bool *needs)
{
	uint64_t strings = 0, soname = 0;
	bool has_soname = false;

	for (uint64_t at = 0;
	     at + sizeof(Elf64_Dyn) <= file->image.dynamic_size;
	     at += sizeof(Elf64_Dyn)) {
		Elf64_Dyn entry;

		if (image_read(&file->image, file->image.dynamic_address + at,
			       &entry, sizeof(entry)) != sizeof(entry) ||
		    entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_NEEDED)
			*needs = true;
		if (entry.d_tag == DT_STRTAB)
			strings = entry.d_un.d_ptr;
		if (entry.d_tag == DT_SYMTAB && entry.d_un.d_ptr)
			file->facts.has_dynsym = true;
		if (entry.d_tag == DT_TEXTREL ||
		    (entry.d_tag == DT_FLAGS && entry.d_un.d_val & DF_TEXTREL))
			file->facts.has_text_relocations = true;
		if (entry.d_tag == DT_SONAME) {
			soname = entry.d_un.d_val;
			has_soname = true;
		}
	}
	if (has_soname && strings)
		file->soname =
			image_read_string(&file->image, strings + soname);
}

static void read_facts(struct debugfile *file)
{
	struct debugfile_facts *facts = &file->facts;
	const struct image *image = &file->image;
	bool needs = false;

	facts->position_independent = image->position_independent;
	facts->entry = image->entry;
	facts->dynamic = image->dynamic_address;
	facts->low = UINT64_MAX;
	for (size_t i = 0; i < image->segments.count; i++) {
		const struct segment *segment = &image->segments.data[i];
		uint64_t low = segment->address & -PAGE;
		uint64_t high = segment->address + segment->memory_size;

		high = high > UINT64_MAX - PAGE ? UINT64_MAX & -PAGE
						: (high + PAGE - 1) & -PAGE;
		if (low < facts->low)
			facts->low = low;
		if (high > facts->high)
			facts->high = high;
	}
	read_dynamic(file, &needs);
	if (image->has_interpreter)
		file->interpreter =
			image_read_string(image, image->interpreter_address);
	file->build_id = image_build_id(image);
	facts->build_id = file->build_id;
	facts->debug_path = file->debug.path;
	facts->debug_mismatch = file->debug.mismatch;
	facts->soname = file->soname;
	facts->interpreter = file->interpreter;
	facts->is_static = !image->has_interpreter && !needs;
	facts->has_symtab = image_find_section(image, ".symtab") ||
			    image_find_section(&file->debug.image, ".symtab");
	facts->has_dynsym |= image_find_section(image, ".dynsym") != 0;
	facts->has_dwarf =
		image_find_section(image, ".debug_info") ||
		image_find_section(&file->debug.image, ".debug_info");
}

struct error *debugfile_open_with(const char *path,
				  const struct debug_directories *directories,
				  struct debugfile **out)
{
	struct debugfile *file;
	struct image image;

	TRY(image_open(path, IMAGE_PROGRAM, &image));
	file = xcalloc(1, sizeof(*file));
	file->path = xstrdup(path);
	file->image = image;
	file->read_compressed_units = index_read_packed;
	file->recall_units = index_recall_units;
	for (size_t i = 0; i < directories->count; i++)
		vec_push(&file->directories, xstrdup(directories->data[i]));
	if (image_find_section(&image, ".debug_info"))
		file->debug.image.fd = -1;
	else
		separate_find(path, &image, directories, &file->debug);
	read_facts(file);
	*out = file;
	return NULL;
}

struct error *debugfile_open(const char *path, struct debugfile **out)
{
	const struct debug_directories none = {0};

	return debugfile_open_with(path, &none, out);
}

void debugfile_cache_index(struct debugfile *file, const char *folder,
			   uint64_t least)
{
	free(file->cache_folder);
	file->cache_folder = folder ? xstrdup(folder) : NULL;
	file->cache_least = least;
}

char *debuginfo_cache_folder(void)
{
	const char *base = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");

	/* The XDG base directory rules say that a relative path is to be
	 * ignored. */
	if (base && *base == '/')
		return xasprintf("%s/perftool", base);
	return home && *home == '/' ? xasprintf("%s/.cache/perftool", home)
				    : NULL;
}

void debugfile_close(struct debugfile *file)
{
	if (!file)
		return;
	debugtypes_destroy(file->types);
	call_sites_destroy(file->call_sites);
	tls_module_destroy(file->tls);
	free(file->go);
	plt_free(file->plt);
	globals_destroy(file->globals);
	frames_destroy(file->frames);
	dwarf_destroy(file->dwarf);
	index_destroy(file->index);
	names_destroy(file->names);
	symbols_destroy(file->symbols);
	dynamic_destroy(file->dynamic);
	vec_free(&file->sequences);
	vec_free(&file->probes);
	image_close(&file->image);
	separate_deinit(&file->debug);
	for (size_t i = 0; i < file->directories.count; i++)
		free(file->directories.data[i]);
	vec_free(&file->directories);
	free(file->soname);
	free(file->interpreter);
	free(file->build_id);
	free(file->cache_folder);
	free(file->path);
	free(file);
}

struct error *debugfile_check(const struct debugfile *file)
{
	const struct dwarf *dwarf = file->dwarf;
	int failure = image_take_failure(&file->image);

	if (!failure)
		failure = image_take_failure(&file->debug.image);
	if (!failure && dwarf)
		failure = source_take_failure(dwarf->shared);
	if (!failure && dwarf && dwarf->splits)
		failure = splits_take_failure(dwarf->splits);
	return failure ? error_system(failure,
				      "%s: a part of it, or of its debug "
				      "information, cannot be read",
				      file->path)
		       : NULL;
}

const char *debugfile_path(const struct debugfile *file)
{
	return file->path;
}

const struct debugfile_facts *debugfile_facts(const struct debugfile *file)
{
	return &file->facts;
}
