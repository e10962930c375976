/*
 * image.h - an ELF file as its segments and sections
 *
 * The bytes of a section are read (and uncompressed) when first asked for, and
 * stay until the image is closed. They are copies, not a mapping: a file that
 * is truncated while it is open cannot kill its reader.
 */
#ifndef PERFTOOL_DEBUGINFO_IMAGE_H
#define PERFTOOL_DEBUGINFO_IMAGE_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "cursor.h"
#include "perftool/base/error.h"
#include "perftool/base/vec.h"

/* A PT_LOAD program header. */
struct segment {
	uint64_t address, memory_size;
	uint64_t offset, file_size;
	bool readable, executable;
};

struct section {
	const char *name; /* "" when it has none that can be read */
	uint64_t address, size;
	uint64_t offset; /* in the file */
	bool compressed;
	uint8_t *inflated; /* its bytes, if they were compressed */
	uint32_t type;
	uint32_t link;
	bool executable; /* and allocated */
};

struct image {
	int fd;
	Elf *elf;
	uint64_t file_size;
	uint64_t entry;
	bool position_independent;
	VEC(struct segment) segments; /* in file order */
	VEC(struct section) sections; /* by index; [0] is the null section */
	uint64_t dynamic_address, dynamic_size; /* PT_DYNAMIC; 0: none */
	uint64_t interpreter_address, interpreter_size;
	bool has_interpreter;
	uint64_t unwind_address; /* PT_GNU_EH_FRAME; 0: none */
	/* The errno of a read of the file that failed, 0: none has. NULL: the
	 * image has no sections. */
	int *failure;
};

/* Whether the bytes of the segments must be there: not in a file of debug
 * information only. What has a part of it (unit_source.h) may be of any type.
 */
enum image_use { IMAGE_PROGRAM, IMAGE_DEBUG_ONLY, IMAGE_PART };

struct error *image_open(const char *path, enum image_use use,
			 struct image *out);
void image_close(struct image *image);

/* The errno of a read that has failed since the last call, or 0. What could not
 * be read is taken for empty. */
int image_take_failure(const struct image *image);

/* The index of the section of this name that has bytes in the file, or 0. */
size_t image_find_section(const struct image *image, const char *name);

/* The one after section `after` that is called so, too. */
size_t image_next_section(const struct image *image, const char *name,
			  size_t after);

/* Close the file. Bytes of sections that have been asked for stay; no others
 * may be asked for. */
void image_let_go(struct image *image);

/* Its bytes; empty when they cannot be read. */
struct bytes image_section_bytes(const struct image *image, size_t index);

/* How many there are, without reading them. */
uint64_t image_section_size(const struct image *image, size_t index);

/* The section as what is inflated piece by piece; NULL: it is not compressed,
 * or otherwise than compressed_section.h knows. The image must outlive it. */
struct packed *image_packed(const struct image *image, size_t index);

/* Bytes of PT_LOAD segments as they are in the file; returns how many. */
size_t image_read(const struct image *image, uint64_t address, void *buffer,
		  size_t size);

/* The segment that `address` is in, or NULL. */
const struct segment *image_segment_at(const struct image *image,
				       uint64_t address);

/* The terminated string at `address`, or NULL; the caller frees it. */
char *image_read_string(const struct image *image, uint64_t address);

/* The build id as hexadecimal digits, or NULL; the caller frees it. */
char *image_build_id(const struct image *image);

/* Entry `index` of the dynamic section; false: there are no more. */
bool image_dynamic(const struct image *image, size_t index, Elf64_Dyn *out);

#endif
