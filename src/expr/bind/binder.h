/*
 * binder.h - declarations that the files of the binder share
 *
 * binder.c walks over the tree; operators.c, lvalue.c, identifier.c and others
 * handle the kinds of nodes that their names say. One walk finds the types and
 * writes the code. Sometimes an operand needs a conversion that depends on the
 * type of the other operand. The conversion is then written behind both
 * (CODE_CONVERT with `under`) or, for `?:`, into the jump that ends the first
 * branch.
 */
#ifndef EXPR_BINDER_H
#define EXPR_BINDER_H

#include "bind.h"
#include "expr/evaluate/evaluate.h"
#include "expr/syntax/syntax.h"
#include "perftool/debuginfo/debug_variables.h"

struct binder {
	const struct expr_place *place;
	enum debugfile_language language;
	struct bound_expr *bound;
	unsigned stack; /* how many values are on the stack at this point of the
			   code */
	/*
	 * The next name that is bound need not have a type, because the
	 * expression casts it, or uses only its address.
	 */
	bool untyped_will_do;
};

/*
 * What the code so far leaves on the stack: a value, or a place. A place is the
 * address on the stack plus `offset`, and is not read yet. Members and elements
 * only add to the offset, so that in the end one read gets the value.
 */
struct operand {
	struct type type;
	bool is_place;
	uint64_t offset;
	struct bits bits;
	/*
	 * If the place is a variable as a whole, the index of its CODE_ADDRESS
	 * in the code plus 1: such a variable can be read without an address.
	 * Else 0.
	 */
	size_t variable;
	/*
	 * If the type is an array of variable length, or an element that is
	 * `sized_depth` dimensions inside such an array, the node of the tree
	 * that names the array; else NULL.
	 */
	const struct node *sized_by;
	uint8_t sized_depth;
	bool is_untyped; /* the operand is a variable of unknown type */
	/*
	 * If the place was reached by a C++ reference, the type of the
	 * reference; else NULL.
	 */
	struct debugtype *reference;
};

/* ---- writing code (binder.c) ---- */

/* Append an instruction. The result is valid until the next call. */
struct instruction *emit(struct binder *binder, enum code code,
			 const struct node *node, struct type type);

/* Count one more value on the stack. ERROR_USAGE: there is no room for it. */
struct error *push(struct binder *binder, const struct node *node);

void emit_conversion(struct binder *binder, const struct node *node,
		     unsigned under, struct type from, struct type to);

/*
 * Remove the code behind the first `count` instructions, and the values of the
 * stack above the first `stack`.
 */
void rewind_code(struct binder *binder, size_t count, unsigned stack);

/* ---- operands: each function pushes one operand ---- */

struct error *bind_operand(struct binder *binder, const struct node *node,
			   struct operand *out);

/*
 * Turn an operand into a value: if it is a place, read the place. The value of
 * an array or a function, and of any other type that is no scalar, is its
 * address.
 */
struct error *operand_to_value(struct binder *binder, const struct node *node,
			       struct operand *operand, struct type *type);

/* Bind an operand and turn it into a value. */
struct error *bind_value(struct binder *binder, const struct node *node,
			 struct type *type);

/*
 * Bind an operand of the operator `parent`, and turn it into a value.
 * ERROR_USAGE: the value is no scalar, so that the operator is not defined for
 * it.
 */
struct error *bind_scalar(struct binder *binder, const struct node *parent,
			  const struct node *node, struct type *type);

/* Find the type and the size of an operand without leaving any code. */
struct error *bind_type_only(struct binder *binder, const struct node *node,
			     struct operand *out);

/* The error "'%' cannot be used on a value of type 'double'HINT". */
struct error *no_meaning(const struct node *node, struct type type,
			 const char *hint);
#define CAST_HINT "; cast it first, as in (unsigned long) p"

/* ---- kinds of nodes ---- */

/* probe_argument.c: argument `index`, from 0, of the static probe at the place.
 * The caller has counted the operand on the stack. */
struct error *bind_probe_argument(struct binder *binder,
				  const struct node *node, unsigned index,
				  struct operand *out);

/* operators.c */
struct error *bind_unary(struct binder *binder, const struct node *node,
			 struct operand *out);
struct error *bind_binary(struct binder *binder, const struct node *node,
			  struct type *type);
struct error *bind_choice(struct binder *binder, const struct node *node,
			  struct type *type);

/* cast.c */
struct error *bind_cast(struct binder *binder, const struct node *node,
			struct operand *out);

/*
 * pointer_arithmetic.c: bind an operator with a pointer on one side or both.
 * Both operands are on the stack.
 */
struct error *bind_pointers(struct binder *binder, const struct node *node,
			    struct type left, struct type right,
			    struct type *type);

