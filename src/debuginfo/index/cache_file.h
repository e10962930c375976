/*
 * cache_file.h - files that keep what was read of debug information
 *
 * A cache file belongs to one build id, and is in a folder of the user. It has
 * a head and two parts. The head says what the parts were made from (struct
 * cache_key). The head and each part have a checksum. A file that is not
 * exactly what this version of the tool would write for the same debug
 * information counts as missing, and nothing here is an error for the user:
 * without the file, the tool reads the debug information itself.
 *
 * A writer writes a file under another name and renames it. So a reader sees a
 * whole file or none, and of several writers the last one wins, which does no
 * harm, because all write the same.
 */
#ifndef PERFTOOL_DEBUGINFO_CACHE_FILE_H
#define PERFTOOL_DEBUGINFO_CACHE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debuginfo/elf/elf.h"

/* The longest build id, in hexadecimal digits, for which there are files. */
#define CACHE_BUILD_ID_MAX 127

/* What tells one version of a file from another. */
struct file_stamp {
	uint64_t size, seconds, nanoseconds;
};

/* Everything that the contents of a file depend on. Two keys are compared byte
 * by byte, so all bytes must be set, which cache_key_init() does. */
struct cache_key {
	char magic[8];
	uint64_t version;
	char build_id[CACHE_BUILD_ID_MAX + 1];
	/* The file that has the debug information: files of the same build id
	 * may be compressed in different ways, for example. */
	struct file_stamp file;
	uint64_t section_sizes[SECTION_COUNT];
	/* The tool itself: another build of it may find other things. */
	struct file_stamp tool;
	/* The library that inflates, and the size of its states, which are in
	 * the cache file. */
	struct file_stamp library;
	uint64_t state_size;
};

enum cache_part { CACHE_UNITS, CACHE_RESULTS, CACHE_PARTS };

struct cache_range {
	uint64_t offset, size, checksum;
};

struct cache_head {
	struct cache_key key;
	struct cache_range parts[CACHE_PARTS];
	uint64_t checksum; /* of the members above */
};

/* Set the key for the debug information of `file`. False: there can be no cache
 * file for it, for example because it has no build id. */
bool cache_key_init(struct cache_key *key, struct debugfile *file);

/* Read a part of the cache file for `key`. The caller frees `out->data`. False:
 * there is no such file, or it is not to be trusted. */
bool cache_read(const char *folder, const struct cache_key *key,
		enum cache_part part, struct bytes *out);

/* The state of a checksum. It takes blocks of CHECKSUM_BLOCK bytes. */
#define CHECKSUM_BLOCK 32
struct checksum {
	uint64_t lanes[CHECKSUM_BLOCK / sizeof(uint64_t)];
};

#define CACHE_BUFFER (64 * 1024)
struct cache_writer {
	struct cache_head head;
	int folder, fd;
	char name[CACHE_BUILD_ID_MAX + 64]; /* while the file is written */
	bool failed;
	uint64_t place; /* number of bytes before the buffer */
	size_t used;    /* number of bytes in the buffer */
	struct checksum checksum;
	uint8_t buffer[CACHE_BUFFER];
};

/* Begin a new cache file for `key`. False: it cannot be made. If true, the
 * caller calls cache_writer_end() in the end. */
bool cache_writer_begin(struct cache_writer *writer, const char *folder,
			const struct cache_key *key);

/* Append bytes to the part that is being written. */
void cache_write(struct cache_writer *writer, const void *data, size_t size);

/* Append zeros, so that the next byte is at a multiple of CHECKSUM_BLOCK. */
void cache_align(struct cache_writer *writer);

/* Append the members of a table one by one. */
static inline void cache_write_64(struct cache_writer *writer, uint64_t value)
{
	cache_write(writer, &value, sizeof(value));
}

static inline void cache_write_32(struct cache_writer *writer, uint32_t value)
{
	cache_write(writer, &value, sizeof(value));
}

/* End a part. Parts are written in the order of enum cache_part. */
void cache_part_end(struct cache_writer *writer, enum cache_part part);

/* Put the file in place, and remove the oldest files if there are too many. If
 * `keep` is false, or something has failed, remove what was written. */
void cache_writer_end(struct cache_writer *writer, bool keep);

/* Open a folder of cache files. If `create` is true, make it if it is missing.
 * The result is a file descriptor, or -1 if there is no such folder, or others
 * than the user may write to it (cache_folder.c). */
int cache_folder_open(const char *path, bool create);

/* Remove the oldest cache files of a folder until the rest is not too much, and
 * files that writers have left behind when they were killed. */
void cache_folder_tidy(int folder);

/* May a file or folder of the cache be trusted: does it belong to the user, and
 * can no other user write to it? */
struct stat;
bool cache_is_own(const struct stat *stat);

/* The ends of the names of files, finished and not. */
#define CACHE_SUFFIX ".index"
#define CACHE_NEW_SUFFIX ".new"

/* The most that a folder may have, in bytes and in files, and the most that one
 * file may have, in bytes. */
#define CACHE_MOST_BYTES (256ULL << 20)
#define CACHE_MOST_FILES 64
#define CACHE_MOST_OF_FILE (CACHE_MOST_BYTES / 2)

#endif
