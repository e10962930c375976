/*
 * test_expr_bind.c - expressions over variables, registers and memory
 *
 * The debuginfo layer's variables are replaced by those of a table, so that
 * every kind and every failure of them can be had.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/expr.h"

/* ---- a program that is a table ------------------------------------------ */

struct variable {
	const char *name, *type;
	enum variable_kind kind;
	unsigned size;
	struct value value;
	bool optimized_out;
};

#define SIGNED(n, t, s, v)                                                     \
	{                                                                      \
		.name = n, .type = t, .kind = VARIABLE_SIGNED, .size = s,      \
		.value = {                                                     \
			VALUE_SIGNED,                                          \
			{.i = v}                                               \
		}                                                              \
	}
#define UNSIGNED(n, t, s, v)                                                   \
	{                                                                      \
		.name = n, .type = t, .kind = VARIABLE_UNSIGNED, .size = s,    \
		.value = {                                                     \
			VALUE_UNSIGNED,                                        \
			{.u = v}                                               \
		}                                                              \
	}
#define POINTER(n, t, v)                                                       \
	{                                                                      \
		.name = n, .type = t, .kind = VARIABLE_POINTER, .size = 8,     \
		.value = {                                                     \
			VALUE_UNSIGNED,                                        \
			{.u = v}                                               \
		}                                                              \
	}
#define FLOATING(n, t, s, v)                                                   \
	{                                                                      \
		.name = n, .type = t, .kind = VARIABLE_FLOAT, .size = s,       \
		.value = {                                                     \
			VALUE_FLOAT,                                           \
			{.f = v}                                               \
		}                                                              \
	}

#define MEMORY 0x10000 /* where the target's memory is */

static const struct variable table[] = {
	SIGNED("pages", "int", 4, 1),
	SIGNED("negative", "int", 4, -5),
	SIGNED("small", "signed char", 1, -3),
	SIGNED("big", "long int", 8, INT64_MIN),
	UNSIGNED("letter", "unsigned char", 1, 200),
	UNSIGNED("count", "unsigned int", 4, 4000000000u),
	UNSIGNED("size", "size_t", 8, UINT64_MAX),
	UNSIGNED("flag", "_Bool", 1, 1),
	SIGNED("ns::total", "int", 4, 77),
	SIGNED("rax", "int", 4, 78),
	FLOATING("ratio", "double", 8, 0.25),
	FLOATING("third", "float", 4, 0.3333333432674407958984375),
	FLOATING("wide", "long double", 16, 1.5),
	POINTER("name", "const char *", MEMORY),
	POINTER("alias", "gchar *", MEMORY),
	POINTER("nothing", "char *", 0),
	POINTER("astray", "char *", 16),
	POINTER("numbers", "int *", MEMORY + 32),
	POINTER("names", "char **", MEMORY + 64),
	POINTER("object", "struct object *", MEMORY),
	POINTER("handler", "void (*)(int)", MEMORY),
	{.name = "array", .type = "int[4]", .kind = VARIABLE_OTHER, .size = 16},
	{.name = "huge",
	 .type = "__int128",
	 .kind = VARIABLE_SIGNED,
	 .size = 16},
	{.name = "gone",
	 .type = "int",
	 .kind = VARIABLE_SIGNED,
	 .size = 4,
	 .optimized_out = true},
	{.name = "none", .type = "int", .kind = VARIABLE_SIGNED, .size = 4},
};
#define TABLE_SIZE (sizeof(table) / sizeof(*table))

struct debugfile {
	int open_variables; /* found and not destroyed yet */
};

/* The address of which a variable can only be found behind the prologue. */
#define STACKED_AT 0x400

static struct debugfile program;

const struct debugfile_facts *debugfile_facts(const struct debugfile *file)
{
	static const struct debugfile_facts facts = {.has_dwarf = true};

	assert_ptr_equal(file, &program);
	return &facts;
}

struct error *debugfile_find_variable(struct debugfile *file, uint64_t address,
				      bool at_entry, const char *name,
				      struct variable **out)
{
	if (at_entry && address == STACKED_AT)
		return error_create(ERROR_EVALUATE,
				    "not in a register; use break FUNC");
	for (size_t i = 0; i < TABLE_SIZE; i++) {
		if (strcmp(table[i].name, name) == 0) {
			file->open_variables++;
			*out = (struct variable *)(uintptr_t)&table[i];
			return NULL;
		}
	}
	return error_create(ERROR_NOT_FOUND, "no variable '%s'", name);
}

void variable_destroy(struct variable *variable)
{
	if (variable)
		program.open_variables--;
}

