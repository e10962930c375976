/*
 * frame_table.c - finds the FDE that describes an address, and the rules at the
 * address; see frame_table.h
 */
#include "frame_table.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf_constants.h"
#include "perftool/base/alloc.h"
#include "perftool/base/search.h"
#include "perftool/debuginfo/frame_rules.h"

static int compare(const void *a_, const void *b_)
{
	const struct cfi_entry *a = a_, *b = b_;

	return a->low < b->low ? -1 : a->low > b->low;
}

/* List the FDEs of the section, sorted by address. */
static void make_index(const struct cfi_section *section,
		       struct cfi_index *index)
{
	if (!section->bytes.size)
		return;
	cfi_read_index(section, index);
	if (index->count)
		qsort(index->data, index->count, sizeof(*index->data), compare);
}

/* The address of .eh_frame in a file without section headers. Such a file still
 * has a segment for .eh_frame_hdr. The bytes of .eh_frame_hdr begin with a
 * version, three encodings, and the address of .eh_frame (LSB, "Exception
 * Frames"). 0: the address is not known. */
static uint64_t unwind_address(const struct image *image)
{
	uint64_t header = image->unwind_address;
	uint8_t bytes[8];
	int32_t value;

	if (!header ||
	    image_read(image, header, bytes, sizeof(bytes)) != sizeof(bytes))
		return 0;
	memcpy(&value, bytes + 4, sizeof(value));
	/* Byte 0 is the version. Byte 1 is the encoding of the address of
	 * .eh_frame: all linkers write it in four bytes, relative to the place
	 * of these bytes. */
	if (bytes[0] != 1 || bytes[1] != (DW_EH_PE_pcrel | DW_EH_PE_sdata4))
		return 0;
	return header + 4 + (uint64_t)(int64_t)value;
}

/* Read .eh_frame of a file without section headers. The size of .eh_frame is
 * not known, so read up to the end of its segment. The parser stops earlier, at
 * a record with the length 0. */
static void read_by_header(struct frames *frames, const struct image *image)
{
	uint64_t address = unwind_address(image), size;
	const struct segment *segment =
		address ? image_segment_at(image, address) : NULL;

	if (!segment || address - segment->address >= segment->file_size)
		return;
	size = segment->file_size - (address - segment->address);
	frames->read = malloc(size);
	if (!frames->read)
		return;
	frames->eh.bytes.data = frames->read;
	frames->eh.bytes.size = image_read(image, address, frames->read, size);
	frames->eh.address = address;
	frames->eh.eh = true;
}

struct frames *file_frames(struct debugfile *file)
{
	struct frames *frames;
	size_t section;

	if (file->frames)
		return file->frames;
	frames = file->frames = xcalloc(1, sizeof(*frames));
	section = image_find_section(&file->image, ".eh_frame");
	if (section) {
		frames->eh.bytes = image_section_bytes(&file->image, section);
		frames->eh.address = file->image.sections.data[section].address;
		frames->eh.eh = true;
	} else {
		read_by_header(frames, &file->image);
	}
	frames->debug.bytes = file_section(file, SECTION_FRAME);
	make_index(&frames->eh, &frames->eh_index);
	make_index(&frames->debug, &frames->debug_index);
	return frames;
}

void frames_destroy(struct frames *frames)
{
	if (!frames)
		return;
	vec_free(&frames->eh_index);
	vec_free(&frames->debug_index);
	free(frames->read);
	free(frames);
}

static const struct cfi_entry *find(const struct cfi_index *index,
				    uint64_t address)
{
	size_t low;

	SEARCH_FIRST(low, index->count, index->data[low].low > address);
	if (!low || address >= index->data[low - 1].high)
		return NULL;
	return &index->data[low - 1];
}

bool frames_row_at(struct debugfile *file, uint64_t address,
		   struct cfi_row *out)
{
	const struct frames *frames = file_frames(file);
	const struct cfi_entry *entry = find(&frames->eh_index, address);

	if (entry && cfi_row_at(&frames->eh, entry->offset, address, out))
		return true;
	entry = find(&frames->debug_index, address);
	return entry && cfi_row_at(&frames->debug, entry->offset, address, out);
}

bool frames_range_at(struct debugfile *file, uint64_t address,
		     struct range *out)
{
	const struct frames *frames = file_frames(file);
	const struct cfi_entry *entry = find(&frames->eh_index, address);

	if (!entry)
		entry = find(&frames->debug_index, address);
	if (!entry)
		return false;
	*out = (struct range){entry->low, entry->high};
	return true;
}

bool debugfile_cfa_rule(struct debugfile *file, uint64_t address,
			struct cfa_rule *out)
{
	struct cfi_row row;

	if (!frames_row_at(file, address, &row) || row.cfa_is_expression ||
	    row.cfa_register >= CFI_REGISTERS)
		return false;
	*out = (struct cfa_rule){(unsigned)row.cfa_register, row.cfa_offset};
	return true;
}

bool debugfile_has_frame(struct debugfile *file, uint64_t address)
{
	struct range range;

	return frames_range_at(file, address, &range);
}

bool debugfile_frame_range(struct debugfile *file, uint64_t address,
			   struct range *out)
{
	return frames_range_at(file, address, out);
}

bool debugfile_has_pads(struct debugfile *file, uint64_t address)
{
	struct cfi_row row;

	return frames_row_at(file, address, &row) && row.table;
}

bool debugfile_is_signal_frame(struct debugfile *file, uint64_t address)
{
	struct cfi_row row;

	return frames_row_at(file, address, &row) && row.signal_frame;
}
