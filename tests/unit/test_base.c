/*
 * test_base.c - maps, vectors, strings, errors, values
 *
 * tier: core
 * covers: base
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/duration.h"
#include "perftool/base/error.h"
#include "perftool/base/hit.h"
#include "perftool/base/map.h"
#include "perftool/base/radix.h"
#include "perftool/base/str.h"
#include "perftool/base/vec.h"

/* ---- sorting --------------------------------------------------------- */

/* Keys of `bits` bits, few of them different: equal ones stay in order. */
static void check_radix_sort(size_t count, unsigned bits, uint64_t base)
{
	struct radix_key *keys = xcalloc(count + 1, sizeof(*keys));
	size_t seen = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t key = ((uint64_t)random() << 31 ^ (uint64_t)random()) &
			       ((1ULL << bits) - 1);

		keys[i] = (struct radix_key){base + key, (uint32_t)i};
	}
	radix_sort(keys, count);
	for (size_t i = 0; i < count; i++) {
		seen += keys[i].index;
		if (!i)
			continue;
		assert_true(keys[i - 1].key <= keys[i].key);
		if (keys[i - 1].key == keys[i].key)
			assert_true(keys[i - 1].index < keys[i].index);
	}
	assert_int_equal(seen, count ? count * (count - 1) / 2 : 0);
	free(keys);
}

static void radix_sort_sorts(void **state)
{
	static const size_t counts[] = {0, 1, 2, 31, 32, 33, 1000, 20000};
	static const unsigned bits[] = {0, 1, 8, 12, 27, 62};

	(void)state;
	srandom(1);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		for (size_t j = 0; j < sizeof(bits) / sizeof(*bits); j++) {
			check_radix_sort(counts[i], bits[j], 0);
			check_radix_sort(counts[i], bits[j], 1ULL << 63);
		}
}

/* ---- map ------------------------------------------------------------ */

#define KEYS 300

/* Random sets and removals against an array; few keys, so they collide. */
static void map_agrees_with_an_array(void **state)
{
	unsigned short seed[3] = {1, 1, 1};
	char *model[KEYS] = {0}, things[KEYS];
	struct map map = {0};
	size_t count = 0;

	(void)state;
	for (size_t i = 0; i < 100000; i++) {
		size_t key = (size_t)nrand48(seed) % KEYS;

		if (nrand48(seed) % 2) {
			count += !model[key];
			model[key] = &things[(size_t)nrand48(seed) % KEYS];
			map_set(&map, key << 40, model[key]);
		} else {
			assert_ptr_equal(map_remove(&map, key << 40),
					 model[key]);
			count -= model[key] != NULL;
			model[key] = NULL;
		}
		assert_int_equal(map.count, count);
		key = (size_t)nrand48(seed) % KEYS;
		assert_ptr_equal(map_get(&map, key << 40), model[key]);
	}
	map_deinit(&map);
}

/* Ever new keys, few at a time: tombstones must not make it grow. */
static void map_of_passing_keys_stays_small(void **state)
{
	struct map map = {0};
	char thing;

	(void)state;
	for (uint64_t i = 0; i < 100000; i++) {
		map_set(&map, i, &thing);
		if (i >= 8)
			assert_ptr_equal(map_remove(&map, i - 8), &thing);
	}
	assert_int_equal(map.count, 8);
	assert_in_range(map.capacity, 16, 64);
	map_deinit(&map);
}

static void map_visits_all(void **state)
{
	char things[100], seen[100] = {0};
	struct map map = {0};
	size_t cursor = 0;
	uint64_t key;
	char *thing;

	(void)state;
	assert_null(map_get(&map, 0));
	assert_null(map_remove(&map, 0));
	assert_null(map_next(&map, &cursor, &key));
	for (uint64_t i = 0; i < 100; i++)
		map_set(&map, i, &things[i]);
	cursor = 0;
	while ((thing = map_next(&map, &cursor, &key))) {
		assert_ptr_equal(thing, &things[key]);
		seen[key]++;
		if (key % 3 == 0) /* the one just returned may go */
			assert_ptr_equal(map_remove(&map, key), thing);
	}
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(seen[i], 1);
	assert_int_equal(map.count, 66);
	map_deinit(&map);
	assert_null(map_get(&map, 1));
}

