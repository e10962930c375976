/*
 * matrix.c - adds up square matrices, row by row and column by column
 *
 * sum_rows(n) and sum_columns(n) add up the same n * n numbers, in another
 * order. There are as many additions for each n.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SMALLEST = 64, LARGEST = 1024, ROUNDS = 25, ADDITIONS = 1 << 20 };

static unsigned numbers[LARGEST * LARGEST];

unsigned sum_rows(unsigned n)
{
	unsigned sum = 0;

	for (unsigned again = 0; again < ADDITIONS / (n * n); again++)
		for (unsigned row = 0; row < n; row++)
			for (unsigned column = 0; column < n; column++)
				sum += numbers[row * n + column];
	return sum;
}

unsigned sum_columns(unsigned n)
{
	unsigned sum = 0;

	for (unsigned again = 0; again < ADDITIONS / (n * n); again++)
		for (unsigned column = 0; column < n; column++)
			for (unsigned row = 0; row < n; row++)
				sum += numbers[row * n + column];
	return sum;
}

int main(void)
{
	unsigned by_rows = 0, by_columns = 0;

	for (unsigned i = 0; i < LARGEST * LARGEST; i++)
		numbers[i] = i * 2654435761u >> 20;
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned n = SMALLEST; n <= LARGEST; n *= 4) {
			by_rows += sum_rows(n);
			by_columns += sum_columns(n);
			numbers[0]++; /* the next sums are other ones */
		}
	}
	printf("The sums are %u and %u.\n", by_rows, by_columns);
	return by_rows != by_columns;
}
