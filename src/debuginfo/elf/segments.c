/*
 * segments.c - the segments of a file: which bytes are loaded at which address
 *
 * The program headers say which bytes of the file are loaded at which link-time
 * address, and which of them may be executed.
 */
#include "debugfile.h"

#define PAGE 4096ULL

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
	/* The kernel maps whole pages, so the bytes before the segment in its
	 * first page are loaded, too. */
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
