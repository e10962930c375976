/*
 * tree.h - an expression as the parser leaves it: a tree of operators
 *
 * Names are still words here; the binder looks them up. The nodes belong to the
 * expression and never change after parsing, so that one expression can be
 * bound to several places.
 */
#ifndef EXPR_TREE_H
#define EXPR_TREE_H

#include "lexer.h"
#include "literal.h"
#include "perftool/base/vec.h"
#include "perftool/expr.h"
#include "type.h"

/* How deep the tree may be. This limits the recursion of the binder. */
#define TREE_MAX_DEPTH 1000

enum node_kind {
	NODE_NUMBER,
	NODE_STRING,
	NODE_NAME,    /* a variable of the program */
	NODE_SPECIAL, /* $arg1, $pid, $rax */
	NODE_COUNT,   /* $node(N) */
	NODE_UNARY,
	NODE_MEMBER, /* `.` or `->` of its child; `text` is the member */
	NODE_INDEX,  /* [] */
	NODE_CAST,
	NODE_SIZEOF, /* also _Alignof; of its child, or of a type */
	NODE_BINARY, /* also && and || */
	NODE_CHOICE, /* ?: */
};

enum cast {
	CAST_C, /* also static_cast and const_cast */
	CAST_REINTERPRET,
	CAST_DYNAMIC,
};

struct node {
	enum node_kind kind;
	enum op op;
	unsigned depth;   /* depth of the tree from this node down; 1: a leaf */
	size_t column;    /* the column of its word, from 1 */
	struct type type; /* the type of a number, or the type to which a cast
			     converts */
	union number number; /* also the N of `$node(N)` */
	char *text; /* A name; the bytes of a string; the name of the type of a
		       wide character; or the name of the program's type that a
		       cast converts to. The number of `*` behind the latter is
		       in `type`. */
	char *suffix;  /* The part behind the parentheses of a cast to a type
			  like `int (*)[3]`, as C writes it; or NULL. */
	uint8_t outer; /* how many `*` are in these parentheses */
	uint8_t reference; /* how many `&` are behind the type of a cast */
	uint8_t cast;      /* enum cast */
	bool is_alignment; /* a NODE_SIZEOF is _Alignof */
	bool unevaluated;  /* within the operand of sizeof or _Alignof */
	size_t length;     /* of `text` */
	size_t start, end; /* where the node begins and ends in the text of the
			      expression; only of variables and their members */
	struct node *children[3];
};

struct expr {
	char *text;
	VEC(struct node *) nodes; /* in the order of creation */
	struct node *root;
	VEC(char *) doubtful; /* names that may be types, as in `(NAME) - x` */
	bool trusts_pointers; /* expr_trust_pointers() */
};

/* Parse all of `text` again, knowing that some names are types. */
struct error *expr_parse_again(const char *text, char *const *types,
			       size_t count, struct expr **out);

/*
 * An expression that consists of this name only, whatever characters the name
 * has.
 */
struct expr *expr_of_name(const char *name);

#endif
