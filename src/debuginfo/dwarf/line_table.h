/*
 * line_table.h - one line table of .debug_line: bytes to files and rows
 *
 * A parser of bytes (DWARF 2 to 5): it knows no units and no symbols.
 */
#ifndef PERFTOOL_DEBUGINFO_LINE_TABLE_H
#define PERFTOOL_DEBUGINFO_LINE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "debuginfo/elf/elf.h"
#include "perftool/base/vec.h"

struct line_row {
	uint64_t address;
	uint32_t line;
	uint32_t file; /* index into `files` */
	uint32_t discriminator;
	bool is_stmt;
	bool end; /* the first address after a sequence; no line of its own */
	bool repeats;   /* the line before, but for the discriminator */
	uint32_t order; /* of the program */
};

struct line_file {
	const char *name;
	uint32_t directory;
	char *path; /* joined; made when first asked for */
};

struct line_table {
	uint64_t offset, end;
	unsigned version, offset_size;
	bool good; /* the header could be read */
	size_t header_size;
	VEC(const char *) directories;
	VEC(struct line_file) files; /* as numbered; [0] may be unused */
	struct cursor program;
	uint8_t min_insn, default_is_stmt, line_range, opcode_base;
	int8_t line_base;
	uint8_t opcode_lengths[256];
	bool rows_known;
	VEC(struct line_row) rows; /* sorted by address; see line_rows() */
};

/* What the table's strings are in. */
struct line_strings {
	struct bytes line_str, str;
};

/* Read the header at `offset`; never NULL. */
struct line_table *line_table_create(struct bytes section, uint64_t offset,
				     const struct line_strings *strings);
void line_table_destroy(struct line_table *table);

/* Run the program. Rows are sorted by address, those of one address in the
 * order of the program, with the end of a sequence before what follows.
 * No row lies at the end of its own sequence, and an empty one has none. */
void line_table_run(struct line_table *table);

/* The path of a file of the table, made absolute where it can be; `directory`
 * is the unit's (may be NULL). Owned by the table. */
const char *line_table_path(struct line_table *table, uint32_t file,
			    const char *directory);

/* The index of the first row above `address`. */
size_t line_table_upper_bound(const struct line_table *table, uint64_t address);

#endif
