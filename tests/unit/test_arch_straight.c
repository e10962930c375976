/*
 * test_arch_straight.c - instructions that are executed as often as another
 *
 * tier: core
 * covers: arch/x86_64
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <stdio.h>
#include <string.h>

#include "decoded.h"
#include "perftool/base/alloc.h"
#include "perftool/straight.h"

#define LOW 0x401000UL

/* ---- what instructions do --------------------------------------------------
 */

#define RAX 0x1
#define RCX 0x2
#define RDX 0x4
#define RBX 0x8
#define RBP 0x20
#define RDI 0x80
#define R12 0x1000
#define R15 0x8000

static const struct {
	const char *code;
	int32_t sp;
	uint16_t written;
	bool stores;
} harmless[] = {
	{"90", 0, 0, false},                /* nop */
	{"0f1f440000", 0, 0, false},        /* nop [rax + rax] */
	{"f30f1efa", 0, 0, false},          /* endbr64 */
	{"53", -8, 0, true},                /* push rbx */
	{"4157", -8, 0, true},              /* push r15 */
	{"6a05", -8, 0, true},              /* push 5 */
	{"5b", 8, RBX, false},              /* pop rbx */
	{"415f", 8, R15, false},            /* pop r15 */
	{"4889e5", 0, RBP, false},          /* mov rbp, rsp */
	{"89fb", 0, RBX, false},            /* mov ebx, edi */
	{"b801000000", 0, RAX, false},      /* mov eax, 1 */
	{"4c8d642408", 0, R12, false},      /* lea r12, [rsp + 8] */
	{"488d3d00100000", 0, RDI, false},  /* lea rdi, [rip + 4096] */
	{"31c0", 0, RAX, false},            /* xor eax, eax */
	{"85ff", 0, 0, false},              /* test edi, edi */
	{"4883ec18", -24, 0, false},        /* sub rsp, 24 */
	{"4883c418", 24, 0, false},         /* add rsp, 24 */
	{"4881ec00010000", -256, 0, false}, /* sub rsp, 256 */
	{"488d642480", -128, 0, false},     /* lea rsp, [rsp - 128] */
	{"4899", 0, RDX, false},            /* cqo */
	{"0fb6c0", 0, RAX, false},          /* movzx eax, al */
	{"b001", 0, RAX, false},            /* mov al, 1 */
	{"c1e104", 0, RCX, false},          /* shl ecx, 4 */
};

static const char *const others[] = {
	"c3",                 /* ret */
	"e800000000",         /* call */
	"7400",               /* je */
	"eb00",               /* jmp */
	"ffe0",               /* jmp rax */
	"cc",                 /* int3 */
	"0f05",               /* syscall */
	"f4",                 /* hlt */
	"c9",                 /* leave: where rsp is then rbp knows */
	"4889ec",             /* mov rsp, rbp */
	"4883e4f0",           /* and rsp, -16 */
	"4829c4",             /* sub rsp, rax */
	"488d6508",           /* lea rsp, [rbp + 8] */
	"54",                 /* push rsp */
	"5c",                 /* pop rsp */
	"668d642408",         /* lea sp, [rsp + 8] */
	"6653",               /* push bx */
	"ff33",               /* push [rbx] */
	"8f03",               /* pop [rbx] */
	"8b07",               /* mov eax, [rdi] */
	"8907",               /* mov [rdi], eax */
	"48895c2408",         /* mov [rsp + 8], rbx */
	"64488b042528000000", /* mov rax, fs:[40] */
	"8ed8",               /* mov ds, eax */
	"0f20c0",             /* mov rax, cr0 */
	"f7f1",               /* div ecx */
	"a4",                 /* movsb */
	"0f31",               /* rdtsc */
	"0fa2",               /* cpuid */
	"f0830701",           /* lock add [rdi], 1 */
	"660fefc0",           /* pxor xmm0, xmm0 */
	"9c",                 /* pushf */
	"fd",                 /* std */
	"4881ec00001000",     /* sub rsp, 1 MiB */
};

