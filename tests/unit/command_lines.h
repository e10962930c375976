/*
 * command_lines.h - a line of the command language, and what it asks of the
 * session
 *
 * Each TEST() has an interpreter of its own over the session of fake_session.h.
 * What that prints comes to `printed' when `output' is flushed. Included by one
 * test program, after cmocka's header.
 */
#ifndef COMMAND_LINES_H
#define COMMAND_LINES_H

#include "fake_session.h"
#include "perftool/command.h"
#include "perftool/session/user_interface.h"

static struct interpreter *interpreter;
static char *printed;
static size_t printed_size;
static FILE *output;

static inline bool never(void *context)
{
	(void)context;
	return false;
}

static const struct session_ui ui = {.interrupted = never};

static inline int setup(void **state)
{
	struct interpreter_options options = {.session = &fake_session,
					      .ui = &ui};

	(void)state;
	fake_reset();
	output = open_memstream(&printed, &printed_size);
	options.output = options.messages = output;
	interpreter = interpreter_create(&options);
	return output ? 0 : -1;
}

static inline int teardown(void **state)
{
	(void)state;
	interpreter_destroy(interpreter);
	fclose(output);
	free(printed);
	fake_reset();
	return 0;
}

/* The line succeeds and makes exactly these calls. */
#define asks(line, expected) asks_(line, expected, __LINE__)
static inline void asks_(const char *line, const char *expected, int at)
{
	struct error *error;

	str_deinit(&fake.calls);
	error = interpreter_line(interpreter, line);
	if (error)
		fail_msg("line %d: %s: %s", at, line, error_message(error));
	if (!str_equal(str_text(&fake.calls), expected))
		fail_msg("line %d: %s: asked\n%snot\n%s", at, line,
			 str_text(&fake.calls), expected);
}

/* The line fails, with these words in its one line, and asks nothing. */
#define refuses(line, words) refuses_(line, words, __LINE__)
static inline void refuses_(const char *line, const char *words_, int at)
{
	struct error *error;

	str_deinit(&fake.calls);
	error = interpreter_line(interpreter, line);
	if (!error)
		fail_msg("line %d: `%s' did not fail", at, line);
	if (!strstr(error_message(error), words_))
		fail_msg("line %d: %s: the error `%s' lacks `%s'", at, line,
			 error_message(error), words_);
	if (strchr(error_message(error), '\n'))
		fail_msg("line %d: more than one line: %s", at,
			 error_message(error));
	assert_string_equal(str_text(&fake.calls), "");
	error_destroy(error);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
