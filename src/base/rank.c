/* rank.c - see rank.h */
#include "perftool/base/rank.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perftool/base/str.h"

/* The variables, and who sets them. A launcher may itself have been started by
 * another one: `mpirun` in a job of Slurm is. The variables of MPI libraries
 * therefore come before those of process managers, and that of Slurm, which a
 * batch script has, too, is the last. */
static const char *const variables[] = {
	"OMPI_COMM_WORLD_RANK", /* Open MPI */
	"MV2_COMM_WORLD_RANK",  /* MVAPICH2 */
	"MPT_MPI_RANK",         /* HPE MPT */
	"PMIX_RANK",            /* PMIx: PRRTE, srun --mpi=pmix */
	"PMI_RANK",             /* PMI: MPICH, Intel MPI, srun --mpi=pmi2 */
	"PALS_RANKID",          /* Cray PALS */
	"ALPS_APP_PE",          /* Cray ALPS */
	"JSM_NAMESPACE_RANK",   /* IBM jsrun */
	"FLUX_TASK_RANK",       /* Flux */
	"SLURM_PROCID",         /* Slurm */
};

#define VARIABLES (sizeof(variables) / sizeof(*variables))

/* An environment that is larger is read only in part. */
#define MOST_ENVIRONMENT (4u << 20)

const char *rank_variable(size_t index)
{
	return index < VARIABLES ? variables[index] : NULL;
}

/* The rank that the value of a variable is. A value that is no number below
 * 2^31 is none: PMIx stands with 4294967294 for "all ranks". */
static int64_t rank_of_value(const char *value)
{
	char *end;
	long long number;

	if (!isdigit((unsigned char)*value))
		return RANK_NONE;
	errno = 0;
	number = strtoll(value, &end, 10);
	return *end || errno || number > INT32_MAX ? RANK_NONE : number;
}

int64_t rank_of_tool(void)
{
	for (size_t i = 0; i < VARIABLES; i++) {
		const char *value = getenv(variables[i]);
		int64_t rank = value ? rank_of_value(value) : RANK_NONE;

		if (rank != RANK_NONE)
			return rank;
	}
	return RANK_NONE;
}

/* The value of a variable in an environment, or NULL. */
static const char *value_in(const char *environment, size_t length,
			    const char *name)
{
	size_t name_length = strlen(name);

	for (const char *at = environment, *end = environment + length;
	     at < end; at += strlen(at) + 1)
		if (str_starts(at, name) && at[name_length] == '=')
			return at + name_length + 1;
	return NULL;
}

int64_t rank_in(const char *environment, size_t length)
{
	for (size_t i = 0; i < VARIABLES; i++) {
		const char *value = value_in(environment, length, variables[i]);
		int64_t rank = value ? rank_of_value(value) : RANK_NONE;

		if (rank != RANK_NONE)
			return rank;
	}
	return RANK_NONE;
}

int64_t rank_of_process(pid_t pid)
{
	struct str environment = {0};
	char path[64], bytes[4096];
	int64_t rank;
	size_t count;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return RANK_NONE;
	while (environment.length < MOST_ENVIRONMENT &&
	       (count = fread(bytes, 1, sizeof(bytes), file)) > 0)
		str_append_n(&environment, bytes, count);
	fclose(file);
	/* str_text() has a null byte behind the last variable, also if that was
	 * cut off */
	rank = rank_in(str_text(&environment), environment.length);
	str_deinit(&environment);
	return rank;
}
