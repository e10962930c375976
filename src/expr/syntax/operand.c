/*
 * operand.c - the operands of an expression
 *
 *	operand: primary { [ conditional ] | . NAME | -> NAME }
 *	primary: ( conditional ) | NAME | $NAME | $node(N) | literal |
 *	         named cast
 */
#include <stdlib.h>
#include <string.h>

#include "parser.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

static struct error *parse_number(struct parser *parser, struct node **out)
{
	*out = node_create(parser, NODE_NUMBER);
	TRY(literal_number(&parser->lexer, &(*out)->type, &(*out)->number));
	parser_advance(parser);
	return NULL;
}

static struct error *parse_character(struct parser *parser, struct node **out)
{
	const char *name;

	*out = node_create(parser, NODE_NUMBER);
	TRY(literal_character(&parser->lexer, &(*out)->type, &name,
			      &(*out)->number));
	if (name)
		(*out)->text = xstrdup(name);
	parser_advance(parser);
	return NULL;
}

/* Adjacent string literals are one string (C17 5.1.1.2, 6). */
static struct error *parse_string(struct parser *parser, struct node **out)
{
	struct error *error = NULL;
	struct str bytes = {0};

	uint8_t width = literal_width(&parser->lexer);

	*out = node_create(parser, NODE_STRING);
	(*out)->type = (struct type){TYPE_INTEGER, width, true, 0, NULL};
	while (!error && parser->lexer.token.kind == TOKEN_STRING) {
		error = literal_string(&parser->lexer, width, &bytes);
		if (!error)
			parser_advance(parser);
	}
	(*out)->length = bytes.length;
	/*
	 * The widest characters have 4 bytes, and so has the zero that ends a
	 * string of them. str_take() adds one zero byte; these are the other
	 * three.
	 */
	str_append_n(&bytes, "\0\0\0", 3);
	(*out)->text = str_take(&bytes);
	return error;
}

/* Is the word true, false, NULL or nullptr? These are macros or keywords in C
 * and C++, and no variables. */
static bool constant_word(const struct token *token, struct type *type,
			  union number *number)
{
	*type = type_bool;
	number->u = token_is_name(token, "true");
	if (number->u || token_is_name(token, "false"))
		return true;
	*type = type_void_pointer;
	return token_is_name(token, "NULL") || token_is_name(token, "nullptr");
}

/* The text of a name, without the quotes of `'file.c'::name`. */
static char *name_of(const struct token *token)
{
	const char *at = token->start, *close;

	if (*at != '\'')
		return xstrndup(at, token->length);
	close = strchr(at + 1, '\'');
	return xasprintf("%.*s%.*s", (int)(close - at - 1), at + 1,
			 (int)(token->start + token->length - close - 1),
			 close + 1);
}

/* Note in the node where the text of the variable, or of its member or element,
 * ends. */
static void end_node(const struct parser *parser, struct node *node)
{
	node->end = (size_t)(parser->end - parser->lexer.text);
}

/* ERROR_USAGE if the name that was just parsed is called as a function. */
static struct error *refuse_call(const struct parser *parser,
				 const struct node *node)
{
	if (!parser_at(parser, OP_OPEN) || parser->prefix)
		return NULL;
	return lexer_error(&parser->lexer, parser->lexer.token.start,
			   "'%s(': an expression cannot call functions",
			   node->text);
}

static struct error *parse_name(struct parser *parser, struct node **out)
{
	const struct token *token = &parser->lexer.token;
	union number number = {0};
	struct type type;

	if (type_begins(&parser->lexer))
		return lexer_error(
			&parser->lexer, token->start,
			"'%.*s' is a type; write a cast with parentheses",
			(int)token->length, token->start);
	if (constant_word(token, &type, &number)) {
		*out = node_create(parser, NODE_NUMBER);
		(*out)->type = type;
		(*out)->number = number;
		parser_advance(parser);
		return NULL;
	}
	*out = node_create(parser, NODE_NAME);
	(*out)->text = name_of(token);
	(*out)->length = strlen((*out)->text);
	parser_advance(parser);
	end_node(parser, *out);
	return refuse_call(parser, *out);
}

/* Parse what follows `$node`: a number in parentheses. */
static struct error *parse_node_number(struct parser *parser, struct node *node)
{
	struct type type;

