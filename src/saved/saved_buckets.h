/*
 * saved_buckets.h - the field `buckets` of a leg, of a histogram, and of their
 * rows
 */
#ifndef SAVED_SAVED_BUCKETS_H
#define SAVED_SAVED_BUCKETS_H

#include "json_row.h"
#include "perftool/saved.h"

/* Reads the field `buckets` of the row into the list, whose content it
 * replaces. */
struct error *saved_buckets_read(struct json_stream *stream,
				 struct json_row *row,
				 struct saved_bucket_list *out);
/* Removes those that are empty. */
void saved_buckets_tidy(struct saved_bucket_list *buckets);

#endif
