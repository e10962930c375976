/*
 * parser.c - from text to a tree, by recursive descent
 *
 *	conditional: binary [ ? conditional : conditional ]
 *	binary:      unary { OPERATOR binary of a higher precedence }
 *	unary:       { + - ! ~ * & } unary | ( TYPE ) unary |
 *	             sizeof unary | sizeof ( TYPE ) |
 *	             _Alignof unary | _Alignof ( TYPE ) | operand
 *
 * If the text has a construct of C that expressions do not have, such as an
 * assignment, the error says so.
 */
#include <stdlib.h>
#include <string.h>

#include "parser.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

void parser_advance(struct parser *parser)
{
	parser->end = parser->lexer.token.start + parser->lexer.token.length;
	lexer_next(&parser->lexer);
}

/* The reason why expressions do not have the construct that begins with this
 * word. NULL: there is no such reason. */
static const char *refusal(const struct token *token)
{
	if (token->kind != TOKEN_OPERATOR || token->op != OP_CHANGE)
		return NULL;
	return token->length == 1 ? "an expression cannot assign; '==' compares"
				  : "an expression cannot change anything";
}

struct error *parser_unexpected(const struct parser *parser,
				const char *expected)
{
	const struct token *token = &parser->lexer.token;
	const char *why = refusal(token);

	if (why)
		return lexer_error(&parser->lexer, token->start, "'%.*s': %s",
				   (int)token->length, token->start, why);
	if (token->kind == TOKEN_END)
		return lexer_error(&parser->lexer, token->start,
				   "%s expected at the end", expected);
	if (token->kind == TOKEN_BAD && *token->start < ' ')
		return lexer_error(
			&parser->lexer, token->start,
			"a control character has no meaning in an expression");
	if (token->kind == TOKEN_BAD)
		return lexer_error(&parser->lexer, token->start,
				   "'%c' has no meaning in an expression",
				   *token->start);
	return lexer_error(&parser->lexer, token->start,
			   "%s expected before '%.*s'", expected,
			   (int)token->length, token->start);
}

struct node *node_create(struct parser *parser, enum node_kind kind)
{
	const struct token *token = &parser->lexer.token;
	struct node *node = xcalloc(1, sizeof(*node));

	node->kind = kind;
	node->op = token->op;
	node->column = lexer_column(&parser->lexer, token->start);
	node->depth = 1;
	node->start = (size_t)(token->start - parser->lexer.text);
	vec_push(&parser->expr->nodes, node);
	return node;
}

struct error *node_add(struct node *node, size_t index, struct node *child)
{
	node->children[index] = child;
	if (child->depth >= node->depth)
		node->depth = child->depth + 1;
	if (node->depth > TREE_MAX_DEPTH)
		return error_create(ERROR_USAGE,
				    "column %zu: the expression is more than "
				    "%d operators deep",
				    node->column, TREE_MAX_DEPTH);
	return NULL;
}

struct error *parser_enter(struct parser *parser)
{
	if (parser->depth == MAX_NESTING)
		return lexer_error(&parser->lexer, parser->lexer.token.start,
				   "the expression is more than %d levels deep",
				   MAX_NESTING);
	parser->depth++;
	return NULL;
}

struct error *parse_type(struct parser *parser, struct node *node)
{
	if (node->kind == NODE_CAST)
		node->column =
			lexer_column(&parser->lexer, parser->lexer.token.start);
	TRY(type_parse(&parser->lexer, &node->type, &node->text));
	if (at_declarator(&parser->lexer))
		TRY(parse_declarator(parser, node));
	else if (parser_at(parser, OP_INDEX))
		TRY(parse_array(parser, node));
	if (parser_at(parser, OP_AND) || parser_at(parser, OP_LOGICAL_AND)) {
		node->reference = parser_at(parser, OP_AND) ? 1 : 2;
		parser_advance(parser);
	}
	if (!parser_at(parser, OP_CLOSE))
		return parser_unexpected(parser, "')' after the type");
	parser_advance(parser);
	return NULL;
}

static struct error *parse_operand_of(struct parser *parser, struct node *node)
{
	struct node *child;

