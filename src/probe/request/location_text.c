/*
 * location_text.c - parsing the text of a location: FUNC, FILE:FUNC, FILE:LINE,
 * LINE, *ADDRESS, *ADDRESS+OFFSET, *FUNC, FUNC+OFFSET, FILE:FUNC+OFFSET,
 * probe:PROVIDER:NAME, each also with @MODULE
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/probe.h"

/* Parse a number, decimal or hexadecimal with 0x. Return false if the text does
 * not begin with one. */
static bool begin_number(const char *text, uint64_t *out, const char **rest)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*out = strtoull(text, &end, text[0] == '0' ? 0 : 10);
	*rest = end;
	return !errno;
}

/* Is the whole text a number? */
static bool parse_number(const char *text, uint64_t *out)
{
	const char *rest;

	return begin_number(text, out, &rest) && !*rest;
}

/* Parse ADDRESS or ADDRESS+OFFSET. */
static bool parse_address(const char *text, uint64_t *out)
{
	uint64_t offset = 0;
	const char *rest;

	if (!begin_number(text, out, &rest) ||
	    (*rest && (*rest != '+' || !parse_number(rest + 1, &offset))))
		return false;
	*out += offset;
	return *out >= offset;
}

static struct error *parse_line(const char *text, uint32_t *line)
{
	uint64_t number;

	if (!parse_number(text, &number) || !number || number > UINT32_MAX)
		return error_create(ERROR_USAGE, "'%s' is not a line number",
				    text);
	*line = (uint32_t)number;
	return NULL;
}

/* Return the text without @MODULE, and the module's name in `module`; the
 * caller frees both. The @ is unambiguous, because C++ has no operator@. */
static char *split_module(const char *text, char **module)
{
	const char *at = strrchr(text, '@');

	*module = NULL;
	/* `strdup@plt` is the name of a function, as in a disassembly. */
	if (!at || at == text || str_equal(at, "@plt"))
		return xstrdup(text);
	*module = xstrdup(at + 1);
	/* name@@VERSION is treated like name@VERSION: the text after the @ is
	 * then no name of a module, but the name of the function is right. */
	if (at[-1] == '@')
		at--;
	return xstrndup(text, (size_t)(at - text));
}

/* Find the colon between file and line. A colon of `::` is not one. */
static char *line_colon(char *text)
{
	char *colon = strrchr(text, ':');

	if (!colon || colon == text || colon[-1] == ':')
		return NULL;
	return colon;
}

/* Is the text *ADDRESS? *0x401136 is an address, but *alloc* is a glob. */
static bool is_address(const char *body)
{
	return *body == '*' &&
	       isdigit((unsigned char)body[1 + strspn(body + 1, " \t")]);
}

/* If the text is *FUNC, which means the address of FUNC as in gdb, return the
 * beginning of FUNC; else NULL. */
static const char *function_of_address(const char *body)
{
	const char *name = body + 1;

	if (*body != '*')
		return NULL;
	name += strspn(name, " \t&");
	return (isalpha((unsigned char)*name) || *name == '_') &&
			       !debuginfo_is_glob(name)
		       ? name
		       : NULL;
}

/* Split FILE:FUNC at the first single colon. `::` belongs to the scope of a
 * function, and may also occur in an argument. */
static void split_source(const char *body, struct location *out)
{
	const char *colon = strchr(body, ':');

	if (colon && colon != body && colon[1] && colon[1] != ':') {
		out->source = xstrndup(body, (size_t)(colon - body));
		body = colon + 1;
	}
	out->name = xstrdup(body);
}

/* Split PROVIDER:NAME, which stands behind `probe:`. */
static struct error *parse_probe(const char *text, struct location *out)
{
	const char *colon = strchr(text, ':');

	if (!colon || colon == text || !colon[1] || strchr(colon + 1, ':'))
		return error_create(ERROR_USAGE,
				    "'probe:%s': a static probe is named "
				    "probe:PROVIDER:NAME; `list probes' lists "
				    "them",
				    text);
	out->kind = LOCATION_PROBE;
	out->source = xstrndup(text, (size_t)(colon - text));
	out->name = xstrdup(colon + 1);
	return NULL;
}

static struct error *parse_body(char *body, struct location *out)
{
	char *colon = line_colon(body), *plus = strrchr(body, '+');
	const char *function = function_of_address(body);

