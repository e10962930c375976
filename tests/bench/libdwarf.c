/*
 * libdwarf.c - libdwarf beside our readers of DWARF: what they cost
 *
 * usage: libdwarf lines|frames|dies|broken FILE
 *
 * doc/DEPENDENCIES.md has the figures, and says what follows from them. Both
 * read the same sections, already inflated. Times are CPU time (user and
 * system), the least of ROUNDS.
 *
 * lines: all rows of all tables of .debug_line; and the files of all tables.
 * frames: the list of all FDEs of .eh_frame; and a row of each.
 * dies: all DIEs, each asked for its name, its address and its type.
 * broken: what libdwarf does with the first table of lines of the file, which
 * is of DWARF 5, when 8 or 9 bytes of its header are changed. What it writes
 * beyond its memory then, valgrind says.
 */
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/libdwarf_api.h"
#include "debuginfo/dwarf/dwarf.h"
#include "perftool/base/alloc.h"
#include "perftool/debuginfo.h"

#define ROUNDS 5
#define MEMORY (3UL << 30) /* what libdwarf may use for a broken table */

struct part {
	const char *name;
	struct bytes bytes;
	uint64_t address;
};

/* What libdwarf is handed; [0] is no section. */
static struct part parts[8];
static unsigned part_count = 1;

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "libdwarf: %s\n", what);
	exit(1);
}

static double cpu_ms(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

static struct part section_of(Elf *elf, const char *name)
{
	struct part part = {.name = name};
	size_t names;

	elf_getshdrstrndx(elf, &names);
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr header;
		Elf_Data *data;

		gelf_getshdr(scn, &header);
		if (header.sh_type == SHT_NOBITS ||
		    strcmp(elf_strptr(elf, names, header.sh_name), name) != 0)
			continue;
		if (header.sh_flags & SHF_COMPRESSED)
			elf_compress(scn, 0, 0);
		data = elf_rawdata(scn, NULL);
		part.bytes = (struct bytes){data->d_buf, data->d_size};
		part.address = header.sh_addr;
	}
	return part;
}

/* ---- handing sections to libdwarf ---------------------------------------- */

#ifdef DW_LIBDWARF_VERSION
typedef Dwarf_Obj_Access_Section_a section_information;
typedef Dwarf_Obj_Access_Methods_a access_methods;
typedef Dwarf_Obj_Access_Interface_a access_interface;
typedef Dwarf_Small byte_order;
#define FIELD(name) as_##name
#define LEAST_FIRST DW_END_little
#else
typedef Dwarf_Obj_Access_Section section_information;
typedef Dwarf_Obj_Access_Methods access_methods;
typedef Dwarf_Obj_Access_Interface access_interface;
typedef Dwarf_Endianness byte_order;
#define FIELD(name) name
#define LEAST_FIRST DW_OBJECT_LSB
#endif

#ifdef DW_LIBDWARF_VERSION
#define SECTION_INDEX Dwarf_Unsigned
#define RULES DW_REG_TABLE_SIZE /* fewer: it writes beyond them */
static Dwarf_Unsigned get_file_size(void *object)
{
	(void)object;
	return 1UL << 40;
}

static void finish_object(void *object)
{
	(void)object;
}
#else
#define SECTION_INDEX Dwarf_Half
#define RULES CFI_REGISTERS
#endif

static int get_section(void *object, SECTION_INDEX i, section_information *out,
		       int *error)
{
	(void)object;
	(void)error;
	if (i >= part_count)
		return DW_DLV_NO_ENTRY;
	memset(out, 0, sizeof(*out));
	out->FIELD(name) = i ? parts[i].name : "";
	out->FIELD(type) = SHT_PROGBITS;
	out->FIELD(size) = parts[i].bytes.size;
	out->FIELD(addr) = parts[i].address;
	out->FIELD(entrysize) = 1;
	return DW_DLV_OK;
}

static byte_order get_byte_order(void *object)
{
	(void)object;
	return LEAST_FIRST;
}

static Dwarf_Small get_length_size(void *object)
{
	(void)object;
	return 4;
}

static Dwarf_Small get_pointer_size(void *object)
{
	(void)object;
	return 8;
}

