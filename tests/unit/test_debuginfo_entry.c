/*
 * test_debuginfo_entry.c - parameters at a function's first instruction, and
 * results behind its return, where the ABI has them
 *
 * tier: core full
 * covers: debuginfo/frames debuginfo/variables
 */
#include "debuginfo_values.h"

#include "perftool/arch.h"
#include "perftool/debuginfo/debug_variables.h"
#include "sampling.h"

/* What is known of a function: its parameters at its entry, its result. */
struct known {
	const char *function, *parameters, *result;
};

#define KEEP                                                                   \
	"#ifdef __clang__ /* callers keep what nobody uses of a weak one */\n" \
	"#define F __attribute__((noinline, weak))\n"                          \
	"#else\n"                                                              \
	"#define F __attribute__((noinline, noclone, noipa))\n"                \
	"#endif\n"                                                             \
	"volatile int sink;\n"

static const char c_source[] = KEEP
	"struct ii { long a, b; };\n"
	"struct id { int a; double b; };\n"
	"struct di { double a; short b; };\n"
	"struct ff { float a, b; };\n"
	"struct fff { float a, b, c; };\n"
	"struct mixed { float a; int b; double c; };\n"
	"struct nested { struct { char c; short s; } in; float f[2]; };\n"
	"struct bits { unsigned a : 3; int b : 20; long c : 40; char d; };\n"
	"union u { double d; long l; };\n"
	"struct array { short v[5]; };\n"
	"struct extended { long double x; };\n"
	"struct __attribute__((packed)) tight { char c; int i; long l; };\n"
	"struct large { long a[3]; };\n"
	"struct wide { _Alignas(16) long x; };\n"
	"typedef float v4 __attribute__((vector_size(16)));\n"
	"typedef float v2 __attribute__((vector_size(8)));\n"
	"F long many(char a, short b, int c, long d, unsigned e, void *f,\n"
	"  int g, unsigned char h)\n"
	"{ sink = a; return a + b + c + d + e + (f != 0) + g + h; }\n"
	"F double floats(float a, double b, float c, double d, float e,\n"
	"  double f, float g, double h, float i, double j)\n"
	"{ sink = (int)a; return a + b + c + d + e + f + g + h + i + j; }\n"
	"F struct ii pair(struct ii x, int y)\n"
	"{ sink = y; x.b += y; return x; }\n"
	"F struct id first(struct id x, struct di y, float z)\n"
	"{ sink = 1; x.b += y.a + z; return x; }\n"
	"F struct di second(struct ff x, struct fff y, struct mixed z)\n"
	"{ sink = 1; struct di r = {x.a + y.c, (short)z.b}; return r; }\n"
	"F struct ff third(int a, struct nested b, union u c)\n"
	"{ sink = a; struct ff r = {b.f[0], (float)c.l}; return r; }\n"
	"F struct fff fourth(struct bits a, struct array b)\n"
	"{ sink = a.a; struct fff r = {1, 2, (float)b.v[4]}; return r; }\n"
	"F struct large hidden(int a, struct large b, struct tight c, int d)\n"
	"{ sink = a; b.a[2] = c.i + d; return b; }\n"
	"F struct extended extended(long double a, struct extended b, float "
	"c)\n"
	"{ sink = 1; b.x += a + c; return b; }\n"
	"F long double longer(int a, long double b, int c, struct wide d,\n"
	"  int e, int f, int g, int h, char i, long double j)\n"
	"{ sink = a + c + e + f + g + h + i; return b + j + d.x; }\n"
	"F struct wide aligned(int a, int b, int c, int d, int e, int f, int "
	"g,\n"
	"  struct large h, long double i, int j)\n"
	"{ sink = a + b + c + d + e + f + g + j; struct wide r = {h.a[0]};\n"
	"  return r; }\n"
	"F int spilled(int a, int b, int c, int d, int e, struct ii x, int f,\n"
	"  struct id y)\n"
	"{ sink = a + b + c + d + e; return (int)x.a + f + y.a; }\n"
	"F v4 vector(v4 a, v2 b, float c) { sink = 1; a[0] += b[1] + c;\n"
	"  return a; }\n"
	"F _Complex double complex_d(_Complex float a, _Complex double b)\n"
	"{ sink = 1; return a + b; }\n"
	"F _Complex float complex_f(int a, _Complex float b)\n"
	"{ sink = a; return b; }\n"
	"F _Complex long double complex_l(_Complex long double a, int b)\n"
	"{ sink = b; return a; }\n"
	"F __int128 huge(int a, __int128 b, int c)\n"
	"{ sink = a + c; return b; }\n"
	"F unsigned char narrow(_Bool a, unsigned char b)\n"
	"{ sink = a; return b; }\n"
	"F void nothing(int a) { sink = a; }\n"
	"F float old(f, d, c) float f; double d; char c;\n"
	"{ sink = c; return f + (float)d; }\n"
	"int main(void)\n"
	"{\n"
	"  struct large l = {{71, 72, 73}};\n"
	"  struct tight t = {1, 74, 75};\n"
	"  struct extended x = {2.5L};\n"
	"  struct wide w = {81};\n"
	"  struct nested n = {{'c', 7}, {0.5f, 1.5f}};\n"
	"  struct bits bits = {5, -70000, -500000000000L, 9};\n"
	"  struct array array = {{1, 2, 3, 4, 5}};\n"
	"  union u u = {.l = 99};\n"
	"  v4 v = {1, 2, 3, 4}; v2 v_2 = {5, 6};\n"
	"  _Complex float cf = 1.5f + 2.5fi; _Complex double cd = 3 + 4i;\n"
	"  many(-1, -2, -3, -4, 5, &l, -6, 250);\n"
	"  floats(1.5f, 2.5, 3.5f, 4.5, 5.5f, 6.5, 7.5f, 8.5, 9.5f, 10.5);\n"
	"  pair((struct ii){11, 12}, 13);\n"
	"  first((struct id){21, 22.5}, (struct di){23.5, 24}, 25.5f);\n"
	"  second((struct ff){31.5f, 32.5f}, (struct fff){33, 34, 35},\n"
	"    (struct mixed){36.5f, 37, 38.5});\n"
	"  third(41, n, u);\n"
	"  fourth(bits, array);\n"
	"  hidden(76, l, t, 77);\n"
	"  extended(1.25L, x, 0.25f);\n"
	"  longer(1, 2.5L, 3, w, 5, 6, 7, 8, 9, 10.5L);\n"
	"  aligned(1, 2, 3, 4, 5, 6, 7, l, 8.5L, 9);\n"
	"  spilled(1, 2, 3, 4, 5, (struct ii){51, 52}, 6, (struct id){53, "
	"54});\n"
	"  vector(v, v_2, 7);\n"
	"  complex_d(cf, cd); complex_f(3, cf);\n"
	"  complex_l(5.5L + 6.5Li, 4);\n"
	"  huge(1, ((__int128)7 << 64) + 8, 2);\n"
	"  narrow(1, 200); nothing(17); old(1.5f, 2.5, 'x');\n"
	"  return 0;\n"
	"}\n";

