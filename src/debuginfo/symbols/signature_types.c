/*
 * signature_types.c - reads the types in a name and writes them in the spelling
 * of signatures (signature.h)
 */
#include <ctype.h>

#include "signature_reader.h"

/* The deepest nesting of templates that is read. A mangled name may nest
 * templates without end. */
#define MAX_DEPTH 200

/* The most arguments of one template that are compared with defaults. */
#define MAX_ARGUMENTS 16

/* ---- words of types ------------------------------------------------------ */

/* Names in std that stand for a template: `string` is `basic_string<char>`. */
static const struct {
	const char *name, *of, *argument;
} std_names[] = {
	{"string", "basic_string", "char"},
	{"wstring", "basic_string", "wchar_t"},
	{"u8string", "basic_string", "char8_t"},
	{"u16string", "basic_string", "char16_t"},
	{"u32string", "basic_string", "char32_t"},
	{"string_view", "basic_string_view", "char"},
	{"wstring_view", "basic_string_view", "wchar_t"},
	{"u16string_view", "basic_string_view", "char16_t"},
	{"u32string_view", "basic_string_view", "char32_t"},
	{"ios", "basic_ios", "char"},
	{"streambuf", "basic_streambuf", "char"},
	{"istream", "basic_istream", "char"},
	{"ostream", "basic_ostream", "char"},
	{"iostream", "basic_iostream", "char"},
	{"wistream", "basic_istream", "wchar_t"},
	{"wostream", "basic_ostream", "wchar_t"},
	{"stringbuf", "basic_stringbuf", "char"},
	{"istringstream", "basic_istringstream", "char"},
	{"ostringstream", "basic_ostringstream", "char"},
	{"stringstream", "basic_stringstream", "char"},
	{"filebuf", "basic_filebuf", "char"},
	{"ifstream", "basic_ifstream", "char"},
	{"ofstream", "basic_ofstream", "char"},
	{"fstream", "basic_fstream", "char"},
};

/* Inline namespaces of the C++ libraries, which users leave out. */
static const char *const inline_scopes[] = {"__cxx11", "__1", "_V2"};

/* Beginnings of the default arguments of std's templates. */
static const char *const defaults[] = {
	"std::allocator<", "std::char_traits<", "std::default_delete<",
	"std::less<",      "std::hash<",        "std::equal_to<",
};

/* Typedefs of C's headers, and the types that they are in the ABI of x86-64, in
 * the spelling of signatures. */
static const struct {
	const char *name, *type;
} c_names[] = {
	{"size_t", "unsignedlong"},    {"ssize_t", "long"},
	{"ptrdiff_t", "long"},         {"intptr_t", "long"},
	{"uintptr_t", "unsignedlong"}, {"int8_t", "charsigned"},
	{"uint8_t", "charunsigned"},   {"int16_t", "short"},
	{"uint16_t", "unsignedshort"}, {"int32_t", "int"},
	{"uint32_t", "unsignedint"},   {"int64_t", "long"},
	{"uint64_t", "unsignedlong"},
};

static bool ends_in(const struct str *out, const char *text)
{
	size_t length = strlen(text);

	return out->length >= length &&
	       memcmp(out->data + out->length - length, text, length) == 0 &&
	       (out->length == length ||
		!is_word(out->data[out->length - length - 1]));
}

static bool in_std(const struct str *out)
{
	return ends_in(out, "std::") &&
	       (out->length < 7 ||
		memcmp(out->data + out->length - 7, "::", 2) != 0);
}

bool skip_inline_scope(struct reader *reader, size_t length)
{
	const char *end = reader->at + length;

	if (!str_starts(end, "::") || !in_std(reader->out))
		return false;
	for (size_t i = 0; i < sizeof(inline_scopes) / sizeof(char *); i++)
		if (is_name(reader->at, length, inline_scopes[i])) {
			reader->at = end + 2;
			return true;
		}
	return false;
}

const char *std_template(const struct reader *reader, size_t length,
			 const char **argument)
{
	const char *next = reader->at + length;

	while (*next == ' ')
		next++;
	if (*next == '<' || !in_std(reader->out))
		return NULL;
	for (size_t i = 0; i < sizeof(std_names) / sizeof(*std_names); i++)
		if (is_name(reader->at, length, std_names[i].name)) {
			*argument = std_names[i].argument;
			return std_names[i].of;
		}
	return NULL;
}

