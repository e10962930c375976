/*
 * test_debuginfo_locations.c - variables that are nowhere as a whole: in
 * pieces, in registers, known to the caller only, computed; and names with a
 * scope
 *
 * tier: core full
 * covers: debuginfo/locations debuginfo/variables
 */
#include "debuginfo_values.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/debuginfo/debug_variables.h"
#include "perftool/debuginfo/frame_rules.h"
#include "sampling.h"

/* Wherever use() is called the variables of its caller have the values that the
 * test knows: it is entered, and looked at from behind the call. */
static const char c_source[] =
	"volatile int sink; volatile double fsink;\n"
	"#ifdef __clang__\n"
	"#define F __attribute__((noinline))\n"
	"#else\n"
	"#define F __attribute__((noinline, noclone))\n"
	"#endif\n"
	"struct point { int x, y; };\n"
	"struct box { struct point a, b; long tag; };\n"
	"F void use(long v) { sink = (int)v; }\n"
	"F int entry(int a, long b, double c, struct point p)\n"
	"{ use(1); sink = a; use(2); fsink = c; use(3); return p.x; }\n"
	"F int deeper(int q) { use(1); return entry(q + 1, q, q, "
	"(struct point){q, 2}) + 1; }\n"
	"F int computed(struct point *p, int n)\n"
	"{ int twice = n * 2; unsigned char low = (unsigned char)(n * 3);\n"
	"  short s = (short)n; use(1); use(2); return p == 0; }\n"
	"static inline __attribute__((always_inline)) int inside(\n"
	"  struct point *to, int k)\n"
	"{ int local = to->x + k; use(local); return to->y; }\n"
	"F int implicit(int v)\n"
	"{ struct point p = {v, v + 1}; int r = inside(&p, 10); use(7);\n"
	"  return r; }\n"
	"F int pieces(int v, int w)\n"
	"{ struct box b = {{v, w}, {v + w, 3}, 77}; use(8); use(b.a.x);\n"
	"  use(b.b.x); return v; }\n"
	"F double floats(float a, double b, int n)\n"
	"{ float c = a * 2; double d = b + n; use(9); fsink = c; return d; }\n"
	"F __int128 wide(long v)\n"
	"{ __int128 big = (__int128)v << 60; use(10);\n"
	"  sink = (int)(big >> 64); return big; }\n"
	"F int constants(void)\n"
	"{ const char text[] = \"constant\"; struct point q = {5, 6};\n"
	"  const double pi = 3.25; const long long big = -5000000000LL;\n"
	"  use(11); return text[2] + q.x + (int)pi + (big == sink); }\n"
	"F int jumped_to(int j) { use(12); return j; }\n"
	"F int jumps(int k) { sink = k; return jumped_to(k + 100); }\n"
	"F int counts(int z) { use(13); return z ? counts(z - 1) : 0; }\n"
	"int main(int c, char **v)\n"
	"{\n"
	"  struct point p = {c + 2, c + 3};\n"
	"  int r = deeper(c + 39); r += computed(&p, c + 999);\n"
	"  r += implicit(c + 59); r += pieces(c + 69, c + 79);\n"
	"  r += floats(0.5f + c, 1.5 + c, c + 999) > 0; r += (int)wide(c + "
	"4);\n"
	"  r += constants(); r += jumps(c); r += counts(c + 1);\n"
	"  return r == 12345;\n"
	"}\n";

/* Step out of what was called, to behind the call. */
static void step_out(struct trial *trial)
{
	struct running *running = &trial->running;
	uint64_t address;

	assert_true(running_read(running, running->regs.rsp, &address, 8));
	run_on_to(running, address);
	trial->address = address - running->bias;
	trial->at_entry = false;
}

/* To behind call number `count` (from 1) of use() in a function. */
static void start_in(struct trial *trial, const char *name, unsigned count)
{
	struct function function = function_named(trial->file, name);
	struct function use = function_named(trial->file, "use");

	start(trial, function.address, true);
	while (count--) {
		run_on_to(&trial->running, use.address + trial->running.bias);
		step_out(trial);
	}
}

/* A value; or a refusal with these words, or that part of it is missing, where
 * there are words. */
