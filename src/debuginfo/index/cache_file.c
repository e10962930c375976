/* cache_file.c - see cache_file.h */
#include "cache_file.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

/* To be raised when what a file has, or what it means, changes. */
#define CACHE_VERSION 1
#define CACHE_MAGIC "ptindex"

/* A writer gives up if this many names for its new file are taken. */
#define MOST_NAMES 16

/* ---- checksums ----------------------------------------------------------- */

/* An odd number with many bits (the golden ratio). */
#define FACTOR 0x9e3779b97f4a7c15ULL

/* Add `size` bytes, a multiple of CHECKSUM_BLOCK. Each step can be undone, so a
 * change of one word always changes the result. The four lanes do not wait for
 * each other, which makes this as fast as memory. */
static void checksum_add(struct checksum *sum, const uint8_t *data, size_t size)
{
	uint64_t word;

	for (size_t i = 0; i < size; i += CHECKSUM_BLOCK) {
		for (size_t lane = 0; lane < 4; lane++) {
			memcpy(&word, data + i + lane * sizeof(word),
			       sizeof(word));
			word = (sum->lanes[lane] ^ word) * FACTOR;
			sum->lanes[lane] = word << 31 | word >> 33;
		}
	}
}

static uint64_t checksum_end(const struct checksum *sum)
{
	uint64_t hash = FACTOR;

	for (size_t lane = 0; lane < 4; lane++) {
		hash = (hash ^ sum->lanes[lane]) * FACTOR;
		hash = hash << 31 | hash >> 33;
	}
	return hash;
}

static uint64_t checksum_of(const void *data, size_t size)
{
	struct checksum sum = {{1, 2, 3, 4}};
	uint8_t rest[CHECKSUM_BLOCK] = {0};
	size_t whole = size / CHECKSUM_BLOCK * CHECKSUM_BLOCK;

	checksum_add(&sum, data, whole);
	memcpy(rest, (const uint8_t *)data + whole, size - whole);
	checksum_add(&sum, rest, sizeof(rest));
	return checksum_end(&sum);
}

static uint64_t head_checksum(const struct cache_head *head)
{
	return checksum_of(head, offsetof(struct cache_head, checksum));
}

/* ---- keys ---------------------------------------------------------------- */

static bool is_build_id(const char *text)
{
	size_t length = strlen(text);

	return length >= 8 && length <= CACHE_BUILD_ID_MAX &&
	       strspn(text, "0123456789abcdef") == length;
}

static struct file_stamp stamp_of(const struct stat *stat)
{
	return (struct file_stamp){
		.size = (uint64_t)stat->st_size,
		.seconds = (uint64_t)stat->st_mtim.tv_sec,
		.nanoseconds = (uint64_t)stat->st_mtim.tv_nsec,
	};
}

/* The file of the tool's own code: the program perftool, or the library, which
 * another program has loaded. */
static bool stat_tool(struct stat *out)
{
	struct link_map *own = NULL;
	Dl_info info;

	if (dladdr1((void *)stat_tool, &info, (void **)&own, RTLD_DL_LINKMAP) &&
	    own && own->l_name && *own->l_name)
		return stat(own->l_name, out) == 0;
	return stat("/proc/self/exe", out) == 0;
}

bool cache_key_init(struct cache_key *key, struct debugfile *file)
{
	struct stat found, tool, library;

	memset(key, 0, sizeof(*key));
	if (!file->build_id || !is_build_id(file->build_id) ||
	    fstat(file_dwarf_fd(file), &found) < 0 || !stat_tool(&tool) ||
	    !packed_library(&library))
		return false;
	memcpy(key->magic, CACHE_MAGIC, sizeof(key->magic));
	key->version = CACHE_VERSION;
	memcpy(key->build_id, file->build_id, strlen(file->build_id));
	key->file = stamp_of(&found);
	for (enum section_id id = 0; id < SECTION_COUNT; id++)
		key->section_sizes[id] = file_section_size(file, id);
	key->tool = stamp_of(&tool);
	key->library = stamp_of(&library);
	key->state_size = packed_state_size();
	return true;
}

/* ---- reading ------------------------------------------------------------- */