static Dwarf_Unsigned get_section_count(void *object)
{
	(void)object;
	return part_count;
}

static int load_section(void *object, SECTION_INDEX i, Dwarf_Small **out,
			int *error)
{
	(void)object;
	(void)error;
	*out = (Dwarf_Small *)(uintptr_t)parts[i].bytes.data;
	return DW_DLV_OK;
}

static const access_methods methods = {
	get_section,
	get_byte_order,
	get_length_size,
	get_pointer_size,
#ifdef DW_LIBDWARF_VERSION
	get_file_size,
#endif
	get_section_count,
	load_section,
	NULL,
#ifdef DW_LIBDWARF_VERSION
	NULL,
	finish_object,
#endif
};

static void add_part(struct part part)
{
	if (part.bytes.size)
		parts[part_count++] = part;
}

static Dwarf_Debug open_parts(void)
{
	static access_interface interface;
	Dwarf_Debug dbg;

	interface = (access_interface){NULL, &methods};
	/* twice as fast: it does not keep account of what it allocates */
	dwarf_set_de_alloc_flag(0);
	if (dwarf_object_init_b(&interface, NULL, NULL, 0, &dbg, NULL) !=
	    DW_DLV_OK)
		fail("dwarf_object_init_b");
	return dbg;
}

static void close_parts(Dwarf_Debug dbg)
{
#ifdef DW_LIBDWARF_VERSION
	dwarf_object_finish(dbg);
#else
	dwarf_object_finish(dbg, NULL);
#endif
}

/* ---- measuring ----------------------------------------------------------- */

typedef size_t read_fn(Elf *elf);

/* Each by turns; they return how many things they have read. */
static void compare(const char *what, read_fn *ours, read_fn *theirs, Elf *elf)
{
	double least[2] = {1e9, 1e9};
	size_t count[2] = {0, 0};

	for (int i = 0; i < 2 * ROUNDS; i++) {
		double start = cpu_ms(), time;

		count[i % 2] = (i % 2 ? theirs : ours)(elf);
		time = cpu_ms() - start;
		if (time < least[i % 2])
			least[i % 2] = time;
	}
	printf("%s: ours %.2f ms (%zu), libdwarf %.2f ms (%zu), %.1f times\n",
	       what, least[0], count[0], least[1], count[1],
	       least[1] / least[0]);
}

/* ---- lines --------------------------------------------------------------- */

/* A unit that has nothing but a table of lines, at `place` in it. */
static const uint8_t line_abbrevs[] = {
	1, DW_TAG_compile_unit, 0, DW_AT_stmt_list, DW_FORM_sec_offset, 0, 0, 0,
};
static uint8_t line_unit[] = {12, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 1, 0, 0, 0, 0};
#define LINE_ROOT 11
#define LINE_PLACE 12

static struct part line_part, line_strings[2];
static VEC(uint64_t) line_offsets;

static struct line_table *own_table(uint64_t offset)
{
	struct line_strings strings = {line_strings[0].bytes,
				       line_strings[1].bytes};

	return line_table_create(line_part.bytes, offset, &strings);
}

static void find_lines(Elf *elf)
{
	struct line_table *table;

	line_part = section_of(elf, ".debug_line");
	line_strings[0] = section_of(elf, ".debug_line_str");
	line_strings[1] = section_of(elf, ".debug_str");
	for (uint64_t at = 0, next; at < line_part.bytes.size; at = next) {
		table = own_table(at);
		next = table->good ? table->end : UINT64_MAX;
		if (table->good)
			vec_push(&line_offsets, at);
		line_table_destroy(table);
	}
	add_part((struct part){
		".debug_info", {line_unit, sizeof(line_unit)}, 0});
	add_part((struct part){
		".debug_abbrev", {line_abbrevs, sizeof(line_abbrevs)}, 0});
	add_part(line_part);
	add_part(line_strings[0]);
	add_part(line_strings[1]);
}

static size_t own_lines(Elf *elf, bool rows)
{
	size_t count = 0;

	(void)elf;
	for (size_t i = 0; i < line_offsets.count; i++) {
		struct line_table *table = own_table(line_offsets.data[i]);

		if (rows)
			line_table_run(table);
		count += rows ? table->rows.count : table->files.count;
		line_table_destroy(table);
	}
	return count;
}

