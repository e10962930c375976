/*
 * library_commands.c - commands of the language that a session carries out, and
 * what a user is helped with before and after them: completion, questions, how
 * expectations came out
 */
#include <stdlib.h>
#include <string.h>

#include "library_state.h"
#include "perftool/base/alloc.h"
#include "perftool/session/measurements.h"
#include "perftool/session/session_settings.h"

struct commanding {
	const char *line;
	char *output;
};

/* Takes what was written to the session's stream. The caller frees the text. */
static char *take_text(struct perftool_session *session)
{
	char *text;

	if (!session->stream)
		return xstrdup("");
	fflush(session->stream);
	text = xstrndup(session->text ? session->text : "", session->length);
	rewind(session->stream);
	return text;
}

static struct error *run_line(struct perftool_session *session, void *argument)
{
	struct commanding *commanding = argument;
	struct error *error;

	if (session->stream)
		rewind(session->stream);
	error = interpreter_line(session->interpreter, commanding->line);
	commanding->output = take_text(session);
	if (session->stream &&
	    session_format(session->session) == FORMAT_TEXT) {
		CLEANUP(free_pointer) char *text = commanding->output;

		commanding->output = perftool_printable(text);
	}
	return error;
}

struct perftool_error *
perftool_session_command(struct perftool_session *session, const char *command,
			 char **output)
{
	struct commanding commanding = {.line = command};
	struct error *error;

	if (output)
		*output = NULL;
	NEED(session);
	NEED(command);
	error = session_call(session, run_line, &commanding);
	if (error || !output) {
		free(commanding.output);
		commanding.output = NULL;
	}
	if (output)
		*output = commanding.output;
	return library_error(error);
}

struct setting {
	const char *name, *value;
};

static struct error *set(struct perftool_session *session, void *argument)
{
	const struct setting *setting = argument;

	return session_set(session->session, setting->name, setting->value);
}

struct perftool_error *perftool_session_set(struct perftool_session *session,
					    const char *name, const char *value)
{
	struct setting setting = {name, value};

	NEED(session);
	NEED(name);
	NEED(value);
	return library_error(session_call(session, set, &setting));
}

static struct error *run_script(struct perftool_session *session,
				void *argument)
{
	return interpreter_script(session->interpreter, argument);
}

struct error *perftool_session_script(struct perftool_session *session,
				      const char *path)
{
	CLEANUP(free_pointer) char *copy = xstrdup(path);

	return session_call(session, run_script, copy);
}

/* Runs the command `time "FUNC" REST`. The name of the function is put in
 * quotes, because it may have blanks. */
static struct error *run_time(struct perftool_session *session, void *argument)
{
	const char *text = argument;
	size_t length = command_time_function(text);
	struct str line = {0};
	struct error *error;

	str_append(&line, "time \"");
	for (size_t i = 0; i < length; i++) {
		if (strchr("\"\\", text[i]))
			str_append_char(&line, '\\');
		str_append_char(&line, text[i]);
	}
	str_printf(&line, "\"%s", text + length);
	error = interpreter_line(session->interpreter, str_text(&line));
	str_deinit(&line);
	return error;
}

struct error *perftool_session_time(struct perftool_session *session,
				    const char *text)
{
	CLEANUP(free_pointer) char *copy = xstrdup(text);

	return session_call(session, run_time, copy);
}

/* ---- completion and questions -------------------------------------------- */

struct completing {
	const char *line;
	size_t start;
	char **words;
};

static struct error *complete(struct perftool_session *session, void *argument)
{
	struct completing *completing = argument;
	struct completion found;

	interpreter_complete(session->interpreter, completing->line, &found);
	completing->start = found.start;
	completing->words = found.words;
	return NULL;
}

struct perftool_error *
perftool_session_complete(struct perftool_session *session, const char *line,
			  size_t *start, char ***words)
{
	struct completing completing = {.line = line};
	struct error *error;

	NEED(session);
	NEED(line);
	NEED(start);
	NEED(words);
	error = session_call(session, complete, &completing);
	if (!error) {
		*start = completing.start;
		*words = completing.words;
	}
	return library_error(error);
}

void perftool_words_destroy(char **words)
{
	for (size_t i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

struct asking {
	const char *line;
	char *whole;
};

static struct error *ask(struct perftool_session *session, void *argument)
{
	struct asking *asking = argument;

	return interpreter_ask(session->interpreter, asking->line,
			       &asking->whole);
}

struct error *perftool_session_ask(struct perftool_session *session,
				   const char *line, char **whole)
{
	struct asking asking = {.line = line};
	struct error *error = session_call(session, ask, &asking);

	*whole = asking.whole;
	return error;
}

/* ---- after the commands -------------------------------------------------- */

_Static_assert((int)PERFTOOL_EXPECTED_FAILED == (int)EXPECTED_FAILED &&
		       (int)PERFTOOL_EXPECTED_UNMET == (int)EXPECTED_UNMET,
	       "the results are the same, in the same order");

static struct error *get_expected(struct perftool_session *session,
				  void *argument)
{
	*(enum perftool_expected *)argument =
		(enum perftool_expected)interpreter_expected(
			session->interpreter);
	return NULL;
}

enum perftool_expected
perftool_session_expected(struct perftool_session *session)
{
	enum perftool_expected expected = PERFTOOL_EXPECTED_FAILED;

	error_destroy(session_call(session, get_expected, &expected));
	return expected;
}

struct unresolved {
	struct str *out;
	bool all_found;
};

static struct error *describe_unresolved(struct perftool_session *session,
					 void *argument)
{
	struct unresolved *unresolved = argument;

	unresolved->all_found =
		session_describe_unresolved(session->session, unresolved->out);
	return NULL;
}

bool perftool_session_unresolved(struct perftool_session *session,
				 struct str *out)
{
	struct unresolved unresolved = {.out = out};

	error_destroy(session_call(session, describe_unresolved, &unresolved));
	return unresolved.all_found;
}

/* ---- what the user interface adds to the language ------------------------ */

void perftool_session_set_history(struct perftool_session *session,
				  void (*print)(void *context, struct str *out),
				  void *context)
{
	interpreter_set_history(session->interpreter, print, context);
}

void perftool_man_commands(struct str *out)
{
	command_man_section(out);
}

void perftool_reference_commands(struct str *out)
{
	command_reference(out);
}
