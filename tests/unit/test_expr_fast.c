/*
 * test_expr_fast.c - expressions as programs of fast nodes
 *
 * A program's variables of all kinds are looked for at each line of a function,
 * optimized and not. What is compiled must compute what is evaluated, in random
 * states of the registers and the memory, and read nothing but the frame and
 * the file; what is not, must say why.
 *
 * tier: core
 * covers: expr/compile expr/evaluate
 */
#include <inttypes.h>

#include "debuginfo_samples.h"

#include "../arch/fast_steps.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/expr.h"

#define STATES 40

#define FIRST_LINE 55
#define LAST_LINE 64

static const char source[] =
	"#include <stdbool.h>\n"
	"enum color { RED, GREEN = 5, BLUE = -3 };\n"
	"enum bits { ONE = 1, TWO = 2, FOUR = 4 };\n"
	"struct inner { short s; unsigned char c[4]; };\n"
	"struct odd { unsigned char a : 3; unsigned b : 17; signed c : 4; }\n"
	"	__attribute__((packed));\n"
	"struct outer {\n"
	"	long l;\n"
	"	int i : 5;\n"
	"	unsigned u : 27;\n"
	"	long long wide : 40;\n"
	"	bool flag : 1;\n"
	"	struct inner inner[3];\n"
	"	struct outer *next;\n"
	"	struct odd odd;\n"
	"	float f;\n"
	"};\n"
	"struct pair { int x, y; };\n"
	"struct large { long a, b; };\n"
	"signed char g8 = 1;\n"
	"unsigned char gu8 = 2;\n"
	"short g16 = 3;\n"
	"unsigned short gu16 = 4;\n"
	"int g32 = 5;\n"
	"unsigned gu32 = 6;\n"
	"long g64 = 7;\n"
	"unsigned long gu64 = 8;\n"
	"bool gbool = true;\n"
	"enum color gcolor = RED;\n"
	"enum bits gbits = ONE;\n"
	"char gtext[8] = \"text\";\n"
	"double gdouble = 0.5;\n"
	"int garray[4] = {1, 2, 3, 4};\n"
	"struct outer gouter = {.l = 1};\n"
	"struct outer *gpointer = &gouter;\n"
	"__thread int gthread = 1;\n"
	"__int128 gwide = 1;\n"
	"static int gstatic = 9;\n"
	"void (*ghandler)(void);\n"
	"volatile long sink;\n"
	"__attribute__((noinline)) void see(void *p)\n"
	"{\n"
	"	__asm__ volatile(\"\" : : \"r\"(p) : \"memory\");\n"
	"}\n"
	"__attribute__((noinline)) long\n"
	"work(signed char p8, unsigned short p16, int p32, unsigned long p64,\n"
	"     bool pbool, struct pair pair, enum color stackcolor,\n"
	"     signed char stack8, struct large large)\n"
	"{\n"
	"	int array[4] = {p32, 1, 2, 3};\n"
	"	struct outer here = {.l = p8, .u = 3};\n"
	"	long sum = (long)p64 * p32 + gstatic;\n"
	"	unsigned char small = (unsigned char)(p16 + pair.x);\n"
	"	const int seven = 7;\n"
	"	see(array);\n"
	"	see(&here);\n"
	"	sum += array[1] + here.l + stack8 + stackcolor;\n"
	"	sink = sum;\n"
	"	see(array);\n"
	"	sum += small * seven + pbool;\n"
	"	sink = sum + large.a + p8 + pair.y;\n"
	"	see(&here);\n"
	"	sum += here.u + gthread + large.b + p16;\n"
	"	return sum;\n"
	"}\n"
	"int main(void)\n"
	"{\n"
	"	struct pair pair = {1, 2};\n"
	"	struct large large = {1, 2};\n"
	"	return (int)work(1, 2, 3, 4, true, pair, RED, 5, large);\n"
	"}\n";

/* ---- a thread of it ---------------------------------------------------------
 */

