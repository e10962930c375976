/*
 * sections.c - see sections.h
 *
 * The reader takes all DWARF sections from the file that has .debug_info,
 * which may be the separate file of debug information. It always takes
 * .debug_frame from the program's own file.
 */
#include "sections.h"

#include <stdio.h>

#include "debugfile.h"

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

void section_name(enum section_id id, bool split, char *out, size_t size)
{
	bool is_index = id == SECTION_CU_INDEX || id == SECTION_TU_INDEX;

	snprintf(out, size, "%s%s", section_names[id],
		 split && !is_index ? ".dwo" : "");
}

/* The image from which the reader takes the DWARF sections: the image that has
 * .debug_info. */
static const struct image *dwarf_image(const struct debugfile *file)
{
	return image_find_section(&file->image, ".debug_info")
		       ? &file->image
		       : &file->debug.image;
}

/* The index of the section in `*image`, the image that has the section. 0:
 * there is no such section. */
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

int file_dwarf_fd(const struct debugfile *file)
{
	return dwarf_image(file)->fd;
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
