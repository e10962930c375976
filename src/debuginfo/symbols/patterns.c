/*
 * patterns.c - see patterns.h
 *
 * `bar`, `Foo::bar` and `bar(int)` all name `ns::Foo<char>::bar<int>(int)`. The
 * pattern may leave out outer scopes. It may also leave out template arguments
 * and parameters, in each scope and in the name itself. What the pattern has,
 * the name must have, too, perhaps in another spelling (signature.h). A glob is
 * compared with the text of the name, without blanks.
 */
#include "patterns.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#include "function_names.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo.h"

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* ---- patterns ------------------------------------------------------------ */

/* Is the character at `at`, which is in a list of parameters or arguments, part
 * of a type and not of a glob? A `*` is part of a type if a type stands before
 * it, or in `(*)`. A `[` is part of a type if a number and `]` follow. */
static bool is_of_type(const char *text, const char *at)
{
	const char *before = at;
	size_t digits = strspn(at + 1, "0123456789");

	if (*at == '[')
		return at[1 + digits] == ']';
	while (before > text && before[-1] == ' ')
		before--;
	if (*at != '*' || before == text ||
	    (is_word(at[1]) && !str_starts(at + 1, "const")))
		return false;
	before--;
	/* `C::*` and `int (*)(int)` are types, but `f(*)` is a glob. */
	if (*before == '(' || *before == ':')
		return at[1] == ')' && at[2] == '(';
	return is_word(*before) || strchr(">*)&", *before);
}

bool debuginfo_is_glob(const char *text)
{
	int depth = 0;

	for (const char *at = text; *at;) {
		size_t length = operator_length(text, at);

		/* The brackets of `operator new[]`, and of the tags `[abi:...]`
		 * and `[clone ...]` that compilers append to names, do not make
		 * a glob. */
		if (!length && str_starts(at, "[]"))
			length = 2;
		if (!length &&
		    (str_starts(at, "[abi:") || str_starts(at, "[clone")))
			length = strcspn(at, "]");
		if (length) {
			at += length;
			continue;
		}
		if (strchr("*?[", *at) && !(depth && is_of_type(text, at)))
			return true;
		depth += (*at == '(' || *at == '<') -
			 (depth && (*at == ')' || *at == '>'));
		at++;
	}
	return false;
}

/* The length of "[abi:cxx11]" at `at`, or 0. */
static size_t tag_length(const char *at)
{
	return str_starts(at, "[abi:") ? strcspn(at, "]") + 1 : 0;
}

/* Copy the text without its blanks. If `drop_arguments` is true, also leave out
 * template arguments and ABI tags. The caller frees the result. */
static char *condense(const char *text, size_t length, bool drop_arguments)
{
	struct str str = {0};
	int depth = 0;

	for (size_t i = 0; i < length;) {
		size_t whole = operator_length(text, text + i);

		if (drop_arguments && tag_length(text + i)) {
			i += tag_length(text + i);
			continue;
		}
		if (whole > length - i)
			whole = length - i;
		if (!whole) {
			char c = text[i++];

			if (drop_arguments && c == '<')
				depth++;
			if (!depth && c != ' ')
				str_append_char(&str, c);
			if (drop_arguments && c == '>' && depth)
				depth--;
			continue;
		}
		for (; whole; whole--, i++)
			if (!depth && text[i] != ' ')
				str_append_char(&str, text[i]);
	}
	return str_take(&str);
}

/* The next "::" outside all brackets, or NULL. */
static const char *next_scope(const char *text)
{
	int depth = 0;

	for (const char *at = text; *at; at++) {
		if (*at == '<' || *at == '(' || *at == '{')
			depth++;
		else if ((*at == '>' || *at == ')' || *at == '}') && depth)
			depth--;
		else if (!depth && at[0] == ':' && at[1] == ':')
			return at;
	}
	return NULL;
}

/* Words that a demangler writes although the mangled name does not contain
 * them. If a pattern has such a word, a mangled name without the word may still
 * match. */