static size_t own_rows(Elf *elf)
{
	return own_lines(elf, true);
}

static size_t own_files(Elf *elf)
{
	return own_lines(elf, false);
}

static Dwarf_Die line_die(Dwarf_Debug dbg, uint64_t offset)
{
	uint32_t place = (uint32_t)offset;
	Dwarf_Die die;

	memcpy(line_unit + LINE_PLACE, &place, sizeof(place));
	if (dwarf_offdie_b(dbg, LINE_ROOT, true, &die, NULL) != DW_DLV_OK)
		fail("dwarf_offdie_b");
	return die;
}

static size_t read_row(Dwarf_Line row)
{
	Dwarf_Bool is_stmt, end, prologue, epilogue;
	Dwarf_Unsigned line, file, isa, discriminator;
	Dwarf_Addr address;

	dwarf_lineaddr(row, &address, NULL);
	dwarf_lineno(row, &line, NULL);
	dwarf_line_srcfileno(row, &file, NULL);
	dwarf_linebeginstatement(row, &is_stmt, NULL);
	dwarf_lineendsequence(row, &end, NULL);
	dwarf_prologue_end_etc(row, &prologue, &epilogue, &isa, &discriminator,
			       NULL);
	return 1;
}

static size_t read_rows(Dwarf_Die die)
{
	Dwarf_Line_Context context;
	Dwarf_Unsigned version;
	Dwarf_Error error;
	Dwarf_Signed count;
	Dwarf_Small tables;
	Dwarf_Line *rows;
	size_t sum = 0;

	if (dwarf_srclines_b(die, &version, &tables, &context, &error) !=
	    DW_DLV_OK)
		return 0;
	if (dwarf_srclines_from_linecontext(context, &rows, &count, &error) ==
	    DW_DLV_OK)
		for (Dwarf_Signed i = 0; i < count; i++)
			sum += read_row(rows[i]);
	dwarf_srclines_dealloc_b(context);
	return sum;
}

static size_t their_rows(Elf *elf)
{
	Dwarf_Debug dbg = open_parts();
	size_t sum = 0;

	(void)elf;
	for (size_t i = 0; i < line_offsets.count; i++) {
		Dwarf_Die die = line_die(dbg, line_offsets.data[i]);

		sum += read_rows(die);
		dwarf_dealloc_die(die);
	}
	close_parts(dbg);
	return sum;
}

static size_t their_files(Elf *elf)
{
	Dwarf_Debug dbg = open_parts();
	size_t sum = 0;

	(void)elf;
	for (size_t i = 0; i < line_offsets.count; i++) {
		Dwarf_Die die = line_die(dbg, line_offsets.data[i]);
		Dwarf_Signed count;
		Dwarf_Error error;
		char **files;

		if (dwarf_srcfiles(die, &files, &count, &error) == DW_DLV_OK) {
			for (Dwarf_Signed j = 0; j < count; j++)
				dwarf_dealloc(dbg, files[j], DW_DLA_STRING);
			dwarf_dealloc(dbg, files, DW_DLA_LIST);
			sum += (size_t)count;
		}
		dwarf_dealloc_die(die);
	}
	close_parts(dbg);
	return sum;
}

/* Read one table in a process of its own, and say how that ends. */
static void read_broken(const char *what, struct bytes table)
{
	struct rlimit limit = {MEMORY, MEMORY};
	struct rusage usage;
	Dwarf_Debug dbg;
	pid_t child = fork();
	int status;

	if (!child) {
		for (unsigned i = 1; i < part_count; i++)
			if (strcmp(parts[i].name, ".debug_line") == 0)
				parts[i].bytes = table;
		setrlimit(RLIMIT_AS, &limit);
		dbg = open_parts();
		read_rows(line_die(dbg, 0));
		close_parts(dbg);
		_exit(0);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) != child)
		fail("no child");
	printf("%s: %s %d, %.0f MB, %.2f s\n", what,
	       WIFSIGNALED(status) ? "died of signal" : "exit",
	       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
	       (double)usage.ru_maxrss / 1e3,
	       (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		       (double)(usage.ru_utime.tv_usec +
				usage.ru_stime.tv_usec) /
			       1e6);
}

