/*
 * str.h - a string under construction, and small helpers for plain strings
 */
#ifndef PERFTOOL_BASE_STR_H
#define PERFTOOL_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* All zero is the empty string; `data` is NULL until something is appended. */
struct str {
	char *data;
	size_t length, capacity;
};

void str_append(struct str *str, const char *text);
void str_append_n(struct str *str, const char *text, size_t length);
void str_append_char(struct str *str, char c);
void str_printf(struct str *str, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void str_vprintf(struct str *str, const char *format, va_list ap)
	__attribute__((format(printf, 2, 0)));
void str_deinit(struct str *str);

/* The text, which is never NULL. It is valid until the next change. */
const char *str_text(const struct str *str);

/* Hand the text over to the caller, who frees it. The str is empty
 * afterwards. */
char *str_take(struct str *str);

bool str_starts(const char *text, const char *prefix);
bool str_starts_nocase(const char *text, const char *prefix);
bool str_equal(const char *a, const char *b);

/* Does the text contain a character that is special in a glob? The caller
 * matches globs with fnmatch(3). */
bool str_is_glob(const char *text);

/*
 * The distance of two words: the smallest number of insertions, deletions,
 * replacements and swaps of neighbours that turns one into the other
 * (Damerau-Levenshtein, restricted). It serves to find the known word that a
 * misspelt word is most like.
 */
size_t str_distance(const char *a, const char *b);

#endif
