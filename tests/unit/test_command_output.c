/*
 * test_command_output.c - where the output of commands goes: streams,
 * redirection, saved tables, transcripts, full disks
 *
 * tier: core
 * covers: command
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <sys/resource.h>

#include "command_streams.h"

static void test_messages_and_output_have_separate_streams(void **state)
{
	(void)state;
	run("break main");
	run("where");
	run("print 6 * 7");
	check_stream(messages, "Breakpoint #1.\n");
	check_stream(output, "#0 main\n42\n");
}

static void test_redirected_output_is_in_the_file(void **state)
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

static void test_failed_redirection_is_an_error(void **state)
{
	(void)state;
	fails(interpreter_line(interpreter, "where > /dev/full"), ERROR_SYSTEM,
	      "cannot write /dev/full: No space left on device");
	fails(interpreter_line(interpreter, "where > /nonexistent/x"),
	      ERROR_SYSTEM,
	      "cannot write /nonexistent/x: No such file or directory");
}

/* A limit on the size of files is as good as a full disk. */
static void test_full_disk_leaves_the_old_file(void **state)
{
	void (*before)(int number) = signal(SIGXFSZ, SIG_IGN);
	const struct rlimit small = {3, RLIM_INFINITY};
	const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
	char *line = in_directory("where > %s/kept.txt");
	char *path = path_of("kept.txt"), *text;
	struct error *error;

	(void)state;
	write_file("kept.txt", "an old file\n");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	error = interpreter_line(interpreter, line);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	assert_int_equal(error_code(error), ERROR_SYSTEM);
	error_destroy(error);
	text = read_path(path);
	assert_string_equal(text, "an old file\n");
	signal(SIGXFSZ, before);
	free(text);
	free(path);
	free(line);
}

static void test_full_disk_of_the_output_is_an_error(void **state)
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
	/* If there is no stream for messages, the tool drops them. */
	run("break main");
	fclose(full);
}

static void test_save_tables_writes_all_files(void **state)
{
	static const char *const lines[] = {
		"save tables %s/t.json", "save tables %s/t.txt",
		"save tables %s/t.csv", "print tables > %s/p.txt"};
	static const char *const files[] = {
		"t.json",           "t.txt",    "t-nodes.csv", "t-legs.csv",
		"t-histograms.csv", "t-by.csv", "p.txt"};

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

/* If several processes have executed legs, `save tables' writes the table by
 * process. It replaces an earlier file of that name. */
static void test_save_tables_writes_table_by_process(void **state)
{
	char *line = in_directory("save tables %s/t.csv"), *text;
	char *path = path_of("t-processes.csv");

	(void)state;
	unlink(path);
	run(line);
	assert_int_equal(access(path, F_OK), -1);
	fake.tables.process_count = 2;
	run(line);
	fake.tables.process_count = 0;
	text = read_path(path);
	assert_non_null(strstr(text, "to_place,process,pid,comm,command,"));
	free(text);
	assert_int_equal(truncate(path, 0), 0);
	run(line);
	text = read_path(path);
	assert_non_null(strstr(text, "process,pid"));
	free(text);
	free(path);
	free(line);
}

static void test_set_format_changes_printed_tables(void **state)
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

static void test_report_goes_to_file_or_stream(void **state)
{
	const struct report_request csv = {.format = FORMAT_CSV};
	const struct report_request json = {.format = FORMAT_JSON};
	char *path = path_of("r"), *name = path_of("r-legs.csv"), *text;
	int claim = -1, other = -1;
	struct error *error;

	(void)state;
	assert_null(command_check_csv(path, &claim));
	error = command_check_csv(path, &other);
	assert_non_null(error);
	assert_non_null(
		strstr(error_message(error), "another perftool is writing it"));
	error_destroy(error);
	close(claim);
	assert_int_equal(access(name, F_OK), 0);
	assert_null(interpreter_report(interpreter, &csv, NULL, path));
	text = read_path(name);
	assert_non_null(strstr(text, "from"));
	free(text);
	assert_null(interpreter_report(interpreter, &json, output, NULL));
	text = read_stream(output);
	assert_true(str_starts(text, "{\n"));
	free(text);
	fails(command_check_csv("/nonexistent/r", &other), ERROR_SYSTEM,
	      "cannot write /nonexistent/r-nodes.csv: No such file or "
	      "directory");
	free(name);
	free(path);
}

/* A report of which there are several in one file. */
static void test_repeated_reports_are_separated(void **state)
{
	struct report_request request = {
		.format = FORMAT_JSON, .repeated = true, .part = REPORT_SO_FAR};
	struct str text = {0};

	(void)state;
	interpreter_report_text(interpreter, &request, output, &text);
	assert_non_null(
		strstr(str_text(&text), "\"interval\":{\"from_ns\":0,"));
	assert_ptr_equal(strchr(text.data, '\n'), text.data + text.length - 1);
	str_deinit(&text);
	request.format = FORMAT_TEXT;
	interpreter_report_text(interpreter, &request, output, &text);
	assert_true(str_starts(str_text(&text), "- - - "));
	assert_non_null(strstr(str_text(&text),
			       " measured so far - - -\nTotal Elapsed"));
	str_deinit(&text);
	assert_null(strstr(fake.calls.data, "since last"));
	request.part = REPORT_SINCE_LAST;
	interpreter_report_text(interpreter, &request, output, &text);
	assert_non_null(strstr(fake.calls.data, "since last"));
	str_deinit(&text);
}

static void test_interrupt_ends_printing(void **state)
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

static void test_log_has_commands_and_output(void **state)
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

static void test_full_disk_of_the_log_is_an_error(void **state)
{
	(void)state;
	run("log /dev/full");
	run("where");
	fails(interpreter_line(interpreter, "log off"), ERROR_SYSTEM,
	      "the log /dev/full could not be written completely: No space "
	      "left on device");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_messages_and_output_have_separate_streams),
		TEST(test_redirected_output_is_in_the_file),
		TEST(test_failed_redirection_is_an_error),
		TEST(test_full_disk_leaves_the_old_file),
		TEST(test_full_disk_of_the_output_is_an_error),
		TEST(test_save_tables_writes_all_files),
		TEST(test_save_tables_writes_table_by_process),
		TEST(test_set_format_changes_printed_tables),
		TEST(test_report_goes_to_file_or_stream),
		TEST(test_repeated_reports_are_separated),
		TEST(test_interrupt_ends_printing),
		TEST(test_log_has_commands_and_output),
		TEST(test_full_disk_of_the_log_is_an_error),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