#define STACK 0x7ffe00001000UL
#define STACK_BELOW 128UL
#define STACK_SIZE 0x800UL
#define FRAME 0x200UL /* that rbp is above rsp */

struct world {
	char *path;
	struct debugfile *file;
	struct expr_place place;
	uint64_t bias, low, high, seed;
	struct user_regs_struct regs;
	size_t compiled, refused;
	/* The program follows pointers. It has followed one to where nothing
	 * is, so that the thread leaves the hit to the tool. */
	bool follows;
	bool *is_left;
	size_t followed;
};

/* Anything, but the same whenever it is read. */
static uint8_t byte_at(const struct world *world, uint64_t address)
{
	uint64_t random = world->seed ^ address >> 3;

	draw(&random);
	return (uint8_t)(draw_number(&random) >> address % 8 * 8);
}

static bool is_there(const struct world *world, uint64_t address, uint64_t size)
{
	return (address >= STACK - STACK_BELOW &&
		address + size <= STACK + STACK_SIZE) ||
	       (address >= world->low && address + size <= world->high);
}

static bool read_world(void *context, uint64_t address, void *buffer,
		       size_t size)
{
	const struct world *world = context;

	if (!is_there(world, address, size))
		return false;
	for (size_t i = 0; i < size; i++)
		((uint8_t *)buffer)[i] = byte_at(world, address + i);
	return true;
}

static uint64_t load_world(const void *context, uint64_t address, unsigned size)
{
	const struct world *world = context;
	uint64_t value = 0;

	if (!is_there(world, address, size)) {
		if (!world->follows)
			fail_msg("%u bytes at %#" PRIx64 " are read", size,
				 address);
		*world->is_left = true;
		return 0;
	}
	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)byte_at(context, address + i) << i * 8;
	return value;
}

static void shake(struct world *world)
{
	uint64_t *random = &world->seed;

	draw(random);
	for (unsigned i = 0; i < 16; i++)
		arch_dwarf_set_register(i, &world->regs, draw_number(random));
	world->regs.rsp = STACK;
	world->regs.rbp = STACK + FRAME;
	world->regs.rip = world->place.address + world->bias;
}

static struct expr_input input_of(struct world *world)
{
	return (struct expr_input){.reader = {.read = read_world,
					      .context = world,
					      .regs = &world->regs,
					      .bias = world->bias}};
}

static void open_world(struct world *world, const char *compiler)
{
	const struct debugfile_facts *facts;

	*world = (struct world){.seed = 1};
	world->path = compile(compiler, "sample", "c", source);
	world->file = open_sample(world->path);
	facts = debugfile_facts(world->file);
	world->bias = facts->position_independent ? 0x555555554000 : 0;
	world->low = facts->low + world->bias;
	world->high = facts->high + world->bias;
	world->place = (struct expr_place){.file = world->file};
}

static void close_world(struct world *world)
{
	debugfile_close(world->file);
	free(world->path);
}

/* ---- compared ---------------------------------------------------------------
 */

static const char *text_of(enum expr_refusal refusal)
{
#define TEXT(name, text) [name] = (text),
	static const char *const texts[] = {[EXPR_COMPILED] = "compiled",
					    EXPR_REFUSALS(TEXT)};

	return texts[refusal];
}

static bool follows_pointers(const struct fast_program *program)
{
	for (size_t i = 0; i < program->count; i++)
		if (program->steps[i].operation == FAST_LOAD)
			return true;
	return false;
}

