/*
 * profile_names.h - the names of procedures and threads, as text that formats
 * of lines can hold
 */
#ifndef REPORT_PROFILE_NAMES_H
#define REPORT_PROFILE_NAMES_H

#include "perftool/base/str.h"
#include "perftool/profile/call_stacks.h"

/* Append a name as UTF-8. Control characters, line separators and bytes that
 * are no UTF-8 become U+FFFD, and a name of no characters "[unknown]". */
void clean_name(const char *name, struct str *out);

/* Append a name in the same way, as a frame of a folded stack: `;` becomes `:`
 * and a blank `_`, because these separate frames and the weight. */
void folded_name(const char *name, struct str *out);

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
