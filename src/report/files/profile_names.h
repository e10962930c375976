/*
 * profile_names.h - the names of procedures and threads, as text that formats
 * of lines can hold
 */
#ifndef REPORT_PROFILE_NAMES_H
#define REPORT_PROFILE_NAMES_H

#include "perftool/base/str.h"
#include "perftool/profile/call_stacks.h"

/* The clean names of procedures, by number: NAME, or NAME@MODULE where several
 * have the name, or FILE:NAME@MODULE where several of one module have it. */
struct profile_names {
	char **texts;
	size_t count;
};
void profile_names_init(struct profile_names *names,
			const struct procedures *procedures,
			void (*write)(const char *name, struct str *out));
void profile_names_deinit(struct profile_names *names);

/* The name of a thread; of one that has none `thread TID`. The caller frees it.
 */
char *thread_name(const struct sampled_thread *thread,
		  void (*write)(const char *name, struct str *out));

#endif
