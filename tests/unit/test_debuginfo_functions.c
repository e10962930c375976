/*
 * test_debuginfo_functions.c - functions by name and by address, against nm
 * and against what the sources say
 *
 * tier: core
 * covers: debuginfo/symbols debuginfo/scopes
 */
#include "debuginfo_samples.h"

static const char c_source[] =
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"int apple(int x) { return x + 1; }\n"
	"int apricot(int x) __attribute__((alias(\"apple\")));\n"
	"static int banana(int x) { return x * 2; }\n"
	"extern int also_banana(int) __attribute__((alias(\"banana\")));\n"
	"static int (*choose(void))(int) { return apple; }\n"
	"int either(int) __attribute__((ifunc(\"choose\")));\n"
	"volatile int sink;\n"
	"__attribute__((noinline)) int hot(int x)\n"
	"{ for (int i = 0; i < x; i++) sink += i;\n"
	"  if (x > 1000) __builtin_trap(); return x + 5; }\n"
	"__asm__(\".globl bare\\n bare: ret\\n local_label: nop\\n\");\n"
	"int data_object = 1;\n"
	"void bare(void);\n"
	"int main(int argc, char **argv)\n"
	"{ bare(); return apple(argc) + banana(argc) + either(2) + hot(argc) "
	"+\n"
	"  (argv == 0); }\n";

static const char cc_source[] =
	"namespace space {\n"
	"struct Foo { int bar(int); int bar(double) const; static int baz();\n"
	"  Foo(); ~Foo(); int operator()(unsigned long); };\n"
	"int Foo::bar(int x) { return x; }\n"
	"int Foo::bar(double) const { return 1; }\n"
	"int Foo::baz() { return 2; }\n"
	"Foo::Foo() {}\n"
	"Foo::~Foo() {}\n"
	"int Foo::operator()(unsigned long x) { return int(x); }\n"
	"}\n"
	"namespace { __attribute__((noinline)) int quiet(int x)\n"
	"{ asm(\"\"); return x; } }\n"
	"template <typename T> __attribute__((noinline)) T twice(T x)\n"
	"{ return x + x; }\n"
	"template int twice<int>(int);\n"
	"template double twice<double>(double);\n"
	"int bar(char c) { return c; }\n"
	"__attribute__((abi_tag(\"cxx11\"))) int tagged(int x) { return x; }\n"
	"int main() { space::Foo foo; return foo.bar(1) + space::Foo::baz() +\n"
	"  quiet(3) + bar('c'); }\n";

/* The names found, in the order of their addresses. */
static char *names_of(struct debugfile *file, const char *pattern)
{
	struct function_list list = {0};
	struct str names = {0};

	assert_null(debugfile_find_functions(file, pattern, &list));
	for (size_t i = 0; i < list.count; i++) {
		char *name = debuginfo_demangle(list.data[i].name);

		str_printf(&names, "%s%s", i ? " | " : "", name);
		free(name);
	}
	vec_free(&list);
	return str_take(&names);
}

static void expect_names(struct debugfile *file, const char *pattern,
			 const char *expected)
{
	char *names = names_of(file, pattern);

	if (!str_equal(names, expected))
		fail_msg("%s: '%s' and not '%s'", pattern, names, expected);
	free(names);
}

static void test_c_functions_are_found_by_name(void **state)
{
	char *path = compile("gcc -g -O0", "names", "c", c_source);
	struct debugfile *file = open_sample(path);
	struct function function;

	(void)state;
	expect_names(file, "apple", "apple");
	expect_names(file, "apricot", "apricot");
	/* aliases are one function; a global name before a static one */
	expect_names(file, "ap*", "apple");
	expect_names(file, "*banana", "also_banana");
	expect_names(file, "banana", "banana");
	expect_names(file, "ap[p]le", "apple");
	expect_names(file, "nothing", "");
	expect_names(file, "data_object", "");
	expect_names(file, "local_label", "");
	expect_names(file, "bare", "bare");
	expect_names(file, "_start", "_start");
	expect_names(file, "abort", ""); /* undefined here */
	expect_names(file, "printf", "");
	function = function_named(file, "either");
	assert_true(function.indirect);
	function = function_named(file, "banana");
	assert_true(function.local);
	assert_false(function_named(file, "apple").local);
	assert_false(function_named(file, "apple").indirect);
	debugfile_close(file);
	free(path);
}

