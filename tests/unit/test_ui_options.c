/*
 * test_ui_options.c - tests that the table of options is fit for all that is
 * made from it: getopt_long(), --help, and the completions of shells
 *
 * tier: core
 * covers: ui
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <string.h>

#include "ui/option_table.h"
#include "ui/options.h"

static void each_option_is_whole(void **state)
{
	(void)state;
	for (const struct option_entry *at = option_table; at->name; at++) {
		assert_true(at->key >= OPTION_FOR ||
			    isalpha((unsigned char)at->key));
		assert_true(at->of != 0);
		/* what is an argument is completed, if only by nothing */
		assert_int_equal(at->argument != NULL, at->completes != NULL);
	}
}

/* An option has a second row only for what it means to other subcommands. */
static void each_option_is_there_once_for_a_subcommand(void **state)
{
	(void)state;
	for (const struct option_entry *a = option_table; a->name; a++)
		for (const struct option_entry *b = a + 1; b->name; b++) {
			bool same = a->key == b->key;

			assert_int_equal(same, strcmp(a->name, b->name) == 0);
			if (!same)
				continue;
			assert_int_equal(a->of & b->of, 0);
			assert_string_equal(a->argument ? a->argument : "",
					    b->argument ? b->argument : "");
		}
}

/* The lines stand in quotes of shells, in fields between bars. */
static void check_phrase(const char *phrase)
{
	assert_true(*phrase);
	assert_null(strpbrk(phrase, "'\\|`\n"));
	assert_true(strlen(phrase) < 120);
}

static void what_shells_show_needs_no_escapes(void **state)
{
	(void)state;
	for (const struct option_entry *at = option_table; at->name; at++) {
		struct str summary = {0};

		if (!at->help)
			continue;
		option_summary(at, &summary);
		check_phrase(str_text(&summary));
		assert_true(summary.data[summary.length - 1] != ' ');
		str_deinit(&summary);
	}
	for (size_t i = 0; i < SUBCOMMAND_COUNT; i++)
		check_phrase(subcommand_table[i].summary);
}

static void each_subcommand_is_found(void **state)
{
	(void)state;
	for (size_t i = SUBCOMMAND_NONE + 1; i < SUBCOMMAND_COUNT; i++) {
		char name[] = "perftool", option[] = "--help";
		char *argv[] = {name,
				(char *)(uintptr_t)subcommand_table[i].word,
				option, NULL};
		struct options options;

		assert_null(options_parse(3, argv, &options));
		assert_int_equal(options.subcommand, i);
		assert_true(options.help);
		options_deinit(&options);
	}
}

static void lines_have_all_fields(void **state)
{
	struct str lines = {0};
	size_t bars = 0, ends = 0, options = 0;

	(void)state;
	option_lines(&lines);
	for (size_t i = 0; i < lines.length; i++) {
		bars += lines.data[i] == '|';
		ends += lines.data[i] == '\n';
	}
	for (const struct option_entry *at = option_table; at->name; at++)
		options += at->help != NULL;
	assert_int_equal(ends, options);
	assert_int_equal(bars, 5 * options);
	str_deinit(&lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_option_is_whole),
		cmocka_unit_test(each_option_is_there_once_for_a_subcommand),
		cmocka_unit_test(what_shells_show_needs_no_escapes),
		cmocka_unit_test(each_subcommand_is_found),
		cmocka_unit_test(lines_have_all_fields),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
