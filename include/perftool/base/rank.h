/*
 * rank.h - the rank of a process: its number among those that a launcher of
 * parallel programs has started together
 *
 * Launchers such as mpirun and srun tell each process its rank in a variable of
 * the environment. The variable's name depends on the launcher.
 */
#ifndef PERFTOOL_BASE_RANK_H
#define PERFTOOL_BASE_RANK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A process that has no rank, or whose rank is not known. */
#define RANK_NONE (-1)

/* The rank of the tool itself. A program that the tool starts has the same. */
int64_t rank_of_tool(void);

/* The rank of another process, by the environment with which it began. The
 * result is RANK_NONE if the tool may not read that. */
int64_t rank_of_process(pid_t pid);

/* The rank that an environment tells. Its variables, "NAME=VALUE", end with a
 * null byte each. */
int64_t rank_in(const char *variables, size_t length);

/* The names of the variables that are looked at, in their order; NULL after the
 * last one. */
const char *rank_variable(size_t index);

#endif
