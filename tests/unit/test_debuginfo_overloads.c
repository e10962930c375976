/*
 * test_debuginfo_overloads.c - one function out of many of its name, however
 * somebody writes it
 *
 * tier: core
 * covers: debuginfo/symbols debuginfo/types
 */
#include "debuginfo/symbols/symbols.h"
#include "debuginfo/types/spelling.h"
#include "debuginfo_samples.h"

/* ---- what is the same ---------------------------------------------------- */

static void same_type(const char *text, const char *canonical)
{
	char *type = signature_of_type(text);

	if (!str_equal(type, canonical))
		fail_msg("'%s' is '%s' and not '%s'", text, type, canonical);
	free(type);
}

static void test_spellings_of_one_type_are_equal(void **state)
{
	(void)state;
	same_type("int", "int");
	same_type("unsigned", "unsignedint");
	same_type("long unsigned int", "unsignedlong");
	same_type("unsigned long", "unsignedlong");
	same_type("long int long", "longlong");
	same_type("short unsigned", "unsignedshort");
	same_type("unsigned char", "charunsigned");
	same_type("signed char", "charsigned");
	same_type("char", "char");
	same_type("long double", "doublelong");
	same_type("const char *", "charconst*");
	same_type("char const *", "charconst*");
	same_type("char * const", "char*const");
	same_type("const volatile int &", "intconstvolatile&");
	same_type("volatile const int&", "intconstvolatile&");
	same_type("struct point *", "point*");
	same_type("int (*)(const char *, unsigned)",
		  "int(*)(charconst*,unsignedint)");
	same_type("int (*)(void)", "int(*)()");
	same_type("int (&) [3]", "int(&)[3]");
	same_type("Array<int, 4ul>", "Array<int,4>");
	same_type("Array<int, 4>", "Array<int,4>");
	same_type("Array<int, 0x4>", "Array<int,0x4>");
	same_type("std::string", "std::basic_string<char>");
	same_type("std::__cxx11::basic_string<char, std::char_traits<char>, "
		  "std::allocator<char> >",
		  "std::basic_string<char>");
	same_type("ns::string", "ns::string");
	same_type("ns::std::string", "ns::std::string");
	same_type("std::vector<const int, std::allocator<int const> > const&",
		  "std::vector<intconst>const&");
	same_type("std::allocator<int>", "std::allocator<int>");
	same_type("Pair<std::allocator<int> >", "Pair<std::allocator<int>>");
	same_type("size_t", "unsignedlong");
	same_type("std::size_t", "unsignedlong");
	same_type("ns::size_t", "ns::size_t");
	same_type("uint8_t*", "charunsigned*");
	same_type("int C::*", "intC::*");
	same_type("", "");
	same_type("<<<(((", "<<<(((");
}

static void expect_glob(const char *text, bool glob)
{
	if (debuginfo_is_glob(text) != glob)
		fail_msg("'%s' is %s glob", text, glob ? "a" : "no");
}

static void test_globs_are_distinct_from_parameters(void **state)
{
	(void)state;
	expect_glob("main", false);
	expect_glob("*", true);
	expect_glob("*alloc*", true);
	expect_glob("f(char*)", false);
	expect_glob("f(char *, int)", false);
	expect_glob("f(char **)", false);
	expect_glob("f(void (*)(int))", false);
	expect_glob("f(int (&)[3])", false);
	expect_glob("f(int C::*)", true);
	expect_glob("f(int (C::*)(int))", false);
	expect_glob("f(*)", true);
	expect_glob("f(*, int)", true);
	expect_glob("f(std::*)", true);
	expect_glob("f(char*x)", true);
	expect_glob("twice<*>", true);
	expect_glob("twice<char*>", false);
	expect_glob("operator*", false);
	expect_glob("operator*(A, B)", false);
	expect_glob("*operator*", true);
	expect_glob("operator[]", false);
	expect_glob("operator new[]", false);
	expect_glob("f[ab]", true);
	expect_glob("f[abi:cxx11]", false);
	expect_glob("f() [clone .isra.0]", false);
	expect_glob("f?", true);
}

