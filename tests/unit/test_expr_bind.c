/*
 * test_expr_bind.c - expressions over variables, registers and memory
 *
 * tier: core
 * covers: expr/bind expr/evaluate
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "expr_checks.h"
#include "expr_program.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/debug_variables.h"

/* In a thread at a place; no variable is left behind. */
static struct error *evaluate_in(const char *text,
				 const struct expr_place *place,
				 struct thread *thread, struct value *out)
{
	struct error *error = evaluate_at(text, place, &thread->input, out);

	assert_int_equal(program.open_variables, 0);
	return error;
}

static struct error *evaluate(const char *text, struct value *out)
{
	struct expr_place place = {.file = &program,
				   .address = 0x1000,
				   .at_exit = !strstr(text, "$arg")};
	struct thread thread;

	thread_init(&thread);
	return evaluate_in(text, &place, &thread, out);
}

static void check_int(const char *text, int64_t expected)
{
	check(text, value_signed(expected));
}

/* ---- tests ----------------------------------------------------------------
 */

static void test_variables_have_their_values(void **state)
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

static void test_registers_have_their_values(void **state)
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

static void test_pointers_are_followed_and_compared(void **state)
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
	check_int("*(char *) object", 7);
	check_int("**(char **) (char *) 65600", 'h');
	check("(void *) name + 1", value_unsigned(MEMORY + 1));
	check("(unsigned long) name & 15", value_unsigned(0));
	check_int("name < name + 1", 1);
	check("pages ? name : 0", value_unsigned(MEMORY));
	check("pages ? 0 : name", value_unsigned(0));
	check_int("any == name", 1);
	check_error("*astray", ERROR_EVALUATE,
		    "column 1: cannot read memory at 0x10");
	check_error("*nothing", ERROR_EVALUATE,
		    "column 1: cannot read memory at 0x0");
	check("handler + 1", value_unsigned(0x401235));
	check("any + 1", value_unsigned(MEMORY + 1));
	check_error("*any", ERROR_USAGE,
		    "column 1: what a 'void *' points to has no type; cast it, "
		    "as in *(int *) x");
	check_error("opaque + 1", ERROR_USAGE,
		    "column 8: the size of 'struct declared' is not known; "
		    "cast the pointer, as in (char *) p");
}

/* ---- places ---------------------------------------------------------------
 */

static void test_members_are_found(void **state)
{
	(void)state;
	check_int("item.id", 7);
	check_int("object->id", 7);
	/* either is understood of both, as in gdb */
	check_int("item->id", 7);
	check_int("object.id", 7);
	check_int("(*object).at.x", -3);
	check_int("object->at.y", 4);
	check_int("object->next->at.y", 10);
	check_int("object->next->next == 0", 1);
	check("item.as_float", value_float(1.5));
	check_int("item.as_int", 0x3fc00000);
	check("item.low", value_unsigned(5));
	check_int("item.high", -2);
	check_int("item.low - 6", -1);
	check("item.crossing", value_unsigned(0xfedcba987654321));
	check_int("item.crossing == 0xfedcba987654321", 1);
	check_int("object->where->y", 10);
	check("item.color", value_unsigned(BLUE));
	check_int("item.color == BLUE && RED != object->color", 1);
	check_int("pair.0", 7);
	check_int("pair.1.x", -3);
	check_int("(&pair)->0 + pair.1.y", 11);
	check_error("object->next->next->id", ERROR_EVALUATE,
		    "column 21: cannot read memory at 0x0");
}

