/*
 * site.h - what is patched, and which breakpoints sit there
 *
 * A site is an address of a process where an int3 or a jump of the tool is,
 * with the instruction that it displaces (site.c, site_patch.c). The
 * breakpoints that sit there are its attachments (attachment.c), each with its
 * expressions as they are bound at that place (binding.c). What the tool keeps
 * in the target's memory is the store: slots, in which the displaced
 * instructions are executed (slot.h), and a table of sites that outlives the
 * tool (store.h).
 *
 * This folder answers whether a site may be at an address (provenance.h), and
 * puts sites in and takes them out. It makes no hits, and does not know what a
 * jump leads to. It uses only the folder process; the folders arrival, survive,
 * fast, rings, calibrate and request use it.
 */
#ifndef PROBE_SITE_H
#define PROBE_SITE_H

#include "late_fork.h"
#include "perftool/arch.h"
#include "perftool/fast.h"
#include "perftool/probe.h"
#include "provenance.h"
#include "shadow_stack.h"
#include "slot.h"
#include "spot.h"
#include "store.h"

/* An expression at a place. Neither: there is no expression. */
struct bound {
	struct bound_expr *expr;
	struct error *problem; /* why it cannot be had here */
};

/* Those of a breakpoint: condition, value, its keys, its labels. */
VEC_STRUCT(bound_list, struct bound);
enum { BOUND_CONDITION, BOUND_VALUE, BOUND_KEYS };

/* A breakpoint at a site; forked children share it. */
struct attachment {
	size_t users; /* sites that have it */
	struct breakpoint *breakpoint;
	enum role role;
	struct module *module; /* NULL: code that is in no file */
	struct function function;
	uint64_t address; /* where it was asked for: see transfer.c of the
			     folder fast */
	uint64_t target;  /* run-time; of ROLE_JUMP and ROLE_JUMP_IF */
	/* where it is, if that is elsewhere: how far rsp there is below what it
	 * is at `address`, and which registers are not the same (a bit each) */
	int32_t sp_below;
	uint16_t changed;
	unsigned frame;           /* as of a place */
	struct range_list ranges; /* run-time; of ROLE_JUMP_INDIRECT */
	uint8_t thunk;            /* as of a spot */
	struct range unless;      /* the same; run-time */
	bool has_cfa;
	struct cfa_rule cfa;
	struct bound_list bound;
};
VEC_STRUCT(attachment_list, struct attachment *);

#define CFA_RSP 7 /* a register as of DWARF */

/* It belongs to no breakpoint of the user: see tails.h. */
static inline bool is_of_tails(const struct attachment *attachment)
{
	return !attachment->breakpoint->id;
}

enum purpose {
	SITE_USER,      /* breakpoints of the user */
	SITE_LIBRARIES, /* the run-time linker reports a change of libraries */
	SITE_CALIBRATE_FROM,
	SITE_CALIBRATE_TO,
	SITE_START,     /* everything is relocated; and SITE_USER */
	SITE_ACTION,    /* the program sets a signal's action; and SITE_USER */
	SITE_END,       /* the process is about to end; and SITE_USER */
	SITE_FAST_FROM, /* the same as the calibration's, as jumps */
	SITE_FAST_TO,
	SITE_RESUME, /* no place: where threads go on from int3s */
};

struct site {
	uint64_t address;
	enum purpose purpose;
	struct insn insn;
	struct arch_slot slot;
	bool has_slot; /* else the instruction is stepped in place */
	bool inserted; /* the int3 is in memory, or the jump */
	bool lost;     /* it was, and is to be put in again: site_loss.c */
	bool is_jump;
	struct patch patch; /* the last jump that was made; length 0: none */
	/* what that is written over: the instruction, and what is never
	 * executed behind it */
	uint8_t displaced[PATCH_SIZE];
	struct fast_site *fast; /* what it leads to; NULL: nothing yet */
	const char *slow;       /* why it is an int3; NULL: it is a jump, or
				   that was not asked yet */
	uint64_t evicts; /* the site of an instruction behind, which is_evicted
			  * for this one's jump; 0: none. See eviction.c */
	bool is_evicted; /* it is a jump to its slot */
	bool cannot_evict;   /* it was tried, */
	uint64_t blocked_by; /* and a breakpoint was there; 0: none was */
	uint64_t stand;      /* where its breakpoints are, see transfer.c of the
			      * folder fast; 0: here
			      */
	struct attachment_list attachments;
};

