/*
 * expr.h - expressions: conditions, values and keys
 *
 * An expression is written in the notation of C and has no side effects. The
 * tool parses it once, binds it once to each place (each address at which a
 * breakpoint is; the names become accessors), and evaluates it at every hit.
 *
 * Types are those of C and those that the debug information of the program
 * defines. Conversions are those of C (C17 6.3, 6.5) on x86-64. Where C leaves
 * a result undefined, this holds: arithmetic wraps; ERROR_EVALUATE is the
 * result of a division of an integer by zero, of a quotient that does not fit,
 * of a shift by the width of the type or more, and of a cast of a floating
 * value to an integer type that cannot hold it. A comparison has the type int,
 * in C++ and Rust the type bool.
 *
 * Operators:
 *
 *	unary		+ - ! ~ * & sizeof _Alignof and casts to any type
 *	postfix		. -> []
 *	binary		* / % + - << >> < <= > >= == != & ^ | && ||
 *	conditional	?:
 *
 * C++'s words for operators (`and`, `not`), C++'s casts (`static_cast<T>(x)`,
 * `(T &) x`) and Rust's `x as u64` are understood, too. Both `.` and `->` take
 * a structure or a pointer to one. `.0` names a member of a tuple of Rust. `[]`
 * also takes a slice or a vector of Rust, and std::vector, array, deque and
 * string. A cast between classes goes to the base class or back, as static_cast
 * does. An expression that names a member which several base classes have is
 * refused.
 *
 * The name of a type is one of C (`unsigned long *`) or one of the program:
 * `struct node **`, `node_t`, `ns::Node<int> *`, as the code at the place sees
 * it. `(NAME) - 1` is a cast if NAME is a type and no variable is called so.
 *
 * Operands are numbers (`0b` too), characters, true, false, NULL, and
 *
 *	name, ns::name	a variable of the program, an enumerator, or a function,
 *			which stands for its address; in a method also a member
 *			of *this
 *	'file.c'::name	the static variable of that file
 *	$arg1 .. $arg6	an argument by the ABI, as long; at a static probe an
 *			argument of the probe ($arg1 .. $arg12), with its type
 *	$ret		the value that the function returns, by its type, or as
 *			long where the type is not known; at exits only
 *	$rax, $eax ...	a register: signed, as in gdb, but for $rip, $rsp, $rbp
 *	$pc $sp $fp	$rip, $rsp, $rbp
 *	$pid $tid	int
 *	$g		the goroutine of a Go program: its number or, where that
 *			is not known, the address of its descriptor, as
 *			unsigned long; 0 if the thread executes none
 *	$caller		the function that has called the function of the place,
 *			as an address; as a label, its name. A call that was
 *			inlined counts. At an exit it is the function that the
 *			frame returns to
 *	$node(N)	how often node N was reached, as unsigned long
 *
 * If a pointer to char, or an array of char, is compared (==, !=) with a string
 * literal, the strings are compared; NULL is equal to no string. `$caller` is
 * compared with the name of a function. An expression
 * cannot compute with complex numbers. The tool reads no more memory than the
 * expression needs: of a structure one member, of an array one element.
 */
#ifndef PERFTOOL_EXPR_H
#define PERFTOOL_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "perftool/base/error.h"
#include "perftool/base/hit.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/debuginfo/go_program.h"
#include "perftool/fast_node.h"

struct expr;

/*
 * Parse all of `text`. An error (ERROR_USAGE) names the offending word and its
 * column, which is counted in bytes from 1 at the first word.
 */
struct error *expr_parse(const char *text, struct expr **out);

/*
 * Parse the expression that `text` begins with. `*rest` is the first word
 * behind it, or the end of `text`. An expression ends before a `:` outside of
 * ?:, before an unmatched `)`, and before a word that is no operator; the
 * caller can parse lists such as key=EXPR:EXPR in this way.
 */
struct error *expr_parse_prefix(const char *text, const char **rest,
				struct expr **out);
void expr_destroy(struct expr *expr);

/* The caller knows that the memory which the expression reads through pointers
 * can always be read: a fast node may read it, which it cannot do otherwise. */
void expr_trust_pointers(struct expr *expr);

/* The text of the expression as the user wrote it, without blanks around it. */
const char *expr_text(const struct expr *expr);

/*
 * The first variable of an expression (the memo's histogram variable) as an
 * expression of its own, or NULL if there is none. The caller destroys it. If a
 * member or an element of the variable is used, as in `p->list[2].length`, the
 * whole of that is the result. `$arg1`, `$ret` and registers count as
 * variables; `$pid`, `$tid`, `$g`, `$caller` and `$node(N)` do not.
 */
struct expr *expr_first_variable(const struct expr *expr);

/*
 * The modules of the program. The binder asks them for names that the file of
 * the place does not know, and for `extern` variables.
 *
 * An `extern` variable is found by its symbol, as the run-time linker finds it.
 * Any other name is looked for in this order: debug information of the other
 * modules, symbols of data, functions, static variables. A symbol of data has
 * no type, so that its use must be cast; only `errno` is known to be an int. If
 * the program has a copy of a library's variable (a copy relocation), the
 * variable is that of the program.
 */
