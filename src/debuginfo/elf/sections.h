/*
 * sections.h - finds and reads the sections of debug information of a file
 */
#ifndef PERFTOOL_DEBUGINFO_SECTIONS_H
#define PERFTOOL_DEBUGINFO_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cursor.h"

enum section_id {
	SECTION_INFO,
	SECTION_ABBREV,
	SECTION_STR,
	SECTION_LINE,
	SECTION_LINE_STR,
	SECTION_ARANGES,
	SECTION_RANGES,
	SECTION_RNGLISTS,
	SECTION_LOC,
	SECTION_LOCLISTS,
	SECTION_ADDR,
	SECTION_STR_OFFSETS,
	SECTION_TYPES,
	/* SECTION_CU_INDEX and SECTION_TU_INDEX are sections of a package of
	 * split units (.dwp). */
	SECTION_CU_INDEX,
	SECTION_TU_INDEX,
	SECTION_FRAME,
	SECTION_COUNT,
};

struct debugfile;
struct packed;
struct separate;

/* The inflated bytes of a section of debug information; empty if the file has
 * no such section. The file owns the bytes. */
struct bytes file_section(struct debugfile *file, enum section_id id);

/* The inflated size of the section in bytes. The function reads only the
 * headers of the section. */
uint64_t file_section_size(struct debugfile *file, enum section_id id);

/* Open .debug_info to be inflated piece by piece, if it is compressed in a
 * supported way; else NULL. If the result is not NULL, the caller must not ask
 * file_section() for the bytes of .debug_info, which would inflate all of the
 * section at once. */
struct packed *file_packed_info(struct debugfile *file);

/* The file descriptor of the file that has the sections of debug information,
 * or -1. The file owns it. */
int file_dwarf_fd(const struct debugfile *file);

/* Write the section's name to `out`, which has `size` bytes. `split`: write the
 * name that the section has in files of split units (.dwo). */
void section_name(enum section_id id, bool split, char *out, size_t size);

/* Find the shared file: dwz moves debug information that several programs have
 * in common into a file of its own. `out` is as separate_find() leaves it. */
void file_find_shared(struct debugfile *file, struct separate *out);
/* The name of the shared file as it is written in the program's debug
 * information, or NULL if the program has no shared file. */
const char *file_shared_name(struct debugfile *file);

#endif
