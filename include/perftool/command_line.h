/*
 * command_line.h - how another process was started; see
 * src/target/proc/command_line.c
 */
#ifndef PERFTOOL_COMMAND_LINE_H
#define PERFTOOL_COMMAND_LINE_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

/*
 * The program that a process runs, as it was called: "./link" or "/bin/awk".
 * Where that does not lead to it (any more), as /proc/PID/exe names it. NULL:
 * it cannot be had. The second is an absolute path. The caller frees it.
 */
char *target_program_name(pid_t pid);
char *target_program_path(pid_t pid);

/* The arguments that it was called with, without its name (argv[0]),
 * NULL-terminated; NULL: they cannot be had, or the program has written over
 * them. The caller frees all. */
char **target_arguments(pid_t pid);

/* What it shows as its command line, or as its title where it has written over
 * that: words with a blank between them. NULL: nothing. The caller frees it. */
char *target_title(pid_t pid);

/* When the process began, by the clock of the day; to a hundredth of a second.
 */
bool target_start_time(pid_t pid, struct timespec *out);

#endif