/* In a state, is it what it is without? */
static void compare(struct world *world, const char *text,
		    const struct bound_expr *bound,
		    const struct fast_program *program, struct value form)
{
	struct expr_input input = input_of(world);
	struct value value;
	struct error *error = bound_expr_evaluate(bound, &input, &value);
	bool is_left = false;
	uint64_t got;

	world->follows = follows_pointers(program);
	world->is_left = &is_left;
	got = fast_steps_run(program, &world->regs, load_world, world);
	if (is_left) {
		error_destroy(error);
		return;
	}
	world->followed += world->follows;
	if (error)
		fail_msg("%s at %#" PRIx64 ": compiled, but: %s", text,
			 world->place.address, error_message(error));
	if (value.u != got || value.kind != form.kind ||
	    value.is_address != form.is_address)
		fail_msg("%s at %#" PRIx64 ": %#" PRIx64 " (kind %d), not "
			 "%#" PRIx64 " (kind %d)",
			 text, world->place.address, got, form.kind, value.u,
			 value.kind);
}

static struct error *bind(const struct world *world, const char *text,
			  struct expr **expr, struct bound_expr **bound)
{
	struct error *error = expr_parse(text, expr);

	if (error)
		fail_msg("%s: %s", text, error_message(error));
	error = expr_bind(*expr, &world->place, bound);
	if (error)
		expr_destroy(*expr);
	return error;
}

/* Compile it where we are, and compare; false: it means nothing there. */
static bool check(struct world *world, const char *text,
		  enum expr_refusal *refusal)
{
	struct expr_input input = input_of(world);
	struct fast_program program;
	struct bound_expr *bound;
	struct value form;
	struct expr *expr;
	struct error *error = bind(world, text, &expr, &bound);

	if (error) {
		error_destroy(error);
		return false;
	}
	*refusal = bound_expr_compile(bound, &input, &program, &form);
	if (*refusal == EXPR_COMPILED) {
		assert_true(fast_is_sound(&program));
		for (size_t i = 0; i < STATES; i++) {
			shake(world);
			compare(world, text, bound, &program, form);
		}
		world->compiled++;
	} else {
		world->refused++;
	}
	bound_expr_destroy(bound);
	expr_destroy(expr);
	return true;
}

static void must(struct world *world, const char *text,
		 enum expr_refusal wanted)
{
	enum expr_refusal refusal = EXPR_COMPILED;

	if (!check(world, text, &refusal))
		fail_msg("%s: not bound", text);
	if (refusal != wanted)
		fail_msg("%s: %s, not %s", text, text_of(refusal),
			 text_of(wanted));
}

/* ---- everything that a place has -------------------------------------------
 */

static const char *const operands[] = {
	"g8",
	"gu8",
	"g16",
	"gu16",
	"g32",
	"gu32",
	"g64",
	"gu64",
	"gbool",
	"gcolor",
	"gbits",
	"gtext[2]",
	"garray[3]",
	"garray[GREEN-3]",
	"3[garray]",
	"(GREEN-3)[garray]",
	"gouter.l",
	"gouter.i",
	"gouter.u",
	"gouter.wide",
	"gouter.flag",
	"gouter.inner[1].s",
	"gouter.inner[2].c[3]",
	"gouter.odd.b",
	"gouter.odd.c",
	"gouter.next",
	"gpointer",
	"gstatic",
	"ghandler",
	"p8",
	"p16",
	"p32",
	"p64",
	"pbool",
	"pair.x",
	"pair.y",
	"stackcolor",
	"stack8",
	"large.b",
	"array[1]",
	"here.l",
	"here.u",
	"here.flag",
	"sum",
	"small",
	"seven",
	"$rax",
	"$ecx",
	"$dx",
	"$bl",
	"$ah",
	"$r10d",
	"$rsp",
	"$pc",
	"$arg1",
	"$arg6",
	"GREEN",
	"BLUE",
	"sizeof(gouter)",
	"0",
	"1",
	"-1",
	"7",
	"200",
	"-129",
	"65535u",
	"0x7fffffff",
	"0x80000000",
	"4294967295",
	"0x7fffffffffffffff",
	"0x8000000000000000",
	"'x'",
	"true",
};

static const char *const operators[] = {"+",  "-", "*",  "/", "%",  "<<",
					">>", "<", "<=", ">", ">=", "==",
					"!=", "&", "^",  "|", "&&", "||"};

