/* file_blocks.c - see file_blocks.h */
#include "file_blocks.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perftool/base/alloc.h"

#define BLOCK 16384
/* A block has one place, and takes it from the one that was there. */
#define PLACES 64

struct block {
	off_t offset;
	size_t size; /* less than BLOCK at the end of the file */
	unsigned char bytes[BLOCK];
};

struct file_blocks {
	bool is_busy; /* a thread reads or fills a block */
	struct block *places[PLACES];
};

struct file_blocks *file_blocks_create(void)
{
	return xcalloc(1, sizeof(struct file_blocks));
}

void file_blocks_destroy(struct file_blocks *blocks)
{
	for (size_t i = 0; blocks && i < PLACES; i++)
		free(blocks->places[i]);
	free(blocks);
}

/* Returns NULL, and sets errno, if the file cannot be read. */
static const struct block *find_block(struct file_blocks *blocks, int fd,
				      off_t offset)
{
	struct block **place = &blocks->places[offset / BLOCK % PLACES];
	struct block *block = *place;
	ssize_t got;

	if (block && block->offset == offset)
		return block;
	if (!block)
		block = xmalloc(sizeof(*block));
	*place = NULL;
	got = pread(fd, block->bytes, BLOCK, offset);
	if (got <= 0) {
		free(block);
		return NULL;
	}
	block->offset = offset;
	block->size = (size_t)got;
	*place = block;
	return block;
}

static ssize_t read_block(struct file_blocks *blocks, int fd, void *buffer,
			  size_t size, off_t offset)
{
	size_t into = (size_t)(offset % BLOCK);
	const struct block *block =
		find_block(blocks, fd, offset - (off_t)into);

	if (!block || into >= block->size)
		return -1;
	if (size > block->size - into)
		size = block->size - into;
	memcpy(buffer, block->bytes + into, size);
	return (ssize_t)size;
}

ssize_t file_blocks_read(struct file_blocks *blocks, int fd, void *buffer,
			 size_t size, off_t offset)
{
	ssize_t got = -1;

	if (offset >= 0 && size <= BLOCK / 4 &&
	    !__atomic_test_and_set(&blocks->is_busy, __ATOMIC_ACQUIRE)) {
		got = read_block(blocks, fd, buffer, size, offset);
		__atomic_clear(&blocks->is_busy, __ATOMIC_RELEASE);
	}
	/* Of a failure, the file itself says what it is. */
	return got > 0 ? got : pread(fd, buffer, size, offset);
}
