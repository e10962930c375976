/*
 * test_probe_wait_spots.c - where the C library's functions of POSIX threads
 * wait for locks: in the C library of this machine, whatever its version
 *
 * tier: core
 * covers: probe/request
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "perftool/base/lock_kind.h"
#include "probe/request/call_spots.h"

static struct debugfile *file;

static int open_library(void **state)
{
	Dl_info info;
	void *address = dlsym(RTLD_DEFAULT, "pthread_mutex_timedlock");

	(void)state;
	if (!address || !dladdr(address, &info))
		return -1;
	error_destroy(debugfile_open(info.dli_fname, &file));
	return file ? 0 : -1;
}

static int close_library(void **state)
{
	(void)state;
	debugfile_close(file);
	return 0;
}

static void find(enum request_kind request, struct spot_list *out)
{
	struct error *error = spots_of_waits(file, request, out);

	assert_null(error);
}

static void all_kinds_of_waits_are_found(void **state)
{
	struct spot_list spots = {0};
	size_t counts[LOCK_KINDS] = {0};

	(void)state;
	find(REQUEST_WAITS, &spots);
	for (size_t i = 0; i < spots.count; i++)
		counts[wait_marks_kind(spots.data[i].marks)]++;
	for (size_t kind = LOCK_MUTEX; kind < LOCK_KINDS; kind++)
		assert_int_not_equal(counts[kind], 0);
	assert_int_equal(counts[LOCK_UNKNOWN], 0);
	vec_free(&spots);
}

static void each_is_a_call_and_ends_behind_it(void **state)
{
	struct spot_list begins = {0}, ends = {0};

	(void)state;
	find(REQUEST_WAITS, &begins);
	find(REQUEST_WAIT_ENDS, &ends);
	assert_int_equal(begins.count, ends.count);
	for (size_t i = 0; i < begins.count; i++) {
		const struct spot *begin = &begins.data[i];
		struct insn insn;
		uint8_t code[16];
		size_t size = debugfile_read(file, begin->address, code,
					     sizeof(code));

		assert_null(arch_decode(code, size, begin->address, &insn));
		assert_int_equal(insn.kind, INSN_CALL);
		assert_int_equal(ends.data[i].address,
				 begin->address + insn.length);
		assert_int_equal(ends.data[i].marks, begin->marks);
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(begins.data[j].address,
					     begin->address);
	}
	vec_free(&begins);
	vec_free(&ends);
}

/* The first word of a mutex is its state. A read-write lock has the words on
 * which threads sleep at these offsets. */
static void it_is_known_where_the_word_is(void **state)
{
	struct spot_list spots = {0};
	size_t known = 0;

	(void)state;
	find(REQUEST_WAITS, &spots);
	for (size_t i = 0; i < spots.count; i++) {
		const unsigned kind = wait_marks_kind(spots.data[i].marks);
		const int32_t offset = wait_marks_offset(spots.data[i].marks);

		if ((kind != LOCK_READ && kind != LOCK_WRITE) || offset < 0)
			continue;
		assert_true(offset == 0 || offset == 8 || offset == 12);
		known += offset != 0;
	}
	assert_int_not_equal(known, 0);
	vec_free(&spots);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static _Atomic pid_t waiter;
static bool is_over;

static void *wait_for_condition(void *unused)
{
	pthread_mutex_lock(&mutex);
	waiter = gettid();
	while (!is_over)
		pthread_cond_wait(&condition, &mutex);
	pthread_mutex_unlock(&mutex);
	return unused;
}

/* Where the kernel says that the thread sleeps, in the condition. */
static uint64_t offset_of_sleep(void)
{
	char path[64];
	uint64_t address = 0;

	while (!waiter)
		sched_yield();
	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", waiter);
	while (address - (uint64_t)&condition >= sizeof(condition)) {
		FILE *syscall = fopen(path, "re");

		assert_non_null(syscall);
		address = 0;
		if (fscanf(syscall, "202 %" SCNx64, &address) != 1)
			sched_yield();
		fclose(syscall);
	}
	return address - (uint64_t)&condition;
}

static void it_is_known_where_threads_sleep_in_a_condition(void **state)
{
	struct spot_list spots = {0};
	uint64_t offset;
	pthread_t thread;
	size_t known = 0;

	(void)state;
	assert_int_equal(
		pthread_create(&thread, NULL, wait_for_condition, NULL), 0);
	offset = offset_of_sleep();
	pthread_mutex_lock(&mutex);
	is_over = true;
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
	find(REQUEST_WAITS, &spots);
	for (size_t i = 0; i < spots.count; i++) {
		const uint8_t marks = spots.data[i].marks;

		if (wait_marks_kind(marks) != LOCK_CONDITION)
			continue;
		/* There are two words, at multiples of 8 bytes. */
		assert_int_equal(wait_marks_offset(marks), offset & ~7ull);
		known++;
	}
	assert_int_not_equal(known, 0);
	vec_free(&spots);
}

static void unlock_wakes(void **state)
{
	struct spot_list spots = {0}, waits = {0};

	(void)state;
	find(REQUEST_WAKES, &spots);
	find(REQUEST_WAITS, &waits);
	assert_int_not_equal(spots.count, 0);
	for (size_t i = 0; i < spots.count; i++)
		for (size_t j = 0; j < waits.count; j++)
			assert_int_not_equal(spots.data[i].address,
					     waits.data[j].address);
	vec_free(&spots);
	vec_free(&waits);
}

static void marks_keep_kind_and_offset(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < LOCK_KINDS; kind++) {
		for (int32_t offset = 0; offset < 120; offset += 4) {
			uint8_t marks = wait_marks(kind, offset);

			assert_int_equal(wait_marks_kind(marks), kind);
			assert_int_equal(wait_marks_offset(marks), offset);
		}
		assert_true(wait_marks_offset(wait_marks(kind, -1)) < 0);
		assert_true(wait_marks_offset(wait_marks(kind, 4000)) < 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_kinds_of_waits_are_found),
		cmocka_unit_test(each_is_a_call_and_ends_behind_it),
		cmocka_unit_test(it_is_known_where_the_word_is),
		cmocka_unit_test(
			it_is_known_where_threads_sleep_in_a_condition),
		cmocka_unit_test(unlock_wakes),
		cmocka_unit_test(marks_keep_kind_and_offset),
	};

	return cmocka_run_group_tests(tests, open_library, close_library);
}
