/*
 * test_report_labels.c - how listings tell procedures of the same name apart
 *
 * tier: core
 * covers: report/listings
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "report/listings/procedure_labels.h"

static const struct procedure all[] = {
	{.name = "alone", .module = "prog"},
	{.name = "sort", .module = "prog"},
	{.name = "sort", .module = "libc.so.6"},
	{.name = "init", .module = "prog", .file = "/src/a.c", .line = 3},
	{.name = "init", .module = "prog", .file = "b.c", .line = 7},
	{.name = "init", .module = "libm.so.6", .file = "c.c", .line = 9},
	{.name = "waiting.read", .module = "", .is_wait = true},
	{.name = "waiting.read", .module = "prog"},
	{.name = "esc\033[1m\n\x7f", .module = "prog"},
};

static void labels_have_what_tells_them_apart(void **state)
{
	static const char *const wanted[] = {
		"alone",         "sort@prog",         "sort@libc.so.6",
		"a.c:init@prog", "b.c:init@prog",     "init@libm.so.6",
		"waiting.read",  "waiting.read@prog", "esc?[1m??"};
	struct procedures procedures = {0};
	struct procedure_labels labels;

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		assert_int_equal(procedures_number(&procedures, &all[i]), i);
	procedure_labels_init(&labels, &procedures);
	for (uint32_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		char *label = procedure_label(&labels, i);

		assert_string_equal(label, wanted[i]);
		free(label);
	}
	procedure_labels_deinit(&labels);
	procedures_deinit(&procedures);
}

static void no_procedure_has_a_label(void **state)
{
	struct procedures procedures = {0};
	struct procedure_labels labels;
	char *label;

	(void)state;
	procedure_labels_init(&labels, &procedures);
	label = procedure_label(&labels, NO_PROCEDURE);
	assert_string_equal(label, "<unknown>");
	free(label);
	procedure_labels_deinit(&labels);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_have_what_tells_them_apart),
		cmocka_unit_test(no_procedure_has_a_label),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
