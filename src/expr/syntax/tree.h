/*
 * tree.h - an expression as the parser leaves it: a tree of operators
 *
 * Names are still words here; binder.c looks them up. The nodes belong to the
 * expression and are never changed after parsing, so that one expression can
 * be bound to several places.
 */
#ifndef EXPR_TREE_H
#define EXPR_TREE_H

#include "lexer.h"
#include "literal.h"
#include "perftool/base/vec.h"
#include "perftool/expr.h"
#include "type.h"

/* How deep the tree may be: what binder.c recurses into. */
#define TREE_MAX_DEPTH 1000

enum node_kind {
	NODE_NUMBER,
	NODE_STRING,
	NODE_NAME,    /* a variable of the program */
	NODE_SPECIAL, /* $arg1, $pid, $rax */
	NODE_COUNT,   /* $node(N) */
	NODE_UNARY,
	NODE_MEMBER, /* of its child: . or ->, `text` */
	NODE_INDEX,  /* [] */
	NODE_CAST,
	NODE_SIZEOF, /* or _Alignof; of its child, or without one, of a type */
	NODE_BINARY, /* && and || too */
	NODE_CHOICE, /* ?: */
};

enum cast {
	CAST_C, /* static_cast and const_cast, too */
	CAST_REINTERPRET,
	CAST_DYNAMIC,
};

struct node {
	enum node_kind kind;
	enum op op;
	unsigned depth;      /* 1: a leaf */
	size_t column;       /* of the word that made it, from 1 */
	struct type type;    /* of a number; what a cast converts to */
	union number number; /* also the N of $node(N) */
	char *text;    /* a name, the type's of a wide character, also of the
			  program's type that a cast    converts to (with the `*`
			  of    `type`); the bytes    of a string */
	char *suffix;  /* of a cast's `int (*)[3]` or `int (*)(char)`: what
			  is behind the parentheses, as C writes it; or
			  NULL */
	uint8_t outer; /* the `*` in these parentheses */
	uint8_t reference; /* of a cast to a type with so many `&` */
	uint8_t cast;      /* enum cast */
	bool is_alignment; /* _Alignof, not sizeof */
	bool unevaluated;  /* in one of them */
	size_t length;     /* of `text` */
	size_t start, end; /* in the text of the expression; of variables and
			      their members */
	struct node *children[3];
};

struct expr {
	char *text;
	VEC(struct node *) nodes; /* in the order they were made */
	struct node *root;
	VEC(char *) doubtful; /* names that may be types: `(NAME) - x` */
};

/* Parse `text` again, all of it, knowing that some names are types. */
struct error *expr_parse_again(const char *text, char *const *types,
			       size_t count, struct expr **out);

/* An expression that is this one word, whatever is in it. */
struct expr *expr_of_name(const char *name);

#endif
