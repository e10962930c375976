/*
 * command_streams.h - an interpreter whose output and messages are files, and a
 * directory for what it reads and writes
 *
 * Each TEST() has an interpreter of its own over the session of fake_session.h;
 * the directory is there for all tests of a program. Included by one test
 * program, after cmocka's header.
 */
#ifndef COMMAND_STREAMS_H
#define COMMAND_STREAMS_H

#include <unistd.h>

#include "fake_session.h"
#include "perftool/command.h"
#include "perftool/session/user_interface.h"

static char directory[] = "/tmp/perftool-test-XXXXXX";
static struct interpreter *interpreter;
static FILE *output, *messages;
static unsigned questions; /* how often `interrupted` was asked */
static unsigned interrupt_at;
static bool answer;

static inline bool interrupted(void *context)
{
	(void)context;
	return ++questions == interrupt_at;
}

static inline bool confirm(void *context, const char *question)
{
	(void)context;
	assert_non_null(strstr(question, "running"));
	questions++;
	return answer;
}

static const struct session_ui ui = {.interrupted = interrupted,
				     .confirm = confirm,
				     .confirm_leaving = confirm};

static inline void create(bool interactive, uint64_t limit)
{
	struct interpreter_options options = {.session = &fake_session,
					      .ui = &ui,
					      .output = output,
					      .messages = messages,
					      .interactive = interactive,
					      .time_limit = limit};

	interpreter_destroy(interpreter);
	interpreter = interpreter_create(&options);
}

static inline int setup(void **state)
{
	(void)state;
	fake_reset();
	questions = interrupt_at = 0;
	output = tmpfile();
	messages = tmpfile();
	create(false, 0);
	return output && messages ? 0 : -1;
}

static inline int teardown(void **state)
{
	(void)state;
	interpreter_destroy(interpreter);
	interpreter = NULL;
	fclose(output);
	fclose(messages);
	fake_reset();
	return 0;
}

static inline char *path_of(const char *name)
{
	return xasprintf("%s/%s", directory, name);
}

static inline void write_file(const char *name, const char *text)
{
	char *path = path_of(name);
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
	free(path);
}

static inline char *read_stream(FILE *file)
{
	struct str text = {0};
	int c;

	rewind(file);
	while ((c = getc(file)) != EOF)
		str_append_char(&text, (char)c);
	return str_take(&text);
}

static inline char *read_path(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text;

	if (!file)
		fail_msg("%s is not there", path);
	text = read_stream(file);
	fclose(file);
	return text;
}

static inline void check_stream(FILE *file, const char *expected)
{
	char *text = read_stream(file);

	assert_string_equal(text, expected);
	free(text);
}

static inline void run(const char *line)
{
	struct error *error = interpreter_line(interpreter, line);

	if (error)
		fail_msg("%s: %s", line, error_message(error));
}

static inline void fails(struct error *error, enum error_code code,
			 const char *message)
{
	assert_non_null(error);
	assert_string_equal(error_message(error), message);
	assert_int_equal(error_code(error), code);
	error_destroy(error);
}

/* A command with %s for the test's directory. */
static inline char *in_directory(const char *format)
{
	struct str text = {0};

	for (; *format; format++) {
		if (format[0] == '%' && format[1] == 's') {
			str_append(&text, directory);
			format++;
		} else {
			str_append_char(&text, *format);
		}
	}
	return str_take(&text);
}

static inline int make_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

/* Of all that any of the tests may leave; there is to be nothing else. */
static inline int remove_directory(void **state)
{
	static const char *const files[] = {
		"good.pt",         "bad.pt",
		"outer.pt",        "inner.pt",
		"self.pt",         "last.pt",
		"where.txt",       "t.json",
		"t.txt",           "t-nodes.csv",
		"t-legs.csv",      "t-histograms.csv",
		"p.txt",           "r-nodes.csv",
		"r-legs.csv",      "r-histograms.csv",
		"Perf.log",        "run.pt",
		"shell.txt",       "served.pt",
		"t-by.csv",        "r-by.csv",
		"t-processes.csv", "kept.txt",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		char *path = path_of(files[i]);

		unlink(path);
		free(path);
	}
	return rmdir(directory);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
