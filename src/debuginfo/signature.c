/* signature.c - see signature.h */
#include "signature.h"

#include <ctype.h>
#include <string.h>

/* Templates within templates. A mangled name may have any number of them. */
#define MAX_DEPTH 200

/* Arguments of one template that are looked at as defaults. */
#define MAX_ARGUMENTS 16

#define ANONYMOUS "(anonymous namespace)"

struct reader {
	const char *start, *at;
	struct str *out;
	int depth;
};

/* Bytes beyond ASCII are letters, of Rust at least. */
static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' ||
	       (unsigned char)c >= 0x80;
}

static size_t word_length(const char *text)
{
	size_t length = 0;

	while (is_word(text[length]))
		length++;
	return length;
}

static bool is_name(const char *word, size_t length, const char *name)
{
	return strlen(name) == length && memcmp(word, name, length) == 0;
}

static void skip_blanks(struct reader *reader)
{
	while (*reader->at == ' ' || *reader->at == '\t')
		reader->at++;
}

/* ---- operators -------------------------------------------------------------
 */

/* The longer ones first. */
static const char *const operators[] = {
	"()", "[]", "->*", "->", "<<=", ">>=", "<=>", "<<", ">>", "<=",
	">=", "==", "!=",  "&&", "||",  "++",  "--",  "+=", "-=", "*=",
	"/=", "%=", "^=",  "&=", "|=",  "+",   "-",   "*",  "/",  "%",
	"^",  "&",  "|",   "~",  "!",   "=",   "<",   ">",  ",",
};

size_t operator_length(const char *text, const char *at)
{
	size_t length = strlen("operator");

	if (!str_starts(at, "operator") || (at > text && is_word(at[-1])) ||
	    is_word(at[length]))
		return 0;
	while (at[length] == ' ')
		length++;
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (str_starts(at + length, operators[i]))
			return length + strlen(operators[i]);
	/* a word or a type follows */
	return 0;
}

/* ---- where parameters are --------------------------------------------------
 */

/* Behind the list of parameters that begins at `at`. */
static const char *skip_list(const char *text, const char *at)
{
	int depth = 0;

	while (*at) {
		size_t length = operator_length(text, at);

		if (length) {
			at += length;
			continue;
		}
		depth += (*at == '(') - (*at == ')');
		at++;
		if (!depth)
			break;
	}
	return at;
}

/* Is there another name behind these parameters, of which they are the scope?
 */