enum variable_kind variable_kind(const struct variable *variable)
{
	return variable->kind;
}

unsigned variable_size(const struct variable *variable)
{
	return variable->size;
}

const char *variable_type_name(const struct variable *variable)
{
	return variable->type;
}

struct error *variable_read(const struct variable *variable,
			    const struct frame_reader *reader,
			    struct value *out)
{
	(void)reader;
	if (variable->optimized_out)
		return error_create(ERROR_EVALUATE, "optimized out");
	*out = variable->value;
	return NULL;
}

void debugfile_each_variable(struct debugfile *file, uint64_t address,
			     debugfile_visit_fn *visit, void *context)
{
	(void)file;
	(void)address;
	for (size_t i = 0; i < TABLE_SIZE; i++)
		if (!visit(context, table[i].name))
			return;
}

/* ---- a thread that is an array ------------------------------------------ */

struct memory {
	char bytes[512]; /* at MEMORY */
	size_t reads, read_bytes;
};

static bool read_memory(void *context, uint64_t address, void *buffer,
			size_t size)
{
	struct memory *memory = context;

	memory->reads++;
	memory->read_bytes += size;
	if (address < MEMORY || address - MEMORY > sizeof(memory->bytes) ||
	    size > sizeof(memory->bytes) - (address - MEMORY))
		return false;
	memcpy(buffer, memory->bytes + (address - MEMORY), size);
	return true;
}

static bool node_count(void *context, uint32_t node, uint64_t *count)
{
	(void)context;
	if (node != 3)
		return false;
	*count = 41;
	return true;
}

struct thread {
	struct memory memory;
	struct user_regs_struct regs;
	struct expr_input input;
};

static void thread_init(struct thread *thread)
{
	static const int numbers[] = {10, -20, 30};
	static const uint64_t names[] = {MEMORY, MEMORY + 16};
	static const float f = 1.25f;
	static const double d = 2.5;
	static const long double l = 3.75L;

	memset(thread, 0, sizeof(*thread));
	memcpy(thread->memory.bytes, "hello", 6);
	memcpy(thread->memory.bytes + 16, "world", 6);
	memcpy(thread->memory.bytes + 32, numbers, sizeof(numbers));
	memcpy(thread->memory.bytes + 64, names, sizeof(names));
	memcpy(thread->memory.bytes + 96, &f, sizeof(f));
	memcpy(thread->memory.bytes + 104, &d, sizeof(d));
	memcpy(thread->memory.bytes + 112, &l, sizeof(l));
	/* the last bytes that can be read */
	memcpy(thread->memory.bytes + sizeof(thread->memory.bytes) - 3, "end",
	       3);
	thread->regs.rax = (uint64_t)-1;
	thread->regs.rdi = 1;
	thread->regs.rsi = 2;
	thread->regs.rdx = 3;
	thread->regs.rcx = 4;
	thread->regs.r8 = 5;
	thread->regs.r9 = (uint64_t)-6;
	thread->regs.rip = 0x401000;
	thread->regs.rsp = 0xffffffffff600000;
	thread->regs.rbp = 0x7ffc0010;
	thread->regs.rbx = 0x11223344556680ff;
	thread->input = (struct expr_input){
		.reader = {.read = read_memory,
			   .context = &thread->memory,
			   .regs = &thread->regs},
		.pid = 1234,
		.tid = 1235,
		.node_count = node_count,
	};
}

static struct error *evaluate_at(const char *text,
				 const struct expr_place *place,
				 struct thread *thread, struct value *out)
{
	struct bound_expr *bound;
	struct expr *expr;
	struct error *error;

	TRY(expr_parse(text, &expr));
	error = expr_bind(expr, place, &bound);
	if (!error) {
		error = bound_expr_evaluate(bound, &thread->input, out);
		bound_expr_destroy(bound);
	}
	expr_destroy(expr);
	assert_int_equal(program.open_variables, 0);
	return error;
}

static struct error *evaluate(const char *text, struct value *out)
{
	struct expr_place place = {
		.file = &program, .address = 0x1000, .at_exit = true};
	struct thread thread;

	thread_init(&thread);
	return evaluate_at(text, &place, &thread, out);
}

static void check(const char *text, struct value expected)
{
	struct value value;
	struct error *error = evaluate(text, &value);
	char a[32], b[32];

	if (error)
		fail_msg("%s: %s", text, error_message(error));
	if (value.kind != expected.kind || value.u != expected.u)
		fail_msg("%s: is %s (kind %d), not %s (kind %d)", text,
			 value_format(value, a), value.kind,
			 value_format(expected, b), expected.kind);
}