static void show_broken(void)
{
	static const uint8_t directories[] = {0x81, 0x80, 0x80, 0x80, 0x80,
					      0x80, 0x80, 0x80, 0x20};
	/* no formats and no directories; no formats, and that many files */
	static const uint8_t files[] = {0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f};
	/* behind 18 bytes, and the lengths of the opcodes */
	const size_t formats = 18 + 12;
	struct line_table *table = own_table(0);
	struct bytes whole = {line_part.bytes.data, table->end};
	uint8_t *copy;

	if (!table->good || table->version != 5 || table->opcode_base != 13)
		fail("its first table of lines is not of version 5");
	copy = xmalloc(whole.size);
	memcpy(copy, whole.data, whole.size);
	/* one format of two bytes precedes the number of directories */
	memcpy(copy + formats + 3, directories, sizeof(directories));
	read_broken("2^61 + 1 directories", (struct bytes){copy, whole.size});
	memcpy(copy, whole.data, whole.size);
	memcpy(copy + formats, files, sizeof(files));
	read_broken("2^32 - 1 files of no bytes",
		    (struct bytes){copy, whole.size});
	free(copy);
	line_table_destroy(table);
}

/* ---- frames -------------------------------------------------------------- */

static struct part frame_part;

static void find_frames(Elf *elf)
{
	static const uint8_t unit[] = {7, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8};
	static const uint8_t abbrevs[] = {0};

	/* without these it opens nothing */
	add_part((struct part){".debug_info", {unit, sizeof(unit)}, 0});
	add_part((struct part){".debug_abbrev", {abbrevs, sizeof(abbrevs)}, 0});
	frame_part = section_of(elf, ".eh_frame");
	add_part(frame_part);
}

static size_t own_frames(Elf *elf, bool rows)
{
	struct cfi_section section = {frame_part.bytes, frame_part.address,
				      true};
	struct cfi_index index = {0};
	struct cfi_row row;
	size_t count;

	(void)elf;
	cfi_read_index(&section, &index);
	count = index.count;
	if (rows)
		for (size_t i = 0; i < index.count; i++)
			count += cfi_row_at(&section, index.data[i].offset,
					    index.data[i].low, &row);
	vec_free(&index);
	return count;
}

static size_t their_frames(Elf *elf, bool rows)
{
	Dwarf_Debug dbg = open_parts();
	Dwarf_Signed cie_count, fde_count = 0;
	Dwarf_Error error;
	Dwarf_Cie *cies;
	Dwarf_Fde *fdes;
	size_t count = 0;

	(void)elf;
	if (dwarf_get_fde_list_eh(dbg, &cies, &cie_count, &fdes, &fde_count,
				  &error) != DW_DLV_OK)
		fail("dwarf_get_fde_list_eh");
	for (Dwarf_Signed i = 0; i < fde_count; i++) {
		Dwarf_Regtable_Entry3 rules[RULES] = {0};
		Dwarf_Regtable3 row = {
			.rt3_reg_table_size = RULES,
			.rt3_rules = rules,
		};
		Dwarf_Unsigned size;
		Dwarf_Addr low, at;

		if (dwarf_get_fde_range(fdes[i], &low, &size, NULL, NULL, NULL,
					NULL, NULL, &error) != DW_DLV_OK)
			continue;
		count++;
		if (rows &&
		    dwarf_get_fde_info_for_all_regs3(fdes[i], low, &row, &at,
						     &error) == DW_DLV_OK)
			count++;
	}
	dwarf_dealloc_fde_cie_list(dbg, cies, cie_count, fdes, fde_count);
	close_parts(dbg);
	return count;
}

static size_t own_list(Elf *elf)
{
	return own_frames(elf, false);
}

static size_t their_list(Elf *elf)
{
	return their_frames(elf, false);
}

static size_t own_frame_rows(Elf *elf)
{
	return own_frames(elf, true);
}

static size_t their_frame_rows(Elf *elf)
{
	return their_frames(elf, true);
}

/* ---- DIEs ---------------------------------------------------------------- */

static const char *die_path;

