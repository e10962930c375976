/*
 * visit_packed.h - bytes as a compressed section
 *
 * The input is the size that the section's header claims (3 bytes), how it is
 * read (a byte), and what is inflated.
 */
#ifndef VISIT_PACKED_H
#define VISIT_PACKED_H

#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "debuginfo/elf/compressed_section.h"

static inline void visit_packed(const uint8_t *data, size_t size)
{
	Elf64_Chdr header = {.ch_type = ELFCOMPRESS_ZLIB};
	static const uint8_t zlib[] = {0x78, 0x01};
	struct packed *packed;
	int fd = memfd_create("packed", MFD_CLOEXEC);
	uint8_t *out;
	size_t step;

	if (size < 4 || fd < 0) {
		if (fd >= 0)
			close(fd);
		return;
	}
	header.ch_size = (uint64_t)(data[0] | data[1] << 8 | data[2] << 16);
	step = data[3] * 64U + 1;
	if (write(fd, &header, sizeof(header)) != sizeof(header) ||
	    write(fd, zlib, sizeof(zlib)) != sizeof(zlib) ||
	    write(fd, data + 4, size - 4) != (ssize_t)(size - 4))
		abort();
	packed = packed_open(fd, 0, sizeof(header) + sizeof(zlib) + size - 4,
			     NULL);
	out = malloc(step); /* for the sanitizer to see its end */
	while (packed && out && packed_read(packed, out, step))
		packed_mark(packed);
	for (uint64_t at = header.ch_size; packed && out && at; at /= 2)
		if (packed_seek(packed, at - 1))
			packed_read(packed, out, 1);
	free(out);
	packed_close(packed);
	close(fd);
}

#endif
