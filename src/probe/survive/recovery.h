/*
 * recovery.h - what a tool that died has left: recovery.c, restoration.c,
 * ring_recovery.c
 */
#ifndef PROBE_RECOVERY_H
#define PROBE_RECOVERY_H

#include "perftool/arch.h"
#include "perftool/base/vec.h"
#include "perftool/target.h"

struct probe;
struct space;

/* restoration.c: the int3s of a tool that died */
struct leftover {
	size_t number;
	struct store_entry entry;
};
VEC_STRUCT(leftover_list, struct leftover);
struct restored {
	size_t removed; /* of the program's code */
	size_t changed; /* not known to be ours: they stay */
	size_t foreign; /* the program has put other memory there */
};
struct error *restore_sites(struct space *space,
			    const struct mapping_list *maps,
			    struct leftover_list *leftovers,
			    struct restored *out);

/* ring_recovery.c: its rings, and threads that were in its trampolines */
struct error *recover_rings(struct space *space,
			    const struct mapping_list *maps);

/* recovery.c: what a perftool that died has left */
struct error *recover(struct probe *probe, struct space *space);

#endif
