/*
 * Scripts and where their output goes: files, lines and reasons of errors,
 * redirection, transcripts, full disks, Ctrl-C, the time limit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <time.h>
#include <unistd.h>

#include "perftool/command.h"

#include "fake_session.h"

static char directory[] = "/tmp/perftool-test-XXXXXX";
static struct interpreter *interpreter;
static FILE *output, *messages;
static unsigned questions; /* how often `interrupted` was asked */
static unsigned interrupt_at;
static bool answer;

static bool interrupted(void *context)
{
	(void)context;
	return ++questions == interrupt_at;
}

static bool confirm(void *context, const char *question)
{
	(void)context;
	assert_non_null(strstr(question, "running"));
	questions++;
	return answer;
}

static const struct session_ui ui = {.interrupted = interrupted,
				     .confirm = confirm};

static void create(bool interactive, uint64_t limit)
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

static int setup(void **state)
{
	(void)state;
	fake_reset();
	questions = interrupt_at = 0;
	output = tmpfile();
	messages = tmpfile();
	create(false, 0);
	return output && messages ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	interpreter_destroy(interpreter);
	interpreter = NULL;
	fclose(output);
	fclose(messages);
	fake_reset();
	return 0;
}

static char *path_of(const char *name)
{
	return xasprintf("%s/%s", directory, name);
}

static void write_file(const char *name, const char *text)
{
	char *path = path_of(name);
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
	free(path);
}

static char *read_stream(FILE *file)
{
	struct str text = {0};
	int c;

	rewind(file);
	while ((c = getc(file)) != EOF)
		str_append_char(&text, (char)c);
	return str_take(&text);
}

static char *read_path(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text;

	if (!file)
		fail_msg("%s is not there", path);
	text = read_stream(file);
	fclose(file);
	return text;
}

static void check_stream(FILE *file, const char *expected)
{
	char *text = read_stream(file);

	assert_string_equal(text, expected);
	free(text);
}

static void run(const char *line)
{
	struct error *error = interpreter_line(interpreter, line);

	if (error)
		fail_msg("%s: %s", line, error_message(error));
}

static void fails(struct error *error, enum error_code code,
		  const char *message)
{
	assert_non_null(error);
	assert_string_equal(error_message(error), message);
	assert_int_equal(error_code(error), code);
	error_destroy(error);
}

/* A command with %s for the test's directory. */
static char *in_directory(const char *format)
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

/* ---- scripts ------------------------------------------------------------- */

static void test_script(void **state)
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

static void test_script_error(void **state)
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

static void test_nested_script(void **state)
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

static void test_script_that_sources_itself(void **state)
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

static void test_script_last_line_unfinished(void **state)
{
	char *path = path_of("last.pt");

	(void)state;
	write_file("last.pt", "monitor on");
	assert_null(interpreter_script(interpreter, path));
	assert_string_equal(str_text(&fake.calls), "monitor on\n");
	free(path);
}

/* ---- output -------------------------------------------------------------- */

static void test_streams(void **state)
{
	(void)state;
	run("break main");
	run("where");
	run("print 6 * 7");
	check_stream(messages, "Breakpoint #1.\n");
	check_stream(output, "#0 main\n42\n");
}

static void test_redirection(void **state)
{
	char *line = in_directory("where > %s/where.txt");
	char *path = path_of("where.txt"), *text;

	(void)state;
	run(line);
	text = read_path(path);
	assert_string_equal(text, "#0 main\n");
	check_stream(output, "");
	free(text);
	free(path);
	free(line);
}

static void test_redirection_fails(void **state)
{
	(void)state;
	fails(interpreter_line(interpreter, "where > /dev/full"), ERROR_SYSTEM,
	      "cannot write /dev/full: No space left on device");
	fails(interpreter_line(interpreter, "where > /nonexistent/x"),
	      ERROR_SYSTEM,
	      "cannot write /nonexistent/x: No such file or directory");
}