static void test_c_plus_plus_functions_are_found_by_name(void **state)
{
	char *path = compile("g++ -g -O1", "ccnames", "cc", cc_source);
	struct debugfile *file = open_sample(path);

	(void)state;
	expect_names(file, "Foo::bar",
		     "space::Foo::bar(int) | space::Foo::bar(double) const");
	expect_names(file, "space::Foo::bar(int)", "space::Foo::bar(int)");
	expect_names(file, "Foo::bar(double)const",
		     "space::Foo::bar(double) const");
	expect_names(file, "bar(char)", "bar(char)");
	expect_names(file, "bar",
		     "space::Foo::bar(int) | space::Foo::bar(double) const | "
		     "bar(char)");
	expect_names(file, "oo::bar", "");
	expect_names(file, "baz", "space::Foo::baz()");
	expect_names(file, "_ZN5space3Foo3bazEv", "space::Foo::baz()");
	expect_names(file, "space::Foo::ba*",
		     "space::Foo::bar(int) | space::Foo::bar(double) const | "
		     "space::Foo::baz()");
	expect_names(file, "quiet", "(anonymous namespace)::quiet(int)");
	expect_names(file, "(anonymous namespace)::quiet",
		     "(anonymous namespace)::quiet(int)");
	expect_names(file, "twice", "twice<int>(int) | twice<double>(double)");
	expect_names(file, "twice<int>", "twice<int>(int)");
	expect_names(file, "twice<double>(double)", "twice<double>(double)");
	expect_names(file, "~Foo", "space::Foo::~Foo()");
	expect_names(file, "Foo::Foo", "space::Foo::Foo()");
	expect_names(file, "operator()",
		     "space::Foo::operator()(unsigned long)");
	expect_names(file, "Foo::operator()(unsigned long)",
		     "space::Foo::operator()(unsigned long)");
	expect_names(file, "tagged", "tagged[abi:cxx11](int)");
	expect_names(file, "tagged(int)", "tagged[abi:cxx11](int)");
	expect_names(file, "main", "main");
	debugfile_close(file);
	free(path);
}

static void test_names_are_demangled(void **state)
{
	static const struct {
		const char *linked, *plain;
	} names[] = {
		{"main", "main"},
		{"_ZN3Foo3barEi", "Foo::bar(int)"},
		{"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
		 "core::fmt::Write::write_fmt"},
		{"_RNvCs1234_7mycrate3foo", "mycrate::foo"},
		{"_Znonsense", "_Znonsense"},
		{"__m_MOD_step", "m::step"},
		{"__m_MOD_step.constprop.0", "m::step [clone .constprop.0]"},
		{"__M_MOD_step", "__M_MOD_step"},
		{"_D3app5tasks5checkFiZv", "app.tasks.check(int)"},
		{"_D3app5tasks6Worker6__ctorMFiZCQBdQBcQz",
		 "_D3app5tasks6Worker6__ctorMFiZCQBdQBcQz"},
		{"_Dmain", "_Dmain"},
		{"__m_MOD_", "__m_MOD_"},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *plain = debuginfo_demangle(names[i].linked);

		assert_string_equal(plain, names[i].plain);
		free(plain);
	}
}

/*
 * Names that stand for gigabytes of text: each level says twice what the one
 * before says. They must be given up, and soon.
 */
static void test_name_of_gigabytes_is_given_up(void **state)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct str name = {0};
	char *plain;

	(void)state;
	str_append(&name, "_Z1fSt4pairIiiE");
	for (unsigned i = 0; i < 4; i++)
		str_printf(&name, "S_IS%c_S%c_E", digits[i], digits[i]);
	plain = debuginfo_demangle(str_text(&name));
	assert_true(str_starts(plain, "f(std::pair<int, int>, std::pair<"));
	assert_true(strlen(plain) > 500);
	free(plain);
	for (unsigned i = 4; i < 34; i++)
		str_printf(&name, "S_IS%c_S%c_E", digits[i], digits[i]);
	plain = debuginfo_demangle(str_text(&name));
	assert_string_equal(plain, str_text(&name));
	free(plain);
	str_deinit(&name);
}