static const char *const prefixes[] = {
	"-",
	"~",
	"!",
	"(signed char)",
	"(unsigned char)",
	"(short)",
	"(unsigned short)",
	"(int)",
	"(unsigned)",
	"(long)",
	"(bool)",
	"(enum color)",
};

#define DRAW_ONE(random, array)                                                \
	((array)[draw_below(random, sizeof(array) / sizeof(*(array)))])

static void write_random(struct str *out, uint64_t *random, int depth)
{
	uint64_t choice = depth ? draw_below(random, 8) : 0;

	if (choice < 1) {
		str_append(out, DRAW_ONE(random, operands));
	} else if (choice < 3) {
		str_append(out, DRAW_ONE(random, prefixes));
		str_append(out, "(");
		write_random(out, random, depth - 1);
		str_append(out, ")");
	} else if (choice < 7) {
		str_append(out, "(");
		write_random(out, random, depth - 1);
		str_printf(out, " %s ", DRAW_ONE(random, operators));
		write_random(out, random, depth - 1);
		str_append(out, ")");
	} else {
		str_append(out, "(");
		write_random(out, random, depth - 1);
		str_append(out, " ? ");
		write_random(out, random, depth - 1);
		str_append(out, " : ");
		write_random(out, random, depth - 1);
		str_append(out, ")");
	}
}

static void check_random(struct world *world, size_t count)
{
	uint64_t random = world->place.address;

	for (size_t i = 0; i < count; i++) {
		enum expr_refusal refusal;
		struct str text = {0};

		write_random(&text, &random, 3);
		check(world, str_text(&text), &refusal);
		str_deinit(&text);
	}
}

static void check_here(struct world *world)
{
	enum expr_refusal refusal;

	for (size_t i = 0; i < sizeof(operands) / sizeof(*operands); i++)
		check(world, operands[i], &refusal);
	check_random(world, 300);
}

/* ---- tests ------------------------------------------------------------------
 */

static void go_to_line(struct world *world, unsigned line)
{
	struct line_list lines = {0};

	assert_null(debugfile_find_line(world->file, "sample.c", line, &lines));
	assert_true(lines.count > 0);
	world->place.address = lines.data[0].address;
	world->place.at_entry = false;
	vec_free(&lines);
}

static void go_to_entry(struct world *world)
{
	world->place.address = function_named(world->file, "work").address;
	world->place.at_entry = true;
}

static void check_builds(const char *const *compilers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct world world;

		open_world(&world, compilers[i]);
		go_to_entry(&world);
		check_here(&world);
		for (unsigned line = FIRST_LINE; line <= LAST_LINE; line++) {
			go_to_line(&world, line);
			check_here(&world);
		}
		/* most of them are */
		print_message("%s: %zu compiled, %zu not\n", compilers[i],
			      world.compiled, world.refused);
		assert_true(world.compiled > 1000);
		close_world(&world);
	}
}

static void test_compiled_agrees_with_evaluated_for_gcc(void **state)
{
	static const char *const compilers[] = {
		"gcc -g -O0", "gcc -g -O2",
		"gcc -g -O1 -fno-omit-frame-pointer -gdwarf-4 -no-pie"};

	(void)state;
	check_builds(compilers, 3);
}

static void test_compiled_agrees_with_evaluated_for_clang(void **state)
{
	static const char *const compilers[] = {"clang -g -O0", "clang -g -O2"};

	(void)state;
	if (!has_tool("clang")) {
		print_message("clang is not installed\n");
		return;
	}
	check_builds(compilers, 2);
}

