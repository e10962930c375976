/*
 * test_debuginfo_broken.c - broken files give errors, or know less
 *
 * Replays what the fuzz targets found (tests/fuzz/crashes/) and breaks the
 * seeds in ways that can be repeated. There is nothing to compare with: that
 * the program goes on, in time and (under SAN=1) in bounds, is the test.
 *
 * tier: core full
 * covers: debuginfo
 */
#include <dirent.h>
#include <elf.h>
#include <limits.h>

#include "../fuzz/visit_dwarf.h"
#include "../fuzz/visit_file.h"
#include "../fuzz/visit_location.h"
#include "../fuzz/visit_names.h"
#include "../fuzz/visit_packed.h"
#include "debuginfo_samples.h"
#include "sampling.h"

/* Where the sources are: the test may be run from anywhere below them. */
static char *fuzz_directory(const char *name)
{
	char prefix[128] = "";

	for (int up = 0; up < 6; up++, strcat(prefix, "../")) {
		char *path = xasprintf("%stests/fuzz/%s", prefix, name);

		if (access(path, R_OK) == 0)
			return path;
		free(path);
	}
	fail_msg("tests/fuzz/%s is not to be found", name);
	return NULL;
}

typedef void visit_fn(const char *name, const uint8_t *bytes, size_t size);

/* Give every file of a directory, or, in the tier core, one of `of`, to
 * `visit`. Returns how many files there are. */
static unsigned each_file(const char *directory_name, unsigned of,
			  visit_fn *visit)
{
	char *directory = fuzz_directory(directory_name);
	DIR *list = opendir(directory);
	struct dirent *entry;
	unsigned count = 0;

	assert_non_null(list);
	while ((entry = readdir(list))) {
		char *path;
		uint8_t *bytes;
		size_t size;

		if (entry->d_name[0] == '.')
			continue;
		if (!one_in(of, count++))
			continue;
		path = xasprintf("%s/%s", directory, entry->d_name);
		bytes = read_whole(path, &size);
		visit(entry->d_name, bytes, size);
		free(bytes);
		free(path);
	}
	closedir(list);
	free(directory);
	return count;
}

/* As the location of a variable of this program. */
static void as_location(const uint8_t *bytes, size_t size)
{
	struct function_list found = {0};
	struct debugfile *file;

	assert_null(debugfile_open("/proc/self/exe", &file));
	assert_null(debugfile_find_functions(file, "main", &found));
	assert_true(found.count > 0);
	visit_location(file, found.data[0].address + 12, bytes, size);
	vec_free(&found);
	debugfile_close(file);
}

static void replay(const char *name, const uint8_t *bytes, size_t size)
{
	if (str_starts(name, "fuzz_dwarf-"))
		visit_dwarf(bytes, size);
	else if (str_starts(name, "fuzz_names-"))
		visit_names(bytes, size);
	else if (str_starts(name, "fuzz_elf-"))
		visit_bytes(bytes, size);
	else if (str_starts(name, "fuzz_packed-"))
		visit_packed(bytes, size);
	else if (str_starts(name, "fuzz_location-"))
		as_location(bytes, size);
}

static void test_files_that_caused_crashes_are_survived(void **state)
{
	(void)state;
	assert_true(each_file("crashes", 1, replay) > 0);
}

static void whole(const char *name, const uint8_t *bytes, size_t size)
{
	(void)name;
	visit_bytes(bytes, size);
}

static void whole_dwarf(const char *name, const uint8_t *bytes, size_t size)
{
	(void)name;
	visit_dwarf(bytes, size);
}

static void test_seeds_of_fuzzing_are_survived(void **state)
{
	(void)state;
	assert_true(each_file("seeds/fuzz_elf", 1, whole) > 5);
	assert_true(each_file("seeds/fuzz_dwarf", 1, whole_dwarf) > 5);
}

static void truncated(const char *name, const uint8_t *bytes, size_t size)
{
	(void)name;
	for (size_t length = 0; length < size; length += 1 + size / 40)
		visit_bytes(bytes, length);
}

static void truncated_location(const char *name, const uint8_t *bytes,
			       size_t size)
{
	(void)name;
	for (size_t length = 0; length <= size; length++)
		as_location(bytes, length);
}

static void truncated_dwarf(const char *name, const uint8_t *bytes, size_t size)
{
	(void)name;
	for (size_t length = 0; length < size; length += 1 + size / 40)
		visit_dwarf(bytes, length);
}

