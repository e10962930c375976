/*
 * test_session_settings.c - the table of settings: what each entry must have,
 * and that `set`, `show` and the tables go by it
 *
 * tier: core
 * covers: session/settings
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <ctype.h>
#include <string.h>

#include "perftool/base/str.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/session/measurements.h"
#include "perftool/session/session_settings.h"
#include "perftool/session/user_interface.h"
#include "session/settings/settings.h"

static void ignore(void *context, const char *text)
{
	(void)context;
	(void)text;
}

static const struct session_ui ui = {.note = ignore};

static void assert_value(struct session *session,
			 const struct session_setting *setting,
			 const char *expected)
{
	struct str value = {0};

	setting_value(session, setting, &value);
	assert_string_equal(str_text(&value), expected);
	str_deinit(&value);
}

/* The next one of the words, which are parted by `|`; false: there is none. */
static bool next_word(const char **words, struct str *out)
{
	size_t length = strcspn(*words, "|");

	str_deinit(out);
	str_append_n(out, *words, length);
	*words += length + ((*words)[length] == '|');
	return length != 0;
}

static bool is_of_words(const struct session_setting *setting)
{
	return setting->type == SETTING_SWITCH ||
	       setting->type == SETTING_CHOICE;
}

/* ---- the entries ----------------------------------------------------------
 */

static void each_setting_has_a_summary(void **state)
{
	const struct session_setting *at;

	(void)state;
	for (size_t i = 0; (at = session_setting_at(i)); i++) {
		if (!at->summary || !*at->summary)
			fail_msg("%s has no summary", at->name);
		if (strchr(at->summary, '\n') || strlen(at->summary) > 120)
			fail_msg("the summary of %s is too long", at->name);
		if (!isalpha((unsigned char)*at->summary) ||
		    strchr(".:;,", at->summary[strlen(at->summary) - 1]))
			fail_msg("the summary of %s is no clause", at->name);
		assert_true(!at->help || *at->help);
		assert_non_null(at->values);
	}
	assert_true(session_setting_at(0) != NULL);
}

/* `help set` and completion show them in this order. */
static void names_of_settings_are_sorted(void **state)
{
	const struct session_setting *at, *before = NULL;

	(void)state;
	for (size_t i = 0; (at = session_setting_at(i)); i++) {
		assert_true(!before || strcmp(before->name, at->name) < 0);
		before = at;
	}
}

/* The entries that other commands set come behind those of `set NAME VALUE`,
 * which looks no further. No name occurs twice. */
static void settings_of_other_commands_come_last(void **state)
{
	bool is_behind = false;

	(void)state;
	for (const struct session_setting *at = session_settings; at->name;
	     at++) {
		is_behind |= at->set_by != NULL;
		assert_true(is_behind == (at->set_by != NULL));
		for (const struct session_setting *other = at + 1; other->name;
		     other++)
			assert_string_not_equal(at->name, other->name);
	}
	assert_true(is_behind);
}

/* The value is in a member, or two functions have it. */
static void each_setting_has_a_value(void **state)
{
	(void)state;
	for (const struct session_setting *at = session_settings; at->name;
	     at++) {
		bool is_text = at->type == SETTING_TEXT;
		int ways = (at->field.size != 0) + (at->get != NULL) +
			   (at->get_text != NULL);

		assert_int_equal(ways, 1);
		assert_true(is_text == (at->get_text != NULL));
		if (!at->set_by)
			assert_true(at->field.size || at->set || at->set_text);
	}
}

/* What a new session has is the value that the table says, and `set` accepts
 * it. */
static void each_setting_accepts_its_initial_value(void **state)
{
	struct session *session = session_create(&ui);

	(void)state;
	for (const struct session_setting *at = session_settings; at->name;
	     at++) {
		struct str first = {0};
		int64_t parsed = -1;

		if (at->type == SETTING_TEXT)
			continue;
		setting_append(at, at->initial, &first);
		assert_value(session, at, str_text(&first));
		assert_null(setting_parse(at, str_text(&first), &parsed));
		assert_int_equal(parsed, at->initial);
		if (!at->set_by)
			assert_null(session_set(session, at->name,
						str_text(&first)));
		assert_value(session, at, str_text(&first));
		str_deinit(&first);
	}
	session_destroy(session);
}

/* ---- set ------------------------------------------------------------------
 */

static void each_setting_accepts_each_of_its_words(void **state)
{
	struct session *session = session_create(&ui);
	const struct session_setting *at;
	struct str word = {0};

	(void)state;
	for (size_t i = 0; (at = session_setting_at(i)); i++) {
		const char *words = at->values;

		while (is_of_words(at) && next_word(&words, &word)) {
			assert_null(session_set(session, at->name,
						str_text(&word)));
			assert_value(session, at, str_text(&word));
		}
	}
	str_deinit(&word);
	session_destroy(session);
}

