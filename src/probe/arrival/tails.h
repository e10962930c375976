/*
 * tails.h - where frames end whose function goes on in another: tails.c, and
 * what is done when a thread comes by there: tail_hits.c
 *
 * `break return FUNC` is at the returns of FUNC. Where FUNC goes on in another
 * function by a tail jump, the frame ends with a return of that one, or of one
 * that it goes on in, and so on. At the jumps and returns of all these there is
 * a breakpoint of our own, with the number 0, which counts nothing: it tells
 * tail_frames.h what the thread does, and makes the hits of the breakpoints
 * whose frames end.
 *
 *	FUNC: entry, return, jump ──► other: return, jump ──► another: ..
 *	             │        │               │        │
 *	  (FUNC is watched)   leave           return   leave: where to?
 *
 * A function is *watched* when a breakpoint waits for the end of its frames,
 * and *followed* when another one may go on in it.
 */
#ifndef PROBE_TAILS_H
#define PROBE_TAILS_H

#include "perftool/probe.h"
#include "tail_frames.h"

struct attachment;
struct event;
struct module;
struct probe_outcome;
struct snapshot;
struct site;
struct space;
struct spot;

struct tails {
	struct breakpoint breakpoint; /* our own */
	struct tail_frames frames;
	struct tail_end_list ends; /* of the return that is looked at */
	bool stop;    /* a breakpoint on the end of frames stops the program */
	size_t int3s; /* hit since something was learned that makes jumps of
			 some */
	/* a place that is a jump is to tell of frames, too: it does when it has
	 * been made anew, for which all threads have to stop */
	bool must_remake;
};

/* What is known in one memory. */
struct space_tails {
	struct map functions; /* address -> struct tail_function: tails.c */
	struct map jumps;     /* address -> struct tail_jump: tail_jumps.c */
	size_t watched;       /* functions of them */
};

/* ---- tails.c ------------------------------------------------------------- */

void tails_init(struct tails *tails);
void tails_deinit(struct tails *tails);

/* A breakpoint waits for the end of the frames of the spot's function. */
struct error *tails_watch(struct probe *probe, struct space *space,
			  struct breakpoint *breakpoint, struct module *module,
			  const struct spot *spot);
/* It does so no more. */
void tails_unwatch(struct probe *probe, const struct breakpoint *breakpoint);
/* A function was seen to go on at that run-time address: have the ends there
 * be seen, too. What is not known is said. */
struct error *tails_follow(struct probe *probe, struct space *space,
			   const struct attachment *from, uint64_t target);
/* Is it the jump of an entry of a procedure linkage table? */
bool tails_is_stub(const struct space *space,
		   const struct attachment *attachment);
/* Is that done already? */
bool tails_is_followed(struct space *space, const struct attachment *from,
		       uint64_t target);
/* The numbers of the breakpoints that wait for the function's frames. */
const uint32_t *tails_watchers(const struct space *space,
			       const struct attachment *attachment,
			       size_t *count);
/* A stub whose function is known needs not be looked at any more. */
struct error *tails_settle(struct space *space, struct site *site);
/* The entry that a jump to this address leads to in the end. */
uint64_t tails_destination(struct space *space, uint64_t target);
/* Whether a breakpoint stops the program: one of ours does if one of the
 * user's that it makes hits of does. */
bool breakpoint_stops(const struct probe *probe,
		      const struct breakpoint *breakpoint);
/* Find out for all of ours. */
void tails_look_for_stops(struct probe *probe);
/* A forked child has what its parent has; a module goes, or all do. */
void tails_copy(const struct space *from, struct space *to);
void tails_drop_module(struct space *space, const struct module *module);
void tails_forget(struct space *space);

/* ---- tail_jumps.c ---------------------------------------------------------
 */

/* Is it a jump that no thread has taken yet, as far as is known? Where it leads
 * is not looked at before: most of them are taken seldom or never, and the
 * returns of the function that they lead to may be reached all the time. */
bool tails_is_untaken(const struct space *space,
		      const struct attachment *attachment);
/* Where a jump has led, as run-time addresses. */
const uint64_t *tails_targets(const struct space *space,
			      const struct attachment *attachment,
			      size_t *count);
/* Note that the jump at that run-time address leads to that target, whose
 * function is followed. False: that was known already. */
bool tails_note_target(struct space *space, uint64_t address, uint64_t target);
/* As tails_copy(), tails_drop_module() and tails_forget(), which call them. */
void tail_jumps_copy(const struct space *from, struct space *to);
void tail_jumps_drop_module(struct space *space, const struct module *module);
void tail_jumps_forget(struct space *space);

/* ---- tail_hits.c --------------------------------------------------------- */

/* A thread is at an indirect jump, or takes another one for the first time: if
 * it is not known how frames end where that leads, that is found out.
 * `*postpone`: the thread is not to go on before all have stopped. */
struct error *tails_learn(struct probe *probe, const struct event *event,
			  const struct site *site, bool *postpone);
/* A thread is at the int3 of a site where something of ours is: before the hits
 * of others are made, .. */
struct error *tails_arrive(struct snapshot *snapshot, const struct site *site,
			   const struct event *event);
/* .. and after. */
struct error *tails_depart(struct snapshot *snapshot, struct site *site,
			   const struct event *event,
			   struct probe_outcome *outcome);
/* Is the end of a frame of this thread (a serial number) waited for? Else its
 * entries and returns need not be told of. */
bool tails_are_awaited(struct probe *probe, uint32_t thread);
/* Is it a hit of a function that is back in its frame? */
bool tails_is_back(struct probe *probe, const struct attachment *at,
		   const struct hit *hit);

/* The same of a record: `hit` has what all hits of it have, `caller` is the
 * frame's return address. */
void tails_arrive_fast(struct probe *probe, const struct attachment *at,
		       const struct hit *hit, uint64_t caller);
void tails_depart_fast(struct probe *probe, struct space *space,
		       const struct attachment *at, const struct hit *hit,
		       uint64_t caller, uint64_t target);

#endif
