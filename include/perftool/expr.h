/*
 * expr.h - expressions: conditions, values, keys
 *
 * C expressions without side effects, parsed once, bound to a place once (the
 * names become accessors), evaluated at every hit. Rule: spec of commands,
 * "Conditions and values".
 *
 * Types and conversions are C's (C17 6.3, 6.5) on x86-64: integers of 8 to 64
 * bits with a sign, float, double, pointers to these. What C leaves undefined:
 * arithmetic wraps; a division of an integer by zero, a quotient that does not
 * fit, a shift by too much, and a floating value cast to an integer type that
 * cannot hold it are ERROR_EVALUATE. A long double is computed with as double.
 * Operators: unary + - ! ~ *, casts to C's basic types and those of stdint.h
 * and pointers to them, * / % + - << >> < <= > >= == != & ^ | && || ?:.
 * Operands: numbers (0b too), characters, true, false, NULL, and
 *
 *	name, ns::name	a variable of the program
 *	$arg1 .. $arg6	an argument by the ABI, as long
 *	$ret		the return value by the ABI, as long; at exits only.
 *			Of a function that returns int only the low half is
 *			defined: (int) $ret
 *	$rax, $eax ...	a register: signed, as in gdb, but $rip, $rsp, $rbp
 *	$pc $sp $fp	$rip, $rsp, $rbp
 *	$pid $tid	int
 *	$node(N)	how often node N was reached, as unsigned long
 *
 * A pointer to char compared (==, !=) with a string compares what it points
 * to; NULL is equal to no string. Not yet: members, [], &, sizeof, casts to
 * the program's types, arrays and structures.
 */
#ifndef PERFTOOL_EXPR_H
#define PERFTOOL_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "perftool/base/error.h"
#include "perftool/base/hit.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo.h"

struct expr;

/*
 * Parse all of `text`; an error (ERROR_USAGE) names the offending word and its
 * column, counted in bytes from 1 at the first word.
 */
struct error *expr_parse(const char *text, struct expr **out);

/*
 * Parse as far as an expression goes; `*rest` is the first word behind it, or
 * the end of `text` (for lists such as key=EXPR:EXPR, where `:` outside ?:
 * ends an expression, as does an unmatched `)` or a word that is no operator).
 */
struct error *expr_parse_prefix(const char *text, const char **rest,
				struct expr **out);
void expr_destroy(struct expr *expr);

/* The text as it was written, without blanks around it. */
const char *expr_text(const struct expr *expr);

/*
 * The first variable of an expression (the memo's histogram variable) as an
 * expression of its own, or NULL when there is none; the caller destroys it.
 * `$arg1`, `$ret` and registers count as variables; `$pid`, `$tid` and
 * `$node(N)` do not.
 */
struct expr *expr_first_variable(const struct expr *expr);

/* The place an expression is bound to. */
struct expr_place {
	struct debugfile *file; /* NULL: no names but registers */
	uint64_t address;       /* in the file */
	bool at_entry;          /* the first instruction of a function */
	bool at_exit;           /* a return or tail jump: $ret is allowed */
};

struct bound_expr;

/*
 * Look its names up and check its types. ERROR_NOT_FOUND: a name, with its
 * column and, where there is one, a near name. ERROR_USAGE: operands that an
 * operator has no meaning for; `$ret` where nothing returns; what is not
 * supported. Otherwise what debugfile_find_variable() says. The expression and
 * the file must outlive the result; one expression can be bound many times.
 */
struct error *expr_bind(const struct expr *expr, const struct expr_place *place,
			struct bound_expr **out);
void bound_expr_destroy(struct bound_expr *bound);

/* Is it the same at every hit: nothing of the target, no $pid, no $node(N)?
 * (`1` is.) Such an expression can be evaluated with an empty input. */
bool bound_expr_is_constant(const struct bound_expr *bound);

struct expr_input {
	struct frame_reader reader; /* registers and memory of the thread */
	int32_t pid, tid;
	/* $node(N): the count of node N; false when there is no such node */
	bool (*node_count)(void *context, uint32_t node, uint64_t *count);
	void *context;
};

/*
 * The value: VALUE_SIGNED, VALUE_UNSIGNED (pointers too) or VALUE_FLOAT, as
 * the type of the expression is. ERROR_EVALUATE: division by zero, unreadable
 * memory, optimized out. Allocates nothing but an error.
 */
struct error *bound_expr_evaluate(const struct bound_expr *bound,
				  const struct expr_input *input,
				  struct value *out);

/*
 * Append the value as gdb's `print` writes it: by its type, a structure with
 * its members, an array with its elements (200 at most), a pointer to char with
 * its string, an enumeration by name. Errors as above.
 */
struct error *bound_expr_print(const struct bound_expr *bound,
			       const struct expr_input *input, struct str *out);

/*
 * What the value is called as a row of a table: the string that a pointer to
 * char or an array of char holds (its first bytes, what cannot be printed
 * escaped), an enumerator's name, else the number. Of `size` bytes with the
 * zero. Errors as above; a null pointer is "NULL".
 */
struct error *bound_expr_label(const struct bound_expr *bound,
			       const struct expr_input *input, char *buffer,
			       size_t size);

/*
 * Is the label always the digits of the value, so that nobody need write them
 * down at every hit? Not of strings and enumerations.
 */
bool bound_expr_is_number(const struct bound_expr *bound);

/* C's truth of a value: not zero. */
bool value_is_true(struct value value);

#endif
