/*
 * compressed_section.c - see compressed_section.h
 *
 * The library isa-l inflates the section. It is about twice as fast as zlib,
 * and its state is one plain structure that includes the last 32 KB of output.
 * A mark is a place from which the reader can inflate again: a copy of this
 * structure, with the place and the file offset that belong to it.
 */
#include "compressed_section.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <isa-l/igzip_lib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/vec.h"

#define INPUT_SIZE (256 * 1024)
#define MARK_DISTANCE (4 * 1024 * 1024) /* in inflated bytes */
#define MAX_RATIO 1032 /* the highest ratio that deflate can reach */
#define ZLIB_HEADER 2

struct mark {
	uint64_t place; /* offset in the inflated bytes */
	uint64_t input; /* offset in the file of the next compressed byte */
	struct inflate_state *state;
};

struct packed {
	int fd;
	int *failure; /* where the errno of a failed read is stored */
	uint64_t size;
	uint64_t place; /* the number of bytes inflated so far */
	/* file offsets of the compressed bytes to read next */
	uint64_t input, end;
	struct inflate_state state;
	uint8_t buffer[INPUT_SIZE];
	/* sorted by place; the first mark is at the beginning of the section */
	VEC(struct mark) marks;
};

static bool read_fully(int fd, void *out, size_t size, uint64_t offset,
		       int *failure)
{
	while (size) {
		ssize_t got = pread(fd, out, size, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && failure)
			__atomic_store_n(failure, errno, __ATOMIC_RELAXED);
		if (got <= 0)
			return false;
		out = (char *)out + got;
		offset += (uint64_t)got;
		size -= (size_t)got;
	}
	return true;
}

static void add_mark(struct packed *packed)
{
	struct mark mark = {
		.place = packed->place,
		/* `avail_in` bytes are in the buffer but not inflated yet.
		 * After a seek to this mark they are read from the file
		 * again. */
		.input = packed->input - packed->state.avail_in,
		.state = xmalloc(sizeof(*mark.state)),
	};

	*mark.state = packed->state;
	mark.state->avail_in = 0;
	vec_push(&packed->marks, mark);
}

struct packed *packed_open(int fd, uint64_t offset, uint64_t size, int *failure)
{
	struct packed *packed;
	Elf64_Chdr header;
	uint8_t zlib[ZLIB_HEADER];

	if (size <= sizeof(header) + sizeof(zlib) ||
	    !read_fully(fd, &header, sizeof(header), offset, failure) ||
	    !read_fully(fd, zlib, sizeof(zlib), offset + sizeof(header),
			failure) ||
	    header.ch_type != ELFCOMPRESS_ZLIB ||
	    header.ch_size / MAX_RATIO > size ||
	    /* Check the zlib header: the method must be deflate, without a
	     * preset dictionary. */
	    (zlib[0] & 0xf) != 8 || (zlib[0] << 8 | zlib[1]) % 31 ||
	    zlib[1] & 0x20)
		return NULL;
	packed = xmalloc(sizeof(*packed));
	packed->fd = fd;
	packed->failure = failure;
	packed->size = header.ch_size;
	packed->place = 0;
	packed->input = offset + sizeof(header) + sizeof(zlib);
	packed->end = offset + size;
	memset(&packed->marks, 0, sizeof(packed->marks));
	/* A mark copies the whole structure, so all its bytes must be
	 * defined. */
	memset(&packed->state, 0, sizeof(packed->state));
	isal_inflate_init(&packed->state);
	packed->state.crc_flag = ISAL_DEFLATE;
	add_mark(packed);
	return packed;
}

void packed_close(struct packed *packed)
{
	if (!packed)
		return;
	for (size_t i = 0; i < packed->marks.count; i++)
		free(packed->marks.data[i].state);
	vec_free(&packed->marks);
	free(packed);
}

uint64_t packed_size(const struct packed *packed)
{
	return packed->size;
}

