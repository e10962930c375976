/*
 * code.h - a bound expression: instructions for a machine with a stack
 *
 * The binder knows all types, so a value on the stack needs no tag. Invariant:
 * an integer on the stack is extended to 64 bits by the sign of its type; one
 * of 128 bits is held as such; a float is held as a double, rounded to the
 * precision of a float; a long double is held as such; a value that is no
 * number is represented by its address. Widening therefore needs no
 * instruction, except to long double and to 128 bits: the code has a
 * CODE_CONVERT only where bits change. The binder makes sure that the stack
 * never needs more than CODE_MAX_STACK values. The scratch
 * (perftool/debuginfo.h) is where the reader puts values together that are not
 * in memory as a whole; such a value has an address in the scratch.
 */
#ifndef EXPR_CODE_H
#define EXPR_CODE_H

#include "expr/syntax/syntax.h"
#include "perftool/arch.h"
#include "perftool/debuginfo.h"
#include "perftool/debuginfo/debug_variables.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/debuginfo/go_program.h"
#include "text_object.h"

#define CODE_MAX_STACK 256

enum code {
	/* ---- these push a value ---- */
	CODE_PUSH,     /* `number` */
	CODE_VARIABLE, /* the value of `variable` */
	CODE_ADDRESS,  /* the address of `variable`; it may be in the scratch */
	CODE_SIZE, /* the size of `variable`, an array, at the hit; if `under`
		      is not 0, of its element this many dimensions inside */
	CODE_FUNCTION, /* the address of a function: `number.u` in the file */
	CODE_REGISTER, /* the value of `reg` */
	CODE_VECTOR, /* the `type` in the low bytes of the vector register with
			the DWARF number `number.u` */
	CODE_ARGUMENT,     /* the ABI's argument `number.u`, from 0 */
	CODE_RETURN_VALUE, /* by the ABI */
	CODE_PID,
	CODE_TID,
	CODE_GOROUTINE, /* the number of the goroutine, read by `go` */
	CODE_COUNT,     /* how often node `number.u` was reached */
	CODE_CALLER,    /* the return address of the frame, see caller.h */
	/* ---- these replace the top value ---- */
	CODE_OFFSET, /* add `number.u` */
	CODE_LOAD,   /* the `type` that is in memory `number.u` bytes behind the
			address; if there are `bits`, only those */
	CODE_ADJUST, /* add `number.u`, but keep a null pointer */
	CODE_VIRTUAL, /* add the offset of the virtual base that is member
			 `number.u` of the class `type`, which only the object
			 knows; keep a null pointer */
	CODE_DYNAMIC, /* the address of the part of class `type` in the complete
			 object that the object belongs to; void: of the
			 complete object. `number.u` says what to do if there is
			 no such part; types are looked up in `file` */
	CODE_BLOCKS,  /* pop the index, and replace the address of the first
			 iterator of a std::deque by that of the element;
			 `number.u`: bytes of an element */
	CODE_REAL,    /* an error if the address is in the scratch */
	CODE_STRING, /* 1 if the string at the address is equal to the string of
			`node`, else 0; if `number.u` is not 0, the string is in
			an array of this number of bytes */
	CODE_TEXT, /* 1 if the object at the address holds the string of `node`,
		      else 0; `text` says where the object has its two words */
	CODE_VARIANT,   /* an error if the object at the address, of `type`, is
			   not its variant number `number.u`; `node` names a
			   member of that variant */
	CODE_CALLING,   /* the address of the function that the address of
			   CODE_CALLER belongs to */
	CODE_CALLED_BY, /* 1 if the string of `node` names that function, else
			   0 */
	CODE_NEGATE,
	CODE_COMPLEMENT,
	CODE_NOT,   /* ! of a `type` */
	CODE_TRUTH, /* whether a `type` is not 0 */
	/* ---- these replace the value `under` places below the top ---- */
	CODE_CONVERT, /* convert `from` to `type` */
	CODE_SCALE,   /* multiply by `number.i` */
	/* exchange the top value and the one below it */
	CODE_EXCHANGE,
	/* ---- these replace two values of `type` by one ---- */
	CODE_MULTIPLY,
	CODE_DIVIDE,
	CODE_REMAINDER,
	CODE_ADD,
	CODE_SUBTRACT,
	CODE_LEFT,  /* the count of bits is of type `from` */
	CODE_RIGHT, /* likewise */
	CODE_LESS,
	CODE_LESS_EQUAL,
	CODE_GREATER,
	CODE_GREATER_EQUAL,
	CODE_EQUAL,
	CODE_NOT_EQUAL,
	CODE_AND,
	CODE_XOR,
	CODE_OR,
	/* ---- these jump to instruction number `number.u` ---- */
	CODE_AND_THEN, /* if the top is false: make it 0, jump; else pop it */
	CODE_OR_ELSE,  /* if the top is true: make it 1, jump; else pop it */
	CODE_UNLESS,   /* pop the top; jump if it was false */
	CODE_JUMP,     /* convert the top `from` to `type`, and jump */
};

