/*
 * test_command_table.c - what every entry of the table of commands must have:
 * help with an example of the command, a line in the overview, a part of the
 * manual page
 *
 * tier: core
 * covers: command
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "command/table.h"
#include "command_lines.h"
#include "perftool/session/session_settings.h"

static void test_every_command_has_help_with_an_example(void **state)
{
	const struct command *command;

	(void)state;
	for (size_t i = 0; (command = command_at(i)); i++) {
		struct str name = {0}, line = {0};
		struct error *error;

		command_name(command, &name);
		str_printf(&line, "help %s", str_text(&name));
		fflush(output);
		rewind(output);
		error = interpreter_line(interpreter, str_text(&line));
		if (error)
			fail_msg("%s: %s", str_text(&line),
				 error_message(error));
		fflush(output);
		if (!command->summary || !command->help ||
		    !strstr(command->help, "    "))
			fail_msg("%s has no example", str_text(&name));
		if (!str_starts(printed, command->words))
			fail_msg("%s prints\n%s", str_text(&line), printed);
		/* The first example of the help must be the command itself. */
		{
			const struct command *found;
			const char *rest,
				*example = strstr(command->help, "    ") + 4;
			char *first = xstrndup(example, strcspn(example, "\n"));

			error = command_resolve(first, &found, &rest);
			if (error || found != command)
				fail_msg("example `%s' of %s is not it", first,
					 str_text(&name));
			free(first);
		}
		str_deinit(&name);
		str_deinit(&line);
	}
}

static void test_overview_has_every_command(void **state)
{
	const struct command *command;
	struct error *error = interpreter_line(interpreter, "help");

	(void)state;
	assert_null(error);
	fflush(output);
	for (size_t i = 0; (command = command_at(i)); i++) {
		if (!strstr(printed, command->words))
			fail_msg("`help' lacks %s", command->words);
		if (!strstr(printed, command->summary))
			fail_msg("`help' lacks what %s does", command->words);
	}
	/* the words of the commands have a column of their own, and lines are
	 * shorter than 80 characters */
	for (const char *line = printed; *line;) {
		size_t length = strcspn(line, "\n");

		assert_true(length < 80);
		if (str_starts(line, "  "))
			assert_true(line[25] == ' ' && line[26] != ' ');
		line += length + (line[length] == '\n');
	}
}

/* For a setting, the help lists the values that the setting may have. */
static void test_help_of_settings_lists_values(void **state)
{
	(void)state;
	asks("help set", "");
	fflush(output);
	assert_non_null(
		strstr(printed, "  affinity                auto|on|off\n"));
	assert_non_null(strstr(printed, "set follow"));
	asks("help set format", "");
	fflush(output);
	assert_non_null(strstr(printed, "set format text|json|csv\n"));
	asks("help show form", "");
	fflush(output);
	assert_non_null(strstr(printed, "set format text|json|csv\n"));
	asks("help set f", "");
	fflush(output);
	assert_non_null(strstr(printed, "set follow fork|exec on|off\n"));
}

static void test_help_of_a_prefix_has_all_its_commands(void **state)
{
	(void)state;
	asks("help add", "");
	fflush(output);
	assert_non_null(strstr(printed, "add leg"));
	assert_non_null(strstr(printed, "add successor"));
	assert_null(strstr(printed, "delete leg"));
}

static void test_man_page_has_every_command(void **state)
{
	const struct session_setting *setting;
	const struct command *command;
	struct str man = {0};

	(void)state;
	command_man_section(&man);
	for (size_t i = 0; (command = command_at(i)); i++) {
		char *head = xasprintf(".BI \"%s\"", command->words);

		if (!strstr(str_text(&man), head))
			fail_msg("the man page lacks %s", command->words);
		free(head);
	}
	assert_non_null(strstr(str_text(&man), ".SS \"Settings\"\n"));
	for (size_t i = 0; (setting = session_setting_at(i)); i++)
		if (!strstr(str_text(&man), setting->values))
			fail_msg("the man page lacks `set %s'", setting->name);
	assert_non_null(strstr(str_text(&man),
			       "\n.B set exit\\-kill on|off\n"
			       "What becomes of a program; off: it is let "
			       "go.\n"));
	str_deinit(&man);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_every_command_has_help_with_an_example),
		TEST(test_overview_has_every_command),
		TEST(test_help_of_a_prefix_has_all_its_commands),
		TEST(test_help_of_settings_lists_values),
		TEST(test_man_page_has_every_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
