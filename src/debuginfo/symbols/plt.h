/*
 * plt.h - the entries of a procedure linkage table (PLT), with the names that
 * disassemblers give them: strdup@plt
 */
#ifndef PERFTOOL_DEBUGINFO_PLT_H
#define PERFTOOL_DEBUGINFO_PLT_H

#include "perftool/debuginfo.h"

struct image;

/* The entries of all PLT sections, sorted by address. */
struct plt {
	struct function_list entries; /* the names belong to struct plt */
};

/* Has the name the form NAME@plt? */
bool plt_is_name(const char *name);

/* Is the address in a section of entries? */
bool plt_has(const struct image *image, uint64_t address);
/* Find the entry whose code contains the address. False: there is none. */
bool plt_entry_at(struct debugfile *file, uint64_t address,
		  struct function *out);
/* The entries of the file, which are read at the first call. */
const struct plt *file_plt(struct debugfile *file);

struct plt *plt_read(const struct image *image);
void plt_free(struct plt *plt);

/* Append the entries whose name is `name`. If `name` is a glob, append the
 * entries whose names match it. */
void plt_find(const struct plt *plt, const char *name,
	      struct function_list *out);

#endif
