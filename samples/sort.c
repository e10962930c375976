/*
 * sort.c - a merge sort that leaves short runs to insertion sort
 *
 * The program itself counts the calls of its functions, and adds up the lengths
 * of the runs that insertion_sort() sorts.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"

enum { COUNT = 5000, SHORT = 12 };

static int numbers[COUNT], scratch[COUNT];
static unsigned long compares, insertion_sorts, merges, elements_inserted;

int compare(int a, int b)
{
	compares++;
	return (a > b) - (a < b);
}

void insertion_sort(int *run, size_t length)
{
	insertion_sorts++;
	elements_inserted += length;
	for (size_t i = 1; i < length; i++) {
		int moving = run[i];
		size_t hole = i;

		for (; hole > 0 && compare(run[hole - 1], moving) > 0; hole--)
			run[hole] = run[hole - 1];
		run[hole] = moving;
	}
}

void merge(int *run, size_t middle, size_t length)
{
	size_t left = 0, right = middle, out = 0;

	merges++;
	while (left < middle && right < length) {
		if (compare(run[left], run[right]) <= 0)
			scratch[out++] = run[left++];
		else
			scratch[out++] = run[right++];
	}
	memcpy(scratch + out, run + left, (middle - left) * sizeof(*run));
	memcpy(run, scratch, (out + middle - left) * sizeof(*run));
}

void merge_sort(int *run, size_t length)
{
	if (length <= SHORT) {
		insertion_sort(run, length);
		return;
	}
	merge_sort(run, length / 2);
	merge_sort(run + length / 2, length - length / 2);
	merge(run, length / 2, length);
}

int main(void)
{
	unsigned long long seed = 1;
	uint64_t start;

	for (size_t i = 0; i < COUNT; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		numbers[i] = (int)(seed >> 40);
	}
	start = now_ns();
	merge_sort(numbers, COUNT);
	printf("sorted %d numbers in %.3f ms\n", COUNT,
	       (double)(now_ns() - start) / 1e6);
	printf("%lu compare, %lu insertion_sort of %lu numbers, %lu merge\n",
	       compares, insertion_sorts, elements_inserted, merges);
	for (size_t i = 1; i < COUNT; i++)
		if (numbers[i - 1] > numbers[i])
			return 1;
	return 0;
}
