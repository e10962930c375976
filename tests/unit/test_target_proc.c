/*
 * test_target_proc.c - what is read of the text of /proc/PID/status, of kernels
 * that are not this one, too
 *
 * tier: core
 * covers: target/proc
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <errno.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perftool/target/memory_maps.h"
#include "perftool/target/process_status.h"
#include "refuse_call.h"
#include "target/proc/proc.h"

static void assert_ok(struct error *error)
{
	if (error)
		fail_msg("%s", error_message(error));
}

static struct proc_status parse(const char *text)
{
	struct proc_status status;
	char copy[1024];
	FILE *file;

	strcpy(copy, text);
	file = fmemopen(copy, strlen(copy), "r");
	assert_non_null(file);
	proc_parse_status(file, &status);
	fclose(file);
	return status;
}

static void test_all_lines_of_status_are_read(void **state)
{
	const struct proc_status status =
		parse("Name:\ta (b)\\n c\n"
		      "Umask:\t0022\n"
		      "State:\tS (sleeping)\n"
		      "Tgid:\t4711\n"
		      "Ngid:\t0\n"
		      "Pid:\t4712\n"
		      "PPid:\t12\n"
		      "TracerPid:\t13\n"
		      "Uid:\t1\t2\t3\t4\n"
		      "Gid:\t5\t6\t7\t8\n"
		      "Groups:\t27 100 \n"
		      "NStgid:\t4711\t8\t1\n"
		      "NSpid:\t4712\t9\t2\n"
		      "Threads:\t3\n"
		      "SigQ:\t1/47\n"
		      "SigPnd:\t0000000000000001\n"
		      "ShdPnd:\t0000000000000002\n"
		      "SigBlk:\t8000000000000000\n"
		      "SigIgn:\t0000000000001000\n"
		      "SigCgt:\t0000000180000000\n"
		      "CapInh:\t0000000000000000\n"
		      "CapPrm:\t000001ffffffffff\n"
		      "CapEff:\t0000000000080000\n"
		      "CapBnd:\t00000000a80425fb\n"
		      "NoNewPrivs:\t1\n"
		      "x86_Thread_features:\tshstk \n"
		      "x86_Thread_features_locked:\t\n"
		      "Seccomp:\t2\n"
		      "Seccomp_filters:\t3\n");

	(void)state;
	assert_string_equal(status.name, "a (b)\\n c");
	assert_int_equal(status.state, 'S');
	assert_int_equal(status.pid, 4711);
	assert_int_equal(status.parent, 12);
	assert_int_equal(status.tracer, 13);
	assert_int_equal(status.uid[0], 1);
	assert_int_equal(status.uid[1], 2);
	assert_int_equal(status.uid[2], 3);
	assert_int_equal(status.gid[0], 5);
	assert_int_equal(status.gid[2], 7);
	assert_int_equal(status.inner, 2);
	assert_int_equal(status.depth, 3);
	assert_int_equal(status.threads, 3);
	assert_int_equal(status.pending, 1);
	assert_int_equal(status.shared_pending, 2);
	assert_true(status.blocked == UINT64_C(1) << 63);
	assert_int_equal(status.ignored, 0x1000);
	assert_int_equal(status.caught, 0x180000000);
	assert_int_equal(status.permitted, 0x1ffffffffff);
	assert_int_equal(status.effective, 0x80000);
	assert_int_equal(status.bounding, 0xa80425fb);
	assert_int_equal(status.no_new_privs, 1);
	assert_int_equal(status.seccomp, SECCOMP_MODE_FILTER);
	assert_int_equal(status.filters, 3);
	assert_true(status.tells_features);
	assert_true(status.shadow_stack);
}

static void test_shadow_stack_is_known_from_features(void **state)
{
	struct proc_status status;

	(void)state;
	status = parse("x86_Thread_features:\t\n"
		       "x86_Thread_features_locked:\tshstk \n");
	assert_true(status.tells_features);
	assert_false(status.shadow_stack);
	status = parse("Name:\tx86_Thread_features: shstk\n");
	assert_false(status.tells_features);
	assert_false(status.shadow_stack);
}

static void test_status_of_own_process_is_read(void **state)
{
	struct proc_status status;

	(void)state;
	assert_true(target_read_status(getpid(), &status));
	assert_int_equal(status.pid, getpid());
	assert_int_equal(status.parent, getppid());
	assert_int_equal(status.uid[1], geteuid());
	assert_int_equal(status.threads, 1);
	assert_false(target_read_status(999999999, &status));
}

/* Before Linux 5.9 no filters are counted, before 3.8 there is no mode. */
static void test_seccomp_filters_of_a_thread_are_known(void **state)
{
	static const struct {
		const char *thread, *tool;
		bool filtered;
	} cases[] = {
		{"Seccomp:\t0\nSeccomp_filters:\t0\n",
		 "Seccomp:\t0\nSeccomp_filters:\t0\n", false},
		{"Seccomp:\t1\nSeccomp_filters:\t0\n",
		 "Seccomp:\t0\nSeccomp_filters:\t0\n", false},
		{"Seccomp:\t2\nSeccomp_filters:\t1\n",
		 "Seccomp:\t0\nSeccomp_filters:\t0\n", true},
		{"Seccomp:\t2\nSeccomp_filters:\t1\n",
		 "Seccomp:\t2\nSeccomp_filters:\t1\n", false},
		{"Seccomp:\t2\nSeccomp_filters:\t2\n",
		 "Seccomp:\t2\nSeccomp_filters:\t1\n", true},
		{"Seccomp:\t2\n", "Seccomp:\t0\n", true},
		{"Seccomp:\t2\n", "Seccomp:\t2\n", false},
		{"Seccomp:\t0\n", "Seccomp:\t2\n", false},
		{"", "", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct proc_status thread = parse(cases[i].thread);
		struct proc_status tool = parse(cases[i].tool);

		assert_int_equal(proc_is_filtered(&thread, &tool),
				 cases[i].filtered);
	}
}

/* ---- one mapping ------------------------------------------------------- */

static void check_mapping(const struct mapping *wanted, uint64_t address)
{
	struct mapping got;
	bool found;

	assert_ok(target_read_mapping(getpid(), address, &got, &found));
	assert_true(found);
	assert_int_equal(got.low, wanted->low);
	assert_int_equal(got.high, wanted->high);
	assert_int_equal(got.offset, wanted->offset);
	assert_int_equal(got.inode, wanted->inode);
	assert_int_equal(got.device, wanted->device);
	assert_true(got.readable == wanted->readable &&
		    got.writable == wanted->writable &&
		    got.executable == wanted->executable &&
		    got.shared == wanted->shared);
	assert_string_equal(got.path, wanted->path);
	free(got.path);
}

/* Each mapping, and what is beside mappings of a file without a name. */
static void check_mappings(void)
{
	const size_t page = 4096;
	int file = memfd_create("a \n name", 0);
	struct mapping_list maps;
	struct mapping got;
	uint8_t *memory;
	bool found;

	assert_int_equal(ftruncate(file, (off_t)(3 * page)), 0);
	memory = mmap(NULL, 3 * page, PROT_READ | PROT_EXEC, MAP_SHARED, file,
		      0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	munmap(memory + page, page);
	assert_ok(target_read_maps(getpid(), &maps));
	for (size_t i = 0; i < maps.count; i++) {
		const struct mapping *map = &maps.data[i];

		/* (these two change, and that one is the kernel's) */
		if (strcmp(map->path, "[heap]") == 0 ||
		    strcmp(map->path, "[stack]") == 0 ||
		    strcmp(map->path, "[vsyscall]") == 0)
			continue;
		check_mapping(map, map->low);
		check_mapping(map, map->high - 1);
	}
	mapping_list_deinit(&maps);
	assert_ok(target_read_mapping(getpid(), (uintptr_t)memory + page, &got,
				      &found));
	assert_false(found);
	munmap(memory, 3 * page);
	close(file);
}

static void test_one_mapping_is_read(void **state)
{
	(void)state;
	check_mappings();
}

/* Kernels before Linux 6.11 cannot be asked. */
static void test_one_mapping_is_found_among_all(void **state)
{
	(void)state;
	refuse_call(SYS_ioctl, ENOTTY);
	check_mappings();
}

static void test_the_mappings_of_nobody_are_an_error(void **state)
{
	struct mapping got;
	struct error *error;
	bool found;

	(void)state;
	error = target_read_mapping(0x7fffffff, 4096, &got, &found);
	assert_non_null(error);
	assert_false(found);
	assert_int_equal(error_code(error), ERROR_GONE);
	error_destroy(error);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_lines_of_status_are_read),
		cmocka_unit_test(test_shadow_stack_is_known_from_features),
		cmocka_unit_test(test_status_of_own_process_is_read),
		cmocka_unit_test(test_seccomp_filters_of_a_thread_are_known),
		cmocka_unit_test(test_one_mapping_is_read),
		cmocka_unit_test(test_the_mappings_of_nobody_are_an_error),
		/* the last one, because it cannot be undone */
		cmocka_unit_test(test_one_mapping_is_found_among_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
