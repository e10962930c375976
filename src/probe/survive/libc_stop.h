/*
 * libc_stop.h - functions of the C library at which perftool itself stops
 * threads: libc_stop.c
 */
#ifndef PROBE_LIBC_STOP_H
#define PROBE_LIBC_STOP_H

#include "perftool/probe.h"
#include "probe/site/site.h"

struct space;

/* Is the file a C library, or a program that contains one? (A program that
 * defines a function of the C library itself calls that function in the end.)
 */
bool has_libc(const struct debugfile *file);
/* If the module is a C library, put a site with this purpose at its function of
 * that name. `*out` is the range of the function's code, or {0} if there is no
 * site. */
struct error *stop_in_libc(struct probe *probe, struct space *space,
			   struct module *module, const char *function,
			   enum purpose purpose, struct range *out);

/* The same in each C library of the space; `*found` becomes true if there is a
 * site. A process that is to survive the tool has none of these sites. They
 * only tell the tool something earlier, so all errors but ERROR_GONE are left
 * out. */
struct error *stop_in_libcs(struct probe *probe, struct space *space,
			    const char *function, enum purpose purpose,
			    bool *found);

/* Have threads stop at libc's ptrace(). */
struct error *hear_tracing(struct probe *probe, struct space *space);
/* A thread is AT_TRAP at that site. If the tool prevents what the thread asks
 * for, tell the user. `*done`: the call has had its effect, and the thread goes
 * on behind it. */
struct error *tracing_trap(struct probe *probe, struct thread *thread,
			   bool *done);

#endif