static void expect_spelled(enum spelling how, const char *name,
			   const char *expected)
{
	char *spelled = spell(name, how);

	if (!str_equal(spelled, expected))
		fail_msg("'%s' is '%s' and not '%s'", name, spelled, expected);
	free(spelled);
}

static void test_names_are_spelled_as_the_compiler_does(void **state)
{
	(void)state;
	expect_spelled(SPELLING_GCC, "std::pair<int,long>",
		       "std::pair<int, long int>");
	expect_spelled(SPELLING_CLANG, "std::pair<int , long int >",
		       "std::pair<int, long>");
	expect_spelled(SPELLING_GCC, "A<unsigned long,unsigned,short>",
		       "A<long unsigned int, unsigned int, short int>");
	expect_spelled(SPELLING_CLANG,
		       "A<long unsigned int,unsigned,long long>",
		       "A<unsigned long, unsigned int, long long>");
	expect_spelled(SPELLING_GCC, "A<B<int>>", "A<B<int> >");
	expect_spelled(SPELLING_CLANG_NEW, "A<B<int> >", "A<B<int>>");
	expect_spelled(SPELLING_GCC, "A<char const *, B<int> const>",
		       "A<char const*, B<int> const>");
	expect_spelled(SPELLING_GCC, "A<const char*, const B<int>>",
		       "A<char const*, B<int> const>");
	expect_spelled(SPELLING_GCC, "A<const unsigned long, const B>",
		       "A<long unsigned int const, B const>");
	expect_spelled(SPELLING_CLANG, "A<const char*>", "A<const char *>");
	expect_spelled(SPELLING_CLANG, "A<char const*, B<int> const>",
		       "A<const char *, const B<int> >");
	expect_spelled(SPELLING_GCC, "A<char *const>", "A<char* const>");
	expect_spelled(SPELLING_CLANG, "A<char *const>", "A<char *const>");
	expect_spelled(SPELLING_GCC, "A<unsigned char, long double>",
		       "A<unsigned char, long double>");
	expect_spelled(SPELLING_GCC, "", "");
	expect_spelled(SPELLING_GCC, ">>><<<", "> > ><<<");
}

/* ---- functions ----------------------------------------------------------- */

static const char source[] =
	"#include <string>\n"
	"#include <vector>\n"
	"#define OUT __attribute__((noinline, used))\n"
	"namespace shop {\n"
	"struct Item { int n; };\n"
	"typedef Item Thing;\n"
	"typedef unsigned long Count;\n"
	"template <class T, int Cap = 64> struct Store {\n"
	"  int n;\n"
	"  OUT int add(const T &it) { return n += it.n; }\n"
	"  OUT int add(const std::string &s, int p)\n"
	"  { return n += (int)s.size() + p; }\n"
	"  OUT int add(std::vector<T> v) { return (int)v.size(); }\n"
	"  OUT int cost(const char *what) const { return n + *what; }\n"
	"  template <class F> OUT int each(F f) { return f(n); }\n"
	"  OUT operator long() const { return n; }\n"
	"  OUT int operator*(int z) { return n * z; }\n"
	"  OUT int operator[](int z) { return n + z; }\n"
	"};\n"
	"typedef Store<Item> Items;\n"
	"}\n"
	"OUT int over(unsigned u) { return (int)u; }\n"
	"OUT int over(shop::Count u) { return (int)u; }\n"
	"OUT int over(char *s) { return *s; }\n"
	"OUT int over(const char *s) { return *s; }\n"
	"OUT int over(int (*f)(int)) { return f(1); }\n"
	"OUT int over(int (&a)[3]) { return a[0]; }\n"
	"OUT int over() { return 0; }\n"
	"int main()\n"
	"{ shop::Items s{1}; shop::Store<long, 8> *none = nullptr; "
	"(void)none;\n"
	"  int a[3] = {}; char c[2] = {}; shop::Thing i{2};\n"
	"  std::vector<shop::Item> v;\n"
	"  auto twice = [&](int x) { return x + s.n; };\n"
	"  return s.add(i) + s.add(\"x\", 1) + s.add(v) + s.cost(\"y\") +\n"
	"    s.each(twice) + (int)(long)s + s * 2 + s[1] + over(1u) + "
	"over(1ul) +\n"
	"    over(c) + over(\"\") + over(a) + over(); }\n";