static const struct known c_known[] = {
	{"many", "a=-1 b=-2 c=-3 d=-4 e=5 g=-6 h=250", "r=240"},
	{"floats",
	 "a=1.5 b=2.5 c=3.5 d=4.5 e=5.5 f=6.5 g=7.5 h=8.5 i=9.5 j=10.5",
	 "r=60"},
	{"pair", "x.a=11 x.b=12 y=13", "r.a=11 r.b=25"},
	{"first", "x.a=21 x.b=22.5 y.a=23.5 y.b=24 z=25.5", "r.a=21 r.b=71.5"},
	{"second",
	 "x.a=31.5 x.b=32.5 y.a=33 y.b=34 y.c=35 z.a=36.5 z.b=37 z.c=38.5",
	 "r.a=66.5 r.b=37"},
	{"third", "a=41 b.in.c=99 b.in.s=7 b.f[0]=0.5 b.f[1]=1.5 c.l=99",
	 "r.a=0.5 r.b=99"},
	{"fourth", "a.a=5 a.b=-70000 a.c=-500000000000 a.d=9 b.v[0]=1 b.v[4]=5",
	 "r.a=1 r.b=2 r.c=5"},
	{"hidden", "a=76 b.a[0]=71 b.a[2]=73 c.c=1 c.i=74 c.l=75 d=77",
	 "r.a[0]=71 r.a[1]=72 r.a[2]=151"},
	{"extended", "a=1.25 b.x=2.5 c=0.25", "r.x=4"},
	{"longer", "a=1 b=2.5 c=3 d.x=81 e=5 f=6 g=7 h=8 i=9 j=10.5", "r=94"},
	{"aligned", "a=1 f=6 g=7 h.a[0]=71 h.a[2]=73 i=8.5 j=9", "r.x=71"},
	{"spilled", "a=1 e=5 x.a=51 x.b=52 f=6 y.a=53 y.b=54", "r=110"},
	{"vector", "a$0=1 a$3=4 b$0=5 b$1=6 c=7", "r$0=14 r$3=4"},
	{"complex_d", "a$0=1.5 a$1=2.5 b%0=3 b%1=4", "r%0=4.5 r%1=6.5"},
	{"complex_f", "a=3 b$0=1.5 b$1=2.5", "r$0=1.5 r$1=2.5"},
	{"complex_l", "b=4",
	 "r@0=12682136550675316736 r@2=14987979559889010688"},
	{"huge", "a=1 b@0=8 b@1=7 c=2", "r@0=8 r@1=7"},
	{"narrow", "a=1 b=200", "r=200"},
	{"nothing", "a=17", NULL},
	{"old", "d=2.5 c=120", "r=4"},
};

