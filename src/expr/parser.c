/*
 * parser.c - from text to a tree, by recursive descent
 *
 *	conditional: binary [ ? conditional : conditional ]
 *	binary:      unary { OPERATOR binary of a higher precedence }
 *	unary:       { + - ! ~ * } unary | ( TYPE ) unary | primary
 *	primary:     ( conditional ) | NAME | $NAME | $node(N) | literal
 *
 * `parser.depth` counts how many conditionals and unaries are open, so that no
 * text can exhaust the stack; add_child() limits the depth of the tree, which
 * a long sum makes deep without any nesting. What C has and this language has
 * not is refused by name.
 */
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "tree.h"

#define MAX_NESTING 200

struct parser {
	struct lexer lexer;
	struct expr *expr;
	const char *end; /* behind the last word that was taken */
	unsigned depth;
	bool prefix; /* something else may follow */
};

static struct error *parse_conditional(struct parser *parser,
				       struct node **out);
static struct error *parse_unary(struct parser *parser, struct node **out);

static void advance(struct parser *parser)
{
	parser->end = parser->lexer.token.start + parser->lexer.token.length;
	lexer_next(&parser->lexer);
}

static bool at_op(const struct parser *parser, enum op op)
{
	return token_is_op(&parser->lexer.token, op);
}

static struct error *unexpected(const struct parser *parser,
				const char *expected)
{
	const struct token *token = &parser->lexer.token;

	if (token->kind == TOKEN_END)
		return lexer_error(&parser->lexer, token->start,
				   "%s expected at the end", expected);
	if (token->kind == TOKEN_BAD && *token->start < ' ')
		return lexer_error(&parser->lexer, token->start,
				   "a control character");
	if (token->kind == TOKEN_BAD)
		return lexer_error(&parser->lexer, token->start,
				   "'%c' has no meaning in an expression",
				   *token->start);
	return lexer_error(&parser->lexer, token->start,
			   "%s expected before '%.*s'", expected,
			   (int)token->length, token->start);
}

/* Why this language has not what the current word would begin, or NULL. */
static struct error *refuse(const struct parser *parser)
{
	const struct token *token = &parser->lexer.token;
	const char *why;

	if (token->kind != TOKEN_OPERATOR)
		return NULL;
	if (token->op == OP_CHANGE && token->length == 1)
		why = "an expression cannot assign; '==' compares";
	else if (token->op == OP_CHANGE)
		why = "an expression cannot change anything";
	else if (token->op == OP_MEMBER)
		why = "members are not supported in this version";
	else if (token->op == OP_INDEX)
		why = "array elements are not supported in this version";
	else
		return NULL;
	return lexer_error(&parser->lexer, token->start, "'%.*s': %s",
			   (int)token->length, token->start, why);
}

static struct node *node_create(struct parser *parser, enum node_kind kind)
{
	const struct token *token = &parser->lexer.token;
	struct node *node = xcalloc(1, sizeof(*node));

	node->kind = kind;
	node->op = token->op;
	node->column = lexer_column(&parser->lexer, token->start);
	node->depth = 1;
	vec_push(&parser->expr->nodes, node);
	return node;
}

static struct error *add_child(struct node *node, size_t index,
			       struct node *child)
{
	node->children[index] = child;
	if (child->depth >= node->depth)
		node->depth = child->depth + 1;
	if (node->depth > TREE_MAX_DEPTH)
		return error_create(ERROR_USAGE,
				    "column %zu: more than %d operators deep",
				    node->column, TREE_MAX_DEPTH);
	return NULL;
}

static struct error *parse_number(struct parser *parser, struct node **out)
{
	*out = node_create(parser, NODE_NUMBER);
	TRY(literal_number(&parser->lexer, &(*out)->type, &(*out)->number));
	advance(parser);
	return NULL;
}

