/*
 * file_blocks.h - blocks of a file that are kept after they were read
 *
 * Who looks at the code of thousands of functions reads a few bytes at a time,
 * mostly near those that were read before.
 */
#ifndef PERFTOOL_DEBUGINFO_FILE_BLOCKS_H
#define PERFTOOL_DEBUGINFO_FILE_BLOCKS_H

#include <stddef.h>
#include <sys/types.h>

struct file_blocks;

struct file_blocks *file_blocks_create(void);
void file_blocks_destroy(struct file_blocks *blocks);

/*
 * Read from an open file as pread(2) does, with its result and its errno. The
 * file is always the same one. Fewer bytes than there are may be read. What
 * was read before is not read again, even if somebody writes to the file.
 * Several threads may read at the same time.
 */
ssize_t file_blocks_read(struct file_blocks *blocks, int fd, void *buffer,
			 size_t size, off_t offset);

#endif
