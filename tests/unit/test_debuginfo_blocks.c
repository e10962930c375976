/*
 * test_debuginfo_blocks.c - blocks of a file that are read once
 *
 * tier: core
 * covers: debuginfo/elf
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debuginfo/elf/file_blocks.h"

/* More than all blocks together have, and no whole number of them. */
#define SIZE (3 * 1024 * 1024 + 77)

static uint8_t byte_at(size_t offset)
{
	return (uint8_t)(offset * 31 + offset / 4096);
}

static int make_file(void)
{
	char path[] = "/tmp/perftool-blocks.XXXXXX";
	int fd = mkstemp(path);
	uint8_t *bytes = malloc(SIZE);

	assert_true(fd >= 0);
	assert_non_null(bytes);
	unlink(path);
	for (size_t i = 0; i < SIZE; i++)
		bytes[i] = byte_at(i);
	assert_int_equal(write(fd, bytes, SIZE), SIZE);
	free(bytes);
	return fd;
}

/* Read as whoever needs all the bytes does. */
static size_t read_all(struct file_blocks *blocks, int fd, uint8_t *buffer,
		       size_t size, size_t offset)
{
	size_t done = 0;
	ssize_t got;

	while (done < size &&
	       (got = file_blocks_read(blocks, fd, buffer + done, size - done,
				       (off_t)(offset + done))) > 0)
		done += (size_t)got;
	return done;
}

static void test_bytes_are_those_of_the_file(void **state)
{
	struct file_blocks *blocks = file_blocks_create();
	uint8_t bytes[9000];
	int fd = make_file();
	uint32_t random = 1;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		size_t offset, size, end;

		random = random * 1664525 + 1013904223;
		offset = (random >> 4) % (SIZE + 100);
		size = 1 + (random >> 9) % (i % 50 ? 40 : sizeof(bytes));
		end = offset >= SIZE ? 0 : SIZE - offset;
		assert_int_equal(read_all(blocks, fd, bytes, size, offset),
				 size < end ? size : end);
		for (size_t j = 0; j < size && j < end; j++)
			if (bytes[j] != byte_at(offset + j))
				fail_msg("byte %zu is wrong", offset + j);
	}
	file_blocks_destroy(blocks);
	close(fd);
}

static void test_a_block_is_read_once(void **state)
{
	struct file_blocks *blocks = file_blocks_create();
	int fd = make_file();
	uint8_t byte;

	(void)state;
	assert_int_equal(file_blocks_read(blocks, fd, &byte, 1, 100), 1);
	assert_int_equal(byte, byte_at(100));
	/* What is kept can be read when the file has been cut. */
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(file_blocks_read(blocks, fd, &byte, 1, 7000), 1);
	assert_int_equal(byte, byte_at(7000));
	assert_int_equal(file_blocks_read(blocks, fd, &byte, 1, 1000000), 0);
	file_blocks_destroy(blocks);
	close(fd);
}

static void test_failures_are_those_of_pread(void **state)
{
	struct file_blocks *blocks = file_blocks_create();
	int fd = make_file();
	uint8_t byte;

	(void)state;
	errno = 0;
	assert_int_equal(file_blocks_read(blocks, -1, &byte, 1, 0), -1);
	assert_int_equal(errno, EBADF);
	errno = 0;
	assert_int_equal(file_blocks_read(blocks, fd, &byte, 1, -5), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(file_blocks_read(blocks, fd, &byte, 1, SIZE), 0);
	/* After a failure, the bytes are read. */
	assert_int_equal(file_blocks_read(blocks, fd, &byte, 1, 0), 1);
	assert_int_equal(byte, byte_at(0));
	file_blocks_destroy(blocks);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes_are_those_of_the_file),
		cmocka_unit_test(test_a_block_is_read_once),
		cmocka_unit_test(test_failures_are_those_of_pread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
