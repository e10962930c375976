/*
 * test_debuginfo_variables.c - variables of a running program have the values
 * that its source gives them
 *
 * tier: core full
 * covers: debuginfo/variables debuginfo/locations
 */
#include "debuginfo_values.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/debuginfo/debug_variables.h"
#include "sampling.h"

/* Every value is known: the program is run to each function and asked. */
static const char source[] =
	"#include <stdbool.h>\n"
	"#include <stdint.h>\n"
	"enum colour { RED = -2, GREEN = 5, BLUE = 700 };\n"
	"enum flag { OFF, ON };\n"
	"struct small { int a, b; };\n"
	"struct large { long a[4]; };\n"
	"int global = 4711;\n"
	"static volatile short hidden = -7;\n"
	"const unsigned char octet = 200;\n"
	"_Thread_local int per_thread = 3;\n"
	"int shadowed = 1;\n"
	"char text[16] = \"hello\";\n"
	"volatile int sink;\n"
	"#define NOINLINE __attribute__((noinline, noclone, noipa))\n"
	"#ifdef __clang__\n"
	"#undef NOINLINE\n"
	"#define NOINLINE __attribute__((noinline, optnone))\n"
	"#endif\n"
	"NOINLINE int integers(signed char a, unsigned char b, short c,\n"
	"  unsigned short d, int e, unsigned f, long g, unsigned long h)\n"
	"{ sink = a + b; return a + b + c + d + e + (int)f + (int)g + (int)h; "
	"}\n"
	"NOINLINE double floats(float a, double b, int i, long double c)\n"
	"{ sink = i; return (double)a + b + i + (double)c; }\n"
	"NOINLINE int others(bool yes, enum colour colour, enum flag flag,\n"
	"  const char *name, struct small *pointer)\n"
	"{ sink = yes; return yes + colour + flag + name[0] + pointer->b; }\n"
	"NOINLINE int after(struct small s, int x, struct large l, int y)\n"
	"{ sink = x; return s.a + s.b + x + (int)l.a[1] + y; }\n"
	"NOINLINE struct large hidden_result(int x, int y)\n"
	"{ struct large l = {{x, y, 0, 0}}; sink = y; return l; }\n"
	"NOINLINE int use(int value) { sink = value; return value; }\n"
	"NOINLINE int locals(int n)\n"
	"{\n"
	"  static volatile long kept = 99;\n"
	"  volatile int shadowed = 10 * n;\n"
	"  volatile unsigned wide = 3000000000u;\n"
	"  {\n"
	"    volatile int shadowed = 20 * n;\n"
	"    use(shadowed + (int)wide); /* INNER */\n"
	"  }\n"
	"  use(shadowed); /* OUTER */\n"
	"  return (int)kept + shadowed + per_thread + hidden;\n"
	"}\n"
	"int main(void)\n"
	"{\n"
	"  struct small s = {1, 2};\n"
	"  struct large l = {{1, 2, 3, 4}};\n"
	"  int sum = integers(-1, 255, -2, 65535, -3, 4000000000u,\n"
	"    -4L, 18000000000000000000ul);\n"
	"  sum += (int)floats(1.5f, -2.25, 17, 3.5L);\n"
	"  sum += others(true, RED, ON, \"name\", &s);\n"
	"  sum += after(s, 31, l, 32);\n"
	"  sum += (int)hidden_result(41, 42).a[0];\n"
	"  sum += locals(3);\n"
	"  return sum + global + octet + text[0] == 12345678;\n"
	"}\n";

static void check_integers(struct trial *trial, bool at_entry)
{
	start_function(trial, "integers", at_entry);
	expect_signed(trial, "a", -1);
	expect_unsigned(trial, "b", 255);
	expect_signed(trial, "c", -2);
	expect_unsigned(trial, "d", 65535);
	expect_signed(trial, "e", -3);
	expect_unsigned(trial, "f", 4000000000u);
	expect_signed(trial, "g", -4);
	expect_unsigned(trial, "h", 18000000000000000000u);
	expect_type(trial, "a", "signed char", DEBUGTYPE_CHARACTER, 1);
	expect_failure(trial, "nothing", ERROR_NOT_FOUND, "nothing");
	running_stop(&trial->running);
}

