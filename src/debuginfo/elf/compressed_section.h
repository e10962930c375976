/*
 * compressed_section.h - a compressed section, inflated piece by piece
 *
 * Debug information is large, and most of it is looked at once or never: it is
 * read in order, and again from a mark near what is wanted, so that it need not
 * be kept. Deflated by zlib (ELFCOMPRESS_ZLIB) only.
 */
#ifndef PERFTOOL_DEBUGINFO_COMPRESSED_SECTION_H
#define PERFTOOL_DEBUGINFO_COMPRESSED_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct packed;

/*
 * The `size` bytes at `offset` of the file `fd`, which must stay open, are a
 * section with the flag SHF_COMPRESSED. NULL: it is compressed otherwise, or
 * its header makes no sense. `failure` (may be NULL) gets the errno of a
 * read that fails; it must stay, too.
 */
struct packed *packed_open(int fd, uint64_t offset, uint64_t size,
			   int *failure);
void packed_close(struct packed *packed);

/* Bytes of the section once it is inflated, as its header has it. */
uint64_t packed_size(const struct packed *packed);

/* How many have been read, or gone past. */
uint64_t packed_place(const struct packed *packed);

/* The next bytes; false: there are not that many that can be inflated. */
bool packed_read(struct packed *packed, void *out, size_t size);

/* Remember the present place, if the mark before it is some way back. */
void packed_mark(struct packed *packed);

/* Go to a place, from the mark before it. */
bool packed_seek(struct packed *packed, uint64_t offset);

#endif