	TRY(parser_enter(parser));
	TRY(parse_unary(parser, &child));
	parser->depth--;
	return node_add(node, 0, child);
}

static struct error *parse_cast(struct parser *parser, struct node **out)
{
	struct node *node = *out = node_create(parser, NODE_CAST);

	parser_advance(parser);
	TRY(parse_type(parser, node));
	if (node->type.class == TYPE_VOID && !node->type.pointers &&
	    !node->suffix)
		return error_create(ERROR_USAGE,
				    "column %zu: 'void' has no values to cast "
				    "to",
				    node->column);
	return parse_operand_of(parser, node);
}

static bool is_known_type(const struct parser *parser,
			  const struct token *token)
{
	for (size_t i = 0; i < parser->type_count; i++)
		if (token_is_name(token, parser->types[i]))
			return true;
	return false;
}

/*
 * Can the word behind `(NAME)` only begin an operand? If other text may follow
 * the expression, the word may also begin that text.
 */
static bool begins_operand(const struct parser *parser,
			   const struct token *token)
{
	if (parser->prefix)
		return false;
	return (token->kind != TOKEN_OPERATOR && token->kind != TOKEN_END &&
		token->kind != TOKEN_BAD) ||
	       token_is_op(token, OP_OPEN) || token_is_op(token, OP_NOT) ||
	       token_is_op(token, OP_COMPLEMENT);
}

/* [ NUMBER ] */
static bool skip_dimension(struct lexer *lexer)
{
	struct lexer ahead = *lexer;

	if (!token_is_op(&ahead.token, OP_INDEX))
		return false;
	lexer_next(&ahead);
	if (ahead.token.kind != TOKEN_NUMBER)
		return false;
	lexer_next(&ahead);
	if (!token_is_op(&ahead.token, OP_INDEX_END))
		return false;
	lexer_next(&ahead);
	*lexer = ahead;
	return true;
}

/*
 * Does the current `(` begin `(TYPE)`? The parser does not know the types of
 * the program, but `(NAME *)` can be nothing else, and neither can `(NAME)`
 * before a word that is no operator. Where `(NAME)` may be either, the name is
 * noted, and expr_bind() decides.
 */
static bool at_type(struct parser *parser, bool needs_operand)
{
	struct lexer lexer = parser->lexer;
	struct token name;
	bool pointer = false;

	lexer_next(&lexer);
	name = lexer.token;
	if (type_begins(&lexer))
		return true;
	if (name.kind != TOKEN_NAME || *name.start == '\'')
		return false;
	lexer_next(&lexer);
	while (token_is_op(&lexer.token, OP_MULTIPLY) ||
	       type_is_qualifier(&lexer.token)) {
		pointer = true;
		lexer_next(&lexer);
	}
	if (at_declarator(&lexer))
		return true;
	/*
	 * the operand of sizeof may be a type or a variable; the binder decides
	 */
	while (needs_operand && skip_dimension(&lexer))
		;
	if (token_is_op(&lexer.token, OP_AND) ||
	    token_is_op(&lexer.token, OP_LOGICAL_AND)) {
		pointer = true;
		lexer_next(&lexer);
	}
	if (!token_is_op(&lexer.token, OP_CLOSE))
		return false;
	if (pointer || is_known_type(parser, &name))
		return true;
	lexer_next(&lexer);
	if (!needs_operand)
		return false;
	if (begins_operand(parser, &lexer.token))
		return true;
	switch (lexer.token.op) {
	case OP_ADD:
	case OP_SUBTRACT:
	case OP_MULTIPLY:
	case OP_AND:
		vec_push(&parser->expr->doubtful,
			 xstrndup(name.start, name.length));
		return false;
	default:
		return false;
	}
}

/*
 * Is the word sizeof, or one of the words of C, C++ and GNU C for the
 * alignment?
 */
