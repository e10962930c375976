/*
 * test_debuginfo_static_probes.c - the notes of static probes, as byte arrays,
 * and the operands of their arguments
 *
 * tier: core
 * covers: debuginfo/elf
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "debuginfo/elf/static_probes.h"
#include "perftool/base/str.h"

/* ---- the notes ----------------------------------------------------------- */

static void add_number(struct str *out, uint64_t number, size_t size)
{
	str_append_n(out, (const char *)&number, size);
}

static void add_text(struct str *out, const char *text)
{
	str_append_n(out, text, strlen(text) + 1);
}

static void pad(struct str *out)
{
	while (out->length % 4)
		str_append_char(out, '\0');
}

/* Appends a note whose owner and type are given. */
static void add_note(struct str *out, const char *owner, uint32_t type,
		     uint64_t address, uint64_t base, uint64_t semaphore,
		     const char *provider, const char *name,
		     const char *arguments)
{
	struct str description = {0};

	add_number(&description, address, 8);
	add_number(&description, base, 8);
	add_number(&description, semaphore, 8);
	add_text(&description, provider);
	add_text(&description, name);
	add_text(&description, arguments);
	add_number(out, strlen(owner) + 1, 4);
	add_number(out, description.length, 4);
	add_number(out, type, 4);
	add_text(out, owner);
	pad(out);
	str_append_n(out, description.data, description.length);
	pad(out);
	str_deinit(&description);
}

static void parse(const struct str *notes, size_t size, uint64_t base,
		  struct static_probe_list *out)
{
	*out = (struct static_probe_list){0};
	static_probes_parse((struct bytes){(const uint8_t *)notes->data, size},
			    base, out);
}

static void test_notes_are_read(void **state)
{
	struct static_probe_list probes;
	struct str notes = {0};

	(void)state;
	add_note(&notes, "stapsdt", 3, 0x1000, 0x5000, 0, "shop", "begin", "");
	add_note(&notes, "other", 3, 0x1, 0, 0, "not", "ours", "");
	add_note(&notes, "stapsdt", 4, 0x2, 0, 0, "not", "a_probe", "");
	add_note(&notes, "stapsdt", 3, 0x1010, 0x5000, 0x6000, "python", "line",
		 "8@%r14 -4@%ebp");
	parse(&notes, notes.length, 0x5000, &probes);
	assert_int_equal(probes.count, 2);
	assert_string_equal(probes.data[0].provider, "shop");
	assert_string_equal(probes.data[0].name, "begin");
	assert_string_equal(probes.data[0].arguments, "");
	assert_int_equal(probes.data[0].address, 0x1000);
	assert_int_equal(probes.data[0].semaphore, 0);
	assert_string_equal(probes.data[1].name, "line");
	assert_string_equal(probes.data[1].arguments, "8@%r14 -4@%ebp");
	assert_int_equal(probes.data[1].semaphore, 0x6000);
	vec_free(&probes);
	str_deinit(&notes);
}

/* prelink has moved the sections by 0x300. */
static void test_addresses_are_corrected(void **state)
{
	struct static_probe_list probes;
	struct str notes = {0};

	(void)state;
	add_note(&notes, "stapsdt", 3, 0x1000, 0x5000, 0x6000, "p", "a", "");
	add_note(&notes, "stapsdt", 3, 0x1000, 0, 0, "p", "b", "");
	parse(&notes, notes.length, 0x5300, &probes);
	assert_int_equal(probes.data[0].address, 0x1300);
	assert_int_equal(probes.data[0].semaphore, 0x6300);
	assert_int_equal(probes.data[1].address, 0x1000);
	vec_free(&probes);
	parse(&notes, notes.length, 0, &probes);
	assert_int_equal(probes.data[0].address, 0x1000);
	vec_free(&probes);
	str_deinit(&notes);
}

/* However the notes are cut off, the whole ones before the cut are read. */
static void test_notes_that_are_cut_off(void **state)
{
	struct static_probe_list probes;
	struct str notes = {0};
	size_t first;

	(void)state;
	add_note(&notes, "stapsdt", 3, 1, 0, 0, "p", "first", "4@$7");
	first = notes.length;
	add_note(&notes, "stapsdt", 3, 2, 0, 0, "p", "second", "4@$7");
	for (size_t size = 0; size < notes.length; size++) {
		parse(&notes, size, 0, &probes);
		assert_true(probes.count <= 1 + (size >= first));
		if (size >= first)
			assert_string_equal(probes.data[0].name, "first");
		vec_free(&probes);
	}
	str_deinit(&notes);
}

static void test_notes_without_names(void **state)
{
	struct static_probe_list probes;
	struct str notes = {0};

	(void)state;
	add_note(&notes, "stapsdt", 3, 1, 0, 0, "", "a", "");
	add_note(&notes, "stapsdt", 3, 1, 0, 0, "p", "", "");
	add_note(&notes, "stapsdt", 3, 1, 0, 0, "p", "c", "");
	parse(&notes, notes.length, 0, &probes);
	assert_int_equal(probes.count, 1);
	vec_free(&probes);
	/* sizes that lead beyond the end */
	memset(notes.data, 0xff, 8);
	parse(&notes, notes.length, 0, &probes);
	assert_int_equal(probes.count, 0);
	vec_free(&probes);
	str_deinit(&notes);
}

