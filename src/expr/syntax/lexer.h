/*
 * lexer.h - the text of an expression as a sequence of words
 *
 * The lexer finds where words begin and end; literal.h finds the values that
 * they stand for. The lexer never fails: a character that begins no word of C
 * is a TOKEN_BAD of length one. The parser reports an error if it reaches such
 * a word.
 */
#ifndef EXPR_LEXER_H
#define EXPR_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/base/error.h"

enum op {
	OP_NONE,
	/* binary */
	OP_MULTIPLY, /* also unary: dereference */
	OP_DIVIDE,
	OP_REMAINDER,
	OP_ADD,      /* also unary */
	OP_SUBTRACT, /* also unary */
	OP_SHIFT_LEFT,
	OP_SHIFT_RIGHT,
	OP_LESS,
	OP_LESS_EQUAL,
	OP_GREATER,
	OP_GREATER_EQUAL,
	OP_EQUAL,
	OP_NOT_EQUAL,
	OP_AND, /* also unary: the address */
	OP_XOR,
	OP_OR,
	OP_LOGICAL_AND,
	OP_LOGICAL_OR,
	/* others */
	OP_NOT,
	OP_COMPLEMENT,
	OP_QUESTION,
	OP_COLON,
	OP_OPEN,
	OP_CLOSE,
	OP_CHANGE, /* = += ++ and so on, which the language refuses */
	OP_DOT,
	OP_ARROW,
	OP_INDEX,     /* [ */
	OP_INDEX_END, /* ] */
};

enum token_kind {
	TOKEN_END,
	TOKEN_NAME,      /* `pages`, `std::count`, `list<int>::none`,
			    `'file.c'::pages` */
	TOKEN_DOLLAR,    /* `$arg1` */
	TOKEN_NUMBER,    /* integer or floating */
	TOKEN_CHARACTER, /* with its quotes; the closing one may be missing */
	TOKEN_STRING,    /* likewise */
	TOKEN_OPERATOR,
	TOKEN_BAD,
};

struct token {
	enum token_kind kind;
	enum op op; /* of a TOKEN_OPERATOR */
	const char *start;
	size_t length;
};

struct lexer {
	const char *text;   /* the beginning of the text, from which columns are
			       counted */
	struct token token; /* the current word */
};

/* Start at the first word of `text`, which must outlive the lexer. */
void lexer_init(struct lexer *lexer, const char *text);

/* Go on to the next word. */
void lexer_next(struct lexer *lexer);

/*
 * Take `.0.1` as the member `.0`, which `.1` follows: shorten the current
 * TOKEN_NUMBER to its point, if it begins with a point, and the first digits.
 */
void lexer_split_number(struct lexer *lexer);

static inline bool token_is_op(const struct token *token, enum op op)
{
	return token->kind == TOKEN_OPERATOR && token->op == op;
}

bool token_is_name(const struct token *token, const char *name);

/* How strongly a binary operator binds, 1 (||) to 10 (*); 0: not binary. */
unsigned op_precedence(enum op op);

/* The operator as it is written; "" if it is written in several ways. */
const char *op_text(enum op op);

/* The column of a character of the text, counted from 1. */
static inline size_t lexer_column(const struct lexer *lexer, const char *at)
{
	return (size_t)(at - lexer->text) + 1;
}

/* ERROR_USAGE: "column N: MESSAGE". */
struct error *lexer_error(const struct lexer *lexer, const char *at,
			  const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
