/* gzip_sink.c - see gzip_sink.h */
#include "gzip_sink.h"

#include "perftool/base/alloc.h"

#define GZIP_WINDOW (MAX_WBITS + 16) /* a gzip header, not that of zlib */

void gzip_sink_begin(struct gzip_sink *gzip, struct profile_sink *sink)
{
	*gzip = (struct gzip_sink){.sink = sink};
	/* it can only fail for want of memory */
	if (deflateInit2(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
			 GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		out_of_memory(0);
}

/* Compress what the stream has been given. */
static void compress_input(struct gzip_sink *gzip, int flush)
{
	unsigned char block[16384];

	do {
		gzip->stream.next_out = block;
		gzip->stream.avail_out = sizeof(block);
		deflate(&gzip->stream, flush);
		str_append_n(&gzip->sink->text, (const char *)block,
			     sizeof(block) - gzip->stream.avail_out);
	} while (gzip->stream.avail_out == 0);
}

void gzip_sink_put(struct gzip_sink *gzip, const void *bytes, size_t length)
{
	const unsigned char *at = bytes;

	while (length) {
		size_t part = length < UINT32_MAX ? length : UINT32_MAX;

		gzip->stream.next_in = (unsigned char *)at;
		gzip->stream.avail_in = (uInt)part;
		compress_input(gzip, Z_NO_FLUSH);
		at += part;
		length -= part;
	}
}

void gzip_sink_end(struct gzip_sink *gzip)
{
	gzip->stream.avail_in = 0;
	compress_input(gzip, Z_FINISH);
	deflateEnd(&gzip->stream);
}