static void assert_refused(struct session *session,
			   const struct session_setting *setting,
			   const char *text)
{
	struct error *error = session_set(session, setting->name, text);

	assert_non_null(error);
	assert_int_equal(error_code(error), ERROR_USAGE);
	if (!strstr(error_message(error), setting->name) ||
	    !strstr(error_message(error), setting->values) ||
	    !strstr(error_message(error), text))
		fail_msg("%s", error_message(error));
	error_destroy(error);
}

/* The refusal names the setting, what it may be, and what was typed; and
 * nothing has changed. */
static void each_setting_refuses_a_wrong_word(void **state)
{
	struct session *session = session_create(&ui);
	const struct session_setting *at;

	(void)state;
	for (size_t i = 0; (at = session_setting_at(i)); i++) {
		struct str before = {0};

		if (!is_of_words(at))
			continue;
		setting_value(session, at, &before);
		assert_refused(session, at, "wrong");
		assert_refused(session, at, "");
		assert_refused(session, at, at->values);
		assert_value(session, at, str_text(&before));
		str_deinit(&before);
	}
	session_destroy(session);
}

/* A command of its own sets it, or nobody does. */
static void set_refuses_settings_of_other_commands(void **state)
{
	struct session *session = session_create(&ui);

	(void)state;
	for (const struct session_setting *at = session_settings; at->name;
	     at++) {
		struct error *error;

		if (!at->set_by)
			continue;
		error = session_set(session, at->name, "on");
		assert_non_null(error);
		assert_non_null(strstr(error_message(error), "no setting '"));
		error_destroy(error);
	}
	session_destroy(session);
}

static void assert_number(const struct session_setting *setting,
			  const char *text, int64_t expected)
{
	int64_t number = -1;

	assert_null(setting_parse(setting, text, &number));
	assert_int_equal(number, expected);
}

static void assert_no_number(const struct session_setting *setting,
			     const char *text, const char *message)
{
	int64_t number = -1;
	struct error *error = setting_parse(setting, text, &number);

	assert_non_null(error);
	assert_string_equal(error_message(error), message);
	assert_int_equal(number, -1);
	error_destroy(error);
}

static void settings_of_numbers_have_a_range(void **state)
{
	static const struct session_setting depth = {.name = "depth",
						     .type = SETTING_NUMBER,
						     .values = "NUMBER",
						     .least = 2,
						     .most = 64},
					    rows = {.name = "rows",
						    .type = SETTING_NUMBER,
						    .values = "NUMBER",
						    .most = 9,
						    .zero = "all"};
	struct str text = {0};

	(void)state;
	assert_number(&depth, "2", 2);
	assert_number(&depth, "64", 64);
	assert_no_number(&depth, "65",
			 "depth is a number from 2 to 64, not '65'");
	assert_no_number(&depth, "1",
			 "depth is a number from 2 to 64, not '1'");
	assert_no_number(&depth, "7x",
			 "depth is a number from 2 to 64, not '7x'");
	assert_no_number(&depth, "", "depth is a number from 2 to 64, not ''");
	assert_no_number(&depth, "99999999999999999999",
			 "depth is a number from 2 to 64, not "
			 "'99999999999999999999'");
	assert_number(&rows, "all", 0);
	assert_number(&rows, "9", 9);
	assert_no_number(&rows, "none",
			 "rows is a number from 0 to 9, or all, not 'none'");
	setting_append(&rows, 0, &text);
	setting_append(&rows, 8, &text);
	assert_string_equal(str_text(&text), "all8");
	str_deinit(&text);
}

static void settings_of_durations_have_a_range(void **state)
{
	static const struct session_setting wait = {.name = "wait",
						    .type = SETTING_DURATION,
						    .values = "DURATION",
						    .least = 1000000,
						    .most = 60000000000,
						    .zero = "never"};
	struct str text = {0};

	(void)state;
	assert_number(&wait, "20ms", 20000000);
	assert_number(&wait, "1m", 60000000000);
	assert_number(&wait, "never", 0);
	assert_no_number(
		&wait, "2m",
		"wait is a duration from 1ms to 1m, or never, not '2m'");
	assert_no_number(
		&wait, "soon",
		"wait is a duration from 1ms to 1m, or never, not 'soon'");
	setting_append(&wait, 1500000000, &text);
	setting_append(&wait, 0, &text);
	assert_string_equal(str_text(&text), "1500msnever");
	str_deinit(&text);
}