static bool read_bytes(int fd, void *out, uint64_t size, uint64_t offset)
{
	while (size) {
		ssize_t got = pread(fd, out, size, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		out = (char *)out + got;
		offset += (uint64_t)got;
		size -= (uint64_t)got;
	}
	return true;
}

/* Open the file for `key`, and read its head. The result is a file descriptor,
 * or -1 if there is no file that may be used. */
static int open_file(int folder, const struct cache_key *key,
		     struct cache_head *head)
{
	char name[CACHE_BUILD_ID_MAX + sizeof(CACHE_SUFFIX)];
	struct stat found;
	int fd;

	snprintf(name, sizeof(name), "%s%s", key->build_id, CACHE_SUFFIX);
	/* A pipe must not make the tool wait. */
	fd = openat(folder, name,
		    O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return -1;
	if (fstat(fd, &found) == 0 && S_ISREG(found.st_mode) &&
	    cache_is_own(&found) && read_bytes(fd, head, sizeof(*head), 0) &&
	    memcmp(&head->key, key, sizeof(*key)) == 0 &&
	    head->checksum == head_checksum(head))
		return fd;
	close(fd);
	return -1;
}

static bool read_part(int fd, const struct cache_range *range,
		      struct bytes *out)
{
	uint8_t *data;

	if (!range->size || range->size > CACHE_MOST_OF_FILE ||
	    range->offset > CACHE_MOST_OF_FILE)
		return false;
	data = malloc(range->size);
	if (!data)
		return false;
	if (!read_bytes(fd, data, range->size, range->offset) ||
	    checksum_of(data, range->size) != range->checksum) {
		free(data);
		return false;
	}
	*out = (struct bytes){data, range->size};
	return true;
}

bool cache_read(const char *path, const struct cache_key *key,
		enum cache_part part, struct bytes *out)
{
	int folder = cache_folder_open(path, false), fd;
	struct cache_head head;
	bool read = false;

	if (folder < 0)
		return false;
	fd = open_file(folder, key, &head);
	if (fd >= 0) {
		read = read_part(fd, &head.parts[part], out);
		/* The time tells which files were used least recently. */
		futimens(fd, NULL);
		close(fd);
	}
	close(folder);
	return read;
}

/* ---- writing ------------------------------------------------------------- */

/* Write to the file. A limit on the size of files (setrlimit(2)) makes the
 * kernel send SIGXFSZ, which would kill the tool, so the signal is blocked, and
 * taken if it has come. */
static bool write_bytes(int fd, const uint8_t *data, size_t size,
			uint64_t offset)
{
	const struct timespec now = {0};
	sigset_t too_large, before;
	bool written = true;

	sigemptyset(&too_large);
	sigaddset(&too_large, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &too_large, &before);
	while (size) {
		ssize_t got = pwrite(fd, data, size, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			written = false;
			break;
		}
		data += got;
		offset += (uint64_t)got;
		size -= (size_t)got;
	}
	if (!written && !sigismember(&before, SIGXFSZ))
		sigtimedwait(&too_large, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return written;
}

static void flush(struct cache_writer *writer)
{
	if (writer->place + writer->used > CACHE_MOST_OF_FILE)
		writer->failed = true;
	if (!writer->failed && writer->used) {
		checksum_add(&writer->checksum, writer->buffer, writer->used);
		writer->failed = !write_bytes(writer->fd, writer->buffer,
					      writer->used, writer->place);
	}
	writer->place += writer->used;
	writer->used = 0;
}

static void begin_part(struct cache_writer *writer)
{
	writer->checksum = (struct checksum){{1, 2, 3, 4}};
}

bool cache_writer_begin(struct cache_writer *writer, const char *folder,
			const struct cache_key *key)
{
	memset(writer, 0, offsetof(struct cache_writer, buffer));
	writer->head.key = *key;
	writer->place = sizeof(writer->head);
	writer->folder = cache_folder_open(folder, true);
	if (writer->folder < 0)
		return false;
	writer->fd = -1;
	for (int i = 0; i < MOST_NAMES && writer->fd < 0; i++) {
		snprintf(writer->name, sizeof(writer->name), "%s.%d.%d%s",
			 key->build_id, (int)getpid(), i, CACHE_NEW_SUFFIX);
		writer->fd =
			openat(writer->folder, writer->name,
			       O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (writer->fd < 0 && errno != EEXIST)
			break;
	}
	if (writer->fd < 0) {
		close(writer->folder);
		return false;
	}
	begin_part(writer);
	return true;
}

void cache_write(struct cache_writer *writer, const void *data, size_t size)
{
	const uint8_t *from = data;

	while (size) {
		size_t room = CACHE_BUFFER - writer->used;
		size_t some = size < room ? size : room;

		memcpy(writer->buffer + writer->used, from, some);
		writer->used += some;
		from += some;
		size -= some;
		if (writer->used == CACHE_BUFFER)
			flush(writer);
	}
}

void cache_align(struct cache_writer *writer)
{
	static const uint8_t zeros[CHECKSUM_BLOCK];
	size_t over = writer->used % CHECKSUM_BLOCK;

	if (over)
		cache_write(writer, zeros, CHECKSUM_BLOCK - over);
}

void cache_part_end(struct cache_writer *writer, enum cache_part part)
{
	static const uint8_t zeros[CHECKSUM_BLOCK];
	struct cache_range *range = &writer->head.parts[part];

	cache_align(writer);
	flush(writer);
	range->offset = part ? writer->head.parts[part - 1].offset +
					writer->head.parts[part - 1].size
			     : sizeof(writer->head);
	range->size = writer->place - range->offset;
	/* checksum_of() ends with a block that is not full. */
	checksum_add(&writer->checksum, zeros, sizeof(zeros));
	range->checksum = checksum_end(&writer->checksum);
	begin_part(writer);
}

void cache_writer_end(struct cache_writer *writer, bool keep)
{
	char name[CACHE_BUILD_ID_MAX + sizeof(CACHE_SUFFIX)];

	writer->head.checksum = head_checksum(&writer->head);
	if (!writer->failed && keep)
		writer->failed =
			!write_bytes(writer->fd, (const uint8_t *)&writer->head,
				     sizeof(writer->head), 0);
	/* Some file systems report only here that the disk is full. */
	if (close(writer->fd) < 0)
		writer->failed = true;
	snprintf(name, sizeof(name), "%s%s", writer->head.key.build_id,
		 CACHE_SUFFIX);
	if (writer->failed || !keep ||
	    renameat(writer->folder, writer->name, writer->folder, name) < 0)
		unlinkat(writer->folder, writer->name, 0);
	else
		cache_folder_tidy(writer->folder);
	close(writer->folder);
}
