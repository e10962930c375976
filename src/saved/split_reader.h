/*
 * split_reader.h - the field `by` of a node or a leg
 */
#ifndef SAVED_SPLIT_READER_H
#define SAVED_SPLIT_READER_H

#include "json_row.h"
#include "perftool/saved.h"

/* Reads the object that comes next as the field of the row, which is a struct
 * saved_split *. It is freed with the node or the leg, also after an error. */
struct error *saved_split_read(struct json_stream *stream,
			       struct json_row *row);

#endif
