/*
 * test_report_printable.c - texts of the program under measurement, as a part
 * of a line
 *
 * tier: core
 * covers: report/figures
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/figures/printable.h"

static void check(const char *text, size_t width, const char *wanted)
{
	struct str out = {0};

	printable_cut(text, width, &out);
	assert_string_equal(str_text(&out), wanted);
	str_deinit(&out);
}

static void ordinary_texts_stay(void **state)
{
	(void)state;
	check("", 0, "");
	check("operator<<(std::ostream&, int)", 0,
	      "operator<<(std::ostream&, int)");
	/* of two, three and four bytes; Hebrew is written from the right */
	check("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xd7\xa9\xd7\x9c", 0,
	      "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xd7\xa9\xd7\x9c");
}

static void what_changes_the_rest_of_the_line_is_replaced(void **state)
{
	(void)state;
	check("a\tb\nc\033[2Jd\x7f", 0, "a?b?c?[2Jd?");
	check("\xc2\x85|\xc2\x9b|\xc2\xa0", 0, "?|?|\xc2\xa0");
	/* characters that turn the direction of writing */
	check("\xe2\x80\x8f|\xe2\x80\x8e|\xd8\x9c", 0, "?|?|?");
	check("\xe2\x80\xae|\xe2\x80\xaa|\xe2\x81\xa6|\xe2\x81\xa9", 0,
	      "?|?|?|?");
	check("\xe2\x80\xa8|\xe2\x80\xa9", 0, "?|?"); /* new lines */
}

static void what_is_not_utf8_is_replaced(void **state)
{
	(void)state;
	check("a\x80z", 0, "a?z");
	check("\xc0\x80", 0, "??");           /* too long a form of 0 */
	check("\xe0\x80\xaf", 0, "???");      /* and of a slash */
	check("\xed\xa0\x80", 0, "???");      /* a surrogate */
	check("\xf4\x90\x80\x80", 0, "????"); /* beyond Unicode */
	check("\xff\xfe", 0, "??");
	check("\xe2\x82", 0, "??"); /* ends too early */
}

static void long_texts_keep_their_beginning_and_their_end(void **state)
{
	(void)state;
	check("abcdefghij", 10, "abcdefghij");
	check("abcdefghijklmnop", 10, "abcdef..op");
	check("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
	      "\xc3\xa9\xc3\xa9",
	      9, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9..\xc3\xa9\xc3\xa9");
	/* not less than 8 characters */
	check("abcdefghij", 1, "abcd..ij");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ordinary_texts_stay),
		cmocka_unit_test(what_changes_the_rest_of_the_line_is_replaced),
		cmocka_unit_test(what_is_not_utf8_is_replaced),
		cmocka_unit_test(long_texts_keep_their_beginning_and_their_end),
	};

	return cmocka_run_group_tests_name("report_printable", tests, NULL,
					   NULL);
}
