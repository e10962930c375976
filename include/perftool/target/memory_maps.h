/*
 * memory_maps.h - the mappings of a process
 */
#ifndef PERFTOOL_TARGET_MEMORY_MAPS_H
#define PERFTOOL_TARGET_MEMORY_MAPS_H

#include "perftool/target.h"

struct mapping {
	uint64_t low, high, offset, inode;
	/* The device as /proc/PID/maps shows it. For some file systems, stat(2)
	 * shows another device. */
	uint64_t device;
	bool readable, writable, executable, shared;
	char *path; /* "" (no path), "[heap]", "/lib/x.so"; never NULL */
};
VEC_STRUCT(mapping_list, struct mapping);

/* Read /proc/PID/maps. The caller frees the list with mapping_list_deinit(). */
struct error *target_read_maps(pid_t pid, struct mapping_list *out);
/* Read the mapping that contains the address. `*found`: there is one. Since
 * Linux 6.11 the time does not depend on the number of mappings. The caller
 * frees `out->path`. */
struct error *target_read_mapping(pid_t pid, uint64_t address,
				  struct mapping *out, bool *found);
/*
 * Find the mapping that contains the address, if a thread of the process can
 * read all of it at once: no page of it waits for another process
 * (userfaultfd(2)) or another machine, and reading it changes nothing, as it
 * may in the memory of a device. This may cost a read of /proc/PID/smaps.
 */
bool target_find_readable(const struct process *process, uint64_t address,
			  uint64_t *low, uint64_t *high);
void mapping_list_deinit(struct mapping_list *list);
/* Return the index of the first mapping that ends above an address. The result
 * is `list->count` if there is no such mapping. */
size_t mapping_list_above(const struct mapping_list *list, uint64_t address);

/*
 * Return a path by which the tool can open the file of a mapping. This is the
 * path of the mapping; or a path through /proc/PID/root if the process has
 * other mounts than the tool; or /proc/PID/exe or a path in /proc/PID/map_files
 * or /proc/PID/fd if the file was deleted or replaced, or never had a name
 * (memfd). NULL: the tool cannot open the file, and `problem` (may be NULL)
 * gets the reason. The caller frees both strings.
 */
char *target_file_of_mapping(pid_t pid, const struct mapping *mapping,
			     char **problem);

#endif