static void check_int(const char *text, int64_t expected)
{
	check(text, value_signed(expected));
}

static void check_error(const char *text, enum error_code code,
			const char *message)
{
	struct value value;
	struct error *error = evaluate(text, &value);

	if (!error)
		fail_msg("%s: no error", text);
	else if (error_code(error) != code ||
		 strcmp(error_message(error), message) != 0)
		fail_msg("%s: code %d: %s", text, error_code(error),
			 error_message(error));
	error_destroy(error);
}

/* ---- tests ----------------------------------------------------------------
 */

static void test_variables(void **state)
{
	(void)state;
	check_int("pages == 1", 1);
	check_int("pages", 1);
	check_int("negative", -5);
	check_int("negative < 0", 1);
	check_int("negative < 0u", 0);
	check_int("small", -3);
	check_int("-small", 3);
	check_int("big", INT64_MIN);
	check("letter", value_unsigned(200));
	check_int("letter + 100", 300);
	check_int("(char) letter", 200 - 256);
	check("count", value_unsigned(4000000000u));
	check("count + count", value_unsigned(3705032704));
	check_int("(int) count < 0", 1);
	check("size", value_unsigned(UINT64_MAX));
	check("size + 1", value_unsigned(0));
	check("flag", value_unsigned(1));
	check_int("!flag", 0);
	check_int("ns::total", 77);
	check_int("rax", 78);
	check("ratio * 2", value_float(0.5));
	check("third", value_float((double)(1.0f / 3.0f)));
	check_int("third == 1.0f / 3", 1);
	check_int("third == 1.0 / 3", 0);
	check("wide", value_float(1.5));
	check("pages == 1 ? negative : count", value_unsigned(4294967291));
	check("pages == 2 ? ratio : negative", value_float(-5));
}

static void test_registers(void **state)
{
	(void)state;
	check_int("$rax", -1);
	check_int("$rax == -1", 1);
	check_int("$eax", -1);
	check_int("$ret < 0", 1);
	check_int("$ret", -1);
	check_int("$rbx", 0x11223344556680ff);
	check_int("$ebx", 0x556680ff);
	check_int("$bx", (int16_t)0x80ff);
	check_int("$bl", -1);
	check_int("$bh", -128);
	check("$pc", value_unsigned(0x401000));
	check("$rip", value_unsigned(0x401000));
	check("$sp", value_unsigned(0xffffffffff600000));
	check("$fp", value_unsigned(0x7ffc0010));
	check_int("$arg1 + $arg2 * 10 + $arg3 * 100", 321);
	check_int("$arg4 * 10 + $arg5", 45);
	check_int("$arg6", -6);
	check_int("$pid", 1234);
	check_int("$tid - $pid", 1);
	check("$node(3)", value_unsigned(41));
	check("$node(3) + 1", value_unsigned(42));
}

static void test_pointers(void **state)
{
	(void)state;
	check("name", value_unsigned(MEMORY));
	check_int("name == 65536", 1);
	check_int("nothing == NULL", 1);
	check_int("nothing == 0", 1);
	check_int("!nothing", 1);
	check_int("!!name && !nothing", 1);
	check_int("*name", 'h');
	check_int("*(name + 4)", 'o');
	check_int("*(1 + name)", 'e');
	check_int("*numbers", 10);
	check_int("*(numbers + 1)", -20);
	check_int("*(numbers + 1u)", -20);
	check_int("*(2 + numbers)", 30);
	check_int("*(numbers + 3 - 1)", 30);
	check_int("(numbers + 2) - numbers", 2);
	check_int("numbers - (numbers + 2)", -2);
	check("*names", value_unsigned(MEMORY));
	check_int("**names", 'h');
	check_int("**(names + 1)", 'w');
	check_int("*(short *) name", 'h' | 'e' << 8);
	check("*(unsigned char *) (name + 1)", value_unsigned('e'));
	check_int("*(int *) (numbers + 1)", -20);
	check("*(unsigned *) (numbers + 1)", value_unsigned(4294967276));
	check("*(float *) 65632", value_float(1.25));
	check("*(double *) 65640", value_float(2.5));
	check("*(long double *) 65648", value_float(3.75));
	check_int("*((long double *) 65632 + 1) == 3.75", 1);
	check_int("*(char *) object", 'h');
	check_int("**(char **) (char *) 65600", 'h');
	check("(void *) name + 1", value_unsigned(MEMORY + 1));
	check("(unsigned long) name & 15", value_unsigned(0));
	check_int("name < name + 1", 1);
	check("pages ? name : 0", value_unsigned(MEMORY));
	check("pages ? 0 : name", value_unsigned(0));
	check_int("object == name", 1);
	check_error("*astray", ERROR_EVALUATE,
		    "column 1: cannot read memory at 0x10");
	check_error("*nothing", ERROR_EVALUATE,
		    "column 1: cannot read memory at 0x0");
	check_error("*object", ERROR_USAGE,
		    "column 1: what this points to is not supported in this "
		    "version; cast it to a basic type of C, as in *(int *) x");
	check_error("handler + 1", ERROR_USAGE,
		    "column 9: the size of what this points to is not known in "
		    "this version; cast it, as in (char *) p");
}