static const char cc_source[] = KEEP
	"struct trivial { int a; float b; };\n"
	"struct copied { int a; copied(int x) : a(x) {}\n"
	"  copied(const copied &o) : a(o.a) { sink = a; } };\n"
	"struct destroyed { long a; ~destroyed() { sink = (int)a; } };\n"
	"struct holder { copied c; int b; };\n"
	"struct defaulted { int a; defaulted(int x) : a(x) {}\n"
	"  defaulted(const defaulted &) = default;\n"
	"  ~defaulted() = default; };\n"
	"struct deleted { int a; deleted(int x) : a(x) {}\n"
	"  deleted(deleted &&) = default; };\n"
	"struct shape { virtual int area() { return 0; } int side; };\n"
	"struct empty {};\n"
	"struct base { int x; }; struct derived : base { float y; };\n"
	"struct top { int t; top(); }; \n"
	"struct left : virtual top { int l; left(int a); };\n"
	"struct all : left { int z; all(int a); };\n"
	"F top::top() : t(91) { sink = t; }\n"
	"F left::left(int a) : l(a) { sink = a; }\n"
	"F all::all(int a) : left(a + 1), z(a) { sink = a; }\n"
	"struct point { int x, y; F int plus(int n) const;\n"
	"  F copied make(int n); F static int alone(int n); };\n"
	"F int point::plus(int n) const { sink = n; return x + n; }\n"
	"F copied point::make(int n) { sink = n; return copied(x + n); }\n"
	"F int point::alone(int n) { sink = n; return n; }\n"
	"F trivial simple(trivial a, int b) { sink = b; a.a += b; return a; }\n"
	"F copied byref(copied a, int b, holder c, int d)\n"
	"{ sink = b; return copied(a.a + b + c.b + d); }\n"
	"F int destroy(destroyed a, int b) { sink = b; return (int)a.a + b; }\n"
	"F defaulted byvalue(defaulted a, int b)\n"
	"{ sink = b; a.a += b; return a; }\n"
	"F int moved(deleted a, int b) { sink = b; return a.a + b; }\n"
	"F int virtually(shape a, int b) { sink = b; return a.side + b; }\n"
	"F int nought(empty a, int b) { (void)a; sink = b; return b; }\n"
	"F derived inherits(derived a, int b) { sink = b; return a; }\n"
	"F int refers(int &a, const trivial &b, int &&c)\n"
	"{ sink = a; return a + b.a + c; }\n"
	"typedef int point::*field; typedef int (point::*method)(int) const;\n"
	"F int members(field a, method b, int c)\n"
	"{ sink = c; return a != 0 && b != 0; }\n"
	"enum class kind : signed char { low = -3 };\n"
	"F kind scoped(kind a, bool b) { sink = b; return a; }\n"
	"F int &reference(int *a) { sink = *a; return *a; }\n"
	"int main()\n"
	"{\n"
	"  point p = {5, 6}; int n = 61; trivial t = {62, 63};\n"
	"  p.plus(7); p.make(8); point::alone(9);\n"
	"  simple(trivial{1, 2.5f}, 3);\n"
	"  byref(copied(11), 12, holder{copied(13), 14}, 15);\n"
	"  destroyed d; d.a = 21; destroy(d, 22);\n"
	"  byvalue(defaulted(31), 32); moved(deleted(33), 34);\n"
	"  shape s; s.side = 41; virtually(s, 42);\n"
	"  nought(empty(), 51);\n"
	"  derived e; e.x = 52; e.y = 53.5f; inherits(e, 54);\n"
	"  refers(n, t, 64);\n"
	"  members(&point::y, &point::plus, 65);\n"
	"  scoped(kind::low, true); reference(&n);\n"
	"  all a(71); return a.z == 0;\n"
	"}\n";

