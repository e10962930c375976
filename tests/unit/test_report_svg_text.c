/*
 * test_report_svg_text.c - names that are shortened to the room of a frame
 *
 * tier: core
 * covers: report/figures
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/figures/svg_text.h"

static void check(const char *name, size_t room, const char *wanted)
{
	struct str text = {0};

	svg_fit(name, room, &text);
	assert_string_equal(str_text(&text), wanted);
	str_deinit(&text);
}

static void names_are_cut_at_the_end(void **state)
{
	(void)state;
	check("insertion_sort", 14, "insertion_sort");
	check("insertion_sort", 10, "insertio..");
	check("operator+(a, b)", 10, "operator..");
	check("insertion_sort", 3, "");
}

/* The functions of a stripped program differ in the last digits. */
static void addresses_are_cut_at_the_beginning(void **state)
{
	(void)state;
	check("python3+0x1c2d40", 16, "python3+0x1c2d40");
	check("python3+0x1c2d40", 10, "..0x1c2d40");
	check("python3+0x1c2d40", 8, "..1c2d40");
	check("python3+0x1c2d40", 3, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_cut_at_the_end),
		cmocka_unit_test(addresses_are_cut_at_the_beginning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
