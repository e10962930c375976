/*
 * inside.c - a program that measures two stretches of itself by spy_start()
 *
 * usage: inside [COMMAND]...
 *
 * watched_work() runs only between spy_start() and spy_stop(), and
 * other_work() only outside. The program prints how much CPU time the stretches
 * had, in ms. At its end it has the server carry out the COMMANDs.
 */
#include <errno.h>
#include <perftool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile unsigned long spent;

static double cpu_time(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

__attribute__((noinline)) static void watched_work(double seconds)
{
	for (double end = cpu_time() + seconds; cpu_time() < end;)
		for (int i = 0; i < 100000; i++)
			spent += (unsigned)i;
}

__attribute__((noinline)) static void other_work(double seconds)
{
	for (double end = cpu_time() + seconds; cpu_time() < end;)
		for (int i = 0; i < 100000; i++)
			spent += (unsigned)i;
}

static void print(const char *name, int result)
{
	printf("%s %d %s\n", name, result,
	       result ? strerrorname_np(errno) : "-");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	double watched = 0;
	char *output = NULL;

	print("first", spy_stop());
	for (int i = 0; i < 2; i++) {
		other_work(0.3);
		print("start", spy_start());
		if (i == 0)
			print("twice", spy_start());
		watched -= cpu_time();
		watched_work(0.3);
		watched += cpu_time();
		print("stop", spy_stop());
	}
	other_work(0.3);
	printf("watched %.0f\n", watched * 1000);
	for (int i = 1; i < argc; i++) {
		print("command", spy_command(argv[i], &output));
		printf("%s\n", output ? output : "-");
		free(output);
	}
	return 3;
}
