/*
 * test_ui_ended_reading.c - a signal ends the reading of saved tables, also
 * while the one who writes them writes nothing
 *
 * tier: core
 * covers: ui/terminal
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../src/ui/terminal/ended_reading.h"
#include "../../src/ui/terminal/signals.h"

static const char tables_text[] = "{\"schema\": 1, \"legs\": []}";

/* Reads a pipe, of which the other end stays open and which has a part of an
 * object, or all of it. */
static struct error *read_pipe(const char *text, struct saved_tables **out)
{
	const struct saved_watch watch = ended_reading();
	struct error *error;
	int ends[2], input = dup(STDIN_FILENO);

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], text, strlen(text)),
			 (ssize_t)strlen(text));
	if (str_equal(text, tables_text)) {
		close(ends[1]);
		ends[1] = -1;
	}
	dup2(ends[0], STDIN_FILENO);
	error = saved_read("-", &watch, out);
	dup2(input, STDIN_FILENO);
	close(input);
	close(ends[0]);
	if (ends[1] >= 0)
		close(ends[1]);
	return error;
}

static void reads_to_the_end(void **state)
{
	struct saved_tables *tables = NULL;

	(void)state;
	assert_null(read_pipe(tables_text, &tables));
	assert_int_equal(tables->legs.count, 0);
	saved_destroy(tables);
}

static void a_signal_that_came_ends_the_reading(void **state)
{
	struct saved_tables *tables = NULL;
	struct error *error;

	(void)state;
	raise(SIGTERM);
	error = read_pipe("{\"schema\": 1, ", &tables);
	assert_non_null(error);
	assert_int_equal(error_code(error), ERROR_INTERRUPTED);
	error_destroy(error);
	assert_int_equal(signals_take(), SIGTERM);
}

/* A child sends the signal when it has seen that this process waits. */
static void a_signal_ends_the_wait(void **state)
{
	struct saved_tables *tables = NULL;
	struct error *error;
	pid_t parent = getpid(), child = fork();

	(void)state;
	if (child == 0) {
		char path[64], state_letter = 0;

		snprintf(path, sizeof(path), "/proc/%d/stat", (int)parent);
		while (state_letter != 'S') {
			FILE *file = fopen(path, "r");

			if (!file ||
			    fscanf(file, "%*d (%*[^)]) %c", &state_letter) != 1)
				_exit(1);
			fclose(file);
		}
		kill(parent, SIGINT);
		_exit(0);
	}
	error = read_pipe("{\"schema\": 1, ", &tables);
	assert_non_null(error);
	assert_int_equal(error_code(error), ERROR_INTERRUPTED);
	error_destroy(error);
	assert_int_equal(signals_take(), SIGINT);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_to_the_end),
		cmocka_unit_test(a_signal_that_came_ends_the_reading),
		cmocka_unit_test(a_signal_ends_the_wait),
	};

	signals_install_ends();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