static void test_full_output(void **state)
{
	FILE *full = fopen("/dev/full", "w");
	struct interpreter_options options = {
		.session = &fake_session, .ui = &ui, .output = full};

	(void)state;
	assert_non_null(full);
	interpreter_destroy(interpreter);
	interpreter = interpreter_create(&options);
	fails(interpreter_line(interpreter, "where"), ERROR_SYSTEM,
	      "cannot write the output: No space left on device");
	/* Without a stream for them messages are just not there. */
	run("break main");
	fclose(full);
}

static void test_save(void **state)
{
	static const char *const lines[] = {
		"save tables %s/t.json", "save tables %s/t.txt",
		"save tables %s/t.csv", "print tables > %s/p.txt"};
	static const char *const files[] = {"t.json",           "t.txt",
					    "t-nodes.csv",      "t-legs.csv",
					    "t-histograms.csv", "p.txt"};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		char *line = in_directory(lines[i]);

		run(line);
		free(line);
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		char *path = path_of(files[i]);
		char *text = read_path(path);

		assert_true(*text != '\0');
		if (str_equal(files[i], "t.json"))
			assert_int_equal(text[0], '{');
		free(text);
		free(path);
	}
}

static void test_formats(void **state)
{
	char *text;

	(void)state;
	run("set format json");
	run("print tables");
	text = read_stream(output);
	assert_int_equal(text[0], '{');
	free(text);
	run("set format csv");
	run("print nodes");
	text = read_stream(output);
	assert_non_null(strstr(text, "id,kind,location"));
	free(text);
}

static void test_report(void **state)
{
	char *path = path_of("r"), *name = path_of("r-legs.csv"), *text;

	(void)state;
	assert_null(command_check_csv(path));
	assert_int_equal(access(name, F_OK), 0);
	assert_null(interpreter_report(interpreter, FORMAT_CSV, NULL, path));
	text = read_path(name);
	assert_non_null(strstr(text, "from"));
	free(text);
	assert_null(interpreter_report(interpreter, FORMAT_JSON, output, NULL));
	text = read_stream(output);
	assert_int_equal(text[0], '{');
	free(text);
	fails(command_check_csv("/nonexistent/r"), ERROR_SYSTEM,
	      "cannot write /nonexistent/r-nodes.csv: No such file or "
	      "directory");
	free(name);
	free(path);
}

static void test_interrupted_printing(void **state)
{
	char *text;

	(void)state;
	fake.lines = 2000;
	interrupt_at = 3;
	fails(interpreter_line(interpreter, "list breaks"), ERROR_INTERRUPTED,
	      "interrupted");
	text = read_stream(output);
	assert_int_equal(strlen(text), 2 * 4096);
	free(text);
}

static void test_log(void **state)
{
	char *line = in_directory("log %s/Perf.log"), *path = path_of("Perf"
								      ".log");
	char *text;

	(void)state;
	run(line);
	run("Collect Nodes!");
	fake.evaluated = "\033[1m7\033[m";
	run("print x");
	error_destroy(interpreter_line(interpreter, "thread x"));
	interpreter_log(interpreter, "a remark");
	run("log off");
	run("where");
	text = read_path(path);
	assert_string_equal(text, ">Collect Nodes!\n"
				  "Collected nodes\n"
				  ">print x\n"
				  "7\n"
				  ">thread x\n"
				  "`x' is not a thread number\n"
				  "a remark\n"
				  ">log off\n");
	free(text);
	free(path);
	free(line);
}

static void test_log_full(void **state)
{
	(void)state;
	run("log /dev/full");
	run("where");
	fails(interpreter_line(interpreter, "log off"), ERROR_OTHER,
	      "the log /dev/full could not be written whole");
}

/* ---- runs ---------------------------------------------------------------- */

static void test_stop(void **state)
{
	(void)state;
	fake.stop.reason = STOP_BREAKPOINT;
	run("run");
	fake.stop.reason = STOP_EXITED;
	run("continue");
	check_stream(messages, "stop 2\nstop 0\nBreakpoint 3 was never hit\n");
}

