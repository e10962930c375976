/*
 * test_report_contention.c - waits for locks as text, JSON and CSV
 *
 * tier: core
 * covers: report/listings
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "golden.h"
#include "perftool/report/contention_table.h"

/* Three locks: a mutex with two waiters and two holders, a read-write lock on
 * the heap that readers hold, and a condition. */
struct example {
	struct contended_lock locks[3];
	struct contention_site sites[4];
	struct contention_thread threads[3];
	struct contention_thread readers;
	struct contention_lock rows[3];
	struct contention_report report;
};

static void make(struct example *out)
{
	static const struct lock_waiter waiters[] = {{.tid = 11,
						      .kind = LOCK_MUTEX,
						      .waits = 3,
						      .total = 9300000,
						      .max = 4000000},
						     {.tid = 12,
						      .kind = LOCK_RELOCK,
						      .waits = 1,
						      .total = 700000,
						      .max = 700000}};
	static const struct lock_holder holders[] = {
		{.tid = 10, .waits = 4, .holds = 2, .blocked = 9000000},
		{.tid = 11,
		 .holds = 3,
		 .blocked = 1500,
		 .known = 3,
		 .held = 6000,
		 .max_held = 3000}};
	static const struct lock_waiter writer = {.tid = 12,
						  .kind = LOCK_WRITE,
						  .waits = 1,
						  .total = 2000000,
						  .max = 2000000};
	static const struct lock_holder readers = {.tid = HELD_BY_READERS,
						   .waits = 1,
						   .holds = 1,
						   .blocked = 1990000};
	static const struct lock_waiter idle = {.tid = 11,
						.kind = LOCK_CONDITION,
						.waits = 1,
						.total = 5000000000,
						.max = 5000000000};

	*out = (struct example){
		.locks = {{.pid = 10,
			   .address = 0x4040,
			   .kind = LOCK_MUTEX,
			   .waits = 4,
			   .total = 10000000,
			   .max = 4000000},
			  {.pid = 10,
			   .address = 0x7f0000001000,
			   .kind = LOCK_WRITE,
			   .waits = 1,
			   .total = 2000000,
			   .max = 2000000},
			  {.pid = 10,
			   .address = 0x4080,
			   .kind = LOCK_CONDITION,
			   .waits = 1,
			   .total = 5000000000,
			   .max = 5000000000}},
		.sites = {{"transfer", "bank", "bank.c", 41},
			  {"audit", "bank", "bank.c", 77},
			  {"bank+0x1180", "bank", NULL, 0}},
		.threads = {{11, "clerk 1"}, {12, "clerk 2"}, {10, NULL}},
		.readers = {HELD_BY_READERS, NULL}};
	for (size_t i = 0; i < 2; i++) {
		vec_push(&out->locks[0].waiters, waiters[i]);
		vec_push(&out->locks[0].holders, holders[i]);
	}
	vec_push(&out->locks[1].waiters, writer);
	vec_push(&out->locks[1].holders, readers);
	vec_push(&out->locks[2].waiters, idle);
	/* the holders are thread 10, without a name, and clerk 1 */
	static struct contention_thread holder_threads[2];
	static const struct contention_site holder_sites[2] = {
		{"hold", "bank", "bank.c", 0},
		{"transfer", "bank", "bank.c", 0}};

	holder_threads[0] = out->threads[2];
	holder_threads[1] = out->threads[0];
	out->rows[0] = (struct contention_lock){&out->locks[0], "ledger",
						out->sites,     holder_sites,
						out->threads,   holder_threads};
	out->rows[1] = (struct contention_lock){
		&out->locks[1], "heap",           &out->sites[2],
		&out->sites[3], &out->threads[1], &out->readers};
	out->rows[2] = (struct contention_lock){&out->locks[2], "paid",
						&out->sites[1], NULL,
						out->threads,   NULL};
	out->report = (struct contention_report){.locks = out->rows,
						 .count = 3,
						 .open = 1,
						 .elapsed = 6000000000};
}

static void destroy(struct example *example)
{
	for (size_t i = 0; i < 3; i++) {
		vec_free(&example->locks[i].waiters);
		vec_free(&example->locks[i].holders);
	}
}

static void check(const char *name, enum report_format format,
		  const struct report_options *options)
{
	struct example example;
	struct str text = {0};

	make(&example);
	REPORT_AS(contention, &example.report, format, options, &text);
	golden_check(name, str_text(&text));
	str_deinit(&text);
	destroy(&example);
}

static void text_has_locks_waiters_and_holders(void **state)
{
	const struct report_options options = {0};

	(void)state;
	check("contention.txt", FORMAT_TEXT, &options);
}

static void a_narrow_terminal_has_fewer_columns(void **state)
{
	const struct report_options options = {.columns = 50, .top = 1};

	(void)state;
	check("contention_narrow.txt", FORMAT_TEXT, &options);
}

static void json_has_all_fields(void **state)
{
	const struct report_options options = {0};

	(void)state;
	check("contention.json", FORMAT_JSON, &options);
}

static void csv_has_a_row_for_each_thread(void **state)
{
	const struct report_options options = {0};

	(void)state;
	check("contention.csv", FORMAT_CSV, &options);
}

static void nothing_waited(void **state)
{
	const struct contention_report report = {.elapsed = 1000};
	const struct report_options options = {0};
	struct str text = {0};

	(void)state;
	report_contention_text(&report, &options, &text);
	assert_string_equal(
		str_text(&text),
		"- - - - - - - C O N T E N T I O N - - - - - - - - -\n"
		"In 1.00us, 0 waits for 0 locks.\n");
	str_deinit(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_has_locks_waiters_and_holders),
		cmocka_unit_test(a_narrow_terminal_has_fewer_columns),
		cmocka_unit_test(json_has_all_fields),
		cmocka_unit_test(csv_has_a_row_for_each_thread),
		cmocka_unit_test(nothing_waited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