static void expect_or(struct trial *trial, const char *path,
		      const char *expected, const char *words)
{
	char *name = xstrndup(path, (size_t)(path_parts(path) - path));
	struct variable *variable = find(trial, name);
	uint8_t bytes[16];
	struct value value;
	struct error *error;
	struct part part = {0};
	bool missing = false;

	trial->running.scratch.used = 0;
	if (*path_parts(path)) {
		error = find_part(trial, variable, path, &part);
		missing = !error && scratch_has(part.address) &&
			  !frame_read(&trial->running.reader, part.address,
				      bytes, part_size(&part));
	} else {
		error = variable_read(variable, &trial->running.reader, &value);
	}
	if (error && (!words || !strstr(error_message(error), words)))
		fail_msg("%s of %s: %s", path, trial->path,
			 error_message(error));
	if (missing && !words)
		fail_msg("%s of %s is missing", path, trial->path);
	if (!error && !missing)
		check_part(trial, variable, path, expected);
	error_destroy(error);
	variable_destroy(variable);
	free(name);
}

/* What is optimized out may be refused, but nothing may be wrong. */
static void check_c(const char *compiler, const char *flags)
{
	char *command = xasprintf("%s -w %s", compiler, flags);
	struct trial trial = {
		.path = compile(command, "places", "c", c_source)};
	const char *gone = strstr(flags, "-O0") ? NULL : "optimized out";

	trial.file = open_sample(trial.path);
	start_in(&trial, "entry", 3);
	expect_or(&trial, "a", "41", gone);
	expect_or(&trial, "b", "40", gone);
	expect_or(&trial, "p.x", "40", gone);
	running_stop(&trial.running);
	start_in(&trial, "computed", 2);
	expect_or(&trial, "n", "1000", gone);
	expect_or(&trial, "twice", "2000", gone);
	expect_or(&trial, "low", "184", gone);
	expect_or(&trial, "s", "1000", gone);
	running_stop(&trial.running);
	start_in(&trial, "implicit", 1);
	expect_or(&trial, "p.x", "60", gone);
	expect_or(&trial, "p.y", "61", gone);
	running_stop(&trial.running);
	start_in(&trial, "pieces", 2);
	expect_or(&trial, "b.a.x", "70", gone);
	expect_or(&trial, "b.b.x", "150", gone);
	expect_or(&trial, "w", "80", gone);
	running_stop(&trial.running);
	start_in(&trial, "floats", 1);
	expect_or(&trial, "c", "3", gone);
	expect_or(&trial, "d", "1002.5", gone);
	expect_or(&trial, "n", "1000", gone);
	running_stop(&trial.running);
	start_in(&trial, "wide", 1);
	expect_or(&trial, "v", "5", gone);
	running_stop(&trial.running);
	start_in(&trial, "constants", 1);
	expect_or(&trial, "text[0]", "99", gone);
	expect_or(&trial, "q.x", "5", gone);
	expect_or(&trial, "pi", "3.25", gone);
	expect_or(&trial, "big", "-5000000000", gone);
	running_stop(&trial.running);
	debugfile_close(trial.file);
	free(trial.path);
	free(command);
}

static const char *const flags[] = {"-g -O0", "-g -O1", "-g -O2",
				    "-g -Os", "-g -Og", "-gdwarf-4 -O2"};
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static void test_variables_of_gcc_are_located(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(flags); i++)
		if (one_in(COUNT(flags), i))
			check_c("gcc", flags[i]);
}

static void test_variables_of_clang_are_located(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(flags); i++)
		if (one_in(COUNT(flags), i))
			check_c("clang", flags[i]);
}

/* ---- kinds of places, each seen for sure ------------------------------- */

/* That the compiler made use of an operation at all. */
static void expect_operation(const struct trial *trial, const char *operation)
{
	free(output_of("readelf -wo -wi %s 2>/dev/null | grep -q %s",
		       trial->path, operation));
}

static void expect_all_at(struct trial *trial, const char *function,
			  unsigned count, const char *list)
{
	start_in(trial, function, count);
	expect_all(trial, list);
	running_stop(&trial->running);
}

/* A pointer to what is in no memory: to the scratch, where its parts are. */
static void check_implicit_pointer(struct trial *trial)
{
	struct debugmember member;
	struct variable *to;
	struct value value;
	struct error *error;

	start_in(trial, "implicit", 0);
	trial->address = 0;
	for (uint64_t at = 0; at < 64 && !trial->address; at++) {
		/* the inlined call is somewhere in the function */
		struct variable *variable = NULL;
		uint64_t address =
			function_named(trial->file, "implicit").address + at;

		error = debugfile_find_variable(trial->file, address, false,
						"to", &variable);

		if (!error &&
		    !(error = variable_read(variable, &trial->running.reader,
					    &value)) &&
		    scratch_has(value.u))
			trial->address = address;
		error_destroy(error);
		variable_destroy(variable);
	}
	assert_int_not_equal(trial->address, 0);
	run_on_to(&trial->running, trial->address + trial->running.bias);
	to = find(trial, "to");
	assert_null(variable_read(to, &trial->running.reader, &value));
	assert_true(scratch_has(value.u));
	assert_true(debugtype_find_member(
		debugtype_target(variable_debugtype(to)), "y", &member));
	assert_string_equal(value_format(value_at(trial, "to->y", member.type,
						  value.u + member.offset),
					 (char[32]){0}),
			    "61");
	/* without a scratch it has no place at all */
	trial->running.reader.scratch = NULL;
	error = variable_read(to, &trial->running.reader, &value);
	assert_non_null(error);
	error_destroy(error);
	variable_destroy(to);
	running_stop(&trial->running);
}