static void test_interrupted_run(void **state)
{
	char *path = path_of("run.pt"), *message;

	(void)state;
	fake.stop.reason = STOP_INTERRUPTED;
	fails(interpreter_line(interpreter, "run"), ERROR_INTERRUPTED,
	      "interrupted");
	create(true, 0);
	run("run");
	/* but a script does not go on, even at a prompt */
	write_file("run.pt", "run\nmonitor on\n");
	message = xasprintf("%s:1: interrupted", path);
	fails(interpreter_script(interpreter, path), ERROR_INTERRUPTED,
	      message);
	assert_null(strstr(str_text(&fake.calls), "monitor"));
	free(message);
	free(path);
}

static void use_up_time(void)
{
	struct timespec began, now;

	clock_gettime(CLOCK_MONOTONIC, &began);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while (now.tv_sec == began.tv_sec && now.tv_nsec == began.tv_nsec);
}

static void test_time_limit(void **state)
{
	(void)state;
	create(false, 1);
	fake.stop.reason = STOP_DURATION;
	fake.while_running = use_up_time;
	fails(interpreter_line(interpreter, "run"), ERROR_INTERRUPTED,
	      "interrupted");
	assert_string_equal(str_text(&fake.calls),
			    "run as before for a while\n");
	fails(interpreter_line(interpreter, "continue"), ERROR_INTERRUPTED,
	      "the time is over");
	create(false, UINT64_C(3600000000000));
	run("continue for 5ms");
	assert_non_null(strstr(str_text(&fake.calls), "continue 5000000\n"));
}

static void test_quit_asks(void **state)
{
	(void)state;
	create(true, 0);
	fake.has_process = true;
	answer = false;
	run("quit");
	assert_false(interpreter_is_done(interpreter));
	assert_int_equal(questions, 1);
	answer = true;
	run("quit");
	assert_true(interpreter_is_done(interpreter));
	create(false, 0);
	questions = 0;
	run("quit");
	assert_int_equal(questions, 0);
	assert_true(interpreter_is_done(interpreter));
}

static void test_shell(void **state)
{
	char *line = in_directory("shell echo '# a' > %s/shell.txt; exit 3");
	char *path = path_of("shell.txt"), *text;

	(void)state;
	run(line);
	text = read_path(path);
	assert_string_equal(text, "# a\n");
	check_stream(messages, "The command's exit status was 3\n");
	free(text);
	free(path);
	free(line);
}

/* ---- a program that runs while commands are entered -----------------------
 */

/* It goes on when the command is done, and before that is printed. */
static void test_stands_still(void **state)
{
	(void)state;
	fake.attached = true;
	run("where");
	run("list breaks");
	assert_string_equal(str_text(&fake.calls),
			    "where\ngoes on\nlist breaks\n");
	check_stream(messages, "The program stood still for 1.5 ms\n");
	check_stream(output, "#0 main\nbreaks\n");
}

static void test_stands_still_for_a_failure(void **state)
{
	(void)state;
	fake.attached = true;
	fake.fails = "where";
	fails(interpreter_line(interpreter, "where"), ERROR_NOT_FOUND,
	      "made to fail");
	assert_string_equal(str_text(&fake.calls), "where\ngoes on\n");
}

/* A breakpoint, reached while it was being stopped. */
static void test_stop_meanwhile(void **state)
{
	(void)state;
	fake.attached = fake.interrupts = true;
	fake.stop.reason = STOP_BREAKPOINT;
	run("where");
	check_stream(messages, "The program stood still for 1.5 ms\nstop 2\n");
}

static int pipe_ends[2];

static void write_a_line(void)
{
	if (fake.served == 5)
		assert_int_equal(write(pipe_ends[1], "kill\n", 5), 5);
	if (fake.served == 10)
		close(pipe_ends[1]);
}

