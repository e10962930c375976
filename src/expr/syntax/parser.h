/*
 * parser.h - what the parts of the parser share: parser.c has the operators,
 * operand.c what they work on
 */
#ifndef EXPR_PARSER_H
#define EXPR_PARSER_H

#include "tree.h"
#include "type_specifier.h"

#define MAX_NESTING 200

/*
 * `depth` counts how many conditionals and unaries are open, so that no text
 * can exhaust the stack; add_child() limits the depth of the tree, which a long
 * sum makes deep without any nesting.
 */
struct parser {
	struct lexer lexer;
	struct expr *expr;
	const char *end; /* behind the last word that was taken */
	unsigned depth;
	bool prefix;        /* something else may follow */
	char *const *types; /* names that are known to be types */
	size_t type_count;
};

/* Take the current word. */
void parser_advance(struct parser *parser);

static inline bool parser_at(const struct parser *parser, enum op op)
{
	return token_is_op(&parser->lexer.token, op);
}

/* "EXPECTED expected before WORD", or why this language has not what the word
 * would begin. */
struct error *parser_unexpected(const struct parser *parser,
				const char *expected);

/* Of the current word; it belongs to the expression. */
struct node *node_create(struct parser *parser, enum node_kind kind);
struct error *node_add(struct node *node, size_t index, struct node *child);

/* All but the operators that stand before an operand or between two. */
struct error *parse_operand(struct parser *parser, struct node **out);

/* A type, of C or of the program, up to the `)` behind it, into `node`. */
struct error *parse_type(struct parser *parser, struct node *node);

/* named_cast.c: `static_cast<TYPE>(x)` and the like, if it is one. */
bool at_named_cast(const struct parser *parser);
struct error *parse_named_cast(struct parser *parser, struct node **out);

/* declarator.c: `(*)[3]` and `(*)(int, char)` behind a type, into `node`. */
struct error *parse_declarator(struct parser *parser, struct node *node);

/* `[2][3]` behind a type, into `node`. */
struct error *parse_array(struct parser *parser, struct node *node);

/* Is the current word the `(` of such a declarator? */
bool at_declarator(const struct lexer *lexer);

/* Anything, and what is tightest: an operand with what stands before it. */
struct error *parse_conditional(struct parser *parser, struct node **out);
struct error *parse_unary(struct parser *parser, struct node **out);

/* rust_cast.c: `OPERAND as TYPE`, as often as it is there. */
struct error *parse_as(struct parser *parser, struct node **operand);

/* Count one more level of nesting; the caller takes it off again. */
struct error *parser_enter(struct parser *parser);

#endif
