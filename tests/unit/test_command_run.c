/*
 * test_command_run.c - commands while there is a program: stops, Ctrl-C, the
 * time limit, which commands stop the program and which let it run
 *
 * tier: core
 * covers: command
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/wait.h>
#include <time.h>

#include "command_streams.h"
#include "perftool/session/user_interface.h"

/* ---- runs ---------------------------------------------------------------- */

static void note_to(void *stream, const char *text)
{
	fprintf(stream, "%s\n", text);
}

static void test_each_stop_is_told(void **state)
{
	(void)state;
	fake.stop.reason = STOP_BREAKPOINT;
	run("run");
	fake.stop.reason = STOP_EXITED;
	run("continue");
	check_stream(messages, "stop 2\nstop 0\nBreakpoint 3 was never hit\n");
}

/* The tool tells which places were never found even if messages go nowhere, and
 * then tells nothing else. */
static void test_places_never_found_are_told_without_messages(void **state)
{
	const struct session_ui noting = {.note = note_to, .context = messages};
	struct interpreter_options options = {
		.session = &fake_session, .ui = &noting, .output = output};

	(void)state;
	interpreter_destroy(interpreter);
	interpreter = interpreter_create(&options);
	fake.stop.reason = STOP_BREAKPOINT;
	run("run");
	check_stream(messages, "");
	fake.stop.reason = STOP_EXITED;
	run("continue");
	check_stream(messages, "mian was never found\nmoan was never found\n");
	check_stream(output, "");
}

static void test_interrupt_ends_the_run_and_further_runs(void **state)
{
	(void)state;
	fake.stop.reason = STOP_INTERRUPTED;
	fake.has_process = true;
	run("run");
	assert_true(interpreter_is_ended_by_user(interpreter));
	assert_false(interpreter_ran_after_end(interpreter));
	/* what would run the program is left out, and the rest is done */
	run("continue");
	run("monitor on");
	assert_string_equal(str_text(&fake.calls),
			    "run as before\nend program\nmonitor on\n");
	assert_true(interpreter_ran_after_end(interpreter));
	assert_false(interpreter_time_is_over(interpreter));
}

/* The program ends by the same Ctrl-C before the tool stops it. */
static void test_interrupt_that_ends_the_program(void **state)
{
	(void)state;
	fake.stop =
		(struct session_stop){.reason = STOP_EXITED, .is_asked = true};
	run("run");
	assert_true(interpreter_is_ended_by_user(interpreter));
	fake.stop.is_asked = false;
	create(false, 0);
	interrupt_at = questions + 1;
	run("run");
	assert_true(interpreter_is_ended_by_user(interpreter));
	create(false, 0);
	run("run");
	assert_false(interpreter_is_ended_by_user(interpreter));
}

static int pipe_ends[2];

/* After an interrupt the tool does not wait for the writer of a pipe. */
static void test_interrupt_reads_what_a_pipe_has(void **state)
{
	static const char lines[] = "run\nmonitor on\n";
	int before = dup(STDIN_FILENO);

	(void)state;
	assert_int_equal(pipe(pipe_ends), 0);
	assert_true(dup2(pipe_ends[0], STDIN_FILENO) >= 0);
	close(pipe_ends[0]);
	assert_int_equal(write(pipe_ends[1], lines, sizeof(lines) - 1),
			 sizeof(lines) - 1);
	fake.stop.reason = STOP_INTERRUPTED;
	if (interpreter_script(interpreter, "-"))
		fail_msg("the script failed");
	assert_true(dup2(before, STDIN_FILENO) >= 0);
	close(before);
	close(pipe_ends[1]);
	assert_string_equal(str_text(&fake.calls),
			    "run as before\nmonitor on\n");
}