static struct error *parse_character(struct parser *parser, struct node **out)
{
	*out = node_create(parser, NODE_NUMBER);
	(*out)->type = type_int;
	TRY(literal_character(&parser->lexer, &(*out)->number));
	advance(parser);
	return NULL;
}

/* Strings side by side are one (C17 5.1.1.2, 6). */
static struct error *parse_string(struct parser *parser, struct node **out)
{
	struct error *error = NULL;
	struct str bytes = {0};

	*out = node_create(parser, NODE_STRING);
	while (!error && parser->lexer.token.kind == TOKEN_STRING) {
		error = literal_string(&parser->lexer, &bytes);
		if (!error)
			advance(parser);
	}
	(*out)->length = bytes.length;
	(*out)->text = str_take(&bytes);
	return error;
}

/* The words that are macros or keywords in C, and no variables. */
static bool constant_word(const struct token *token, struct type *type,
			  union number *number)
{
	*type = type_int;
	number->u = token_is_name(token, "true");
	if (number->u || token_is_name(token, "false"))
		return true;
	*type = type_void_pointer;
	return token_is_name(token, "NULL") || token_is_name(token, "nullptr");
}

static struct error *parse_name(struct parser *parser, struct node **out)
{
	const struct token *token = &parser->lexer.token;
	struct type type;
	union number number;

	if (token_is_name(token, "sizeof"))
		return lexer_error(&parser->lexer, token->start,
				   "'sizeof' is not supported in this version");
	if (type_begins(&parser->lexer))
		return lexer_error(&parser->lexer, token->start,
				   "'%.*s' is a type; a cast has parentheses",
				   (int)token->length, token->start);
	if (constant_word(token, &type, &number)) {
		*out = node_create(parser, NODE_NUMBER);
		(*out)->type = type;
		(*out)->number = number;
		advance(parser);
		return NULL;
	}
	*out = node_create(parser, NODE_NAME);
	(*out)->text = xstrndup(token->start, token->length);
	(*out)->length = token->length;
	advance(parser);
	if (at_op(parser, OP_OPEN) && !parser->prefix)
		return lexer_error(&parser->lexer, parser->lexer.token.start,
				   "'%s(': an expression cannot call functions",
				   (*out)->text);
	return NULL;
}

/* What follows `$node`: a number in parentheses. */
static struct error *parse_node_number(struct parser *parser, struct node *node)
{
	struct type type;

	if (!at_op(parser, OP_OPEN))
		return unexpected(parser, "'(' and the number of a node");
	advance(parser);
	if (parser->lexer.token.kind != TOKEN_NUMBER)
		return unexpected(parser, "the number of a node");
	TRY(literal_number(&parser->lexer, &type, &node->number));
	if (!type_is_integer(type) || node->number.u > UINT32_MAX)
		return lexer_error(&parser->lexer, parser->lexer.token.start,
				   "'%.*s' is no number of a node",
				   (int)parser->lexer.token.length,
				   parser->lexer.token.start);
	advance(parser);
	if (!at_op(parser, OP_CLOSE))
		return unexpected(parser, "')'");
	advance(parser);
	return NULL;
}

static struct error *parse_special(struct parser *parser, struct node **out)
{
	const struct token *token = &parser->lexer.token;

	*out = node_create(parser, NODE_SPECIAL);
	(*out)->text = xstrndup(token->start, token->length);
	(*out)->length = token->length;
	advance(parser);
	if (str_equal((*out)->text, "$node")) {
		(*out)->kind = NODE_COUNT;
		return parse_node_number(parser, *out);
	}
	return NULL;
}

/* Could the current word begin an operand, and nothing else? */
static bool at_operand(const struct parser *parser)
{
	switch (parser->lexer.token.kind) {
	case TOKEN_NAME:
	case TOKEN_DOLLAR:
	case TOKEN_NUMBER:
	case TOKEN_CHARACTER:
	case TOKEN_STRING:
		return true;
	case TOKEN_OPERATOR:
		return at_op(parser, OP_OPEN) || at_op(parser, OP_NOT) ||
		       at_op(parser, OP_COMPLEMENT);
	default:
		return false;
	}
}

