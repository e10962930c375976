/*
 * fuzz_patch_modes.c - any bytes as a resource file, in XML or in JSON
 *
 * A mode's condition, value and label become parts of expressions. Whatever the
 * file has, they are made only of names, numbers and the operators that
 * patch_modes.c writes, and the parser of expressions takes them or refuses
 * them.
 */
#include <stdlib.h>
#include <string.h>

#include "operations/instrumentation/patch_modes.h"
#include "perftool/expr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_expression(const char *text)
{
	struct expr *expr = NULL;
	struct error *error;

	if (!text)
		return;
	for (const char *at = text; *at; at++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "abcdefghijklmnopqrstuvwxyz0123456789"
			    "_.->:[]*$ =!&",
			    *at))
			abort();
	error = expr_parse(text, &expr);
	if (!error)
		expr_destroy(expr);
	error_destroy(error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct patch_modes modes;
	struct error *error;
	struct str text = {0};
	size_t before;

	patch_modes_init(&modes);
	before = modes.list.count;
	str_append_n(&text, (const char *)data, size);
	error = patch_modes_parse(&modes, str_text(&text), text.length);
	/* An error changes nothing. */
	if (error && modes.list.count != before)
		abort();
	for (size_t i = 0; i < modes.list.count; i++) {
		const struct patch_mode *mode = &modes.list.data[i];

		if (patch_modes_find(&modes, mode->name) != mode)
			abort();
		check_expression(mode->condition);
		check_expression(mode->value);
		check_expression(mode->label);
	}
	error_destroy(error);
	str_deinit(&text);
	patch_modes_deinit(&modes);
	return 0;
}
