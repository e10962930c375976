/*
 * test_arch_patch.c - the bytes that make one instruction a jump
 *
 * Whatever is written is decoded again: it must be one jump to the landing,
 * with what follows the instruction left as it was.
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
#include "perftool/fast_node.h"

#define SITE 0x7f1200001000UL

static const uint8_t following[] = {0x48, 0x89, 0xe5, 0x41, 0x57, 0x41};

/* Memory around the site, with the patch in. */
static void check_lands(const struct insn *insn, const struct patch *patch)
{
	uint8_t bytes[ARCH_MAX_INSN + sizeof(following)];
	struct insn jump;

	assert_true(patch->length <= insn->length);
	memcpy(bytes, insn->bytes, insn->length);
	memcpy(bytes + insn->length, following, sizeof(following));
	memcpy(bytes, patch->bytes, patch->length);
	assert_null(arch_decode(bytes, sizeof(bytes), SITE, &jump));
	assert_int_equal(jump.kind, INSN_JUMP);
	assert_int_equal(jump.target, patch->landing);
	assert_true(jump.length <= patch->span);
}

static const char *const insns[] = {
	"55",                   /* push rbp */
	"4157",                 /* push r15 */
	"4889e5",               /* mov rbp, rsp */
	"4883ec18",             /* sub rsp, 24 */
	"e800000000",           /* call */
	"488d3d00000000",       /* lea rdi, [rip] */
	"48b8ffffffffffffff7f", /* movabs */
};

static void test_patch_lands_anywhere_in_its_window(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(insns) / sizeof(*insns); i++) {
		struct insn insn = decoded(insns[i], SITE);
		struct patch_window windows[PATCH_WINDOWS];
		size_t count = patch_windows(&insn, (&insn)->length, following,
					     sizeof(following), windows);

		assert_int_equal(count, insn.length >= 5 ? 1 : insn.length);
		for (size_t j = 0; j < count; j++) {
			const struct patch_window *window = &windows[j];
			uint64_t middle =
				window->low + (window->high - window->low) / 2;
			uint64_t landings[] = {window->low, middle,
					       window->high};

			assert_int_equal(
				window->high - window->low + 1,
				insn.length >= 5
					? 1ULL << 32
					: 1ULL << 8 * (insn.length - j - 1));
			for (size_t k = 0; k < 3; k++) {
				struct patch patch;

				patch_in_window(&insn, (&insn)->length, window,
						landings[k], &patch);
				check_lands(&insn, &patch);
				assert_int_equal(patch.kind,
						 insn.length >= 5
							 ? PATCH_NEAR
							 : PATCH_PUNNED);
			}
		}
	}
}

/* At the end of memory the bytes behind the instruction may be too few. */
static void test_few_following_bytes_give_few_windows(void **state)
{
	struct insn insn = decoded("4157", SITE);
	struct patch_window windows[PATCH_WINDOWS];

	(void)state;
	assert_int_equal(
		patch_windows(&insn, (&insn)->length, following, 2, windows),
		0);
	assert_int_equal(
		patch_windows(&insn, (&insn)->length, following, 3, windows),
		1);
	assert_int_equal(
		patch_windows(&insn, (&insn)->length, following, 4, windows),
		2);
}

static void test_patch_jump_reaches_near_targets_only(void **state)
{
	uint8_t bytes[PATCH_SIZE];
	struct insn jump;

	(void)state;
	assert_false(patch_jump(SITE, SITE + (3UL << 30), bytes));
	assert_true(patch_jump(SITE, SITE - (1UL << 30), bytes));
	assert_null(arch_decode(bytes, sizeof(bytes), SITE, &jump));
	assert_int_equal(jump.target, SITE - (1UL << 30));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patch_lands_anywhere_in_its_window),
		cmocka_unit_test(test_few_following_bytes_give_few_windows),
		cmocka_unit_test(test_patch_jump_reaches_near_targets_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
