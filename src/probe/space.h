/*
 * space.h - a space: the memory of a process, with what each folder of the
 * layer knows about that memory
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
 * The memory of a process, which its vfork children borrow. A space without a
 * process describes the last program that ran, or the program's file if none
 * has run yet. The layer finds the places of breakpoints in such a space, too,
 * but patches nothing there, so the space has no sites (patched addresses).
 */
struct space {
	struct process *process;
	/* the process runs another program than the one that the user has named
	 */
	bool foreign;
	/* the user was told what happens to the process should the tool die */
	bool is_covered;
	/* the user was told whether a thread is under a seccomp filter */
	bool is_told_of_filters;
	VEC(struct loaded) modules;
	/* the files of the modules, in the order in which names are looked up
	 * in them (link_order.c); empty: to be determined again */
	struct file_list files;
	struct caller_table callers;
	struct map sites; /* address -> struct site */
	size_t jumps;     /* the number of sites that are jumps */
	struct layout layout;
	/* breakpoints or what is known of them have changed since the last
	 * fast_update(), so a site may have to become a jump or an int3 */
	bool is_outdated;
	/* Something has changed that may concern any site. If not, only the
	 * sites need an update that are outdated themselves. */
	bool is_all_outdated;
	/* Memory was mapped or unmapped. Whether sites can be jumps depends on
	 * where there is free memory. */
	bool is_memory_changed;
	struct space_tails tails;
	struct known_maps maps;
	struct store store;
	struct fast_space fast;
	struct ring_pool_list pools; /* the pools of its threads' rings */
	/* A thread that could not be made to give up its ring has the ring in a
	 * pool, so the pools must stay mapped. */
	bool pools_stay;
	/* Some pools have call blocks that this space does not have, because it
	 * was forked before they were mapped. */
	bool lacks_calls;
	/* A process that borrowed the memory was let go while one of its
	 * threads may have been in a trampoline, so these must stay. */
	bool code_stays;
	/* what `process` does with SIGTRAP; a process that borrows the memory
	 * has its own action, which is not noted here */
	struct trap_action trap;
	/* the address of the first site of the int3s with which the tool
	 * calibrates; 0: there is none */
	uint64_t calibrate_from;
	/* A breakpoint was hit in this space. (placement.c does not keep the
	 * tool and the program on one CPU if several processes are hit.) */
	bool was_hit;
	struct cliff_share cliff;
	/* Is the program watched for calls by which it would notice that it was
	 * moved to the tool's CPU? (placement.c) */
	enum {
		PLACEMENT_UNWATCHED,
		PLACEMENT_WATCHED,
		PLACEMENT_ITS_OWN
	} own_cpus;
	/* the site at which the run-time linker reports libraries is in
	 * memory */
	bool has_linker;
	/* The site SITE_LIBRARIES was reached, or the tool has attached to a
	 * process whose libraries were loaded already. */
	bool told;
	/* all libraries that the program is linked with have been loaded */
	bool has_libraries;
	/* The program was relocated, so that the implementations of indirect
	 * functions are known. */
	bool has_started;
	/* a breakpoint, or a decision about calls, has to wait until the
	 * program was relocated, so the site SITE_START is needed */
	bool awaits_start;
	/* a kernel uprobe was hit in the process: site_loss.c */
	bool has_uprobes;
	/* some sites are not in memory any more: site_loss.c */
	bool has_lost;
	/* the tool changed this memory while a thread executed, and not all
	 * threads have stopped since: late_fork.c */
	bool has_changed_amid_run;
	enum shadow shadow;
	struct space_watches watches;
	/* the run-time addresses of the semaphores of static probes that the
	 * tool has raised (semaphores.c) */
	struct address_list semaphores;
};
VEC_STRUCT(space_list, struct space *);

struct space *space_create(struct probe *probe, struct process *process);
/* Make the space of a forked child, with the same modules, sites and slots as
 * the parent's `space`. */
struct space *space_clone(struct probe *probe, const struct space *space,
			  struct process *child);
void space_destroy(struct probe *probe, struct space *space);
/* Note that the process of the space has ended. */
void space_end(struct probe *probe, struct space *space);
/* All sites of the space have to be updated (mechanism.h). */
void space_outdate(struct space *space);
/* Replace a pc that is in a slot, a trampoline or a landing by the pc that the
 * program expects. Returns false if the pc was in none of them. */
bool space_map_pc(struct space *space, const struct thread *thread,
		  struct user_regs_struct *regs);
/* Move every STOPPED thread of the process out of the slots. */
struct error *space_move_out(struct space *space, struct process *process);
/* Remove the sites in a module that is no longer mapped, and, if no other
 * process has the module, its places. */
void space_drop_module(struct probe *probe, struct space *space,
		       const struct loaded *loaded);

#endif
