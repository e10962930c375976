/*
 * gzip_sink.h - bytes on their way to a profile's file, compressed as gzip does
 */
#ifndef REPORT_GZIP_SINK_H
#define REPORT_GZIP_SINK_H

#include <zlib.h>

#include "profile_sink.h"

struct gzip_sink {
	z_stream stream;
	struct profile_sink *sink;
};

void gzip_sink_begin(struct gzip_sink *gzip, struct profile_sink *sink);
void gzip_sink_put(struct gzip_sink *gzip, const void *bytes, size_t length);
void gzip_sink_end(struct gzip_sink *gzip);

#endif
