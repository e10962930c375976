/*
 * test_debuginfo_lines.c - source lines against addr2line, prologues against
 * gdb
 *
 * tier: core full
 * covers: debuginfo/lines debuginfo/dwarf
 */
#include "debuginfo_samples.h"
#include "perftool/debuginfo/code_lines.h"
#include "sampling.h"

static const char source[] =
	"#include <stdio.h>\n"                             /* 1 */
	"#include <stdlib.h>\n"                            /* 2 */
	"#include <string.h>\n"                            /* 3 */
	"struct p { int a; double b; char c[64]; };\n"     /* 4 */
	"static int helper(int x) { return x * 2 + 1; }\n" /* 5 */
	"int leaf(void) { return 3; }\n"
	"void empty(void) {}\n"
	"int one(int x) { return x; }\n"
	"int loop(int n)\n"                    /* 9 */
	"{\n"                                  /* 10 */
	"	int s = 0;\n"                  /* 11 */
	"\n"                                   /* 12 */
	"	/* nothing here */\n"          /* 13 */
	"	for (int i = 0; i < n; i++)\n" /* 14 */
	"		s += helper(i);\n"     /* 15 */
	"	return s;\n"                   /* 16 */
	"}\n"                                  /* 17 */
	"struct p by_struct(struct p v, int k)\n"
	"{ v.a += k; v.c[k & 63] = 1; return v; }\n"
	"double floats(double a, float b) { return a * b; }\n"
	"int vla(int n)\n"
	"{ int a[n]; for (int i = 0; i < n; i++) a[i] = i; return a[n / 2]; }\n"
	"int big(void)\n"
	"{ char buf[10000]; memset(buf, 1, sizeof buf); return buf[77]; }\n"
	"int many(int a, int b, int c, int d, int e, int f, int g, int h)\n"
	"{\n"
	"	return a + b + c + d\n"
	"	  + e + f + g + h;\n"
	"}\n"
	"int\n"
	"odd (int x)\n"
	"\n"
	"{\n"
	"\n"
	"  if (x) return leaf();\n"
	"  return 0;\n"
	"}\n"
	"int rec(int n) { return n < 2 ? n : rec(n - 1) + rec(n - 2); }\n"
	"static inline __attribute__((always_inline)) int inl(int x)\n" /* 39 */
	"{\n"
	"	if (x > 3)\n"
	"		printf(\"%d\\n\", x); /* INLINED */\n" /* 42 */
	"	return -x;\n"
	"}\n"
	"int use_inl(int x) { return inl(x) + inl(x + 1); }\n"
	"int use_again(int x) { return inl(x) * 3; }\n"
	"void no_return(void) { abort(); }\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	struct p v = {0};\n"
	"	v = by_struct(v, argc);\n"
	"	return loop(argc) + odd(argc) + rec(argc) + use_inl(argc) +\n"
	"	  vla(argc) + big() + many(1, 2, 3, 4, 5, 6, 7, 8) +\n"
	"	  (int)floats(1, 2) + one(2) + v.a + (argv == 0) +\n"
	"	  use_again(argc);\n"
	"}\n";

static const char *const levels[] = {"-O0", "-O1", "-O2", "-O3", "-Os"};
static const char *const versions[] = {"-gdwarf-5", "-gdwarf-4", "-gdwarf-3",
				       "-g0"};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Do `check` for the builds that a compiler makes: every level in DWARF 5, and
 * two levels in each older form, because how lines are written there does not
 * depend on the level. */
static void each_build(const char *compiler, size_t version_count,
		       void (*check)(const char *path, struct debugfile *))
{
	for (size_t i = 0; i < COUNT(levels); i++) {
		for (size_t j = 0; j < version_count; j++) {
			if ((j > 0 && i != 0 && i != 2) || !one_in(4, i + j))
				continue;
			char *command = xasprintf("%s -w %s %s", compiler,
						  levels[i], versions[j]);
			char *path = compile(command, "lines", "c", source);
			struct debugfile *file = open_sample(path);

			print_message("# %s\n", command);
			check(path, file);
			debugfile_close(file);
			free(path);
			free(command);
		}
	}
}

static const char line_script[] =
	"python\n"
	"for address in open('%s').read().split():\n"
	"  print('@', gdb.find_pc_line(int(address, 16)).line)\n"
	"end\n";

