/*
 * test_command_script.c - scripts: files, the lines and the reasons of errors;
 * and random lines
 *
 * tier: core
 * covers: command
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "command_streams.h"

/* ---- scripts ------------------------------------------------------------- */

static void test_script_ends_at_quit(void **state)
{
	char *path = path_of("good.pt");

	(void)state;
	write_file("good.pt", "# set up\n\nbreak main\r\nmonitor on\nquit\n"
			      "monitor off\n");
	assert_null(interpreter_script(interpreter, path));
	assert_string_equal(str_text(&fake.calls),
			    "break place [main]\nmonitor on\n");
	assert_true(interpreter_is_done(interpreter));
	free(path);
}

static void test_error_in_script_tells_file_and_line(void **state)
{
	char *path = path_of("bad.pt"), *message;

	(void)state;
	write_file("bad.pt", "monitor on\n# remark\nbrek main\nmonitor off");
	message = xasprintf("%s:3: unknown command `brek': did you mean "
			    "break?",
			    path);
	fails(interpreter_script(interpreter, path), ERROR_USAGE, message);
	assert_string_equal(str_text(&fake.calls), "monitor on\n");
	free(message);
	free(path);
}

static void test_error_in_nested_script_tells_both_lines(void **state)
{
	char *outer = path_of("outer.pt"), *inner = path_of("inner.pt");
	char *line = in_directory("\nsource %s/inner.pt\n"), *message;

	(void)state;
	write_file("outer.pt", line);
	write_file("inner.pt", "monitor on\nthread x");
	message = xasprintf("%s:2: %s:2: `x' is not a thread number", outer,
			    inner);
	fails(interpreter_script(interpreter, outer), ERROR_USAGE, message);
	free(message);
	free(line);
	free(outer);
	free(inner);
}

static void test_script_that_sources_itself_is_an_error(void **state)
{
	char *path = path_of("self.pt"), *line = in_directory("source "
							      "%s/self.pt");
	struct error *error;

	(void)state;
	write_file("self.pt", line);
	error = interpreter_script(interpreter, path);
	assert_non_null(error);
	assert_non_null(strstr(error_message(error), "nested too deeply"));
	error_destroy(error);
	free(line);
	free(path);
}

static void test_script_may_end_without_a_newline(void **state)
{
	char *path = path_of("last.pt");

	(void)state;
	write_file("last.pt", "monitor on");
	assert_null(interpreter_script(interpreter, path));
	assert_string_equal(str_text(&fake.calls), "monitor on\n");
	free(path);
}

/* ---- random lines -------------------------------------------------------- */

static const char *const pieces[] = {
	"print",       "add",        "leg",      "break",     "entry",
	"exit",        "if",         "set",      "format",    "log",
	"help",        "1",          "*",        "<",         "\"",
	"'",           "#",          "--",       "!",         ":",
	"=",           "(",          ")",        "\\",        "key=",
	"node",        "leg",        "continue", "for",       "10s",
	"attach",      "condition",  "time",     "\xff",      "\t",
	"track",       "monitor",    "on",       "value=x",   "linear",
	"99999999999", "procedure:", "#:",       "histogram", "tables",
	"condition:",  "@",          "-v",
};

/* The lines have no `shell`, no `source` and no redirection, because the test
 * must not touch anything outside of itself. */
static void test_random_lines_do_not_crash(void **state)
{
	unsigned seed = 1;

	(void)state;
	for (int i = 0; i < 30000; i++) {
		struct str line = {0};
		struct completion completion;
		unsigned length = (unsigned)rand_r(&seed) % 9;

		for (unsigned k = 0; k < length; k++) {
			unsigned r = (unsigned)rand_r(&seed);
			const unsigned count = sizeof(pieces) / sizeof(*pieces);

			if (r % 4)
				str_append(&line, pieces[r / 4 % count]);
			else
				str_append_char(&line, (char)(r / 4 % 255 + 1));
			if (r % 3)
				str_append_char(&line, ' ');
		}
		if (!strchr(str_text(&line), '>') &&
		    !strstr(str_text(&line), "log") &&
		    !strpbrk(str_text(&line), "sS")) {
			struct error *error =
				interpreter_line(interpreter, str_text(&line));

			if (error)
				assert_true(*error_message(error) != '\0');
			error_destroy(error);
		}
		interpreter_complete(interpreter, str_text(&line), &completion);
		assert_true(completion.start <= line.length);
		completion_deinit(&completion);
		str_deinit(&fake.calls);
		str_deinit(&line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_script_ends_at_quit),
		TEST(test_error_in_script_tells_file_and_line),
		TEST(test_error_in_nested_script_tells_both_lines),
		TEST(test_script_that_sources_itself_is_an_error),
		TEST(test_script_may_end_without_a_newline),
		TEST(test_random_lines_do_not_crash),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
