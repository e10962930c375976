/*
 * test_debuginfo_patterns.c - what makes a search quick must not lose a name
 *
 * A pattern's needles are looked for in mangled names before these are
 * demangled. With real libraries' names, and patterns made of them, the answer
 * is compared with that of a pattern that has none.
 *
 * usage: test_debuginfo_patterns [LIBRARY PATTERNS]
 *
 * tier: core
 * covers: debuginfo/symbols
 */
#include "debuginfo/symbols/symbols.h"
#include "debuginfo_samples.h"

static const char *library = "/usr/lib/x86_64-linux-gnu/libstdc++.so.6";
static unsigned patterns = 60;

/* Two patterns of one text, the second without needles. */
struct pair {
	struct pattern quick, plain;
};

static void make_pair(struct pair *pair, const char *text)
{
	pattern_init(&pair->quick, text);
	pattern_init(&pair->plain, text);
	while (pair->plain.needles.count)
		free(pair->plain.needles.data[--pair->plain.needles.count]);
}

static void free_pair(struct pair *pair)
{
	pattern_deinit(&pair->quick);
	pattern_deinit(&pair->plain);
}

static bool compare(const struct pair *pair, const char *name)
{
	bool matches = pattern_matches_mangled(&pair->plain, name);

	if (pattern_matches_mangled(&pair->quick, name) != matches)
		fail_msg("'%s' does not find %s", pair->quick.text, name);
	return matches;
}

static void compare_all(const struct symbols *symbols, const char *text)
{
	size_t step = symbols->count / 4000 + 1;
	struct pair pair;

	make_pair(&pair, text);
	for (size_t i = 0; i < symbols->count; i += step)
		if (is_mangled(symbols->list[i].name))
			compare(&pair, symbols->list[i].name);
	free_pair(&pair);
}

/* Is it found by a name of its own? */
static bool finds(const char *text, const char *name)
{
	struct pair pair;
	bool found;

	make_pair(&pair, text);
	found = compare(&pair, name);
	free_pair(&pair);
	return found;
}

static const struct symbols *open_library(struct debugfile **file)
{
	assert_null(debugfile_open(library, file));
	return file_symbols(*file);
}

/* All names of the library, whole: quick enough to be asked of each. */
static void each_name_finds_itself(void **state)
{
	struct debugfile *file;
	const struct symbols *symbols = open_library(&file);
	unsigned found = 0;

	(void)state;
	for (size_t i = 0; i < symbols->count; i++) {
		const char *name = symbols->list[i].name;
		char *whole =
			is_mangled(name) ? demangle_parameters(name) : NULL;
		char *plain = whole ? demangle_plain(name) : NULL;

		if (whole)
			found += finds(whole, name);
		if (plain)
			found += finds(plain, name);
		free(plain);
		free(whole);
	}
	assert_true(found > 1000);
	debugfile_close(file);
}

/* Pieces of names, as globs and as they are. */
static void needles_lose_no_name(void **state)
{
	struct debugfile *file;
	const struct symbols *symbols = open_library(&file);
	unsigned asked = 0;
	size_t step = symbols->count / patterns + 1;

	(void)state;
	for (size_t i = 0; i < symbols->count; i += step) {
		const char *name = symbols->list[i].name;
		char *plain = is_mangled(name) ? demangle_plain(name) : NULL;
		size_t length = plain ? strlen(plain) : 0;
		struct str glob = {0};

		if (!plain)
			continue;
		compare_all(symbols, plain);
		str_printf(&glob, "*%.*s*", (int)(length / 3 + 2),
			   plain + length / 3);
		compare_all(symbols, str_text(&glob));
		str_deinit(&glob);
		str_printf(&glob, "%.*s*", (int)(length / 2 + 1), plain);
		compare_all(symbols, str_text(&glob));
		str_deinit(&glob);
		str_printf(&glob, "*%s", plain + length - (length + 3) / 4);
		compare_all(symbols, str_text(&glob));
		str_deinit(&glob);
		free(plain);
		asked++;
	}
	assert_true(asked > 10);
	debugfile_close(file);
}

/* What a demangler writes in front of the name of a special function stands in
 * no mangled name. */
static void words_of_special_functions_are_no_needles(void **state)
{
	static const char *const cases[][2] = {
		{"*clone for std::length_error*",
		 "_ZGTtNSt12length_errorC1EPKc"},
		{"*for std::length_error*", "_ZGTtNSt12length_errorC1EPKc"},
		{"TLS init function for counter", "_ZTH7counter"},
		{"*TLS wrapper*counter", "_ZTW7counter"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (!finds(cases[i][0], cases[i][1]))
			fail_msg("%s does not find %s", cases[i][0],
				 cases[i][1]);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_name_finds_itself),
		cmocka_unit_test(needles_lose_no_name),
		cmocka_unit_test(words_of_special_functions_are_no_needles),
	};

	if (argc > 2) {
		library = argv[1];
		patterns = (unsigned)atoi(argv[2]);
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
