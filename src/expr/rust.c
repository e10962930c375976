/*
 * rust.c - what Rust writes otherwise than C: `x as u64`, and elements of
 * vectors
 */
#include <stdlib.h>
#include <string.h>

#include "bind.h"
#include "parser.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

/* ---- parsing -------------------------------------------------------------
 */

/* The primitive types, which the program need not have. */
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

/* `*const T`, `*mut T`, `T`. */
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

/* ---- vectors -------------------------------------------------------------
 */

#define VECTOR "alloc::vec::Vec<"
#define MAX_DEPTH 8 /* structures within structures */

/* The first of the types in `<A, B>`, for the caller to free. */
static char *first_argument(const char *text)
{
	int depth = 0;
	size_t length = 0;

	for (; text[length]; length++) {
		char c = text[length];

		if (depth == 0 && (c == ',' || c == '>'))
			break;
		depth += (c == '<' || c == '(' || c == '[') -
			 (c == '>' || c == ')' || c == ']');
	}
	return xstrndup(text, length);
}

static bool find_pointer(struct debugtype *type, int depth, uint64_t *offset)
{
	const struct debugmember *members;
	size_t count;

	members = debugtype_members(type, &count);
	for (size_t i = 0; i < count && depth < MAX_DEPTH; i++) {
		*offset = 0;
		if (debugtype_kind(members[i].type) != DEBUGTYPE_POINTER &&
		    !find_pointer(members[i].type, depth + 1, offset))
			continue;
		*offset += members[i].offset;
		return true;
	}
	return false;
}

static bool is_vector(struct type type)
{
	return type_kind(type) == DEBUGTYPE_STRUCT &&
	       str_starts(debugtype_name(debugtype_plain(type.of)), VECTOR);
}

bool is_vector_reference(struct type type)
{
	return type.pointers == 1 && type.of && is_vector(type_pointed(type));
}

/* A type by its name; references have none that could be found. */
static bool find_element(const struct expr_place *place, const char *name,
			 struct type *out)
{
	struct debugtype *type = find_type(place, name);
	unsigned pointers = 0;

	while (!type && *name == '&') {
		name += str_starts(name, "&mut ") ? 5 : 1;
		pointers++;
		type = find_type(place, name);
	}
	if (!type)
		return false;
	*out = type_from_program(type);
	while (pointers--)
		*out = type_pointer_to(place->file, *out);
	return true;
}

void operand_take_vector(struct binder *binder, struct operand *out)
{
	CLEANUP(free_pointer) char *argument = NULL;
	struct debugmember buffer;
	struct type element;
	uint64_t offset;

	if (!is_vector(out->type) ||
	    !debugtype_find_member(out->type.of, "buf", &buffer) ||
	    !find_pointer(buffer.type, 0, &offset))
		return;
	argument = first_argument(
		debugtype_name(debugtype_plain(out->type.of)) + strlen(VECTOR));
	if (!find_element(binder->place, argument, &element))
		return;
	out->type = type_pointer_to(binder->place->file, element);
	out->offset += buffer.offset + offset;
	out->variable = 0;
	out->reference = NULL;
}