	if (!parser_at(parser, OP_OPEN))
		return parser_unexpected(parser,
					 "'(' and the number of a node");
	parser_advance(parser);
	if (parser->lexer.token.kind != TOKEN_NUMBER)
		return parser_unexpected(parser, "the number of a node");
	TRY(literal_number(&parser->lexer, &type, &node->number));
	if (!type_is_integer(type) || node->number.u > UINT32_MAX)
		return lexer_error(&parser->lexer, parser->lexer.token.start,
				   "'%.*s' is not the number of a node",
				   (int)parser->lexer.token.length,
				   parser->lexer.token.start);
	parser_advance(parser);
	if (!parser_at(parser, OP_CLOSE))
		return parser_unexpected(parser, "')'");
	parser_advance(parser);
	return NULL;
}

static struct error *parse_special(struct parser *parser, struct node **out)
{
	const struct token *token = &parser->lexer.token;

	*out = node_create(parser, NODE_SPECIAL);
	(*out)->text = xstrndup(token->start, token->length);
	(*out)->length = token->length;
	parser_advance(parser);
	end_node(parser, *out);
	if (str_equal((*out)->text, "$node")) {
		(*out)->kind = NODE_COUNT;
		return parse_node_number(parser, *out);
	}
	return NULL;
}

static struct error *parse_parentheses(struct parser *parser, struct node **out)
{
	parser_advance(parser);
	TRY(parse_conditional(parser, out));
	if (!parser_at(parser, OP_CLOSE))
		return parser_unexpected(parser, "an operator or ')'");
	parser_advance(parser);
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
		if (at_named_cast(parser))
			return parse_named_cast(parser, out);
		return parse_name(parser, out);
	case TOKEN_DOLLAR:
		return parse_special(parser, out);
	case TOKEN_OPERATOR:
		if (parser_at(parser, OP_OPEN))
			return parse_parentheses(parser, out);
		return parser_unexpected(parser, "an operand");
	default:
		return parser_unexpected(parser, "an operand");
	}
}

/* The lexer takes the `.0` of Rust's `pair.0` for a number. */
static bool at_tuple_member(const struct parser *parser)
{
	const struct token *token = &parser->lexer.token;

	return token->kind == TOKEN_NUMBER && *token->start == '.' &&
	       token->start == parser->end;
}

static struct error *parse_member(struct parser *parser, struct node *node)
{
	const struct token *token = &parser->lexer.token;

	if (!at_tuple_member(parser))
		parser_advance(parser);
	node->column = lexer_column(&parser->lexer, token->start);
	if (token->kind == TOKEN_NUMBER) {
		bool point = *token->start == '.';

		lexer_split_number(&parser->lexer);
		node->text = xasprintf("__%.*s", (int)token->length - point,
				       token->start + point);
	} else if (token->kind == TOKEN_NAME) {
		node->text = xstrndup(token->start, token->length);
	} else {
		return parser_unexpected(parser, "the name of a member");
	}
	node->length = strlen(node->text);
	parser_advance(parser);
	return refuse_call(parser, node);
}

static struct error *parse_index(struct parser *parser, struct node *node)
{
	struct node *index;

	parser_advance(parser);
	TRY(parse_conditional(parser, &index));
	TRY(node_add(node, 1, index));
	if (!parser_at(parser, OP_INDEX_END))
		return parser_unexpected(parser, "an operator or ']'");
	parser_advance(parser);
	return NULL;
}

struct error *parse_operand(struct parser *parser, struct node **out)
{
	size_t start = (size_t)(parser->lexer.token.start - parser->lexer.text);
	struct node *node, *child;

	TRY(parse_primary(parser, out));
	for (;;) {
		bool index = parser_at(parser, OP_INDEX);

		if (!index && !parser_at(parser, OP_DOT) &&
		    !parser_at(parser, OP_ARROW) && !at_tuple_member(parser))
			return NULL;
		child = *out;
		*out = node =
			node_create(parser, index ? NODE_INDEX : NODE_MEMBER);
		node->start = start;
		TRY(node_add(node, 0, child));
		TRY(index ? parse_index(parser, node)
			  : parse_member(parser, node));
		end_node(parser, node);
	}
}
