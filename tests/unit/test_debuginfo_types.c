/*
 * test_debuginfo_types.c - types are what the compiler made of them: the
 * program prints its own sizes, offsets, bits and enumerators
 *
 * tier: core
 * covers: debuginfo/types
 */
#include "debuginfo_samples.h"
#include "perftool/debugtype.h"

/* The lines it prints:
 *	size TYPE N | member TYPE MEMBER OFFSET SIZE | bits TYPE MEMBER MASK
 *	enum TYPE NAME VALUE | count TYPE MEMBER N
 * where MASK is, as bytes in hexadecimal, the whole with all bits of the member
 * set. */
static const char source[] =
	"#include <stdbool.h>\n"
	"#include <stddef.h>\n"
	"#include <stdio.h>\n"
	"#include <string.h>\n"
	"enum colour { RED = -2, GREEN = 5, BLUE = 700 };\n"
	"enum wide { LOW, HIGH = 0xf000000000000000 };\n"
	"typedef enum { ONE = 1, TWO } number_t;\n"
	"struct point { int x, y; };\n"
	"typedef struct point point_t;\n"
	"struct list { struct list *next; point_t at; long grid[3][4]; };\n"
	"union any { char text[16]; double d; struct point p; };\n"
	"struct bits { unsigned a : 3, b : 7; signed c : 9; bool d : 1;\n"
	"  unsigned : 0; unsigned long e : 40, f : 24; int g; char h : 5; };\n"
	"struct outer { char first; struct { int inner; union { short s;\n"
	"  char deep; }; }; float last; number_t number; enum colour colour;\n"
	"  int flexible[]; };\n"
	"struct __attribute__((packed)) tight { char c; long l; short s : 5;\n"
	"  int i : 20; };\n"
	"struct list list; union any any; struct bits bits;\n"
	"struct outer outer; struct tight tight; enum wide wide = HIGH;\n"
	"#define SIZE(t) printf(\"size %s %zu\\n\", #t, sizeof(t))\n"
	"#define MEMBER(t, m) printf(\"member %s %s %zu %zu\\n\", #t, #m, \\\n"
	"  offsetof(t, m), sizeof(((t *)0)->m))\n"
	"#define BITS(t, m) do { t v; unsigned char b[sizeof(t)];\\\n"
	"  memset(&v, 0, sizeof(v)); v.m = -1; memcpy(b, &v, sizeof(v));\\\n"
	"  printf(\"bits %s %s \", #t, #m);\\\n"
	"  for (size_t i = 0; i < sizeof(v); i++) printf(\"%02x\", b[i]);\\\n"
	"  puts(\"\"); } while (0)\n"
	"#define ENUM(t, n) printf(\"enum %s %s %lld\\n\", #t, #n, (long "
	"long)n)\n"
	"#define COUNT(t, m) printf(\"count %s %s %zu\\n\", #t, #m, \\\n"
	"  sizeof(((t *)0)->m) / sizeof(((t *)0)->m[0]))\n"
	"int main(void)\n"
	"{\n"
	"  SIZE(struct point); SIZE(point_t); SIZE(struct list);\n"
	"  SIZE(union any); SIZE(struct bits); SIZE(struct outer);\n"
	"  SIZE(struct tight); SIZE(enum colour); SIZE(enum wide);\n"
	"  SIZE(number_t);\n"
	"  MEMBER(struct point, y); MEMBER(point_t, x);\n"
	"  MEMBER(struct list, next); MEMBER(struct list, at);\n"
	"  MEMBER(struct list, grid); MEMBER(union any, text);\n"
	"  MEMBER(union any, d); MEMBER(union any, p);\n"
	"  MEMBER(struct bits, g); MEMBER(struct outer, inner);\n"
	"  MEMBER(struct outer, s); MEMBER(struct outer, deep);\n"
	"  MEMBER(struct outer, last); MEMBER(struct outer, number);\n"
	"  MEMBER(struct tight, l);\n"
	"  BITS(struct bits, a); BITS(struct bits, b); BITS(struct bits, c);\n"
	"  BITS(struct bits, d); BITS(struct bits, e); BITS(struct bits, f);\n"
	"  BITS(struct bits, h); BITS(struct tight, s); BITS(struct tight, "
	"i);\n"
	"  ENUM(enum colour, RED); ENUM(enum colour, BLUE);\n"
	"  ENUM(enum wide, HIGH); ENUM(number_t, TWO);\n"
	"  COUNT(struct list, grid); COUNT(union any, text);\n"
	"  return list.next || any.d || bits.a || outer.first || tight.c;\n"
	"}\n";

static struct debugtype *type_named(struct debugfile *file, const char *name)
{
	struct function function = function_named(file, "main");
	struct debugtype *type =
		debugfile_find_type(file, function.address, name);

	if (!type)
		fail_msg("%s: no type %s", debugfile_path(file), name);
	return type;
}

static struct debugmember member_named(struct debugtype *type, const char *name)
{
	struct debugmember member = {0};

	if (!debugtype_find_member(type, name, &member))
		fail_msg("%s has no member %s", debugtype_name(type), name);
	return member;
}

static void check_member(struct debugtype *type, const char *name,
			 unsigned long offset, unsigned long size)
{
	struct debugmember member = member_named(type, name);

	assert_int_equal(member.offset, offset);
	assert_int_equal(debugtype_size(member.type), size);
	assert_int_equal(member.bit_size, 0);
}

