/*
 * marked.c - a program that has marks, and knows how often it passes them
 *
 * Flags: -Iinclude
 *
 * usage: marked COUNT | marked loop
 *
 * The program calls work() COUNT times, or until SIGTERM, with the numbers from
 * 0 on. Before each call it passes the mark shop:begin with the number, and
 * after it shop:end with the number, the sum so far (a long), its negative, and
 * a text that is "odd" or "even". Each seventh time it passes shop:seventh,
 * which is in two places and has no arguments. At its end it prints how often
 * it has called work(), and the sum.
 */
#include <perftool/mark.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile sig_atomic_t is_over;

static void end(int signal)
{
	(void)signal;
	is_over = 1;
}

static volatile unsigned spent;

/* It takes so long that the spread of an int3's cost does not hide it. */
__attribute__((noinline)) long work(int number)
{
	for (int i = 0; i < 20000; i++)
		spent += (unsigned)i;
	return number % 10;
}

int main(int argc, char **argv)
{
	int limit =
		argc > 1 && strcmp(argv[1], "loop") != 0 ? atoi(argv[1]) : 0;
	const char *word = getenv("MARKED_WORD");
	long sum = 0;
	int number;

	signal(SIGTERM, end);
	for (number = 0; !is_over && (!limit || number < limit); number++) {
		const char *kind = number % 2 ? "odd" : "even";

		PERFTOOL_MARK(shop, begin, number);
		sum += work(number);
		PERFTOOL_MARK(shop, end, number, sum, -sum, kind);
		if (number % 14 == 0)
			PERFTOOL_MARK(shop, seventh);
		if (number % 14 == 7)
			PERFTOOL_MARK(shop, seventh);
	}
	printf("calls %d\nsum %ld\nword %s\n", number, sum, word ? word : "-");
	return argc > 2 ? atoi(argv[2]) : 0;
}
