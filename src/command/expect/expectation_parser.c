/*
 * expectation_parser.c - parse the text of an expectation into code
 *
 * The parser reads the text from left to right. It puts the code of the
 * operands before the code of their operator, so that the code can be executed
 * without recursion. The parser also determines what each value measures (its
 * quantity, for example a time), because a count and a time cannot be compared
 * or added.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "perftool/base/alloc.h"

#include "command/arguments.h"
#include "expectation.h"

/* No user writes parentheses that are nested so deep. The limit exists because
 * each level takes a part of the tool's stack. */
enum { DEPTH_MAX = 100 };

enum precedence {
	PRECEDENCE_NONE,
	PRECEDENCE_OR,
	PRECEDENCE_AND,
	PRECEDENCE_COMPARISON,
	PRECEDENCE_SUM,
	PRECEDENCE_PRODUCT,
};

struct parser {
	const char *text; /* the whole text; the columns of errors are counted
			   * from its beginning */
	struct word word; /* the word that the parser reads next */
	unsigned depth;
	struct expectation *out;
};

/* A parsed operand: the part of the text that it stands for, and what its value
 * measures. */
struct operand {
	const char *start, *end;
	enum quantity quantity;
};

static void next(struct parser *parser)
{
	parser->word =
		expectation_word(parser->word.start + parser->word.length);
}

static bool is_operation(const struct word *word, enum operation operation)
{
	return word->kind == WORD_OPERATOR && word->operation == operation;
}

static void emit(struct parser *parser, enum operation operation)
{
	vec_push(&parser->out->code,
		 (struct instruction){.operation = operation});
}

/* ---- what is wrong ------------------------------------------------------- */

static struct error *__attribute__((format(printf, 3, 4)))
fail_at(const struct parser *parser, const char *at, const char *format, ...)
{
	CLEANUP(free_pointer) char *message = NULL;
	va_list ap;

	va_start(ap, format);
	message = xvasprintf(format, ap);
	va_end(ap);
	return error_create(ERROR_USAGE, "column %zu: %s",
			    (size_t)(at - parser->text) + 1, message);
}

/* Returns the error for a next word that may not stand there. `wanted` is what
 * should stand in its place. */
static struct error *unexpected(const struct parser *parser, const char *wanted)
{
	const struct word *word = &parser->word;
	int length = (int)word->length;

	if (word->kind == WORD_END)
		return fail_at(parser, word->start, "%s is missing at the end",
			       wanted);
	if (word->kind == WORD_BAD && strchr("=&|", *word->start))
		return fail_at(parser, word->start,
			       "`%c' is not an operator here; use `%s'",
			       *word->start,
			       *word->start == '='   ? "=="
			       : *word->start == '&' ? "&&"
						     : "||");
	if (word->kind == WORD_BAD &&
	    (isdigit((unsigned char)*word->start) || *word->start == '.'))
		return fail_at(parser, word->start,
			       "`%.*s' is neither a number nor a time (3ms, "
			       "1.5us, 200ns, 2s)",
			       length, word->start);
	return fail_at(parser, word->start, "%s is missing before `%.*s'",
		       wanted, length, word->start);
}

static int length_of(const struct operand *operand)
{
	return (int)(operand->end - operand->start);
}

static struct error *check_number(const struct parser *parser,
				  const struct operand *operand)
{
	if (operand->quantity != QUANTITY_TRUTH)
		return NULL;
	return fail_at(parser, operand->start,
		       "`%.*s' is true or false, and not a number",
		       length_of(operand), operand->start);
}

/* Returns the error for an operation on a count and a time, which cannot be
 * compared or added. */
static struct error *no_time(const struct parser *parser,
			     const struct operand *left,
			     const struct operand *right)
{
	bool left_is_time = left->quantity == QUANTITY_TIME;
	const struct operand *time = left_is_time ? left : right;
	const struct operand *count = left_is_time ? right : left;

	return fail_at(parser, count->start, "%.*s is not a time, and %.*s is",
		       length_of(count), count->start, length_of(time),
		       time->start);
}

/* ---- what the result of an operation is a number of -----------------------
 */