static void map_copies_are_independent(void **state)
{
	struct map map = {0}, copy = {0};
	char things[100], other;

	(void)state;
	map_copy(&map, &copy);
	assert_int_equal(copy.count, 0);
	for (uint64_t i = 0; i < 100; i++)
		map_set(&map, i << 12, &things[i]);
	map_remove(&map, 0);
	map_copy(&map, &copy);
	/* what is done to one is not done to the other */
	map_set(&map, 1 << 12, &other);
	map_remove(&map, 2 << 12);
	assert_int_equal(copy.count, 99);
	for (uint64_t i = 1; i < 100; i++)
		assert_ptr_equal(map_get(&copy, i << 12), &things[i]);
	assert_null(map_get(&copy, 0));
	map_copy(&map, &copy);
	assert_ptr_equal(map_get(&copy, 1 << 12), &other);
	map_deinit(&map);
	map_deinit(&copy);
}

static void strmap_finds_what_was_set(void **state)
{
	struct strmap map = {0};
	char things[1000], key[16];
	const char *name;
	size_t cursor = 0, count = 0;

	(void)state;
	assert_null(strmap_get(&map, "nothing"));
	assert_null(strmap_next(&map, &cursor, &name));
	for (int i = 0; i < 1000; i++) {
		snprintf(key, sizeof(key), "key %d", i);
		strmap_set(&map, key, &things[i]);
	}
	strmap_set(&map, "key 7", &things[8]);
	strmap_set(&map, "", &things[9]);
	assert_ptr_equal(strmap_get(&map, "key 7"), &things[8]);
	assert_ptr_equal(strmap_get(&map, "key 999"), &things[999]);
	assert_ptr_equal(strmap_get(&map, ""), &things[9]);
	assert_null(strmap_get(&map, "key 1000"));
	cursor = 0;
	while (strmap_next(&map, &cursor, &name)) {
		assert_non_null(strmap_get(&map, name));
		count++;
	}
	assert_int_equal(count, 1001);
	strmap_deinit(&map);
}

/* ---- vec ------------------------------------------------------------ */

static void vec_pushes_and_removes(void **state)
{
	VEC(int) numbers = {0};

	(void)state;
	for (int i = 0; i < 1000; i++)
		vec_push(&numbers, i);
	assert_int_equal(numbers.count, 1000);
	vec_remove(&numbers, 999);
	vec_remove(&numbers, 0);
	vec_remove(&numbers, 499);
	assert_int_equal(numbers.count, 997);
	assert_int_equal(numbers.data[0], 1);
	assert_int_equal(numbers.data[498], 499);
	assert_int_equal(numbers.data[499], 501);
	assert_int_equal(numbers.data[996], 998);
	vec_clear(&numbers);
	assert_int_equal(numbers.count, 0);
	vec_push(&numbers, 5);
	assert_int_equal(numbers.data[0], 5);
	vec_free(&numbers);
	assert_null(numbers.data);
}

/* ---- str ------------------------------------------------------------ */

static void str_grows(void **state)
{
	struct str str = {0};
	char *taken;

	(void)state;
	assert_string_equal(str_text(&str), "");
	for (int i = 0; i < 1000; i++) {
		str_printf(&str, "%d", i % 10);
		str_append_char(&str, ',');
	}
	assert_int_equal(str.length, 2000);
	assert_int_equal(strlen(str_text(&str)), 2000);
	taken = str_take(&str);
	assert_int_equal(str.length, 0);
	assert_int_equal(strncmp(taken, "0,1,2,", 6), 0);
	free(taken);
	taken = str_take(&str);
	assert_string_equal(taken, "");
	free(taken);
	str_append_n(&str, "abcdef", 3);
	str_append(&str, "");
	assert_string_equal(str_text(&str), "abc");
	str_deinit(&str);
	assert_string_equal(str_text(&str), "");
}

