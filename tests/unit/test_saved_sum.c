/*
 * test_saved_sum.c - the sum of tables that were saved: nothing is lost on the
 * way from a file to the sum and to a file again, and parts add up exactly
 *
 * tier: core
 * covers: saved
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "perftool/base/str.h"
#include "perftool/report.h"
#include "perftool/saved.h"

static struct saved_tables *read_text(const char *text)
{
	char path[] = "/tmp/saved-XXXXXX";
	struct saved_tables *tables = NULL;
	int fd = mkstemp(path);
	struct error *error;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	error = saved_read(path, NULL, &tables);
	unlink(path);
	if (error)
		fail_msg("%s", error_message(error));
	return tables;
}

/* Writes the sum as JSON, and reads it again. */
static struct saved_tables *sum_again(struct saved_sum *sum)
{
	struct saved_tables *tables;
	struct str text = {0};

	report_json(saved_sum_tables(sum), &text);
	tables = read_text(str_text(&text));
	str_deinit(&text);
	return tables;
}

static void assert_near(double a, double b)
{
	if (isnan(a) && isnan(b))
		return;
	if (!(fabs(a - b) <= 1e-9 * fabs(a)))
		fail_msg("%.17g is not %.17g", a, b);
}

static void assert_same_leg(const struct saved_leg *a,
			    const struct saved_leg *b)
{
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->owner, b->owner);
	assert_string_equal(a->match, b->match);
	assert_true((a->counted == NULL) == (b->counted == NULL));
	if (a->counted)
		assert_string_equal(a->counted, b->counted);
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->ignored_from, b->ignored_from);
	assert_int_equal(a->ignored_to, b->ignored_to);
	assert_int_equal(a->unwound, b->unwound);
	assert_int_equal(a->discarded, b->discarded);
	assert_int_equal(a->open, b->open);
	assert_int_equal(a->interrupted, b->interrupted);
	assert_true(a->total == b->total);
	assert_true(a->has_cpu == b->has_cpu);
	assert_true(a->cpu == b->cpu);
	assert_int_equal(a->cpu_count, b->cpu_count);
	assert_true(a->below_resolution == b->below_resolution);
	assert_near(a->resolution, b->resolution);
	assert_near(a->min, b->min);
	assert_near(a->max, b->max);
	assert_near(a->mean, b->mean);
	assert_near(a->stddev, b->stddev);
	assert_near(a->p50, b->p50);
	assert_near(a->p99, b->p99);
	assert_int_equal(a->buckets.count, b->buckets.count);
	for (size_t i = 0; i < a->buckets.count; i++) {
		assert_near(a->buckets.data[i].from, b->buckets.data[i].from);
		assert_near(a->buckets.data[i].to, b->buckets.data[i].to);
		assert_int_equal(a->buckets.data[i].count,
				 b->buckets.data[i].count);
	}
}

#define HEAD                                                                   \
	"{\"schema\": 1, \"perftool\": \"0.1\", \"host\": \"%s\", "            \
	"\"program\": {\"path\": \"/bin/x\", \"args\": [\"a b\", \"c\"], "     \
	"\"pid\": 5, \"state\": \"exited\", \"exit_status\": 0}, "             \
	"\"clock\": {\"source\": \"tsc\", \"resolution_ns\": 10}, "            \
	"\"summary\": {\"elapsed_ns\": 1000, \"breaks\": 6}, "                 \
	"\"nodes\": [{\"id\": 3, \"kind\": \"entry\", \"location\": "          \
	"\"f\", \"count\": 4}, {\"id\": 7, \"kind\": \"return\", "             \
	"\"location\": \"f\", \"count\": 4}], \"legs\": ["
#define LEG_OF_TWO                                                             \
	"{\"id\": 0, \"name\": \"f\", \"from\": 3, \"to\": 7, "                \
	"\"owner\": \"key=x->y\", \"match\": \"nested\", \"count\": 2, "       \
	"\"total_ns\": 400, \"cpu_ns\": 350, \"mean_ns\": 200, "               \
	"\"min_ns\": 100, \"max_ns\": 300, \"stddev_ns\": "                    \
	"141.4213562373095, \"p50_ns\": 100, \"p99_ns\": 300, "                \
	"\"cpu_count\": 2, \"cpu_mean_ns\": 175, \"waiting_mean_ns\": 25, "    \
	"\"resolution_ns\": 2, \"counted\": \"program\", "                     \
	"\"buckets\": [[100, 101, 1], [300, 302, 1]]}"
