/*
 * image.h - an ELF file as its segments and sections
 *
 * The reader reads, and inflates, the bytes of a section when they are first
 * needed, and keeps them until the image is closed. It copies the bytes and
 * does not map the file: if someone truncates a mapped file, the kernel kills
 * the tool by SIGBUS.
 */
#ifndef PERFTOOL_DEBUGINFO_IMAGE_H
#define PERFTOOL_DEBUGINFO_IMAGE_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "cursor.h"
#include "perftool/base/error.h"
#include "perftool/base/vec.h"

/* A PT_LOAD program header. The addresses of an image are link-time
 * addresses. */
struct segment {
	uint64_t address, memory_size;
	uint64_t offset, file_size;
	bool readable, executable;
};

struct section {
	const char *name; /* "" if the section has no readable name */
	uint64_t address, size;
	uint64_t offset; /* offset of the section in the file */
	bool compressed;
	/* the inflated bytes of a compressed section; NULL until they are
	 * needed */
	uint8_t *inflated;
	uint32_t type;
	uint32_t link;
	bool executable; /* SHF_EXECINSTR and SHF_ALLOC */
};

struct image {
	int fd;
	Elf *elf;
	uint64_t file_size;
	uint64_t entry;
	bool position_independent;
	/* in the order of the program headers */
	VEC(struct segment) segments;
	/* by section index; element 0 is the null section */
	VEC(struct section) sections;
	uint64_t dynamic_address, dynamic_size; /* PT_DYNAMIC; 0: none */
	uint64_t interpreter_address, interpreter_size;
	bool has_interpreter;
	uint64_t unwind_address; /* PT_GNU_EH_FRAME; 0: none */
	/* *failure is the errno of a failed read of the file; 0: no read has
	 * failed. `failure` is NULL if no file is open. */
	int *failure;
	/* what image_read() has read; NULL if no file is open */
	struct file_blocks *blocks;
};

/*
 * What a file is opened for. IMAGE_PROGRAM: a program or library; the file must
 * have the bytes of all segments. IMAGE_DEBUG_ONLY: a file with debug
 * information only, which need not have the bytes of its segments. IMAGE_PART:
 * a file with a part of the debug information (unit_source.h), which may be of
 * any ELF type.
 */
enum image_use { IMAGE_PROGRAM, IMAGE_DEBUG_ONLY, IMAGE_PART };

struct error *image_open(const char *path, enum image_use use,
			 struct image *out);
void image_close(struct image *image);

/* Return the errno of a read of this file that has failed since the last call,
 * or 0. The functions below return no errors: they treat bytes that could not
 * be read as empty, so the caller asks this function afterwards. */
int image_take_failure(const struct image *image);

/* Has a read of this file failed since image_take_failure() was last called? */
bool image_has_failed(const struct image *image);

/* The index of the first section of this name that has bytes in the file; 0:
 * there is no such section. */
size_t image_find_section(const struct image *image, const char *name);

/* The index of the next section of this name behind section number `after`; 0:
 * there is no such section. */
size_t image_next_section(const struct image *image, const char *name,
			  size_t after);

/* Close only the file descriptor of the image. The bytes of sections that were
 * read before stay valid; the caller must not read other sections any more. */
void image_let_go(struct image *image);

/* The inflated bytes of a section, which the image owns; empty if they cannot
 * be read. */
struct bytes image_section_bytes(const struct image *image, size_t index);

/* The uncompressed size of a section, without reading its bytes. */
uint64_t image_section_size(const struct image *image, size_t index);

/* Open a section, to inflate it piece by piece. NULL: the section is not
 * compressed, or it is compressed in a way that compressed_section.h does not
 * support. The image must live longer than the result. */
struct packed *image_packed(const struct image *image, size_t index);

/* Copy up to `size` bytes of PT_LOAD segments, as they are in the file, from
 * `address` on. The result is the number of bytes that were copied. */
size_t image_read(const struct image *image, uint64_t address, void *buffer,
		  size_t size);

/* The segment that contains `address`, or NULL. */
const struct segment *image_segment_at(const struct image *image,
				       uint64_t address);

/* The string at `address` that a zero byte terminates, or NULL; the caller
 * frees it. */
char *image_read_string(const struct image *image, uint64_t address);

/* The build id of the file as hexadecimal digits, or NULL; the caller frees
 * it. */
char *image_build_id(const struct image *image);

/* Read entry `index` of the dynamic section. False: there is no such entry. */
bool image_dynamic(const struct image *image, size_t index, Elf64_Dyn *out);

#endif
