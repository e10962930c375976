/*
 * expr.h - expressions: conditions, values, keys
 *
 * C expressions without side effects, parsed once, bound to a place once (the
 * names become accessors), evaluated at every hit. Rule: spec of commands,
 * "Conditions and values".
 *
 * Types are those of C and those of the program, as its debug information has
 * them; conversions are C's (C17 6.3, 6.5) on x86-64. What C leaves undefined:
 * arithmetic wraps; a division of an integer by zero, a quotient that does not
 * fit, a shift by too much, and a floating value cast to an integer type that
 * cannot hold it are ERROR_EVALUATE. Comparisons are of type int, and bool in
 * C++ and Rust.
 *
 * Operators: unary + - ! ~ * & sizeof _Alignof, casts to any type, . -> [], * /
 *% + -
 * << >> < <= > >= == != & ^ | && || ?:, C++'s words for them (`and`, `not`) and
 * casts (`static_cast<T>(x)`, `(T &) x`), and `x as u64` of Rust. Either of the
 * two that name a member is understood of a structure and of a pointer to one;
 * so are .0 of a tuple, and [] of a slice or a vector, in Rust, and [] of
 * std::vector, array, deque and string. A cast between classes goes to the base
 * or back, as static_cast does; a member that several bases have is refused.
 *The name of a type is C's (`unsigned long *`), or the program's: `struct node
 **`, `node_t`, `ns::Node<int> *`, seen from the scope that the place is in.
 *`(NAME) - 1` is a cast where NAME is a type and no variable.
 *
 * Operands: numbers (0b too), characters, true, false, NULL, and
 *
 *	name, ns::name	a variable of the program, an enumerator, or a function,
 *			which is its address; in a method a member of *this
 *	'file.c'::name	the static variable of that file
 *	$arg1 .. $arg6	an argument by the ABI, as long
 *	$ret		what the function returns, by its type, or as long where
 *			that is not known; at exits only
 *	$rax, $eax ...	a register: signed, as in gdb, but $rip, $rsp, $rbp
 *	$pc $sp $fp	$rip, $rsp, $rbp
 *	$pid $tid	int
 *	$g		the goroutine of a Go program: its number, or, where
 *			that is not known, the address of its descriptor, as
 *			unsigned long; 0: the thread executes none
 *	$node(N)	how often node N was reached, as unsigned long
 *
 * A pointer to char, or an array of char, compared (==, !=) with a string
 * compares what is there; NULL is equal to no string. With complex numbers
 * nothing can be computed. What is read is what is needed: of a member, or an
 * element, nothing else.
 */
#ifndef PERFTOOL_EXPR_H
#define PERFTOOL_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "perftool/base/error.h"
#include "perftool/base/hit.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo.h"
#include "perftool/fast.h"

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
 * Of a member or an element, `p->list[2].length`, it is that. `$arg1`, `$ret`
 * and registers count as variables; `$pid`, `$tid`, `$g` and `$node(N)` do
 * not.
 */
struct expr *expr_first_variable(const struct expr *expr);

/*
 * The modules of the program, where names are looked for that the place's own
 * does not know: for `extern` variables by their symbols, as the run-time
 * linker does it; else by debug information, by the symbols of data (their
 * types are not known: they must be cast; but `errno` is an int), of functions,
 * and last the static variables. The variables of a library that the program
 * has, too (copy relocations), are the program's.
 */
struct expr_modules {
	/* Their files, in the order of loading, the program's first; valid
	 * while the expression is bound. How many. NULL: not known. */
	size_t (*files)(void *context, struct debugfile *const **out);
	/* Where it was loaded; false: it is not there now. */
	bool (*bias)(void *context, const struct debugfile *file,
		     uint64_t *bias);
	void *context;
};

/* The place an expression is bound to. */
struct expr_place {
	struct debugfile *file; /* NULL: no names but registers */
	uint64_t address;       /* in the file */
	unsigned inlined; /* how many of the calls that were inlined there to
			     leave: names are those of the frame then reached,
			     number so many of debugfile_source_frames() */
	bool at_entry;    /* the first instruction of a function */
	bool at_exit;     /* a return or tail jump: $ret is allowed */
	bool no_code; /* nothing runs there: names are those of the file, as the
			 unit of `address` sees them; no local variables */
	struct expr_modules modules; /* as they are now */
};