static void test_elements_of_arrays_are_found(void **state)
{
	(void)state;
	check_int("array[1]", -20);
	check_int("array[pages]", -20);
	check_int("array[pages + 1]", 30);
	check_int("numbers[2]", 30);
	check_int("(numbers + 2)[-1]", -20);
	check_int("(numbers + 2)[-pages]", -20);
	check_int("*array", 10);
	check_int("*(array + 1)", -20);
	check_int("array + 1 - array", 1);
	check_int("item.numbers[1]", -2);
	check_int("object->numbers[pages + 1]", 3);
	check_int("item.points[1].y", 8);
	check_int("item.points[pages].x", 7);
	check_int("item.points[pages - 1].y", 6);
	check_int("object->points->x", 5);
	check_int("item.grid[1][2]", 6);
	check_int("item.grid[pages][pages]", 5);
	check_int("**item.grid", 1);
	check_int("*item.grid[1]", 4);
	check_int("item.name[0] == 'f' && object->name[4] == 't'", 1);
	check_int("names[1][0]", 'w');
	check_int("name[letter - 200]", 'h');
	check_int("array == numbers", 1);
	check_int("!array", 0);
	check("array && 1 ? array : 0", value_unsigned(MEMORY + 32));
	check_error("array[count]", ERROR_EVALUATE,
		    "column 6: cannot read memory at 0x3b9ada020");
}

/* C's `index[array]`, with an index that is a number or is computed. */
static void test_array_and_index_may_be_exchanged(void **state)
{
	(void)state;
	check_int("1[array]", -20);
	check_int("pages[array]", -20);
	check_int("(pages + 1)[numbers]", 30);
	check_int("(-pages)[numbers + 2]", -20);
	check_int("'b'[array - 97]", -20);
	check_int("pages[item.points].x", 7);
	check_int("(pages - 1)[object].points[pages].x", 7);
	check_int("1[item.grid][2]", 6);
	check_int("pages[item.grid][pages]", 5);
	check_int("pages[pages[item.grid]]", 5);
	check_int("(pages && flag)[array] + pages[array]", -40);
	check_int("(flag ? 2 : pages)[array]", 30);
	check_error("1[0]", ERROR_USAGE,
		    "column 2: '[' cannot be used on a value of type 'int'");
	check_error("pages[pages]", ERROR_USAGE,
		    "column 6: '[' cannot be used on a value of type 'int'");
	check_error("1[nosuch]", ERROR_NOT_FOUND, NULL);
	check_error("nosuch[1]", ERROR_NOT_FOUND, NULL);
}

/* FRONT written `count` times, MIDDLE, and BACK as often. */
static char *nested(const char *front, const char *middle, const char *back,
		    size_t count)
{
	struct str text = {0};

	for (size_t i = 0; i < count; i++)
		str_append(&text, front);
	str_append(&text, middle);
	for (size_t i = 0; i < count; i++)
		str_append(&text, back);
	return str_take(&text);
}

/* Binding an operand twice takes twice the time for each that it is part of:
 * these would then not end. */
static void test_many_subscripts_are_bound_quickly(void **state)
{
	static const struct {
		const char *front, *middle, *back;
		enum error_code code;
	} chains[] = {
		{"", "1", "[0]", ERROR_USAGE},
		{"", "nosuch", "[0]", ERROR_NOT_FOUND},
		{"", "pages", "[array]", ERROR_EVALUATE},
		{"", "0", "[array]", ERROR_EVALUATE},
		{"0[", "object", "].next", ERROR_EVALUATE},
		{"pages[", "object", "].next", ERROR_EVALUATE},
		{"0[", "nosuch", "]", ERROR_NOT_FOUND},
		{"pages[", "nosuch", "]", ERROR_NOT_FOUND},
		{"array[", "nosuch", "]", ERROR_NOT_FOUND},
		{"1[", "1", "]", ERROR_USAGE},
		{"sizeof(", "1[nosuch]", ")", ERROR_NOT_FOUND},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(chains) / sizeof(*chains); i++) {
		char *text = nested(chains[i].front, chains[i].middle,
				    chains[i].back, 60);

		check_error(text, chains[i].code, NULL);
		free(text);
	}
}