static bool are_mixed(const struct operand *left, const struct operand *right)
{
	return (left->quantity == QUANTITY_TIME &&
		right->quantity == QUANTITY_COUNT) ||
	       (left->quantity == QUANTITY_COUNT &&
		right->quantity == QUANTITY_TIME);
}

static enum quantity sum(const struct operand *left,
			 const struct operand *right)
{
	return left->quantity == QUANTITY_NUMBER ? right->quantity
						 : left->quantity;
}

static struct error *product(const struct parser *parser,
			     const struct operand *left,
			     const struct operand *right,
			     enum quantity *quantity)
{
	bool left_is_time = left->quantity == QUANTITY_TIME;

	if (left_is_time && right->quantity == QUANTITY_TIME)
		return fail_at(parser, right->start,
			       "a time multiplied by a time is not a time");
	*quantity = left_is_time ? QUANTITY_TIME : sum(left, right);
	if (right->quantity == QUANTITY_TIME)
		*quantity = QUANTITY_TIME;
	return NULL;
}

/* Finds what a quotient measures. A number without a unit that is divided by a
 * time is taken as a number of ns. */
static struct error *quotient(const struct parser *parser,
			      const struct operand *left,
			      const struct operand *right,
			      enum quantity *quantity)
{
	if (left->quantity == QUANTITY_COUNT &&
	    right->quantity == QUANTITY_TIME)
		return no_time(parser, left, right);
	*quantity = right->quantity == QUANTITY_NUMBER ? left->quantity
		    : left->quantity == QUANTITY_TIME &&
				    right->quantity == QUANTITY_COUNT
			    ? QUANTITY_TIME
			    : QUANTITY_NUMBER;
	return NULL;
}

static struct error *combine(const struct parser *parser,
			     enum operation operation,
			     const struct operand *left,
			     const struct operand *right,
			     enum quantity *quantity)
{
	*quantity = QUANTITY_TRUTH;
	if (operation == OPERATION_AND || operation == OPERATION_OR)
		return NULL;
	TRY(check_number(parser, left));
	TRY(check_number(parser, right));
	if (operation == OPERATION_MULTIPLY)
		return product(parser, left, right, quantity);
	if (operation == OPERATION_DIVIDE)
		return quotient(parser, left, right, quantity);
	if (are_mixed(left, right))
		return no_time(parser, left, right);
	if (operation == OPERATION_ADD || operation == OPERATION_SUBTRACT)
		*quantity = sum(left, right);
	return NULL;
}

/* ---- figures --------------------------------------------------------------
 */

static struct error *take(struct parser *parser, enum word_kind kind,
			  const char *wanted)
{
	if (parser->word.kind != kind)
		return unexpected(parser, wanted);
	next(parser);
	return NULL;
}

static struct error *no_member(const struct parser *parser,
			       const struct figure *figure, const char *before)
{
	const struct word *word = &parser->word;
	struct str list = {0};
	enum member member;
	struct error *error;
	const char *name;

	for (size_t i = 0;
	     (name = expectation_member(figure->of_leg, i, &member)); i++)
		str_printf(&list, "%s.%s", i ? " " : "", name);
	if (word->kind == WORD_NAME)
		error = fail_at(
			parser, word->start, "a %s has no `.%.*s'; it has %s",
			figure->of_leg ? "leg" : "node", (int)word->length,
			word->start, str_text(&list));
	else
		error = fail_at(parser, before,
				"%s is a whole %s; name one of its figures: %s",
				figure->owner, figure->of_leg ? "leg" : "node",
				str_text(&list));
	str_deinit(&list);
	return error;
}

/* Parses the text in the parentheses of leg(...) or node(...): the number or
 * the name. */
static struct error *parse_owner(struct parser *parser, struct figure *figure)
{
	const char *what = figure->of_leg ? "leg" : "node";
	const struct word *word = &parser->word;
	CLEANUP(free_pointer)
	char *text = xstrndup(word->start, word->length);

