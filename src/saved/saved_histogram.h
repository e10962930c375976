/*
 * saved_histogram.h - the histograms that a command has made: reading one, and
 * adding it up
 *
 * The hdr histogram of a leg is not among them: the leg itself has its buckets.
 */
#ifndef SAVED_SAVED_HISTOGRAM_H
#define SAVED_SAVED_HISTOGRAM_H

#include "json_row.h"
#include "perftool/histogram.h"
#include "perftool/saved.h"

/* Reads a row of `histograms`. `is_known`: the buckets are not needed if it is
 * the hdr histogram of a leg. `*wrong` is that of struct json_row. */
struct error *histogram_row_read(struct json_stream *stream, bool is_known,
				 struct saved_histogram *out,
				 const char **wrong);
/* Has a command made it? The hdr histogram of a leg is not, nor is one of a
 * class that is not known. */
bool histogram_row_is_made(const struct saved_histogram *row);
void histogram_row_deinit(struct saved_histogram *row);

/* Adds the histogram of a file to `*sum`, which is made if it is NULL. Returns
 * false if the two do not have the same buckets. */
bool histogram_row_add(const struct saved_histogram *row,
		       struct histogram **sum);

#endif