/* What nm says of the functions is what we say of their addresses. */
static void test_functions_agree_with_nm(void **state)
{
	char *path = compile("gcc -O2 -g", "against", "c", c_source);
	struct debugfile *file = open_sample(path);
	char *text = output_of("nm -S --defined-only %s | "
			       "awk 'NF == 4 && $3 ~ /[tTW]/'",
			       path);
	unsigned checked = 0;

	(void)state;
	for (char *save, *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		uint64_t address, size;
		char name[256];
		struct function function;

		assert_int_equal(sscanf(line, "%lx %lx %*c %255s", &address,
					&size, name),
				 3);
		assert_true(debugfile_function_at(file, address, &function));
		if (strstr(name, ".cold")) {
			assert_string_equal(function.name, "hot");
			continue;
		}
		assert_int_equal(function.address, address);
		assert_int_equal(function.size, size);
		assert_true(debugfile_function_at(file, address + size - 1,
						  &function));
		assert_int_equal(function.address, address);
		function = function_named(file, name);
		assert_int_equal(function.address, address);
		checked++;
	}
	assert_true(checked > 6);
	free(text);
	debugfile_close(file);
	free(path);
}

static void test_cold_part_belongs_to_its_function(void **state)
{
	static const char *const builds[] = {"gcc -O2", "gcc -O2 -g",
					     "gcc -O2 -g -gdwarf-4"};

	(void)state;
	for (size_t i = 0; i < sizeof(builds) / sizeof(char *); i++) {
		char *path = compile(builds[i], "cold", "c", c_source);
		struct debugfile *file = open_sample(path);
		struct function hot = function_named(file, "hot");
		struct function cold = function_named(file, "hot.cold");
		struct range_list ranges = {0};

		expect_names(file, "hot*", "hot");
		assert_null(debugfile_function_ranges(file, &hot, &ranges));
		assert_int_equal(ranges.count, 2);
		assert_int_equal(ranges.data[0].low, cold.address);
		assert_int_equal(ranges.data[0].high, cold.address + cold.size);
		assert_int_equal(ranges.data[1].low, hot.address);
		assert_int_equal(ranges.data[1].high, hot.address + hot.size);
		vec_free(&ranges);
		debugfile_close(file);
		free(path);
	}
}

/* Assembler code: functions of these names, which only return. */
#define FUNCTIONS(names)                                                       \
	".irp name," names "\n"                                                \
	".type \\name, @function\n\\name: ret\n.size \\name, . - "             \
	"\\name\n.endr\n"

/* A part that is called is a function of its own for globs, but is not meant by
 * the name of its original. A cold part is not found by either. */
static void test_called_parts_are_functions(void **state)
{
	char *path =
		compile("gcc -nostdlib -static", "parts", "s",
			".globl _start\n_start: ret\n" FUNCTIONS(
				"look, look.part.0, look.part.0.cold, "
				"copy.constprop.0, "
				"copy.constprop.0.isra.0, copy.isra.0.part.1, "
				"a.b.cold, a.b, "
				"_ZN1aL4lookEPKii.part.0, dot.other.part"));
	struct debugfile *file = open_sample(path);
	struct function function;

	(void)state;
	expect_names(file, "look", "look");
	expect_names(file, "look*",
		     "look | look.part.0 | a::look(int const*, int) "
		     "[clone .part.0]");
	expect_names(file, "look.part.0", "look.part.0");
	expect_names(file, "copy",
		     "copy.constprop.0 | copy.constprop.0.isra.0");
	expect_names(file, "copy*",
		     "copy.constprop.0 | copy.constprop.0.isra.0 | "
		     "copy.isra.0.part.1");
	expect_names(file, "a::look", "");
	expect_names(file, "a::look [clone .part.0]",
		     "a::look(int const*, int) [clone .part.0]");
	expect_names(file, "a.*", "a.b");
	expect_names(file, "dot.other.*", "dot.other.part");
	function = function_named(file, "a.b.cold");
	assert_true(debugfile_function_at(file, function.address, &function));
	assert_string_equal(function.name, "a.b");
	debugfile_close(file);
	free(path);
}