static void test_refused_expressions_say_why(void **state)
{
	struct world world;

	(void)state;
	open_world(&world, "gcc -g -O0");
	go_to_line(&world, FIRST_LINE);
	must(&world, "gdouble > 1", EXPR_FLOATING);
	must(&world, "gouter.f", EXPR_FLOATING);
	must(&world, "(int)1.5 == g32", EXPR_FLOATING);
	must(&world, "gwide", EXPR_WIDE);
	must(&world, "g32 / gu8", EXPR_DIVISOR);
	must(&world, "g32 % g8", EXPR_DIVISOR);
	must(&world, "g32 / 0", EXPR_DIVISION);
	must(&world, "g32 / -1", EXPR_DIVISION);
	must(&world, "1 / 0", EXPR_DIVISION);
	must(&world, "g32 % (5 - 6)", EXPR_DIVISION);
	must(&world, "1 << g8", EXPR_SHIFT);
	must(&world, "g32 >> 32", EXPR_SHIFT_FAR);
	must(&world, "g32 << -1", EXPR_SHIFT_FAR);
	must(&world, "gtext == \"text\"", EXPR_STRING);
	must(&world, "gouter", EXPR_STRUCTURE);
	must(&world, "$tid == 1", EXPR_THREAD);
	must(&world, "$pid", EXPR_THREAD);
	must(&world, "$node(1) > 1", EXPR_COUNT);
	must(&world, "$eflags & 1", EXPR_REGISTER);
	must(&world, "$fs_base", EXPR_REGISTER);
	must(&world, "gthread", EXPR_THREAD_LOCAL);
	must(&world, "array[4]", EXPR_BEYOND);
	must(&world, "array[-1]", EXPR_BEYOND);
	must(&world, "garray[100000000]", EXPR_BEYOND);
	must(&world, "g8+g16+g32+gu8+gu16+gu32+p8+p16+p32+g8+g16+g32+g8+g8",
	     EXPR_LONG);
	must(&world, "g8+(g8+(g8+(g8+(g8+(g8+(g8+(g8+g8)))))))", EXPR_LONG);
	/* what is never computed does not matter */
	must(&world, "g32 && (0 && gpointer->l)", EXPR_COMPILED);
	must(&world, "1 || gpointer->l", EXPR_COMPILED);
	must(&world, "0 ? g32 / 0 : g32", EXPR_COMPILED);
	must(&world, "1 ? g32 : gthread", EXPR_COMPILED);
	close_world(&world);
}

/* Where there is what a condition is mostly made of. */
static void test_usual_conditions_are_compiled(void **state)
{
	static const char *const everywhere[] = {
		"p8 > 3 && g64 != 7 || !gbool",
		"p32 % 10",
		"p16 >> 3 & 15",
		"gouter.odd.a",
		"gouter.inner[1].c[2] == 'x'",
		"gouter.flag && gouter.wide > 5",
		"gcolor == BLUE ? p64 : 0",
		"&gouter == gpointer",
		"garray",
		"garray + 1",
		"see == ghandler",
		"gpointer - &gouter",
		"(unsigned char)p64 / 3",
		"$rdi + $arg2 == $rax",
		"stack8 * 2 + stackcolor",
		"pair.y < 5",
	};
	struct world world;

	(void)state;
	open_world(&world, "gcc -g -O0");
	for (size_t i = 0; i < sizeof(everywhere) / sizeof(*everywhere); i++) {
		go_to_entry(&world);
		must(&world, everywhere[i], EXPR_COMPILED);
		go_to_line(&world, FIRST_LINE);
		must(&world, everywhere[i], EXPR_COMPILED);
	}
	must(&world, "array[2] + here.inner[1].s * large.b + &array[1]",
	     EXPR_COMPILED);
	/* in two registers as it is entered */
	go_to_entry(&world);
	must(&world, "large.b", EXPR_COMPILED);
	must(&world, "&pair", EXPR_ADDRESS);
	close_world(&world);
}

