/*
 * site.h - what is patched, and which breakpoints sit there
 *
 * A site is an address of a process where the tool has put an int3 or a jump,
 * together with the instruction that this displaces (site.c, site_patch.c). The
 * breakpoints of a site are its attachments (attachment.c). Each attachment has
 * the breakpoint's expressions, bound at the breakpoint's place: the names in
 * them are looked up there (binding.c). What the tool keeps in the target's
 * memory is the store: the slots, in which displaced instructions are executed
 * (slot.h), and a table of sites that outlives the tool (store.h).
 *
 * This folder answers whether a site may be at an address (provenance.h), and
 * it inserts and removes sites. It makes no hits, and it does not know what the
 * jump of a site leads to. It uses only the folder process; the folders
 * arrival, survive, fast, rings, calibrate and request use it.
 */
#ifndef PROBE_SITE_H
#define PROBE_SITE_H

#include "called_functions.h"
#include "callees.h"
#include "late_fork.h"
#include "layout.h"
#include "perftool/arch.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/fast_node.h"
#include "perftool/probe.h"
#include "probe/breakpoint.h"
#include "provenance.h"
#include "reclamation.h"
#include "shadow_stack.h"
#include "slot.h"
#include "spot.h"
#include "store.h"
#include "unmapping.h"
#include "watches.h"

/* An expression that is bound at a place. If both members are NULL, the
 * breakpoint has no such expression. */
struct bound {
	struct bound_expr *expr;
	/* the reason why the expression cannot be bound here */
	struct error *problem;
};

/* The bound expressions of a breakpoint: its condition, its value, its keys,
 * its labels. */
VEC_STRUCT(bound_list, struct bound);
enum { BOUND_CONDITION, BOUND_VALUE, BOUND_KEYS };

/* A breakpoint at a site. The spaces of forked children share the attachment.
 */
struct attachment {
	size_t users; /* the number of sites that share this attachment */
	struct breakpoint *breakpoint;
	enum role role;
	struct module *module; /* NULL if the code is in no file */
	struct function function;
	/* Where the user asked for the breakpoint. The site may be at another
	 * address: see transfer.c of the folder fast. */
	uint64_t address;
	/* for ROLE_JUMP and ROLE_JUMP_IF: the run-time address to which the
	 * jump leads */
	uint64_t target;
	/* For a breakpoint whose site is at another address: how far rsp is
	 * lower there than at `address`, and which registers have other values
	 * there (one bit for each register). */
	int32_t sp_below;
	uint16_t changed;
	/* the frame in which names of expressions are looked up, as in struct
	 * place */
	unsigned frame;
	/* for ROLE_JUMP_INDIRECT: the run-time ranges of the function's code */
	struct range_list ranges;
	/* as in struct spot: the register that holds the target */
	uint8_t thunk;
	/* as in struct spot: return addresses for which the spot is no exit, in
	 * run-time addresses */
	struct range unless[MOST_UNLESS];
	uint8_t unless_count;
	enum lock_taken taken; /* as in struct spot, like the next one */
	bool needs_argument;
	/* The breakpoint is at a static probe; the run-time address of its
	 * semaphore, or 0. */
	bool is_probe;
	uint64_t semaphore;
	/* the number (from 1) of the breakpoint's place that this is, as far as
	 * it was right when it was looked up last (places_count()) */
	size_t place;
	/* for a breakpoint of probe_add_calls(): the number of the function */
	uint32_t called;
	/* The file of the code is known, and the code is not of a Go program.
	 */
	bool is_not_go;
	bool has_cfa;
	struct cfa_rule cfa;
	struct bound_list bound;
};
VEC_STRUCT(attachment_list, struct attachment *);

#define CFA_RSP 7 /* the DWARF number of rsp */

/* Does the attachment belong to the tool's own breakpoint, which follows frames
 * (tails.h), and not to one of the user? */
static inline bool is_of_tails(const struct attachment *attachment)
{
	return !attachment->breakpoint->id;
}