static const char *c_type(struct reader *reader, size_t length)
{
	const struct str *out = reader->out;

	if (str_starts(reader->at + length, "::") ||
	    (out->length && out->data[out->length - 1] == ':' && !in_std(out)))
		return NULL;
	for (size_t i = 0; i < sizeof(c_names) / sizeof(*c_names); i++)
		if (is_name(reader->at, length, c_names[i].name))
			return c_names[i].type;
	return NULL;
}

/* ---- types --------------------------------------------------------------- */

/* The state while a type is read. The words `long`, `unsigned`, `const` ... may
 * come in any order. They are counted here and written only when all of them
 * are known (close_base()). */
struct base {
	unsigned longs, shorts, unsigneds, signeds, ints;
	bool is_const, is_volatile;
	/* a word came that is not counted here: the name of a type, or a
	 * number */
	bool named;
	bool closed; /* the counted words were written to the output */
};

/* Count a word that describes an integer, such as `long`, or that qualifies a
 * type, such as `const`. `struct`, `class` and the like are skipped. False: it
 * is none of these words. */
static bool take_flag(struct base *base, const char *word, size_t length)
{
	if (is_name(word, length, "const"))
		base->is_const = true;
	else if (is_name(word, length, "volatile"))
		base->is_volatile = true;
	else if (is_name(word, length, "long"))
		base->longs++;
	else if (is_name(word, length, "short"))
		base->shorts++;
	else if (is_name(word, length, "unsigned"))
		base->unsigneds++;
	else if (is_name(word, length, "signed"))
		base->signeds++;
	else if (is_name(word, length, "int"))
		base->ints++;
	else
		return is_name(word, length, "struct") ||
		       is_name(word, length, "class") ||
		       is_name(word, length, "union") ||
		       is_name(word, length, "enum") ||
		       is_name(word, length, "typename");
	return true;
}

static bool is_integer(const struct base *base)
{
	return !base->named && (base->longs || base->shorts ||
				base->unsigneds || base->signeds || base->ints);
}

/* Write the words that take_flag() has counted, in a fixed order, once all of
 * them are known. */
static void close_base(struct base *base, struct str *out)
{
	bool integer = is_integer(base);

	if (base->closed)
		return;
	base->closed = true;
	if (base->unsigneds)
		str_append(out, "unsigned");
	if (base->signeds && base->named)
		str_append(out, "signed");
	for (unsigned i = 0; i < base->longs && i < 2; i++)
		str_append(out, "long");
	if (base->shorts)
		str_append(out, "short");
	else if (integer && !base->longs)
		str_append(out, "int");
	if (base->is_const)
		str_append(out, "const");
	if (base->is_volatile)
		str_append(out, "volatile");
}

/* Write the number without its suffix: `64ul` becomes 64. */
static void read_number(struct reader *reader)
{
	size_t length = word_length(reader->at), end = length;

	while (end > 1 && strchr("uUlL", reader->at[end - 1]))
		end--;
	for (size_t i = 0; i < end; i++)
		if (!isdigit((unsigned char)reader->at[i]))
			end = length;
	str_append_n(reader->out, reader->at, end);
	reader->at += length;
}

/* May the word follow `unsigned` or `long`, as part of the same type? */
static bool takes_sign(const char *word, size_t length)
{
	return is_name(word, length, "char") ||
	       is_name(word, length, "double") ||
	       is_name(word, length, "__int128");
}

/* Read one word of a type, at the reader's position. */
static void read_type_word(struct reader *reader, struct base *base)
{
	size_t length = word_length(reader->at);
	const char *argument, *text;

	if (isdigit((unsigned char)*reader->at)) {
		read_number(reader);
		base->named = true;
		return;
	}
	if (!base->closed && take_flag(base, reader->at, length)) {
		reader->at += length;
		return;
	}
	if (skip_inline_scope(reader, length))
		return;
	/* In `int C::*`, the word `int` is complete when the class `C` follows,
	 * so it is written now. */
	if (is_integer(base) && !takes_sign(reader->at, length))
		close_base(base, reader->out);
	base->named = true;
	text = std_template(reader, length, &argument);
	if (text) {
		str_printf(reader->out, "%s<%s>", text, argument);
	} else if ((text = c_type(reader, length))) {
		if (in_std(reader->out))
			reader->out->length -= strlen("std::");
		str_append(reader->out, text);
	} else {
		str_append_n(reader->out, reader->at, length);
	}
	reader->at += length;
}

void append_one(struct reader *reader)
{
	str_append_char(reader->out, *reader->at++);
}

