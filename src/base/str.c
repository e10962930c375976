/* str.c - see str.h */
#include "perftool/base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "perftool/base/alloc.h"

static void reserve(struct str *str, size_t extra)
{
	size_t needed = str->length + extra + 1;
	size_t wanted = str->capacity ? str->capacity : 64;

	if (needed <= str->capacity)
		return;
	while (wanted < needed)
		wanted *= 2;
	str->data = xrealloc(str->data, wanted);
	str->capacity = wanted;
}

void str_append_n(struct str *str, const char *text, size_t length)
{
	reserve(str, length);
	memcpy(str->data + str->length, text, length);
	str->length += length;
	str->data[str->length] = '\0';
}

void str_append(struct str *str, const char *text)
{
	str_append_n(str, text, strlen(text));
}

void str_append_char(struct str *str, char c)
{
	str_append_n(str, &c, 1);
}

void str_vprintf(struct str *str, const char *format, va_list ap)
{
	va_list again;
	int length;

	va_copy(again, ap);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (length < 0)
		abort();
	reserve(str, (size_t)length);
	vsnprintf(str->data + str->length, (size_t)length + 1, format, ap);
	str->length += (size_t)length;
}

void str_printf(struct str *str, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	str_vprintf(str, format, ap);
	va_end(ap);
}

void str_deinit(struct str *str)
{
	free(str->data);
	*str = (struct str){0};
}

const char *str_text(const struct str *str)
{
	return str->data ? str->data : "";
}

char *str_take(struct str *str)
{
	char *text = str->data ? str->data : xstrdup("");

	*str = (struct str){0};
	return text;
}

bool str_starts(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool str_starts_nocase(const char *text, const char *prefix)
{
	return strncasecmp(text, prefix, strlen(prefix)) == 0;
}

bool str_equal(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

bool str_is_glob(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}

static size_t minimum(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t str_distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b), width = m + 1, result;
	size_t *d = xcalloc((n + 1) * width, sizeof(*d));

	for (size_t i = 0; i <= n; i++)
		d[i * width] = i;
	for (size_t j = 0; j <= m; j++)
		d[j] = j;
	for (size_t i = 1; i <= n; i++) {
		for (size_t j = 1; j <= m; j++) {
			size_t *at = &d[i * width + j];
			size_t replaced = at[-(ptrdiff_t)width - 1] +
					  (a[i - 1] != b[j - 1]);

			*at = minimum(at[-1] + 1, at[-(ptrdiff_t)width] + 1);
			*at = minimum(*at, replaced);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				*at = minimum(*at,
					      d[(i - 2) * width + j - 2] + 1);
		}
	}
	result = d[n * width + m];
	free(d);
	return result;
}
