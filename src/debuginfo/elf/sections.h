/*
 * sections.h - the sections of debug information of a file
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
	SECTION_CU_INDEX, /* of a package; and the next one */
	SECTION_TU_INDEX,
	SECTION_FRAME,
	SECTION_COUNT,
};

struct debugfile;
struct packed;
struct separate;

/* The bytes of a section of debug information; empty when there is none. */
struct bytes file_section(struct debugfile *file, enum section_id id);

/* How many there are, as its header has it, without reading them. */
uint64_t file_section_size(struct debugfile *file, enum section_id id);

/* .debug_info, if it is one that is inflated piece by piece; else NULL. Its
 * bytes are then not to be asked for. */
struct packed *file_packed_info(struct debugfile *file);

/* What the section is called in files; `split`: in those of split units. */
void section_name(enum section_id id, bool split, char *out, size_t size);

/* Look for the file that the program's debug information shares with that of
 * others (dwz). `out` is as separate_find() leaves it. */
void file_find_shared(struct debugfile *file, struct separate *out);
/* Its name, as the program has it, or NULL: it shares none. */
const char *file_shared_name(struct debugfile *file);

#endif