/* Modules of Fortran and of D, and a package of Ada with two subprograms of one
 * name. */
static void test_modules_are_part_of_names(void **state)
{
	char *path = compile("gcc -nostdlib -static", "modules", "s",
			     ".globl _start\n_start: ret\n" FUNCTIONS(
				     "__m_MOD_step, __m_MOD_step.part.0, "
				     "__other_MOD_step, tasks__check, "
				     "tasks__check__2, tasks__inner__sum, "
				     "_D3app4jobs4postFiZv, "
				     "_D3app4jobs6Worker3runMFiZv"));
	struct debugfile *file = open_sample(path);

	(void)state;
	expect_names(file, "m::step", "m::step");
	expect_names(file, "step", "m::step | other::step");
	expect_names(file, "m::*", "m::step | m::step [clone .part.0]");
	expect_names(file, "m::step [clone .part.0]",
		     "m::step [clone .part.0]");
	expect_names(file, "__m_MOD_step", "m::step");
	expect_names(file, "tasks.check", "tasks__check | tasks__check__2");
	expect_names(file, "Tasks.Inner.Sum", "tasks__inner__sum");
	expect_names(file, "app.jobs.post", "app.jobs.post(int)");
	expect_names(file, "jobs.post(int)", "app.jobs.post(int)");
	expect_names(file, "app.jobs.*",
		     "app.jobs.post(int) | app.jobs.Worker.run(int)");
	expect_names(file, "tasks.chec", "");
	expect_names(file, "tasks..check", "");
	expect_names(file, "check", "");
	debugfile_close(file);
	free(path);
}

/* GNAT's names do not show that they are of Ada. The file does, by the names
 * that only GNAT makes. */
static void test_names_of_ada_need_a_file_of_ada(void **state)
{
	static const char *const names[][2] = {
		{"tasks__check", "tasks.check"},
		{"tasks__check__2", "tasks.check__2"},
		{"tasks__inner__sum", "tasks.inner.sum"},
		{"_ada_demo", "demo"},
		{"tasks___elabb", "tasks___elabb"},
		{"__gnat_malloc", "__gnat_malloc"},
		{"plain", "plain"},
		{"under_score", "under_score"},
	};

	(void)state;
	for (int is_ada = 0; is_ada < 2; is_ada++) {
		char *path = compile(
			"gcc -nostdlib -static", is_ada ? "ada" : "c", "s",
			is_ada ? ".globl _start\n_start: ret\n" FUNCTIONS(
					 "tasks___elabb, tasks__check")
			       : ".globl _start\n_start: ret\n" FUNCTIONS(
					 "tasks_elabb, tasks__check"));
		struct debugfile *file = open_sample(path);

		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
			char *text = debugfile_demangle(file, names[i][0]);

			assert_string_equal(text, names[i][is_ada]);
			free(text);
		}
		expect_names(file, "tasks.*", is_ada ? "tasks__check" : "");
		debugfile_close(file);
		free(path);
	}
}

/* In the code that Go compiled, what follows the dot is the function. */
static void test_names_of_go_have_no_suffixes(void **state)
{
	char *path = compile(
		"gcc -nostdlib -static", "gonames", "s",
		".section .go.buildinfo, \"a\"\n.quad 0\n.text\n"
		".globl _start\n_start: ret\n" FUNCTIONS(
			"main, runtime.text, main.cold, main.part, main.llvm, "
			"runtime.etext, c.part.0, main.other.cold"));
	struct debugfile *file = open_sample(path);
	struct function function;

	(void)state;
	expect_names(file, "main", "main");
	expect_names(file, "main.*", "main.cold | main.part | main.llvm");
	expect_names(file, "c", "");
	function = function_named(file, "main.cold");
	assert_true(debugfile_function_at(file, function.address, &function));
	assert_string_equal(function.name, "main.cold");
	debugfile_close(file);
	free(path);
}

