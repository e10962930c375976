/*
 * line_table.h - turns the bytes of a line table of .debug_line into files and
 * rows (DWARF 2 to 5; DWARF 5, 6.2)
 *
 * The parser needs nothing but the bytes of the sections. It knows nothing of
 * units and symbols.
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
	/* The compiler says that the function's prologue ends here. */
	bool prologue_end;
	/* The row marks the end of a sequence (a block of code without gaps):
	 * its address is the first address behind the sequence, and its line
	 * has no meaning. */
	bool end;
	/* The row has the same line and file as the row before it, and exists
	 * only because the discriminators differ. gdb does not store such
	 * rows. */
	bool repeats;
	/* the position of this row before the rows were sorted */
	uint32_t order;
};

struct line_file {
	const char *name;
	uint32_t directory;
	/* the name behind the path of its directory; NULL: nobody has needed
	 * the path yet */
	char *path;
};

struct line_table {
	/* where the table begins and ends in .debug_line */
	uint64_t offset, end;
	unsigned version, offset_size;
	bool good;          /* the header could be read */
	size_t header_size; /* how many bytes of the header were read */
	VEC(const char *) directories;
	/* by the number of the file; element 0 is unused before DWARF 5 */
	VEC(struct line_file) files;
	struct cursor program; /* the line number program */
	uint8_t min_insn, default_is_stmt, line_range, opcode_base;
	int8_t line_base;
	/* the number of operands of each standard opcode */
	uint8_t opcode_lengths[256];
	bool rows_known;
	VEC(struct line_row) rows; /* sorted; see line_table_run() */
};

/* The sections that have the table's strings: .debug_line_str and
 * .debug_str. */
struct line_strings {
	struct bytes line_str, str;
};

/* Read the header of the table at `offset`. The result is never NULL; `good` is
 * false in it if the header cannot be read. The caller frees it with
 * line_table_destroy(). The bytes of the sections must live longer than the
 * result. */
struct line_table *line_table_create(struct bytes section, uint64_t offset,
				     const struct line_strings *strings);
void line_table_destroy(struct line_table *table);

/*
 * Run the line number program to make the rows, unless they have been made
 * before. The rows are sorted by address. Rows with the same address are in the
 * order in which the program made them, except that the end of a sequence comes
 * before the other rows. No row has the address at which its own sequence ends,
 * and an empty sequence has no rows.
 */
void line_table_run(struct line_table *table);

/* The path of file number `file` of the table. If the path in the table is
 * relative, the result begins with `directory`, which is the compilation
 * directory of the unit and may be NULL. The table owns the path. NULL: the
 * table has no such file. */
const char *line_table_path(struct line_table *table, uint32_t file,
			    const char *directory);

/* The index of the first row with an address above `address`. If there is no
 * such row, the result is the number of rows. */
size_t line_table_upper_bound(const struct line_table *table, uint64_t address);

#endif
