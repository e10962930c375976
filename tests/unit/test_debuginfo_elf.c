/*
 * test_debuginfo_elf.c - files that are programs, and files that are not
 *
 * tier: core
 * covers: debuginfo/elf debuginfo/symbols
 */
#include <elf.h>

#include "debuginfo_samples.h"
#include "perftool/debuginfo/code_lines.h"

static const char source[] =
	"#include <stdio.h>\n"
	"int number = 7;\n"
	"int main(void) { return puts(\"x\") + number; }\n";

static void expect_bad(const char *path, const char *words)
{
	struct debugfile *file = NULL;
	struct error *error = debugfile_open(path, &file);

	if (!error)
		fail_msg("%s was opened", path);
	assert_null(file);
	assert_int_equal(error_code(error), ERROR_BAD_FILE);
	if (!strstr(error_message(error), words))
		fail_msg("'%s' is not in '%s'", words, error_message(error));
	error_destroy(error);
}

static void expect_bad_bytes(const void *bytes, size_t size, const char *words)
{
	char *path = sample_path("bytes");

	write_sample("bytes", bytes, size);
	expect_bad(path, words);
	free(path);
}

static void test_files_that_are_no_programs_are_refused(void **state)
{
	struct debugfile *file;
	struct error *error = debugfile_open("/nonexistent/file", &file);
	Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			    ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
	};

	(void)state;
	assert_int_equal(error_code(error), ERROR_NOT_FOUND);
	error_destroy(error);
	expect_bad(sample_directory, "a directory");
	expect_bad("/dev/null", "not a regular file");
	expect_bad_bytes("", 0, "empty");
	expect_bad_bytes("#!/bin/sh\necho\n", 15, "a script");
	expect_bad_bytes("hello, world", 12, "not an ELF file");
	expect_bad_bytes(&header, 40, "truncated");
	expect_bad_bytes(&header, sizeof(header), "no segment to load");
	header.e_ident[EI_CLASS] = ELFCLASS32;
	expect_bad_bytes(&header, sizeof(header), "32-bit");
	header.e_ident[EI_CLASS] = 9;
	expect_bad_bytes(&header, sizeof(header), "not a valid ELF");
	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] = ELFDATA2MSB;
	expect_bad_bytes(&header, sizeof(header), "big-endian");
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	header.e_machine = EM_AARCH64;
	expect_bad_bytes(&header, sizeof(header), "another processor");
	header.e_machine = EM_X86_64;
	header.e_type = ET_REL;
	expect_bad_bytes(&header, sizeof(header), "not yet linked");
	header.e_type = ET_CORE;
	expect_bad_bytes(&header, sizeof(header), "a core file");
}