static bool measures(const struct token *token)
{
	static const char *const words[] = {"sizeof", "_Alignof", "alignof",
					    "__alignof__"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (token_is_name(token, words[i]))
			return true;
	return false;
}

/*
 * The operand is a type in parentheses, or an expression. A name in parentheses
 * may be either: expr_bind() decides.
 */
static struct error *parse_sizeof(struct parser *parser, struct node **out)
{
	size_t first = parser->expr->nodes.count;

	*out = node_create(parser, NODE_SIZEOF);
	(*out)->is_alignment = !token_is_name(&parser->lexer.token, "sizeof");
	parser_advance(parser);
	if (parser_at(parser, OP_OPEN) && at_type(parser, false)) {
		parser_advance(parser);
		return parse_type(parser, *out);
	}
	TRY(parse_operand_of(parser, *out));
	for (size_t i = first; i < parser->expr->nodes.count; i++)
		parser->expr->nodes.data[i]->unevaluated = true;
	return NULL;
}

/*
 * C++ has words for some binary operators (C++17 5.5). They are not reserved:
 * where an operand is expected, they are names.
 */
static enum op binary_operator(const struct token *token)
{
	static const struct {
		const char *name;
		enum op op;
	} words[] = {{"and", OP_LOGICAL_AND}, {"or", OP_LOGICAL_OR},
		     {"bitand", OP_AND},      {"bitor", OP_OR},
		     {"xor", OP_XOR},         {"not_eq", OP_NOT_EQUAL}};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (token_is_name(token, words[i].name))
			return words[i].op;
	return token->op;
}

/*
 * C++ has the words `not` and `compl` for unary operators. A variable may also
 * be called so: an operator or the end then follows the word.
 */
static enum op unary_operator(const struct lexer *lexer)
{
	bool negation = token_is_name(&lexer->token, "not");
	struct lexer ahead = *lexer;

	if (!negation && !token_is_name(&lexer->token, "compl"))
		return lexer->token.op;
	lexer_next(&ahead);
	switch (ahead.token.kind) {
	case TOKEN_OPERATOR:
		if (!token_is_op(&ahead.token, OP_OPEN) &&
		    !token_is_op(&ahead.token, OP_NOT) &&
		    !token_is_op(&ahead.token, OP_COMPLEMENT))
			return OP_NONE;
		break;
	case TOKEN_NAME:
		if (op_precedence(binary_operator(&ahead.token)))
			return OP_NONE;
		break;
	case TOKEN_END:
	case TOKEN_BAD:
		return OP_NONE;
	default:
		break;
	}
	return negation ? OP_NOT : OP_COMPLEMENT;
}

struct error *parse_unary(struct parser *parser, struct node **out)
{
	enum op op = unary_operator(&parser->lexer);

	switch (op) {
	case OP_ADD:
	case OP_SUBTRACT:
	case OP_NOT:
	case OP_COMPLEMENT:
	case OP_MULTIPLY:
	case OP_AND:
		*out = node_create(parser, NODE_UNARY);
		(*out)->op = op;
		parser_advance(parser);
		return parse_operand_of(parser, *out);
	case OP_OPEN:
		if (at_type(parser, true))
			return parse_cast(parser, out);
		break;
	default:
		break;
	}
	if (measures(&parser->lexer.token))
		return parse_sizeof(parser, out);
	return parse_operand(parser, out);
}

static struct error *parse_binary(struct parser *parser, unsigned lowest,
				  struct node **out)
{
	struct node *left, *right, *node;

	TRY(parse_unary(parser, &left));
	TRY(parse_as(parser, &left));
	for (;;) {
		enum op op = binary_operator(&parser->lexer.token);
		unsigned precedence = op_precedence(op);

		if (!precedence || precedence < lowest)
			break;
		node = node_create(parser, NODE_BINARY);
		node->op = op;
		parser_advance(parser);
		TRY(parse_binary(parser, precedence + 1, &right));
		TRY(node_add(node, 0, left));
		TRY(node_add(node, 1, right));
		left = node;
	}
	*out = left;
	return NULL;
}

struct error *parse_conditional(struct parser *parser, struct node **out)
{
	struct node *condition, *yes, *no;

	TRY(parser_enter(parser));
	TRY(parse_binary(parser, 1, &condition));
	*out = condition;
	if (parser_at(parser, OP_QUESTION)) {
		*out = node_create(parser, NODE_CHOICE);
		parser_advance(parser);
		TRY(parse_conditional(parser, &yes));
		if (!parser_at(parser, OP_COLON))
			return parser_unexpected(parser, "an operator or ':'");
		parser_advance(parser);
		TRY(parse_conditional(parser, &no));
		TRY(node_add(*out, 0, condition));
		TRY(node_add(*out, 1, yes));
		TRY(node_add(*out, 2, no));
	}
	parser->depth--;
	return NULL;
}

static struct error *parse(struct parser parser, const char *text,
			   const char **rest, struct expr **out)
{
	struct error *error;
	const char *start;

	parser.prefix = rest != NULL;
	parser.expr = xcalloc(1, sizeof(*parser.expr));
	lexer_init(&parser.lexer, text);
	start = parser.lexer.text = parser.lexer.token.start;
	error = parse_conditional(&parser, &parser.expr->root);
	if (!error && !parser.prefix && parser.lexer.token.kind != TOKEN_END)
		error = parser_unexpected(&parser, "an operator");
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
	return parse((struct parser){0}, text, NULL, out);
}

struct error *expr_parse_prefix(const char *text, const char **rest,
				struct expr **out)
{
	return parse((struct parser){0}, text, rest, out);
}

struct error *expr_parse_again(const char *text, char *const *types,
			       size_t count, struct expr **out)
{
	return parse((struct parser){.types = types, .type_count = count}, text,
		     NULL, out);
}

struct expr *expr_of_name(const char *name)
{
	struct expr *expr = xcalloc(1, sizeof(*expr));
	struct node *node = xcalloc(1, sizeof(*node));

	*node = (struct node){.kind = NODE_NAME,
			      .column = 1,
			      .depth = 1,
			      .text = xstrdup(name),
			      .length = strlen(name)};
	vec_push(&expr->nodes, node);
	expr->root = node;
	expr->text = xstrdup(name);
	return expr;
}

void expr_destroy(struct expr *expr)
{
	if (!expr)
		return;
	for (size_t i = 0; i < expr->nodes.count; i++) {
		free(expr->nodes.data[i]->text);
		free(expr->nodes.data[i]->suffix);
		free(expr->nodes.data[i]);
	}
	for (size_t i = 0; i < expr->doubtful.count; i++)
		free(expr->doubtful.data[i]);
	vec_free(&expr->doubtful);
	vec_free(&expr->nodes);
	free(expr->text);
	free(expr);
}

const char *expr_text(const struct expr *expr)
{
	return expr->text;
}

/*
 * `$pid`, `$tid`, `$g`, `$caller` and `$node(N)` are no variables: they
 * identify who reached the place, or count how often, and hold no value of the
 * program.
 */
static bool is_variable(const struct node *node)
{
	if (node->unevaluated)
		return false;
	if (node->kind == NODE_SPECIAL)
		return !str_equal(node->text, "$pid") &&
		       !str_equal(node->text, "$tid") &&
		       !str_equal(node->text, "$g") &&
		       !str_equal(node->text, "$caller");
	return node->kind == NODE_NAME;
}

struct expr *expr_first_variable(const struct expr *expr)
{
	struct expr *first = NULL;
	const struct node *variable = NULL;
	char *text;

	/*
	 * Leaves are created in the order of the text, and a member or an
	 * element after the node that it belongs to.
	 */
	for (size_t i = 0; i < expr->nodes.count; i++) {
		const struct node *node = expr->nodes.data[i];

		if (!variable && is_variable(node))
			variable = node;
		else if (variable && node->children[0] == variable &&
			 (node->kind == NODE_MEMBER ||
			  node->kind == NODE_INDEX))
			variable = node;
	}
	if (!variable)
		return NULL;
	text = xstrndup(expr->text + variable->start,
			variable->end - variable->start);
	/* this text was parsed before and cannot fail now */
	error_destroy(expr_parse(text, &first));
	free(text);
	return first;
}

void expr_trust_pointers(struct expr *expr)
{
	expr->trusts_pointers = true;
}