static void test_effects_on_rsp_and_registers_are_known(void **state)
{
	struct effect effect;

	(void)state;
	for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++) {
		struct insn insn = decoded(harmless[i].code, LOW);

		if (!arch_effect(&insn, &effect))
			fail_msg("%s is refused", harmless[i].code);
		if (effect.sp != harmless[i].sp ||
		    effect.written != harmless[i].written ||
		    effect.stores != harmless[i].stores)
			fail_msg("%s: rsp %d, written %x", harmless[i].code,
				 effect.sp, effect.written);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		struct insn insn = decoded(others[i], LOW);

		if (arch_effect(&insn, &effect))
			fail_msg("%s is not refused", others[i]);
	}
}

/* ---- where else ------------------------------------------------------------
 */

static void add(struct straight_code *code, uint64_t low, const char *hex)
{
	size_t size = strlen(hex) / 2;
	uint8_t *bytes = xmalloc(size);
	unsigned byte;

	for (size_t i = 0; i < size; i++) {
		assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
		bytes[i] = (uint8_t)byte;
	}
	straight_add(code, low, bytes, size);
}

/* One address is led to from elsewhere. */
static bool enters(void *context, uint64_t low, uint64_t high)
{
	const uint64_t *at = context;

	assert_true(low < high);
	return *at > low && *at <= high;
}

/* The stands of LOW + offset, as "+1 8 0 ..": offset, sp, written. */
static void check(const char *hex, size_t offset, uint64_t entered,
		  const char *wanted)
{
	struct stand stands[STRAIGHT_STANDS];
	struct straight_code code = {0};
	char text[256] = "";
	uint64_t at = entered ? LOW + entered : 0;
	size_t count;

	add(&code, LOW, hex);
	count = straight_stands(&code, LOW + offset, enters, &at, stands);
	for (size_t i = 0; i < count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%s%lu:%d:%x", i ? " " : "", stands[i].address - LOW,
			 stands[i].sp, stands[i].written);
	assert_string_equal(text, wanted);
	straight_deinit(&code);
}

static void test_places_as_frequent_as_the_entry_are_found(void **state)
{
	/* push rbp; mov rbp, rsp; push rbx; sub rsp, 8; call; .. */
	static const char frame[] = "55"
				    "4889e5"
				    "53"
				    "4883ec08"
				    "e800000000"
				    "c9"
				    "c3";

	(void)state;
	check(frame, 0, 0, "1:8:0 4:8:20 5:16:20 9:24:20");
	/* from elsewhere, to an instruction or into its middle */
	check(frame, 0, 4, "1:8:0");
	check(frame, 0, 3, "1:8:0");
	check(frame, 0, 1, "");
	check(frame, 0, 9, "1:8:0 4:8:20 5:16:20");
	/* what is before the function is nobody's */
	check("c3", 0, 0, "");
	check("90c3", 0, 0, "1:0:0");
}

static void test_loops_end_places_as_frequent_as_the_entry(void **state)
{
	(void)state;
	/* push rbx; dec edi; jne to the dec; pop rbx; ret */
	check("53"
	      "ffcf"
	      "75fc"
	      "5b"
	      "c3",
	      0, 0, "");
	/* .. to the push: is an entry as well, and goes on as the first */
	check("53"
	      "ffcf"
	      "75fb"
	      "5b"
	      "c3",
	      0, 0, "1:8:0 3:8:80");
	/* .. into the middle of the dec */
	check("53"
	      "ffcf"
	      "75fd"
	      "5b"
	      "c3",
	      0, 0, "1:8:0");
}

static void test_places_as_frequent_as_an_exit_are_found(void **state)
{
	/* call; add rsp, 8; pop rbx; pop r15; ret */
	static const char end[] = "e800000000"
				  "4883c408"
				  "5b"
				  "415f"
				  "c3";

	(void)state;
	check(end, 12, 0, "10:8:8000 9:16:8008 5:24:8008");
	check(end, 12, 9, "10:8:8000 9:16:8008");
	check(end, 12, 12, "");
	/* what is pushed there is not on the stack yet where it is seen */
	check("e800000000"
	      "53"
	      "c3",
	      6, 0, "");
	/* je to the ret; pop rbx; ret */
	check("7401"
	      "5b"
	      "c3",
	      3, 0, "");
}

