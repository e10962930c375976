/*
 * binder.h - what the parts of the binder share
 *
 * binder.c goes from a tree to code; operators.c, lvalue.c and identifier.c do
 * so for the nodes their names tell. One walk over the tree finds the types and
 * writes the code. Where an operand needs a conversion that only the other
 * one's type reveals, the conversion is written after both (CODE_CONVERT with
 * `under`), or, for `?:`, filled into the jump that ends the first branch.
 */
#ifndef EXPR_BINDER_H
#define EXPR_BINDER_H

#include "bind.h"
#include "expr/evaluate/evaluate.h"
#include "expr/syntax/syntax.h"

struct binder {
	const struct expr_place *place;
	enum debugfile_language language;
	struct bound_expr *bound;
	unsigned stack; /* values on the stack at this point of the code */
	/* the name that comes next need have no type: it is cast, or only its
	 * address is wanted */
	bool untyped_will_do;
};

/*
 * What the code written so far leaves on the stack: a value, or a place, which
 * is the address on the stack plus `offset`, not read yet: members and elements
 * only add to it, so that in the end one read brings what is needed.
 */
struct operand {
	struct type type;
	bool is_place;
	uint64_t offset;
	struct bits bits;
	/* the number of the CODE_ADDRESS that is all there is, plus 1, or 0: a
	 * variable as a whole, which can be read without an address */
	size_t variable;
	/* an array of variable length, or so deep an element of one: the name
	 * of the variable; else NULL */
	const struct node *sized_by;
	uint8_t sized_depth;
	bool is_untyped; /* a variable whose type nobody knows */
	/* it is what a reference of this type refers to; or NULL */
	struct debugtype *reference;
};

/* ---- writing code (binder.c) ---- */

/* Append an instruction; the result is valid until the next. */
struct instruction *emit(struct binder *binder, enum code code,
			 const struct node *node, struct type type);

/* One value more on the stack. ERROR_USAGE: one too many. */
struct error *push(struct binder *binder, const struct node *node);

void emit_conversion(struct binder *binder, const struct node *node,
		     unsigned under, struct type from, struct type to);

/* Forget the code behind `count` instructions, and what is on the stack above
 * `stack` values. */
void rewind_code(struct binder *binder, size_t count, unsigned stack);

/* ---- operands: each leaves one more on the stack ---- */

struct error *bind_operand(struct binder *binder, const struct node *node,
			   struct operand *out);

/* Its value: what is read, an array's or function's address, or the address of
 * what is no scalar. */
struct error *operand_to_value(struct binder *binder, const struct node *node,
			       struct operand *operand, struct type *type);

/* Both. */
struct error *bind_value(struct binder *binder, const struct node *node,
			 struct type *type);

/* The same, and it is a scalar; else `parent` has no meaning. */
struct error *bind_scalar(struct binder *binder, const struct node *parent,
			  const struct node *node, struct type *type);

/* The type and size that an operand would have; no code is left. */
struct error *bind_type_only(struct binder *binder, const struct node *node,
			     struct operand *out);

/* "'%' cannot be used on a value of type 'double'HINT". */
struct error *no_meaning(const struct node *node, struct type type,
			 const char *hint);
#define CAST_HINT "; cast it first, as in (unsigned long) p"

/* ---- by nodes ---- */

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

/* pointer_arithmetic.c: an operator with a pointer on one side or both; both
 * are on the stack. */
struct error *bind_pointers(struct binder *binder, const struct node *node,
			    struct type left, struct type right,
			    struct type *type);

/* Multiply a value by what a pointer to it counts in: the size of an element.
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

/* A member, of the place that `out` is, in the class itself or a base of it;
 * *found: it has one of the name. ERROR_USAGE: it has several. */
struct error *operand_take_member(struct binder *binder,
				  const struct node *node, const char *name,
				  struct operand *out, bool *found);

/* containers.c: of std::vector, std::array, std::string and the like, what
 * their elements are in: an array, or a pointer to them; *blocks: they are in
 * blocks, which CODE_BLOCKS knows, and it is an element's pointer that is
 * there. Other objects stay. */
struct error *operand_take_container(struct binder *binder,
				     const struct node *node,
				     struct operand *out, bool *blocks);

/* rust_vector.c: a vector is the pointer to its elements; other objects stay.
 */
void operand_take_vector(struct binder *binder, struct operand *out);
/* A pointer to a vector, as references are: its elements are the vector's. */
bool is_vector_reference(struct type type);

/* A C++ reference is what it refers to. */
void operand_follow(struct binder *binder, const struct node *node,
		    struct operand *operand);

/* What the pointer on the stack points to is the place. */
void operand_follow_pointer(struct binder *binder, const struct node *node,
			    struct type pointer, struct operand *out);

/* identifier.c: errors: ERROR_NOT_FOUND with a near name where there is one;
 * ERROR_USAGE for what is there but cannot be used; whatever
 * debugfile_find_variable() says. */
struct error *bind_name(struct binder *binder, const struct node *node,
			struct operand *out);
/* A variable that was found; the code owns it from here on. */
void bind_variable(struct binder *binder, const struct node *node,
		   struct variable *variable, struct operand *out);

/* special_variable.c */
struct error *bind_special(struct binder *binder, const struct node *node,
			   struct operand *out);
/* How `$NAME` is printed. */
enum form special_form(const char *name);

/* A function of a file by its name; *found: there is one. */
struct error *bind_function(struct binder *binder, const struct node *node,
			    struct debugfile *file, struct operand *out,
			    bool *found);

/*
 * module_symbols.c: a name that the place's own file tells nothing of, in the
 * other modules: variables that they share, by debug information, by symbols
 * alone; functions; static variables.
 */
struct error *bind_elsewhere(struct binder *binder, const struct node *node,
			     struct operand *out, bool *found);

/* Their files, as expr.h has them; where they are not known, the place's own.
 * How many. */
size_t modules_of(const struct expr_place *place,
		  struct debugfile *const **out);

/* Replace a variable that is only declared by what it stands for, if any module
 * has that; one of a library by the program's copy, if there is one. */
void resolve_declared(const struct binder *binder, struct variable **variable);
void resolve_copied(const struct binder *binder, struct variable **variable);

/* The static member `name` of a class or one of its bases. */
struct error *bind_static_member(struct binder *binder, const struct node *node,
				 struct debugtype *type, const char *name,
				 struct operand *out, bool *found);

/* type_lookup.c: the program's type, as the code at the place would write it.
 * NULL: there is none. */
struct debugtype *find_type(const struct expr_place *place, const char *name);

/* A type of C's own as if the program had it; the program's as it is. */
struct debugtype *program_type(struct debugfile *file, struct type type);

/* The array of so many. */
struct type type_array_of(struct debugfile *file, struct type element,
			  uint64_t count);

/* The type of a NODE_CAST or NODE_SIZEOF, without its `&`. */
struct error *node_type(const struct binder *binder, const struct node *node,
			struct type *out);

#endif