static bool is_scope(const char *at)
{
	static const char *const words[] = {" ", "const", "volatile", "&"};
	size_t i;

	do {
		for (i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (str_starts(at, words[i])) {
				at += strlen(words[i]);
				break;
			}
	} while (i < sizeof(words) / sizeof(*words));
	return str_starts(at, "::");
}

const char *find_parameters(const char *text)
{
	int depth = 0;

	for (const char *at = text; *at;) {
		size_t length = operator_length(text, at);

		if (!length && str_starts(at, ANONYMOUS))
			length = strlen(ANONYMOUS);
		if (!length && str_starts(at, "->"))
			length = 2;
		if (length) {
			at += length;
			continue;
		}
		if (*at == '(' && !depth) {
			const char *end = skip_list(text, at);

			if (!is_scope(end))
				return at;
			at = end;
			continue;
		}
		if (*at == '<' || *at == '{')
			depth++;
		else if ((*at == '>' || *at == '}') && depth)
			depth--;
		at++;
	}
	return text + strlen(text);
}

/* ---- words of types --------------------------------------------------------
 */

/* What std calls by names of their own: `string` is `basic_string<char>`. */
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

/* Inline namespaces of the libraries: nobody writes them. */
static const char *const inline_scopes[] = {"__cxx11", "__1", "_V2"};

/* What the last arguments of std's templates are, if nothing else is said. */
static const char *const defaults[] = {
	"std::allocator<", "std::char_traits<", "std::default_delete<",
	"std::less<",      "std::hash<",        "std::equal_to<",
};

/* Typedefs of C's headers, as the ABI of x86-64 has them. */
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

/* Skip `__cxx11::` of `std::__cxx11::`. */
static bool skip_inline_scope(struct reader *reader, size_t length)
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

/* The template that a name of std's stands for; NULL: it is another name. */
static const char *std_template(const struct reader *reader, size_t length,
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

/* ---- types -----------------------------------------------------------------
 */

/* What is known of a type while it is read: the words that may come in any
 * order, and whether there was another. */
struct base {
	unsigned longs, shorts, unsigneds, signeds, ints;
	bool is_const, is_volatile;
	bool named;  /* by another word */
	bool closed; /* it has been written */
};

static void read_list(struct reader *reader, char close);

/* One of the words that say how an integer is, or how a type is qualified. */
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

/* Write the words that were kept back, when all of them are known. */
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

/* `64ul` is 64. */
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

/* May it follow `unsigned` or `long`? */
static bool takes_sign(const char *word, size_t length)
{
	return is_name(word, length, "char") ||
	       is_name(word, length, "double") ||
	       is_name(word, length, "__int128");
}

/* A word of a type, at which the reader is. */
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
	/* `int C::*` */
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

static void append_one(struct reader *reader)
{
	str_append_char(reader->out, *reader->at++);
}

/* In `{...}`, of lambdas and of types without a name. */
static void read_braces(struct reader *reader)
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

/* The signs of a type; false: it ends here. */
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

/* Remove `const` and `volatile` from the end: a parameter's own. */
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
			/* not the end of another word */
			if (out->data[out->length - length - 1] != '*')
				continue;
			out->length -= length;
			found = true;
		}
	} while (found);
}

/* A type, up to a comma or the end of the list that it is in. */
static void read_type(struct reader *reader, char close)
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

/* Types with commas between them, to the end of the list, whose beginning has
 * been read. */
static void read_list(struct reader *reader, char close)
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
		/* with the comma */
		reader->out->length = begins[--count] - 1;
	if (*reader->at)
		append_one(reader);
}

/* ---- names -----------------------------------------------------------------
 */

/* Functions that are made for others. */
static const char *const kinds[] = {
	"non-virtual thunk to ",      "virtual thunk to ",
	"covariant return thunk to ", "transaction clone for ",
	"non-transaction clone for ", "TLS init function for ",
	"TLS wrapper function for ",  "guard variable for ",
};

static struct span span_from(const struct str *out, size_t begin)
{
	return (struct span){begin, out->length - begin};
}

/* `operator new[]`, `operator unsigned long`: `operator` has been read. */
static void read_operator_word(struct reader *reader)
{
	struct base base = {0};

	skip_blanks(reader);
	for (;;) {
		skip_blanks(reader);
		/* the parameters */
		if (*reader->at == '(')
			break;
		if (is_word(*reader->at))
			read_type_word(reader, &base);
		else if (!read_type_sign(reader, &base, '('))
			break;
	}
	close_base(&base, reader->out);
}

static void read_word(struct reader *reader)
{
	size_t length = operator_length(reader->start, reader->at);
	const char *word = reader->at;

	if (length) {
		for (; length; length--, reader->at++)
			if (*reader->at != ' ')
				str_append_char(reader->out, *reader->at);
		return;
	}
	if (str_starts(word, ANONYMOUS)) {
		str_append(reader->out, ANONYMOUS);
		reader->at += strlen(ANONYMOUS);
		return;
	}
	if (*word == '{') {
		read_braces(reader);
		return;
	}
	/* Rust's `<T as Trait>` */
	if (*word == '<') {
		append_one(reader);
		read_list(reader, '>');
		return;
	}
	if (!is_word(*word))
		append_one(reader);
	length = word_length(reader->at);
	str_append_n(reader->out, reader->at, length);
	reader->at += length;
	if (is_name(word, length, "operator"))
		read_operator_word(reader);
}

