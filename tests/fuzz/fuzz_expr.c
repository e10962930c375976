/*
 * fuzz_expr.c - any text as an expression
 *
 * It is bound to a function of this program, whose types and variables are
 * those of the debug information it has, and evaluated, printed and labelled
 * over a memory of which a part can be read. Compiled, it is the same.
 */
#include <stdlib.h>
#include <string.h>

#include "../arch/fast_steps.h"
#include "itself.h"
#include "perftool/expr.h"
#include "perftool/expr_print.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum color { RED, GREEN = 4 };

struct item {
	int id;
	char name[8];
	struct item *next;
	struct {
		short x;
		double y;
	} points[3];
	union {
		float f;
		unsigned u;
	};
	unsigned low : 3;
	long high : 40;
	enum color color;
	long double wide;
	int (*handler)(struct item *);
};

static struct item item;
static int numbers[2][4];

/* Where names are looked up. */
__attribute__((noinline, used)) static int subject(struct item *p, int n)
{
	volatile char text[16] = "text";
	static long kept;

	kept += n + numbers[1][n & 3];
	return p->id + text[n & 7] + (int)kept + item.id;
}

/* itself_memory() where nothing is missing. */
static uint64_t load_memory(const void *context, uint64_t address,
			    unsigned size)
{
	uint64_t value = 0;

	(void)context;
	for (unsigned i = 0; i < size; i++, address++)
		value |= (uint64_t)(uint8_t)(address * 37 >> 3) << i * 8;
	return value;
}

static struct debugfile *file;
static struct expr_place place;

static void open_file(void)
{
	if (file)
		return;
	place.address = itself_open(&file) + 12;
	place.file = file;
	place.at_exit = true;
	if (subject(&item, 0) == 12345)
		abort();
}

/* `value` was evaluated: the program must compute it. */
static void compare(const struct bound_expr *bound,
		    const struct expr_input *input, struct value value)
{
	struct fast_program program;
	struct value form;

	if (bound_expr_compile(bound, input, &program, &form) != EXPR_COMPILED)
		return;
	if (form.kind != value.kind || form.is_address != value.is_address ||
	    fast_steps_run(&program, input->reader.regs, load_memory, NULL) !=
		    value.u)
		abort();
}

static void visit(const struct expr *expr)
{
	struct user_regs_struct regs = {
		.rsp = 0x7ffc1000, .rbp = 0x7ffc2000, .rip = place.address};
	const struct expr_input input = {
		.reader = {.read = itself_memory, .regs = &regs},
	};
	struct bound_expr *bound;
	struct value value;
	struct str out = {0};
	char label[24];
	struct error *error = expr_bind(expr, &place, &bound);

	error_destroy(error);
	if (error)
		return;
	error = bound_expr_evaluate(bound, &input, &value);
	if (!error)
		compare(bound, &input, value);
	error_destroy(error);
	error_destroy(bound_expr_print(bound, &input, &out));
	error_destroy(bound_expr_label(bound, &input, label, sizeof(label)));
	str_deinit(&out);
	bound_expr_destroy(bound);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	const char *rest;
	struct expr *expr, *first;
	struct error *error;

	open_file();
	memcpy(text, data, size);
	text[size] = '\0';
	error = expr_parse(text, &expr);
	error_destroy(error);
	if (!error) {
		first = expr_first_variable(expr);
		visit(expr);
		if (first)
			visit(first);
		expr_destroy(first);
		expr_destroy(expr);
	}
	error = expr_parse_prefix(text, &rest, &expr);
	error_destroy(error);
	if (!error) {
		visit(expr);
		expr_destroy(expr);
	}
	free(text);
	return 0;
}