	if (word->kind == WORD_STRING && figure->of_leg) {
		figure->name = expectation_unquote(word);
		if (!figure->name)
			return fail_at(parser, word->start,
				       "the %c that ends the name is missing",
				       *word->start);
	} else if (word->kind == WORD_STRING) {
		return fail_at(parser, word->start,
			       "a node is given by its number");
	} else if (word->kind == WORD_NAME && figure->of_leg) {
		return fail_at(parser, word->start,
			       "a leg's name stands in quotes: leg(\"%s\")",
			       text);
	} else if (word->kind == WORD_NUMBER || word->kind == WORD_BAD) {
		struct error *error = argument_id(text, what, &figure->id);

		if (error)
			return error_prefix(
				error, "column %zu",
				(size_t)(word->start - parser->text) + 1);
	} else {
		return unexpected(parser, figure->of_leg
						  ? "a leg's number or name"
						  : "a node's number");
	}
	next(parser);
	return NULL;
}

static bool find_member(const struct parser *parser, struct figure *figure)
{
	const struct word *word = &parser->word;
	const char *name;

	for (size_t i = 0;
	     (name = expectation_member(figure->of_leg, i, &figure->member));
	     i++)
		if (word->kind == WORD_NAME && strlen(name) == word->length &&
		    strncasecmp(name, word->start, word->length) == 0)
			return true;
	return false;
}

static void figure_deinit(struct figure *figure)
{
	free(figure->name);
	free(figure->text);
	free(figure->owner);
}

/* Parses a figure from its opening parenthesis on. `start' is where the
 * figure's first word begins. */
static struct error *parse_figure(struct parser *parser, const char *start,
				  struct figure *figure)
{
	const char *end;

	TRY(take(parser, WORD_OPEN, "`('"));
	TRY(parse_owner(parser, figure));
	end = parser->word.start + parser->word.length;
	TRY(take(parser, WORD_CLOSE, "`)'"));
	figure->owner = xstrndup(start, (size_t)(end - start));
	if (parser->word.kind != WORD_DOT)
		return no_member(parser, figure, start);
	next(parser);
	if (!find_member(parser, figure))
		return no_member(parser, figure, start);
	end = parser->word.start + parser->word.length;
	figure->text = xstrndup(start, (size_t)(end - start));
	next(parser);
	return NULL;
}

static bool is_word(const struct word *word, const char *name)
{
	return word->length == strlen(name) &&
	       strncasecmp(word->start, name, word->length) == 0;
}

static struct error *parse_name(struct parser *parser, struct operand *out)
{
	struct figure figure = {.of_leg = is_word(&parser->word, "leg")};
	const char *start = parser->word.start;
	struct error *error;

	if (!figure.of_leg && !is_word(&parser->word, "node"))
		return fail_at(parser, start,
			       "`%.*s' is not known; there are leg(N), "
			       "leg(\"NAME\") and node(N)",
			       (int)parser->word.length, start);
	next(parser);
	error = parse_figure(parser, start, &figure);
	if (error) {
		figure_deinit(&figure);
		return error;
	}
	out->quantity =
		figure.member == MEMBER_COUNT || figure.member == MEMBER_OPEN
			? QUANTITY_COUNT
			: QUANTITY_TIME;
	emit(parser, OPERATION_FIGURE);
	parser->out->code.data[parser->out->code.count - 1].figure =
		parser->out->figures.count;
	vec_push(&parser->out->figures, figure);
	return NULL;
}

/* ---- expressions ----------------------------------------------------------
 */

static struct error *parse_binary(struct parser *parser, unsigned least,
				  struct operand *out);

static void parse_number(struct parser *parser, struct operand *out)
{
	out->quantity = parser->word.is_time ? QUANTITY_TIME : QUANTITY_NUMBER;
	emit(parser, OPERATION_NUMBER);
	parser->out->code.data[parser->out->code.count - 1].number =
		parser->word.number;
	next(parser);
}

