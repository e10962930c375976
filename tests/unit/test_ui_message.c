/*
 * test_ui_message.c - tests how message.c breaks text at blanks
 *
 * tier: core
 * covers: ui/terminal
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/terminal/message.h"

static void check(const char *text, size_t columns, const char *wanted)
{
	struct str out = {0};

	message_wrap(text, strlen(text), columns, &out);
	assert_string_equal(str_text(&out), wanted);
	str_deinit(&out);
}

static void text_that_fits_stays(void **state)
{
	(void)state;
	check("", 10, "");
	check("\n\n", 10, "\n\n");
	check("one two", 7, "one two");
	check("  a   b\n\tc\n", 20, "  a   b\n\tc\n");
}

static void blanks_become_line_ends(void **state)
{
	(void)state;
	check("one two", 6, "one\n  two");
	check("one two three\n", 7, "one two\n  three\n");
	check("one two\nthree four\n", 9, "one two\nthree\n  four\n");
	/* The continuation is indented by more than the beginning of the
	 * line. */
	check("  one two three four", 12, "  one two\n    three\n    four");
	/* If there is no room for so much, it is indented by two. */
	check("     one two", 9, "     one\n  two");
	check("a     b", 6, "a\n  b");
}

static void words_stay_whole(void **state)
{
	(void)state;
	check("a-word-of-its-own", 5, "a-word-of-its-own");
	check("a longer-than-that b", 5, "a\n  longer-than-that\n  b");
	check("  longer-than-that", 5, "  longer-than-that");
}

static void orders_to_the_terminal_are_left_out(void **state)
{
	(void)state;
	check("a\033[36mb\033[0m\n", 20, "a\033[36mb\033[0m\n");
	check("a\033[31mb\033[8m", 20, "a?[31mb?[8m");
	check("a\033[2Jb \033]0;x\a \033", 40, "a?[2Jb ?]0;x? ?");
	check("\033[H\033[Jab", 20, "\033[H\033[Jab");
	check("a\033[H\033[Jb", 20, "a?[H?[Jb");
	check("a\rb\bc\x7f", 20, "a?b?c?");
	check("a\xc2\x9b"
	      "31mb \xc3\x9b",
	      20, "a?31mb \xc3\x9b");
	check("a\xe2\x80\xae"
	      "b\xe2\x80\xa9"
	      "c\xe2\x81\xa6"
	      "d\xd8\x9c",
	      20, "a?b?c?d?");
	check("\xe2\x86\x92 \xd7\xa9 \xe2\x80", 20,
	      "\xe2\x86\x92 \xd7\xa9 \xe2?");
}

static void columns_are_those_of_the_screen(void **state)
{
	(void)state;
	if (setlocale(LC_CTYPE, "C.UTF-8") == NULL)
		fail_msg("no locale C.UTF-8");
	check("\xc3\xa4\xc3\xb6 \xc3\xbc", 4, "\xc3\xa4\xc3\xb6 \xc3\xbc");
	check("\xc3\xa4\xc3\xb6 \xc3\xbc", 3, "\xc3\xa4\xc3\xb6\n  \xc3\xbc");
	/* Each of these characters is two columns wide. */
	check("\xe6\xbc\xa2 \xe5\xad\x97", 5, "\xe6\xbc\xa2 \xe5\xad\x97");
	check("\xe6\xbc\xa2 \xe5\xad\x97", 4, "\xe6\xbc\xa2\n  \xe5\xad\x97");
	/* A byte that is not a character counts as one column. */
	check("\xff\xff a", 4, "\xff\xff a");
	/* A tab goes to the next multiple of eight. */
	check("a\tb", 9, "a\tb");
	check("a\tb c", 9, "a\tb\n  c");
}

/* message_wrap() reads only the given length: the text need not end with a null
 * byte. */
static void only_the_given_length_is_read(void **state)
{
	const char text[] = {'o', 'n', 'e', ' ', 't', 'w', 'o', ' ', 'x'};
	struct str out = {0};

	(void)state;
	message_wrap(text, 7, 5, &out);
	assert_string_equal(str_text(&out), "one\n  two");
	str_deinit(&out);
}

static void files_get_text_unbroken(void **state)
{
	const char *text =
		"a line that would be much too long for a terminal, if "
		"it were one, of eighty columns\n";
	char *written = NULL;
	size_t length = 0;
	const struct writer forever = {0};
	FILE *file = tmpfile();

	(void)state;
	assert_non_null(file);
	assert_null(message_stream(&forever, file));
	message_write(&forever, file, text);
	rewind(file);
	assert_true(getdelim(&written, &length, '\0', file) > 0);
	assert_string_equal(written, text);
	free(written);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_that_fits_stays),
		cmocka_unit_test(blanks_become_line_ends),
		cmocka_unit_test(words_stay_whole),
		cmocka_unit_test(orders_to_the_terminal_are_left_out),
		cmocka_unit_test(columns_are_those_of_the_screen),
		cmocka_unit_test(only_the_given_length_is_read),
		cmocka_unit_test(files_get_text_unbroken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
