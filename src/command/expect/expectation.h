/*
 * expectation.h - an expectation: a statement of a script about the tables,
 * such as leg("f").p99 < 3ms
 *
 * Expectations have a small language of their own, which is not the C of
 * conditions, because the values are figures of the finished tables. The code
 * for this language needs no session and no process. A text is parsed once and
 * may be checked against tables that come later: the legs and nodes are looked
 * up at the time of the check.
 *
 * If a figure is not known, the result of an operation on this figure is not
 * known either, unless the figure does not matter for the result: `leg(0).count
 * == 0 || leg(0).mean < 3ms' is true for a leg that was never executed. Of a
 * mean below the resolution, the tool knows only that the mean is less than the
 * resolution.
 */
#ifndef COMMAND_EXPECTATION_H
#define COMMAND_EXPECTATION_H

#include "perftool/base/error.h"
#include "perftool/base/str.h"
#include "perftool/base/vec.h"
#include "perftool/report.h"

#include "command/tokenizer.h"

/* What a value measures: a count, a time, and so on. A number that is written
 * without a unit takes the quantity of the other operand: beside a time, it is
 * a number of ns; beside a count, it is a count. */
enum quantity {
	QUANTITY_NUMBER,
	QUANTITY_COUNT,
	QUANTITY_TIME,
	QUANTITY_TRUTH, /* the result of a comparison */
};

enum member {
	MEMBER_COUNT,
	MEMBER_OPEN,
	MEMBER_TOTAL,
	MEMBER_MEAN,
	MEMBER_MIN,
	MEMBER_MAX,
	MEMBER_P50,
	MEMBER_P90,
	MEMBER_P99,
	MEMBER_P999,
};

/* A figure in the text of an expectation: a leg or a node, and a member of it,
 * such as the mean. */
struct figure {
	bool of_leg;
	/* the name of the leg; NULL: the figure has a number instead */
	char *name;
	uint32_t id; /* the number of the leg or node */
	enum member member;
	/* the figure as it was written: leg("f").p99 */
	char *text;
	/* the part of `text` before the member: leg("f") */
	char *owner;
};

enum operation {
	/* these operations push a value on the stack */
	OPERATION_NUMBER,
	OPERATION_FIGURE,
	/* these operations replace the topmost value of the stack */
	OPERATION_NEGATE,
	OPERATION_NOT,
	/* these operations replace the two topmost values of the stack by one
	 */
	OPERATION_ADD,
	OPERATION_SUBTRACT,
	OPERATION_MULTIPLY,
	OPERATION_DIVIDE,
	OPERATION_LESS,
	OPERATION_LESS_EQUAL,
	OPERATION_GREATER,
	OPERATION_GREATER_EQUAL,
	OPERATION_EQUAL,
	OPERATION_NOT_EQUAL,
	OPERATION_AND,
	OPERATION_OR,
};

struct instruction {
	enum operation operation;
	/* The value of OPERATION_NUMBER. A long double has a mantissa of 64
	 * bits, so that all counts are exact. */
	long double number;
	size_t figure; /* for OPERATION_FIGURE: an index into `figures` of the
			* expectation */
};

struct expectation {
	char *text; /* the text of the expectation as the user wrote it */
	VEC(struct figure) figures;
	/* the code of a stack machine: the instructions of the operands come
	 * before the instruction of their operation */
	VEC(struct instruction) code;
};

/* Parses the text of an expectation. Returns ERROR_USAGE if the text is wrong:
 * "column N: ..." says where. The caller frees `out` with expectation_deinit().
 */
struct error *expectation_parse(const char *text, struct expectation *out);
void expectation_deinit(struct expectation *expectation);

/*
 * Checks an expectation with the figures of the tables. `*met` says whether it
 * is met. The function appends the figures to `found`: `leg("f").p99 is
 * 4.12ms', or the reason why a figure is not known. It returns an error if a
 * leg or node of the expectation does not exist, or if several legs have the
 * name.
 */
struct error *expectation_check(const struct expectation *expectation,
				const struct tables *tables, bool *met,
				struct str *found);

/* Completes the word at the end of `text`, the beginning of an expectation:
 * adds the candidates to `out`, and sets `*start` to the position where the
 * word begins. The function calls `tables` only if it needs the tables. */
typedef const struct tables *expectation_tables_fn(void *context);
void expectation_complete(const char *text, expectation_tables_fn *tables,
			  void *context, size_t *start, struct words *out);

/* ---- the words of the language, for the parser and for completion ---------
 */

enum word_kind {
	WORD_END,
	WORD_NUMBER,
	WORD_NAME,
	/* a string with its quotes; the closing quote may be missing */
	WORD_STRING,
	WORD_OPERATOR,
	WORD_OPEN,
	WORD_CLOSE,
	WORD_DOT,
	WORD_BAD, /* text that is no word of the language */
};

struct word {
	enum word_kind kind;
	const char *start;
	size_t length;
	/* was the number written with a unit? `number` is then in ns */
	bool is_time;
	long double number;
	/* the operator; `-' is OPERATION_SUBTRACT even where it is a sign,
	 * which only the parser can tell */
	enum operation operation;
};

/* Returns the first word of a text. A word is the smallest unit of the
 * language: a name, a number, a string, an operator, a bracket or a dot. */
struct word expectation_word(const char *text);

/* Returns the name of a member of a leg (`of_leg`) or of a node, by its index
 * in the list of members, or NULL for an index after the last member. */
const char *expectation_member(bool of_leg, size_t index, enum member *member);

/* Returns by its index an operator that stands between two values, or NULL for
 * an index after the last one. */
const char *expectation_operator(size_t index);

/* Returns the text of a string word without its quotes. The caller frees the
 * result. Returns NULL if the closing quote is missing. */
char *expectation_unquote(const struct word *word);

#endif
