/*
 * test_base_path.c - the path that a user means by a name
 *
 * tier: core
 * covers: base
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "perftool/base/path.h"

static void check(const char *name, const char *wanted)
{
	char *path = path_of_user(name);

	assert_string_equal(path, wanted);
	free(path);
}

static void a_tilde_is_the_home_directory(void **state)
{
	(void)state;
	setenv("HOME", "/home/ada", 1);
	check("~/x.json", "/home/ada/x.json");
	check("~/", "/home/ada/");
	check("~bob/x", "~bob/x");
	check("a~/x", "a~/x");
	check("~", "~");
	check("", "");
}

static void without_a_home_directory_the_name_stays(void **state)
{
	(void)state;
	setenv("HOME", "", 1);
	check("~/x.json", "~/x.json");
	unsetenv("HOME");
	check("~/x.json", "~/x.json");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tilde_is_the_home_directory),
		cmocka_unit_test(without_a_home_directory_the_name_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
