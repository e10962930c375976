/*
 * file.c - opening a file, and what is known of it at once
 *
 * Debug information and .symtab may be in a file of their own, as Debian's
 * -dbgsym packages have it: /usr/lib/debug/.build-id/XX/REST.debug. It is
 * opened beside the file and asked for what the file itself lacks.
 */
#include "file.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

#include "debugtype.h"
#include "dwarf.h"
#include "entry_value.h"
#include "frames.h"
#include "globals.h"
#include "inlined.h"
#include "names.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "symbols.h"
#include "tls.h"

#define PAGE 4096ULL
#define DEBUG_DIRECTORY "/usr/lib/debug/.build-id"

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
	[SECTION_FRAME] = ".debug_frame",
};

/* Open the separate debug file if there is one that is truly of this file. */
static void open_debug(struct debugfile *file)
{
	char *id = image_build_id(&file->image), *path, *other = NULL;
	struct image debug;

	if (!id)
		return;
	path = xasprintf(DEBUG_DIRECTORY "/%.2s/%s.debug", id, id + 2);
	if (access(path, R_OK) == 0) {
		struct error *error =
			image_open(path, IMAGE_DEBUG_ONLY, &debug);

		if (!error) {
			other = image_build_id(&debug);
			if (other && str_equal(id, other))
				file->debug = debug;
			else
				image_close(&debug);
		}
		error_destroy(error);
	}
	free(other);
	free(path);
	free(id);
}

/* DT_NEEDED and DT_SONAME, by the program headers alone. */
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
	facts->soname = file->soname;
	facts->interpreter = file->interpreter;
	facts->is_static = !image->has_interpreter && !needs;
	facts->has_symtab = image_find_section(image, ".symtab") ||
			    image_find_section(&file->debug, ".symtab");
	facts->has_dynsym = image_find_section(image, ".dynsym");
	facts->has_dwarf = image_find_section(image, ".debug_info") ||
			   image_find_section(&file->debug, ".debug_info");
}

struct error *debugfile_open(const char *path, struct debugfile **out)
{
	struct debugfile *file;
	struct image image;

	TRY(image_open(path, IMAGE_PROGRAM, &image));
	file = xcalloc(1, sizeof(*file));
	file->path = xstrdup(path);
	file->image = image;
	file->debug = (struct image){.fd = -1};
	open_debug(file);
	read_facts(file);
	*out = file;
	return NULL;
}

void debugfile_close(struct debugfile *file)
{
	if (!file)
		return;
	debugtypes_destroy(file->types);
	call_sites_destroy(file->call_sites);
	tls_module_destroy(file->tls);
	inlined_destroy(file->inlined);
	globals_destroy(file->globals);
	frames_destroy(file->frames);
	dwarf_destroy(file->dwarf);
	names_destroy(file->names);
	symbols_destroy(file->symbols);
	vec_free(&file->sequences);
	image_close(&file->image);
	image_close(&file->debug);
	free(file->soname);
	free(file->interpreter);
	free(file->path);
	free(file);
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

struct bytes file_section(struct debugfile *file, enum section_id id)
{
	const struct image *image = &file->image;
	size_t index;

	if (file->section_known[id])
		return file->sections[id];
	file->section_known[id] = true;
	/* all sections of DWARF are of one file: the one with .debug_info */
	if (id != SECTION_FRAME && !image_find_section(image, ".debug_info"))
		image = &file->debug;
	index = image_find_section(image, section_names[id]);
	if (index)
		file->sections[id] = image_section_bytes(image, index);
	return file->sections[id];
}