/* ---- the arguments ------------------------------------------------------- */

static struct probe_argument argument(const char *text, unsigned index)
{
	struct probe_argument result;

	assert_true(probe_argument_parse(text, index, &result));
	return result;
}

static void is_memory(const char *text, int64_t number, const char *base,
		      const char *index, unsigned scale, const char *symbol)
{
	const struct probe_argument got = argument(text, 0);

	assert_int_equal(got.kind, PROBE_MEMORY);
	assert_int_equal(got.number, number);
	assert_string_equal(got.base, base);
	assert_string_equal(got.index, index);
	if (*index)
		assert_int_equal(got.scale, scale);
	assert_string_equal(got.symbol, symbol);
}

static void test_registers_and_constants(void **state)
{
	struct probe_argument got = argument("-4@%edi", 0);

	(void)state;
	assert_int_equal(got.kind, PROBE_REGISTER);
	assert_string_equal(got.base, "edi");
	assert_int_equal(got.size, 4);
	assert_true(got.is_signed);
	got = argument("1@%al", 0);
	assert_int_equal(got.size, 1);
	assert_false(got.is_signed);
	got = argument("4@$7", 0);
	assert_int_equal(got.kind, PROBE_CONSTANT);
	assert_int_equal(got.number, 7);
	assert_int_equal(argument("-8@$-12", 0).number, -12);
	assert_int_equal(argument("8@$0x1f", 0).number, 31);
	/* an argument without a size has that of a pointer */
	got = argument("%rdi", 0);
	assert_int_equal(got.size, 8);
	assert_string_equal(got.base, "rdi");
	assert_true(argument("8f@%xmm0", 0).is_float);
}

static void test_memory(void **state)
{
	(void)state;
	is_memory("8@-24(%rbp)", -24, "rbp", "", 0, "");
	is_memory("-4@112(%rsp)", 112, "rsp", "", 0, "");
	is_memory("8@(%rax)", 0, "rax", "", 0, "");
	is_memory("8@8(%rax,%rbx,4)", 8, "rax", "rbx", 4, "");
	is_memory("8@(%rax,%rbx)", 0, "rax", "rbx", 1, "");
	is_memory("8@16(,%rcx,8)", 16, "", "rcx", 8, "");
	is_memory("-4@global(%rip)", 0, "rip", "", 0, "global");
	is_memory("-4@global+12(%rip)", 12, "rip", "", 0, "global");
	is_memory("-4@-4+_ZL1g(%rip)", -4, "rip", "", 0, "_ZL1g");
	is_memory("4@table", 0, "", "", 0, "table");
}

static void test_several_arguments(void **state)
{
	const char *const text = " 8@%r14  -4@8(%rsp,%rax,2)\t4@$3 ";
	struct probe_argument got;

	(void)state;
	assert_int_equal(probe_argument_count(text), 3);
	assert_int_equal(probe_argument_count(""), 0);
	assert_string_equal(argument(text, 0).base, "r14");
	assert_string_equal(argument(text, 1).index, "rax");
	assert_int_equal(argument(text, 2).number, 3);
	assert_false(probe_argument_parse(text, 3, &got));
	assert_false(probe_argument_parse("", 0, &got));
}

static void test_other_forms_are_refused(void **state)
{
	static const char *const texts[] = {
		"3@%eax",
		"0@%eax",
		"16@%xmm0",
		"8@",
		"@%rax",
		"8@%",
		"8@$",
		"8@$x",
		"8@(%rax",
		"8@()",
		"8@(%rax,)",
		"8@(%rax,%rbx,3)",
		"8@8(%rax)x",
		"8@%rax,%rbx",
		"8@7",
		"8@b+",
		"8@a+b(%rip)",
		"8@[rax+8]",
		"99999999999999999999@%rax",
		"-99999999999999999999@%rax",
	};
	struct probe_argument got;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		if (probe_argument_parse(texts[i], 0, &got))
			fail_msg("`%s' was taken", texts[i]);
	}
}

/* A name that is too long for the structure is refused. */
static void test_long_names(void **state)
{
	struct probe_argument got;
	struct str text = {0};

	(void)state;
	str_append(&text, "8@");
	for (int i = 0; i < 2 * PROBE_NAME; i++)
		str_append_char(&text, 'a');
	assert_false(probe_argument_parse(str_text(&text), 0, &got));
	text.length = 0;
	str_append(&text, "8@%");
	for (int i = 0; i < 2 * PROBE_NAME; i++)
		str_append_char(&text, 'a');
	assert_false(probe_argument_parse(str_text(&text), 0, &got));
	str_deinit(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_notes_are_read),
		cmocka_unit_test(test_addresses_are_corrected),
		cmocka_unit_test(test_notes_that_are_cut_off),
		cmocka_unit_test(test_notes_without_names),
		cmocka_unit_test(test_registers_and_constants),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_several_arguments),
		cmocka_unit_test(test_other_forms_are_refused),
		cmocka_unit_test(test_long_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
