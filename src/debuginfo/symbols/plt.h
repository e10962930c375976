/*
 * plt.h - the entries of a procedure linkage table, by the names that people
 * know from disassemblies: strdup@plt
 */
#ifndef PERFTOOL_DEBUGINFO_PLT_H
#define PERFTOOL_DEBUGINFO_PLT_H

#include "perftool/debuginfo.h"

struct image;

/* In order of address. */
struct plt {
	struct function_list entries; /* their names are its own */
};

/* NAME@plt? */
bool plt_is_name(const char *name);

struct plt *plt_read(const struct image *image);
void plt_free(struct plt *plt);

/* Those that are called so, or that the glob matches; appended. */
void plt_find(const struct plt *plt, const char *name,
	      struct function_list *out);

#endif
