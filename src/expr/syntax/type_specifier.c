/*
 * type_specifier.c - the names of types, as C writes them; see type_specifier.h
 *
 * If all words of a name are C's own, the type is one of C. Any other name, and
 * one behind `struct` and the like, is a type of the program, which the binder
 * looks up.
 */
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "type_specifier.h"

/* The kinds of words in the names of C's types. */
enum word {
	WORD_CHAR,
	WORD_SHORT,
	WORD_INT,
	WORD_LONG,
	WORD_SIGNED,
	WORD_UNSIGNED,
	WORD_FLOAT,
	WORD_DOUBLE,
	WORD_BOOL,
	WORD_INT128,
	WORD_VOID,
	WORD_QUALIFIER,
	WORD_TAG, /* struct and the like */
	WORD_TYPEDEF,
	WORD_COUNT,
};

static const struct {
	const char *name;
	enum word word;
} words[] = {
	{"char", WORD_CHAR},
	{"short", WORD_SHORT},
	{"int", WORD_INT},
	{"long", WORD_LONG},
	{"signed", WORD_SIGNED},
	{"unsigned", WORD_UNSIGNED},
	{"float", WORD_FLOAT},
	{"double", WORD_DOUBLE},
	{"_Bool", WORD_BOOL},
	{"bool", WORD_BOOL},
	{"__int128", WORD_INT128},
	{"void", WORD_VOID},
	{"const", WORD_QUALIFIER},
	{"volatile", WORD_QUALIFIER},
	{"restrict", WORD_QUALIFIER},
	{"struct", WORD_TAG},
	{"union", WORD_TAG},
	{"enum", WORD_TAG},
	{"class", WORD_TAG},
};

/*
 * The types of stddef.h, stdint.h and sys/types.h. An expression can use them
 * even if the debug information of the program does not have them.
 */
static const struct {
	const char *name;
	struct type type;
} typedefs[] = {
	{"int8_t", {TYPE_INTEGER, 1, true, 0, NULL}},
	{"uint8_t", {TYPE_INTEGER, 1, false, 0, NULL}},
	{"int16_t", {TYPE_INTEGER, 2, true, 0, NULL}},
	{"uint16_t", {TYPE_INTEGER, 2, false, 0, NULL}},
	{"int32_t", {TYPE_INTEGER, 4, true, 0, NULL}},
	{"uint32_t", {TYPE_INTEGER, 4, false, 0, NULL}},
	{"int64_t", {TYPE_INTEGER, 8, true, 0, NULL}},
	{"uint64_t", {TYPE_INTEGER, 8, false, 0, NULL}},
	{"intptr_t", {TYPE_INTEGER, 8, true, 0, NULL}},
	{"uintptr_t", {TYPE_INTEGER, 8, false, 0, NULL}},
	{"ptrdiff_t", {TYPE_INTEGER, 8, true, 0, NULL}},
	{"ssize_t", {TYPE_INTEGER, 8, true, 0, NULL}},
	{"size_t", {TYPE_INTEGER, 8, false, 0, NULL}},
	{"off_t", {TYPE_INTEGER, 8, true, 0, NULL}},
	{"__int128_t", {TYPE_INTEGER, 16, true, 0, NULL}},
	{"__uint128_t", {TYPE_INTEGER, 16, false, 0, NULL}},
};

static bool find_word(const struct token *token, enum word *word,
		      struct type *type)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (token_is_name(token, words[i].name)) {
			*word = words[i].word;
			return true;
		}
	}
	for (size_t i = 0; i < sizeof(typedefs) / sizeof(*typedefs); i++) {
		if (token_is_name(token, typedefs[i].name)) {
			*word = WORD_TYPEDEF;
			*type = typedefs[i].type;
			return true;
		}
	}
	return false;
}

bool type_begins(const struct lexer *lexer)
{
	enum word word;
	struct type type;

	return find_word(&lexer->token, &word, &type);
}

/*
 * Find the type that the counted words name (C17 6.7.2, 2). False: they name no
 * type. Each type takes its words from `count`; if a word is left over, the
 * name is wrong.
 */