#define LEG_OF_ONE                                                             \
	"{\"id\": 0, \"name\": \"f\", \"from\": 3, \"to\": 7, "                \
	"\"owner\": \"key=x->y\", \"match\": \"nested\", \"count\": 1, "       \
	"\"total_ns\": 800, \"cpu_ns\": 750, \"mean_ns\": 800, "               \
	"\"min_ns\": 800, \"max_ns\": 800, \"cpu_count\": 1, "                 \
	"\"cpu_mean_ns\": 750, \"waiting_mean_ns\": 50, "                      \
	"\"counted\": \"tool\", \"buckets\": [[800, 804, 1]]}"

static struct saved_tables *tables_of(const char *host, const char *legs)
{
	struct saved_tables *tables;
	struct str text = {0};

	str_printf(&text, HEAD, host);
	str_printf(&text, "%s]}", legs);
	tables = read_text(str_text(&text));
	str_deinit(&text);
	return tables;
}

static void one_is_itself(void **state)
{
	struct saved_sum *sum = saved_sum_create();
	struct saved_tables *one = tables_of("h", LEG_OF_TWO), *again;

	(void)state;
	saved_sum_add(sum, one);
	again = sum_again(sum);
	assert_same_leg(saved_find(one, "f", 0), saved_find(again, "f", 0));
	assert_string_equal(again->host, "h");
	assert_string_equal(again->program, "/bin/x");
	assert_int_equal(again->arguments.count, 2);
	assert_string_equal(again->arguments.data[0], "a b");
	assert_int_equal(again->exit_status, 0);
	assert_int_equal(again->elapsed, 1000);
	assert_int_equal(again->nodes.count, 2);
	assert_string_equal(again->nodes.data[1].kind, "return");
	assert_int_equal(again->nodes.data[1].count, 4);
	assert_int_equal(again->legs.data[0].from, again->nodes.data[0].id);
	assert_int_equal(again->legs.data[0].to, again->nodes.data[1].id);
	saved_destroy(again);
	saved_destroy(one);
	saved_sum_destroy(sum);
}

/* Executions of 100, 300, and 800 ns: the figures are those of the three. */
static void parts_add_up(void **state)
{
	struct saved_sum *sum = saved_sum_create();
	struct saved_tables *two = tables_of("h", LEG_OF_TWO), *all;
	struct saved_tables *one = tables_of("i", LEG_OF_ONE);
	const struct saved_leg *leg;

	(void)state;
	saved_sum_add(sum, two);
	saved_sum_add(sum, one);
	all = sum_again(sum);
	leg = saved_find(all, "f", 0);
	assert_int_equal(all->legs.count, 1);
	assert_int_equal(leg->count, 3);
	assert_true(leg->total == 1200);
	assert_true(leg->has_cpu && leg->cpu == 1100);
	assert_near(leg->min, 100);
	assert_near(leg->max, 800);
	assert_near(leg->mean, 400);
	assert_near(leg->stddev, 360.55512754639892);
	assert_near(leg->p50, 301);
	assert_near(leg->p99, 800);
	assert_near(leg->resolution, 4.0 / 3);
	assert_string_equal(leg->counted, "program, tool");
	assert_int_equal(leg->buckets.count, 3);
	assert_int_equal(all->elapsed, 2000);
	assert_int_equal(all->breaks, 12);
	assert_int_equal(all->nodes.data[0].count, 8);
	/* the machines differ */
	assert_null(all->host);
	assert_string_equal(all->version, "0.1");
	saved_destroy(all);
	saved_destroy(one);
	saved_destroy(two);
	saved_sum_destroy(sum);
}

static void equal_names_stay_apart(void **state)
{
	struct saved_sum *sum = saved_sum_create();
	struct saved_tables *both = tables_of("h", LEG_OF_TWO "," LEG_OF_ONE),
			    *all;

	(void)state;
	saved_sum_add(sum, both);
	saved_sum_add(sum, both);
	all = sum_again(sum);
	assert_int_equal(all->legs.count, 2);
	assert_int_equal(saved_find(all, "f", 0)->count, 4);
	assert_int_equal(saved_find(all, "f", 1)->count, 2);
	saved_destroy(all);
	saved_destroy(both);
	saved_sum_destroy(sum);
}

