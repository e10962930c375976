/*
 * code.h - a bound expression: instructions for a machine with a stack
 *
 * All types are known when an expression is bound, so that a value on the
 * stack needs no tag. Invariant: an integer on the stack is extended to 64 bits
 * by the sign of its type, a float is a double of float precision, a long
 * double is one, and what is no number is its address. Widening is therefore
 * nothing to do, but for long double, and the code has a CODE_CONVERT only
 * where bits change.
 * The stack never needs more than CODE_MAX_STACK values: binder.c sees to that.
 */
#ifndef EXPR_CODE_H
#define EXPR_CODE_H

#include "expr/syntax/syntax.h"
#include "perftool/arch.h"
#include "perftool/debuginfo.h"
#include "text_object.h"

#define CODE_MAX_STACK 256

enum code {
	/* one value more */
	CODE_PUSH,     /* `number` */
	CODE_VARIABLE, /* `variable`, by its value */
	CODE_ADDRESS,  /* of `variable`, where it is or in the scratch */
	CODE_SIZE, /* of `variable`, or `under` times an element of it, as its
		      type is now */
	CODE_FUNCTION,     /* the address of one: `number.u` in the file */
	CODE_REGISTER,     /* `reg` */
	CODE_ARGUMENT,     /* the ABI's argument `number.u`, from 0 */
	CODE_RETURN_VALUE, /* by the ABI */
	CODE_PID,
	CODE_TID,
	CODE_GOROUTINE, /* by `go` */
	CODE_COUNT,     /* of node `number.u` */
	/* the top value replaced */
	CODE_OFFSET,  /* plus `number.u` */
	CODE_LOAD,    /* by the `type` in memory, `number.u` behind it, of which
			 only `bits` are meant if there are any */
	CODE_ADJUST,  /* plus `number.u`, but a null pointer stays one */
	CODE_VIRTUAL, /* plus where the virtual base is that is member
			 `number.u` of the class `type`, which only the object
			 knows; the same of a null pointer */
	CODE_DYNAMIC, /* by where the class `type` is in the whole object that
			 it is part of; void: that object. `number.u`: what if
			 nowhere (see below); types are looked up in `file`
		       */
	CODE_BLOCKS,  /* the index on the top is gone; by where that element is
			 of the std::deque whose first iterator is at the value
			 below; `number.u`: bytes of an element */
	CODE_REAL,    /* by itself, if it is no address in the scratch */
	CODE_STRING, /* by 1 if it points to the string of `node`, else 0; of an
			array, `number.u` bytes at most */
	CODE_TEXT, /* by 1 if the object there is the string of `node`, else 0;
		      its words are where `text` says */
	CODE_VARIANT, /* nothing, if the object there, of `type`, is its variant
			 number `number.u`; `node` names what is in that */
	CODE_NEGATE,
	CODE_COMPLEMENT,
	CODE_NOT,   /* by !, of a `type` */
	CODE_TRUTH, /* by != 0, of a `type` */
	/* the value `under` the top replaced; 0: the top */
	CODE_CONVERT, /* `from` to `type` */
	CODE_SCALE,   /* multiplied by `number.i` */
	/* the value on the top and the one below it change places */
	CODE_EXCHANGE,
	/* two values become one; both are of `type` */
	CODE_MULTIPLY,
	CODE_DIVIDE,
	CODE_REMAINDER,
	CODE_ADD,
	CODE_SUBTRACT,
	CODE_LEFT,  /* the upper one is of type `from` */
	CODE_RIGHT, /* the same */
	CODE_LESS,
	CODE_LESS_EQUAL,
	CODE_GREATER,
	CODE_GREATER_EQUAL,
	CODE_EQUAL,
	CODE_NOT_EQUAL,
	CODE_AND,
	CODE_XOR,
	CODE_OR,
	/* jumps to instruction number `number.u` */
	CODE_AND_THEN, /* top false: it becomes 0, jump; true: it goes */
	CODE_OR_ELSE,  /* top true: it becomes 1, jump; false: it goes */
	CODE_UNLESS,   /* the top goes; jump if it was false */
	CODE_JUMP,     /* having converted the top `from` to `type` */
};

/* The `number` of CODE_DYNAMIC: what it does if the object is none of the
 * class.
 */
enum {
	DYNAMIC_OR_NULL,
	DYNAMIC_OR_ERROR,
};

/* Of a bit-field: from the lowest bit of the bytes that it begins in. */
struct bits {
	uint8_t offset, size; /* size 0: it is none */
};

static inline size_t bits_bytes(const struct bits *bits)
{
	return (bits->offset + bits->size + 7u) / 8;
}

struct instruction {
	uint8_t code; /* enum code */
	uint8_t under;
	struct bits bits;
	struct type type, from;
	const struct node *node; /* where it comes from, for messages */
	/* of another module: what it is in, whose bias counts; else NULL */
	struct debugfile *file;
	union {
		union number number;
		struct variable *variable; /* owned by the bound expression */
		struct arch_register reg;
		struct text_object text;
		const struct go_runtime *go;
	};
};

/* How gdb writes what is no more than a number here. */
enum form {
	FORM_VALUE,  /* by its type */
	FORM_CODE,   /* $rip: what points to code */
	FORM_STACK,  /* $rsp, $rbp: what points to data */
	FORM_FLAGS,  /* $eflags: by their names */
	FORM_MEMBER, /* &Class::member: by that; its class is the `from` of the
			only instruction */
};

struct bound_expr {
	VEC(struct instruction) code;
	struct type type; /* of the result */
	/* of a C++ reference as a whole, its own type; else NULL. Then so many
	 * instructions find what it refers to, which the others read. */
	struct debugtype *reference;
	size_t referred;
	uint8_t form;     /* enum form */
	uint64_t address; /* of the place, in the file */
	bool is_text;     /* an object that is a string: `text` */
	struct text_object text;
	bool is_sized; /* an array whose type CODE_SIZE knows */
	bool constant;
	bool needs_registers;   /* others than rip and rsp */
	bool uses_modules;      /* what it means depends on which there are */
	struct debugfile *file; /* NULL: none */
	enum debugfile_language language;
	struct expr *again; /* what was parsed again, knowing of types; or NULL
			     */
};

/* Free what the instruction owns. */
void instruction_destroy(struct instruction *instruction);

/* The code is all there: note what follows from it. */
void bound_expr_complete(struct bound_expr *bound);

/* Run the code; the input has a scratch. */
struct error *code_run(const struct bound_expr *bound,
		       const struct expr_input *input, union number *out);

/* How what the instruction names is read, by the bias of its module.
 * ERROR_EVALUATE: that is not loaded. */
struct error *code_reader(const struct instruction *at,
			  const struct expr_input *input,
			  struct frame_reader *out);

/* What CODE_SIZE measures. */
struct debugtype *code_sized_type(const struct instruction *at,
				  const struct frame_reader *reader);

/*
 * Convert a value of one type to another, as a cast does (C17 6.3.1).
 * ERROR_EVALUATE: a floating value that no value of the integer type is near.
 */
struct error *number_convert(union number *number, struct type from,
			     struct type to);

/* Two values become one, in the place of the left one. ERROR_EVALUATE. */
struct error *number_compute(const struct instruction *at, union number *left,
			     const union number *right);

bool number_truth(const union number *number, struct type type);

/* What bytes hold: as many as the bit-field needs, or the type has. */
void number_from_memory(union number *number, struct type type,
			const struct bits *bits, const void *bytes);

/* Would number_convert() leave every value as it is? */
bool number_converts_freely(struct type from, struct type to);

#endif
