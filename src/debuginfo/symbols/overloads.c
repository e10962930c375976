/* overloads.c - see overloads.h */
#include "overloads.h"

#include <ctype.h>
#include <string.h>

#include "function_names.h"
#include "namespace_aliases.h"
#include "perftool/base/alloc.h"
#include "perftool/debugtype.h"
#include "signature.h"

/* The most rounds of replacement, since a typedef can stand for a type with
 * typedefs. */
#define MAX_ROUNDS 4
#define MAX_LENGTH 4096

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The length of the qualified name (such as `ns::Class::name`) at `text`, which
 * is the beginning of a word. */
static size_t qualified_length(const char *text)
{
	size_t length = 0;

	for (;;) {
		while (is_word(text[length]))
			length++;
		if (!str_starts(text + length, "::") ||
		    !is_word(text[length + 2]))
			return length;
		length += 2;
	}
}

/* The name of the type that the typedef `name` stands for; NULL: there is no
 * such typedef. */
static const char *target_name(struct debugfile *file, const char *name)
{
	struct debugtype *type = debugfile_find_type(file, 0, name);
	struct debugtype *plain = type ? debugtype_plain(type) : NULL;

	return plain && plain != type ? debugtype_name(plain) : NULL;
}

/*
 * Append the qualified name at `*at`, and move `*at` behind it. If the name is
 * a typedef, append what the typedef stands for instead, and return true.
 * `is_scope`: the name is the function's own, so only its scope can be a
 * typedef.
 */
static bool expand_words(struct debugfile *file, const char **at, bool is_scope,
			 struct str *out)
{
	size_t length = qualified_length(*at);
	const char *target = NULL, *rest = *at + length;

	/* The last component is the function's own name, so it is not a
	 * typedef. */
	while (is_scope && length && !str_starts(rest, "::")) {
		while (length && is_word((*at)[length - 1]))
			length--;
		length -= length ? 2 : 0;
		rest = *at + length;
	}
	if (length && *rest != '<' && !isdigit((unsigned char)**at)) {
		CLEANUP(free_pointer) char *name = xstrndup(*at, length);

		target = target_name(file, name);
	}
	if (target)
		str_append(out, target);
	else if (length)
		str_append_n(out, *at, length);
	else
		str_append_n(out, *at, length = qualified_length(*at));
	*at += length;
	if (is_scope && str_starts(*at, "::")) {
		length = 2 + qualified_length(*at + 2);
		str_append_n(out, *at, length);
		*at += length;
	}
	return target != NULL;
}

/* Replace each typedef in the name once; NULL: the name has no typedefs, or
 * becomes too long. */
static char *expand(struct debugfile *file, const char *name)
{
	struct str out = {0};
	bool any = false;
	int depth = 0;

	for (const char *at = name; *at;) {
		size_t length = operator_length(name, at);

		if (!length && is_word(*at)) {
			any |= expand_words(file, &at, !depth, &out);
			continue;
		}
		if (!length) {
			depth += (*at == '<' || *at == '(' || *at == '{') -
				 (*at == '>' || *at == ')' || *at == '}');
			length = 1;
		}
		str_append_n(&out, at, length);
		at += length;
	}
	if (any && out.length < MAX_LENGTH)
		return str_take(&out);
	str_deinit(&out);
	return NULL;
}

/* If the first scope of the name is an alias of a namespace, replace it by the
 * namespace. NULL: it is not an alias. */
static char *expand_alias(struct debugfile *file, const char *name)
{
	size_t length = 0;
	CLEANUP(free_pointer) char *alias = NULL, *space = NULL;

	while (is_word(name[length]))
		length++;
	if (!length || !str_starts(name + length, "::"))
		return NULL;
	alias = xstrndup(name, length);
	space = namespace_of_alias(file, alias);
	return space ? xasprintf("%s%s", space, name + length) : NULL;
}

char *expand_typedefs(struct debugfile *file, const char *name)
{
	char *expanded;

	if (!strpbrk(name, "<(:") || strlen(name) > MAX_LENGTH)
		return NULL;
	expanded = expand_alias(file, name);
	for (int i = 0; i < MAX_ROUNDS; i++) {
		char *next = expand(file, expanded ? expanded : name);

		if (!next)
			break;
		free(expanded);
		expanded = next;
	}
	return expanded;
}

/* The words of a signature's components from number `first` on, joined by `::`,
 * without arguments, parameters and qualifiers. The caller frees the result. */
static char *names_from(const struct signature *signature, size_t first)
{
	struct str out = {0};

	for (size_t i = first; i < signature->parts.count; i++) {
		struct span span = signature->parts.data[i].word;
		const char *word = signature->text.data + span.begin;
		size_t length = span.length;

		str_append(&out, i > first ? "::" : "");
		/* Signatures have no blanks, but the name `operator new` needs
		 * one. */
		if (length > 8 && str_starts(word, "operator") &&
		    is_word(word[8])) {
			str_append(&out, "operator ");
			word += 8;
			length -= 8;
		}
		str_append_n(&out, word, length);
	}
	return str_take(&out);
}

static bool has_details(const struct signature *signature)
{
	for (size_t i = 0; i < signature->parts.count; i++) {
		const struct name_part *part = &signature->parts.data[i];

		if (part->arguments.length || part->parameters.length ||
		    part->qualifiers.length)
			return true;
	}
	return false;
}

char *last_name(const char *name)
{
	struct signature signature = {0};
	char *last = NULL;

	signature_read(&signature, name);
	if (signature.parts.count > 1 || has_details(&signature))
		last = names_from(&signature, signature.parts.count - 1);
	signature_deinit(&signature);
	return last;
}

/* The name without parameters and template arguments; NULL: it has neither. */
static char *bare_name(const char *name)
{
	struct signature signature = {0};
	char *bare = NULL;

	signature_read(&signature, name);
	if (has_details(&signature))
		bare = names_from(&signature, 0);
	signature_deinit(&signature);
	return bare;
}

size_t debugfile_overloads(struct debugfile *file, const char *name,
			   char **names, size_t max)
{
	CLEANUP(free_pointer) char *bare = bare_name(name);
	struct function_list found = {0};
	size_t count = 0;

	if (!bare || debuginfo_is_glob(name))
		return 0;
	error_destroy(debugfile_find_functions(file, bare, &found));
	for (size_t i = 0; i < found.count && count < max; i++) {
		char *whole = debuginfo_demangle(found.data[i].name);
		char *clone = strstr(whole, " [clone");
		size_t known = 0;

		if (clone)
			*clone = '\0';
		while (known < count && !str_equal(names[known], whole))
			known++;
		if (known < count)
			free(whole);
		else
			names[count++] = whole;
	}
	vec_free(&found);
	return count;
}