static void test_interrupt_ends_the_run_and_the_script(void **state)
{
	char *path = path_of("run.pt"), *message;

	(void)state;
	fake.stop.reason = STOP_INTERRUPTED;
	create(true, 0);
	run("run");
	/* a script does not go on after an interrupt, even at a prompt */
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

static void test_time_limit_ends_the_run(void **state)
{
	(void)state;
	create(false, 1);
	fake.stop.reason = STOP_DURATION;
	fake.while_running = use_up_time;
	fake.has_process = true;
	run("run");
	assert_string_equal(str_text(&fake.calls),
			    "run as before for a while\nend program\n");
	assert_true(interpreter_time_is_over(interpreter));
	assert_false(interpreter_ran_after_end(interpreter));
	/* what would run the program is left out, and the rest is done */
	run("continue");
	run("monitor on");
	assert_string_equal(str_text(&fake.calls),
			    "run as before for a while\nend program\n"
			    "monitor on\n");
	assert_true(interpreter_time_is_over(interpreter));
	assert_true(interpreter_ran_after_end(interpreter));
	fake.has_process = false;
	create(false, UINT64_C(3600000000000));
	run("continue for 5ms");
	assert_non_null(strstr(str_text(&fake.calls), "continue 5000000\n"));
}

static void test_quit_asks_at_the_prompt_only(void **state)
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

static void test_shell_tells_the_exit_status(void **state)
{
	char *line = in_directory("shell echo '# a' > %s/shell.txt; exit 3");
	char *path = path_of("shell.txt"), *text;

	(void)state;
	run(line);
	text = read_path(path);
	assert_string_equal(text, "# a\n");
	check_stream(messages, "The command's exit status was 3\n");
	/* the shell was reaped */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	free(text);
	free(path);
	free(line);
}

/* ---- a program that runs while commands are entered ---------------------- */

/* The program goes on when the command is done, and before the output is
 * printed. */
static void test_program_goes_on_before_output_is_printed(void **state)
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

static void test_program_goes_on_after_a_failed_command(void **state)
{
	(void)state;
	fake.attached = true;
	fake.fails = "where";
	fails(interpreter_line(interpreter, "where"), ERROR_NOT_FOUND,
	      "made to fail");
	assert_string_equal(str_text(&fake.calls), "where\ngoes on\n");
}

/* A thread reaches a breakpoint while the tool is stopping the program. */
static void test_stop_during_a_command_is_told(void **state)
{
	(void)state;
	fake.attached = fake.interrupts = true;
	fake.stop.reason = STOP_BREAKPOINT;
	run("where");
	check_stream(messages, "The program stood still for 1.5 ms\nstop 2\n");
}

static void write_a_line(void)
{
	if (fake.served == 5)
		assert_int_equal(write(pipe_ends[1], "kill\n", 5), 5);
	if (fake.served == 10)
		close(pipe_ends[1]);
}

/* Between the lines that come through a pipe, the tool serves the program. */
static void test_program_is_served_between_lines_of_a_pipe(void **state)
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

static void test_interrupt_ends_script_from_a_pipe(void **state)
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

static void test_end_of_the_program_during_a_script_is_told(void **state)
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

static void test_shell_tells_the_status_if_attached(void **state)
{
	(void)state;
	fake.attached = true;
	run("shell exit 4");
	run("shell kill $$");
	check_stream(messages, "The command's exit status was 4\n"
			       "The command was ended by signal 15\n");
}

static void test_quit_does_not_ask_if_attached(void **state)
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

static void test_history_is_printed(void **state)
{
	char text[] = "    1  run\n";

	(void)state;
	interpreter_set_history(interpreter, print_history, text);
	run("history");
	check_stream(output, text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_each_stop_is_told),
		TEST(test_places_never_found_are_told_without_messages),
		TEST(test_interrupt_ends_the_run_and_the_script),
		TEST(test_interrupt_ends_the_run_and_further_runs),
		TEST(test_interrupt_that_ends_the_program),
		TEST(test_interrupt_reads_what_a_pipe_has),
		TEST(test_time_limit_ends_the_run),
		TEST(test_quit_asks_at_the_prompt_only),
		TEST(test_shell_tells_the_exit_status),
		TEST(test_program_goes_on_before_output_is_printed),
		TEST(test_program_goes_on_after_a_failed_command),
		TEST(test_stop_during_a_command_is_told),
		TEST(test_program_is_served_between_lines_of_a_pipe),
		TEST(test_interrupt_ends_script_from_a_pipe),
		TEST(test_end_of_the_program_during_a_script_is_told),
		TEST(test_shell_tells_the_status_if_attached),
		TEST(test_quit_does_not_ask_if_attached),
		TEST(test_history_is_printed),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
