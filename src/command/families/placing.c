/*
 * placing.c - see placing.h
 *
 * A place ends at the word `if`, because the name of a C++ function may contain
 * blanks. The text after the `if`, to the end of the line, is the condition.
 */
#include "placing.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "command/interpreter.h"
#include "condition.h"
#include "perftool/base/alloc.h"
#include "perftool/session/session_settings.h"

/* A search for a function with the name `name`. */
struct function_search {
	const char *name;
	bool found;
};

static bool is_function(void *context, const char *candidate)
{
	struct function_search *search = context;
	size_t length = strlen(search->name);

	search->found |= !candidate[length] || candidate[length] == '(';
	return !search->found;
}

bool is_program_function(struct session *session, const char *word)
{
	struct function_search search = {.name = word};

	session_complete(session, COMPLETE_FUNCTION, word, is_function,
			 &search);
	return search.found;
}

/* Returns a copy of the text of a place, without blanks around the place and
 * without quotes around the whole place. The caller frees the result. */
static char *place(const char *text, size_t length)
{
	while (length && isspace((unsigned char)text[length - 1]))
		length--;
	if (length >= 2 && (*text == '"' || *text == '\'') &&
	    text[length - 1] == *text &&
	    memchr(text + 1, *text, length - 2) == NULL) {
		text++;
		length -= 2;
	}
	return xstrndup(text, length);
}

#define MECHANISM "mechanism="

/* If the last word of the text `where`, a place, is `mechanism=NAME`, removes
 * the word and returns NAME, which the caller frees. Otherwise returns NULL. */
static char *take_mechanism(char *where)
{
	size_t length = strlen(where), start = length;
	char *name;

	while (start && !isspace((unsigned char)where[start - 1]))
		start--;
	if (strncmp(where + start, MECHANISM, strlen(MECHANISM)) != 0)
		return NULL;
	name = xstrdup(where + start + strlen(MECHANISM));
	while (start && isspace((unsigned char)where[start - 1]))
		start--;
	where[start] = '\0';
	return name;
}

/* Returns an error if `mechanism=NAME` stands after the `if`, because all text
 * after the `if` belongs to the condition. */
static struct error *check_end(struct call *call, const char *condition)
{
	CLEANUP(free_pointer) char *before = xstrdup(condition);
	CLEANUP(free_pointer) char *mechanism = take_mechanism(before);

	if (!mechanism || *mechanism == '=')
		return NULL;
	return call_usage(call,
			  "`" MECHANISM "%s' comes before `if': ... " MECHANISM
			  "%s if %s",
			  mechanism, mechanism, *before ? before : "COND");
}

/* Returns a copy of the text without the message that the memo's debugger
 * prints, which the caller frees. The debugger prints `Breakpoint #1.' after
 * the command on the same line, so a line that the user has copied from the
 * memo contains this message. */
static char *without_echo(const char *text)
{
	static const char echo[] = " breakpoint #";
	const char *at = strcasestr(text, echo), *behind;

	if (!at)
		return xstrdup(text);
	behind = at + strlen(echo);
	behind += strspn(behind, "0123456789");
	behind += *behind == '.';
	return xstrndup(text, *behind ? strlen(text) : (size_t)(at - text));
}

static bool ends_in(const char *text, size_t length, const char *end)
{
	size_t tail = strlen(end);

	return length >= tail && strncmp(text + length - tail, end, tail) == 0;
}

/* Returns an error if the place contains a blank that cannot belong to a name.
 * A name contains a blank only after a bracket that is open or was closed, or
 * after `operator'. The name of a file may also contain blanks. Any other text
 * after a blank is a mistake. */
static struct error *check_blanks(const struct call *call, const char *where)
{
	size_t length = strcspn(where, " \t");
	const char *second = token_skip_blanks(where + length);

	if (!*second || *where == '*' || strpbrk(where, "<([{+") ||
	    ends_in(where, length, "operator") || strchr(second, ':') ||
	    *second == '@')
		return NULL;
	return call_usage(call, "unexpected `%.*s' after `%.*s'",
			  (int)strcspn(second, " \t"), second, (int)length,
			  where);
}

/* Checks the blanks of `CALLEE in FUNC`: each of the two is a place. */
static struct error *check_parts(const struct call *call, const char *where)
{
	const char *in = strstr(where, " in ");
	CLEANUP(free_pointer) char *callee = NULL;

	if (!in)
		return check_blanks(call, where);
	callee = xstrndup(where, (size_t)(in - where));
	TRY(check_blanks(call, callee));
	return check_blanks(call, token_skip_blanks(in + 4));
}

struct error *place_breakpoint(struct call *call, const char *arguments,
			       enum break_kind kind)
{
	CLEANUP(free_pointer) char *text = without_echo(arguments);
	const char *condition = condition_find(text);
	CLEANUP(free_pointer) char *where = NULL, *mechanism = NULL;
	uint32_t id;

	if (condition) {
		where = place(text, (size_t)(condition - text));
		condition = token_skip_blanks(condition + 2);
		if (!*condition)
			return call_usage(call, "no condition after `if'");
		TRY(check_end(call, condition));
	} else {
		where = place(text, token_without_comment(text));
	}
	mechanism = take_mechanism(where);
	if (!*where)
		return call_usage(call, "a place is missing");
	if (!strchr("\"'", *text))
		TRY(kind == BREAK_CALLS  ? check_parts(call, where)
		    : kind > BREAK_CALLS ? NULL
					 : check_blanks(call, where));
	return session_break(call->session, kind, where, mechanism, condition,
			     &id, &call->said);
}
