/*
 * expectation.h - what a script expects of the tables: leg("f").p99 < 3ms
 *
 * A small language of its own, apart from the C of conditions: its values are
 * figures of the finished tables. Pure: no session, no process. A text is
 * parsed once, and may be checked against tables that come later: which legs
 * and nodes there are is looked up then.
 *
 * A figure that is not known makes what is computed from it unknown, unless it
 * does not matter: `leg(0).count == 0 || leg(0).mean < 3ms' is true of a leg
 * that was never executed. A mean below the resolution is known to be less than
 * that, and nothing else.
 */
#ifndef COMMAND_EXPECTATION_H
#define COMMAND_EXPECTATION_H

#include "perftool/base/error.h"
#include "perftool/base/str.h"
#include "perftool/base/vec.h"
#include "perftool/report.h"

#include "command/tokenizer.h"

/* What a value is a number of. One that stands in the text without a unit is
 * ns beside a time, and a count beside a count. */
enum quantity {
	QUANTITY_NUMBER,
	QUANTITY_COUNT,
	QUANTITY_TIME,
	QUANTITY_TRUTH, /* what a comparison says */
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

/* A leg or a node, and what is asked of it. */
struct figure {
	bool of_leg;
	char *name;  /* of a leg; NULL: it is given by its number */
	uint32_t id; /* that */
	enum member member;
	char *text;  /* as it was written: leg("f").p99 */
	char *owner; /* the part of it before the member */
};

enum operation {
	/* put on the stack */
	OPERATION_NUMBER,
	OPERATION_FIGURE,
	/* of the topmost one */
	OPERATION_NEGATE,
	OPERATION_NOT,
	/* of the topmost two */
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
	long double number; /* it has 64 bits: all counts are exact */
	size_t figure;      /* by index */
};

struct expectation {
	char *text; /* as it was written */
	VEC(struct figure) figures;
	VEC(struct instruction) code; /* for a machine with a stack */
};

/* ERROR_USAGE: "column N: ..." where the text is at fault. */
struct error *expectation_parse(const char *text, struct expectation *out);
void expectation_deinit(struct expectation *expectation);

/*
 * Is it met? `found', appended to, tells the figures: `leg("f").p99 is 4.12ms',
 * or why one is not known. An error when there is no such leg or node, or there
 * are several legs of the name.
 */
struct error *expectation_check(const struct expectation *expectation,
				const struct tables *tables, bool *met,
				struct str *found);

/* What the word at the end of `text' may become; `*start': where that begins.
 * Tables are asked for if they are needed. */
typedef const struct tables *expectation_tables_fn(void *context);
void expectation_complete(const char *text, expectation_tables_fn *tables,
			  void *context, size_t *start, struct words *out);

/* ---- the words of the language, for the parser and for completion ---------
 */

enum word_kind {
	WORD_END,
	WORD_NUMBER,
	WORD_NAME,
	WORD_STRING, /* with its quotes; the second may be missing */
	WORD_OPERATOR,
	WORD_OPEN,
	WORD_CLOSE,
	WORD_DOT,
	WORD_BAD, /* no word of the language */
};

struct word {
	enum word_kind kind;
	const char *start;
	size_t length;
	bool is_time; /* a number with a unit: in ns */
	long double number;
	enum operation operation; /* `-' is OPERATION_SUBTRACT */
};

/* The first word of a text. */
struct word expectation_word(const char *text);

/* The names of the members of a leg, or of a node, in the order in which they
 * are listed; NULL: no more. */
const char *expectation_member(bool of_leg, size_t index, enum member *member);

/* The operators between two values; NULL: no more. */
const char *expectation_operator(size_t index);

/* The string without its quotes, which the caller frees. NULL: the second one
 * is missing. */
char *expectation_unquote(const struct word *word);

#endif
