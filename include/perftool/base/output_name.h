/*
 * output_name.h - names of files that the tool writes, in which `%p` stands for
 * the number of the measured process, `%h` for the machine, and `%r` for the
 * rank
 *
 * Processes that are measured by a perftool each, as mpirun starts them, can
 * then have the same command line and write different files.
 */
#ifndef PERFTOOL_BASE_OUTPUT_NAME_H
#define PERFTOOL_BASE_OUTPUT_NAME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "perftool/base/error.h"

/* What stands for the parts of a name. */
struct name_parts {
	pid_t pid;        /* %p; 0: no program was started yet */
	const char *host; /* %h; NULL: not known */
	int64_t rank;     /* %r; RANK_NONE: there is none */
};

/* Is `%p` in the name? */
bool output_name_has_pid(const char *name);

/* Makes the name of the file, which the caller frees. Errors: a part of the
 * name is not known, or there is no such part. */
struct error *output_name_expand(const char *name,
				 const struct name_parts *parts, char **out);

#endif
