/*
 * row_reader.h - a leg, and a node, of the lists in a file of tables
 */
#ifndef SAVED_ROW_READER_H
#define SAVED_ROW_READER_H

#include "json_row.h"
#include "perftool/saved.h"

/* Read the object that comes next. `*out` is all zero before; also after an
 * error it is to be freed. `*wrong` is that of struct json_row. */
struct error *saved_node_read(struct json_stream *stream,
			      struct saved_node *out, const char **wrong);
struct error *saved_leg_read(struct json_stream *stream, struct saved_leg *out,
			     const char **wrong);

/* Reads only what a comparison needs of a leg: name, number, figures and,
 * unless it is a leg of one of several runs, buckets. What it passes over is
 * not checked. */
struct error *saved_figures_read(struct json_stream *stream, bool is_of_run,
				 struct saved_leg *out, const char **wrong);

#endif