static struct error *refuse_cast(const struct node *name, const char *stars)
{
	return error_create(ERROR_USAGE,
			    "column %zu: casts to '%s%s' are not supported in "
			    "this version: only to the basic types of C",
			    name->column, name->text, stars);
}

static struct error *parse_parentheses(struct parser *parser, struct node **out)
{
	advance(parser);
	TRY(parse_conditional(parser, out));
	if (!at_op(parser, OP_CLOSE)) {
		TRY(refuse(parser));
		return unexpected(parser, "an operator or ')'");
	}
	advance(parser);
	/* `(name_t) x`; where more may follow, x may be the next thing */
	if ((*out)->kind == NODE_NAME && !parser->prefix && at_operand(parser))
		return refuse_cast(*out, "");
	return NULL;
}

static struct error *parse_primary(struct parser *parser, struct node **out)
{
	switch (parser->lexer.token.kind) {
	case TOKEN_NUMBER:
		return parse_number(parser, out);
	case TOKEN_CHARACTER:
		return parse_character(parser, out);
	case TOKEN_STRING:
		return parse_string(parser, out);
	case TOKEN_NAME:
		return parse_name(parser, out);
	case TOKEN_DOLLAR:
		return parse_special(parser, out);
	case TOKEN_OPERATOR:
		if (at_op(parser, OP_OPEN))
			return parse_parentheses(parser, out);
		TRY(refuse(parser));
		return unexpected(parser, "an operand");
	default:
		return unexpected(parser, "an operand");
	}
}

/* Count one more level of nesting; the caller takes it off again. */
static struct error *enter(struct parser *parser)
{
	if (parser->depth == MAX_NESTING)
		return lexer_error(&parser->lexer, parser->lexer.token.start,
				   "more than %d levels deep", MAX_NESTING);
	parser->depth++;
	return NULL;
}

static struct error *parse_operand_of(struct parser *parser, struct node *node)
{
	struct node *child;

	TRY(enter(parser));
	TRY(parse_unary(parser, &child));
	parser->depth--;
	return add_child(node, 0, child);
}

static struct error *parse_cast(struct parser *parser, struct node **out)
{
	const char *start = parser->lexer.token.start;

	*out = node_create(parser, NODE_CAST);
	TRY(type_parse(&parser->lexer, &(*out)->type));
	if (!at_op(parser, OP_CLOSE))
		return unexpected(parser, "')' after the type");
	if ((*out)->type.class == TYPE_VOID && !(*out)->type.pointers)
		return lexer_error(&parser->lexer, start,
				   "'void' has no values to cast to");
	advance(parser);
	return parse_operand_of(parser, *out);
}

static struct error *parse_unary(struct parser *parser, struct node **out)
{
	struct lexer before = parser->lexer;

	switch (parser->lexer.token.op) {
	case OP_ADD:
	case OP_SUBTRACT:
	case OP_NOT:
	case OP_COMPLEMENT:
	case OP_MULTIPLY:
		*out = node_create(parser, NODE_UNARY);
		advance(parser);
		return parse_operand_of(parser, *out);
	case OP_AND:
	case OP_LOGICAL_AND:
		return lexer_error(
			&parser->lexer, parser->lexer.token.start,
			"'%.*s': addresses are not supported in this version",
			(int)parser->lexer.token.length,
			parser->lexer.token.start);
	case OP_OPEN:
		lexer_next(&parser->lexer);
		if (type_begins(&parser->lexer))
			return parse_cast(parser, out);
		parser->lexer = before;
		return parse_primary(parser, out);
	default:
		return parse_primary(parser, out);
	}
}

static struct error *parse_binary(struct parser *parser, unsigned lowest,
				  struct node **out)
{
	struct node *left, *right, *node;