struct expr_caller {
	/* The name without parameters, or `module+0x1234`. It is valid until
	 * modules come or go, and until the next call. NULL: not known. */
	const char *name;
	uint64_t function; /* the run-time address of the function */
};

struct expr_modules {
	/*
	 * The files in the order of loading, that of the program first. They
	 * are valid while the expression is bound. Returns how many there are.
	 * NULL: the modules are not known.
	 */
	size_t (*files)(void *context, struct debugfile *const **out);
	/*
	 * The bias of the file: run-time address minus address in the file.
	 * False: the file is not loaded now.
	 */
	bool (*bias)(void *context, const struct debugfile *file,
		     uint64_t *bias);
	/*
	 * The function that has made a call: the one with this return address
	 * or, if `frame` is not 0, source frame number `frame` at this address.
	 * `out` holds the address as the function, and no name, before the
	 * call. NULL: functions cannot be named.
	 */
	void (*caller)(void *context, uint64_t address, unsigned frame,
		       struct expr_caller *out);
	void *context;
};

/* The place an expression is bound to. */
struct expr_place {
	struct debugfile *file; /* NULL: no names but registers */
	uint64_t address;       /* address in the file */
	/* In which frame names are looked up: frame number `inlined` of
	 * debugfile_source_frames(). 0 is the innermost frame; each further
	 * number leaves one call that the compiler inlined at the address. */
	unsigned inlined;
	bool at_entry; /* the first instruction of a function */
	bool at_exit;  /* a return or tail jump: `$ret` is allowed */
	/* The place is a static probe: $arg1, $arg2 and so on are the arguments
	 * that its note describes. */
	bool at_probe;
	bool no_code; /* No code runs at the place: names are those that the
			 compilation unit of `address` sees, without local
			 variables. */
	struct expr_modules modules; /* as they are at the time of binding */
};

struct bound_expr;
struct variable; /* perftool/debuginfo/debug_variables.h */

/*
 * Look the names of the expression up and check its types. One expression can
 * be bound many times. The expression and the files must outlive the result.
 *
 * ERROR_NOT_FOUND: a name is not known; the message has its column and, if
 * there is one, a similar name. ERROR_USAGE: an operator is not defined for its
 * operands, `$ret` is used where no function returns, or something is not
 * supported. Other errors are those of debugfile_find_variable().
 */
struct error *expr_bind(const struct expr *expr, const struct expr_place *place,
			struct bound_expr **out);
void bound_expr_destroy(struct bound_expr *bound);

/*
 * Bind an expression that is one variable. The function takes ownership of the
 * variable, also if it fails.
 */
struct error *expr_bind_variable(const struct expr_place *place,
				 const char *name, struct variable *variable,
				 struct bound_expr **out);

/* ERROR_USAGE: the value is a structure, which cannot be a condition. */
struct error *bound_expr_require_number(const struct bound_expr *bound);

/*
 * ERROR_USAGE: bound_expr_label() has no label for the value, because it is
 * neither a string nor a value that bound_expr_require_number() accepts.
 */
struct error *bound_expr_require_label(const struct bound_expr *bound);

/*
 * Is the expression `$caller` alone? A fast node then records a code address.
 * bound_expr_label_of() makes the label of it, and bound_expr_calling() the
 * value that the expression has.
 */
bool bound_expr_is_caller(const struct bound_expr *bound);
uint64_t bound_expr_calling(const struct bound_expr *bound,
			    const struct expr_modules *modules,
			    uint64_t address);

/*
 * Does every value of the expression fit in a struct value? An integer of 128
 * bits may not: if it is too large, bound_expr_evaluate() fails with
 * ERROR_EVALUATE.
 */
bool bound_expr_fits(const struct bound_expr *bound);

/*
 * Is the value the same at every hit, as that of `1`? It is if the expression
 * uses nothing of the target, no $pid and no $node(N). Such an expression can
 * be evaluated with an empty input.
 */
bool bound_expr_is_constant(const struct bound_expr *bound);

/*
 * May the evaluation need other registers than rip and rsp, at the address that
 * the expression was bound to? If not, the registers of the reader (struct
 * expr_input) need only have these two.
 */
bool bound_expr_needs_registers(const struct bound_expr *bound);

/*
 * Does the meaning of the expression, or whether it can be bound at all, depend
 * on which modules are loaded? It must then be bound again when other modules
 * have been loaded.
 */
bool bound_expr_uses_modules(const struct bound_expr *bound);