static void test_addresses_are_taken(void **state)
{
	(void)state;
	check("&item", value_unsigned(ITEM));
	check("&item.at", value_unsigned(ITEM + offsetof(struct item, at)));
	check("&object->at.y", value_unsigned(ITEM + offsetof(struct item, at) +
					      offsetof(struct point, y)));
	check("&item.numbers[2]",
	      value_unsigned(ITEM + offsetof(struct item, numbers) + 8));
	check("&*object", value_unsigned(ITEM));
	check_int("*&item.id", 7);
	check_int("(&item)->id", 7);
	check_int("(&item.points[1])[-1].x", 5);
	check("&array + 1", value_unsigned(MEMORY + 48));
	check_int("(&array)[0][1]", -20);
	check_int("&item == object", 1);
	check_int("&item.points[1] - item.points", 1);
	/* a function's name is its address where it was loaded */
	check("work", value_unsigned(0x1234));
	check("&work", value_unsigned(0x1234));
	check_int("handler != work && handler != &work", 1);
}

static void test_casts_convert(void **state)
{
	(void)state;
	check_int("((struct item *) any)->id == *(int *) name", 1);
	check_int("((struct item *) 65664)->at.y", 4);
	check_int("((item_t *) (long) object)->numbers[1]", -2);
	check_int("((const struct item *const) object)->id", 7);
	check_int("((point_t *) object->points)[1].y", 8);
	check("(enum color) 5", value_unsigned(BLUE));
	check_int("(enum color) 5 == BLUE", 1);
	check_int("((struct item) item).id", 7);
	check_int("(number_t) 3.9", 3);
	check_int("(number_t) ratio", 0);
	check_int("(number_t)(count)", -294967296);
	/* where NAME is a type, `-` has one side */
	check_int("(number_t) -ratio + 1", 1);
	check_int("(number_t) - 1.5", -1);
	check_int("(number_t) *numbers", 10);
	check_int("(number_t) +2.5 * 2", 4);
	check_int("(number_t) &item == 65664", 1);
	/* where it is a variable, two */
	check_int("(pages) - 1", 0);
	check_int("(pages) * 5 + (negative) - 1", -1);
	check("(count) & 255", value_unsigned(4000000000u & 255));
	check_error("(nowhere) - 1", ERROR_NOT_FOUND,
		    "column 2: there is no variable here that is called "
		    "'nowhere'");
	check_int("*(list<int,a<int>> *) numbers", 10);
	check_int("*(list<int, a<int> > *) numbers", 10);
	check_int("(pages<2) + (pages<2 && 3>pages)", 2);
}

static void test_sizeof_tells_sizes(void **state)
{
	(void)state;
	check("sizeof pages", value_unsigned(4));
	check("sizeof (pages)", value_unsigned(4));
	check("sizeof (int)", value_unsigned(4));
	check("sizeof (unsigned long *)", value_unsigned(8));
	check("sizeof (long double)", value_unsigned(16));
	check("sizeof item", value_unsigned(sizeof(struct item)));
	check("sizeof (struct item)", value_unsigned(sizeof(struct item)));
	check("sizeof (item_t)", value_unsigned(sizeof(struct item)));
	check("sizeof (item_t *)", value_unsigned(8));
	check("sizeof *object", value_unsigned(sizeof(struct item)));
	check("sizeof item.numbers", value_unsigned(16));
	check("sizeof item.numbers / sizeof item.numbers[0]",
	      value_unsigned(4));
	check("sizeof object->name", value_unsigned(8));
	check("sizeof (object)->name", value_unsigned(8));
	check("sizeof array + 1", value_unsigned(17));
	check("sizeof (array + 0)", value_unsigned(8));
	check("sizeof \"abc\"", value_unsigned(4));
	check("sizeof 'a'", value_unsigned(4));
	check("sizeof small + small", value_unsigned(UINT64_MAX - 1));
	check("sizeof (small + small)", value_unsigned(4));
	check("sizeof sizeof item", value_unsigned(8));
	/* not evaluated */
	check("sizeof *astray", value_unsigned(1));
	check("sizeof gone", value_unsigned(4));
	check("sizeof (pages / 0)", value_unsigned(4));
	check_error("sizeof nowhere", ERROR_NOT_FOUND,
		    "column 8: there is no variable here that is called "
		    "'nowhere'");
}

