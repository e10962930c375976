/* poisson_tables.c - see poisson_tables.h */
#include "poisson_tables.h"

#include <math.h>
#include <stdlib.h>

#include "perftool/base/alloc.h"

static struct poisson_table *make(double mean)
{
	struct poisson_table *table = xmalloc(sizeof(*table));
	double part = exp(-mean), sum = part;
	unsigned number = 0;

	for (unsigned i = 0; i < POISSON_NUMBERS; i++) {
		table->at_most[i] = sum * 0x1p32 < UINT32_MAX
					    ? (uint32_t)(sum * 0x1p32)
					    : UINT32_MAX;
		part *= mean / (i + 1);
		sum += part;
	}
	for (uint32_t i = 0; i < POISSON_STARTS; i++) {
		uint32_t bits = i * (UINT32_MAX / POISSON_STARTS + 1);

		while (number < POISSON_NUMBERS - 1 &&
		       bits >= table->at_most[number])
			number++;
		table->start[i] = (uint8_t)number;
	}
	return table;
}

const struct poisson_table *poisson_table(struct poisson_tables *tables,
					  uint64_t mean)
{
	if (!tables->of[mean])
		tables->of[mean] = make((double)mean);
	return tables->of[mean];
}

void poisson_tables_deinit(struct poisson_tables *tables)
{
	for (unsigned i = 0; i <= POISSON_MEAN_MAX; i++)
		free(tables->of[i]);
	*tables = (struct poisson_tables){0};
}