static void find_dies(Elf *elf)
{
	static const char *const names[] = {
		".debug_info",     ".debug_abbrev", ".debug_str",
		".debug_line_str", ".debug_addr",   ".debug_str_offsets"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		add_part(section_of(elf, names[i]));
}

static size_t own_unit(struct debugfile *file, struct unit *unit)
{
	struct attribute value;
	struct die_walk walk;
	size_t count = 1;

	if (!die_walk_unit(&walk, file, unit))
		return 0;
	while (die_walk_next(&walk)) {
		die_attribute(file, &walk.die, DW_AT_name, &value);
		die_attribute(file, &walk.die, DW_AT_low_pc, &value);
		die_attribute(file, &walk.die, DW_AT_type, &value);
		count++;
	}
	return count;
}

static size_t own_dies(Elf *elf)
{
	struct debugfile *file;
	struct source *source;
	size_t count = 0;

	(void)elf;
	if (debugfile_open(die_path, &file))
		fail("debugfile_open");
	source = file_dwarf(file)->main;
	source_complete(source);
	for (size_t i = 0; i < source->units.count; i++)
		count += own_unit(file, source->units.data[i]);
	debugfile_close(file);
	return count;
}

static size_t their_tree(Dwarf_Debug dbg, Dwarf_Die die)
{
	Dwarf_Attribute attribute;
	Dwarf_Die child, next;
	Dwarf_Error error;
	size_t count = 1;
	Dwarf_Addr low;
	Dwarf_Off type;
	char *name;

	dwarf_diename(die, &name, &error);
	dwarf_lowpc(die, &low, &error);
	if (dwarf_attr(die, DW_AT_type, &attribute, &error) == DW_DLV_OK) {
		dwarf_global_formref(attribute, &type, &error);
		dwarf_dealloc_attribute(attribute);
	}
	if (dwarf_child(die, &child, &error) != DW_DLV_OK)
		return count;
	for (;; child = next) {
		bool more;

		count += their_tree(dbg, child);
		more = dwarf_siblingof_b(dbg, child, true, &next, &error) ==
		       DW_DLV_OK;
		dwarf_dealloc_die(child);
		if (!more)
			return count;
	}
}

static size_t their_dies(Elf *elf)
{
	Dwarf_Debug dbg = open_parts();
	Dwarf_Half version, address_size, length_size, extension, type;
	Dwarf_Unsigned length, type_offset, next;
	Dwarf_Off abbrevs;
	Dwarf_Sig8 signature;
	Dwarf_Error error;
	size_t count = 0;
	Dwarf_Die die;

	(void)elf;
	while (dwarf_next_cu_header_d(dbg, true, &length, &version, &abbrevs,
				      &address_size, &length_size, &extension,
				      &signature, &type_offset, &next, &type,
				      &error) == DW_DLV_OK) {
		if (dwarf_siblingof_b(dbg, NULL, true, &die, &error) !=
		    DW_DLV_OK)
			continue;
		count += their_tree(dbg, die);
		dwarf_dealloc_die(die);
	}
	close_parts(dbg);
	return count;
}

int main(int argc, char **argv)
{
	const char *what = argc == 3 ? argv[1] : "";
	int fd = argc == 3 ? open(argv[2], O_RDONLY | O_CLOEXEC) : -1;
	Elf *elf;

	elf_version(EV_CURRENT);
	if (fd < 0 || !(elf = elf_begin(fd, ELF_C_READ, NULL)))
		fail("usage: libdwarf lines|frames|dies|broken FILE");
	die_path = argv[2];
	if (strcmp(what, "lines") == 0) {
		find_lines(elf);
		compare("rows of lines", own_rows, their_rows, elf);
		compare("names of files", own_files, their_files, elf);
	} else if (strcmp(what, "broken") == 0) {
		find_lines(elf);
		show_broken();
	} else if (strcmp(what, "frames") == 0) {
		find_frames(elf);
		compare("list of FDEs", own_list, their_list, elf);
		compare("that, and rows", own_frame_rows, their_frame_rows,
			elf);
	} else if (strcmp(what, "dies") == 0) {
		find_dies(elf);
		compare("DIEs", own_dies, their_dies, elf);
	} else {
		fail("it knows lines, frames, dies and broken");
	}
	return 0;
}