static struct debugfile *open_source(const char *compiler, const char *name)
{
	char *path = compile(compiler, name, "cc", source);
	struct debugfile *file = open_sample(path);

	free(path);
	return file;
}

/* The functions found by name, in the order of the sources that matters not. */
static unsigned count_of(struct debugfile *file, const char *pattern)
{
	struct function_list list = {0};
	unsigned count;

	assert_null(debugfile_find_functions(file, pattern, &list));
	count = (unsigned)list.count;
	vec_free(&list);
	return count;
}

static void expect_one(struct debugfile *file, const char *pattern,
		       const char *expected)
{
	struct function_list list = {0};
	char *name;

	assert_null(debugfile_find_functions(file, pattern, &list));
	if (list.count != 1)
		fail_msg("%s: %zu functions", pattern, list.count);
	name = debuginfo_demangle(list.data[0].name);
	if (!str_starts(name, expected))
		fail_msg("%s: '%s' and not '%s'", pattern, name, expected);
	free(name);
	vec_free(&list);
}

#define ITEM "shop::Store<shop::Item, 64>::"
#define STRING                                                                 \
	"std::__cxx11::basic_string<char, std::char_traits<char>, "            \
	"std::allocator<char> >"

static const struct {
	const char *written, *name;
} written[] = {
	{"add(shop::Item const&)", ITEM "add(shop::Item const&)"},
	{"add(const shop::Item &)", ITEM "add(shop::Item const&)"},
	{"add( struct shop::Item const & )", ITEM "add(shop::Item const&)"},
	{"shop::Store<shop::Item, 64>::add(shop::Item const&)",
	 ITEM "add(shop::Item const&)"},
	{"int shop::Store<shop::Item,64>::add(shop::Item const&)",
	 ITEM "add(shop::Item const&)"},
	{"Store::add(const shop::Thing &)", ITEM "add(shop::Item const&)"},
	{"shop::Items::add(const shop::Thing &)",
	 ITEM "add(shop::Item const&)"},
	{"add(const std::string&, int)", ITEM "add(" STRING " const&, int)"},
	{"add(std::string const &,int)", ITEM "add(" STRING " const&, int)"},
	{"add(" STRING " const&, int)", ITEM "add(" STRING " const&, int)"},
	{"add(std::vector<shop::Item>)", ITEM "add(std::vector<shop::Item"},
	{"add(std::vector<shop::Item,std::allocator<shop::Item>>)",
	 ITEM "add(std::vector<shop::Item"},
	{"shop::Items::cost", ITEM "cost(char const*) const"},
	{"cost(const char*)", ITEM "cost(char const*) const"},
	{"cost(char const *) const", ITEM "cost(char const*) const"},
	{"Store<shop::Item, 64>::each", ITEM "each<"},
	{"Store::each", ITEM "each<"},
	{"Store<shop::Item, 64>::operator long", ITEM "operator long() const"},
	{"Store::operator*", ITEM "operator*(int)"},
	{"operator[](int)", ITEM "operator[](int)"},
	{"over(unsigned)", "over(unsigned int)"},
	{"over(unsigned long int)", "over(unsigned long)"},
	{"over(shop::Count)", "over(unsigned long)"},
	{"over(size_t)", "over(unsigned long)"},
	{"over(char*)", "over(char*)"},
	{"over(const char *)", "over(char const*)"},
	{"over(char const *const)", "over(char const*)"},
	{"over(int (*)(int))", "over(int (*)(int))"},
	{"over(int (&)[3])", "over(int (&) [3])"},
	{"over()", "over()"},
	{"over(void)", "over()"},
	{"::over()", "over()"},
};