static void test_long_doubles_keep_their_precision(void **state)
{
	(void)state;
	check_int("stored == 3.75", 1);
	check_int("wide * 2 == 3.0L", 1);
	check_int("stored + 1e-18L > stored", 1);
	check_int("(double) (stored + 1e-18L) > 3.75", 0);
	check_int("1 / 3.0L == 1 / 3.0", 0);
	check_int("(double) (1 / 3.0L) == 1 / 3.0", 1);
	check_int("0.1L == 0.1", 0);
	check_int("0.1f == (float) 0.1L", 1);
	check_int("(long) (stored * 2)", 7);
	check_int("(long double) size == 18446744073709551615.0L", 1);
	check_int("size + 0.0L - 1 == 18446744073709551614.0L", 1);
	check_int("(long double) big < 0 && -stored < 0 && !!stored", 1);
	check_int("pages ? stored > 3 : 0", 1);
	check("pages ? stored : 1", value_float(3.75));
	check_int("stored > third && third < stored", 1);
	check("stored", value_float(3.75));
}

/* What is needed is read in one go. */
static void test_each_object_is_read_in_one_go(void **state)
{
	static const struct {
		const char *text;
		size_t reads, bytes;
	} cases[] = {
		{"item.id", 1, 4},
		{"item.at.y", 1, 4},
		{"item.points[1].y", 1, 4},
		{"object->id", 1, 4},
		{"object->next->at.x", 2, 10},
		{"object->grid[1][2]", 1, 4},
		{"item.high", 1, 1},
		{"item.crossing", 1, 8},
		{"&object->next->id == 0", 1, 8},
		{"sizeof item", 0, 0},
	};
	struct expr_place place = {.file = &program};
	struct thread thread;
	struct value value;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		thread_init(&thread);
		fail_with(cases[i].text,
			  evaluate_in(cases[i].text, &place, &thread, &value));
		if (thread.memory.reads != cases[i].reads ||
		    thread.memory.read_bytes != cases[i].bytes)
			fail_msg("%s: %zu reads of %zu bytes", cases[i].text,
				 thread.memory.reads, thread.memory.read_bytes);
	}
}

/* ---- other languages
 * ---------------------------------------------------------- */

static void test_bool_and_this_are_those_of_c_plus_plus(void **state)
{
	(void)state;
	program.language = LANGUAGE_C_PLUS_PLUS;
	check("pages == 1", value_unsigned(1));
	check("!pages || 0", value_unsigned(0));
	check_int("(pages == 1) + 1", 2);
	check("sizeof (pages == 1)", value_unsigned(1));
	check_error("b == 1", ERROR_NOT_FOUND,
		    "column 1: there is no variable here that is called 'b'");
	program.is_method = true;
	check_int("this->d", 21);
	check_int("b", 20);
	check_int("this->b + d", 41);
	check_int("ref", -20);
	check_int("this->ref + 1", -19);
	check("&ref", value_unsigned(MEMORY + 36));
	check_int("pages + d", 22); /* locals first */
	check_int("::d", 10);
	check_int("made", 30);
	check_int("bases", 10);
	check_int("this->made - this->bases", 20);
	check_int("((derived *) this)->d", 21);
	check_int("this->base::b + this->ns::base::b", 40);
	check_int("virtual.own", 31);
	check_int("virtual.b", 32);
	check_int("(&virtual)->b + 1", 33);
	check_error("nowhere_near.b", ERROR_EVALUATE,
		    "column 14: 'b': no object");
	check_int("(*(ns::derived *) this).b", 20);
	check_error("this->missing", ERROR_NOT_FOUND,
		    "column 7: no member 'missing' in ns::derived");
	program.is_method = false;
	program.language = LANGUAGE_C;
}