/* All addresses of some functions, a line each. */
static unsigned list_addresses(struct debugfile *file, const char *list)
{
	static const char *const names[] = {"main", "one", "loop", "use_inl",
					    "odd"};
	struct str text = {0};
	unsigned count = 0;

	for (size_t i = 0; i < COUNT(names); i++) {
		struct function function = function_named(file, names[i]);

		for (uint64_t at = 0; at < function.size; at++, count++)
			str_printf(&text, "%#lx\n", function.address + at);
	}
	write_sample(list, str_text(&text), text.length);
	str_deinit(&text);
	return count;
}

/*
 * Every byte of code has the line that addr2line or gdb gives it. (They differ
 * where several rows share an address: addr2line takes the last one, gdb a
 * statement, as we do; and where there is no line, which gdb does not say.)
 */
static void check_lines(const char *path, struct debugfile *file)
{
	unsigned count = list_addresses(file, "addresses"), known = 0;
	char *list = sample_path("addresses"), *script = sample_path("script");
	char *text = xasprintf(line_script, list);
	char *bfd = output_of("addr2line -e %s < %s", path, list), *gdb;
	char *bfd_save, *gdb_save, *bfd_line, *gdb_line, *address, *save;
	char *addresses = (char *)read_whole(list, &(size_t){0});

	write_sample("script", text, strlen(text));
	gdb = output_of("gdb -nx -batch -ex 'set debuginfod enabled off' "
			"-x %s %s 2>&1 | grep '^@'",
			script, path);
	bfd_line = strtok_r(bfd, "\n", &bfd_save);
	gdb_line = strtok_r(gdb, "\n", &gdb_save);
	address = strtok_r(addresses, "\n", &save);
	for (; count; count--) {
		const char *name = NULL;
		unsigned long bfd_says, gdb_says;
		uint32_t found = 0;
		char *colon;

		assert_non_null(bfd_line);
		assert_non_null(gdb_line);
		colon = strrchr(bfd_line, ':');
		assert_non_null(colon);
		*colon = '\0';
		bfd_says = strtoul(colon + 1, NULL, 10);
		gdb_says = strtoul(gdb_line + 2, NULL, 10);
		if (debugfile_source_at(file, strtoull(address, NULL, 16),
					&name, &found)) {
			assert_string_equal(name, bfd_line);
			known++;
		}
		if (found != bfd_says && found != gdb_says)
			fail_msg("%s: line %u; addr2line: %lu, gdb: %lu",
				 address, found, bfd_says, gdb_says);
		bfd_line = strtok_r(NULL, "\n", &bfd_save);
		gdb_line = strtok_r(NULL, "\n", &gdb_save);
		address = strtok_r(NULL, "\n", &save);
	}
	assert_true(known > 50);
	free(addresses);
	free(text);
	free(script);
	free(list);
	free(bfd);
	free(gdb);
}

static void test_lines_agree_with_addr2line_or_gdb(void **state)
{
	(void)state;
	if (!has_tool("gdb"))
		fail_msg("gdb is needed: tests/setup.sh check");
	each_build("gcc", 3, check_lines);
	each_build("clang", 3, check_lines);
}

static const char gdb_script[] =
	"python\n"
	"import gdb\n"
	"for name in open('%s').read().split():\n"
	"  try:\n"
	"    b = gdb.Breakpoint(function=name, qualified=True)\n"
	"    print('@', name, *[hex(l.address) for l in b.locations])\n"
	"    b.delete()\n"
	"  except Exception as e: print('#', name, e)\n"
	"end\n";

/* Reads the rows of a line table that are marked as the end of a prologue, with
 * readelf: one address per line. */
static char *marked_ends(const char *path)
{
	return output_of("readelf --debug-dump=rawline %s 2>/dev/null | awk '"
			 "{ at = match($0, / to 0x[0-9a-f]+/) ?"
			 " substr($0, RSTART + 4, RLENGTH - 4) : at }"
			 "/Set prologue_end/ { marked = 1 }"
			 "/Special opcode|Copy/ { if (marked) print at;"
			 " marked = 0 }'",
			 path);
}

/* The first marked address in the function. 0: there is none. */
static uint64_t marked_end_of(const char *marks,
			      const struct function *function)
{
	uint64_t first = 0;

	for (const char *line = marks; line && *line;
	     line = strchr(line, '\n'), line += line != NULL) {
		uint64_t address = strtoull(line, NULL, 16);

		if (address >= function->address &&
		    address < function->address + function->size &&
		    (!first || address < first))
			first = address;
	}
	return first;
}

/* gdb uses the marks of clang since version 15. */
static bool gdb_knows_marks(void)
{
	char *version = output_of("gdb --version | "
				  "sed -n '1s/.* \\([0-9]*\\)\\..*/\\1/p'");
	bool knows = strtoul(version, NULL, 10) >= 15;

	free(version);
	return knows;
}