	TRY(parse_unary(parser, &left));
	for (;;) {
		enum op op = parser->lexer.token.op;
		unsigned precedence = op_precedence(op);

		if (!precedence || precedence < lowest)
			break;
		node = node_create(parser, NODE_BINARY);
		advance(parser);
		if (op == OP_MULTIPLY && left->kind == NODE_NAME &&
		    at_op(parser, OP_CLOSE) && parser->depth > 1)
			return refuse_cast(left, " *");
		TRY(parse_binary(parser, precedence + 1, &right));
		TRY(add_child(node, 0, left));
		TRY(add_child(node, 1, right));
		left = node;
	}
	*out = left;
	return NULL;
}

static struct error *parse_conditional(struct parser *parser, struct node **out)
{
	struct node *condition, *yes, *no;

	TRY(enter(parser));
	TRY(parse_binary(parser, 1, &condition));
	*out = condition;
	if (at_op(parser, OP_QUESTION)) {
		*out = node_create(parser, NODE_CHOICE);
		advance(parser);
		TRY(parse_conditional(parser, &yes));
		if (!at_op(parser, OP_COLON)) {
			TRY(refuse(parser));
			return unexpected(parser, "an operator or ':'");
		}
		advance(parser);
		TRY(parse_conditional(parser, &no));
		TRY(add_child(*out, 0, condition));
		TRY(add_child(*out, 1, yes));
		TRY(add_child(*out, 2, no));
	}
	parser->depth--;
	return NULL;
}

/* After the last operand: is what follows for someone else? */
static struct error *parse_end(struct parser *parser)
{
	const struct token *token = &parser->lexer.token;

	if (token->kind == TOKEN_END)
		return NULL;
	if (parser->prefix && !at_op(parser, OP_MEMBER) &&
	    !at_op(parser, OP_INDEX))
		return NULL;
	TRY(refuse(parser));
	return unexpected(parser, "an operator");
}

static struct error *parse(const char *text, const char **rest,
			   struct expr **out)
{
	struct parser parser = {.prefix = rest != NULL};
	struct error *error;
	const char *start;

	parser.expr = xcalloc(1, sizeof(*parser.expr));
	lexer_init(&parser.lexer, text);
	start = parser.lexer.text = parser.lexer.token.start;
	error = parse_conditional(&parser, &parser.expr->root);
	if (!error)
		error = parse_end(&parser);
	if (error) {
		expr_destroy(parser.expr);
		return error;
	}
	parser.expr->text = xstrndup(start, (size_t)(parser.end - start));
	if (rest)
		*rest = parser.lexer.token.start;
	*out = parser.expr;
	return NULL;
}

struct error *expr_parse(const char *text, struct expr **out)
{
	return parse(text, NULL, out);
}

struct error *expr_parse_prefix(const char *text, const char **rest,
				struct expr **out)
{
	return parse(text, rest, out);
}

void expr_destroy(struct expr *expr)
{
	if (!expr)
		return;
	for (size_t i = 0; i < expr->nodes.count; i++) {
		free(expr->nodes.data[i]->text);
		free(expr->nodes.data[i]);
	}
	vec_free(&expr->nodes);
	free(expr->text);
	free(expr);
}

const char *expr_text(const struct expr *expr)
{
	return expr->text;
}

/* $pid, $tid and $node(N) say where and how often, not what was there. */
static bool is_variable(const struct node *node)
{
	if (node->kind == NODE_SPECIAL)
		return !str_equal(node->text, "$pid") &&
		       !str_equal(node->text, "$tid");
	return node->kind == NODE_NAME;
}

struct expr *expr_first_variable(const struct expr *expr)
{
	struct expr *first = NULL;

	/* leaves are made in the order they are written in */
	for (size_t i = 0; i < expr->nodes.count; i++) {
		const struct node *node = expr->nodes.data[i];

		if (!is_variable(node))
			continue;
		/* the word was parsed once and cannot fail now */
		error_destroy(expr_parse(node->text, &first));
		return first;
	}
	return NULL;
}
