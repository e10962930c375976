/* type.c - see type.h */
#include "type.h"

#include <stdio.h>
#include <string.h>

const struct type type_int = {TYPE_INTEGER, 4, true, 0};
const struct type type_unsigned = {TYPE_INTEGER, 4, false, 0};
const struct type type_long = {TYPE_INTEGER, 8, true, 0};
const struct type type_unsigned_long = {TYPE_INTEGER, 8, false, 0};
const struct type type_float = {TYPE_FLOAT, 4, true, 0};
const struct type type_double = {TYPE_FLOAT, 8, true, 0};
const struct type type_void_pointer = {TYPE_VOID, 0, false, 1};
const struct type type_unknown_pointer = {TYPE_UNKNOWN, 0, false, 1};

#define MAX_POINTERS 16

unsigned type_size(struct type type)
{
	return type_is_pointer(type) ? 8 : type.size;
}

struct type type_pointed(struct type pointer)
{
	pointer.pointers--;
	return pointer;
}

struct type type_promote(struct type type)
{
	if (type_is_integer(type) && type.size < 4)
		return type_int;
	return type;
}

struct type type_common(struct type a, struct type b)
{
	if (type_is_float(a) || type_is_float(b)) {
		if (!type_is_float(a))
			return b;
		if (!type_is_float(b))
			return a;
		return a.size >= b.size ? a : b;
	}
	a = type_promote(a);
	b = type_promote(b);
	if (a.size != b.size)
		return a.size > b.size ? a : b;
	return a.is_signed ? b : a;
}

static const char *base_name(struct type type)
{
	switch (type.class) {
	case TYPE_INTEGER:
		switch (type.size) {
		case 1:
			return type.is_signed ? "char" : "unsigned char";
		case 2:
			return type.is_signed ? "short" : "unsigned short";
		case 4:
			return type.is_signed ? "int" : "unsigned";
		default:
			return type.is_signed ? "long" : "unsigned long";
		}
	case TYPE_BOOL:
		return "_Bool";
	case TYPE_FLOAT:
		return type.size == 4   ? "float"
		       : type.size == 8 ? "double"
					: "long double";
	case TYPE_VOID:
		return "void";
	default:
		return "(a type of the program)";
	}
}

const char *type_name(struct type type, char buffer[static TYPE_NAME_SIZE])
{
	snprintf(buffer, TYPE_NAME_SIZE, "%s%s%.*s", base_name(type),
		 type.pointers ? " " : "", type.pointers, "****************");
	return buffer;
}

/* The words that make up the name of a type, counted. */
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
	{"void", WORD_VOID},
	{"const", WORD_QUALIFIER},
	{"volatile", WORD_QUALIFIER},
	{"restrict", WORD_QUALIFIER},
	{"struct", WORD_TAG},
	{"union", WORD_TAG},
	{"enum", WORD_TAG},
	{"class", WORD_TAG},
};

/* The names of stddef.h, stdint.h and sys/types.h, which every program may
 * mean by them what these say. */
static const struct {
	const char *name;
	struct type type;
} typedefs[] = {
	{"int8_t", {TYPE_INTEGER, 1, true, 0}},
	{"uint8_t", {TYPE_INTEGER, 1, false, 0}},
	{"int16_t", {TYPE_INTEGER, 2, true, 0}},
	{"uint16_t", {TYPE_INTEGER, 2, false, 0}},
	{"int32_t", {TYPE_INTEGER, 4, true, 0}},
	{"uint32_t", {TYPE_INTEGER, 4, false, 0}},
	{"int64_t", {TYPE_INTEGER, 8, true, 0}},
	{"uint64_t", {TYPE_INTEGER, 8, false, 0}},
	{"intptr_t", {TYPE_INTEGER, 8, true, 0}},
	{"uintptr_t", {TYPE_INTEGER, 8, false, 0}},
	{"ptrdiff_t", {TYPE_INTEGER, 8, true, 0}},
	{"ssize_t", {TYPE_INTEGER, 8, true, 0}},
	{"size_t", {TYPE_INTEGER, 8, false, 0}},
	{"off_t", {TYPE_INTEGER, 8, true, 0}},
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
 * The type that counted words make up (C17 6.7.2, 2), or false. `count` is
 * used up: what is left over when a type has taken its words is wrong.
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
		*type = (struct type){TYPE_BOOL, 1, false, 0};
	} else if (count[WORD_FLOAT]) {
		count[WORD_FLOAT]--;
		*type = type_float;
	} else if (count[WORD_DOUBLE]) {
		count[WORD_DOUBLE]--;
		*type = type_double;
		if (longs == 1) {
			type->size = 16;
			count[WORD_LONG] = 0;
		}
	} else {
		if (count[WORD_CHAR]) {
			count[WORD_CHAR]--;
			size = 1;
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
		*type = (struct type){TYPE_INTEGER, size, !is_unsigned, 0};
	}
	for (int i = 0; i < WORD_COUNT; i++)
		left += count[i];
	return left == 0;
}

struct error *type_parse(struct lexer *lexer, struct type *out)
{
	unsigned count[WORD_COUNT] = {0}, total = 0;
	const char *start = lexer->token.start, *end = start;
	struct type type = type_int;
	enum word word;

	while (find_word(&lexer->token, &word, &type)) {
		if (word == WORD_TAG)
			return lexer_error(
				lexer, lexer->token.start,
				"'%.*s': casts to types of the program are "
				"not supported in this version",
				(int)lexer->token.length, lexer->token.start);
		count[word]++;
		total++;
		end = lexer->token.start + lexer->token.length;
		lexer_next(lexer);
	}
	/* `const` alone is no type, though C of old took it for int */
	if (total == count[WORD_QUALIFIER] || !combine(count, &type))
		return lexer_error(lexer, start, "'%.*s' is no type of C",
				   (int)(end - start), start);
	while (token_is_op(&lexer->token, OP_MULTIPLY)) {
		if (type.pointers == MAX_POINTERS)
			return lexer_error(lexer, lexer->token.start,
					   "too many '*' in a type");
		type.pointers++;
		lexer_next(lexer);
		while (find_word(&lexer->token, &word, &(struct type){0}) &&
		       word == WORD_QUALIFIER)
			lexer_next(lexer);
	}
	*out = type;
	return NULL;
}

bool type_from_name(const char *text, struct type *out)
{
	struct lexer lexer;
	struct type type;
	struct error *error;

	lexer_init(&lexer, text);
	if (!type_begins(&lexer))
		return false;
	error = type_parse(&lexer, &type);
	if (error) {
		error_destroy(error);
		return false;
	}
	if (lexer.token.kind != TOKEN_END)
		return false;
	*out = type;
	return true;
}