/* Every kind of program, told by what readelf says of it. */
static void test_facts_agree_with_readelf(void **state)
{
	static const struct {
		const char *command;
		bool pie, is_static, symtab, dwarf;
	} builds[] = {
		{"gcc -g -fPIE -pie", true, false, true, true},
		{"gcc -no-pie", false, false, true, false},
		{"gcc -static", false, true, true, false},
		{"gcc -g -static-pie", true, true, true, true},
		{"gcc -s", true, false, false, false},
		{"gcc -g -gz", true, false, true, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(builds) / sizeof(*builds); i++) {
		char *path = compile(builds[i].command, "facts", "c", source);
		struct debugfile *file = open_sample(path);
		const struct debugfile_facts *facts = debugfile_facts(file);
		char *entry = output_of("readelf -hW %s | sed -n "
					"'s/.*Entry point address: *//p'",
					path);

		assert_string_equal(debugfile_path(file), path);
		assert_int_equal(facts->position_independent, builds[i].pie);
		assert_int_equal(facts->is_static, builds[i].is_static);
		assert_int_equal(facts->has_symtab, builds[i].symtab);
		assert_int_equal(facts->has_dwarf, builds[i].dwarf);
		assert_int_equal(facts->entry, strtoull(entry, NULL, 16));
		assert_true(facts->low <= facts->entry);
		assert_true(facts->entry < facts->high);
		assert_int_equal(facts->low % 4096, 0);
		assert_int_equal(facts->high % 4096, 0);
		assert_null(facts->soname);
		if (builds[i].is_static)
			assert_null(facts->interpreter);
		else
			assert_string_equal(facts->interpreter,
					    "/lib64/ld-linux-x86-64.so.2");
		debugfile_close(file);
		free(entry);
		free(path);
	}
}

static void test_library_tells_its_soname(void **state)
{
	char *path = compile("gcc -shared -fPIC -Wl,-soname,libseven.so.7",
			     "library", "c", source);
	struct debugfile *file = open_sample(path);

	(void)state;
	assert_string_equal(debugfile_facts(file)->soname, "libseven.so.7");
	assert_true(debugfile_facts(file)->has_dynsym);
	assert_false(debugfile_facts(file)->is_static);
	debugfile_close(file);
	free(path);
}

static void test_memory_is_read_from_its_section(void **state)
{
	char *path = compile("gcc", "read", "c", source);
	struct debugfile *file = open_sample(path);
	char *where = output_of("readelf -SW %s | awk '$2==\".text\" || "
				"$3==\".text\" { for (i = 1; i <= NF; i++) "
				"if ($i == \"PROGBITS\") print $(i+1), "
				"$(i+2), $(i+3) }'",
				path);
	uint64_t address, offset, size, found;
	uint8_t *whole, *bytes;
	size_t whole_size;

	(void)state;
	assert_int_equal(sscanf(where, "%lx %lx %lx", &address, &offset, &size),
			 3);
	whole = read_whole(path, &whole_size);
	bytes = xmalloc(size);
	assert_int_equal(debugfile_read(file, address, bytes, size), size);
	assert_memory_equal(bytes, whole + offset, size);
	assert_true(debugfile_address_of_offset(file, offset, &found));
	assert_int_equal(found, address);
	assert_false(debugfile_address_of_offset(file, whole_size, &found));
	assert_int_equal(debugfile_read(file, UINT64_MAX - 3, bytes, 8), 0);
	assert_int_equal(debugfile_read(file,
					debugfile_facts(file)->high + 4096,
					bytes, 8),
			 0);
	debugfile_close(file);
	free(bytes);
	free(whole);
	free(where);
	free(path);
}

/* Section headers are a help, not a need. */
static void test_program_needs_no_section_headers(void **state)
{
	char *path = compile("gcc -g", "sections", "c", source);
	char *changed = sample_path("changed");
	size_t size;
	uint8_t *bytes = read_whole(path, &size);
	Elf64_Ehdr header;
	struct debugfile *file;
	struct function function;
	static const Elf64_Off offsets[] = {0, 0x7fffffffffff, 64};

	(void)state;
	for (size_t i = 0; i < sizeof(offsets) / sizeof(*offsets); i++) {
		memcpy(&header, bytes, sizeof(header));
		header.e_shoff = offsets[i];
		memcpy(bytes, &header, sizeof(header));
		write_sample("changed", bytes, size);
		file = open_sample(changed);
		assert_false(debugfile_facts(file)->has_symtab);
		assert_false(debugfile_facts(file)->has_dwarf);
		assert_string_equal(debugfile_facts(file)->interpreter,
				    "/lib64/ld-linux-x86-64.so.2");
		debugfile_function_at(file, header.e_entry, &function);
		debugfile_close(file);
	}
	free(bytes);
	free(changed);
	free(path);
}

/* ---- symbols that only the dynamic segment tells of -----------------------
 */

/* A copy of the file without section headers, opened. */
static struct debugfile *open_without_sections(const char *path)
{
	char *changed = sample_path("bare");
	size_t size;
	uint8_t *bytes = read_whole(path, &size);
	struct debugfile *file;
	Elf64_Ehdr header;

	memcpy(&header, bytes, sizeof(header));
	header.e_shoff = 0;
	header.e_shnum = header.e_shstrndx = 0;
	memcpy(bytes, &header, sizeof(header));
	write_sample("bare", bytes, size);
	file = open_sample(changed);
	free(bytes);
	free(changed);
	return file;
}

static void list_functions(struct debugfile *file, struct function_list *out)
{
	struct error *error = debugfile_find_functions(file, "*", out);

	assert_null(error);
}

/* What a stripped file knows by its section headers it knows without them. */
static void expect_same_functions(const char *path, size_t least)
{
	struct debugfile *file = open_sample(path);
	struct debugfile *bare = open_without_sections(path);
	struct function_list wanted = {0}, got = {0};

	list_functions(file, &wanted);
	list_functions(bare, &got);
	assert_true(wanted.count >= least);
	assert_int_equal(got.count, wanted.count);
	for (size_t i = 0; i < got.count; i++) {
		assert_int_equal(got.data[i].address, wanted.data[i].address);
		assert_int_equal(got.data[i].size, wanted.data[i].size);
		assert_string_equal(got.data[i].name, wanted.data[i].name);
		assert_int_equal(got.data[i].indirect, wanted.data[i].indirect);
	}
	assert_int_equal(debugfile_facts(bare)->has_dynsym,
			 debugfile_facts(file)->has_dynsym);
	vec_free(&wanted);
	vec_free(&got);
	debugfile_close(file);
	debugfile_close(bare);
}

static void test_dynamic_symbols_need_no_section_headers(void **state)
{
	static const char exporting[] =
		"__attribute__((noinline)) int one(int n) { return n + 1; }\n"
		"int two(int n) { return one(n) * 2; }\n"
		"static int hidden(int n) { return n * 3; }\n"
		"int (*pointer)(int) = hidden;\n"
		"int main(void) { return two(3) + pointer(4); }\n";
	static const char *const libraries[] = {
		"/lib/x86_64-linux-gnu/libc.so.6",
		"/lib/x86_64-linux-gnu/libm.so.6",
	};
	static const struct {
		const char *command;
		size_t least;
	} builds[] = {
		{"gcc -s -shared -fPIC -Wl,--hash-style=gnu", 3},
		{"gcc -s -shared -fPIC -Wl,--hash-style=sysv", 3},
		{"gcc -s -shared -fPIC -Wl,--hash-style=both", 3},
		{"gcc -s -rdynamic", 3},
		{"gcc -s -rdynamic -no-pie", 3},
		{"gcc -s", 0},
		{"gcc -s -static-pie", 0},
		{"gcc -s -static", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(builds) / sizeof(*builds); i++) {
		char *path =
			compile(builds[i].command, "dynamic", "c", exporting);

		expect_same_functions(path, builds[i].least);
		free(path);
	}
	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++) {
		char *path = sample_path("library");

		/* not with symbols from elsewhere */
		free(output_of("objcopy -S -R .note.gnu.build-id "
			       "-R .gnu_debuglink %s %s",
			       libraries[i], path));
		expect_same_functions(path, 500);
		free(path);
	}
}

/* Versions are told of there, too. */
static void test_symbol_versions_need_no_section_headers(void **state)
{
	struct debugfile *file =
		open_without_sections("/lib/x86_64-linux-gnu/libc.so.6");
	struct function_list functions = {0};
	size_t new = 0, old = 0;

	(void)state;
	assert_true(debugfile_has_version(file, "GLIBC_2.2.5"));
	assert_false(debugfile_has_version(file, "GLIBC_9"));
	assert_null(debugfile_find_functions(file, "realpath", &functions));
	assert_int_equal(functions.count, 2);
	for (size_t i = 0; i < functions.count; i++) {
		uint64_t at = functions.data[i].address;

		new += debugfile_is_version(file, at, "realpath", "GLIBC_2.3");
		old += debugfile_is_version(file, at, "realpath",
					    "GLIBC_2.2.5");
	}
	assert_int_equal(new, 1);
	assert_int_equal(old, 1);
	vec_free(&functions);
	debugfile_close(file);
}

/* Whatever is said of the tables: bounded, and no crash. */
static void test_nonsense_in_dynamic_tables_is_survived(void **state)
{
	static const uint64_t nasty[] = {0,          1,         7,
					 0xffffffff, INT64_MAX, UINT64_MAX};
	char *path = compile("gcc -s -shared -fPIC -Wl,--hash-style=both",
			     "nonsense", "c", source);
	char *changed = sample_path("changed");
	size_t size;
	uint8_t *bytes = read_whole(path, &size);
	Elf64_Ehdr header;
	uint64_t dynamic = 0;

	(void)state;
	memcpy(&header, bytes, sizeof(header));
	for (size_t i = 0; i < header.e_phnum; i++) {
		Elf64_Phdr segment;

		memcpy(&segment, bytes + header.e_phoff + i * sizeof(segment),
		       sizeof(segment));
		if (segment.p_type == PT_DYNAMIC)
			dynamic = segment.p_offset;
	}
	assert_true(dynamic);
	header.e_shoff = 0;
	header.e_shnum = header.e_shstrndx = 0;
	memcpy(bytes, &header, sizeof(header));
	for (size_t i = 0; i < 24; i++) {
		uint8_t *value = bytes + dynamic + i * sizeof(Elf64_Dyn) + 8;
		uint64_t was;

		memcpy(&was, value, sizeof(was));
		for (size_t j = 0; j < 12; j++) {
			uint64_t now = j < 6 ? nasty[j] : was + nasty[j - 6];
			struct function_list functions = {0};
			struct debugfile *file;

			memcpy(value, &now, sizeof(now));
			write_sample("changed", bytes, size);
			file = open_sample(changed);
			list_functions(file, &functions);
			debugfile_has_version(file, "GLIBC_2.2.5");
			debugfile_is_version(file, 1, "main", "GLIBC_2.2.5");
			vec_free(&functions);
			debugfile_close(file);
		}
		memcpy(value, &was, sizeof(was));
	}
	free(bytes);
	free(changed);
	free(path);
}

/* A file that shrinks while it is open (a new build) cannot kill its reader.
 * What was read before may be told again, and nothing else is. */
static void test_file_truncated_while_open_is_survived(void **state)
{
	char *path = compile("gcc -g", "shrinks", "c", source);
	struct debugfile *file = open_sample(path);
	struct function_list functions = {0};
	const uint64_t entry = debugfile_facts(file)->entry;
	const char *name;
	uint8_t was, byte;
	uint32_t line;

	(void)state;
	assert_int_equal(debugfile_read(file, entry, &was, 1), 1);
	assert_int_equal(truncate(path, 100), 0);
	assert_null(debugfile_find_functions(file, "main", &functions));
	debugfile_source_at(file, entry, &name, &line);
	if (debugfile_read(file, entry, &byte, 1))
		assert_int_equal(byte, was);
	vec_free(&functions);
	debugfile_close(file);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files_that_are_no_programs_are_refused),
		cmocka_unit_test(test_facts_agree_with_readelf),
		cmocka_unit_test(test_library_tells_its_soname),
		cmocka_unit_test(test_memory_is_read_from_its_section),
		cmocka_unit_test(test_program_needs_no_section_headers),
		cmocka_unit_test(test_dynamic_symbols_need_no_section_headers),
		cmocka_unit_test(test_symbol_versions_need_no_section_headers),
		cmocka_unit_test(test_nonsense_in_dynamic_tables_is_survived),
		cmocka_unit_test(test_file_truncated_while_open_is_survived),
	};

	return cmocka_run_group_tests(tests, samples_setup, samples_teardown);
}
