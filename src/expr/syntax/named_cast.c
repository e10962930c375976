/*
 * named_cast.c - the casts of C++ that have a name: `static_cast<TYPE>(x)`
 *
 * To the lexer, which knows no types, the angle brackets are operators. The
 * text between them is therefore copied with a `)` at its end, and parsed like
 * the type of a cast in parentheses.
 */
#include <stdlib.h>
#include <string.h>

#include "parser.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

static const struct {
	const char *name;
	enum cast cast;
} casts[] = {
	{"static_cast", CAST_C},
	{"const_cast", CAST_C},
	{"reinterpret_cast", CAST_REINTERPRET},
	{"dynamic_cast", CAST_DYNAMIC},
};

static bool find_cast(const struct token *token, enum cast *cast)
{
	for (size_t i = 0; i < sizeof(casts) / sizeof(*casts); i++) {
		size_t length = strlen(casts[i].name);

		/*
		 * the lexer may have taken the cast for a template with
		 * arguments
		 */
		if (token->kind != TOKEN_NAME || token->length < length ||
		    memcmp(token->start, casts[i].name, length) != 0 ||
		    token->start[length + strspn(token->start + length, " ")] !=
			    '<')
			continue;
		*cast = casts[i].cast;
		return true;
	}
	return false;
}

bool at_named_cast(const struct parser *parser)
{
	enum cast cast;

	return find_cast(&parser->lexer.token, &cast);
}

/* The `>` that belongs to this `<`. NULL: there is none. */
static const char *find_end(const char *at)
{
	int depth = 0;

	for (; *at; at++) {
		depth += (*at == '<') - (*at == '>');
		if (!depth)
			return at;
	}
	return NULL;
}

/* Parse the type between `open` and `close`. */
static struct error *parse_inner(struct parser *parser, struct node *node,
				 const char *open, const char *close)
{
	const char *text = parser->lexer.text;
	struct lexer outer = parser->lexer;
	struct error *error;
	char *copy;

	/* the copy begins where the text does, so that columns stay right */
	copy = xasprintf("%.*s)", (int)(close - text), text);
	parser->lexer = (struct lexer){
		.text = copy, .token = {.start = copy + (open + 1 - text)}};
	lexer_next(&parser->lexer);
	error = parse_type(parser, node);
	if (!error && parser->lexer.token.kind != TOKEN_END)
		error = parser_unexpected(parser, "'>' after the type");
	free(copy);
	outer.token.length = (size_t)(close + 1 - outer.token.start);
	parser->lexer = outer;
	return error;
}

struct error *parse_named_cast(struct parser *parser, struct node **out)
{
	struct node *node = *out = node_create(parser, NODE_CAST), *child;
	const char *open = strchr(parser->lexer.token.start, '<');
	const char *close = find_end(open);
	enum cast cast = CAST_C;

	find_cast(&parser->lexer.token, &cast);
	node->cast = (uint8_t)cast;
	if (!close)
		return lexer_error(&parser->lexer, open,
				   "the '>' behind the type is missing");
	TRY(parse_inner(parser, node, open, close));
	parser_advance(parser);
	if (!parser_at(parser, OP_OPEN))
		return parser_unexpected(parser, "'('");
	parser_advance(parser);
	TRY(parser_enter(parser));
	TRY(parse_conditional(parser, &child));
	parser->depth--;
	if (!parser_at(parser, OP_CLOSE))
		return parser_unexpected(parser, "an operator or ')'");
	parser_advance(parser);
	return node_add(node, 0, child);
}