static const struct known cc_known[] = {
	{"point::plus", "n=7", "r=12"},
	{"point::make", "n=8", "r.a=13"},
	{"point::alone", "n=9", "r=9"},
	{"simple", "a.a=1 a.b=2.5 b=3", "r.a=4 r.b=2.5"},
	{"byref", "a.a=11 b=12 c.c.a=13 c.b=14 d=15", "r.a=52"},
	{"destroy", "a.a=21 b=22", "r=43"},
	{"byvalue", "a.a=31 b=32", "r.a=63"},
	{"moved", "a.a=33 b=34", "r=67"},
	{"virtually", "a.side=41 b=42", "r=83"},
	{"nought", "b=51", "r=51"},
	{"inherits", "a.x=52 a.y=53.5 b=54", "r.x=52 r.y=53.5"},
	{"refers", "a=61 b.a=62 b.b=63 c=64", "r=187"},
	{"members", "a@0=4 c=65", "r=1"},
	{"scoped", "a=-3 b=1", "r=-3"},
	{"reference", "", "r=61"},
};

/* The result of the function just entered, behind the call. */
static void check_result(struct trial *trial, const struct known *known)
{
	struct running *running = &trial->running;
	struct variable *variable = NULL;
	uint64_t address;
	struct error *error;

	error = debugfile_find_return(trial->file, trial->address, &variable);
	if (!known->result) {
		assert_non_null(error);
		assert_int_equal(error_code(error), ERROR_NOT_FOUND);
		error_destroy(error);
		return;
	}
	if (error)
		fail_msg("result of %s: %s", known->function,
			 error_message(error));
	assert_true(running_read(running, running->regs.rsp, &address, 8));
	run_on_to(running, address);
	for (const char *at = known->result; *at;) {
		char *one = xstrndup(at, strcspn(at, " ")),
		     *value = strchr(one, '=');

		*value++ = '\0';
		running->scratch.used = 0;
		check_part(trial, variable, one, value);
		at += strcspn(at, " ");
		at += *at == ' ';
		free(one);
	}
	variable_destroy(variable);
}