struct bound_expr;

/*
 * Look its names up and check its types. ERROR_NOT_FOUND: a name, with its
 * column and, where there is one, a near name. ERROR_USAGE: operands that an
 * operator has no meaning for; `$ret` where nothing returns; what is not
 * supported. Otherwise what debugfile_find_variable() says. The expression and
 * the files must outlive the result; one expression can be bound many times.
 */
struct error *expr_bind(const struct expr *expr, const struct expr_place *place,
			struct bound_expr **out);
void bound_expr_destroy(struct bound_expr *bound);

/* An expression that is one variable, which it owns from here on, whatever
 * comes of it. */
struct error *expr_bind_variable(const struct expr_place *place,
				 const char *name, struct variable *variable,
				 struct bound_expr **out);

/* ERROR_USAGE: it is a structure, which can be no condition. */
struct error *bound_expr_require_number(const struct bound_expr *bound);

/* The same for what bound_expr_label() shall name: a string is good, too. */
struct error *bound_expr_require_label(const struct bound_expr *bound);

/* Does each of its values fit in a struct value? Not of integers of 128 bits:
 * one that does not is ERROR_EVALUATE. */
bool bound_expr_fits(const struct bound_expr *bound);

/* Is it the same at every hit: nothing of the target, no $pid, no $node(N)?
 * (`1` is.) Such an expression can be evaluated with an empty input. */
bool bound_expr_is_constant(const struct bound_expr *bound);

/* May it need other registers than rip and rsp, at the address that it was
 * bound to? Else reader.regs need only have these. */
bool bound_expr_needs_registers(const struct bound_expr *bound);

/* Does what it means, or that it can be bound, depend on which modules there
 * are? It is to be bound again when others have been loaded. */
bool bound_expr_uses_modules(const struct bound_expr *bound);

struct expr_input {
	struct frame_reader reader;  /* registers and memory of the thread */
	struct expr_modules modules; /* those of the process; `bias` is used */
	/* the frame has called another, and regs->rip is one less than the
	 * return address that $pc is: within the call instruction */
	bool is_caller;
	int32_t pid, tid;
	/* $node(N): the count of node N; false when there is no such node */
	bool (*node_count)(void *context, uint32_t node, uint64_t *count);
	/* append `<name+4>`, what has an address of the running program, with a
	 * blank before it; NULL: only the file that the expression is bound to
	 * is asked, and that by itself */
	void (*describe)(void *context, uint64_t address, struct str *out);
	void *context;
};

/*
 * The value: VALUE_SIGNED, VALUE_UNSIGNED (pointers too, and of an array where
 * it is) or VALUE_FLOAT, as the type of the expression is. ERROR_EVALUATE:
 * division by zero, unreadable memory, optimized out; a structure, which is no
 * number. Allocates nothing but an error.
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

/* The same as gdb writes variables beside each other: no type before a pointer;
 * `brief`: `...` for what has members or elements. */
struct error *bound_expr_print_plain(const struct bound_expr *bound,
				     const struct expr_input *input, bool brief,
				     struct str *out);

/*
 * What the value is called as a row of a table: the string that a pointer to
 * char, an array of char or an object like std::string holds (its first bytes,
 * what cannot be printed escaped), an enumerator's name, else the value as
 * bound_expr_print_plain() writes it: `0x401136 <handler>`, `true`, `65 'A'`.
 * Of `size` bytes with the zero. Errors as above; a null pointer is "NULL".
 */
struct error *bound_expr_label(const struct bound_expr *bound,
			       const struct expr_input *input, char *buffer,
			       size_t size);

/*
 * Is the label always the digits of the value, so that nobody need write them
 * down at every hit? So it is of integers that are nothing else.
 */
bool bound_expr_is_number(const struct bound_expr *bound);