#define LEG_WITH(bound)                                                        \
	"{\"id\": 0, \"name\": \"f\", \"from\": 3, \"to\": 7, \"count\": 4, "  \
	"\"total_ns\": 40, \"resolution_ns\": 30, \"total_bound_ns\": " bound  \
	"}"
#define LEG_WITHOUT_EXECUTIONS                                                 \
	"{\"id\": 0, \"name\": \"f\", \"from\": 3, \"to\": 7, \"count\": 0, "  \
	"\"total_ns\": 0, \"total_bound_ns\": null}"

/* The sum of two legs, as it is read again. */
static double bound_of(const char *one, const char *two)
{
	struct saved_sum *sum = saved_sum_create();
	struct saved_tables *a = tables_of("h", one), *b = tables_of("h", two);
	struct saved_tables *all;
	double bound;

	saved_sum_add(sum, a);
	saved_sum_add(sum, b);
	all = sum_again(sum);
	bound = saved_find(all, "f", 0)->total_bound;
	saved_destroy(all);
	saved_destroy(b);
	saved_destroy(a);
	saved_sum_destroy(sum);
	return bound;
}

/* Bounds of totals are added up, if there are no others. */
static void bounds_add_up(void **state)
{
	(void)state;
	assert_near(bound_of(LEG_WITH("120"), LEG_WITH("100")), 220);
	assert_near(bound_of(LEG_WITH("120"), LEG_WITHOUT_EXECUTIONS), 120);
	assert_true(isnan(bound_of(LEG_WITH("120"), LEG_WITH("null"))));
	assert_true(isnan(bound_of(LEG_WITH("null"), LEG_WITH("120"))));
	assert_true(isnan(
		bound_of(LEG_WITHOUT_EXECUTIONS, LEG_WITHOUT_EXECUTIONS)));
}

static void nothing_is_written_too(void **state)
{
	struct saved_sum *sum = saved_sum_create();
	struct saved_tables *none = sum_again(sum);

	(void)state;
	assert_int_equal(none->legs.count, 0);
	saved_destroy(none);
	saved_sum_destroy(sum);
}

static struct saved_tables *read_made(const char *maker, const char *deleted)
{
	struct saved_tables *tables;
	struct str text = {0};

	str_printf(&text,
		   "{\"schema\": 1, \"nodes\": [{\"id\": 1, \"kind\": "
		   "\"entry\", \"location\": \"f\", \"count\": 1, "
		   "\"deleted\": %s, \"made_by\": \"%s\"}], \"legs\": "
		   "[{\"id\": 0, \"name\": \"f\", \"from\": 1, \"to\": "
		   "1, \"count\": 1, \"made_by\": \"%s\"}]}",
		   deleted, maker, maker);
	tables = read_text(str_text(&text));
	str_deinit(&text);
	return tables;
}

static void makers_are_kept(void **state)
{
	static const struct {
		const char *makers[2], *deleted[2];
		bool is_detail, is_deleted;
	} table[] = {
		{{"detail", "detail"}, {"true", "true"}, true, true},
		{{"detail", "detail"}, {"true", "false"}, true, false},
		{{"detail", "user"}, {"true", "true"}, false, true},
		{{"user", "user"}, {"false", "true"}, false, false},
		{{"user", "user"}, {"true", "true"}, false, true},
		{{"detail", "something"}, {"false", "false"}, false, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct saved_sum *sum = saved_sum_create();
		struct saved_tables *tables;

		for (size_t j = 0; j < 2; j++) {
			tables = read_made(table[i].makers[j],
					   table[i].deleted[j]);
			saved_sum_add(sum, tables);
			saved_destroy(tables);
		}
		tables = sum_again(sum);
		assert_int_equal(tables->nodes.data[0].made_by,
				 table[i].is_detail ? MADE_BY_DETAIL
						    : MADE_BY_USER);
		assert_int_equal(tables->legs.data[0].made_by,
				 tables->nodes.data[0].made_by);
		assert_int_equal(tables->nodes.data[0].deleted,
				 table[i].is_deleted);
		saved_destroy(tables);
		saved_sum_destroy(sum);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_is_itself),
		cmocka_unit_test(parts_add_up),
		cmocka_unit_test(equal_names_stay_apart),
		cmocka_unit_test(bounds_add_up),
		cmocka_unit_test(makers_are_kept),
		cmocka_unit_test(nothing_is_written_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
