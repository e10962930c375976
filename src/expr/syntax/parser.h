/*
 * parser.h - declarations that the files of the parser share
 *
 * parser.c has the operators, operand.c the operands, declarator.c and
 * named_cast.c the types of casts, rust_cast.c the casts of Rust.
 */
#ifndef EXPR_PARSER_H
#define EXPR_PARSER_H

#include "tree.h"
#include "type_specifier.h"

#define MAX_NESTING 200

/*
 * `depth` counts the conditional and unary expressions that are open, so that
 * no text can exhaust the stack. node_add() limits the depth of the tree
 * separately: a long sum makes a deep tree without any nesting.
 */
struct parser {
	struct lexer lexer;
	struct expr *expr;
	/* the end of the last word that the parser has taken */
	const char *end;
	unsigned depth;
	bool prefix;        /* other text may follow the expression */
	char *const *types; /* names that the binder knows to be types */
	size_t type_count;
};

/* Go on to the next word. */
void parser_advance(struct parser *parser);

static inline bool parser_at(const struct parser *parser, enum op op)
{
	return token_is_op(&parser->lexer.token, op);
}

/*
 * An error that says "EXPECTED expected before WORD", or why expressions have
 * nothing that begins with the current word.
 */
struct error *parser_unexpected(const struct parser *parser,
				const char *expected);

/* Create a node for the current word. It belongs to the expression. */
struct node *node_create(struct parser *parser, enum node_kind kind);
struct error *node_add(struct node *node, size_t index, struct node *child);

/* Parse an operand: an expression without prefix and binary operators. */
struct error *parse_operand(struct parser *parser, struct node **out);

/*
 * Parse a type of C or of the program, up to and with the `)` behind it, into
 * `node`.
 */
struct error *parse_type(struct parser *parser, struct node *node);

/*
 * named_cast.c: at_named_cast() tells whether the current word is `static_cast`
 * or the like; parse_named_cast() parses such a cast.
 */
bool at_named_cast(const struct parser *parser);
struct error *parse_named_cast(struct parser *parser, struct node **out);

/*
 * declarator.c: parse `(*)[3]` or `(*)(int, char)` behind a type, into `node`.
 */
struct error *parse_declarator(struct parser *parser, struct node *node);

/* Parse `[2][3]` behind a type, into `node`. */
struct error *parse_array(struct parser *parser, struct node *node);

/* Is the current word the `(` that begins a declarator such as `(*)[3]`? */
bool at_declarator(const struct lexer *lexer);

/*
 * parse_conditional() parses an expression of any kind. parse_unary() parses an
 * operand with the unary operators and casts before it.
 */
struct error *parse_conditional(struct parser *parser, struct node **out);
struct error *parse_unary(struct parser *parser, struct node **out);

/*
 * rust_cast.c: parse the casts `as TYPE` behind an operand, if there are any.
 * `*operand` becomes the outermost cast.
 */
struct error *parse_as(struct parser *parser, struct node **operand);

/* Count one more level of nesting. The caller decrements `depth` afterwards. */
struct error *parser_enter(struct parser *parser);

#endif