static void test_each_kind_of_location_is_evaluated(void **state)
{
	char *path = compile("gcc -g -O2 -w", "kinds", "c", c_source);
	struct trial trial = {.path = path, .file = open_sample(path)};

	(void)state;
	expect_operation(&trial, "DW_OP_entry_value");
	expect_operation(&trial, "DW_OP_implicit_pointer");
	expect_operation(&trial, "DW_OP_piece");
	expect_operation(&trial, "DW_OP_regval_type");
	expect_all_at(&trial, "entry", 1, "a=41 b=40 c=40 p.x=40 p.y=2");
	expect_all_at(&trial, "entry", 3, "a=41 b=40 c=40");
	expect_all_at(&trial, "computed", 2,
		      "n=1000 twice=2000 s=1000 low=184");
	expect_all_at(&trial, "pieces", 3,
		      "b.a.x=70 b.a.y=80 b.b.x=150 b.b.y=3 b.tag=77");
	expect_all_at(&trial, "floats", 1, "c=3 n=1000");
	expect_all_at(&trial, "wide", 1, "v=5");
	expect_all_at(&trial, "constants", 1,
		      "text[2]=110 q.x=5 q.y=6 pi=3.25 big=-5000000000");
	check_implicit_pointer(&trial);
	/* reached by a tail call, which may have changed everything */
	start_in(&trial, "jumped_to", 1);
	expect_or(&trial, "j", "101", "tail call");
	running_stop(&trial.running);
	/* called by itself: as often as it calls use() */
	start_in(&trial, "counts", 1);
	expect_or(&trial, "z", "2", NULL);
	running_stop(&trial.running);
	debugfile_close(trial.file);
	free(path);
}

/* ---- names with a scope -------------------------------------------------- */

static const char scopes_source[] =
	"#include <tuple>\n"
	"volatile int sink;\n"
	"int count = 1;\n"
	"namespace a { int count = 2; namespace b { int count = 3;\n"
	"  __attribute__((noinline)) int look(int n)\n"
	"  { static int kept = 4; kept += n; sink = kept; return kept; } }\n"
	"  __attribute__((noinline)) int see(int n)\n"
	"  { int count = n; sink = count; return count; } }\n"
	"namespace { int quiet = 5; }\n"
	"inline namespace v1 { int inlined = 6; }\n"
	"enum class kind { low = 7, high }; enum plain { LOW = 9 };\n"
	"struct base { static int shared; static const int fixed = 10;\n"
	"  static inline short modern = 11; enum inner { DEEP = 12 };\n"
	"  int own; __attribute__((noinline)) int method(int n)\n"
	"  { sink = shared + n; return own + fixed; } };\n"
	"int base::shared = 13;\n"
	"template <class T> struct box { static T value; };\n"
	"template <class T> T box<T>::value = 14;\n"
	"struct top { int t = 21; }; struct left : virtual top { int l = 22; "
	"};\n"
	"struct right : virtual top { int r = 23; };\n"
	"struct all : left, right { int z = 24; };\n"
	"__attribute__((noinline)) int diamond(all &x, left *y)\n"
	"{ sink = x.z + y->t; return x.t; }\n"
	"__attribute__((noinline)) int bind(std::pair<int, long> p)\n"
	"{ auto [first_one, second_one] = p; union { int i; float f; };\n"
	"  i = first_one; sink = i; int &ref = i; sink = ref;\n"
	"  return first_one + (int)second_one + ref; /* HERE */ }\n"
	"int main()\n"
	"{ base x; x.own = 15; all both; sink = quiet + inlined;\n"
	"  return a::b::look(1) + a::see(16) + x.method(17) +\n"
	"    box<int>::value + bind({18, 19}) + (int)kind::low + LOW +\n"
	"    base::DEEP + base::modern + diamond(both, &both); }\n";

