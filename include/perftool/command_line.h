/*
 * command_line.h - how a running process was started; see
 * src/target/proc/command_line.c
 */
#ifndef PERFTOOL_COMMAND_LINE_H
#define PERFTOOL_COMMAND_LINE_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

/*
 * The program that a process executes. target_program_name() returns the name
 * by which the program was called: "./link" or "/bin/awk".
 * target_program_path() returns the absolute path of that name. If the name
 * does not lead to the program (any more), both return what /proc/PID/exe
 * shows. NULL: the name cannot be read. The caller frees the string.
 */
char *target_program_name(pid_t pid);
char *target_program_path(pid_t pid);

/* The arguments with which the program was called, without its name (argv[0]),
 * NULL-terminated. NULL: the arguments cannot be read, or the program has
 * written over them. The caller frees the strings and the array. */
char **target_arguments(pid_t pid);

/* The command line that the process shows, or its title if the program has
 * written a title over its command line. The words are separated by blanks.
 * NULL: the process shows nothing. The caller frees the string. */
char *target_title(pid_t pid);

/* The time of day at which the process began, to a hundredth of a second.
 * False: the time cannot be read. */
bool target_start_time(pid_t pid, struct timespec *out);

#endif
