/* signature.c - see signature.h */
#include "signature.h"

#include <ctype.h>

#include "signature_reader.h"

/* ---- names --------------------------------------------------------------- */

/* A demangled name begins with one of these if the compiler made the function
 * (or guard) for another function or variable. */
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
	/* The word is Rust's `<T as Trait>`. */
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

/* Read the tags that compilers append to a name. `[clone .isra.0]` goes into
 * signature->clone; there may be several. `[abi:cxx11]` is left out. */
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
			/* The text before the name was the type that the
			 * function returns. */
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