static void test_undecodable_code_has_no_places(void **state)
{
	(void)state;
	/* a byte that is no instruction: nothing can be told */
	check("53"
	      "4889e5"
	      "06"
	      "c3",
	      0, 0, "");
	/* one that is cut off */
	check("53"
	      "48",
	      0, 0, "");
}

/* Two pieces: one does not go on in the other. */
static void test_places_do_not_go_on_in_another_piece(void **state)
{
	struct stand stands[STRAIGHT_STANDS];
	struct straight_code code = {0};
	uint64_t none = 0;

	(void)state;
	add(&code, LOW, "5390");
	add(&code, LOW + 16, "5bc3");
	assert_int_equal(straight_stands(&code, LOW, enters, &none, stands), 1);
	assert_int_equal(
		straight_stands(&code, LOW + 16, enters, &none, stands), 1);
	assert_int_equal(stands[0].address, LOW + 17);
	/* a jump from one to the other: jmp LOW + 1 */
	add(&code, LOW + 32, "ebdf");
	assert_true(straight_leads(&code, LOW, LOW + 1));
	assert_false(straight_leads(&code, LOW + 1, LOW + 2));
	assert_int_equal(straight_stands(&code, LOW, enters, &none, stands), 0);
	straight_deinit(&code);
}

static bool reaches(const char *hex, size_t offset)
{
	struct straight_code code = {0};
	bool result;

	add(&code, LOW, hex);
	result = straight_reaches(&code, LOW, LOW + offset);
	straight_deinit(&code);
	return result;
}

static void test_what_branches_certainly_reach_is_known(void **state)
{
	(void)state;
	/* je to the nop; ret; nop; ret */
	assert_true(reaches("7401c390c3", 3));
	/* It does not matter that nothing leads to the last return. */
	assert_false(reaches("7401c390c3", 4));
	/* the same, but the je is reached by jumps back and forth */
	assert_true(reaches("eb04"
			    "7405"
			    "ebfc"
			    "ebfa"
			    "c3"
			    "90c3",
			    9));
	/* call; je to the nop; ret; nop: the call may not return */
	assert_false(reaches("e800000000"
			     "7401"
			     "c3"
			     "90",
			     8));
	/* ret; nop; jmp to the nop: no thread is ever there */
	assert_false(reaches("c390ebfd", 1));
	/* jmp rax; je to the nop; ret; nop: nobody knows */
	assert_false(reaches("ffe07401c390", 5));
	/* jmp into the middle of the mov, and to another function */
	assert_true(reaches("eb01"
			    "b890909090c3",
			    3));
	assert_false(reaches("eb70", 0x72));
}

static void test_jumps_and_calls_are_collected(void **state)
{
	struct straight_code code = {0};

	(void)state;
	/* jmp rax; call rax; call; jmp [rip] */
	add(&code, LOW,
	    "ffe0"
	    "ffd0"
	    "e800000000"
	    "ff2500000000");
	assert_int_equal(code.jumps.count, 2);
	assert_int_equal(code.jumps.data[1], LOW + 9);
	assert_int_equal(code.calls.count, 2);
	assert_int_equal(code.targets.count, 1);
	straight_deinit(&code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_effects_on_rsp_and_registers_are_known),
		cmocka_unit_test(
			test_places_as_frequent_as_the_entry_are_found),
		cmocka_unit_test(
			test_loops_end_places_as_frequent_as_the_entry),
		cmocka_unit_test(test_places_as_frequent_as_an_exit_are_found),
		cmocka_unit_test(test_undecodable_code_has_no_places),
		cmocka_unit_test(test_places_do_not_go_on_in_another_piece),
		cmocka_unit_test(test_what_branches_certainly_reach_is_known),
		cmocka_unit_test(test_jumps_and_calls_are_collected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
