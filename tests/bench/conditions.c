/*
 * conditions.c - places where a condition has something to look at
 *
 * usage: conditions stack|register COUNT: prints what one call of on_stack() or
 * in_register() costs, in ns. They do the same; where their variables are is
 * the difference.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct item {
	long y;
	int x;
	const char *name;
};

/* kept by the compiler as they are */
static volatile long sum;

__attribute__((noinline, optimize("O0"))) void on_stack(struct item *p, int n)
{
	int local = n + 1;

	sum += local + p->x; /* the line of on_stack */
}

__attribute__((noinline)) void in_register(struct item *p, int n)
{
	int local = n + p->x;

	sum = local; /* the line of in_register */
	sum = local + 1;
}

static double clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double time_calls(void (*function)(struct item *, int),
			 struct item *item, long count)
{
	double start = clock_ns();

	for (long i = 0; i < count; i++)
		function(item, (int)(i & 3));
	return (clock_ns() - start) / (double)count;
}

int main(int argc, char **argv)
{
	struct item item = {.x = 7, .name = "lrange"};
	void (*function)(struct item *, int);
	long count;

	if (argc < 3)
		return 2;
	count = strtol(argv[2], NULL, 10);
	function = strcmp(argv[1], "stack") == 0 ? on_stack : in_register;
	time_calls(function, &item, count / 10 + 1);
	printf("ns %.1f\n", time_calls(function, &item, count));
	return 0;
}
