/*
 * poisson_tables.h - how often something happens that happens N times on
 * average, drawn from tables
 *
 * A bootstrap over a histogram draws such a number for each bucket, thousands
 * of times. Many buckets have the same small count, and so the same table.
 */
#ifndef COMPARE_POISSON_TABLES_H
#define COMPARE_POISSON_TABLES_H

#include <stdint.h>

/* The largest mean that has a table. */
#define POISSON_MEAN_MAX 50

enum { POISSON_NUMBERS = 128, POISSON_STARTS = 64 };

struct poisson_table {
	/* Of each number n, the part of the drawn numbers that are at most n,
	 * times 2^32. Beyond the last one there is less than 1 / 2^32. */
	uint32_t at_most[POISSON_NUMBERS];
	/* where the search begins, by the highest bits */
	uint8_t start[POISSON_STARTS];
};

struct poisson_tables {
	/* by the mean; made when they are first needed */
	struct poisson_table *of[POISSON_MEAN_MAX + 1];
};

/* `mean` is 1 to POISSON_MEAN_MAX. The table belongs to `tables`. */
const struct poisson_table *poisson_table(struct poisson_tables *tables,
					  uint64_t mean);
void poisson_tables_deinit(struct poisson_tables *tables);

/* Returns the number for 32 random bits. */
static inline unsigned poisson_number(const struct poisson_table *table,
				      uint32_t bits)
{
	unsigned number =
		table->start[bits / (UINT32_MAX / POISSON_STARTS + 1)];

	while (number < POISSON_NUMBERS - 1 && bits >= table->at_most[number])
		number++;
	return number;
}

#endif
