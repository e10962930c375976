/*
 * saved_histogram.h - the histograms that a command has made: reading one, and
 * adding it up
 *
 * The hdr histogram of a leg is not among them: the leg itself has its buckets.
 */
#ifndef SAVED_SAVED_HISTOGRAM_H
#define SAVED_SAVED_HISTOGRAM_H

#include "json_fields.h"
#include "perftool/histogram.h"
#include "perftool/saved.h"

/* Reads a row of `histograms`, without its buckets. Returns false if the row is
 * the hdr histogram of a leg, or of a class that is not known; `*out` is empty
 * then. */
bool histogram_row_read(struct json_row *row, struct saved_histogram *out);
void histogram_row_deinit(struct saved_histogram *row);

/* Adds the histogram of a file to `*sum`, which is made if it is NULL. Returns
 * false if the two do not have the same buckets. */
bool histogram_row_add(const struct saved_histogram *row,
		       struct histogram **sum);

#endif
