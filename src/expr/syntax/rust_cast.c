/*
 * rust_cast.c - the casts of Rust: `x as u64`
 */
#include "parser.h"
#include "perftool/base/alloc.h"

/*
 * The primitive types of Rust. They are known even if the program's debug
 * information does not have them.
 */
static struct type primitive(const struct token *token)
{
	static const struct {
		const char *name;
		struct type type;
	} types[] = {
		{"bool", {TYPE_BOOL, 1, false, 0, NULL}},
		{"char", {TYPE_INTEGER, 4, false, 0, NULL}},
		{"f32", {TYPE_FLOAT, 4, true, 0, NULL}},
		{"f64", {TYPE_FLOAT, 8, true, 0, NULL}},
		{"i8", {TYPE_INTEGER, 1, true, 0, NULL}},
		{"i16", {TYPE_INTEGER, 2, true, 0, NULL}},
		{"i32", {TYPE_INTEGER, 4, true, 0, NULL}},
		{"i64", {TYPE_INTEGER, 8, true, 0, NULL}},
		{"i128", {TYPE_INTEGER, 16, true, 0, NULL}},
		{"u128", {TYPE_INTEGER, 16, false, 0, NULL}},
		{"isize", {TYPE_INTEGER, 8, true, 0, NULL}},
		{"u8", {TYPE_INTEGER, 1, false, 0, NULL}},
		{"u16", {TYPE_INTEGER, 2, false, 0, NULL}},
		{"u32", {TYPE_INTEGER, 4, false, 0, NULL}},
		{"u64", {TYPE_INTEGER, 8, false, 0, NULL}},
		{"usize", {TYPE_INTEGER, 8, false, 0, NULL}},
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (token_is_name(token, types[i].name))
			return types[i].type;
	return (struct type){.class = TYPE_PROGRAM};
}

/* Parse `*const T`, `*mut T` or `T`. */
static struct error *parse_rust_type(struct parser *parser, struct node *node)
{
	const struct token *token = &parser->lexer.token;
	uint8_t pointers = 0;

	while (parser_at(parser, OP_MULTIPLY)) {
		parser_advance(parser);
		if ((!token_is_name(token, "const") &&
		     !token_is_name(token, "mut")) ||
		    pointers == TYPE_MAX_POINTERS)
			return parser_unexpected(parser, "'const' or 'mut'");
		parser_advance(parser);
		pointers++;
	}
	if (token->kind != TOKEN_NAME || *token->start == '\'')
		return parser_unexpected(parser, "a type");
	node->type = primitive(token);
	node->type.pointers = pointers;
	node->text = xstrndup(token->start, token->length);
	parser_advance(parser);
	return NULL;
}

struct error *parse_as(struct parser *parser, struct node **operand)
{
	while (token_is_name(&parser->lexer.token, "as")) {
		struct node *node = node_create(parser, NODE_CAST);

		TRY(node_add(node, 0, *operand));
		*operand = node;
		parser_advance(parser);
		TRY(parse_rust_type(parser, node));
	}
	return NULL;
}