static void test_quoted_file_is_a_scope(void **state)
{
	(void)state;
	check_int("'file.c'::pages", -20);
	check_int("'file.c'::pages + pages", -19);
}

static void test_ret_has_the_type_of_the_result(void **state)
{
	(void)state;
	program.returns = true;
	check_int("$ret", -7);
	check_int("$ret < 0", 1);
	check("sizeof $ret", value_unsigned(4));
	program.returns = false;
	check("sizeof $ret", value_unsigned(8));
}

static void test_strings_are_compared(void **state)
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
	check_int("name != \"worldful\"", 1);
	check_int("name == \"he\" \"llo\"", 1);
	check_int("name == \"\\x68\" \"\\145llo\"", 1);
	check_int("name == \"\"", 0);
	check_int("name + 5 == \"\"", 1);
	check_int("bytes == \"hello\"", 1);
	/* an array holds its string, with a zero if there is room */
	check_int("text == \"hello\"", 1);
	check_int("text == \"hell\"", 0);
	check_int("\"hello\" != text", 0);
	check_int("full == \"worldful\"", 1);
	check_int("full == \"worldfull\"", 0);
	check_int("full == \"worldfu\"", 0);
	check_int("item.name == \"first\"", 1);
	check_int("object->next->name == \"fullname\"", 1);
	check_int("*(names + 1) == \"worldful\"", 1);
	check_int("(char *) ($arg1 * 65536) == \"hello\"", 1);
	check_int("nothing == \"x\"", 0);
	check_int("nothing != \"x\"", 1);
	check_int("pages == 1 && name == \"hello\" && 1", 1);
	check_error("astray == \"x\"", ERROR_EVALUATE,
		    "column 11: cannot read memory at 0x10");
	check_error(
		"numbers == \"x\"", ERROR_USAGE,
		"column 9: a string cannot be compared with a value of type "
		"'int *'; cast the value to 'char *' if it points to a string");
	/* "end" at the end of memory has no zero: a shorter or other string
	 * is not equal, the same one cannot be decided */
	check_int("name + 1021 == \"en\"", 0);
	check_int("name + 1021 == \"eXdxxxxx\"", 0);
	check_error("name + 1021 == \"end\"", ERROR_EVALUATE,
		    "column 16: cannot read memory at 0x10400");

	/* no more is read than is needed */
	thread_init(&thread);
	memset(thread.memory.bytes, 'a', sizeof(thread.memory.bytes));
	assert_null(evaluate_in("name == \"b\"", &place, &thread, &value));
	assert_int_equal(value.i, 0);
	assert_int_equal(thread.memory.read_bytes, 2);
	str_append(&text, "name == \"b");
	for (int i = 0; i < 4000; i++)
		str_append_char(&text, 'a');
	str_append(&text, "\"");
	assert_null(evaluate_in(str_text(&text), &place, &thread, &value));
	assert_int_equal(value.i, 0);
	assert_int_equal(thread.memory.read_bytes, 2 + 256);
	str_deinit(&text);

	str_append(&text, "name == \"");
	for (int i = 0; i < 4096; i++)
		str_append_char(&text, 'a');
	str_append(&text, "\"");
	check_error(str_text(&text), ERROR_USAGE,
		    "column 9: a string in a comparison must have fewer than "
		    "4096 bytes, none of them zero");
	str_deinit(&text);
}

