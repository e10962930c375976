/*
 * title.c - a program that writes a title for ps(1) over its arguments
 *
 * usage: title HOW [ARG]...
 *
 * HOW is the name of one of the functions of `ways`, which writes the title.
 * Without HOW the program writes none. Then it says "ready", and waits until
 * its standard input ends. If the kernel forbids the way, it says "no" instead.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

extern char **environ;

struct area {
	char *start, *end; /* the memory of the argument strings */
	char **argv;
	int argc;
};

static bool none(const struct area *area)
{
	return area->argc > 0;
}

/* The title is followed by zeros, up to the end. */
static bool shorter(const struct area *area)
{
	memset(area->start, 0, (size_t)(area->end - area->start));
	area->start[0] = 't';
	return true;
}

/* The title is followed by blanks, up to the last zero, which stays. */
static bool blanks(const struct area *area)
{
	memset(area->start, ' ', (size_t)(area->end - area->start) - 1);
	area->start[0] = 't';
	return true;
}

/* The title is no longer than the program's name. */
static bool within(const struct area *area)
{
	memset(area->argv[0], 0, strlen(area->argv[0]));
	area->argv[0][0] = 't';
	return true;
}

/* The title covers the name and the first argument, and ends where the argument
 * ends. */
static bool overlapping(const struct area *area)
{
	char *last = area->argv[1] + strlen(area->argv[1]);

	memset(area->start, 't', (size_t)(last - area->start));
	return true;
}

/* The title covers all arguments, except the last zero. */
static bool exact(const struct area *area)
{
	memset(area->start, 't', (size_t)(area->end - area->start) - 1);
	return true;
}

/* The title covers all arguments and part of the environment. */
static bool longer(const struct area *area)
{
	char *last = area->end;

	if (environ[0])
		last = environ[0] + strlen(environ[0]);
	memset(area->start, 't', (size_t)(last - area->start));
	return true;
}

/* setproctitle() of libbsd copies the arguments in this way before it writes
 * any title. */
static bool copied(const struct area *area)
{
	for (int i = 1; i < area->argc; i++)
		area->argv[i] = strdup(area->argv[i]);
	return shorter(area);
}

/* The array of pointers is cut short, as nginx does it. */
static bool ended(const struct area *area)
{
	area->argv[1] = NULL;
	return shorter(area);
}

/* strtok() puts a zero into the last argument. This is no title. */
static bool parted(const struct area *area)
{
	strtok(area->argv[area->argc - 1], ",");
	return true;
}

/* The order of the pointers changes, as getopt() changes it. */
static bool permuted(const struct area *area)
{
	for (int i = 1; i < area->argc - i; i++) {
		char *first = area->argv[i];

		area->argv[i] = area->argv[area->argc - i];
		area->argv[area->argc - i] = first;
	}
	return true;
}

/* Tell the kernel other addresses of the arguments by prctl(2). The process
 * needs no rights for this if it sets all addresses at once. */
static bool tell(char *start, char *end)
{
	struct prctl_mm_map map = {.exe_fd = (__u32)-1};
	FILE *file = fopen("/proc/self/stat", "r");
	/* the fields of /proc/self/stat from the 26th on */
	unsigned long long at[26] = {0};

	fscanf(file, "%*[^)])");
	for (int field = 3; field < 26; field++)
		fscanf(file, " %*s");
	for (int i = 0; i < 26; i++)
		fscanf(file, "%llu", &at[i]);
	fclose(file);
	map.start_code = at[0];
	map.end_code = at[1];
	map.start_stack = at[2];
	map.start_data = at[45 - 26];
	map.end_data = at[46 - 26];
	map.start_brk = at[47 - 26];
	map.brk = (unsigned long)sbrk(0);
	map.env_start = at[50 - 26];
	map.env_end = at[51 - 26];
	map.arg_start = (unsigned long)start;
	map.arg_end = (unsigned long)end;
	return prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof(map), 0) == 0;
}

static bool moved(const struct area *area)
{
	static char title[] = "title";

	return area->argc > 0 && tell(title, title + sizeof(title));
}

/* The arguments seem to take a terabyte. */
static bool endless(const struct area *area)
{
	return tell(area->start - (1L << 40), area->end);
}

/* A program that was called by a relative path cannot be found by that path any
 * more. */
static bool elsewhere(const struct area *area)
{
	return area->argc > 0 && chdir("/") == 0;
}

/* The program is executed without any argument, not even its own name. */
static bool bare(const struct area *area)
{
	char *const nothing[] = {NULL};

	(void)area;
	execve("/proc/self/exe", nothing, environ);
	return false;
}

static const struct {
	const char *name;
	bool (*make)(const struct area *area);
} ways[] = {{"none", none},
	    {"elsewhere", elsewhere},
	    {"shorter", shorter},
	    {"blanks", blanks},
	    {"within", within},
	    {"exact", exact},
	    {"longer", longer},
	    {"copied", copied},
	    {"ended", ended},
	    {"parted", parted},
	    {"permuted", permuted},
	    {"moved", moved},
	    {"endless", endless},
	    {"bare", bare},
	    {"overlapping", overlapping}};

int main(int argc, char **argv)
{
	struct area area = {.argv = argv, .argc = argc};
	bool is_made = true;

	if (argc > 0) {
		area.start = argv[0];
		area.end = argv[argc - 1] + strlen(argv[argc - 1]) + 1;
	}
	for (size_t i = 0; argc > 1 && i < sizeof(ways) / sizeof(*ways); i++)
		if (strcmp(argv[1], ways[i].name) == 0) {
			is_made = ways[i].make(&area);
			break;
		}
	puts(is_made ? "ready" : "no");
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}