struct expr_input {
	struct frame_reader reader;  /* registers and memory of the thread */
	struct expr_modules modules; /* the modules of the process */
	/*
	 * The frame of the reader is not the innermost one: it has called
	 * another frame. regs->rip is then one byte less than the return
	 * address, so that it is within the call instruction; `$pc` is the
	 * return address.
	 */
	bool is_caller;
	int32_t pid, tid;
	/* `$node(N)`: the count of node N. False: there is no such node. */
	bool (*node_count)(void *context, uint32_t node, uint64_t *count);
	/*
	 * Append a blank and `<name+4>`, the symbol that an address of the
	 * running program belongs to. NULL: only the symbols of the file that
	 * the expression is bound to are used.
	 */
	void (*describe)(void *context, uint64_t address, struct str *out);
	void *context;
};

/*
 * Evaluate the expression. The value is VALUE_SIGNED, VALUE_UNSIGNED (also for
 * a pointer, and for an array, whose value is its address) or VALUE_FLOAT, by
 * the type of the expression. ERROR_EVALUATE: division by zero, memory that
 * cannot be read, a variable that is optimized out, or a structure, which is
 * not a number. Allocates nothing but an error.
 */
struct error *bound_expr_evaluate(const struct bound_expr *bound,
				  const struct expr_input *input,
				  struct value *out);

/*
 * Write the label that the value has as a row of a table. This is the string
 * that a pointer to char, an array of char or an object like std::string holds
 * (its first bytes, with escapes for what cannot be printed), the name of an
 * enumerator, or else the value as gdb writes it:
 * `0x401136 <handler>`, `true`, `65 'A'`. A null pointer has the label "NULL".
 * `size` is that of the buffer, with the final zero byte. The errors are those
 * of bound_expr_evaluate().
 */
struct error *bound_expr_label(const struct bound_expr *bound,
			       const struct expr_input *input, char *buffer,
			       size_t size);

/*
 * Is the label always the digits of the value? It is for integers that are
 * neither characters nor enumerations. Nobody then needs to store a label at
 * every hit.
 */
bool bound_expr_is_number(const struct bound_expr *bound);

/* Is the label the text of a string in the program? */
bool bound_expr_is_string(const struct bound_expr *bound);

/*
 * Does the value alone determine the label? It does for an enumeration, a
 * character, a bool, and a pointer that is not one to a string.
 * bound_expr_label_of() then gives the label that bound_expr_label() would have
 * given when the expression had that value. It uses only the modules and the
 * describing callback of the input.
 */
bool bound_expr_label_is_of_value(const struct bound_expr *bound);
void bound_expr_label_of(const struct bound_expr *bound,
			 const struct expr_input *input, struct value value,
			 char *buffer, size_t size);

/*
 * Is the label a text that ends with a zero byte, and is the value the text's
 * address? Returns the size of the memory that the text is in, SIZE_MAX if the
 * value is a pointer to it; 0: the label is none. bound_expr_label_of_text()
 * makes the label from this address; it reads the text by the input's reader,
 * and uses nothing else of the input.
 */
size_t bound_expr_text_size(const struct bound_expr *bound);
struct error *bound_expr_label_of_text(const struct bound_expr *bound,
				       const struct expr_input *input,
				       uint64_t address, char *buffer,
				       size_t size);

/* ---- for fast nodes ---- */

/* Why an expression is not compiled. The text says what the expression does. */
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
	X(EXPR_CALLER, "compares who has called")                              \
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
 * Compile the expression for the place that it is bound to. If the result is
 * EXPR_COMPILED, the program computes, for every state that a thread can have
 * at the place, exactly the bits that bound_expr_evaluate() would give, and
 * that evaluation would have no error. `*form` becomes a value of the kind that
 * bound_expr_evaluate() would give, without the bits. Where the expression
 * follows a pointer, the program has a step of its own (FAST_LOAD), which may
 * find that it cannot read there. The program depends on where the modules of
 * the input are loaded, and must be compiled again when that has changed.
 *
 * The compiler accepts integers, enumerations and pointers as numbers. Of
 * variables it accepts those in a register, in the frame, and static ones of
 * the program or of the file of the place, their members, and their elements
 * with constant indices.
 */
enum expr_refusal bound_expr_compile(const struct bound_expr *bound,
				     const struct expr_input *input,
				     struct fast_program *out,
				     struct value *form);

/* ---- goroutines ---- */

struct goroutine {
	uint64_t id;        /* the value of $g; 0: none */
	uint64_t stack_top; /* the end of the goroutine's stack */
};

/*
 * Read which goroutine the thread of the reader executes. False: the goroutine
 * cannot be determined.
 */
bool goroutine_read(const struct go_runtime *go,
		    const struct frame_reader *reader, struct goroutine *out);

/*
 * Make the programs with which a fast node computes `id` and `stack_top` of
 * struct goroutine. They may only run where debugfile_go_has_begun() is true,
 * that is, where the Go runtime has begun.
 */
void goroutine_id_program(const struct go_runtime *go,
			  struct fast_program *out);
void goroutine_stack_program(const struct go_runtime *go,
			     struct fast_program *out);

/* C's truth of a value: whether it is not zero. */
bool value_is_true(struct value value);

#endif