	if (str_starts(body, "probe:")) {
		return parse_probe(body + strlen("probe:"), out);
	} else if (is_address(body)) {
		const char *digits = body + 1 + strspn(body + 1, " \t");

		out->kind = LOCATION_ADDRESS;
		if (!parse_address(digits, &out->number))
			return error_create(ERROR_USAGE,
					    "'%s' is not an address", body);
	} else if (isdigit((unsigned char)*body)) {
		out->kind = LOCATION_LINE;
		return parse_line(body, &out->line);
	} else if (colon && isdigit((unsigned char)colon[1])) {
		out->kind = LOCATION_LINE;
		TRY(parse_line(colon + 1, &out->line));
		*colon = '\0';
		out->name = xstrdup(body);
	} else if (plus && plus != body &&
		   parse_number(plus + 1, &out->number)) {
		out->kind = LOCATION_OFFSET;
		*plus = '\0';
		split_source(function ? function : body, out);
	} else if (function) {
		out->kind = LOCATION_OFFSET;
		out->name = xstrdup(function);
	} else {
		out->kind = LOCATION_FUNCTION;
		split_source(body, out);
	}
	return NULL;
}

/* Remove quotes around a name, which users of gdb write. They have no meaning
 * here: 'f(int)' is f(int), and 'file.c'::f is file.c:f. */
static char *unquoted(const char *text)
{
	const char *end =
		*text == '\'' || *text == '"' ? strchr(text + 1, *text) : NULL;
	const char *rest = end ? end + 1 : NULL;

	if (!end)
		return xstrdup(text);
	if (str_starts(rest, "::"))
		rest++;
	return xasprintf("%.*s%s", (int)(end - text - 1), text + 1, rest);
}

struct error *location_parse(const char *text, struct location *out)
{
	struct location location = {0};
	struct error *error = NULL;
	CLEANUP(free_pointer) char *plain = unquoted(text);
	char *body = split_module(plain, &location.module);

	if (!*body)
		error = error_create(ERROR_USAGE, "a place is missing");
	else if (location.module && !*location.module)
		error = error_create(
			ERROR_USAGE,
			"'%s': the name of a module is missing after @", text);
	else
		error = parse_body(body, &location);
	free(body);
	if (error) {
		location_deinit(&location);
		return error;
	}
	location.text = xstrdup(text);
	*out = location;
	return NULL;
}

/* Find the ` in ` before FUNC; NULL: there is none. A name may contain blanks
 * only within brackets, which `in` does not. */
static const char *find_in(const char *text)
{
	unsigned depth = 0;

	for (const char *at = text; *at; at++) {
		if (strchr("(<[", *at))
			depth++;
		else if (strchr(")>]", *at) && depth)
			depth--;
		else if (!depth && isspace((unsigned char)*at) &&
			 strncmp(at + 1, "in", 2) == 0 &&
			 isspace((unsigned char)at[3]))
			return at;
	}
	return NULL;
}

/* The text of the function whose calls stand for the request. Messages name it
 * if no module has it. */
static const char *first_callee(enum request_kind kind, const char *callee)
{
	switch (kind) {
	case REQUEST_ALLOCATIONS:
		return "malloc";
	case REQUEST_SYNC_TEST:
	case REQUEST_SYNC_ENTER:
		return "pthread_mutex_lock";
	case REQUEST_SYNC_EXIT:
		return "pthread_mutex_unlock";
	default:
		return callee;
	}
}

static struct error *parse_within(const char *text, struct location *out)
{
	struct location within;

	text += strspn(text, " \t");
	if (!*text)
		return error_create(ERROR_USAGE,
				    "the function is missing after `in'");
	TRY(location_parse(text, &within));
	out->within = xmalloc(sizeof(within));
	*out->within = within;
	return NULL;
}

struct error *request_parse(enum request_kind kind, const char *text,
			    struct location *out)
{
	const char *in = request_is_of_calls(kind) ? find_in(text) : NULL;
	CLEANUP(free_pointer) char *callee = NULL;
	struct error *error;

	if (!request_is_of_calls(kind))
		return location_parse(text, out);
	callee = in ? xstrndup(text, (size_t)(in - text)) : xstrdup(text);
	TRY(location_parse(first_callee(kind, callee), out));
	if (out->kind != LOCATION_FUNCTION || out->source)
		error = error_create(ERROR_USAGE,
				     "'%s' is not the name of a function",
				     callee);
	else
		error = in ? parse_within(in + 3, out) : NULL;
	if (error) {
		location_deinit(out);
		return error;
	}
	free(out->text);
	out->text = xstrdup(text);
	return NULL;
}

void location_deinit(struct location *location)
{
	if (location->within) {
		location_deinit(location->within);
		free(location->within);
	}
	free(location->text);
	free(location->name);
	free(location->source);
	free(location->module);
	free(location->path);
	*location = (struct location){0};
}
