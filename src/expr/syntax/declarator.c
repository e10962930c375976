/*
 * declarator.c - what C writes behind the name of a type for arrays, and for
 * pointers to arrays and functions
 *
 *	declarator: ( * { * } ) array | ( * { * } ) ( [ TYPE { , TYPE } ] )
 *	array:      [ NUMBER ] { [ NUMBER ] }
 */
#include <stdlib.h>

#include "parser.h"
#include "perftool/base/alloc.h"

#define MAX_DIMENSIONS 8

bool at_declarator(const struct lexer *lexer)
{
	struct lexer ahead = *lexer;

	if (!token_is_op(&ahead.token, OP_OPEN))
		return false;
	lexer_next(&ahead);
	if (!token_is_op(&ahead.token, OP_MULTIPLY))
		return false;
	while (token_is_op(&ahead.token, OP_MULTIPLY))
		lexer_next(&ahead);
	return token_is_op(&ahead.token, OP_CLOSE);
}

/* Parse `[ NUMBER ]`. */
static struct error *parse_dimension(struct parser *parser, struct str *suffix)
{
	union number number;
	struct type type;

	parser_advance(parser);
	if (parser->lexer.token.kind != TOKEN_NUMBER)
		return parser_unexpected(parser, "the number of elements");
	TRY(literal_number(&parser->lexer, &type, &number));
	if (!type_is_integer(type) || !number.u || number.u > INT32_MAX)
		return parser_unexpected(parser, "a number of elements");
	parser_advance(parser);
	if (!parser_at(parser, OP_INDEX_END))
		return parser_unexpected(parser, "']'");
	parser_advance(parser);
	str_printf(suffix, "[%lu]", number.u);
	return NULL;
}

static struct error *parse_dimensions(struct parser *parser, struct str *suffix)
{
	unsigned count = 0;

	while (parser_at(parser, OP_INDEX)) {
		if (count++ == MAX_DIMENSIONS)
			return parser_unexpected(parser, "fewer dimensions");
		TRY(parse_dimension(parser, suffix));
	}
	return NULL;
}

struct error *parse_array(struct parser *parser, struct node *node)
{
	struct str suffix = {0};
	struct error *error = parse_dimensions(parser, &suffix);

	node->suffix = str_take(&suffix);
	return error;
}

/*
 * Parse one TYPE of a parameter list, and append it to the suffix as the user
 * wrote it.
 */
static struct error *parse_parameter(struct parser *parser, struct str *suffix)
{
	const char *start = parser->lexer.token.start;
	struct error *error;
	struct type type;
	char *name = NULL;

	error = type_parse(&parser->lexer, &type, &name);
	free(name);
	if (error)
		return error;
	/* runs of blanks become one, and those behind the type are left out */
	for (const char *at = start; at < parser->lexer.token.start; at++)
		if (*at != ' ' || at[1] != ' ')
			str_append_char(suffix, *at);
	while (suffix->length && suffix->data[suffix->length - 1] == ' ')
		suffix->data[--suffix->length] = '\0';
	return NULL;
}

/* Parse `( [ TYPE { , TYPE } ] )`. */
static struct error *parse_parameters(struct parser *parser, struct str *suffix)
{
	const struct token *token = &parser->lexer.token;

	str_append_char(suffix, '(');
	parser_advance(parser);
	while (!parser_at(parser, OP_CLOSE)) {
		TRY(parse_parameter(parser, suffix));
		if (token->kind == TOKEN_BAD && *token->start == ',') {
			parser_advance(parser);
			str_append(suffix, ", ");
		} else if (!parser_at(parser, OP_CLOSE)) {
			return parser_unexpected(parser, "',' or ')'");
		}
	}
	parser_advance(parser);
	str_append_char(suffix, ')');
	return NULL;
}

struct error *parse_declarator(struct parser *parser, struct node *node)
{
	struct str suffix = {0};
	struct error *error;

	parser_advance(parser);
	while (parser_at(parser, OP_MULTIPLY)) {
		if (node->outer == TYPE_MAX_POINTERS)
			return parser_unexpected(parser, "fewer '*'");
		node->outer++;
		parser_advance(parser);
	}
	parser_advance(parser);
	if (parser_at(parser, OP_INDEX))
		error = parse_dimensions(parser, &suffix);
	else if (parser_at(parser, OP_OPEN))
		error = parse_parameters(parser, &suffix);
	else
		error = parser_unexpected(parser, "'[' or '('");
	node->suffix = str_take(&suffix);
	return error;
}