static void test_wrong_names_and_types_give_errors(void **state)
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
	check_error("item + 1", ERROR_USAGE,
		    "column 6: '+' cannot be used on a value of type 'struct "
		    "item'");
	check_error("!item", ERROR_USAGE,
		    "column 1: '!' cannot be used on a value of type 'struct "
		    "item'");
	check_error("pages ? item : item", ERROR_USAGE,
		    "column 7: '?' cannot be used on a value of type 'struct "
		    "item'");
	check_error("item", ERROR_EVALUATE,
		    "column 1: a value of type 'struct item' is not a number; "
		    "use one of its members");
	check_error("*numbers.x", ERROR_USAGE,
		    "column 10: '.' cannot be used on a value of type 'int *'; "
		    "it has no members");
	check_error("item.idd", ERROR_NOT_FOUND,
		    "column 6: no member 'idd' in struct item; is 'id' what "
		    "was meant?");
	check_error("object->as_flat", ERROR_NOT_FOUND,
		    "column 9: no member 'as_flat' in struct item; is "
		    "'as_float' what was meant?");
	check_error("object->at.zzzzzz", ERROR_NOT_FOUND,
		    "column 12: no member 'zzzzzz' in struct point");
	check_error("numbers[1.5]", ERROR_USAGE,
		    "column 8: '[' cannot be used on a value of type "
		    "'double': an index is an integer");
	check_error("any[0]", ERROR_USAGE,
		    "column 4: '[' cannot be used on a value of type 'void *'; "
		    "cast it, as in ((int *) x)[0]");
	check_error("opaque[1]", ERROR_USAGE,
		    "column 7: the size of 'struct declared' is not known; "
		    "cast the pointer, as in (char *) p");
	check_error("opaque->x", ERROR_NOT_FOUND,
		    "column 9: no member 'x' in struct declared");
	check_error("&item.low", ERROR_USAGE,
		    "column 1: '&': a bit-field has no address");
	check_error("sizeof item.low", ERROR_USAGE,
		    "column 1: 'sizeof' cannot be used on a bit-field");
	check_error("_Alignof item.low", ERROR_USAGE,
		    "column 1: '_Alignof' cannot be used on a bit-field");
	check_error("sizeof *opaque", ERROR_USAGE,
		    "column 1: the size of 'struct declared' is not known");
	check_error("(struct item) 5", ERROR_USAGE,
		    "column 2: a value of type 'int' cannot be cast to 'struct "
		    "item'");
	check_error("(int) item", ERROR_USAGE,
		    "column 2: a value of type 'struct item' cannot be cast to "
		    "'int'");
	check_error("(struct thing *) name", ERROR_NOT_FOUND,
		    "column 2: there is no type that is called 'struct thing'");
	check_error("(thing *) name", ERROR_NOT_FOUND,
		    "column 2: there is no type that is called 'thing'");
	check_error("&pages", ERROR_EVALUATE,
		    "column 1: 'pages' is in a register and has no address");
	check_error("gone_item.id", ERROR_EVALUATE,
		    "column 1: 'gone_item': optimized out");
	check_error("twice == 1", ERROR_USAGE,
		    "column 1: there are 2 functions that are called 'twice'; "
		    "write the linkage name (_Z...) of one, or its address");
	check_error("scoped == 1", ERROR_NOT_FOUND,
		    "column 1: there is no variable here that is called "
		    "'scoped'; is 'stored' what was meant?");
	check_error("astray[3]", ERROR_EVALUATE,
		    "column 7: cannot read memory at 0x13");
	check_error("pages && gone", ERROR_EVALUATE,
		    "column 10: 'gone': optimized out");
	check_error("none", ERROR_EVALUATE,
		    "column 1: the variable has no value here");
	check_error("pages / (pages - 1)", ERROR_EVALUATE,
		    "column 7: division by zero");
	check_error("$node(4)", ERROR_EVALUATE, "column 1: there is no node 4");
	/* variables found before the error are let go: evaluate_in() looks */
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
	error = evaluate_in(text, &place, &thread, &value);
	assert_non_null(error);
	assert_int_equal(error_code(error), code);
	assert_string_equal(error_message(error), message);
	error_destroy(error);
}

