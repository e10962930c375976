/*
 * test_operations_patches.c - models of patches, the modes of resource files,
 * the types of classes, and who holds what front ends have asked for
 *
 * tier: core
 * covers: operations/classes operations/instrumentation
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <json-c/json.h>
#include <string.h>

#include "operations/classes/classes.h"
#include "operations/instrumentation/patch_model.h"
#include "operations/instrumentation/patch_modes.h"

/* ---- models -------------------------------------------------------------- */

static struct error *update(struct patch_model *model, const char *text)
{
	struct json_object *object = json_tokener_parse(text);
	struct error *error;

	assert_non_null(object);
	error = patch_model_update(model, object);
	json_object_put(object);
	return error;
}

static void changes(struct patch_model *model, const char *text)
{
	assert_null(update(model, text));
}

static size_t patches_of(const struct patch_model *model, const char *method)
{
	for (size_t i = 0; i < model->methods.count; i++)
		if (strcmp(model->methods.data[i].method, method) == 0)
			return model->methods.data[i].patches.count;
	return 0;
}

#define PATCH(what, mode) "{\"what\":\"" what "\",\"mode\":\"" mode "\"}"
#define FOR(class, method, how, patches)                                       \
	"{\"class\":\"" class "\",\"method\":\"" method "\",\"update\":\"" how \
			      "\",\"patch\":[" patches "]}"

static void add_keeps_what_does_not_conflict(void **state)
{
	struct patch_model model = {0};

	(void)state;
	changes(&model, FOR("a.c", "f", "ADD", PATCH("ENTER", "count")));
	changes(&model, FOR("a.c", "f", "ADD", PATCH("EXIT", "count")));
	assert_int_equal(patches_of(&model, "f"), 2);
	changes(&model, FOR("a.c", "f", "add", PATCH("enter", "time")));
	assert_int_equal(patches_of(&model, "f"), 2);
	assert_string_equal(model.methods.data[0].patches.data[0].mode, "time");
	changes(&model, FOR("a.c", "f", "ADD",
			    "{\"what\":\"CALL\",\"mode\":\"count\",\"when\":[{"
			    "\"case\":\"METHOD\",\"arg\":\"g\"}]}"));
	changes(&model, FOR("a.c", "f", "ADD",
			    "{\"what\":\"CALL\",\"mode\":\"count\",\"when\":[{"
			    "\"case\":\"METHOD\",\"arg\":\"h\"}]}"));
	assert_int_equal(patches_of(&model, "f"), 4);
	patch_model_deinit(&model);
}

static void new_discards(void **state)
{
	struct patch_model model = {0};

	(void)state;
	changes(&model, FOR("a.c", "f", "ADD", PATCH("ENTER", "count")));
	changes(&model, FOR("a.c", "g", "ADD", PATCH("ENTER", "count")));
	changes(&model, FOR("b.c", "h", "ADD", PATCH("ENTER", "count")));
	changes(&model, FOR("a.c", "f", "NEW", PATCH("EXIT", "count")));
	assert_int_equal(patches_of(&model, "f"), 1);
	changes(&model, FOR("a.c", "g", "NEW", ""));
	assert_int_equal(patches_of(&model, "g"), 0);
	assert_int_equal(model.methods.count, 2);
	changes(&model, FOR("a.c", "*", "NEW", ""));
	assert_false(patch_model_has(&model, "a.c"));
	assert_true(patch_model_has(&model, "b.c"));
	changes(&model, FOR("*", "*", "NEW", ""));
	assert_int_equal(model.methods.count, 0);
	patch_model_deinit(&model);
}

static void wrong_updates_change_nothing(void **state)
{
	static const char *const wrong[] = {
		FOR("*", "*", "ADD", PATCH("ENTER", "count")),
		FOR("a.c", "f", "OLD", PATCH("ENTER", "count")),
		FOR("a.c", "f", "NEW", PATCH("NOWHERE", "count")),
		FOR("a.c", "f", "NEW", "{\"what\":\"ENTER\"}"),
		FOR("a.c", "f", "NEW",
		    "{\"what\":\"CALL\",\"mode\":\"count\",\"when\":[{"
		    "\"case\":\"MOON\",\"arg\":\"g\"}]}"),
		"{\"method\":\"f\"}",
		"[]",
		"\"text\""};
	struct patch_model model = {0};

	(void)state;
	changes(&model, FOR("a.c", "f", "ADD", PATCH("ENTER", "count")));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct error *error = update(&model, wrong[i]);

		assert_non_null(error);
		error_destroy(error);
		assert_int_equal(patches_of(&model, "f"), 1);
	}
	patch_model_deinit(&model);
}