static void test_strings(void **state)
{
	struct expr_place place = {.file = &program};
	struct thread thread;
	struct value value;
	struct str text = {0};

	(void)state;
	check_int("name == \"hello\"", 1);
	check_int("\"hello\" == name", 1);
	check_int("name != \"hello\"", 0);
	check_int("name == \"hell\"", 0);
	check_int("name == \"hello!\"", 0);
	check_int("name != \"world\"", 1);
	check_int("name == \"he\" \"llo\"", 1);
	check_int("name == \"\\x68\" \"\\145llo\"", 1);
	check_int("name == \"\"", 0);
	check_int("name + 5 == \"\"", 1);
	check_int("alias == \"hello\"", 1);
	check_int("*(names + 1) == \"world\"", 1);
	check_int("(char *) ($arg1 * 65536) == \"hello\"", 1);
	check_int("nothing == \"x\"", 0);
	check_int("nothing != \"x\"", 1);
	check_int("pages == 1 && name == \"hello\" && 1", 1);
	check_error("astray == \"x\"", ERROR_EVALUATE,
		    "column 11: cannot read memory at 0x10");
	check_error("numbers == \"x\"", ERROR_USAGE,
		    "column 9: a string is compared with a value of type "
		    "'int *'; cast it to 'char *' if it points to one");
	/* "end" at the end of memory has no zero: a shorter or other string
	 * is not equal, the same one cannot be decided */
	check_int("name + 509 == \"en\"", 0);
	check_int("name + 509 == \"eXdxxxxx\"", 0);
	check_error("name + 509 == \"end\"", ERROR_EVALUATE,
		    "column 15: cannot read memory at 0x10200");

	/* no more is read than is needed */
	thread_init(&thread);
	memset(thread.memory.bytes, 'a', sizeof(thread.memory.bytes));
	assert_null(evaluate_at("name == \"b\"", &place, &thread, &value));
	assert_int_equal(value.i, 0);
	assert_int_equal(thread.memory.read_bytes, 2);
	str_append(&text, "name == \"b");
	for (int i = 0; i < 4000; i++)
		str_append_char(&text, 'a');
	str_append(&text, "\"");
	assert_null(evaluate_at(str_text(&text), &place, &thread, &value));
	assert_int_equal(value.i, 0);
	assert_int_equal(thread.memory.read_bytes, 2 + 256);
	str_deinit(&text);

	str_append(&text, "name == \"");
	for (int i = 0; i < 4096; i++)
		str_append_char(&text, 'a');
	str_append(&text, "\"");
	check_error(str_text(&text), ERROR_USAGE,
		    "column 9: a string to compare with has less than 4096 "
		    "bytes, none of them zero");
	str_deinit(&text);
}

static void test_bind_errors(void **state)
{
	(void)state;
	check_error("pagse == 1", ERROR_NOT_FOUND,
		    "column 1: there is no variable here that is called "
		    "'pagse'; is 'pages' what was meant?");
	check_error("1 + Pages", ERROR_NOT_FOUND,
		    "column 5: there is no variable here that is called "
		    "'Pages'; is 'pages' what was meant?");
	check_error("total", ERROR_NOT_FOUND,
		    "column 1: there is no variable here that is called "
		    "'total'");
	check_error("xyzzy_plugh", ERROR_NOT_FOUND,
		    "column 1: there is no variable here that is called "
		    "'xyzzy_plugh'");
	check_error("x", ERROR_NOT_FOUND,
		    "column 1: there is no variable here that is called 'x'");
	check_error("rdi > 1", ERROR_NOT_FOUND,
		    "column 1: there is no variable 'rdi' here; the register "
		    "is '$rdi'");
	check_error("$argl", ERROR_NOT_FOUND,
		    "column 1: there is no register or value called '$argl'; "
		    "is '$arg1' what was meant?");
	check_error("$arg7", ERROR_NOT_FOUND,
		    "column 1: there is no register or value called '$arg7'; "
		    "is '$arg1' what was meant?");
	check_error("$arg11", ERROR_NOT_FOUND,
		    "column 1: there is no register or value called '$arg11'; "
		    "is '$arg1' what was meant?");
	check_error("$RAX", ERROR_NOT_FOUND,
		    "column 1: there is no register or value called '$RAX'");
	check_error("array", ERROR_USAGE,
		    "column 1: 'array' is of type 'int[4]': arrays, "
		    "structures, unions and what has more than 64 bits are not "
		    "supported in this version");
	check_error("1 + huge", ERROR_USAGE,
		    "column 5: 'huge' is of type '__int128': arrays, "
		    "structures, unions and what has more than 64 bits are not "
		    "supported in this version");
	check_error("pages && gone", ERROR_EVALUATE,
		    "column 10: 'gone': optimized out");
	check_error("none", ERROR_EVALUATE,
		    "column 1: the variable has no value here");
	check_error("pages / (pages - 1)", ERROR_EVALUATE,
		    "column 7: division by zero");
	check_error("$node(4)", ERROR_EVALUATE, "column 1: there is no node 4");
	/* variables found before the error are let go: evaluate_at() looks */
	check_error("pages + count + nowhere", ERROR_NOT_FOUND,
		    "column 17: there is no variable here that is called "
		    "'nowhere'");
}

