/*
 * tree.h - an expression as the parser leaves it: a tree of operators
 *
 * Names are still words here; bind.c looks them up. The nodes belong to the
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

/* How deep the tree may be: what bind.c recurses into. */
#define TREE_MAX_DEPTH 1000

enum node_kind {
	NODE_NUMBER,
	NODE_STRING,
	NODE_NAME,    /* a variable of the program */
	NODE_SPECIAL, /* $arg1, $pid, $rax */
	NODE_COUNT,   /* $node(N) */
	NODE_UNARY,
	NODE_CAST,
	NODE_BINARY, /* && and || too */
	NODE_CHOICE, /* ?: */
};

struct node {
	enum node_kind kind;
	enum op op;
	unsigned depth;      /* 1: a leaf */
	size_t column;       /* of the word that made it, from 1 */
	struct type type;    /* of a number; what a cast converts to */
	union number number; /* also the N of $node(N) */
	char *text;          /* a name; the bytes of a string */
	size_t length;       /* of `text` */
	struct node *children[3];
};

struct expr {
	char *text;
	VEC(struct node *) nodes; /* in the order they were made */
	struct node *root;
};

#endif