/*
 * Multiply the value that is `under` values below the top of the stack by the
 * size of an element, as arithmetic with a pointer to an element requires.
 */
struct error *emit_scale(struct binder *binder, const struct node *node,
			 unsigned under, struct type element);

/* lvalue.c */
struct error *bind_dereference(struct binder *binder, const struct node *node,
			       struct operand *out);
struct error *bind_address(struct binder *binder, const struct node *node,
			   struct operand *out);
struct error *bind_member(struct binder *binder, const struct node *node,
			  struct operand *out);

/* elements.c */
struct error *bind_index(struct binder *binder, const struct node *node,
			 struct operand *out);
struct error *bind_sizeof(struct binder *binder, const struct node *node,
			  struct operand *out);

/*
 * Go from the place `out` to a member of it, in the class itself or in a base
 * class. *found becomes true if there is such a member. ERROR_USAGE: several
 * base classes have such a member.
 */
struct error *operand_take_member(struct binder *binder,
				  const struct node *node, const char *name,
				  struct operand *out, bool *found);

/*
 * A rule that finds the elements of a container of a language's library, such
 * as std::vector. If `out` is such a container, the rule makes `out` the array
 * that holds the elements, or the pointer to the elements. Other operands stay
 * as they are. *blocks becomes true if the elements are in blocks, as those of
 * a std::deque are; `out` is then the first member of the container's first
 * iterator, as CODE_BLOCKS needs it.
 */
typedef struct error *element_rule_fn(struct binder *binder,
				      const struct node *node,
				      struct operand *out, bool *blocks);

/* All rules, in the order in which they are applied; ends with NULL. The rules
 * are in the folder containers. */
extern element_rule_fn *const element_rules[];
extern element_rule_fn rust_take_elements, cxx_take_elements;

/* Go from a C++ reference to the object that it refers to. */
void operand_follow(struct binder *binder, const struct node *node,
		    struct operand *operand);

/* Make `out` the place that the pointer on the stack points to. */
void operand_follow_pointer(struct binder *binder, const struct node *node,
			    struct type pointer, struct operand *out);

/*
 * identifier.c: bind a name. ERROR_NOT_FOUND: nothing has the name; the message
 * has a similar name if there is one. ERROR_USAGE: the name cannot be used
 * here. Other errors are those of debugfile_find_variable().
 */
struct error *bind_name(struct binder *binder, const struct node *node,
			struct operand *out);
/* Bind a variable. The code owns the variable from then on. */
void bind_variable(struct binder *binder, const struct node *node,
		   struct variable *variable, struct operand *out);

/* special_variable.c */
struct error *bind_special(struct binder *binder, const struct node *node,
			   struct operand *out);
/* How the value of `$NAME` is printed. */
enum form special_form(const char *name);

/* Bind the name in `node`, a node of the syntax tree, to the function of `file`
 * that has this name. *found becomes true if there is such a function. */
struct error *bind_function(struct binder *binder, const struct node *node,
			    struct debugfile *file, struct operand *out,
			    bool *found);

/*
 * module_symbols.c: bind a name that the place's own file does not have. Other
 * modules are asked for variables with debug information, for symbols of data,
 * for functions, and for static variables.
 */
struct error *bind_elsewhere(struct binder *binder, const struct node *node,
			     struct operand *out, bool *found);

/*
 * The files of the modules (expr_modules in perftool/expr.h), or the place's
 * own file where the modules are not known. Returns how many there are.
 */
size_t modules_of(const struct expr_place *place,
		  struct debugfile *const **out);

/*
 * resolve_declared() replaces a variable that is only declared by the variable
 * that a module defines, if a module defines it. resolve_copied() replaces a
 * variable of a library by the copy that the program has, if the program has a
 * copy.
 */
void resolve_declared(const struct binder *binder, struct variable **variable);
void resolve_copied(const struct binder *binder, struct variable **variable);

/* Bind the static member `name` of a class or of one of its base classes. */
struct error *bind_static_member(struct binder *binder, const struct node *node,
				 struct debugtype *type, const char *name,
				 struct operand *out, bool *found);

/*
 * type_lookup.c: find a type of the program by the name that the code at the
 * place would use. NULL: there is none.
 */
struct debugtype *find_type(const struct expr_place *place, const char *name);

/* The struct debugtype that stands for a type. For a type of C the function
 * creates one. */
struct debugtype *program_type(struct debugfile *file, struct type type);

/* The type of an array of `count` elements. */
struct type type_array_of(struct debugfile *file, struct type element,
			  uint64_t count);

/* The type that a NODE_CAST or NODE_SIZEOF names, without its `&`. */
struct error *node_type(const struct binder *binder, const struct node *node,
			struct type *out);

#endif