static const char *const invented[] = {
	/* Names of libstdc++, names of types, and words for special
	 * functions. */
	"std", "allocator", "basic_string", "string", "char_traits",
	"basic_istream", "basic_ostream", "basic_iostream", "istream",
	"ostream", "iostream", "void", "wchar_t", "bool", "char", "signed",
	"unsigned", "short", "int", "long", "__int128", "float", "double",
	"__float128", "__float80", "_Float16x", "_Float32x", "_Float64x",
	"_Float128x", "bfloat16_t", "__bf16", "__vector", "_Complex",
	"_Imaginary", "_Accum", "_Fract", "_Sat", "pack", "enable_if",
	"__alignof__", "ellipsis", "char8_t", "char16_t", "char32_t", "auto",
	"decltype", "decltype_auto", "nullptr_t", "decimal32", "decimal64",
	"decimal128", "half", "const", "volatile", "restrict", "noexcept",
	"throw", "operator", "new", "delete", "co_await", "sizeof", "alignof",
	"typeid", "dynamic_cast", "static_cast", "const_cast",
	"reinterpret_cast", "true", "false", "this", "lambda", "unnamed",
	"type", "anonymous", "namespace", "template", "parameter", "object",
	"abi", "default", "arg", "requires", "typename", "class", "virtual",
	"thunk", "covariant", "return", "vtable", "typeinfo", "name", "guard",
	"variable", "reference", "temporary", "construction", "init",
	"function", "wrapper", "global", "constructors", "destructors", "keyed",
	"hidden", "alias", "transaction", "clone", "friend", "module",
	"complex", "imaginary", "vector", "java", "resource", "tuple", "union",
	"struct", "enum", "for", "fn", "TLS", "VTT", "Class", "initializer",
	/* From Rust. */
	"closure", "shim", "impl", "dyn", "extern", "unsafe", "mut", "usize",
	"isize", "str", "i128", "u128"};

static bool may_be_invented(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(invented) / sizeof(*invented); i++)
		if (memmem(invented[i], strlen(invented[i]), word, length))
			return true;
	return false;
}

/* Add the words in the `length` bytes of `text` to the pattern's needles. A
 * needle is a string that every matching mangled name contains. */
static void add_needles(struct pattern *pattern, const char *text,
			size_t length)
{
	for (size_t i = 0, word; i < length; i += word ? word : 1) {
		word = 0;
		while (i + word < length && is_word(text[i + word]))
			word++;
		if (word && !isdigit((unsigned char)text[i]) &&
		    !may_be_invented(text + i, word))
			vec_push(&pattern->needles, xstrndup(text + i, word));
	}
}

/* Find the identifiers that every matching mangled name contains. Mangling
 * writes an identifier in full where it occurs first. So names without these
 * identifiers, which are most, need not be demangled. */
static void find_needles(struct pattern *pattern)
{
	const struct signature *wanted = &pattern->wanted;
	const char *text = pattern->text;

	/* In a glob with [...] a word may be a choice of characters and not an
	 * identifier. */
	if (pattern->glob && !strchr(text, '['))
		add_needles(pattern, text, strlen(text));
	for (size_t i = 0; !pattern->glob && i < wanted->parts.count; i++) {
		struct span word = wanted->parts.data[i].word;
		const char *at = str_text(&wanted->text) + word.begin;

		/* `{lambda...}`, Rust's `<T as Trait>` and operators are not
		 * identifiers. All other words are. */
		if (word.length && !memchr(at, '{', word.length) &&
		    !memchr(at, '<', word.length) &&
		    !str_starts(at, "operator"))
			add_needles(pattern, at, word.length);
	}
}

static bool has_needles(const struct pattern *pattern, const char *name)
{
	/* The last identifiers differ more from name to name, so they are
	 * tested first. */
	for (size_t i = pattern->needles.count; i-- > 0;)
		if (!strstr(name, pattern->needles.data[i]))
			return false;
	return true;
}

static bool has_details(const struct signature *signature)
{
	for (size_t i = 0; i < signature->parts.count; i++)
		if (signature->parts.data[i].parameters.length)
			return true;
	return signature->clone.length > 0;
}

static void init(struct pattern *pattern, const char *text, bool glob)
{
	const char *parameters = find_parameters(text);

	*pattern = (struct pattern){.text = text, .glob = glob};
	pattern->plain = condense(text, (size_t)(parameters - text), false);
	pattern->literal = strcspn(pattern->plain, "*?[\\");
	if (*parameters)
		pattern->parameters =
			condense(parameters, strlen(parameters), false);
	pattern->has_arguments = strchr(pattern->plain, '<') != NULL;
	if (!pattern->glob)
		signature_read(&pattern->wanted, text);
	pattern->has_details = has_details(&pattern->wanted);
	find_needles(pattern);
}

void pattern_init(struct pattern *pattern, const char *text)
{
	init(pattern, text, debuginfo_is_glob(text));
}

void pattern_init_glob(struct pattern *pattern, const char *text)
{
	init(pattern, text, true);
}