/* ---- modes --------------------------------------------------------------- */

static struct error *parse(struct patch_modes *modes, const char *text)
{
	return patch_modes_parse(modes, text, strlen(text));
}

static void four_modes_come_with_the_tool(void **state)
{
	static const char *const names[] = {"count", "time", "histogram",
					    "trace"};
	struct patch_modes modes;

	(void)state;
	patch_modes_init(&modes);
	assert_int_equal(modes.list.count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(patch_modes_find(&modes, names[i])->action, i);
	patch_modes_deinit(&modes);
}

static void modes_of_xml_and_json_are_the_same(void **state)
{
	static const char *const texts[] = {
		"<DYPATCH_MODE NAME='m' CONTEXT='c'><CODE TYPE='CALL' "
		"METHOD='histogram'><CONDITION TYPE='RETURN' RVALUE='NULL'/>"
		"<CONDITION TYPE='FIELD' LVALUE='size' RVALUE='7'/>"
		"<ARG TYPE='ARG' VALUE='2'/><ARG TYPE='CURTHREAD'/></CODE>"
		"</DYPATCH_MODE>",
		"{\"dypatch_mode\":[{\"name\":\"m\",\"code\":[{\"method\":"
		"\"histogram\",\"condition\":[{\"type\":\"return\",\"rvalue\":"
		"\"NULL\"},{\"type\":\"FIELD\",\"lvalue\":\"size\",\"rvalue\":7"
		"}],\"arg\":[{\"type\":\"ARG\",\"value\":2},{\"type\":"
		"\"CURTHREAD\"}]}]}]}"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct patch_modes modes = {0};
		const struct patch_mode *mode;

		assert_null(parse(&modes, texts[i]));
		mode = patch_modes_find(&modes, "m");
		assert_int_equal(mode->action, ACTION_HISTOGRAM);
		assert_string_equal(mode->condition,
				    "$ret == 0 && this->size == 7");
		assert_string_equal(mode->value, "$arg2");
		assert_string_equal(mode->label, "$tid");
		patch_modes_deinit(&modes);
	}
}

static void wrong_modes_are_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		"{",
		"[1]",
		"<DYPATCH/>",
		"<DYPATCH><DYPATCH_MODE/></DYPATCH>",
		"<DYPATCH><DYPATCH_MODE NAME='m'/></DYPATCH>",
		"<DYPATCH_MODE NAME='m'><CODE METHOD='fly'/></DYPATCH_MODE>",
		"<DYPATCH_MODE NAME='m'><CODE METHOD='count'><ARG TYPE='ARG' "
		"VALUE='7'/></CODE></DYPATCH_MODE>",
		"<DYPATCH_MODE NAME='m'><CODE METHOD='count'><ARG TYPE='LOCAL' "
		"VALUE='a;b'/></CODE></DYPATCH_MODE>",
		"<DYPATCH_MODE NAME='m'><CODE METHOD='count'><ARG TYPE='NULL'/>"
		"<ARG TYPE='NULL'/></CODE></DYPATCH_MODE>",
		"<DYPATCH_MODE NAME='m'><CODE METHOD='count'><CONDITION "
		"TYPE='CONTEXT' RVALUE='1'/></CODE></DYPATCH_MODE>",
		"<DYPATCH_MODE NAME='m'><CODE METHOD='count'>",
		"<DYPATCH><DYPATCH_EXTERNAL NAME='x'/></DYPATCH>",
		"<DYPATCH_MODE NAME='m' COLOUR='red'><CODE METHOD='count'/>"
		"</DYPATCH_MODE>",
		"<DYPATCH_MODE NAME='m'><CODE METHOD='count'><ARGS/></CODE>"
		"</DYPATCH_MODE>",
		"{\"file\":\"x\",\"dypatch_mode\":[{\"name\":\"m\",\"code\":[{"
		"\"method\":\"count\"}]}]}",
		"<!DOCTYPE a><DYPATCH/>"};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct patch_modes modes = {0};
		struct error *error = parse(&modes, wrong[i]);

		assert_non_null(error);
		assert_int_equal(modes.list.count, 0);
		error_destroy(error);
		patch_modes_deinit(&modes);
	}
}