/* What is found is found again by the name it is printed with. */
static void finds_printed(struct debugfile *file)
{
	struct function_list list = {0};
	unsigned found = 0;

	assert_null(debugfile_find_functions(file, "*", &list));
	for (size_t i = 0; i < list.count; i++) {
		char *name = debuginfo_demangle(list.data[i].name);

		if (!count_of(file, name))
			fail_msg("'%s' is not found", name);
		found++;
		free(name);
	}
	assert_true(found > 20);
	vec_free(&list);
}

static void expect_all(const char *compiler, const char *name,
		       const char *lambda)
{
	struct debugfile *file = open_source(compiler, name);
	char *call = xasprintf("main::%s::operator()", lambda);
	char *whole = xasprintf("%s(int) const", call);

	for (size_t i = 0; i < sizeof(written) / sizeof(*written); i++)
		expect_one(file, written[i].written, written[i].name);
	expect_one(file, call, whole);
	expect_one(file, whole, whole);
	assert_int_equal(count_of(file, "over"), 7);
	assert_int_equal(count_of(file, "over*"), 7);
	assert_int_equal(count_of(file, "over(*int*)"), 3);
	assert_int_equal(count_of(file, "shop::Store::add"), 3);
	assert_int_equal(count_of(file, "shop::Items::add"), 3);
	assert_int_equal(count_of(file, "Store<shop::Item>::add"), 0);
	assert_int_equal(count_of(file, "::add"), 0);
	assert_int_equal(count_of(file, "cost(char const*) volatile"), 0);
	assert_int_equal(count_of(file, "over(long)"), 0);
	assert_int_equal(count_of(file, "ore::add"), 0);
	finds_printed(file);
	debugfile_close(file);
	free(call);
	free(whole);
}

static void test_overloads_of_gcc_are_found(void **state)
{
	(void)state;
	expect_all("g++ -g -O0", "overgcc", "{lambda(int)#1}");
}

static void test_overloads_of_clang_are_found(void **state)
{
	(void)state;
	expect_all("clang++ -g -O0 -gdwarf-4", "overclang", "$_0");
}

/* Copies that gcc makes of functions are found by the names of these, and each
 * by its own. */
static void test_clones_are_found_by_name(void **state)
{
	struct debugfile *file = open_source(
		"g++ -g -O2 -Dused=noclone -Dnoclone=noinline", "overclones");
	struct function_list list = {0};

	(void)state;
	finds_printed(file);
	assert_null(debugfile_find_functions(file, "main", &list));
	assert_int_equal(list.count, 1);
	vec_free(&list);
	debugfile_close(file);
}

static void test_other_overloads_are_suggested(void **state)
{
	struct debugfile *file = open_source("g++ -g -O0", "overcandidates");
	struct str names = {0};
	char *found[8];
	size_t count = debugfile_overloads(file, "over(long)", found, 8);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		str_printf(&names, "%s;", found[i]);
		free(found[i]);
	}
	assert_string_equal(
		str_text(&names),
		"over(unsigned int);over(unsigned long);over(char*);"
		"over(char const*);over(int (*)(int));"
		"over(int (&) [3]);over();");
	str_deinit(&names);
	assert_int_equal(debugfile_overloads(file, "over(long)", found, 1), 1);
	free(found[0]);
	assert_int_equal(debugfile_overloads(file, "over", found, 8), 0);
	assert_int_equal(debugfile_overloads(file, "other(long)", found, 8), 0);
	assert_int_equal(debugfile_overloads(file, "over(*", found, 8), 0);
	/* a name that does exist is no suggestion for itself */
	assert_int_equal(debugfile_near_names(file, "main", found, 8), 0);
	debugfile_close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spellings_of_one_type_are_equal),
		cmocka_unit_test(test_globs_are_distinct_from_parameters),
		cmocka_unit_test(test_names_are_spelled_as_the_compiler_does),
		cmocka_unit_test(test_overloads_of_gcc_are_found),
		cmocka_unit_test(test_overloads_of_clang_are_found),
		cmocka_unit_test(test_clones_are_found_by_name),
		cmocka_unit_test(test_other_overloads_are_suggested),
	};

	return cmocka_run_group_tests(tests, samples_setup, samples_teardown);
}
