/*
 * queries.c - a small data base that answers queries
 *
 * A query asks for some pages of a table, for a client. The answer is a sum
 * over these pages.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { QUERIES = 6000, TABLES = 5, CLIENTS = 6, PAGE = 512 };

struct table {
	const char *name;
	unsigned first_page;
	bool packed;
};

struct query {
	unsigned client;
	const struct table *table;
	unsigned pages; /* how many it asks for */
};

static const struct table tables[TABLES] = {
	{"orders", 100, false}, {"items", 300, false},
	{"clients", 0, false},  {"old_orders", 500, true},
	{"prices", 700, false},
};

static uint64_t random_state = 7;

static unsigned random_below(unsigned bound)
{
	random_state =
		random_state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(random_state >> 33) % bound;
}

uint64_t unpack(uint64_t word)
{
	for (unsigned i = 0; i < 60; i++)
		word = (word << 7 | word >> 57) ^ i * word;
	return word;
}

uint64_t read_page(const struct table *table, unsigned number)
{
	uint64_t sum = 0, word = table->first_page + number;

	for (unsigned i = 0; i < PAGE; i++) {
		word = word * 2862933555777941757u + 3037000493u;
		sum += table->packed ? unpack(word) : word;
	}
	return sum;
}

uint64_t answer(const struct query *query)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < query->pages; i++)
		sum += read_page(query->table, i);
	return sum;
}

/* Most queries of client 3, and a few of the others, are for the same table. */
static const struct table *choose_table(unsigned client)
{
	unsigned number = random_below(100);

	if (number < (client == 3 ? 24 : 3))
		return &tables[3];
	number = random_below(TABLES - 1);
	return &tables[number < 3 ? number : 4];
}

int main(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < QUERIES; i++) {
		struct query query;

		query.client = random_below(CLIENTS);
		query.table = choose_table(query.client);
		query.pages = 8 + random_below(8);
		sum += answer(&query);
	}
	printf("%d queries are answered (%lu).\n", QUERIES,
	       (unsigned long)(sum % 1000000));
	return 0;
}
