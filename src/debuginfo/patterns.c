/*
 * patterns.c - see patterns.h
 *
 * `bar`, `Foo::bar` and `bar(int)` all name `ns::Foo<char>::bar<int>(int)`:
 * scopes may be left out from the outside, template arguments altogether, and
 * parameters. Blanks never matter.
 */
#include "patterns.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#include "names.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo.h"

#define ANONYMOUS "(anonymous namespace)"

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/*
 * Length of "operator()", "operator<<" and the like at `at`, where the signs
 * are part of a name and not brackets; 0 when there is none.
 */
static size_t operator_length(const char *text, const char *at)
{
	size_t length = strlen("operator");

	if (*at != 'o' || strncmp(at, "operator", length) != 0 ||
	    (at > text && is_word(at[-1])) || is_word(at[length]))
		return 0;
	while (at[length] == ' ')
		length++;
	if (at[length] == '(' && at[length + 1] == ')')
		return length + 2;
	while (at[length] && strchr("<>=!+-*/%^&|~,[]", at[length]))
		length++;
	return length;
}

/* Where the parameter list starts, or the end of the text. */
static const char *find_parameters(const char *text)
{
	int depth = 0;

	for (const char *at = text; *at;) {
		size_t length = operator_length(text, at);

		if (!length && str_starts(at, ANONYMOUS))
			length = strlen(ANONYMOUS);
		if (length) {
			at += length;
			continue;
		}
		if (*at == '<')
			depth++;
		else if (*at == '>' && depth)
			depth--;
		else if (*at == '(' && depth == 0)
			return at;
		at++;
	}
	return text + strlen(text);
}

/* Length of "[abi:cxx11]" at `at`, or 0. */
static size_t tag_length(const char *at)
{
	return str_starts(at, "[abi:") ? strcspn(at, "]") + 1 : 0;
}

/* A copy without blanks; without template arguments and tags too, if so
 * wanted. */
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

/* Words that a demangled name has and the mangled one has not. */
static const char *const invented[] = {
	/* of libstdc++, types, and what special names are called */
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
	"struct", "enum",
	/* of Rust */
	"closure", "shim", "impl", "dyn", "extern", "unsafe", "mut", "usize",
	"isize", "str", "i128", "u128"};

static bool may_be_invented(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(invented) / sizeof(*invented); i++)
		if (memmem(invented[i], strlen(invented[i]), word, length))
			return true;
	return false;
}

/*
 * The identifiers, or parts of some, that every name has which matches:
 * mangling keeps identifiers whole, where they come first. They save demangling
 * most names.
 */
static void find_needles(struct pattern *pattern)
{
	const char *text = pattern->text;

	for (size_t i = 0, length; text[i]; i += length ? length : 1) {
		if (pattern->glob && text[i] == '[')
			return; /* any of these characters */
		length = 0;
		while (is_word(text[i + length]))
			length++;
		if (length && !isdigit((unsigned char)text[i]) &&
		    !may_be_invented(text + i, length))
			vec_push(&pattern->needles, xstrndup(text + i, length));
	}
}

static bool has_needles(const struct pattern *pattern, const char *name)
{
	/* the last ones tell more names apart */
	for (size_t i = pattern->needles.count; i-- > 0;)
		if (!strstr(name, pattern->needles.data[i]))
			return false;
	return true;
}

static void init(struct pattern *pattern, const char *text, bool glob)
{
	const char *parameters = find_parameters(text);

	*pattern = (struct pattern){.text = text, .glob = glob};
	pattern->plain = condense(text, (size_t)(parameters - text), false);
	if (*parameters)
		pattern->parameters =
			condense(parameters, strlen(parameters), false);
	pattern->has_arguments = strchr(pattern->plain, '<') != NULL;
	find_needles(pattern);
}

void pattern_init(struct pattern *pattern, const char *text)
{
	init(pattern, text, str_is_glob(text));
}

void pattern_init_exact(struct pattern *pattern, const char *text)
{
	init(pattern, text, false);
}

bool may_be_exact(const char *text)
{
	return strpbrk(text, "(<") || strstr(text, "operator") ||
	       strstr(text, "[abi:");
}

bool debuginfo_is_glob(const char *pattern)
{
	int depth = 0;

	for (const char *at = pattern; *at; at++) {
		size_t length = operator_length(pattern, at);

		if (!length)
			length = tag_length(at);
		if (length) {
			at += length - 1;
			continue;
		}
		if (*at == '<' || *at == '(')
			depth++;
		else if ((*at == '>' || *at == ')') && depth)
			depth--;
		else if (!depth && strchr("*?[", *at))
			return true;
	}
	return false;
}

void pattern_deinit(struct pattern *pattern)
{
	free(pattern->plain);
	free(pattern->parameters);
	for (size_t i = 0; i < pattern->needles.count; i++)
		free(pattern->needles.data[i]);
	vec_free(&pattern->needles);
}

static bool matches_text(const struct pattern *pattern, const char *name)
{
	if (pattern->glob)
		return fnmatch(pattern->plain, name, 0) == 0;
	return str_equal(pattern->plain, name);
}

bool pattern_matches_linked(const struct pattern *pattern, const char *name)
{
	return !pattern->parameters && matches_text(pattern, name);
}

/* As it is, and with ever more of its outer scopes left out. */
static bool matches_scoped(const struct pattern *pattern, const char *name)
{
	for (;;) {
		if (matches_text(pattern, name))
			return true;
		name = next_scope(name);
		if (!name)
			return false;
		name += 2;
	}
}

/* The qualifiers of a member function follow its parameters, and nobody
 * writes them: `f(int)` names `f(int) const &`, too. */
static bool are_qualifiers(const char *text)
{
	static const char *const words[] = {"const", "volatile", "noexcept",
					    "&"};

	while (*text) {
		size_t i = 0;

		while (i < sizeof(words) / sizeof(*words) &&
		       !str_starts(text, words[i]))
			i++;
		if (i == sizeof(words) / sizeof(*words))
			return false;
		text += strlen(words[i]);
	}
	return true;
}

static bool same_parameters(const char *written, const char *condensed)
{
	return str_starts(condensed, written) &&
	       are_qualifiers(condensed + strlen(written));
}

static bool matches_parameters(const struct pattern *pattern, const char *name)
{
	char *whole = demangle_parameters(name), *condensed;
	const char *parameters;
	bool matches;

	if (!whole)
		return false;
	parameters = find_parameters(whole);
	condensed = condense(parameters, strlen(parameters), false);
	matches = pattern->glob
			  ? fnmatch(pattern->parameters, condensed, 0) == 0
			  : same_parameters(pattern->parameters, condensed);
	free(condensed);
	free(whole);
	return matches;
}

bool pattern_matches_mangled(const struct pattern *pattern, const char *name)
{
	char *plain, *condensed;
	bool matches;

	if (!has_needles(pattern, name))
		return false;
	plain = has_hash(pattern->plain) ? demangle_hashed(name)
					 : demangle_plain(name);
	if (!plain)
		return false;
	condensed = condense(plain, strlen(plain), false);
	matches = matches_scoped(pattern, condensed);
	free(condensed);
	if (!matches && !pattern->has_arguments && strpbrk(plain, "<[")) {
		condensed = condense(plain, strlen(plain), true);
		matches = matches_scoped(pattern, condensed);
		free(condensed);
	}
	free(plain);
	return matches &&
	       (!pattern->parameters || matches_parameters(pattern, name));
}