static void settings_of_decimals_have_a_range(void **state)
{
	static const struct session_setting share = {.name = "share",
						     .type = SETTING_DECIMAL,
						     .values = "FRACTION",
						     .most = 1000000};
	static const char *const wrong[] = {"1.01", "-0.1", "",    "x",
					    "0.5x", "nan",  "inf", "1e300"};
	struct str text = {0};

	(void)state;
	assert_number(&share, "0", 0);
	assert_number(&share, "1", 1000000);
	assert_number(&share, "0.05", 50000);
	assert_number(&share, "5e-2", 50000);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		int64_t number = -1;
		struct error *error = setting_parse(&share, wrong[i], &number);

		assert_non_null(error);
		assert_non_null(strstr(error_message(error),
				       "share is a number from 0 to 1, not"));
		assert_int_equal(number, -1);
		error_destroy(error);
	}
	setting_append(&share, 50000, &text);
	str_append_char(&text, ' ');
	setting_append(&share, 1000000, &text);
	assert_string_equal(str_text(&text), "0.05 1");
	str_deinit(&text);
}

/* The word order of a choice is that of the enumeration that it sets. */
static void words_of_settings_match_their_enumerations(void **state)
{
	struct session *session = session_create(&ui);

	(void)state;
	assert_null(session_set(session, "affinity", "off"));
	assert_int_equal(session->affinity, AFFINITY_OFF);
	assert_null(session_set(session, "conditions", "name"));
	assert_int_equal(session->conditions, CONDITIONS_NAME);
	assert_null(session_set(session, "detail", "auto"));
	assert_int_equal(session->detail, DETAIL_AUTO);
	assert_null(session_set(session, "cpu-time", "off"));
	assert_int_equal(session->cpu_time, CPU_TIME_OFF);
	assert_null(session_set(session, "format", "csv"));
	assert_int_equal(session_format(session), FORMAT_CSV);
	assert_null(session_set(session, "match", "outermost"));
	assert_int_equal(session->match, MATCH_OUTERMOST);
	assert_null(session_set(session, "mechanism", "int3"));
	assert_int_equal(session->mechanism, MECHANISM_INT3);
	assert_null(session_set(session, "owner", "goroutine"));
	assert_int_equal(session->owner, OWNER_GOROUTINE);
	assert_false(session->owner_adapts);
	assert_null(session_set(session, "owner", "auto"));
	assert_int_equal(session->owner, OWNER_THREAD);
	assert_true(session->owner_adapts);
	assert_null(session_set(session, "columns", "memo"));
	assert_string_equal(session_columns(session), "memo");
	assert_null(session_set(session, "columns", "id,name,p99"));
	assert_string_equal(session_columns(session), "id,name,p99");
	assert_null(session_set(session, "pending", "on"));
	assert_true(session->pending);
	assert_null(session_set(session, "exit-kill", "off"));
	assert_false(session->exit_kill);
	session_destroy(session);
}

/* ---- show, and the tables --------------------------------------------------
 */

static void show_has_a_line_of_each_setting(void **state)
{
	struct session *session = session_create(&ui);
	struct str all = {0}, each = {0};

	(void)state;
	assert_null(session_show(session, NULL, &all));
	for (const struct session_setting *at = session_settings; at->name;
	     at++)
		assert_null(session_show(session, at->name, &each));
	assert_string_equal(str_text(&all), str_text(&each));
	str_deinit(&each);
	assert_null(session_show(session, "follow", &each));
	assert_string_equal(str_text(&each),
			    "follow fork   on\nfollow exec   on\n");
	str_deinit(&all);
	str_deinit(&each);
	session_destroy(session);
}

static void tables_have_each_setting(void **state)
{
	struct session *session = session_create(&ui);
	const struct tables *tables = session_tables(session);
	size_t count = 0;

	(void)state;
	for (const struct session_setting *at = session_settings; at->name;
	     at++) {
		if (at->is_left_out)
			continue;
		assert_true(count < tables->setting_count);
		assert_string_equal(tables->settings[count].name, at->name);
		assert_value(session, at, tables->settings[count].value);
		count++;
	}
	assert_int_equal(count, tables->setting_count);
	session_destroy(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_setting_has_a_summary),
		cmocka_unit_test(names_of_settings_are_sorted),
		cmocka_unit_test(settings_of_other_commands_come_last),
		cmocka_unit_test(each_setting_has_a_value),
		cmocka_unit_test(each_setting_accepts_its_initial_value),
		cmocka_unit_test(each_setting_accepts_each_of_its_words),
		cmocka_unit_test(each_setting_refuses_a_wrong_word),
		cmocka_unit_test(set_refuses_settings_of_other_commands),
		cmocka_unit_test(settings_of_numbers_have_a_range),
		cmocka_unit_test(settings_of_durations_have_a_range),
		cmocka_unit_test(settings_of_decimals_have_a_range),
		cmocka_unit_test(words_of_settings_match_their_enumerations),
		cmocka_unit_test(show_has_a_line_of_each_setting),
		cmocka_unit_test(tables_have_each_setting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