void pattern_deinit(struct pattern *pattern)
{
	free(pattern->plain);
	free(pattern->parameters);
	signature_deinit(&pattern->wanted);
	for (size_t i = 0; i < pattern->needles.count; i++)
		free(pattern->needles.data[i]);
	vec_free(&pattern->needles);
}

/* ---- globs --------------------------------------------------------------- */

/* fnmatch() converts the whole pattern to wide characters at each call.
 * strncmp() refuses most names without that. */
static bool matches_glob(const struct pattern *pattern, const char *name)
{
	return strncmp(pattern->plain, name, pattern->literal) == 0 &&
	       fnmatch(pattern->plain, name, 0) == 0;
}

bool pattern_matches_linked(const struct pattern *pattern, const char *name)
{
	if (pattern->parameters)
		return false;
	return pattern->glob ? matches_glob(pattern, name)
			     : str_equal(pattern->plain, name);
}

/* Does the glob match the name, or the name without some of its outer
 * scopes? */
static bool matches_scoped(const struct pattern *pattern, const char *name)
{
	for (;;) {
		if (matches_glob(pattern, name))
			return true;
		name = next_scope(name);
		if (!name)
			return false;
		name += 2;
	}
}

static bool matches_parameters(const struct pattern *pattern, const char *name)
{
	char *whole = demangle_parameters(name), *condensed;
	const char *parameters;
	bool matches;

	if (!whole)
		return false;
	parameters = find_parameters(whole);
	condensed = condense(parameters, strcspn(parameters, "["), false);
	matches = fnmatch(pattern->parameters, condensed, 0) == 0;
	free(condensed);
	free(whole);
	return matches;
}

static bool glob_matches_mangled(const struct pattern *pattern,
				 const char *name, const char *plain)
{
	char *condensed = condense(plain, strlen(plain), false);
	bool matches = matches_scoped(pattern, condensed);

	free(condensed);
	if (!matches && !pattern->has_arguments && strpbrk(plain, "<[")) {
		condensed = condense(plain, strlen(plain), true);
		matches = matches_scoped(pattern, condensed);
		free(condensed);
	}
	return matches &&
	       (!pattern->parameters || matches_parameters(pattern, name));
}

/* ---- names --------------------------------------------------------------- */

static bool same(const struct signature *wanted, struct span a,
		 const struct signature *found, struct span b)
{
	return a.length == b.length &&
	       (!a.length || memcmp(wanted->text.data + a.begin,
				    found->text.data + b.begin, a.length) == 0);
}

/* Does part `b` of the name match part `a` of the pattern? If the pattern does
 * not have this part, anything matches. */
static bool covers(const struct signature *wanted, struct span a,
		   const struct signature *found, struct span b)
{
	return !a.length || same(wanted, a, found, b);
}

bool signature_matches(const struct signature *wanted,
		       const struct signature *found)
{
	size_t count = wanted->parts.count, more;

	if (!count || count > found->parts.count ||
	    (wanted->is_global && count != found->parts.count) ||
	    !same(wanted, wanted->kind, found, found->kind) ||
	    !covers(wanted, wanted->clone, found, found->clone))
		return false;
	more = found->parts.count - count;
	for (size_t i = count; i-- > 0;) {
		const struct name_part *a = &wanted->parts.data[i];
		const struct name_part *b = &found->parts.data[more + i];

		if (!same(wanted, a->word, found, b->word) ||
		    !covers(wanted, a->arguments, found, b->arguments) ||
		    !covers(wanted, a->parameters, found, b->parameters) ||
		    !covers(wanted, a->qualifiers, found, b->qualifiers))
			return false;
	}
	return true;
}

static char *demangled(const struct pattern *pattern, const char *name)
{
	if (has_hash(pattern->plain))
		return demangle_hashed(name);
	return pattern->has_details ? demangle_parameters(name)
				    : demangle_plain(name);
}

bool pattern_matches_mangled(const struct pattern *pattern, const char *name)
{
	struct signature found = {0};
	bool matches;
	char *text;

	if (!has_needles(pattern, name))
		return false;
	text = demangled(pattern, name);
	if (!text)
		return false;
	if (pattern->glob) {
		matches = glob_matches_mangled(pattern, name, text);
	} else {
		signature_read(&found, text);
		matches = signature_matches(&pattern->wanted, &found);
		signature_deinit(&found);
	}
	free(text);
	return matches;
}

bool pattern_matches(const struct pattern *pattern, const char *name)
{
	return is_mangled(name) ? str_equal(pattern->text, name) ||
					  pattern_matches_mangled(pattern, name)
				: pattern_matches_linked(pattern, name);
}