static void str_recognizes_prefixes_and_globs(void **state)
{
	(void)state;
	assert_true(str_starts("monitor", "mon"));
	assert_true(str_starts("mon", "mon"));
	assert_false(str_starts("mo", "mon"));
	assert_false(str_starts("Monitor", "mon"));
	assert_true(str_starts_nocase("Monitor", "mON"));
	assert_true(str_equal("a", "a"));
	assert_false(str_equal("a", "A"));
	assert_true(str_is_glob("m*"));
	assert_true(str_is_glob("m[ab]"));
	assert_true(str_is_glob("m?"));
	assert_false(str_is_glob("malloc"));
}

static void str_distance_counts_edits(void **state)
{
	static const struct {
		const char *a, *b;
		size_t distance;
	} cases[] = {
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "abc", 0},
		{"abc", "abd", 1},
		{"abc", "acb", 1},
		{"malloc", "maloc", 1},
		{"kitten", "sitting", 3},
		{"ca", "abc", 3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(str_distance(cases[i].a, cases[i].b),
				 cases[i].distance);
		assert_int_equal(str_distance(cases[i].b, cases[i].a),
				 cases[i].distance);
	}
}

/* ---- error ---------------------------------------------------------- */

static struct error *fails(void)
{
	return error_create(ERROR_NOT_FOUND, "no function '%s'", "f");
}

static struct error *tries(bool *reached)
{
	TRY(NULL);
	*reached = true;
	TRY(fails());
	*reached = false;
	return NULL;
}

static void errors_keep_code_and_message(void **state)
{
	bool reached = false;
	struct error *error = tries(&reached);

	(void)state;
	assert_true(reached);
	assert_int_equal(error_code(error), ERROR_NOT_FOUND);
	assert_int_equal(error_errno(error), 0);
	assert_string_equal(error_message(error), "no function 'f'");
	error = error_prefix(error, "line %d", 3);
	assert_string_equal(error_message(error), "line 3: no function 'f'");
	assert_int_equal(error_code(error), ERROR_NOT_FOUND);
	error_destroy(error);
	error = error_system(ENOENT, "open %s", "x");
	assert_int_equal(error_code(error), ERROR_SYSTEM);
	assert_int_equal(error_errno(error), ENOENT);
	assert_string_equal(error_message(error),
			    "open x: No such file or directory");
	error_destroy(error);
	error_destroy(NULL);
}

static void first_error_is_kept_and_ignored_code_dropped(void **state)
{
	struct error *gone = error_create(ERROR_GONE, "first");
	struct error *other = error_create(ERROR_OTHER, "second");

	(void)state;
	assert_ptr_equal(error_first(NULL, gone), gone);
	assert_ptr_equal(error_first(gone, NULL), gone);
	assert_ptr_equal(error_first(gone, other), gone);
	assert_null(error_first(NULL, NULL));
	assert_ptr_equal(error_unless(gone, ERROR_OTHER), gone);
	assert_null(error_unless(gone, ERROR_GONE));
	assert_null(error_unless(NULL, ERROR_GONE));
}

/* ---- values --------------------------------------------------------- */

static void equal_values_are_equal_keys(void **state)
{
	const struct value none = {.kind = VALUE_NONE};

	(void)state;
	assert_true(value_equal(value_signed(5), value_unsigned(5)));
	assert_true(value_equal(value_signed(-5), value_signed(-5)));
	assert_false(value_equal(value_signed(-1), value_unsigned(UINT64_MAX)));
	assert_false(value_equal(value_unsigned(UINT64_MAX), value_signed(-1)));
	assert_true(value_equal(value_unsigned(UINT64_MAX),
				value_unsigned(UINT64_MAX)));
	assert_false(value_equal(value_signed(1), value_float(1)));
	assert_true(value_equal(value_float(0.0), value_float(-0.0)));
	assert_false(value_equal(value_float(NAN), value_float(NAN)));
	assert_false(value_equal(none, none));
	assert_false(value_equal(none, value_unsigned(0)));
}

