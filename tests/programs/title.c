/*
 * title.c - a program that writes a title for ps(1) over its arguments
 *
 * usage: title HOW [ARG]...: does so, says "ready", and waits until its
 * standard input ends. HOW is one of the functions of `ways`; without it
 * nothing is done. "no" is said where the kernel forbids it.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

extern char **environ;

struct area {
	char *start, *end; /* where the strings of the arguments are */
	char **argv;
	int argc;
};

static bool none(const struct area *area)
{
	return area->argc > 0;
}

/* The title, and zeros to the end. */
static bool shorter(const struct area *area)
{
	memset(area->start, 0, (size_t)(area->end - area->start));
	area->start[0] = 't';
	return true;
}

/* The title, and blanks to the end, which remains. */
static bool blanks(const struct area *area)
{
	memset(area->start, ' ', (size_t)(area->end - area->start) - 1);
	area->start[0] = 't';
	return true;
}

/* No longer than the program's name. */
static bool within(const struct area *area)
{
	memset(area->argv[0], 0, strlen(area->argv[0]));
	area->argv[0][0] = 't';
	return true;
}

/* Over the name and the first argument, and it ends where that does. */
static bool overlapping(const struct area *area)
{
	char *last = area->argv[1] + strlen(area->argv[1]);

	memset(area->start, 't', (size_t)(last - area->start));
	return true;
}

/* Over all of them, but for the last zero. */
static bool exact(const struct area *area)
{
	memset(area->start, 't', (size_t)(area->end - area->start) - 1);
	return true;
}

/* Over all of them and into the environment. */
static bool longer(const struct area *area)
{
	char *last = area->end;

	if (environ[0])
		last = environ[0] + strlen(environ[0]);
	memset(area->start, 't', (size_t)(last - area->start));
	return true;
}

/* setproctitle() of libbsd does this before it writes any title. */
static bool copied(const struct area *area)
{
	for (int i = 1; i < area->argc; i++)
		area->argv[i] = strdup(area->argv[i]);
	return shorter(area);
}

/* As nginx does. */
static bool ended(const struct area *area)
{
	area->argv[1] = NULL;
	return shorter(area);
}

/* strtok() in the last argument: this is no title. */
static bool parted(const struct area *area)
{
	strtok(area->argv[area->argc - 1], ",");
	return true;
}

/* getopt() changes the order of the pointers. */
static bool permuted(const struct area *area)
{
	for (int i = 1; i < area->argc - i; i++) {
		char *first = area->argv[i];

		area->argv[i] = area->argv[area->argc - i];
		area->argv[area->argc - i] = first;
	}
	return true;
}

/* The kernel is told of other addresses of the arguments: prctl(2), which needs
 * no rights for all addresses at once. */
static bool tell(char *start, char *end)
{
	struct prctl_mm_map map = {.exe_fd = (__u32)-1};
	FILE *file = fopen("/proc/self/stat", "r");
	/* the fields from the 26th on */
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

/* As if there were a terabyte of them. */
static bool endless(const struct area *area)
{
	return tell(area->start - (1L << 40), area->end);
}

/* What was called by a relative path is no more to be found by it. */
static bool elsewhere(const struct area *area)
{
	return area->argc > 0 && chdir("/") == 0;
}

/* Called without any word, its own name included. */
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