static void expect_member(struct trial *trial, const char *name,
			  const char *member_name, const char *expected)
{
	struct variable *variable = find(trial, name);
	struct debugtype *type = variable_debugtype(variable);
	struct debugmember member;
	uint64_t address = 0;
	struct error *error;

	if (debugtype_kind(type) == DEBUGTYPE_POINTER) {
		struct value value = read_value(trial, name);

		address = value.u;
		type = debugtype_target(type);
	} else {
		assert_null(variable_address(variable, &trial->running.reader,
					     &address));
	}
	error = debugtype_find_member_of(
		type, member_name, &trial->running.reader, address, &member);
	if (error)
		fail_msg("%s.%s: %s", name, member_name, error_message(error));
	assert_string_equal(
		value_format(value_at(trial, member_name, member.type,
				      address + member.offset),
			     (char[32]){0}),
		expected);
	variable_destroy(variable);
}

static void check_scopes(const char *compiler, const char *options)
{
	char *command = xasprintf("%s -w -std=c++17 %s", compiler, options);
	struct trial trial = {
		.path = compile(command, "scopes", "cc", scopes_source)};

	trial.file = open_sample(trial.path);
	start_function(&trial, "a::see", false);
	expect_all(&trial, "n=16 ::count=1 a::count=2 a::b::count=3 "
			   "b::count=3 ::a::count=2 quiet=5 ::quiet=5 "
			   "inlined=6 v1::inlined=6 ::inlined=6 see::n=16 "
			   "kind::low=7 plain::LOW=9 ::LOW=9 base::shared=13 "
			   "base::fixed=10 base::modern=11 base::DEEP=12 "
			   "base::inner::DEEP=12 box<int>::value=14 "
			   "a::b::look::kept=5 look::kept=5 "
			   "scopes.cc::count=1");
	expect_failure(&trial, "b::quiet", ERROR_NOT_FOUND, "quiet");
	expect_failure(&trial, "::see", ERROR_NOT_FOUND, "see");
	expect_failure(&trial, "other.cc::count", ERROR_NOT_FOUND, "count");
	running_stop(&trial.running);
	/* the scopes around a function come before all others */
	start_function(&trial, "a::b::look", true);
	expect_all(&trial, "count=3 n=1 kept=4");
	running_stop(&trial.running);
	start_function(&trial, "base::method", true);
	expect_all(&trial, "count=1 shared=13 modern=11 fixed=10");
	running_stop(&trial.running);
	start_function(&trial, "diamond", true);
	expect_member(&trial, "x", "z", "24");
	expect_member(&trial, "x", "t", "21");
	expect_member(&trial, "x", "r", "23");
	expect_member(&trial, "y", "t", "21");
	running_stop(&trial.running);
	debugfile_close(trial.file);
	free(trial.path);
	free(command);
}

static void test_names_with_a_scope_are_found(void **state)
{
	(void)state;
	check_scopes("g++", "-g -O0");
	check_scopes("g++", "-gdwarf-4 -O0");
	if (has_tool("clang++")) {
		check_scopes("clang++", "-g -O0");
		check_scopes("clang++", "-gdwarf-4 -O0");
	}
}

/* Structured bindings, members of an unnamed union, references. */
static void check_bindings(const char *command)
{
	struct trial trial = {
		.path = compile(command, "bindings", "cc", scopes_source)};
	struct line_list places = {0};
	uint32_t line = 1;

	for (const char *at = scopes_source; at < strstr(scopes_source, "HERE");
	     at++)
		line += *at == '\n';
	trial.file = open_sample(trial.path);
	assert_null(
		debugfile_find_line(trial.file, "bindings.cc", line, &places));
	assert_true(places.count >= 1);
	start(&trial, places.data[0].address, false);
	expect_all(&trial, "first_one=18 second_one=19 i=18 ref=18 p.first=18");
	running_stop(&trial.running);
	vec_free(&places);
	debugfile_close(trial.file);
	free(trial.path);
}

static void test_structured_bindings_are_found(void **state)
{
	(void)state;
	check_bindings("g++ -w -g -std=c++17 -O0");
	check_bindings("g++ -w -gdwarf-4 -std=c++17 -O0");
	if (has_tool("clang++"))
		check_bindings("clang++ -w -g -std=c++17 -O0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_variables_of_gcc_are_located),
		cmocka_unit_test(test_variables_of_clang_are_located),
		cmocka_unit_test(test_each_kind_of_location_is_evaluated),
		cmocka_unit_test(test_names_with_a_scope_are_found),
		cmocka_unit_test(test_structured_bindings_are_found),
	};

	return cmocka_run_group_tests(tests, samples_setup, samples_teardown);
}