static void test_truncated_files_are_survived(void **state)
{
	(void)state;
	each_file("seeds/fuzz_elf", 8, truncated);
	each_file("seeds/fuzz_dwarf", 8, truncated_dwarf);
	assert_true(each_file("seeds/fuzz_location", 8, truncated_location) >
		    5);
}

/* The same numbers in every run. */
static uint32_t noise(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static void mutate(const uint8_t *bytes, size_t size,
		   void (*visit)(const uint8_t *bytes, size_t size))
{
	static const uint8_t nasty[] = {0, 1, 0x7f, 0x80, 0xff, 0xfe, 8, 0x40};
	uint32_t state = (uint32_t)size;

	for (int round = 0; round < 40; round++) {
		uint8_t *copy = xmalloc(size);

		memcpy(copy, bytes, size);
		for (int i = 0; i <= round % 8; i++)
			copy[noise(&state) % size] =
				nasty[noise(&state) % sizeof(nasty)];
		visit(copy, size);
		free(copy);
	}
}

static void visit_any(const uint8_t *bytes, size_t size)
{
	visit_bytes(bytes, size);
}

static void mutated(const char *name, const uint8_t *bytes, size_t size)
{
	(void)name;
	mutate(bytes, size, visit_any);
}

static void mutated_dwarf(const char *name, const uint8_t *bytes, size_t size)
{
	(void)name;
	mutate(bytes, size, visit_dwarf);
}

static void test_mutated_files_are_survived(void **state)
{
	(void)state;
	each_file("seeds/fuzz_elf", 8, mutated);
	each_file("seeds/fuzz_dwarf", 8, mutated_dwarf);
}

/* Every field of every section header, with every nasty value. */
static void headers(const char *name, const uint8_t *bytes, size_t size)
{
	static const uint64_t nasty[] = {
		0, 1, UINT32_MAX, UINT64_MAX, INT64_MAX, UINT64_MAX - 63};
	Elf64_Ehdr header;
	uint8_t *copy;

	if (!str_equal(name, "gcc5-O0"))
		return;
	copy = xmalloc(size);
	memcpy(&header, bytes, sizeof(header));
	for (unsigned i = 0; i < header.e_shnum; i++) {
		size_t at = header.e_shoff + i * sizeof(Elf64_Shdr);

		for (size_t field = 0; field < sizeof(Elf64_Shdr); field += 8) {
			for (unsigned j = 0; j < 6; j++) {
				memcpy(copy, bytes, size);
				memcpy(copy + at + field, &nasty[j], 8);
				visit_bytes(copy, size);
			}
		}
	}
	free(copy);
}

static void test_broken_section_headers_are_survived(void **state)
{
	(void)state;
	each_file("seeds/fuzz_elf", 8, headers);
}

/* A symbol table without symbols, and names that nothing terminates. */
static void symbol_tables(const char *name, const uint8_t *bytes, size_t size)
{
	uint8_t *copy = xmalloc(size);
	char *path = sample_path("symbols");
	struct debugfile *file;
	Elf64_Shdr section;
	Elf64_Ehdr header;

	(void)name;
	memcpy(&header, bytes, sizeof(header));
	for (unsigned i = 0; i < header.e_shnum; i++) {
		struct function_list functions = {0};
		size_t at = header.e_shoff + i * sizeof(section);

		memcpy(&section, bytes + at, sizeof(section));
		memcpy(copy, bytes, size);
		if (section.sh_type == SHT_STRTAB)
			memset(copy + section.sh_offset, 'a', section.sh_size);
		else if (section.sh_type == SHT_SYMTAB)
			section.sh_size = 0;
		else
			continue;
		memcpy(copy + at, &section, sizeof(section));
		visit_bytes(copy, size);
		write_sample("symbols", copy, size);
		file = open_sample(path);
		assert_null(debugfile_find_functions(file, "work", &functions));
		if (section.sh_type == SHT_SYMTAB)
			assert_int_equal(functions.count, 0);
		vec_free(&functions);
		debugfile_close(file);
	}
	free(path);
	free(copy);
}

static void test_broken_symbol_tables_are_survived(void **state)
{
	(void)state;
	each_file("seeds/fuzz_elf", 8, symbol_tables);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files_that_caused_crashes_are_survived),
		cmocka_unit_test(test_seeds_of_fuzzing_are_survived),
		cmocka_unit_test(test_truncated_files_are_survived),
		cmocka_unit_test(test_mutated_files_are_survived),
		cmocka_unit_test(test_broken_section_headers_are_survived),
		cmocka_unit_test(test_broken_symbol_tables_are_survived),
	};

	return cmocka_run_group_tests(tests, samples_setup, samples_teardown);
}