/* What is behind a pointer is the same number, or left to the tool. */
static void test_pointers_are_followed(void **state)
{
	static const char *const expressions[] = {
		"*(int *)$rsp",
		"garray[gu8 & 3]",
		"gtext[gu8 & 7]",
		"((struct outer *)$rsp)->i",
		"((struct outer *)$rsp)->u",
		"((struct outer *)$rsp)->wide",
		"((struct outer *)$rsp)->flag",
		"((struct outer *)$rsp)->odd.b",
		"((struct outer *)$rsp)->odd.c",
		"((struct outer *)$rsp)[1].inner[1].c[2] == 'x'",
		"((struct outer *)($rsp + (gu8 & 64)))->inner[2].s",
	};
	struct world world;

	(void)state;
	open_world(&world, "gcc -g -O0");
	go_to_line(&world, FIRST_LINE);
	for (size_t i = 0; i < sizeof(expressions) / sizeof(*expressions); i++)
		must(&world, expressions[i], EXPR_COMPILED);
	assert_true(world.followed >=
		    STATES * sizeof(expressions) / sizeof(*expressions));
	world.followed = 0;
	must(&world, "gpointer->l", EXPR_COMPILED);
	must(&world, "*gpointer->next->inner[1].c", EXPR_COMPILED);
	must(&world, "gpointer && gpointer->flag", EXPR_COMPILED);
	assert_true(world.followed < STATES * 3);
	close_world(&world);
}

/* Between the push of the frame pointer and the body, locals are nowhere. */
static void test_locals_are_compiled_in_the_prologue(void **state)
{
	struct world world;

	(void)state;
	open_world(&world, "gcc -g -O0 -fcf-protection=none");
	go_to_entry(&world);
	world.place.at_entry = false;
	world.place.address += 4;           /* push rbp; mov rbp, rsp */
	must(&world, "sum", EXPR_COMPILED); /* by rsp: the code says how far */
	must(&world, "large.b",
	     EXPR_COMPILED); /* the caller has put it there */
	must(&world, "g32", EXPR_COMPILED);
	close_world(&world);
}

/* What is called by its name, of the number alone. */
static void test_labels_of_the_value_alone_are_right(void **state)
{
	static const struct {
		const char *text;
		bool is_of_value;
	} cases[] = {
		{"gcolor", true},   {"gbits", true},    {"gbool", true},
		{"gtext[1]", true}, {"g8", true},       {"g32", true},
		{"ghandler", true}, {"gpointer", true}, {"see", false},
		{"garray", true},   {"gtext", false},   {"&gtext[1]", false},
		{"gdouble", false}, {"gwide", false},   {"$pc", true},
		{"g32 > 5", true},  {"$rsp", true},
	};
	struct world world;

	(void)state;
	open_world(&world, "gcc -g -O0");
	go_to_line(&world, FIRST_LINE);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct expr_input input = input_of(&world);
		char wanted[96], got[96];
		struct bound_expr *bound;
		struct value value;
		struct expr *expr;

		assert_null(bind(&world, cases[i].text, &expr, &bound));
		if (bound_expr_label_is_of_value(bound) != cases[i].is_of_value)
			fail_msg("%s: of its value?", cases[i].text);
		for (size_t j = 0; cases[i].is_of_value && j < STATES; j++) {
			shake(&world);
			assert_null(bound_expr_evaluate(bound, &input, &value));
			assert_null(bound_expr_label(bound, &input, wanted,
						     sizeof(wanted)));
			bound_expr_label_of(bound, &input, value, got,
					    sizeof(got));
			if (strcmp(got, wanted) != 0)
				fail_msg("%s: %s, not %s", cases[i].text, got,
					 wanted);
		}
		bound_expr_destroy(bound);
		expr_destroy(expr);
	}
	close_world(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compiled_agrees_with_evaluated_for_gcc),
		cmocka_unit_test(test_compiled_agrees_with_evaluated_for_clang),
		cmocka_unit_test(test_refused_expressions_say_why),
		cmocka_unit_test(test_usual_conditions_are_compiled),
		cmocka_unit_test(test_pointers_are_followed),
		cmocka_unit_test(test_locals_are_compiled_in_the_prologue),
		cmocka_unit_test(test_labels_of_the_value_alone_are_right),
	};

	return cmocka_run_group_tests(tests, samples_setup, samples_teardown);
}
