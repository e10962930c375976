/*
 * test_report_grid.c - tables of which not all columns fit side by side
 *
 * tier: core
 * covers: report/text
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "report/text/grid.h"

/* A folded table shows every column, also one that would yield to a long name
 * in a table that is not folded. */
static void test_folded_has_all_columns(void **state)
{
	const char *const heads[] = {"Min", "Max", "Mean"};

	(void)state;
	for (int width = 20; width <= 80; width++) {
		struct grid grid = {0};
		struct str text = {0};

		grid_column(&grid, (struct column){.bottom = "Name",
						   .key = true,
						   .shrinks_to = 8});
		for (size_t i = 0; i < 3; i++)
			grid_column(&grid,
				    (struct column){.bottom = heads[i],
						    .right = true,
						    .yields = i == 0,
						    .expendable = (int)i});
		grid_text(&grid, "a_function_with_a_name_of_37_letters_");
		grid_text(&grid, "1.00us");
		grid_text(&grid, "2.00us");
		grid_text(&grid, "1.50us");
		grid_print_folded(&grid, 1, width, false, &text);
		for (size_t i = 0; i < 3; i++)
			assert_non_null(strstr(str_text(&text), heads[i]));
		str_deinit(&text);
		grid_deinit(&grid);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folded_has_all_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