static void values_have_their_text(void **state)
{
	const struct value none = {.kind = VALUE_NONE};
	char buffer[32];

	(void)state;
	assert_string_equal(value_format(none, buffer), "-");
	assert_string_equal(value_format(value_signed(INT64_MIN), buffer),
			    "-9223372036854775808");
	assert_string_equal(value_format(value_unsigned(UINT64_MAX), buffer),
			    "18446744073709551615");
	assert_string_equal(value_format(value_float(0.5), buffer), "0.5");
	assert_string_equal(value_format(value_float(0.1), buffer), "0.1");
	assert_string_equal(value_format(value_float(NAN), buffer), "nan");
	value_format(value_float(-1.0 / 3 * 1e-300), buffer);
	assert_true(strtod(buffer, NULL) == -1.0 / 3 * 1e-300);
}

static void strings_are_copied(void **state)
{
	CLEANUP(free_pointer) char *one = xstrdup("one");
	CLEANUP(free_pointer) char *two = xstrndup("twofold", 3);
	CLEANUP(free_pointer) char *three = xasprintf("%s-%d", "x", 3);

	(void)state;
	assert_string_equal(one, "one");
	assert_string_equal(two, "two");
	assert_string_equal(three, "x-3");
}

/* ---- durations ------------------------------------------------------ */

static void durations_are_described(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {{0, "0.0 ms"},
		     {3240000, "3.2 ms"},
		     {999949999, "999.9 ms"},
		     {999950000, "1.0 s"},
		     {22349900000, "22.3 s"}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct str text = {0};

		duration_describe(cases[i].ns, &text);
		assert_string_equal(str_text(&text), cases[i].text);
		str_deinit(&text);
	}
}

static void durations_are_parsed(void **state)
{
	uint64_t ns = 0;

	(void)state;
	assert_null(duration_parse("1.5h", &ns));
	assert_int_equal(ns, 5400000000000);
	assert_null(duration_parse("7", &ns));
	assert_int_equal(ns, 7000000000);
	assert_null(duration_parse("1h30m", &ns));
	assert_int_equal(ns, UINT64_C(5400000000000));
	assert_null(duration_parse("1s500ms", &ns));
	assert_int_equal(ns, 1500000000);
	assert_null(duration_parse("20us", &ns));
	assert_int_equal(ns, 20000);
	assert_null(duration_parse("1ns", &ns));
	assert_int_equal(ns, 1);
	for (const char *const *bad =
		     (const char *const[]){"", "s", "-1s", "1e400", "nan",
					   "1 s", "0s", "1d", "0x", "1h30",
					   "1h m", "m", NULL};
	     *bad; bad++) {
		struct error *error = duration_parse(*bad, &ns);

		if (!error)
			fail_msg("`%s' is taken for a duration", *bad);
		error_destroy(error);
	}
}

/* What is written is read as the same. */
static void written_durations_are_parsed_as_the_same(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {{1, "1ns"},
		     {20000, "20us"},
		     {1500000000, "1500ms"},
		     {7000000000, "7s"},
		     {90000000000, "90s"},
		     {7200000000000, "2h"}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct str text = {0};
		uint64_t ns = 0;

		duration_append(cases[i].ns, &text);
		assert_string_equal(str_text(&text), cases[i].text);
		assert_null(duration_parse(str_text(&text), &ns));
		assert_int_equal(ns, cases[i].ns);
		str_deinit(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(radix_sort_sorts),
		cmocka_unit_test(map_agrees_with_an_array),
		cmocka_unit_test(map_of_passing_keys_stays_small),
		cmocka_unit_test(map_visits_all),
		cmocka_unit_test(map_copies_are_independent),
		cmocka_unit_test(strmap_finds_what_was_set),
		cmocka_unit_test(vec_pushes_and_removes),
		cmocka_unit_test(str_grows),
		cmocka_unit_test(str_recognizes_prefixes_and_globs),
		cmocka_unit_test(str_distance_counts_edits),
		cmocka_unit_test(errors_keep_code_and_message),
		cmocka_unit_test(first_error_is_kept_and_ignored_code_dropped),
		cmocka_unit_test(equal_values_are_equal_keys),
		cmocka_unit_test(values_have_their_text),
		cmocka_unit_test(strings_are_copied),
		cmocka_unit_test(durations_are_described),
		cmocka_unit_test(durations_are_parsed),
		cmocka_unit_test(written_durations_are_parsed_as_the_same),
	};

	return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
