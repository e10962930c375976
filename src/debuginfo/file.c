/*
 * file.c - opening a file, and what is known of it at once
 *
 * Debug information and .symtab may be in a file of their own (separate.c). It
 * is opened beside the file and asked for what the file itself lacks.
 */
#include "file.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "debugtype.h"
#include "dwarf.h"
#include "dynamic.h"
#include "entry_value.h"
#include "frames.h"
#include "globals.h"
#include "names.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "plt.h"
#include "split.h"
#include "symbols.h"
#include "tls.h"

#define PAGE 4096ULL

static const char *const section_names[SECTION_COUNT] = {
	[SECTION_INFO] = ".debug_info",
	[SECTION_ABBREV] = ".debug_abbrev",
	[SECTION_STR] = ".debug_str",
	[SECTION_LINE] = ".debug_line",
	[SECTION_LINE_STR] = ".debug_line_str",
	[SECTION_ARANGES] = ".debug_aranges",
	[SECTION_RANGES] = ".debug_ranges",
	[SECTION_RNGLISTS] = ".debug_rnglists",
	[SECTION_LOC] = ".debug_loc",
	[SECTION_LOCLISTS] = ".debug_loclists",
	[SECTION_ADDR] = ".debug_addr",
	[SECTION_STR_OFFSETS] = ".debug_str_offsets",
	[SECTION_TYPES] = ".debug_types",
	[SECTION_CU_INDEX] = ".debug_cu_index",
	[SECTION_TU_INDEX] = ".debug_tu_index",
	[SECTION_FRAME] = ".debug_frame",
};

/* DT_NEEDED and DT_SONAME, by the program headers alone, and whether there are
 * symbols. */
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
	names_destroy(file->names);
	symbols_destroy(file->symbols);
	dynamic_destroy(file->dynamic);
	vec_free(&file->sequences);
	image_close(&file->image);
	separate_deinit(&file->debug);
	for (size_t i = 0; i < file->directories.count; i++)
		free(file->directories.data[i]);
	vec_free(&file->directories);
	free(file->soname);
	free(file->interpreter);
	free(file->build_id);
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

size_t debugfile_read(const struct debugfile *file, uint64_t address,
		      void *buffer, size_t size)
{
	return image_read(&file->image, address, buffer, size);
}

bool debugfile_code(const struct debugfile *file, size_t index,
		    struct range *out)
{
	for (size_t i = 0; i < file->image.segments.count; i++) {
		const struct segment *segment = &file->image.segments.data[i];

		if (!segment->executable || index--)
			continue;
		*out = (struct range){segment->address,
				      segment->address + segment->file_size};
		return true;
	}
	return false;
}

bool debugfile_loadable(const struct debugfile *file, size_t index,
			struct loadable *out)
{
	for (size_t i = 0; i < file->image.segments.count; i++) {
		const struct segment *segment = &file->image.segments.data[i];

		if (!segment->file_size || index--)
			continue;
		*out = (struct loadable){segment->address & -PAGE,
					 segment->offset & -PAGE};
		return true;
	}
	return false;
}

bool debugfile_offset_of_address(const struct debugfile *file, uint64_t address,
				 uint64_t *offset)
{
	const struct segment *segment = image_segment_at(&file->image, address);

	if (!segment || address - segment->address >= segment->file_size)
		return false;
	*offset = segment->offset + (address - segment->address);
	return true;
}

static bool is_loaded_from(const struct segment *segment, uint64_t offset)
{
	/* whole pages are mapped */
	uint64_t low = segment->offset & ~(PAGE - 1);

	return offset >= low &&
	       offset - low < segment->offset - low + segment->file_size;
}

bool debugfile_address_of_offset(const struct debugfile *file, uint64_t offset,
				 uint64_t *address)
{
	const struct segment *found = NULL;

	for (size_t i = 0; i < file->image.segments.count; i++) {
		const struct segment *segment = &file->image.segments.data[i];

		if (is_loaded_from(segment, offset) &&
		    (!found || (segment->executable && !found->executable)))
			found = segment;
	}
	if (found)
		*address = found->address + (offset - found->offset);
	return found;
}

bool file_is_code(const struct debugfile *file, uint64_t address)
{
	const struct segment *segment = image_segment_at(&file->image, address);

	return segment && segment->executable;
}

void section_name(enum section_id id, bool split, char *out, size_t size)
{
	bool is_index = id == SECTION_CU_INDEX || id == SECTION_TU_INDEX;

	snprintf(out, size, "%s%s", section_names[id],
		 split && !is_index ? ".dwo" : "");
}

/* The file that all sections of DWARF are of: the one with .debug_info. */
static const struct image *dwarf_image(const struct debugfile *file)
{
	return image_find_section(&file->image, ".debug_info")
		       ? &file->image
		       : &file->debug.image;
}

/* The section, and the image it is in: 0, if none. */
static size_t find_section(const struct debugfile *file, enum section_id id,
			   const struct image **image)
{
	*image = id == SECTION_FRAME ? &file->image : dwarf_image(file);
	return image_find_section(*image, section_names[id]);
}

void file_find_shared(struct debugfile *file, struct separate *out)
{
	const struct image *image = dwarf_image(file);
	bool separate = image != &file->image && file->debug.path;

	separate_find_shared(separate ? file->debug.path : file->path, image,
			     &file->directories, out);
}

const char *file_shared_name(struct debugfile *file)
{
	return separate_shared_name(dwarf_image(file));
}

struct packed *file_packed_info(struct debugfile *file)
{
	const struct image *image;
	size_t index = find_section(file, SECTION_INFO, &image);

	return image_packed(image, index);
}

uint64_t file_section_size(struct debugfile *file, enum section_id id)
{
	const struct image *image;
	size_t index = find_section(file, id, &image);

	return index ? image_section_size(image, index) : 0;
}

struct bytes file_section(struct debugfile *file, enum section_id id)
{
	const struct image *image;
	size_t index;

	if (file->section_known[id])
		return file->sections[id];
	file->section_known[id] = true;
	index = find_section(file, id, &image);
	if (index)
		file->sections[id] = image_section_bytes(image, index);
	return file->sections[id];
}
