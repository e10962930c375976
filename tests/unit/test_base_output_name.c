/*
 * test_base_output_name.c - names of files with %p, %h and %r, and the ranks
 * that launchers give
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
#include <string.h>

#include "perftool/base/output_name.h"
#include "perftool/base/rank.h"
#include "perftool/base/str.h"

static const struct name_parts all = {.pid = 12, .host = "node/7", .rank = 0};
static const struct name_parts none = {.rank = RANK_NONE};

static void check_name(const char *name, const char *wanted)
{
	char *path = NULL;

	assert_null(output_name_expand(name, &all, &path));
	assert_string_equal(path, wanted);
	free(path);
}

static void a_name_gets_its_parts(void **state)
{
	(void)state;
	check_name("", "");
	check_name("r.json", "r.json");
	check_name("%p", "12");
	check_name("a-%r/%h.%p.json", "a-0/node_7.12.json");
	check_name("100%%-%%p", "100%-%p");
}

static void check_error(const char *name, const struct name_parts *parts,
			const char *part)
{
	char *path = NULL;
	struct error *error = output_name_expand(name, parts, &path);

	assert_non_null(error);
	assert_null(path);
	assert_non_null(strstr(error_message(error), part));
	assert_non_null(strstr(error_message(error), name));
	error_destroy(error);
}

static void what_is_not_known_is_an_error(void **state)
{
	(void)state;
	check_error("r-%r", &none, "OMPI_COMM_WORLD_RANK");
	check_error("r-%p", &none, "`%p'");
	check_error("r-%h", &none, "`%h'");
	check_error("r-%x", &all, "`%x' stands for nothing");
	check_error("r-%x", &all, "%p (the number");
	check_error("50%", &all, "`%' stands for nothing");
}

static void a_pid_in_a_name_is_found(void **state)
{
	(void)state;
	assert_true(output_name_has_pid("%p"));
	assert_true(output_name_has_pid("%%%p"));
	assert_false(output_name_has_pid("%%p"));
	assert_false(output_name_has_pid("p%"));
	assert_false(output_name_has_pid(""));
}

#define RANK_IN(text) rank_in(text, sizeof(text) - 1)

static void the_launcher_tells_the_rank(void **state)
{
	(void)state;
	assert_int_equal(RANK_IN(""), RANK_NONE);
	assert_int_equal(RANK_IN("HOME=/\0"), RANK_NONE);
	for (size_t i = 0; rank_variable(i); i++) {
		struct str text = {0};

		str_printf(&text, "HOME=/%c%s=17%c", '\0', rank_variable(i),
			   '\0');
		assert_int_equal(rank_in(str_text(&text), text.length), 17);
		str_deinit(&text);
	}
	/* mpirun in a job of Slurm */
	assert_int_equal(RANK_IN("SLURM_PROCID=0\0OMPI_COMM_WORLD_RANK=5\0"),
			 5);
	assert_int_equal(RANK_IN("XPMI_RANK=3\0PMI_RANKS=4\0"), RANK_NONE);
	/* the environment was cut off */
	assert_int_equal(RANK_IN("PMI_RANK=3"), 3);
}

static void what_is_no_number_is_no_rank(void **state)
{
	(void)state;
	assert_int_equal(RANK_IN("PMI_RANK=\0"), RANK_NONE);
	assert_int_equal(RANK_IN("PMI_RANK=x\0"), RANK_NONE);
	assert_int_equal(RANK_IN("PMI_RANK=-1\0"), RANK_NONE);
	assert_int_equal(RANK_IN("PMI_RANK=1x\0"), RANK_NONE);
	/* PMIx writes "all ranks" so */
	assert_int_equal(RANK_IN("PMIX_RANK=4294967294\0SLURM_PROCID=2\0"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_gets_its_parts),
		cmocka_unit_test(what_is_not_known_is_an_error),
		cmocka_unit_test(a_pid_in_a_name_is_found),
		cmocka_unit_test(the_launcher_tells_the_rank),
		cmocka_unit_test(what_is_no_number_is_no_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