static void check_floats(struct trial *trial, bool at_entry)
{
	start_function(trial, "floats", at_entry);
	expect_signed(trial, "i", 17);
	expect(trial, "c", value_float(3.5));
	expect(trial, "a", value_float(1.5));
	expect(trial, "b", value_float(-2.25));
	expect_type(trial, "a", "float", DEBUGTYPE_FLOAT, 4);
	running_stop(&trial->running);
}

static void check_others(struct trial *trial, bool at_entry)
{
	struct value name;
	char text[5];

	start_function(trial, "others", at_entry);
	expect_unsigned(trial, "yes", 1);
	expect_signed(trial, "colour", -2);
	expect_unsigned(trial, "flag", 1);
	name = read_value(trial, "name");
	assert_true(running_read(&trial->running, name.u, text, 5));
	assert_string_equal(text, "name");
	expect_type(trial, "name", "const char *", DEBUGTYPE_POINTER, 8);
	expect_type(trial, "pointer", "struct small *", DEBUGTYPE_POINTER, 8);
	expect_type(trial, "colour", "enum colour", DEBUGTYPE_ENUM, 4);
	expect_signed(trial, "BLUE", 700);
	expect_signed(trial, "global", 4711);
	expect_signed(trial, "hidden", -7);
	expect_unsigned(trial, "octet", 200);
	expect_type(trial, "text", "char [16]", DEBUGTYPE_ARRAY, 16);
	name = read_value(trial, "text");
	assert_true(running_read(&trial->running, name.u, text, 5));
	assert_memory_equal(text, "hello", 5);
	expect_signed(trial, "per_thread", 3);
	running_stop(&trial->running);
}

static void check_structures(struct trial *trial)
{
	start_function(trial, "after", true);
	expect_all(trial, "s.a=1 s.b=2 x=31 l.a[0]=1 l.a[3]=4 y=32");
	running_stop(&trial->running);
	start_function(trial, "after", false);
	expect_signed(trial, "x", 31);
	expect_signed(trial, "y", 32);
	running_stop(&trial->running);
	for (int at_entry = 0; at_entry < 2; at_entry++) {
		start_function(trial, "hidden_result", at_entry);
		expect_signed(trial, "x", 41);
		expect_signed(trial, "y", 42);
		running_stop(&trial->running);
	}
}

/* The address of the line that has this comment. */
static uint64_t address_of_mark(struct trial *trial, const char *name,
				const char *mark)
{
	struct line_list places = {0};
	uint32_t line = 1;
	uint64_t address;
	char *base = xasprintf("%s.c", name);

	for (const char *at = source; at < strstr(source, mark); at++)
		line += *at == '\n';
	assert_null(debugfile_find_line(trial->file, base, line, &places));
	assert_int_equal(places.count, 1);
	assert_int_equal(places.data[0].line, line);
	address = places.data[0].address;
	vec_free(&places);
	free(base);
	return address;
}

static void check_locals(struct trial *trial, const char *name)
{
	start(trial, address_of_mark(trial, name, "INNER"), false);
	expect_signed(trial, "shadowed", 60);
	expect_unsigned(trial, "wide", 3000000000u);
	expect_signed(trial, "kept", 99);
	running_stop(&trial->running);
	start(trial, address_of_mark(trial, name, "OUTER"), false);
	expect_signed(trial, "shadowed", 30);
	running_stop(&trial->running);
	start_function(trial, "use", false);
	expect_signed(trial, "shadowed", 1);
	running_stop(&trial->running);
	start_function(trial, "locals", true);
	expect_signed(trial, "n", 3);
	expect_signed(trial, "kept", 99);
	expect_failure(trial, "wide", ERROR_EVALUATE, "no value yet");
	running_stop(&trial->running);
}

static bool collect(void *context, const char *name)
{
	struct str *names = context;

	str_printf(names, " %s ", name);
	return true;
}

static void check_names(struct trial *trial)
{
	struct function function = function_named(trial->file, "others");
	struct str names = {0};

	debugfile_each_variable(trial->file, function.address, collect, &names);
	assert_non_null(strstr(str_text(&names), " yes "));
	assert_non_null(strstr(str_text(&names), " pointer "));
	assert_non_null(strstr(str_text(&names), " global "));
	assert_non_null(strstr(str_text(&names), " hidden "));
	assert_non_null(strstr(str_text(&names), " GREEN "));
	assert_null(strstr(str_text(&names), " wide "));
	str_deinit(&names);
}

