/*
 * saved_buckets.h - the field `buckets` of a leg, of a histogram, and of their
 * rows
 */
#ifndef SAVED_SAVED_BUCKETS_H
#define SAVED_SAVED_BUCKETS_H

#include "json_row.h"
#include "perftool/saved.h"

/* Reads the field of the row, which is a struct saved_bucket_list, whose
 * content it replaces. */
struct error *saved_buckets_read(struct json_stream *stream,
				 struct json_row *row);
/* Removes those that are empty. */
void saved_buckets_tidy(struct saved_bucket_list *buckets);
/* The middle of a bucket; if it has room for one integer only, this integer. */
double bucket_middle(const struct saved_bucket *bucket);

#endif
