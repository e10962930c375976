/*
 * test_report_flat.c - the three listings of a flat profile as text
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
#include "perftool/report/flat_listing.h"
#include "perftool/report/profile_files.h"

/* Add ticks of one procedure, which was called by another one. */
static void add_ticks(struct call_stacks *stacks, const char *name,
		      const char *module, const char *caller, bool is_delayed,
		      uint64_t ticks)
{
	const struct procedure procedures[] = {
		{.name = name, .module = module},
		{.name = caller, .module = "spin_kernel.sys"}};
	uint32_t places[2];

	for (size_t i = 0; i < 2; i++)
		places[i] = call_stacks_place(
			stacks,
			&(struct call_place){
				.procedure = procedures_number(
					&stacks->procedures, &procedures[i])});
	call_stacks_add(stacks,
			&(struct call_sample){.stack = call_stacks_stack(
						      stacks, places, 2, false),
					      .is_delayed = is_delayed,
					      .weight = ticks});
}

/* The sample of SPIN's documentation. Its first six rows are 57,543 of 57,672
 * ticks; the others are not told. Those of RestoreInterruptLevel were
 * delayed. */
static void seed_init(struct call_stacks *stacks)
{
	static const struct {
		const char *name;
		uint64_t ticks;
	} rows[] = {{"scc_putc", 47072},
		    {"MachineCPUPrivate__SetInterruptLevel", 788},
		    {"Thread__Idle", 476},
		    {"sccputc", 31},
		    {"prf", 30},
		    {"bcopy", 29},
		    {"RTHooks__LockMutex", 28},
		    {"RTHooks__UnlockMutex", 27},
		    {"pmap_zero_page", 26},
		    {"microtime", 19}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		add_ticks(stacks, rows[i].name, "spin_kernel.sys", "main",
			  false, rows[i].ticks);
	add_ticks(stacks, "swap_ipl", "spin_kernel.sys",
		  "MachineCPUPrivate__RestoreInterruptLevel", true, 9146);
}

static void listing_of(const struct call_stacks *stacks, bool describes,
		       int columns, struct str *out)
{
	struct flat_profile profile = {0};

	flat_profile_make(stacks, &profile);
	report_flat_text(
		&(struct flat_report){.profile = &profile,
				      .procedures = &stacks->procedures,
				      .tick = 1000000,
				      .describes = describes},
		&(struct report_options){.columns = columns}, out);
	flat_profile_deinit(&profile);
}

static void the_seed_sample_has_its_form(void **state)
{
	struct call_stacks stacks = {0};
	struct str text = {0};

	(void)state;
	seed_init(&stacks);
	listing_of(&stacks, true, 0, &text);
	golden_check("flat-seed.txt", str_text(&text));
	/* as it stands in SPIN's documentation */
	assert_non_null(strstr(
		str_text(&text),
		"Count   Percent         Procedure\n"
		"-----   -------         ---------\n"
		"47072   81.62           scc_putc\n"
		"9146    15.86           "
		"MachineCPUPrivate__RestoreInterruptLevel\n"
		"788     1.37            MachineCPUPrivate__SetInterruptLevel\n"
		"476     0.83            Thread__Idle\n"
		"31      0.05            sccputc\n"
		"30      0.05            prf\n"));
	str_deinit(&text);
	call_stacks_deinit(&stacks);
}

static void json_and_csv_are_as_in_the_golden_files(void **state)
{
	const struct profile_measurement measurement = {.kind = "profile",
							.watch = "cpu",
							.rate = 1000,
							.elapsed = 57671000000,
							.ticks = 57671,
							.missed = 3};
	struct flat_profile profile = {0};
	struct call_stacks stacks = {0};
	struct flat_report report = {.profile = &profile,
				     .procedures = &stacks.procedures,
				     .tick = 1000000,
				     .measurement = &measurement};
	struct str text = {0};

	(void)state;
	seed_init(&stacks);
	flat_profile_make(&stacks, &profile);
	report_flat_json(&report, &text);
	golden_check("flat.json", str_text(&text));
	str_deinit(&text);
	report_flat_csv(&report, &text);
	golden_check("flat.csv", str_text(&text));
	str_deinit(&text);
	flat_profile_deinit(&profile);
	call_stacks_deinit(&stacks);
}

static void the_description_is_left_out_the_second_time(void **state)
{
	struct call_stacks stacks = {0};
	struct str first = {0}, second = {0};

	(void)state;
	seed_init(&stacks);
	listing_of(&stacks, true, 0, &first);
	listing_of(&stacks, false, 0, &second);
	assert_true(first.length > second.length);
	assert_string_equal(str_text(&first) + first.length - second.length,
			    str_text(&second));
	assert_memory_equal(str_text(&second), "57,672 ticks of 1.00ms, 9,146",
			    29);
	str_deinit(&first);
	str_deinit(&second);
	call_stacks_deinit(&stacks);
}

/* Two procedures of one name have their modules, and names are cut at a
 * terminal. Long counts move the columns. Nothing of a name reaches the
 * terminal as a control character. */
static void names_are_told_apart_and_cut(void **state)
{
	static const char longest[] =
		"a_name_that_is_too_long_for_a_terminal_of_eighty_columns_and_"
		"for_one_of_a_hundred_columns";
	struct call_stacks stacks = {0};
	struct str text = {0};

	(void)state;
	add_ticks(&stacks, "sort", "program", "main", false, 12345678901);
	add_ticks(&stacks, "sort", "libc.so.6", "main", false, 5);
	add_ticks(&stacks, longest, "program", "main", false, 4);
	add_ticks(&stacks, "evil\033[31m\nname", "program", "main", false, 3);
	listing_of(&stacks, false, 80, &text);
	golden_check("flat-names.txt", str_text(&text));
	str_deinit(&text);
	listing_of(&stacks, false, 0, &text);
	assert_non_null(strstr(str_text(&text), longest));
	assert_null(strstr(str_text(&text), "too narrow"));
	str_deinit(&text);
	call_stacks_deinit(&stacks);
}

static void no_line_is_wider_than_the_terminal(void **state)
{
	struct call_stacks stacks = {0};

	(void)state;
	seed_init(&stacks);
	for (int columns = 80; columns > 50; columns--) {
		struct str text = {0};
		size_t width = 0;

		listing_of(&stacks, false, columns, &text);
		for (const char *at = strstr(str_text(&text), "Count   "); *at;
		     at++) {
			width = *at == '\n' ? 0 : width + 1;
			/* the last line says that names were cut */
			if (str_starts(at, "(The terminal"))
				break;
			/* a title */
			if (str_starts(at, "Ticks"))
				at = strchr(at, '\n');
			assert_true(width <= (size_t)columns);
		}
		str_deinit(&text);
	}
	call_stacks_deinit(&stacks);
}

static void no_ticks_are_said(void **state)
{
	struct call_stacks stacks = {0};
	struct str text = {0};

	(void)state;
	listing_of(&stacks, true, 0, &text);
	assert_string_equal(str_text(&text), "No ticks.\n");
	str_deinit(&text);
	call_stacks_deinit(&stacks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_seed_sample_has_its_form),
		cmocka_unit_test(json_and_csv_are_as_in_the_golden_files),
		cmocka_unit_test(the_description_is_left_out_the_second_time),
		cmocka_unit_test(names_are_told_apart_and_cut),
		cmocka_unit_test(no_line_is_wider_than_the_terminal),
		cmocka_unit_test(no_ticks_are_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