/* gdb may have more locations than one: inlined copies. Ours must be among
 * them. Where clang has marked the end of the prologue, an older gdb is not
 * asked, but readelf. */
static void check_prologues(const char *path, struct debugfile *file,
			    bool is_clang)
{
	char *marks = is_clang ? marked_ends(path) : NULL;
	bool is_judge = !is_clang || gdb_knows_marks();
	char *names = sample_path("names"), *script = sample_path("script");
	char *text = xasprintf(gdb_script, names), *output;
	unsigned checked = 0, marked = 0;

	write_sample("script", text, strlen(text));
	free(text);
	free(output_of("nm --defined-only %s | awk '$2 == \"T\" && $3 !~ "
		       "/^_(init|fini)$/ { print $3 }' > %s",
		       path, names));
	output = output_of("gdb -nx -batch -ex 'set debuginfod enabled off' "
			   "-ex 'set breakpoint pending off' -x %s %s 2>&1",
			   script, path);
	for (char *save, *line = strtok_r(output, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		struct function function;
		uint64_t address, mark;
		char name[64], *wanted;

		if (sscanf(line, "@ %63s", name) != 1)
			continue;
		function = function_named(file, name);
		assert_null(debugfile_skip_prologue(file, &function, &address));
		mark = marked_end_of(marks, &function);
		if (mark && address != mark)
			fail_msg("%s: %#lx and not the marked %#lx", name,
				 address, mark);
		marked += mark != 0;
		wanted = xasprintf(" %#lx", address);
		if ((!mark || is_judge) && !strstr(line, wanted))
			fail_msg("%s: %s and not gdb's%s", name, wanted,
				 line + 2 + strlen(name));
		free(wanted);
		checked++;
	}
	assert_true(checked >= 14);
	assert_true(!is_clang || !marks[0] || marked >= 14);
	free(output);
	free(names);
	free(script);
	free(marks);
}

static void check_gdb(const char *path, struct debugfile *file)
{
	check_prologues(path, file, false);
}

static void check_marks(const char *path, struct debugfile *file)
{
	check_prologues(path, file, true);
}

static void test_prologues_end_as_in_gdb(void **state)
{
	(void)state;
	if (!has_tool("gdb"))
		fail_msg("gdb is needed: tests/setup.sh check");
	each_build("gcc", 4, check_gdb);
	each_build("gcc -fno-omit-frame-pointer -fcf-protection=full", 1,
		   check_gdb);
	each_build("gcc -mstackrealign -mavx", 1, check_gdb);
	each_build("clang", 4, check_marks);
}

static void expect_line(struct debugfile *file, const char *name, uint32_t line,
			size_t count, uint32_t found)
{
	struct line_list places = {0};

	assert_null(debugfile_find_line(file, name, line, &places));
	if (places.count != count)
		fail_msg("%s:%u: %zu places", name, line, places.count);
	for (size_t i = 0; i < places.count; i++) {
		const char *path;
		uint32_t there;

		assert_int_equal(places.data[i].line, found);
		assert_true(debugfile_source_at(file, places.data[i].address,
						&path, &there));
		assert_int_equal(there, found);
		assert_string_equal(path, places.data[i].file);
	}
	vec_free(&places);
}

static void check_find_line(const char *path, struct debugfile *file)
{
	char *whole = xasprintf("%s.c", path);

	expect_line(file, "lines.c", 16, 1, 16);
	expect_line(file, whole, 16, 1, 16);
	/* no code there: the next line that has some */
	expect_line(file, "lines.c", 12, 1, 14);
	/* in each of the three inlined copies */
	expect_line(file, "lines.c", 42, 3, 42);
	expect_line(file, "lines.c", 100000, 0, 0);
	expect_line(file, "ines.c", 16, 0, 0);
	expect_line(file, "other.c", 1, 0, 0);
	free(whole);
}

static void test_lines_have_their_addresses(void **state)
{
	static const char *const builds[] = {"gcc -g -O0",
					     "gcc -g -gdwarf-4 -O0",
					     "gcc -g -gz -O0", "clang -g -O0"};

	(void)state;
	for (size_t i = 0; i < COUNT(builds); i++) {
		if (!one_in(COUNT(builds), i))
			continue;
		char *path = compile(builds[i], "lines", "c", source);
		struct debugfile *file = open_sample(path);

		check_find_line(path, file);
		debugfile_close(file);
		free(path);
	}
}

/* Three calls of inl() were inlined, and none of the others at -O0. */
static void test_each_inlined_call_is_found(void **state)
{
	static const char *const builds[] = {"gcc -g -O0",
					     "gcc -g -gdwarf-4 -O0",
					     "gcc -g -O1", "clang -g -O0"};

	(void)state;
	for (size_t i = 0; i < COUNT(builds); i++) {
		if (!one_in(COUNT(builds), i))
			continue;
		struct line_list copies = {0};
		struct debugfile *file;
		char *path;

		path = compile(builds[i], "lines", "c", source);
		file = open_sample(path);
		assert_null(debugfile_find_inlined(file, "inl", &copies, NULL));
		assert_int_equal(copies.count, 3);
		for (size_t j = 0; j < copies.count; j++) {
			struct function function;
			uint64_t address = copies.data[j].address;

			assert_true(debugfile_function_at(file, address,
							  &function));
			assert_true(str_starts(function.name, "use_"));
			assert_true(copies.data[j].line >= 39);
		}
		vec_clear(&copies);
		assert_null(
			debugfile_find_inlined(file, "use_*", &copies, NULL));
		assert_int_equal(copies.count, 0);
		vec_free(&copies);
		debugfile_close(file);
		free(path);
	}
}

/* first() ends, with a line that has no code, where second() begins: the
 * linker sorts the sections, while the line table has them as written. */
static const char ends_source[] =
	"#define CODE(s) __attribute__((naked, section(\".text.\" s))) void\n"
	"CODE(\"b\") second(void)\n"
	"{ __asm__(\"ret\"); __builtin_unreachable(); }\n" /* 3 */
	"CODE(\"a\") first(void)\n"
	"{ __asm__(\"ret\\n .loc 1 77 0 view -0\"); "
	"__builtin_unreachable(); }\n"
	"int main(void) { first(); second(); return 0; }\n";

static void test_row_at_the_end_of_a_function_is_no_code(void **state)
{
	char *path = compile("gcc -g -O0 -falign-functions=1 "
			     "-Wl,--sort-section=name",
			     "ends", "c", ends_source);
	struct debugfile *file = open_sample(path);
	struct function first = function_named(file, "first");
	struct function second = function_named(file, "second");
	const char *name;
	uint32_t line;

	(void)state;
	assert_int_equal(first.address + 1, second.address);
	assert_true(debugfile_source_at(file, first.address, &name, &line));
	assert_int_equal(line, 5);
	assert_true(debugfile_source_at(file, second.address, &name, &line));
	assert_int_equal(line, 3);
	expect_line(file, "ends.c", 77, 0, 0);
	debugfile_close(file);
	free(path);
}

static bool collect(void *context, const char *name)
{
	struct str *names = context;

	str_printf(names, "%s\n", name);
	return true;
}

static void test_source_files_are_listed(void **state)
{
	char *path = compile("gcc -g", "lines", "c", source);
	struct debugfile *file = open_sample(path);
	struct str names = {0};
	char *wanted = xasprintf("%s.c\n", path);

	(void)state;
	debugfile_each_source(file, collect, &names);
	assert_non_null(strstr(str_text(&names), wanted));
	assert_non_null(strstr(str_text(&names), "/stdio.h\n"));
	str_deinit(&names);
	debugfile_close(file);
	free(wanted);
	free(path);
}

/* Lines 9 to 17 of the source are those of loop(), whose code has an inlined
 * copy of helper(), too. objdump knows which rows begin statements. */
static void check_statements(const char *path, struct debugfile *file,
			     bool are_marked)
{
	struct function loop = function_named(file, "loop");
	const struct statement *first;
	struct statement_list own;
	unsigned wanted = 0, line, lines = 0;
	char *text = output_of("objdump --dwarf=decodedline %s", path);
	char *save, *row = strtok_r(text, "\n", &save);
	unsigned long address;

	assert_null(debugfile_statements(file, &loop, &own));
	for (; row; row = strtok_r(NULL, "\n", &save))
		if (sscanf(row, "%*s %u %lx", &line, &address) == 2 &&
		    address - loop.address < loop.size && line >= 9 &&
		    line <= 17 && row[strlen(row) - 1] == 'x') {
			assert_true(wanted < own.list.count);
			assert_int_equal(own.list.data[wanted].address,
					 address);
			assert_int_equal(own.list.data[wanted++].line, line);
			lines |= 1u << line;
		}
	assert_int_equal(own.list.count, wanted);
	assert_int_equal(own.are_marked, are_marked);
	assert_true(lines >> 14 & 1 && lines >> 15 & 1);
	assert_int_equal(own.first, 9);
	assert_int_equal(own.last, 17);
	assert_true(debugfile_path_matches(own.path, "lines.c"));
	assert_true(statements_at(&own, loop.address, &first) >= 1);
	assert_ptr_equal(first, own.list.data);
	assert_int_equal(statements_at(&own, loop.address - 1, &first), 0);
	vec_free(&own.list);
	free(text);
}

static void test_statements_are_those_of_the_line_table(void **state)
{
	static const struct {
		const char *compiler;
		bool are_marked;
	} builds[] = {{"gcc -w -O0 -g", false},
		      {"gcc -w -O2 -g", true},
		      {"gcc -w -O2 -gdwarf-4", true},
		      {"clang -w -O0 -g", false}};

	(void)state;
	for (size_t i = 0; i < COUNT(builds); i++) {
		if (!one_in(COUNT(builds), i))
			continue;
		char *path = compile(builds[i].compiler, "lines", "c", source);
		struct debugfile *file = open_sample(path);

		print_message("# %s\n", builds[i].compiler);
		check_statements(path, file, builds[i].are_marked);
		debugfile_close(file);
		free(path);
	}
}

static const char methods[] = "struct shape {\n"
			      "	int w;\n"
			      "	int area() const;\n"
			      "};\n"
			      "int other(int x) { return x + 1; }\n"
			      "int shape::area() const\n" /* 6 */
			      "{\n"
			      "	auto twice = [&](int x) {\n"
			      "		return x * w;\n"
			      "	};\n"
			      "	return twice(2) + other(w);\n"
			      "}\n"
			      "int main(int argc, char **)\n" /* 13 */
			      "{\n"
			      "	shape s{argc};\n"
			      "	return s.area();\n"
			      "}\n";

/* A method begins where it is defined, and not where its class declares it. A
 * lambda in it is a part of it. */
static void
test_statements_of_methods_are_from_their_definition_on(void **state)
{
	static const char *const compilers[] = {"g++ -O0 -g", "g++ -O2 -g",
						"clang++ -O0 -g"};

	(void)state;
	for (size_t i = 0; i < COUNT(compilers); i++) {
		char *path = compile(compilers[i], "methods", "cc", methods);
		struct debugfile *file = open_sample(path);
		struct function area = function_named(file, "shape::area");
		struct statement_list own;

		assert_null(debugfile_statements(file, &area, &own));
		assert_int_equal(own.first, 6);
		assert_int_equal(own.last, 12);
		vec_free(&own.list);
		debugfile_close(file);
		free(path);
	}
}

static void test_without_lines_there_are_no_statements(void **state)
{
	char *path = compile("gcc -w -O2", "lines", "c", source);
	struct debugfile *file = open_sample(path);
	struct function loop = function_named(file, "loop");
	struct statement_list own;

	(void)state;
	assert_null(debugfile_statements(file, &loop, &own));
	assert_int_equal(own.list.count, 0);
	assert_null(own.path);
	debugfile_close(file);
	free(path);
}

/* Distributions compile with names of folders that are the same on each
 * machine, such as "./csu". The name of the compilation directory stands in the
 * line table, too, and is a part of the path once. */
static void test_compilation_directory_may_be_relative(void **state)
{
	static const char text[] = "int main(void)\n{\n\treturn 0;\n}\n";
	char *path = sample_path("relative");
	struct debugfile *file;
	struct function function;
	const char *name = NULL;
	uint32_t line;

	(void)state;
	write_sample("relative.c", text, strlen(text));
	free(output_of("d=$(dirname %s) && cd $d && gcc -g -gdwarf-5 "
		       "-ffile-prefix-map=$d=./here -o relative relative.c",
		       path));
	file = open_sample(path);
	function = function_named(file, "main");
	assert_true(debugfile_source_at(file, function.address, &name, &line));
	assert_string_equal(name, "./here/relative.c");
	debugfile_close(file);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_statements_are_those_of_the_line_table),
		cmocka_unit_test(
			test_statements_of_methods_are_from_their_definition_on),
		cmocka_unit_test(test_without_lines_there_are_no_statements),
		cmocka_unit_test(test_lines_agree_with_addr2line_or_gdb),
		cmocka_unit_test(test_prologues_end_as_in_gdb),
		cmocka_unit_test(test_lines_have_their_addresses),
		cmocka_unit_test(test_each_inlined_call_is_found),
		cmocka_unit_test(test_row_at_the_end_of_a_function_is_no_code),
		cmocka_unit_test(test_source_files_are_listed),
		cmocka_unit_test(test_compilation_directory_may_be_relative),
	};

	return cmocka_run_group_tests(tests, samples_setup, samples_teardown);
}