/* Between the lines of a pipe the program is served. */
static void test_pipe(void **state)
{
	int before = dup(STDIN_FILENO);

	(void)state;
	assert_int_equal(pipe(pipe_ends), 0);
	assert_true(dup2(pipe_ends[0], STDIN_FILENO) >= 0);
	close(pipe_ends[0]);
	fake.attached = true;
	fake.while_serving = write_a_line;
	if (interpreter_script(interpreter, "-"))
		fail_msg("the script failed");
	assert_true(dup2(before, STDIN_FILENO) >= 0);
	close(before);
	assert_string_equal(str_text(&fake.calls), "kill\n");
	assert_int_equal(fake.served, 10);
}

static void test_interrupted_pipe(void **state)
{
	int before = dup(STDIN_FILENO);

	(void)state;
	assert_int_equal(pipe(pipe_ends), 0);
	assert_true(dup2(pipe_ends[0], STDIN_FILENO) >= 0);
	close(pipe_ends[0]);
	fake.attached = true;
	interrupt_at = 7;
	fails(interpreter_script(interpreter, "-"), ERROR_INTERRUPTED,
	      "standard input:1: interrupted");
	assert_true(dup2(before, STDIN_FILENO) >= 0);
	close(before);
	close(pipe_ends[1]);
	assert_int_equal(fake.served, 6);
}

static void test_served_stop(void **state)
{
	char *path = path_of("served.pt");

	(void)state;
	write_file("served.pt", "list breaks\n");
	fake.attached = fake.interrupts = true;
	fake.stop.reason = STOP_EXITED;
	if (interpreter_script(interpreter, path))
		fail_msg("the script failed");
	check_stream(messages, "stop 0\nBreakpoint 3 was never hit\n");
	check_stream(output, "breaks\n");
	free(path);
}

static void test_shell_meanwhile(void **state)
{
	(void)state;
	fake.attached = true;
	run("shell exit 4");
	run("shell kill $$");
	check_stream(messages, "The command's exit status was 4\n"
			       "The command was ended by signal 15\n");
}

static void test_quit_lets_go(void **state)
{
	(void)state;
	create(true, 0);
	fake.has_process = fake.attached = true;
	run("quit");
	assert_int_equal(questions, 0);
	assert_true(interpreter_is_done(interpreter));
}

static void print_history(void *context, struct str *out)
{
	str_append(out, context);
}

static void test_history(void **state)
{
	char text[] = "    1  run\n";

	(void)state;
	interpreter_set_history(interpreter, print_history, text);
	run("history");
	check_stream(output, text);
}

/* ---- lines of anything --------------------------------------------------- */

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

/* Neither `shell`, `source` nor a redirection: the test keeps to itself. */
static void test_random_lines(void **state)
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

static int make_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
	static const char *const files[] = {
		"good.pt",  "bad.pt",      "outer.pt",   "inner.pt",
		"self.pt",  "last.pt",     "where.txt",  "t.json",
		"t.txt",    "t-nodes.csv", "t-legs.csv", "t-histograms.csv",
		"p.txt",    "r-nodes.csv", "r-legs.csv", "r-histograms.csv",
		"Perf.log", "run.pt",      "shell.txt",  "served.pt",
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_script),
		TEST(test_script_error),
		TEST(test_nested_script),
		TEST(test_script_that_sources_itself),
		TEST(test_script_last_line_unfinished),
		TEST(test_streams),
		TEST(test_redirection),
		TEST(test_redirection_fails),
		TEST(test_full_output),
		TEST(test_save),
		TEST(test_formats),
		TEST(test_report),
		TEST(test_interrupted_printing),
		TEST(test_log),
		TEST(test_log_full),
		TEST(test_stop),
		TEST(test_interrupted_run),
		TEST(test_time_limit),
		TEST(test_quit_asks),
		TEST(test_shell),
		TEST(test_stands_still),
		TEST(test_stands_still_for_a_failure),
		TEST(test_stop_meanwhile),
		TEST(test_pipe),
		TEST(test_interrupted_pipe),
		TEST(test_served_stop),
		TEST(test_shell_meanwhile),
		TEST(test_quit_lets_go),
		TEST(test_history),
		TEST(test_random_lines),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
