/*
 * nth.c - a program whose runs differ: it counts its runs in a file, and what a
 * run does depends on its number
 *
 * usage: nth FILE CALLS [NUMBER WHAT]
 *
 * Each run calls work() CALLS times and reads standard input. The run of this
 * NUMBER (1: the first one) ends with the status WHAT, or it waits for a signal
 * if WHAT is `wait`. Prints the number of the run, the calls, and the bytes
 * that were read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile unsigned long sink;

__attribute__((noinline)) void work(unsigned long steps)
{
	for (unsigned long i = 0; i < steps; i++)
		sink += i;
}

static int next_number(const char *path)
{
	FILE *file = fopen(path, "r");
	int number = 0;

	if (file && fscanf(file, "%d", &number) != 1)
		number = 0;
	if (file)
		fclose(file);
	file = fopen(path, "w");
	if (file) {
		fprintf(file, "%d\n", ++number);
		fclose(file);
	}
	return number;
}

int main(int argc, char **argv)
{
	int calls = argc > 2 ? atoi(argv[2]) : 10;
	int number = next_number(argc > 1 ? argv[1] : "runs");
	int bytes = 0;

	while (getchar() != EOF)
		bytes++;
	for (int i = 0; i < calls; i++)
		work(1000);
	printf("run %d calls %d bytes %d\n", number, calls, bytes);
	fflush(stdout);
	if (argc < 5 || number != atoi(argv[3]))
		return 0;
	if (strcmp(argv[4], "wait") == 0)
		for (;;)
			pause();
	return atoi(argv[4]);
}