static void check_build(const char *compiler, const char *flags, int number)
{
	char *name = xasprintf("values%d", number);
	char *command = xasprintf("%s %s", compiler, flags);
	struct trial trial = {.path = compile(command, name, "c", source)};

	trial.file = open_sample(trial.path);
	for (int at_entry = 0; at_entry < 2; at_entry++) {
		check_integers(&trial, at_entry);
		check_floats(&trial, at_entry);
		check_others(&trial, at_entry);
	}
	check_structures(&trial);
	check_locals(&trial, name);
	check_names(&trial);
	debugfile_close(trial.file);
	free(trial.path);
	free(command);
	free(name);
}

static const char *const all_flags[] = {
	"-g -gdwarf-5 -O0",     "-g -gdwarf-4 -O0",
	"-g -gdwarf-5 -O1",     "-g -gdwarf-5 -O2",
	"-g -gdwarf-4 -O2",     "-g -gdwarf-5 -O2 -no-pie -fno-pie",
	"-g -gdwarf-5 -O0 -gz", "-g -gdwarf-5 -O0 -fdebug-types-section",
};

static void test_variables_of_gcc_have_their_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(all_flags) / sizeof(char *); i++)
		if (one_in(4, i))
			check_build("gcc", all_flags[i], (int)i);
}

static void test_variables_of_clang_have_their_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(all_flags) / sizeof(char *); i++)
		if (one_in(4, i))
			check_build("clang", all_flags[i], (int)i + 100);
}

static const char cc_source[] =
	"namespace space { int counter = 12; static long quiet = 13;\n"
	"struct Base { static short shared; int own; int method(int x); };\n"
	"short Base::shared = 14;\n"
	"__attribute__((noinline)) int Base::method(int x)\n"
	"{ quiet += x; return own + x + shared + (int)quiet; } }\n"
	"enum class Kind : signed char { low = -3, high = 3 };\n"
	"volatile int sink;\n"
	"__attribute__((noinline)) int refer(int &by, const long &limit,\n"
	"  Kind kind, char16_t wide)\n"
	"{ sink = wide; return by + (int)limit + (int)kind + wide; }\n"
	"__attribute__((noinline)) int gone(int kept)\n"
	"{ int lost = kept * 3; sink = 1; return kept; }\n"
	"int main()\n"
	"{ int one = 21; long two = 22; space::Base base; base.own = 23;\n"
	"  return refer(one, two, Kind::low, u'x') + base.method(24) +\n"
	"    gone(25); }\n";

static void check_cc(const char *compiler, const char *level)
{
	char *command = xasprintf("%s -w -g %s", compiler, level);
	struct trial trial = {.path = compile(command, "cc", "cc", cc_source)};

	trial.file = open_sample(trial.path);
	for (int at_entry = 0; at_entry < 2; at_entry++) {
		start_function(&trial, "refer", at_entry);
		expect_signed(&trial, "by", 21);
		expect_signed(&trial, "limit", 22);
		expect_signed(&trial, "kind", -3);
		expect_unsigned(&trial, "wide", 'x');
		expect_type(&trial, "by", "int", DEBUGTYPE_INTEGER, 4);
		expect_signed(&trial, "counter", 12);
		expect_signed(&trial, "quiet", 13);
		expect_signed(&trial, "shared", 14);
		expect_signed(&trial, "high", 3);
		running_stop(&trial.running);
		start_function(&trial, "method", at_entry);
		expect_signed(&trial, "x", 24);
		/* gcc says that it cannot be changed */
		expect_type(&trial, "this",
			    str_starts(compiler, "g++") ? "space::Base * const"
							: "space::Base *",
			    DEBUGTYPE_POINTER, 8);
		running_stop(&trial.running);
	}
	if (!str_equal(level, "-O0")) {
		start_function(&trial, "gone", false);
		expect_failure(&trial, "lost", ERROR_EVALUATE, "optimized out");
		running_stop(&trial.running);
	}
	debugfile_close(trial.file);
	free(trial.path);
	free(command);
}