static void check_bits(struct debugtype *type, const char *name,
		       const char *mask)
{
	struct debugmember member = member_named(type, name);
	uint8_t bytes[64] = {0};
	char text[129] = "";

	for (unsigned i = 0; i < member.bit_size; i++) {
		unsigned bit = member.bit_offset + i;

		bytes[member.offset + bit / 8] |= (uint8_t)(1 << bit % 8);
	}
	for (size_t i = 0; i < debugtype_size(type); i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
	assert_string_equal(text, mask);
}

static void check_enumerator(struct debugtype *type, const char *name,
			     long long value)
{
	const struct debugenumerator *all;
	size_t count;

	assert_int_equal(debugtype_kind(type), DEBUGTYPE_ENUM);
	all = debugtype_enumerators(type, &count);
	for (size_t i = 0; i < count; i++)
		if (str_equal(all[i].name, name)) {
			assert_int_equal(all[i].value, value);
			return;
		}
	fail_msg("no enumerator %s", name);
}

/* The words of a line; a type's name may be two. */
struct line {
	char what[16], type[64], name[64], mask[160];
	unsigned long first, second;
	long long value;
};

static bool split(const char *text, struct line *line)
{
	char first[32], second[32];
	int at = 0;

	if (sscanf(text, "%15s %31s %n", line->what, first, &at) != 2)
		return false;
	strcpy(line->type, first);
	text += at;
	if (str_equal(first, "struct") || str_equal(first, "union") ||
	    str_equal(first, "enum")) {
		assert_int_equal(sscanf(text, "%31s %n", second, &at), 1);
		sprintf(line->type, "%s %s", first, second);
		text += at;
	}
	if (str_equal(line->what, "size"))
		return sscanf(text, "%lu", &line->first) == 1;
	if (str_equal(line->what, "bits"))
		return sscanf(text, "%63s %159s", line->name, line->mask) == 2;
	if (str_equal(line->what, "enum"))
		return sscanf(text, "%63s %lld", line->name, &line->value) == 2;
	return sscanf(text, "%63s %lu %lu", line->name, &line->first,
		      &line->second) >= 2;
}

static void check_line(struct debugfile *file, const char *text)
{
	struct debugtype *type;
	struct line line;
	uint64_t count;

	if (!split(text, &line))
		fail_msg("not understood: %s", text);
	type = type_named(file, line.type);
	if (str_equal(line.what, "size"))
		assert_int_equal(debugtype_size(type), line.first);
	else if (str_equal(line.what, "member"))
		check_member(type, line.name, line.first, line.second);
	else if (str_equal(line.what, "bits"))
		check_bits(type, line.name, line.mask);
	else if (str_equal(line.what, "enum"))
		check_enumerator(type, line.name, line.value);
	else {
		assert_true(debugtype_count(member_named(type, line.name).type,
					    &count));
		assert_int_equal(count, line.first);
	}
}

static void check_names(struct debugfile *file)
{
	struct debugtype *list = type_named(file, "struct list");
	struct debugtype *pointer = member_named(list, "next").type;
	struct debugtype *grid = member_named(list, "grid").type;
	const char *element;
	char *name;
	uint64_t count;

	assert_string_equal(debugtype_name(pointer), "struct list *");
	assert_ptr_equal(debugtype_target(pointer), list);
	/* "long int" or "long": as the compiler calls it */
	element = debugtype_name(debugtype_target(debugtype_target(grid)));
	name = xasprintf("%s [3][4]", element);
	assert_string_equal(debugtype_name(grid), name);
	free(name);
	name = xasprintf("%s [4]", element);
	assert_string_equal(debugtype_name(debugtype_target(grid)), name);
	free(name);
	assert_int_equal(debugtype_size(debugtype_target(grid)), 32);
	assert_true(
		debugtype_is_same(debugfile_pointer_to(file, list), pointer));
	assert_string_equal(debugtype_name(debugfile_pointer_to(file, list)),
			    "struct list *");
	assert_ptr_equal(debugtype_plain(member_named(list, "at").type),
			 type_named(file, "struct point"));
	assert_false(debugtype_count(
		member_named(type_named(file, "struct outer"), "flexible").type,
		&count));
	assert_true(debugtype_is_signed(type_named(file, "enum colour")));
	assert_false(debugtype_is_signed(type_named(file, "enum wide")));
	assert_null(debugfile_find_type(file, 0, "struct colour"));
	assert_null(debugfile_find_type(file, 0, "no_such_type"));
}

static void check_build(const char *compiler, const char *name)
{
	char *path = compile(compiler, name, "c", source);
	char *lines = output_of("%s", path), *rest = lines, *line;
	struct debugfile *file = open_sample(path);
	unsigned count = 0;

	for (; (line = strtok_r(rest, "\n", &rest)); count++)
		check_line(file, line);
	assert_int_equal(count, 40);
	check_names(file);
	debugfile_close(file);
	free(lines);
	free(path);
}

static void test_layout_of_types_is_the_compilers(void **state)
{
	static const char *const flags[] = {
		"-g -gdwarf-5 -O0", "-g -gdwarf-4 -O0", "-g -gdwarf-3 -O0",
		"-g -gdwarf-2 -gstrict-dwarf -O2",
		"-g -gdwarf-5 -fdebug-types-section"};

	(void)state;
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		char *compiler = xasprintf("gcc %s", flags[i]);

		check_build(compiler, "gcc");
		free(compiler);
		if (!has_tool("clang"))
			continue;
		compiler = xasprintf("clang %s", flags[i]);
		check_build(compiler, "clang");
		free(compiler);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout_of_types_is_the_compilers),
	};

	return cmocka_run_group_tests(tests, samples_setup, samples_teardown);
}
