/*
 * libc_stop.h - functions of the C library that perftool itself stops at:
 * libc_stop.c
 */
#ifndef PROBE_LIBC_STOP_H
#define PROBE_LIBC_STOP_H

#include "perftool/probe.h"
#include "probe/site/site.h"

struct space;

/* Is it a libc, or a program that has it within? (A program that
 * defines a function of libc's itself calls that one in the end.) */
bool has_libc(const struct debugfile *file);
/* Where the module is a libc, a site for this purpose at one of its functions;
 * `*out`: that function, or {0}. */
struct error *stop_in_libc(struct probe *probe, struct space *space,
			   struct module *module, const char *function,
			   enum purpose purpose, struct range *out);

#endif