/* `[clone .isra.0]`, any number of them, and `[abi:cxx11]`. */
static void read_tags(struct reader *reader, struct signature *signature)
{
	for (;;) {
		const char *end = strchr(reader->at, ']');

		if (end && str_starts(reader->at, "[abi:")) {
			reader->at = end + 1;
		} else if (end && str_starts(reader->at, "[clone")) {
			size_t begin = reader->out->length;

			for (; reader->at <= end; reader->at++)
				if (*reader->at != ' ')
					str_append_char(reader->out,
							*reader->at);
			if (!signature->clone.length)
				signature->clone.begin = begin;
			signature->clone.length =
				reader->out->length - signature->clone.begin;
		} else {
			return;
		}
		skip_blanks(reader);
	}
}

static void read_qualifiers(struct reader *reader)
{
	for (;;) {
		size_t length = word_length(reader->at);

		if (*reader->at == ' ') {
			reader->at++;
		} else if (*reader->at == '&') {
			append_one(reader);
		} else if (is_name(reader->at, length, "const") ||
			   is_name(reader->at, length, "volatile")) {
			str_append_n(reader->out, reader->at, length);
			reader->at += length;
		} else if (is_name(reader->at, length, "noexcept")) {
			reader->at += length;
		} else {
			return;
		}
	}
}

static void read_part(struct reader *reader, struct signature *signature)
{
	size_t length = word_length(reader->at), begin = reader->out->length;
	struct name_part part = {.word.begin = begin};
	const char *argument, *text = NULL;

	if (skip_inline_scope(reader, length))
		return;
	if (length)
		text = std_template(reader, length, &argument);
	if (text) {
		str_append(reader->out, text);
		part.word = span_from(reader->out, begin);
		begin = reader->out->length;
		str_printf(reader->out, "<%s>", argument);
		part.arguments = span_from(reader->out, begin);
		reader->at += length;
	} else {
		read_word(reader);
		part.word = span_from(reader->out, begin);
	}
	read_tags(reader, signature);
	skip_blanks(reader);
	begin = reader->out->length;
	if (*reader->at == '<') {
		append_one(reader);
		read_list(reader, '>');
		part.arguments = span_from(reader->out, begin);
		skip_blanks(reader);
		read_tags(reader, signature);
	}
	begin = reader->out->length;
	if (*reader->at == '(' && !str_starts(reader->at, ANONYMOUS)) {
		append_one(reader);
		read_list(reader, ')');
		part.parameters = span_from(reader->out, begin);
	}
	begin = reader->out->length;
	read_qualifiers(reader);
	part.qualifiers = span_from(reader->out, begin);
	read_tags(reader, signature);
	vec_push(&signature->parts, part);
}

void signature_read(struct signature *signature, const char *text)
{
	struct reader reader = {.start = text, .at = text};

	reader.out = &signature->text;
	reader.out->length = 0;
	vec_clear(&signature->parts);
	signature->kind = signature->clone = (struct span){0};
	signature->is_global = false;
	skip_blanks(&reader);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (str_starts(reader.at, kinds[i])) {
			str_append(reader.out, kinds[i]);
			signature->kind = span_from(reader.out, 0);
			reader.at += strlen(kinds[i]);
			break;
		}
	if (str_starts(reader.at, "::")) {
		signature->is_global = true;
		reader.at += 2;
	}
	for (;;) {
		skip_blanks(&reader);
		if (!*reader.at)
			break;
		read_part(&reader, signature);
		skip_blanks(&reader);
		if (str_starts(reader.at, "::")) {
			str_append(reader.out, "::");
			reader.at += 2;
		} else if (*reader.at) {
			/* what was before the name is what it returns */
			reader.out->length = signature->kind.length;
			vec_clear(&signature->parts);
			signature->clone = (struct span){0};
		}
	}
}

void signature_deinit(struct signature *signature)
{
	str_deinit(&signature->text);
	vec_free(&signature->parts);
}

char *signature_of_type(const char *text)
{
	struct str out = {0};
	struct reader reader = {.start = text, .at = text, .out = &out};

	read_type(&reader, '\0');
	return str_take(&out);
}
