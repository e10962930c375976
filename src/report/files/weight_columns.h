/*
 * weight_columns.h - the kinds of weight that the samples of a profile have,
 * for formats that keep them apart
 */
#ifndef REPORT_WEIGHT_COLUMNS_H
#define REPORT_WEIGHT_COLUMNS_H

#include "perftool/report/profile_files.h"

struct weight_column {
	const char *name;  /* one word */
	const char *title; /* for people */
};

struct weight_columns {
	struct weight_column list[SAMPLE_REASONS];
	size_t count;              /* at least 1 */
	size_t of[SAMPLE_REASONS]; /* the column of each reason */
	/* the samples are ticks of a known rate: this many ns each; 0: no */
	double ns;
};

/* The columns are those of the samples' reasons, or that of `watch` if there is
 * no sample. */
void weight_columns_init(struct weight_columns *columns,
			 const struct profile *profile);

/* A weight of ticks as a time, or any other weight as it is. */
uint64_t weight_cost(const struct weight_columns *columns, uint64_t weight);

#endif
