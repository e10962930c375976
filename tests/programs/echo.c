/*
 * echo.c - copies lines from standard input to standard output
 *
 * If standard input is a terminal, the program prompts with "in? ". It also
 * prints what it was given: its arguments, and the environment variable
 * ECHO_TEST.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned lines;

__attribute__((noinline)) void copy(const char *line)
{
	lines++;
	fputs(line, stdout);
}

int main(int argc, char **argv)
{
	char line[256];

	for (int i = 1; i < argc; i++)
		printf("argument %s\n", argv[i]);
	if (getenv("ECHO_TEST"))
		printf("environment %s\n", getenv("ECHO_TEST"));
	for (;;) {
		if (isatty(0)) {
			fputs("in? ", stdout);
			fflush(stdout);
		}
		if (!fgets(line, sizeof(line), stdin))
			break;
		copy(line);
	}
	printf("copy %u\n", lines);
	return 0;
}