/* What memory holds where a site has put its int3 or jump. */
enum standing {
	STANDS,       /* all of it */
	STANDS_NOT,   /* none of it: the bytes that it has displaced */
	STANDS_REST,  /* of a jump all but the first byte */
	STANDS_INT3,  /* of a jump only the int3 that was there before it */
	STANDS_OTHER, /* something else */
	STANDS_GONE   /* no memory is there, or the process has ended */
};

/* site.c */
struct error *site_get(struct probe *probe, struct space *space,
		       uint64_t address, struct site **out);
struct site *site_clone(const struct site *site);
/* Make memory agree with who is attached and enabled. */
struct error *site_update(struct space *space, struct site *site);
bool site_is_wanted(const struct site *site);
/* Of an inserted site. */
enum standing site_standing(struct space *space, const struct site *site);
/* Out of memory, whoever wants it, as far as what stands there is ours; fails
 * if the byte is not back. */
struct error *site_take_out(struct space *space, struct site *site);
void site_destroy(struct site *site);
/* How many bytes of its instruction are not in memory. */
size_t site_patched(const struct site *site);
/* The bytes the program has there, without ours; may be fewer. */
struct error *read_original(struct space *space, uint64_t address,
			    uint8_t *bytes, size_t size, size_t *got);

/* site_patch.c: from an int3 to a jump, and back */
/* The int3 of a site becomes its jump, or the jump an int3. All threads that
 * use the memory are STOPPED, or execute the int3 meanwhile. */
struct error *patch_in(struct space *space, struct site *site,
		       const struct patch *patch);
struct error *patch_out(struct space *space, struct site *site);
/* Before a byte there changes: jumps whose displacement it is part of become
 * int3s. */
struct error *patch_make_way(struct space *space, uint64_t address);
/* The site is no jump any more: the instruction that it has evicted is what it
 * was. */
struct error *evict_no_more(struct space *space, struct site *site);

/* attachment.c: breakpoints at sites */
/* The attachment alone: no place of the breakpoint's. The space has a process.
 */
struct error *attach_at_spot(struct probe *probe, struct space *space,
			     struct breakpoint *breakpoint,
			     struct module *module, const struct spot *spot);
/* The frame that a spot is about: expressions use its names. */
unsigned spot_frame(struct module *module, const struct spot *spot);
void detach_breakpoint(struct probe *probe, struct breakpoint *breakpoint);
struct error *update_sites(struct probe *probe, struct breakpoint *breakpoint);
/* Bind the breakpoint's expressions anew at all its places. */
void release_bound(struct bound_list *list);
/* At its address. */
void bind_attachment(struct space *space, struct attachment *attachment);
/* The same of all whose meaning depends on what is loaded: that has changed. */
void bind_again(struct space *space);
struct error *bind_breakpoint(struct probe *probe,
			      struct breakpoint *breakpoint);
/* What bind_breakpoint() would say of what is bound already. */
struct error *judge_bound(struct probe *probe, struct breakpoint *breakpoint);
/* Say, once, which expressions could be bound nowhere at the places that have
 * come since. */
void note_unbound(struct probe *probe);
void attachment_unref(struct attachment *attachment);
/* A copy that is where it belongs, for hits that are seen there. */
struct attachment *attachment_at_home(struct space *space,
				      const struct attachment *attachment);

#endif