static void test_rust_casts_convert(void **state)
{
	(void)state;
	check("negative as u8", value_unsigned(251));
	check("negative as u8 as i32 + 1", value_signed(252));
	check("-negative as u8", value_unsigned(5));
	check("negative as i64 * -2", value_signed(10));
	check("negative as f64 / 2.0", value_float(-2.5));
	check("ratio * 8.0 as f32", value_float(2));
	check("pages as bool == true", value_signed(1));
	check("*(numbers as *const u64 as *mut i32)", value_signed(10));
	check("count as usize", value_unsigned(4000000000u));
	check("negative as number_t", value_signed(-5));
	check_error("negative as", ERROR_USAGE,
		    "column 12: a type expected at the end");
	check_error("negative as *u8", ERROR_USAGE,
		    "column 14: 'const' or 'mut' expected before 'u8'");
	check_error("negative as nothing", ERROR_NOT_FOUND,
		    "column 10: there is no type that is called 'nothing'");
	check_error("as as", ERROR_USAGE,
		    "column 6: a type expected at the end");
}

static void test_values_unknown_at_a_place_give_errors(void **state)
{
	(void)state;
	check_at("1 + $ret", (struct expr_place){.file = &program}, ERROR_USAGE,
		 "column 5: '$ret' is known only where a function returns: "
		 "`break exit FUNC`");
	check_at("1 + $arg2",
		 (struct expr_place){.file = &program, .at_exit = true},
		 ERROR_USAGE,
		 "column 5: '$arg2' is known only where a function begins: "
		 "`break entry FUNC`; its register may hold something else "
		 "where it returns");
	check_at("pages", (struct expr_place){0}, ERROR_NOT_FOUND,
		 "column 1: 'pages' cannot be looked up: no program is chosen "
		 "(`file PROGRAM' chooses one), or this code is in no file "
		 "that perftool could open; a running program's registers "
		 "($rax, $arg1) can be used");
	check_at("3 < pages",
		 (struct expr_place){.file = &program,
				     .address = STACKED_AT,
				     .at_entry = true},
		 ERROR_EVALUATE,
		 "column 5: 'pages': not in a register; use break FUNC");
}

static void check_constant(const char *text, bool expected)
{
	struct expr_place place = {.file = &program,
				   .at_exit = !strstr(text, "$arg")};
	struct bound_expr *bound;
	struct expr *expr;

	assert_null(expr_parse(text, &expr));
	assert_null(expr_bind(expr, &place, &bound));
	assert_int_equal(bound_expr_is_constant(bound), expected);
	bound_expr_destroy(bound);
	expr_destroy(expr);
}

static void test_constants_are_recognized(void **state)
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
static void test_expression_is_bound_at_two_places(void **state)
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

static void test_null_can_be_destroyed(void **state)
{
	(void)state;
	expr_destroy(NULL);
	bound_expr_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_variables_have_their_values),
		cmocka_unit_test(test_registers_have_their_values),
		cmocka_unit_test(test_pointers_are_followed_and_compared),
		cmocka_unit_test(test_members_are_found),
		cmocka_unit_test(test_elements_of_arrays_are_found),
		cmocka_unit_test(test_array_and_index_may_be_exchanged),
		cmocka_unit_test(test_many_subscripts_are_bound_quickly),
		cmocka_unit_test(test_addresses_are_taken),
		cmocka_unit_test(test_casts_convert),
		cmocka_unit_test(test_sizeof_tells_sizes),
		cmocka_unit_test(test_long_doubles_keep_their_precision),
		cmocka_unit_test(test_each_object_is_read_in_one_go),
		cmocka_unit_test(test_bool_and_this_are_those_of_c_plus_plus),
		cmocka_unit_test(test_quoted_file_is_a_scope),
		cmocka_unit_test(test_ret_has_the_type_of_the_result),
		cmocka_unit_test(test_strings_are_compared),
		cmocka_unit_test(test_wrong_names_and_types_give_errors),
		cmocka_unit_test(test_rust_casts_convert),
		cmocka_unit_test(test_values_unknown_at_a_place_give_errors),
		cmocka_unit_test(test_constants_are_recognized),
		cmocka_unit_test(test_expression_is_bound_at_two_places),
		cmocka_unit_test(test_null_can_be_destroyed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