/* Without symbols: by debug information, else by call frame information. */
static void test_functions_are_found_without_symbols(void **state)
{
	char *path = compile("gcc -O0 -g", "stripped", "c", c_source);
	struct debugfile *file = open_sample(path);
	struct function apple = function_named(file, "apple"), found;

	(void)state;
	free(output_of("objcopy --strip-all --keep-section '.debug*' %s "
		       "%s.dwarf && strip %s -o %s.bare",
		       path, path, path, path));
	for (int bare = 0; bare < 2; bare++) {
		char *other = xasprintf("%s.%s", path, bare ? "bare" : "dwarf");
		struct debugfile *file2 = open_sample(other);

		assert_false(debugfile_facts(file2)->has_symtab);
		assert_true(debugfile_function_at(file2, apple.address + 3,
						  &found));
		assert_int_equal(found.address, apple.address);
		assert_int_equal(found.size, apple.size);
		if (bare)
			assert_null(found.name);
		else
			assert_string_equal(found.name, "apple");
		assert_false(debugfile_function_at(
			file2, debugfile_facts(file2)->high + 5, &found));
		debugfile_close(file2);
		free(other);
	}
	debugfile_close(file);
	free(path);
}

static bool collect(void *context, const char *name)
{
	struct str *names = context;

	str_printf(names, "%s ", name);
	return true;
}

static bool first_only(void *context, const char *name)
{
	collect(context, name);
	return false;
}

static void test_completion_offers_matching_names(void **state)
{
	char *path = compile("g++ -g -O1", "complete", "cc", cc_source);
	struct debugfile *file = open_sample(path);
	struct str names = {0};

	(void)state;
	debugfile_each_name(file, "space::Foo::ba", collect, &names);
	assert_string_equal(str_text(&names),
			    "space::Foo::bar space::Foo::baz ");
	str_deinit(&names);
	debugfile_each_name(file, "space::", first_only, &names);
	assert_int_equal(strchr(str_text(&names), ' ') - str_text(&names) + 1,
			 (long)names.length);
	str_deinit(&names);
	debugfile_each_name(file, "zebra", collect, &names);
	assert_string_equal(str_text(&names), "");
	str_deinit(&names);
	debugfile_close(file);
	free(path);
}

static void test_near_names_are_suggested(void **state)
{
	char *path = compile("gcc -g -O0", "near", "c", c_source);
	struct debugfile *file = open_sample(path);
	char *names[2];

	(void)state;
	assert_true(debugfile_near_names(file, "aplle", names, 1) == 1);
	assert_string_equal(names[0], "apple");
	free(names[0]);
	/* two of six are missing: a third of what is meant */
	assert_true(debugfile_near_names(file, "bana", names, 1) == 1);
	assert_string_equal(names[0], "banana");
	free(names[0]);
	assert_int_equal(debugfile_near_names(file, "xyzzyxyzzy", names, 2), 0);
	assert_int_equal(debugfile_near_names(file, "apple", names, 0), 0);
	debugfile_close(file);
	free(path);
}

/* Lifetimes without end, found by fuzzing: the name is left as it is. */
static void test_endless_name_is_left_mangled(void **state)
{
	static const char name[] = "_RMYFGFoperaqe_R13fotorN_1F_";
	char *plain = debuginfo_demangle(name);

	(void)state;
	assert_string_equal(plain, name);
	free(plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c_functions_are_found_by_name),
		cmocka_unit_test(test_c_plus_plus_functions_are_found_by_name),
		cmocka_unit_test(test_names_are_demangled),
		cmocka_unit_test(test_name_of_gigabytes_is_given_up),
		cmocka_unit_test(test_endless_name_is_left_mangled),
		cmocka_unit_test(test_functions_agree_with_nm),
		cmocka_unit_test(test_cold_part_belongs_to_its_function),
		cmocka_unit_test(test_called_parts_are_functions),
		cmocka_unit_test(test_names_of_go_have_no_suffixes),
		cmocka_unit_test(test_modules_are_part_of_names),
		cmocka_unit_test(test_names_of_ada_need_a_file_of_ada),
		cmocka_unit_test(test_functions_are_found_without_symbols),
		cmocka_unit_test(test_completion_offers_matching_names),
		cmocka_unit_test(test_near_names_are_suggested),
	};

	return cmocka_run_group_tests(tests, samples_setup, samples_teardown);
}
