/*
 * recovery.h - removing what a tool that died has left in the process:
 * recovery.c, restoration.c, ring_recovery.c, count_recovery.c
 */
#ifndef PROBE_RECOVERY_H
#define PROBE_RECOVERY_H

#include "perftool/arch.h"
#include "perftool/base/vec.h"
#include "perftool/target.h"
#include "perftool/target/memory_maps.h"

struct probe;
struct space;

/* restoration.c: takes the patches of a tool that died out of memory. A
 * leftover is an entry of the store's table that says that a patch of that tool
 * is in memory. */
struct leftover {
	size_t number;
	struct store_entry entry;
};
VEC_STRUCT(leftover_list, struct leftover);
struct restored {
	/* the number of patches that were removed from the program's code */
	size_t removed;
	/* the number of patches that stay in memory, because the code around
	 * them has changed */
	size_t changed;
	/* the number of patches that have gone with their memory, because the
	 * program has put other memory there */
	size_t foreign;
};
struct error *restore_sites(struct space *space,
			    const struct mapping_list *maps,
			    struct leftover_list *leftovers,
			    struct restored *out);

/* ring_recovery.c: Is the mapping memory of rings? */
bool is_ring(const struct mapping *mapping);

/* count_recovery.c: Tell what threads had counted by themselves when the tool
 * died. All threads have left the trampolines of that tool. */
struct error *recover_counts(struct probe *probe, struct space *space,
			     const struct mapping_list *maps);

/* ring_recovery.c: Remove the rings (memory for records) of a tool that died,
 * and lead threads out of its trampolines, which write to the rings. What its
 * threads had counted by themselves is told before. */
struct error *recover_rings(struct probe *probe, struct space *space,
			    const struct mapping_list *maps);

/* recovery.c: Remove everything that a tool that died has left in the
 * process. */
struct error *recover(struct probe *probe, struct space *space);

#endif
