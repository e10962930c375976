/*
 * compared_tables.h - what a comparison needs of a file: of each leg its name,
 * its figures and its buckets
 *
 * A file may have a million legs, and of `-r N` N + 1 times as many.
 */
#ifndef SAVED_COMPARED_TABLES_H
#define SAVED_COMPARED_TABLES_H

#include "compared_names.h"
#include "packed_buckets.h"
#include "perftool/saved.h"

struct compared_leg {
	uint32_t name; /* the number of its name */
	uint32_t nth;  /* as in struct saved_leg */
	bool has_buckets;
	uint64_t id;
	uint64_t count;
	double total, mean, p50, p99, resolution;
	size_t buckets; /* where they begin in `bytes` */
};

VEC_STRUCT(compared_run_list, struct compared_tables *);

struct compared_tables {
	struct saved_tables *head;    /* has neither legs nor nodes nor runs */
	struct compared_names *names; /* those of all files */
	VEC(struct compared_leg) legs;
	struct packed_bytes bytes;
	/* The legs in the order of their names' numbers, and by the number of a
	 * name where its legs begin there. */
	uint32_t *order, *first;
	size_t name_count; /* `first` has one more */
	struct compared_run_list runs;
};

struct compared_tables *compared_create(struct compared_names *names);
/* Adds what the comparison needs of a leg. */
void compared_add(struct compared_tables *tables, const struct saved_leg *leg);
/* Gives buckets to the leg of this number, if there is one that has none. */
void compared_give_buckets(struct compared_tables *tables, uint64_t id,
			   const struct saved_bucket_list *buckets);
/* Numbers the legs of equal names, and lets compared_find() find them. */
void compared_index(struct compared_tables *tables);
/* Returns the leg, or NULL. */
const struct compared_leg *compared_find(const struct compared_tables *tables,
					 uint32_t name, uint32_t nth);
const char *compared_name(const struct compared_tables *tables,
			  const struct compared_leg *leg);

#endif