/* Returns the end of the text that the parser has parsed so far. */
static const char *end_of(const struct parser *parser)
{
	const char *end = parser->word.start;

	while (end > parser->text && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	return end;
}

static struct error *parse_primary(struct parser *parser, struct operand *out)
{
	const char *start = parser->word.start;

	switch (parser->word.kind) {
	case WORD_NUMBER:
		parse_number(parser, out);
		break;
	case WORD_NAME:
		TRY(parse_name(parser, out));
		break;
	case WORD_OPEN:
		next(parser);
		TRY(parse_binary(parser, PRECEDENCE_OR, out));
		TRY(take(parser, WORD_CLOSE, "`)'"));
		break;
	default:
		return unexpected(parser, "a value");
	}
	out->start = start;
	out->end = end_of(parser);
	return NULL;
}

static struct error *parse_sign(struct parser *parser, struct operand *out)
{
	bool is_not = is_operation(&parser->word, OPERATION_NOT);
	bool is_minus = is_operation(&parser->word, OPERATION_SUBTRACT);
	const char *start = parser->word.start;

	if (!is_not && !is_minus)
		return parse_primary(parser, out);
	if (++parser->depth > DEPTH_MAX)
		return fail_at(parser, start,
			       "the expression is nested too deeply");
	next(parser);
	TRY(parse_sign(parser, out));
	parser->depth--;
	if (is_not)
		out->quantity = QUANTITY_TRUTH;
	else
		TRY(check_number(parser, out));
	emit(parser, is_not ? OPERATION_NOT : OPERATION_NEGATE);
	out->start = start;
	return NULL;
}

static enum precedence precedence_of(const struct word *word)
{
	if (word->kind != WORD_OPERATOR)
		return PRECEDENCE_NONE;
	switch (word->operation) {
	case OPERATION_OR:
		return PRECEDENCE_OR;
	case OPERATION_AND:
		return PRECEDENCE_AND;
	case OPERATION_ADD:
	case OPERATION_SUBTRACT:
		return PRECEDENCE_SUM;
	case OPERATION_MULTIPLY:
	case OPERATION_DIVIDE:
		return PRECEDENCE_PRODUCT;
	case OPERATION_NOT:
		return PRECEDENCE_NONE;
	default:
		return PRECEDENCE_COMPARISON;
	}
}

/* Parses an operator and its right operand. `out' is the left operand at first,
 * and becomes the whole expression. */
static struct error *parse_right(struct parser *parser, struct operand *out)
{
	const struct word word = parser->word;
	enum quantity quantity;
	struct operand right;

	next(parser);
	TRY(parse_binary(parser, precedence_of(&word) + 1, &right));
	TRY(combine(parser, word.operation, out, &right, &quantity));
	emit(parser, word.operation);
	out->quantity = quantity;
	out->end = right.end;
	if (precedence_of(&word) == PRECEDENCE_COMPARISON &&
	    precedence_of(&parser->word) == PRECEDENCE_COMPARISON)
		return fail_at(parser, parser->word.start,
			       "one comparison cannot follow another; write a "
			       "< b && b < c");
	return NULL;
}

static struct error *parse_binary(struct parser *parser, unsigned least,
				  struct operand *out)
{
	if (++parser->depth > DEPTH_MAX)
		return fail_at(parser, parser->word.start,
			       "the expression is nested too deeply");
	TRY(parse_sign(parser, out));
	while (precedence_of(&parser->word) >= least)
		TRY(parse_right(parser, out));
	parser->depth--;
	return NULL;
}

static struct error *parse(struct parser *parser)
{
	struct operand whole;

	TRY(parse_binary(parser, PRECEDENCE_OR, &whole));
	if (parser->word.kind != WORD_END)
		return unexpected(parser, "an operator");
	return NULL;
}

struct error *expectation_parse(const char *text, struct expectation *out)
{
	struct parser parser = {
		.text = text, .word = expectation_word(text), .out = out};
	struct error *error;

	*out = (struct expectation){.text = xstrdup(text)};
	error = parse(&parser);
	if (error)
		expectation_deinit(out);
	return error;
}

void expectation_deinit(struct expectation *expectation)
{
	for (size_t i = 0; i < expectation->figures.count; i++)
		figure_deinit(&expectation->figures.data[i]);
	vec_free(&expectation->figures);
	vec_free(&expectation->code);
	free(expectation->text);
	*expectation = (struct expectation){0};
}