enum purpose {
	SITE_USER,      /* only breakpoints of the user and those of tails.h */
	SITE_LIBRARIES, /* the run-time linker reports a change of libraries */
	SITE_CALIBRATE_FROM,
	SITE_CALIBRATE_TO,
	/* the run-time linker has relocated the program; the site may also have
	 * breakpoints, as with SITE_USER */
	SITE_START,
	/* the program sets the action of a signal; the site may also have
	 * breakpoints, as with SITE_USER */
	SITE_ACTION,
	/* ptrace() of libc: a process may ask its parent to trace it
	 * (libc_stop.c) */
	SITE_TRACE,
	/* the process is about to end; the site may also have breakpoints, as
	 * with SITE_USER */
	SITE_END,
	/* the program asks, or decides, on which CPUs it runs; the site may
	 * also have breakpoints, as with SITE_USER */
	SITE_PLACEMENT,
	SITE_FAST_FROM, /* the calibration's sites that are jumps */
	SITE_FAST_TO,
	/* two of these are around two at which hits are counted by the thread
	 * itself */
	SITE_AROUND_FROM,
	SITE_AROUND_TO,
	SITE_COUNT_FROM,
	SITE_COUNT_TO,
	/* the same for two at which threads only follow frames */
	SITE_BESIDE_FROM,
	SITE_BESIDE_TO,
	SITE_FOLLOW,
	/* the same for the entry and the return of a call */
	SITE_AMID_FROM,
	SITE_AMID_TO,
	SITE_CALL_ENTRY,
	SITE_CALL_RETURN,
	/* the same for the first hits, which are left out */
	SITE_WARM_ENTRY,
	SITE_WARM_RETURN,
	/* The pseudo-site of the trampoline through which threads go on from
	 * int3s. It has no address. */
	SITE_RESUME,
};

/* Is it a site at which the calibration measures what jumps cost? */
static inline bool is_calibration_jump(enum purpose purpose)
{
	return purpose >= SITE_FAST_FROM && purpose <= SITE_WARM_RETURN;
}

/* (An update walks over thousands of sites. What it looks at comes first, so
 * that it is in one line of the cache.) */
struct site {
	uint64_t address;
	enum purpose purpose;
	/* What the trampoline has to do may have changed since the site was
	 * last updated. */
	bool is_outdated;
	/* the site is a jump that leads only to its own slot: it was made for
	 * another site's jump, see `evicts` */
	bool is_evicted;
	/* if not, the instruction is single-stepped at its own address */
	bool has_slot;
	bool inserted; /* the int3 or the jump is in memory */
	/* the patch of the site has vanished from memory and is to be inserted
	 * again: site_loss.c */
	bool lost;
	bool is_jump;
	/* The site is an int3 although threads count its hits by themselves,
	 * because no jump can lead from it. The tool lets each thread go on in
	 * the site's trampoline. */
	bool is_detour;
	struct attachment_list attachments;
	/* what the trampoline of the jump records; NULL if none was made yet */
	struct fast_site *fast;
	/* what counting_inputs() (fast_site.h) was when the trampoline was last
	 * made or found to be as it has to be */
	uint64_t counting_inputs;
	/* The reason why the site is an int3. NULL if the site is a jump, or if
	 * the reason was not determined yet. */
	const char *slow;
	/* the number of changes of the layout when the tool last tried to make
	 * the site a jump, or to move its breakpoints */
	uintptr_t tried_at;
	/* The address of a site behind this one whose instruction was evicted
	 * (became a jump, too) so that this site's jump has room; 0 if there is
	 * none. See eviction.c. */
	uint64_t evicts;
	/* fast_evict() was tried for this site and failed */
	bool cannot_evict;
	/* The address of an instruction behind this site that could not be
	 * evicted for this site's jump, because a breakpoint is there or
	 * because it was evicted for another jump; 0: no such instruction
	 * prevented the eviction. */
	uint64_t blocked_by;
	/* The address of the site to which the breakpoints of this place were
	 * moved, see transfer.c of the folder fast; 0 if they are here. */
	uint64_t stand;
	struct insn insn;
	struct arch_slot slot;
	/* the jump as it was last made for this site; its length is 0 if none
	 * was made */
	struct patch patch;
	/* The bytes that the jump is written over: the instruction, and bytes
	 * behind it that are never executed. */
	uint8_t displaced[PATCH_SIZE];
};

/* What memory holds where a site has put its int3 or its jump. */
enum standing {
	STANDS,      /* the whole int3 or jump */
	STANDS_NOT,  /* the displaced bytes, and nothing of the int3 or jump */
	STANDS_REST, /* the jump except its first byte */
	/* the int3 that was there before the jump was written, and none of its
	 * other bytes */
	STANDS_INT3,
	STANDS_OTHER, /* something else */
	STANDS_GONE   /* the memory cannot be read, or the process has ended */
};

/* site.c: site_get() finds the site of an address, or creates it without
 * inserting it. The space owns the site. ERROR_OTHER means that no site may be
 * there. */
struct error *site_get(struct probe *probe, struct space *space,
		       uint64_t address, struct site **out);
struct site *site_clone(const struct site *site);
/* Insert the site into memory or take it out, depending on whether an enabled
 * breakpoint or the tool needs it. */