/* ---- classes ------------------------------------------------------------- */

static enum class_type type_of(const struct class_table *table,
			       const char *source, const char *module_path)
{
	const struct class_names names = {.source = source,
					  .module = "libx.so",
					  .module_path = module_path};

	return class_table_type(table, &names);
}

static void the_most_specific_type_applies(void **state)
{
	struct class_table table;

	(void)state;
	class_table_init(&table);
	class_table_set(&table, "/usr/", true, CLASS_SYSTEM, 0);
	class_table_set(&table, "/usr/lib/", true, CLASS_IO, 0);
	assert_int_equal(type_of(&table, NULL, "/usr/a"), CLASS_SYSTEM);
	assert_int_equal(type_of(&table, NULL, "/usr/lib/a"), CLASS_IO);
	class_table_set(&table, "libx.so", false, CLASS_NORMAL, 0);
	assert_int_equal(type_of(&table, NULL, "/usr/lib/a"), CLASS_NORMAL);
	class_table_set(&table, "a.c", false, CLASS_SYSTEM_IO, 0);
	assert_int_equal(type_of(&table, "a.c", "/usr/lib/a"), CLASS_SYSTEM_IO);
	assert_int_equal(type_of(&table, "b.c", "/opt/a"), CLASS_NORMAL);
	class_table_deinit(&table);
}

static void a_package_removes_what_is_below(void **state)
{
	struct class_table table;
	size_t builtin;

	(void)state;
	class_table_init(&table);
	builtin = table.list.count;
	class_table_set(&table, "/a/b", true, CLASS_IO, 0);
	class_table_set(&table, "/a/b/c", false, CLASS_IO, 0);
	class_table_set(&table, "/b", true, CLASS_IO, 0);
	class_table_set(&table, "/a/", true, CLASS_SYSTEM, 0);
	assert_int_equal(table.list.count, builtin + 2);
	class_table_clear(&table, CLASS_IO);
	assert_int_equal(table.list.count, builtin + 1);
	class_table_set(&table, "/d", true, CLASS_SYSTEM_IO, 0);
	class_table_clear(&table, CLASS_IO);
	assert_int_equal(table.list.count, builtin + 1);
	class_table_clear(&table, 0);
	assert_int_equal(table.list.count, builtin);
	class_table_deinit(&table);
}

static void what_is_own_goes(void **state)
{
	struct class_table table;
	size_t builtin;

	(void)state;
	class_table_init(&table);
	builtin = table.list.count;
	class_table_set(&table, "a.c", false, CLASS_IO, 1);
	class_table_set(&table, "b.c", false, CLASS_IO, 2);
	class_table_set(&table, "c.c", false, CLASS_IO, 0);
	class_table_forget(&table, 1);
	class_table_forget(&table, 3);
	assert_int_equal(table.list.count, builtin + 2);
	class_table_deinit(&table);
}

static void the_last_holder_lets_go(void **state)
{
	struct holders holders = {0};

	(void)state;
	holders_add(&holders, 1);
	holders_add(&holders, 2);
	holders_add(&holders, 1);
	assert_false(holders_drop(&holders, 3));
	assert_false(holders_drop(&holders, 1));
	assert_true(holders_drop(&holders, 2));
	holders_add(&holders, 1);
	holders_add(&holders, 0);
	assert_false(holders_drop(&holders, 1));
	holders_deinit(&holders);
}

static void types_have_names(void **state)
{
	enum class_type type;

	(void)state;
	assert_true(class_type_parse("system_io", &type));
	assert_int_equal(type, CLASS_SYSTEM_IO);
	assert_string_equal(class_type_name(CLASS_IO), "IO");
	assert_false(class_type_parse("", &type));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(add_keeps_what_does_not_conflict),
		cmocka_unit_test(new_discards),
		cmocka_unit_test(wrong_updates_change_nothing),
		cmocka_unit_test(four_modes_come_with_the_tool),
		cmocka_unit_test(modes_of_xml_and_json_are_the_same),
		cmocka_unit_test(wrong_modes_are_refused),
		cmocka_unit_test(the_most_specific_type_applies),
		cmocka_unit_test(a_package_removes_what_is_below),
		cmocka_unit_test(what_is_own_goes),
		cmocka_unit_test(the_last_holder_lets_go),
		cmocka_unit_test(types_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