/*
 * Is the label told by the value alone: of an enumeration, a character, a bool,
 * a pointer to what is no string? bound_expr_label_of() then is what
 * bound_expr_label() would have been when the expression had that value; of the
 * input, only the modules and the describing callbacks are used.
 */
bool bound_expr_label_is_of_value(const struct bound_expr *bound);
void bound_expr_label_of(const struct bound_expr *bound,
			 const struct expr_input *input, struct value value,
			 char *buffer, size_t size);

/* ---- for fast nodes --------------------------------------------------------
 */

/* Why an expression is not compiled, as what it does. */
#define EXPR_REFUSALS(X)                                                       \
	X(EXPR_POINTER, "follows a pointer")                                   \
	X(EXPR_FLOATING, "computes with floating point")                       \
	X(EXPR_WIDE, "computes with 128 bits")                                 \
	X(EXPR_DIVISOR, "divides by a variable")                               \
	X(EXPR_DIVISION, "divides by 0 or by -1")                              \
	X(EXPR_SHIFT, "shifts by a variable")                                  \
	X(EXPR_SHIFT_FAR, "shifts by too much")                                \
	X(EXPR_STRING, "compares strings")                                     \
	X(EXPR_TEXT, "is a string")                                            \
	X(EXPR_STRUCTURE, "is no number")                                      \
	X(EXPR_THREAD, "asks for $pid or $tid")                                \
	X(EXPR_GOROUTINE,                                                      \
	  "asks for $g where the Go runtime may not have begun")               \
	X(EXPR_COUNT, "asks how often a node was reached")                     \
	X(EXPR_REGISTER, "reads a register that is not a general one")         \
	X(EXPR_THREAD_LOCAL, "reads a thread-local variable")                  \
	X(EXPR_GONE, "reads a variable that is optimized out")                 \
	X(EXPR_SCATTERED, "reads a variable that is in no one place")          \
	X(EXPR_FRAME, "reads a variable whose frame is not there")             \
	X(EXPR_BEYOND, "reads beyond the end of a variable")                   \
	X(EXPR_BITS, "reads a bit-field that is not aligned")                  \
	X(EXPR_LENGTH, "needs the length of an array")                         \
	X(EXPR_MODULE, "reads a variable of another library")                  \
	X(EXPR_ADDRESS, "takes an address")                                    \
	X(EXPR_CLASS, "asks an object what it is")                             \
	X(EXPR_LONG, "is too long")

#define EXPR_REFUSAL(name, text) name,
enum expr_refusal {
	EXPR_COMPILED,
	EXPR_REFUSALS(EXPR_REFUSAL) EXPR_REFUSAL_COUNT
};
#undef EXPR_REFUSAL

/*
 * Compile the expression for the place it is bound to. EXPR_COMPILED: for every
 * state that a thread can be in there, the program computes the very bits that
 * bound_expr_evaluate() would give, which then would have no error; `form` is
 * what the value would be, but for these bits. Of the input counts where
 * modules are: it must be compiled again when that has changed.
 *
 * Compiled are integers, enumerations, pointers as numbers; of variables those
 * in a register, in the frame or of the program or the place's own file, their
 * members and their elements by constant indices.
 */
enum expr_refusal bound_expr_compile(const struct bound_expr *bound,
				     const struct expr_input *input,
				     struct fast_program *out,
				     struct value *form);

/* ---- goroutines ------------------------------------------------------------
 */

struct goroutine {
	uint64_t id;        /* as $g; 0: none */
	uint64_t stack_top; /* the end of its stack */
};

/* The one that the thread executes which the reader is of. False: it cannot be
 * told. */
bool goroutine_read(const struct go_runtime *go,
		    const struct frame_reader *reader, struct goroutine *out);

/* The same for a fast node, where debugfile_go_has_begun(). */
void goroutine_id_program(const struct go_runtime *go,
			  struct fast_program *out);
void goroutine_stack_program(const struct go_runtime *go,
			     struct fast_program *out);

/* C's truth of a value: not zero. */
bool value_is_true(struct value value);

#endif
