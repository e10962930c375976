/*
 * space.h - the memory of a process: what each folder of the layer knows of it
 */
#ifndef PROBE_SPACE_H
#define PROBE_SPACE_H

#include "perftool/base/map.h"
#include "probe/arrival/arrival.h"
#include "probe/fast/fast.h"
#include "probe/process/process.h"
#include "probe/rings/rings.h"
#include "probe/site/site.h"
#include "probe/survive/survive.h"

/*
 * The memory of a process (and of the vfork children that borrow it). One
 * without a process is what is known of the last program that ran, or of the
 * program's file while none has; breakpoints are resolved there, but it has no
 * sites.
 */
struct space {
	struct process *process;
	bool foreign;    /* it runs another program than the user has named */
	bool is_covered; /* what happens should the tool die was said, */
	bool is_told_of_filters; /* and whether it is under a filter */
	VEC(struct loaded) modules;
	struct file_list files; /* of theirs, see link_order.c; empty: ask */
	struct map sites;       /* address -> struct site */
	size_t jumps;           /* sites that are jumps */
	bool is_outdated;       /* some site may have to change */
	struct space_tails tails;
	struct known_maps maps;
	struct store store;
	struct fast_space fast;
	struct ring_pool_list pools; /* of its threads' rings */
	bool pools_stay; /* one that could not be asked has its ring there */
	struct trap_action trap; /* not of those that borrow the memory */
	uint64_t calibrate_from; /* 0: none */
	bool was_hit;            /* for the placement */
	bool has_linker;         /* SITE_LIBRARIES is in, */
	bool told;               /* and was reached, */
	bool has_libraries; /* and what the program is linked with is there */
	bool has_started;   /* and relocated: indirect functions are known */
	bool awaits_start;  /* somebody asked for one */
	bool has_uprobes;   /* the kernel's were hit in it: site_loss.c */
	bool has_lost;      /* sites are not in memory any more: site_loss.c */
	bool has_changed_amid_run; /* see late_fork.c */
	enum shadow shadow;
};
VEC_STRUCT(space_list, struct space *);

struct space *space_create(struct probe *probe, struct process *process);
/* That of a forked child: the same modules, sites and slots. */
struct space *space_clone(struct probe *probe, const struct space *space,
			  struct process *child);
void space_destroy(struct probe *probe, struct space *space);
/* Its process is no more. */
void space_end(struct probe *probe, struct space *space);
/* A pc in a slot becomes the one the program expects; false: it was in none. */
bool space_map_pc(struct space *space, const struct thread *thread,
		  struct user_regs_struct *regs);
/* No STOPPED thread of the process stays in a slot. */
struct error *space_move_out(struct space *space, struct process *process);
/* A module is no longer mapped: its sites and places are no more. */
void space_drop_module(struct probe *probe, struct space *space,
		       const struct loaded *loaded);

#endif
