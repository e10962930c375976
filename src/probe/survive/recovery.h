/*
 * recovery.h - what a tool that died has left in the process: recovery.c,
 * restoration.c, ring_recovery.c
 */
#ifndef PROBE_RECOVERY_H
#define PROBE_RECOVERY_H

#include "perftool/arch.h"
#include "perftool/base/vec.h"
#include "perftool/target.h"

struct probe;
struct space;

/* restoration.c: the patches of a tool that died. A leftover is an entry of the
 * store's table that says that the patch is in memory. */
struct leftover {
	size_t number;
	struct store_entry entry;
};
VEC_STRUCT(leftover_list, struct leftover);
struct restored {
	size_t removed; /* removed from the program's code */
	/* may not be the tool's own any more; they stay in memory */
	size_t changed;
	size_t foreign; /* the program has put other memory there */
};
struct error *restore_sites(struct space *space,
			    const struct mapping_list *maps,
			    struct leftover_list *leftovers,
			    struct restored *out);

/* ring_recovery.c: remove the rings of a tool that died, and lead threads out
 * of its trampolines. */
struct error *recover_rings(struct space *space,
			    const struct mapping_list *maps);

/* recovery.c: remove everything that a tool that died has left. */
struct error *recover(struct probe *probe, struct space *space);

#endif
