/*
 * split_reader.h - the field `by` of a node or a leg
 */
#ifndef SAVED_SPLIT_READER_H
#define SAVED_SPLIT_READER_H

#include "json_row.h"
#include "perftool/saved.h"

/* Reads the object that comes next as a field of the row. `*out` is freed with
 * the node or the leg, also after an error. */
struct error *saved_split_read(struct json_stream *stream, struct json_row *row,
			       struct saved_split **out);

#endif