/* Those parameters that clang has optimized may be refused, but not wrong. */
static void expect_known(struct trial *trial, const char *list, bool optimized)
{
	for (const char *at = list; *at; at += *at == ' ') {
		char *one = xstrndup(at, strcspn(at, " "));
		char *name = xstrndup(at, strcspn(at, "=.[@%$"));
		struct variable *variable = NULL;
		struct error *error = debugfile_find_variable(
			trial->file, trial->address, true, name, &variable);

		if (error && (!optimized ||
			      !strstr(error_message(error), "optimized out")))
			fail_msg("%s of %s: %s", one, trial->path,
				 error_message(error));
		if (!error && !(optimized && strpbrk(one, ".[@%$")))
			expect_all(trial, one);
		error_destroy(error);
		variable_destroy(variable);
		free(name);
		free(one);
		at += strcspn(at, " ");
	}
}

static void check_build(const char *compiler, const char *flags,
			const char *suffix, const char *source,
			const struct known *known, size_t count)
{
	char *command = xasprintf("%s -w %s", compiler, flags);
	struct trial trial = {
		.path = compile(command, "entry", suffix, source)};

	trial.file = open_sample(trial.path);
	for (size_t i = 0; i < count; i++) {
		start_function(&trial, known[i].function, true);
		expect_known(&trial, known[i].parameters,
			     str_starts(compiler, "clang") &&
				     !strstr(flags, "-O0"));
		check_result(&trial, &known[i]);
		running_stop(&trial.running);
	}
	debugfile_close(trial.file);
	free(trial.path);
	free(command);
}

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const char *const flags[] = {
	"-g -O0",        "-g -O1",        "-g -O2",
	"-gdwarf-4 -O0", "-gdwarf-4 -O2", "-g -Os -fno-omit-frame-pointer",
};

static void test_arguments_and_results_of_gcc_are_known(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(flags); i++)
		if (one_in(COUNT(flags), i))
			check_build("gcc", flags[i], "c", c_source, c_known,
				    COUNT(c_known));
}

static void test_arguments_and_results_of_clang_are_known(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(flags); i++)
		if (one_in(COUNT(flags), i))
			check_build("clang", flags[i], "c", c_source, c_known,
				    COUNT(c_known));
}

/* Without a word on how a class is passed, one that declares what may be
 * defaulted cannot be known; nor can what comes after it. */
static void test_argument_of_unknown_class_is_an_error(void **state)
{
	char *path = compile("g++ -w -gdwarf-4 -gstrict-dwarf -O0", "strict",
			     "cc", cc_source);
	struct trial trial = {.path = path, .file = open_sample(path)};

	(void)state;
	start_function(&trial, "byvalue", true);
	expect_failure(&trial, "a", ERROR_EVALUATE, "break FUNC");
	expect_failure(&trial, "b", ERROR_EVALUATE, "comes after a parameter");
	running_stop(&trial.running);
	start_function(&trial, "virtually", true);
	expect_all(&trial, "a.side=41 b=42");
	running_stop(&trial.running);
	debugfile_close(trial.file);
	free(path);
}

static void test_arguments_and_results_of_g_plus_plus_are_known(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(flags); i++)
		if (one_in(COUNT(flags), i))
			check_build("g++", flags[i], "cc", cc_source, cc_known,
				    COUNT(cc_known));
}

static void test_arguments_and_results_of_clang_cc_are_known(void **state)
{
	(void)state;
	if (!has_tool("clang++")) {
		fprintf(stderr, "# skipped: no clang++ here\n");
		return;
	}
	for (size_t i = 0; i < COUNT(flags); i++)
		if (one_in(COUNT(flags), i))
			check_build("clang++", flags[i], "cc", cc_source,
				    cc_known, COUNT(cc_known));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arguments_and_results_of_gcc_are_known),
		cmocka_unit_test(test_arguments_and_results_of_clang_are_known),
		cmocka_unit_test(test_argument_of_unknown_class_is_an_error),
		cmocka_unit_test(
			test_arguments_and_results_of_g_plus_plus_are_known),
		cmocka_unit_test(
			test_arguments_and_results_of_clang_cc_are_known),
	};

	return cmocka_run_group_tests(tests, samples_setup, samples_teardown);
}
