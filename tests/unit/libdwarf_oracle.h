/*
 * libdwarf_oracle.h - read all that libdwarf and libelf say about a file
 *
 * The second opinion that the test_debuginfo_libdwarf*.c compare with. Nothing
 * of src/debuginfo is used here. The files are what compilers just wrote:
 * whatever libdwarf calls an error fails the test.
 */
#ifndef LIBDWARF_ORACLE_H
#define LIBDWARF_ORACLE_H

#include "libdwarf_attributes.h"
#include "libdwarf_elf.h"
#include "libdwarf_frames.h"
#include "libdwarf_index.h"
#include "libdwarf_lines.h"
#include "libdwarf_lists.h"
#include "libdwarf_scopes.h"

static inline bool oracle_is_c_plus_plus(struct oracle *oracle, Dwarf_Die root)
{
	switch (oracle_number(oracle, root, DW_AT_language)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return true;
	default:
		return false;
	}
}

static inline void oracle_read_units(struct oracle *oracle)
{
	Dwarf_Unsigned length, type_offset, next_header;
	Dwarf_Half version, address_size, offset_size, extension, type;
	Dwarf_Sig8 signature;
	Dwarf_Off abbrev;

	while (dwarf_next_cu_header_d(oracle->dbg, true, &length, &version,
				      &abbrev, &address_size, &offset_size,
				      &extension, &signature, &type_offset,
				      &next_header, &type, NULL) == DW_DLV_OK) {
		struct oracle_walk walk = {.scope = ORACLE_NONE};
		struct range_list code = {0};
		Dwarf_Addr low = 0;
		Dwarf_Die root;

		assert_int_equal(
			dwarf_siblingof_b(oracle->dbg, NULL, true, &root, NULL),
			DW_DLV_OK);
		if (type != DW_UT_type) {
			oracle->c_plus_plus =
				oracle_is_c_plus_plus(oracle, root);
			dwarf_lowpc(root, &low, NULL);
			walk.base = low;
			oracle_ranges(oracle, root, low, &code);
			vec_push(&oracle->units, code);
			oracle_read_lines(oracle, root);
			oracle_walk_children(oracle, root, walk);
		}
		oracle_read_index(oracle, root, type == DW_UT_type, low);
		dwarf_dealloc(oracle->dbg, root, DW_DLA_DIE);
	}
}

static inline int oracle_open_dwarf(struct oracle *oracle, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(
		libdwarf_open(fd, oracle_failed, (void *)path, &oracle->dbg),
		DW_DLV_OK);
	dwarf_set_frame_cfa_value(oracle->dbg, DW_FRAME_CFA_COL3);
	return fd;
}

static inline void oracle_close_dwarf(struct oracle *oracle, int fd)
{
	libdwarf_close(oracle->dbg);
	oracle->dbg = NULL;
	close(fd);
}

static inline int oracle_compare_symbols(const void *a_, const void *b_)
{
	const struct oracle_symbol *a = a_, *b = b_;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* Read the program at `path`, whose debug information is in `debug_path`: the
 * same file, or one of its own. */
static inline void oracle_read(struct oracle *oracle, const char *path,
			       const char *debug_path)
{
	bool separate = strcmp(path, debug_path) != 0;
	int fd;

	*oracle = (struct oracle){0};
	oracle_read_elf(oracle, path, true);
	if (separate)
		oracle_read_elf(oracle, debug_path, false);
	if (oracle->symbols.count)
		qsort(oracle->symbols.data, oracle->symbols.count,
		      sizeof(*oracle->symbols.data), oracle_compare_symbols);
	fd = oracle_open_dwarf(oracle, path);
	oracle_read_frames(oracle, false);
	if (separate) {
		oracle_close_dwarf(oracle, fd);
		fd = oracle_open_dwarf(oracle, debug_path);
	}
	oracle_read_frames(oracle, true);
	oracle_read_units(oracle);
	oracle_close_dwarf(oracle, fd);
}

static inline void oracle_deinit(struct oracle *oracle)
{
	size_t cursor = 0;
	const char *key;
	void *value;

	for (size_t i = 0; i < oracle->scopes.count; i++)
		vec_free(&oracle->scopes.data[i].ranges);
	vec_free(&oracle->scopes);
	for (size_t i = 0; i < oracle->units.count; i++)
		vec_free(&oracle->units.data[i]);
	vec_free(&oracle->units);
	vec_free(&oracle->code);
	vec_free(&oracle->symbols);
	vec_free(&oracle->rows);
	vec_free(&oracle->variables);
	vec_free(&oracle->frames);
	vec_free(&oracle->calls);
	vec_free(&oracle->named_types);
	vec_free(&oracle->globals);
	while ((value = strmap_next(&oracle->strings, &cursor, &key)))
		free(value);
	strmap_deinit(&oracle->strings);
	cursor = 0;
	while ((value = map_next(&oracle->types, &cursor, NULL)))
		free(value);
	map_deinit(&oracle->types);
	map_deinit(&oracle->tables);
}

#endif
