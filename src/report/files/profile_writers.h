/*
 * profile_writers.h - what this folder's files do for profile_files.c: each
 * writes one format
 */
#ifndef REPORT_PROFILE_WRITERS_H
#define REPORT_PROFILE_WRITERS_H

#include "perftool/report/profile_files.h"
#include "profile_sink.h"

/* The frame that stands where the outermost frames of a stack could not be
 * found. */
#define BROKEN_FRAME "[broken]"

/* These need `profile->stacks`. */
void write_folded(const struct profile *profile, struct profile_sink *sink);
void write_flame_graph(const struct profile *profile,
		       struct profile_sink *sink);
void write_pprof(const struct profile *profile, struct profile_sink *sink);

/* These write what there is. What they cannot say is appended to `remarks'. */
void write_callgrind(const struct profile *profile, struct profile_sink *sink,
		     struct str *remarks);
/* Writes several files. */
struct error *write_gmon(const struct profile *profile, const char *path,
			 const struct writer *writer, struct str *remarks);
void write_profile_json(const struct profile *profile,
			struct profile_sink *sink);

#endif