static void check_at(const char *text, struct expr_place place,
		     enum error_code code, const char *message)
{
	struct thread thread;
	struct value value;
	struct error *error;

	thread_init(&thread);
	error = evaluate_at(text, &place, &thread, &value);
	assert_non_null(error);
	assert_int_equal(error_code(error), code);
	assert_string_equal(error_message(error), message);
	error_destroy(error);
}

static void test_places(void **state)
{
	(void)state;
	check_at("1 + $ret", (struct expr_place){.file = &program}, ERROR_USAGE,
		 "column 5: '$ret' is known only where a function returns: "
		 "`break exit FUNC`");
	check_at("pages", (struct expr_place){0}, ERROR_NOT_FOUND,
		 "column 1: 'pages' cannot be looked up: the program is not "
		 "known here; registers ($rax, $arg1) can be used");
	check_at("3 < pages",
		 (struct expr_place){.file = &program,
				     .address = STACKED_AT,
				     .at_entry = true},
		 ERROR_EVALUATE,
		 "column 5: 'pages': not in a register; use break FUNC");
}

static void check_constant(const char *text, bool expected)
{
	struct expr_place place = {.file = &program, .at_exit = true};
	struct bound_expr *bound;
	struct expr *expr;

	assert_null(expr_parse(text, &expr));
	assert_null(expr_bind(expr, &place, &bound));
	assert_int_equal(bound_expr_is_constant(bound), expected);
	bound_expr_destroy(bound);
	expr_destroy(expr);
}

static void test_constant(void **state)
{
	(void)state;
	check_constant("1", true);
	check_constant("(1 + 2) * 3 ? NULL : (char *) 3", true);
	check_constant("pages", false);
	check_constant("0 && pages", false);
	check_constant("$rax", false);
	check_constant("$arg1", false);
	check_constant("$ret", false);
	check_constant("$pid", false);
	check_constant("$tid", false);
	check_constant("$node(1)", false);
	check_constant("*(int *) 4096", false);
	check_constant("(char *) 4096 == \"x\"", false);
}

/* One expression at two places at once, and nothing allocated meanwhile. */
static void test_binding_twice(void **state)
{
	struct expr_place one = {.file = &program};
	struct expr_place other = {.file = &program, .address = 0x2000};
	struct bound_expr *first, *second;
	struct thread thread;
	struct value value;
	struct expr *expr;
	size_t before;

	(void)state;
	thread_init(&thread);
	assert_null(expr_parse("pages == 1 && name == \"hello\" && "
			       "*(numbers + 2) / ratio > $arg1",
			       &expr));
	assert_null(expr_bind(expr, &one, &first));
	assert_null(expr_bind(expr, &other, &second));
	bound_expr_destroy(first);
	before = mallinfo2().uordblks;
	for (int i = 0; i < 1000; i++) {
		assert_null(bound_expr_evaluate(second, &thread.input, &value));
		assert_true(value_is_true(value));
	}
	assert_int_equal(mallinfo2().uordblks, before);
	bound_expr_destroy(second);
	expr_destroy(expr);
	assert_int_equal(program.open_variables, 0);
}

static void test_destroying_nothing(void **state)
{
	(void)state;
	expr_destroy(NULL);
	bound_expr_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_variables),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_pointers),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_bind_errors),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_constant),
		cmocka_unit_test(test_binding_twice),
		cmocka_unit_test(test_destroying_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