uint64_t packed_place(const struct packed *packed)
{
	return packed->place;
}

static bool fill(struct packed *packed)
{
	uint64_t left = packed->end - packed->input;
	size_t size = left < INPUT_SIZE ? (size_t)left : INPUT_SIZE;

	if (!size || !read_fully(packed->fd, packed->buffer, size,
				 packed->input, packed->failure))
		return false;
	packed->input += size;
	packed->state.next_in = packed->buffer;
	packed->state.avail_in = (uint32_t)size;
	return true;
}

/* Inflate at most `size` bytes to `out`. The result is the number of inflated
 * bytes; 0: the section has ended, is broken, or could not be read. */
static size_t inflate_some(struct packed *packed, void *out, size_t size)
{
	struct inflate_state *state = &packed->state;
	uint32_t asked = size < INT32_MAX ? (uint32_t)size : INT32_MAX;

	state->next_out = out;
	state->avail_out = asked;
	while (state->avail_out == asked) {
		if (isal_inflate(state) != ISAL_DECOMP_OK)
			return 0;
		if (state->avail_out == asked &&
		    (state->block_state == ISAL_BLOCK_FINISH ||
		     (!state->avail_in && !fill(packed))))
			return 0;
	}
	return asked - state->avail_out;
}

bool packed_read(struct packed *packed, void *out, size_t size)
{
	while (size) {
		size_t got = inflate_some(packed, out, size);

		if (!got)
			return false;
		out = (char *)out + got;
		size -= got;
		packed->place += got;
	}
	return true;
}

void packed_mark(struct packed *packed)
{
	const struct mark *last = &packed->marks.data[packed->marks.count - 1];

	if (packed->place >= last->place &&
	    packed->place - last->place >= MARK_DISTANCE)
		add_mark(packed);
}

static bool skip(struct packed *packed, uint64_t size)
{
	uint8_t ignored[16384];

	while (size) {
		size_t part =
			size < sizeof(ignored) ? (size_t)size : sizeof(ignored);

		if (!packed_read(packed, ignored, part))
			return false;
		size -= part;
	}
	return true;
}

bool packed_seek(struct packed *packed, uint64_t offset)
{
	const struct mark *mark = packed->marks.data;

	for (size_t i = 1;
	     i < packed->marks.count && packed->marks.data[i].place <= offset;
	     i++)
		mark = &packed->marks.data[i];
	if (packed->place > offset || packed->place < mark->place) {
		packed->state = *mark->state;
		packed->place = mark->place;
		packed->input = mark->input;
	}
	return skip(packed, offset - packed->place);
}

size_t packed_state_size(void)
{
	return sizeof(struct inflate_state);
}

bool packed_library(struct stat *out)
{
	Dl_info info;

	/* If the library is linked into the program, the name is that by which
	 * the program was called, which may lead nowhere. */
	return dladdr((void *)(uintptr_t)isal_inflate, &info) &&
	       info.dli_fname && *info.dli_fname == '/' &&
	       stat(info.dli_fname, out) == 0;
}

bool packed_get_mark(const struct packed *packed, size_t index,
		     struct packed_mark *out)
{
	const struct mark *mark;

	if (index >= packed->marks.count)
		return false;
	mark = &packed->marks.data[index];
	*out = (struct packed_mark){mark->place, mark->input, mark->state};
	return true;
}

bool packed_put_mark(struct packed *packed, const struct packed_mark *mark)
{
	const struct mark *last = &packed->marks.data[packed->marks.count - 1];
	struct mark copy = {.place = mark->place, .input = mark->input};

	if (mark->place <= last->place || mark->place > packed->size ||
	    mark->input < last->input || mark->input > packed->end)
		return false;
	copy.state = xmalloc(sizeof(*copy.state));
	memcpy(copy.state, mark->state, sizeof(*copy.state));
	copy.state->avail_in = 0;
	vec_push(&packed->marks, copy);
	return true;
}