struct error *site_update(struct space *space, struct site *site);
bool site_is_wanted(const struct site *site);
/* What does memory hold where this inserted site should be? */
enum standing site_standing(struct space *space, const struct site *site);
/* Take the site out of memory, whether or not it is wanted. Bytes that are not
 * the tool's own stay as they are. Fails if the original byte is not back
 * afterwards. */
struct error *site_take_out(struct space *space, struct site *site);
void site_destroy(struct site *site);
/* The site has to be updated (mechanism.h). */
void site_outdate(struct space *space, struct site *site);
/* The number of bytes that the patch of the site (its int3 or jump) covers; 0
 * if the site is not inserted. */
size_t site_patched(const struct site *site);
/* Read the bytes that the program has at the address, without the tool's
 * patches. `*got` may be smaller than `size`. */
struct error *read_original(struct space *space, uint64_t address,
			    uint8_t *bytes, size_t size, size_t *got);

/* site_patch.c: turning an int3 into a jump, and back */
/* The largest distance from the first byte of an instruction to the last byte
 * of the displacement of its jump. */
#define PATCH_MOST_SPAN (ARCH_MAX_INSN + PATCH_SIZE)
/* Replace the int3 of a site by the jump `patch`, or the jump by an int3. The
 * threads that use the memory are STOPPED. A thread that executes nevertheless
 * can only meet the int3, never a part of the jump. */
struct error *patch_in(struct space *space, struct site *site,
		       const struct patch *patch);
struct error *patch_out(struct space *space, struct site *site);
/* A byte at the address is about to change: turn the jumps whose displacement
 * contains this byte into int3s, because they would lead elsewhere. */
struct error *patch_make_way(struct space *space, uint64_t address);
/* The site is no jump any more. If an instruction was evicted for its jump
 * (became a jump itself), restore that instruction. */
struct error *evict_no_more(struct space *space, struct site *site);

/* attachment.c: breakpoints at sites */
/* Attach a breakpoint at a spot, without adding a place to the breakpoint. The
 * space must have a process. */
struct error *attach_at_spot(struct probe *probe, struct space *space,
			     struct breakpoint *breakpoint,
			     struct module *module, const struct spot *spot);
/* The index of the frame that a spot is about, among the frames of inlined
 * copies at the address. Expressions look up names in this frame. */
unsigned spot_frame(struct module *module, const struct spot *spot);
void detach_breakpoint(struct probe *probe, struct breakpoint *breakpoint);
/* Detach all breakpoints that are deleted. */
void detach_deleted(struct probe *probe);
/* Update the sites of all breakpoints for which `is_changed` is set, and clear
 * it. */
struct error *update_changed_sites(struct probe *probe);
/* Free the bound expressions of a list, and empty the list. */
void release_bound(struct bound_list *list);
/* Bind the expressions of the breakpoint again, at the attachment's address.
 * The site of the attachment has to be updated then. */
void bind_attachment(struct space *space, struct attachment *attachment);
/* The set of loaded modules has changed: bind all expressions again whose
 * meaning depends on it. */
void bind_again(struct space *space);
/* Bind the expressions of a breakpoint again at all its places. Returns an
 * error if an expression can be bound at none of them. */
struct error *bind_breakpoint(struct probe *probe,
			      struct breakpoint *breakpoint);
/* Return the error that bind_breakpoint() would return for the breakpoint that
 * is added, without binding anything again: its attachments at sites are those
 * of `added` of struct probe. */
struct error *judge_bound(struct probe *probe, struct breakpoint *breakpoint);
/* The expressions of the breakpoint were bound at a place that was added: note
 * it for note_unbound(). */
void note_bound_anew(struct probe *probe, struct breakpoint *breakpoint);
/* Tell the user, once, which expressions could be bound at none of the places
 * that were added. */
void note_unbound(struct probe *probe);
void attachment_unref(struct attachment *attachment);
/* semaphores.c: Raise the semaphores of the static probes at which enabled
 * breakpoints are in memory, and lower those that the tool has raised for
 * others. semaphores_lower() lowers all. */
void semaphores_update(struct space *space);
void semaphores_lower(struct space *space);
/* place_count.c: Count hits at the place of the attachment alone. */
void place_count(struct attachment *attachment, uint64_t count);
/* The breakpoint was hit that many times at this attachment. If it has one
 * place only, the count of the place is that of the breakpoint. */
static inline void places_count(struct attachment *attachment, uint64_t count)
{
	attachment->breakpoint->hits += count;
	if (attachment->breakpoint->places.count > 1)
		place_count(attachment, count);
}
/* Make a copy of an attachment whose breakpoint was moved, as the attachment
 * would be at its own `address`. The caller owns one reference. */
struct attachment *attachment_at_home(struct space *space,
				      const struct attachment *attachment);

#endif