static bool combine(unsigned count[WORD_COUNT], struct type *type)
{
	bool is_unsigned = count[WORD_UNSIGNED] > 0;
	unsigned longs = count[WORD_LONG], left = 0;
	uint8_t size = 4;

	count[WORD_QUALIFIER] = 0;
	if (count[WORD_TYPEDEF]) {
		count[WORD_TYPEDEF]--;
	} else if (count[WORD_VOID]) {
		count[WORD_VOID]--;
		*type = (struct type){.class = TYPE_VOID};
	} else if (count[WORD_BOOL]) {
		count[WORD_BOOL]--;
		*type = type_bool;
	} else if (count[WORD_FLOAT]) {
		count[WORD_FLOAT]--;
		*type = type_float;
	} else if (count[WORD_DOUBLE]) {
		count[WORD_DOUBLE]--;
		*type = longs == 1 ? type_long_double : type_double;
		if (longs == 1)
			count[WORD_LONG] = 0;
	} else {
		if (count[WORD_CHAR]) {
			count[WORD_CHAR]--;
			size = 1;
		} else if (count[WORD_INT128]) {
			count[WORD_INT128]--;
			size = 16;
		} else {
			if (count[WORD_SHORT]) {
				count[WORD_SHORT]--;
				size = 2;
			} else if (longs == 1 || longs == 2) {
				count[WORD_LONG] = 0;
				size = 8;
			}
			if (count[WORD_INT])
				count[WORD_INT]--;
		}
		if (is_unsigned)
			count[WORD_UNSIGNED]--;
		else if (count[WORD_SIGNED])
			count[WORD_SIGNED]--;
		*type = (struct type){.class = TYPE_INTEGER,
				      .size = size,
				      .is_signed = !is_unsigned};
	}
	for (int i = 0; i < WORD_COUNT; i++)
		left += count[i];
	return left == 0;
}

bool type_is_qualifier(const struct token *token)
{
	struct type type;
	enum word word;

	return find_word(token, &word, &type) && word == WORD_QUALIFIER;
}

static void skip_qualifiers(struct lexer *lexer)
{
	while (type_is_qualifier(&lexer->token))
		lexer_next(lexer);
}

/*
 * Parse a type of C. If the type is a word of stdint.h or a similar header,
 * `*name` becomes this word, because the program may define a type of that
 * name, too.
 */
static struct error *parse_words(struct lexer *lexer, struct type *out,
				 char **name)
{
	struct token known = {0};
	unsigned count[WORD_COUNT] = {0}, total = 0;
	const char *start = lexer->token.start, *end = start;
	struct type type = type_int;
	enum word word;

	while (find_word(&lexer->token, &word, &type)) {
		if (word == WORD_TYPEDEF)
			known = lexer->token;
		count[word]++;
		total++;
		end = lexer->token.start + lexer->token.length;
		lexer_next(lexer);
	}
	/* `const` alone is no type; C90 took it for int */
	if (total == count[WORD_QUALIFIER] || !combine(count, &type))
		return lexer_error(lexer, start, "'%.*s' is no type of C",
				   (int)(end - start), start);
	*out = type;
	if (known.length)
		*name = xstrndup(known.start, known.length);
	return NULL;
}

/* Parse `struct NAME`, or a NAME by itself. */
static struct error *parse_program(struct lexer *lexer, char **name)
{
	struct token tag = lexer->token;
	struct type type;
	enum word word;

	if (!find_word(&tag, &word, &type))
		tag.length = 0;
	else
		lexer_next(lexer);
	if (lexer->token.kind != TOKEN_NAME)
		return lexer_error(lexer, tag.start,
				   "a name must follow '%.*s'", (int)tag.length,
				   tag.start);
	*name = xasprintf("%.*s%s%.*s", (int)tag.length, tag.start,
			  tag.length ? " " : "", (int)lexer->token.length,
			  lexer->token.start);
	lexer_next(lexer);
	skip_qualifiers(lexer);
	return NULL;
}

static bool is_program(const struct lexer *lexer)
{
	struct type type;
	enum word word;

	return lexer->token.kind == TOKEN_NAME &&
	       (!find_word(&lexer->token, &word, &type) || word == WORD_TAG);
}

struct error *type_parse(struct lexer *lexer, struct type *out, char **name)
{
	struct lexer before = *lexer;
	uint8_t pointers = 0;

	*name = NULL;
	*out = (struct type){.class = TYPE_PROGRAM};
	skip_qualifiers(lexer);
	if (is_program(lexer)) {
		TRY(parse_program(lexer, name));
	} else {
		*lexer = before;
		TRY(parse_words(lexer, out, name));
	}
	while (token_is_op(&lexer->token, OP_MULTIPLY)) {
		if (pointers == TYPE_MAX_POINTERS) {
			free(*name);
			*name = NULL;
			return lexer_error(lexer, lexer->token.start,
					   "too many '*' in a type");
		}
		pointers++;
		lexer_next(lexer);
		skip_qualifiers(lexer);
	}
	out->pointers = pointers;
	return NULL;
}