void read_braces(struct reader *reader)
{
	append_one(reader);
	while (*reader->at && *reader->at != '}') {
		char c = *reader->at;

		if (c == '{' && reader->depth < MAX_DEPTH) {
			reader->depth++;
			read_braces(reader);
			reader->depth--;
		} else if (c == '(' && reader->depth < MAX_DEPTH) {
			append_one(reader);
			read_list(reader, ')');
		} else if (c == ' ') {
			reader->at++;
		} else {
			append_one(reader);
		}
	}
	if (*reader->at)
		append_one(reader);
}

/* Read what is not a word: a sign such as `*`, or a list in brackets. False:
 * the type ends here. */
static bool read_type_sign(struct reader *reader, struct base *base, char close)
{
	char c = *reader->at;

	if (!c || c == ',' || c == close)
		return false;
	if (str_starts(reader->at, ANONYMOUS)) {
		str_append(reader->out, ANONYMOUS);
		reader->at += strlen(ANONYMOUS);
		base->named = true;
	} else if (str_starts(reader->at, "::") ||
		   str_starts(reader->at, "->")) {
		append_one(reader);
		append_one(reader);
	} else if (str_starts(reader->at, "[abi:")) {
		reader->at += strcspn(reader->at, "]");
		reader->at += *reader->at == ']';
	} else if (reader->depth >= MAX_DEPTH) {
		append_one(reader);
	} else if (c == '{') {
		base->named = true;
		reader->depth++;
		read_braces(reader);
		reader->depth--;
	} else if (c == '<') {
		append_one(reader);
		read_list(reader, '>');
	} else {
		close_base(base, reader->out);
		append_one(reader);
		if (c == '(')
			read_list(reader, ')');
	}
	return true;
}

/* Remove `const` and `volatile` from the end of a parameter's type, which
 * begins at `start`: a parameter's own qualifiers are not part of the
 * function's type. */
static void remove_qualifiers(struct str *out, size_t start)
{
	static const char *const words[] = {"const", "volatile"};
	bool found;

	do {
		found = false;
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
			size_t length = strlen(words[i]);

			if (out->length < start + length + 1 ||
			    memcmp(out->data + out->length - length, words[i],
				   length) != 0)
				continue;
			/* The parameter's own qualifier stands behind a `*`.
			 * Behind another character the text may be the end of a
			 * longer word. */
			if (out->data[out->length - length - 1] != '*')
				continue;
			out->length -= length;
			found = true;
		}
	} while (found);
}

void read_type(struct reader *reader, char close)
{
	struct base base = {0};
	size_t start = reader->out->length;

	for (;;) {
		skip_blanks(reader);
		if (is_word(*reader->at))
			read_type_word(reader, &base);
		else if (!read_type_sign(reader, &base, close))
			break;
	}
	if (close == ')' && !base.closed)
		base.is_const = base.is_volatile = false;
	close_base(&base, reader->out);
	if (close == ')')
		remove_qualifiers(reader->out, start);
}

static bool is_default(const struct str *out, size_t begin)
{
	for (size_t i = 0; i < sizeof(defaults) / sizeof(*defaults); i++) {
		size_t length = strlen(defaults[i]);

		if (out->length - begin >= length &&
		    memcmp(out->data + begin, defaults[i], length) == 0)
			return true;
	}
	return false;
}

void read_list(struct reader *reader, char close)
{
	size_t start = reader->out->length, begins[MAX_ARGUMENTS], count = 0;

	reader->depth++;
	for (;;) {
		if (count < MAX_ARGUMENTS)
			begins[count] = reader->out->length;
		count++;
		read_type(reader, close);
		if (*reader->at != ',')
			break;
		append_one(reader);
	}
	reader->depth--;
	if (close == ')' && ends_in(reader->out, "void") &&
	    reader->out->length == start + 4)
		reader->out->length = start;
	while (close == '>' && count > 1 && count <= MAX_ARGUMENTS &&
	       is_default(reader->out, begins[count - 1]))
		/* Remove the comma before the argument, too. */
		reader->out->length = begins[--count] - 1;
	if (*reader->at)
		append_one(reader);
}

void read_operator_word(struct reader *reader)
{
	struct base base = {0};

	skip_blanks(reader);
	for (;;) {
		skip_blanks(reader);
		/* The parameters begin here. */
		if (*reader->at == '(')
			break;
		if (is_word(*reader->at))
			read_type_word(reader, &base);
		else if (!read_type_sign(reader, &base, '('))
			break;
	}
	close_base(&base, reader->out);
}