static void test_variables_of_c_plus_plus_have_their_values(void **state)
{
	(void)state;
	check_cc("g++", "-O0");
	check_cc("g++", "-O2");
	check_cc("g++ -gdwarf-4", "-O2");
	if (has_tool("clang++"))
		check_cc("clang++", "-O0");
}

/* middle() has two ranges, for what is unlikely lies elsewhere, and begins
 * with inner(): where both begin nothing of either has been run. */
static const char inlined_source[] =
	"volatile int sink;\n"
	"#define INLINE static inline __attribute__((always_inline))\n"
	"__attribute__((noinline, cold)) void die(int why) { sink = why; }\n"
	"__attribute__((noinline)) void print(int n) { sink += n; }\n"
	"INLINE int inner(int v) { short own = (short)sink; return own + v; }\n"
	"INLINE int middle(int v)\n"
	"{\n"
	"  int own = inner(v);\n"
	"  if (__builtin_expect(own < 0, 0))\n"
	"    { die(own); print(own); die(v); }\n"
	"  return own * 3;\n"
	"}\n"
	"__attribute__((noinline)) int outer(int v)\n"
	"{\n"
	"  long own = v * 3L; print(v);\n"
	"  int r = middle((int)own); own += r; print(r); return (int)own;\n"
	"}\n"
	"int main(int c, char **v) { return outer(c) + (v == 0); }\n";

static uint64_t inlined_at(struct debugfile *file, const char *name)
{
	struct line_list places = {0};
	uint64_t address;

	assert_null(debugfile_find_inlined(file, name, &places, NULL));
	assert_int_equal(places.count, 1);
	address = places.data[0].address;
	vec_free(&places);
	return address;
}

static void expect_size_of(const struct trial *trial, unsigned frame,
			   const char *name, uint64_t size)
{
	struct variable *variable;

	assert_null(debugfile_find_variable_of(trial->file, trial->address,
					       false, frame, name, &variable));
	assert_int_equal(debugtype_size(variable_debugtype(variable)), size);
	variable_destroy(variable);
}

static void check_inlined(const char *command)
{
	struct trial trial = {
		.path = compile(command, "inlined", "c", inlined_source)};
	struct range_list ranges = {0};
	struct function outer;

	trial.file = open_sample(trial.path);
	outer = function_named(trial.file, "outer");
	trial.address = inlined_at(trial.file, "middle");
	assert_int_equal(inlined_at(trial.file, "inner"), trial.address);
	/* both begin there: whose variables are meant is said by the frame */
	assert_int_equal(debugfile_frames_begun(trial.file, trial.address), 2);
	expect_type(&trial, "own", "short", DEBUGTYPE_INTEGER, 2);
	expect_size_of(&trial, 1, "own", 4);
	expect_size_of(&trial, 2, "own", 8);
	trial.address++; /* in both */
	assert_int_equal(debugfile_frames_begun(trial.file, trial.address), 0);
	expect_type(&trial, "own", "short", DEBUGTYPE_INTEGER, 2);
	assert_null(debugfile_function_ranges(trial.file, &outer, &ranges));
	assert_true(ranges.count >= 2);
	for (size_t i = 0; i < ranges.count; i++) {
		if (ranges.data[i].low == outer.address)
			continue;
		trial.address = ranges.data[i].low + 1; /* in middle() */
		expect_type(&trial, "own", "int", DEBUGTYPE_INTEGER, 4);
	}
	vec_free(&ranges);
	debugfile_close(trial.file);
	free(trial.path);
}

static void test_frame_chooses_variable_where_inlined_calls_begin(void **state)
{
	(void)state;
	check_inlined("gcc -g -O2");
	check_inlined("gcc -gdwarf-4 -O2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_variables_of_gcc_have_their_values),
		cmocka_unit_test(test_variables_of_clang_have_their_values),
		cmocka_unit_test(
			test_variables_of_c_plus_plus_have_their_values),
		cmocka_unit_test(
			test_frame_chooses_variable_where_inlined_calls_begin),
	};

	return cmocka_run_group_tests(tests, samples_setup, samples_teardown);
}
