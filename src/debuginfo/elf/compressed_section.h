/*
 * compressed_section.h - a compressed section that is inflated piece by piece
 *
 * Debug information is large, and the reader looks at most of it once or never.
 * The reader therefore inflates a section from its beginning to its end and
 * does not keep all inflated bytes. It saves marks: copies of the inflater's
 * state at some places. If bytes are needed again, the reader inflates them
 * again from the last mark before them. Only sections that zlib's deflate
 * compressed (ELFCOMPRESS_ZLIB) are supported.
 */
#ifndef PERFTOOL_DEBUGINFO_COMPRESSED_SECTION_H
#define PERFTOOL_DEBUGINFO_COMPRESSED_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct packed;

/*
 * Open a section with the flag SHF_COMPRESSED, which is the `size` bytes at
 * `offset` of the file `fd`. The caller keeps `fd` open as long as the result
 * is used. NULL: the section is compressed in another way, or its header makes
 * no sense. If this function or a later one cannot read the file, it stores the
 * errno in `*failure`, which must live as long as the result; `failure` may be
 * NULL. The caller frees the result with packed_close().
 */
struct packed *packed_open(int fd, uint64_t offset, uint64_t size,
			   int *failure);
void packed_close(struct packed *packed);

/* The size of the inflated section in bytes, as the section's compression
 * header has it. */
uint64_t packed_size(const struct packed *packed);

/* The current place in the section: the number of inflated bytes before the
 * next byte that packed_read() will read. */
uint64_t packed_place(const struct packed *packed);

/* Read the next `size` inflated bytes. False: the section has fewer bytes left,
 * is broken, or could not be read. */
bool packed_read(struct packed *packed, void *out, size_t size);

/* Save a mark at the current place, if the last mark lies far enough before
 * this place. */
void packed_mark(struct packed *packed);

/*
 * Go to a place in the inflated bytes, from the current place or from the last
 * mark before the new place. False: the bytes up to the new place cannot be
 * inflated.
 */
bool packed_seek(struct packed *packed, uint64_t offset);

/*
 * Marks can be stored, and given to a reader of the same section in another
 * process. `state` has packed_state_size() bytes, which only the same build of
 * the inflating library understands: `*out` of packed_library() describes the
 * file that has the library.
 */
struct packed_mark {
	uint64_t place; /* offset in the inflated bytes */
	uint64_t input; /* offset in the file of the next compressed byte */
	const void *state;
};

size_t packed_state_size(void);
struct stat;
bool packed_library(struct stat *out);

/* The mark number `index`, from 0 on. False: there is no such mark. */
bool packed_get_mark(const struct packed *packed, size_t index,
		     struct packed_mark *out);

/* Add a mark behind the others. The function copies the state. False: the mark
 * makes no sense here. */
bool packed_put_mark(struct packed *packed, const struct packed_mark *mark);

#endif
