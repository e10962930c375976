/*
 * test_debuginfo_elf.c - files that are programs, and files that are not
 */
#include <elf.h>

#include "debuginfo_samples.h"

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

static void test_no_programs(void **state)
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
	expect_bad_bytes(&header, sizeof(header), "nothing in it to load");
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
static void test_facts(void **state)
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

static void test_library(void **state)
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

static void test_read(void **state)
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
static void test_without_sections(void **state)
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

/* A file that shrinks while it is open (a new build) cannot kill its reader. */
static void test_truncated_while_open(void **state)
{
	char *path = compile("gcc -g", "shrinks", "c", source);
	struct debugfile *file = open_sample(path);
	struct function_list functions = {0};
	const char *name;
	uint8_t byte;
	uint32_t line;

	(void)state;
	assert_int_equal(truncate(path, 100), 0);
	assert_null(debugfile_find_functions(file, "main", &functions));
	debugfile_source_at(file, debugfile_facts(file)->entry, &name, &line);
	assert_int_equal(
		debugfile_read(file, debugfile_facts(file)->entry, &byte, 1),
		0);
	vec_free(&functions);
	debugfile_close(file);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_programs),
		cmocka_unit_test(test_facts),
		cmocka_unit_test(test_library),
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_without_sections),
		cmocka_unit_test(test_truncated_while_open),
	};

	return cmocka_run_group_tests(tests, samples_setup, samples_teardown);
}
