/*
 * page_cache.h - keeps pages of one process in the tool, so that the tool reads
 * each page once and writes it once; see page_cache.c
 */
#ifndef TARGET_KEPT_H
#define TARGET_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "perftool/base/map.h"
#include "perftool/base/vec.h"
#include "perftool/target.h"

/* Memory that the process is to have. */
struct kept_mapping {
	uint64_t address, size;
};
/* Map memory into the process of a stopped thread. */
typedef struct error *(*kept_map_fn)(struct thread *thread,
				     const struct kept_mapping *mappings,
				     size_t count, const char *name);

/* If all members are zero, the pages of no process are kept. */
struct kept {
	struct process *process;
	page_rank_fn rank;
	void *context;
	struct map pages;                /* address -> struct kept_page */
	VEC(struct kept_page *) written; /* those that must be written */

	/* What `map` has to map with the help of `caller` before pages are
	 * written. All of it has the same name. */
	VEC(struct kept_mapping) mappings;
	struct thread *caller;
	const char *name;
	kept_map_fn map;
};

/* Are pages of the memory of this process kept? */
bool kept_is_on(const struct process *process);
/*
 * Map memory before kept pages are written. Until then it is read as zeros and
 * can be written, as if it were mapped already. Pages of the memory of the
 * thread's process are kept, and `name` lives as long as they are.
 */
void kept_defer_mapping(struct thread *thread,
			const struct kept_mapping *mapping, const char *name,
			kept_map_fn map);

/* Read and write the memory of a process; the results are those of pread(2) and
 * pwrite(2). If pages of this process are kept, the functions use the kept
 * pages. */
ssize_t kept_read(struct process *process, uint64_t address, void *buffer,
		  size_t size);
ssize_t kept_write(struct process *process, uint64_t address,
		   const void *buffer, size_t size);

/* Forget the kept pages of a process that has ended, or that has a new
 * memory. */
void kept_forget(struct process *process);

#endif
