/*
 * space.h - the memory of a process: space.c
 */
#ifndef PROBE_SPACE_H
#define PROBE_SPACE_H

#include "perftool/base/map.h"
#include "probe/fast/fast_site.h"
#include "probe/process/mapping.h"
#include "probe/process/module.h"
#include "probe/rings/rings.h"
#include "probe/site/store.h"
#include "probe/survive/cover.h"

/* Do its threads have shadow stacks? See shadow.c. */
enum shadow {
	SHADOW_NONE,
	SHADOW_PERHAPS, /* soon: it has only begun */
	SHADOW_THERE,
};

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
	struct file_list files; /* of theirs, see order.c; empty: ask */
	struct map sites;       /* address -> struct site */
	size_t jumps;           /* sites that are jumps */
	bool is_outdated;       /* some site may have to change */
	struct map tails;       /* address -> struct tail_function: tails.c */
	struct map tail_jumps;  /* address -> struct tail_jump: tail_jumps.c */
	size_t tails_watched;   /* functions of them */
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
	bool has_uprobes;   /* the kernel's were hit in it: overwritten.c */
	bool has_lost; /* sites are not in memory any more: overwritten.c */
	bool has_changed_amid_run; /* see late_fork.c */
	enum shadow shadow;
};
VEC_STRUCT(space_list, struct space *);

/* shadow.c: with a process; once its start is over; when a thread is at a
 * site */
void shadow_begin(struct space *space);
void shadow_decide(struct space *space);
void shadow_look(struct space *space, const struct site *site);
/* Why an instruction has no slot; why there is no jump: a constant. */
struct error *shadow_refuses_slot(struct space *space, const struct insn *insn);
const char *shadow_refuses_jump(const struct space *space,
				const struct insn *insn);

/* space.c */
struct space *space_create(struct probe *probe, struct process *process);
/* That of a forked child: the same modules, sites and slots. */
struct space *space_clone(struct probe *probe, const struct space *space,
			  struct process *child);
void space_destroy(struct probe *probe, struct space *space);
/* Its process is no more. */
void space_end(struct probe *probe, struct space *space);
/* late_fork.c: what is ours in its memory changes, maybe while threads execute;
 * all threads have stopped, of all spaces; have the memory of a child that is
 * told of now be what its clone says. */
void late_fork_note_change(struct space *space);
void late_fork_all_stopped(struct probe *probe);
struct error *late_fork_catch_up(struct space *parent, struct space *child);
/* The space of a process, or of one whose memory it borrows; NULL: none. */
static inline struct space *space_of(const struct process *process)
{
	return process->owner;
}
/* The instruction whose slot holds this pc; false: none. */
bool space_slot_at(struct space *space, uint64_t pc, struct arch_slot *out);
/* Does memory hold, there, the slot of this instruction? */
bool space_is_slot_of(struct space *space, const struct insn *insn,
		      uint64_t slot, struct arch_slot *out);
/* Is this slot, once made for that address, right for what is there now? */
bool space_read_slot(struct space *space, uint64_t address, uint64_t slot,
		     struct arch_slot *out);
/* A pc in a slot becomes the one the program expects; false: it was in none. */
bool space_map_pc(struct space *space, const struct thread *thread,
		  struct user_regs_struct *regs);
/* The processes that use the memory, its own and those that borrow it, as
 * target_next_process() has them. */
struct process *space_user(const struct space *space, size_t *cursor);
/* Are all threads that use the memory STOPPED, but for leaders that have ended?
 */
bool space_is_stopped(const struct space *space);
/* Does none of them execute anything? Those that wait for their vfork child do
 * not, and cannot be asked. */
bool space_is_at_rest(const struct space *space);
/* The STOPPED thread for remote calls that concern the memory alone: of its
 * process, or of one that borrows it. */
struct error *space_calling_thread(const struct space *space,
				   struct thread **out);
/* No STOPPED thread of the process stays in a slot. */
struct error *space_move_out(struct space *space, struct process *process);
/* A module is no longer mapped: its sites and places are no more. */
void space_drop_module(struct probe *probe, struct space *space,
		       const struct loaded *loaded);

#endif