/*
 * The `number` of CODE_DYNAMIC: what it does if the object has no part of the
 * class.
 */
enum {
	DYNAMIC_OR_NULL,
	DYNAMIC_OR_ERROR,
};

/*
 * The bits of a bit-field. The offset counts from the lowest bit of the byte
 * that it begins in.
 */
struct bits {
	uint8_t offset, size; /* size 0: no bit-field */
};

static inline size_t bits_bytes(const struct bits *bits)
{
	return (bits->offset + bits->size + 7u) / 8;
}

/* Where an instruction finds the caller. */
struct caller_place {
	/* Not 0: the place is in an inlined call, and the caller is this source
	 * frame at the place's own address. */
	unsigned frame;
	/* The return address is below the CFA that this rule gives. If there is
	 * no rule, the call frame information has to be read at each hit. */
	bool has_cfa;
	struct cfa_rule cfa;
};

/* The `under` of a CODE_REGISTER or a CODE_FUNCTION whose value is an address:
 * the memory near it can be read. */
enum { CAN_READ = 1 };

struct instruction {
	uint8_t code; /* enum code */
	uint8_t under;
	struct bits bits;
	struct type type, from;
	const struct node *node; /* the node of the tree, for messages */
	/*
	 * The module that the variable or function is in, if that is not the
	 * file of the place; else NULL.
	 */
	struct debugfile *file;
	union {
		union number number;
		struct variable *variable; /* owned by the bound expression */
		struct arch_register reg;
		struct text_object text;
		const struct go_runtime *go;
		struct caller_place caller;
	};
};

/* How a value is printed, if its type alone does not say so. */
enum form {
	FORM_VALUE,  /* as its type says */
	FORM_CODE,   /* `$rip`: a pointer to code */
	FORM_STACK,  /* `$rsp`, `$rbp`: a pointer to data */
	FORM_FLAGS,  /* `$eflags`: the names of the flags */
	FORM_CALLER, /* `$caller`: the name of the function */
	FORM_MEMBER, /* an offset: as `&Class::member`; the class is the `from`
			of the only instruction */
};

struct bound_expr {
	VEC(struct instruction) code;
	struct type type; /* the type of the value */
	/*
	 * If the value is that of a C++ reference, the type of the reference;
	 * else NULL. The first `referred` instructions compute the address that
	 * it refers to, and the others read there.
	 */
	struct debugtype *reference;
	size_t referred;
	uint8_t form;     /* enum form */
	uint64_t address; /* the address of the place in the file */
	bool is_text; /* the value is an object that is a string; `text` says
			 where the two words of the object are */
	struct text_object text;
	bool is_sized; /* the value is an array whose length a CODE_SIZE
			  computes */
	bool constant;
	bool trusts_pointers; /* as in struct expr */
	bool needs_registers; /* the evaluation needs other registers than rip
				 and rsp */
	bool uses_modules; /* the meaning depends on which modules are loaded */
	struct debugfile *file; /* NULL: the place has no file */
	enum debugfile_language language;
	struct expr *again; /* the tree, if the text was parsed again knowing
			       types; else NULL */
};

/* Free what the instruction owns. */
void instruction_destroy(struct instruction *instruction);

/*
 * Compute `constant` and `needs_registers`. The binder calls this when the code
 * is complete.
 */
void bound_expr_complete(struct bound_expr *bound);

/* Run the code. The input must have a scratch. */
struct error *code_run(const struct bound_expr *bound,
		       const struct expr_input *input, union number *out);

/*
 * Make a reader for the variable or function of the instruction: the reader of
 * the input, with the bias of the module that has the variable or function.
 * ERROR_EVALUATE: the module is not loaded.
 */
struct error *code_reader(const struct instruction *at,
			  const struct expr_input *input,
			  struct frame_reader *out);

/* The type whose size CODE_SIZE computes. */
struct debugtype *code_sized_type(const struct instruction *at,
				  const struct frame_reader *reader);

/*
 * Convert a value of one type to another, as a cast does (C17 6.3.1).
 * ERROR_EVALUATE: the integer type cannot hold the whole part of a floating
 * value.
 */
struct error *number_convert(union number *number, struct type from,
			     struct type to);

/*
 * Compute an operator with two operands. The result replaces the left one.
 * ERROR_EVALUATE: C does not define the result.
 */
struct error *number_compute(const struct instruction *at, union number *left,
			     const union number *right);

bool number_truth(const union number *number, struct type type);

/*
 * Read a number from bytes: as many bytes as the bit-field, or the type, needs.
 */
void number_from_memory(union number *number, struct type type,
			const struct bits *bits, const void *bytes);

/* Would number_convert() leave every value as it is? */
bool number_converts_freely(struct type from, struct type to);

#endif
