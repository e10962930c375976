/*
 * tails.h - tail calls: where the frame of a function ends if the function
 * jumps to another function: tails.c, tail_functions.c, tail_jumps.c; which
 * breakpoints wait for these ends: tail_watchers.c; what the tool does when a
 * thread reaches such a jump or an end: tail_hits.c; and what nobody needs any
 * more: tail_needs.c
 *
 * `break return FUNC` sits at the returns of FUNC. If FUNC leaves its frame to
 * another function by a tail jump, the frame ends with a return of that
 * function, or of a function to which that function jumps, and so on. At the
 * jumps and returns of all these functions there is a breakpoint of the tool's
 * own, which has the number 0 and counts nothing. It reports to tail_frames.h
 * what the thread does, and it makes the hits of the breakpoints whose frames
 * end.
 *
 *	FUNC: entry, return, jump ──► other: return, jump ──► another: ..
 *	             │        │               │        │
 *	  (FUNC is watched)   leave           return   leave: where to?
 *
 * A function is *watched* if a breakpoint waits for the end of its frames, and
 * *followed* if a tail jump of another function may lead to it.
 */
#ifndef PROBE_TAILS_H
#define PROBE_TAILS_H

#include "perftool/probe.h"
#include "perftool/target/target_events.h"
#include "probe/breakpoint.h"
#include "tail_frames.h"

struct attachment;
struct tail_function;
struct event;
struct module;
struct probe_outcome;
struct snapshot;
struct site;
struct space;
struct spot;

struct tails {
	struct breakpoint breakpoint; /* the tool's own breakpoint */
	struct tail_frames frames;
	/* the frames that end with the return being handled */
	struct tail_end_list ends;
	/* one of the user's breakpoints that wait for the end of frames stops
	 * the program */
	bool stop;
	/* The number of int3s that were hit since the tool learned where a jump
	 * leads. This knowledge turns some int3s into jumps at the next
	 * update. */
	size_t int3s;
	/* The tool's own breakpoint was attached to a site that is a jump
	 * already. The trampoline of the site reports frames only after it has
	 * been made again, for which all threads have to stop. */
	bool must_remake;
};

/* A thread has taken a jump through a procedure linkage table whose word the
 * run-time linker has not filled in. The thread executes the run-time linker,
 * which finds the function and jumps to it in the same frame. */
struct binding {
	uint64_t owner, cfa, caller; /* the frame, as in struct tail_spot */
	uint64_t stub;               /* the entry of the jump's function */
	uint64_t linker; /* the entry of the run-time linker's function */
};
VEC_STRUCT(binding_list, struct binding);

/* What is known about the tail jumps in the memory of one space. */
struct space_tails {
	struct map functions; /* address -> struct tail_function:
				 tail_functions.c */
	struct map jumps;     /* address -> struct tail_jump: tail_jumps.c */
	size_t watched;       /* how many of the functions are watched */
	struct binding_list bindings; /* that are under way */
	/* Breakpoints were disabled or deleted, so functions may be needed no
	 * more: tail_needs.c */
	bool has_fewer_needs;
};

/* ---- tails.c ------------------------------------------------------------- */

void tails_init(struct tails *tails);
void tails_deinit(struct tails *tails);

/* A thread is about to jump from the attachment's function to `target`, a
 * run-time address: see to it that the tool sees the end of the frame there.
 * The user is told if nothing is known about the code there. */
struct error *tails_follow(struct probe *probe, struct space *space,
			   const struct attachment *from, uint64_t target);
/* Is the attachment at the jump of an entry of a procedure linkage table? */
bool tails_is_stub(const struct space *space,
		   const struct attachment *attachment);
/* Does the tool have to look at each thread that takes the jump of the
 * attachment? It does in a stub, whose word is not filled in yet, and in the
 * run-time linker. */
bool tails_looks_each_time(const struct space *space,
			   const struct attachment *attachment);
/* Is the function of the attachment followed? */
bool tails_follows(const struct space *space,
		   const struct attachment *attachment);
/* Has tails_follow() been done for this target already? */
bool tails_is_followed(struct space *space, const struct attachment *from,
		       uint64_t target);
/* Remove the tool's own attachments from the site of a stub, if the function
 * behind the stub is known: the tool does not have to look at the stub any
 * more. The same for the run-time linker, if no thread is binding. */
struct error *tails_settle(struct probe *probe, struct space *space,
			   struct site *site);
/* A thread at this spot is about to jump from the attachment's function to the
 * run-time linker, at the run-time address `linker`: watch the exits of the
 * run-time linker until the thread gets there. */
struct error *tails_bind(struct probe *probe, struct space *space,
			 const struct attachment *from,
			 const struct tail_spot *spot, uint64_t linker);
/* Is the attachment in a function of the run-time linker that the tool watches
 * only while threads bind? */
bool tails_is_linker(const struct space *space,
		     const struct attachment *attachment);
/* The binding of the frame of this spot; NULL if there is none. */
const struct binding *tails_binding(const struct space *space,
				    const struct tail_spot *spot);
/* The binding has led to `target`, a run-time address: follow the function
 * there, which the stub leads to from now on. */
struct error *tails_follow_binding(struct probe *probe, struct space *space,
				   const struct attachment *from,
				   const struct binding *binding,
				   uint64_t target);
/* Is a thread in this function of the run-time linker to bind? */
bool tails_are_binding(const struct space *space, uint64_t linker);
/* The thread at the spot leaves the run-time linker. */
void tails_end_binding(struct space *space, const struct tail_spot *spot);
/* Forget the bindings of a thread that has ended (a serial number), or of all
 * threads. */
void tails_forget_bindings_of(struct probe *probe, uint32_t thread);
void tails_forget_bindings(struct probe *probe);
/* The function entry to which a jump to `target` leads in the end: if `target`
 * is a stub, the function behind it, if known. */
uint64_t tails_destination(struct space *space, uint64_t target);
/* The entry of the function in which a frame goes on after a jump to `target`.
 * This is tails_destination(), unless the jump leads past the entry of a
 * function that is followed. */
uint64_t tails_function(struct space *space, uint64_t target);

/* ---- tail_functions.c ---------------------------------------------------- */

/* Keep struct space_tails up to date when a forked child gets what its parent
 * has, when a module is unmapped, and when the memory is gone. */
void tails_copy(const struct space *from, struct space *to);
void tails_drop_module(struct space *space, const struct module *module);
void tails_forget(struct space *space);

/* ---- tail_watchers.c ----------------------------------------------------- */

/* A breakpoint waits for the end of the frames of the spot's function: watch
 * the function. */
struct error *tails_watch(struct probe *probe, struct space *space,
			  struct breakpoint *breakpoint, struct module *module,
			  const struct spot *spot);
/* The breakpoint does not wait for the end of frames any more. */
void tails_unwatch(struct probe *probe, const struct breakpoint *breakpoint);
/* Breakpoints were enabled, disabled or suspended: does any wait for the end of
 * frames? If none does, the tool's own breakpoint, which follows frames, is
 * suspended, too. Its sites are updated by update_changed_sites(). */
void tails_note_waiting(struct probe *probe);
/* Do so for all breakpoints that are deleted. */
void tails_unwatch_deleted(struct probe *probe);
/* The numbers of the breakpoints that wait for the end of the function's
 * frames. */
const uint32_t *tails_watchers(const struct space *space,
			       const struct attachment *attachment,
			       size_t *count);
/* Does a hit of the breakpoint stop the program? For the tool's own breakpoint:
 * does one of the user's breakpoints stop the program for which it makes
 * hits? */
bool breakpoint_stops(const struct probe *probe,
		      const struct breakpoint *breakpoint);
/* Determine whether the tool's own breakpoint stops the program, and whether
 * the threads that reach it are read. */
void tails_look_for_int3s(struct probe *probe);

/* ---- tail_needs.c -------------------------------------------------------- */

/* Does an enabled breakpoint wait for the end of the function's frames? */
bool tails_is_awaited(const struct probe *probe,
		      const struct tail_function *function);
/* All threads of the space stand still and are about to go on: takes the tool's
 * own breakpoint out of the functions that nobody needs any more. */
void tails_leave_unneeded(struct probe *probe, struct space *space);

/* ---- tail_jumps.c -------------------------------------------------------- */

/* Is this a tail jump that no thread has taken yet, as far as the tool knows?
 * The tool waits for the first thread that takes the jump before it follows the
 * function to which the jump leads. Most jumps are taken seldom or never, and
 * the returns of that function may be reached very often. */
bool tails_is_untaken(const struct space *space,
		      const struct attachment *attachment);
/* The run-time addresses that a jump has led to. */
const uint64_t *tails_targets(const struct space *space,
			      const struct attachment *attachment,
			      size_t *count);
/* Note that the jump at `address`, a run-time address, leads to `target`, and
 * that the function there is followed. Returns false if that was known
 * already. */
bool tails_note_target(struct space *space, uint64_t address, uint64_t target);
/* Do the part of tails_copy(), tails_drop_module() and tails_forget() that
 * concerns jumps. Called by these functions. */
void tail_jumps_copy(const struct space *from, struct space *to);
void tail_jumps_drop_module(struct space *space, const struct module *module);
void tail_jumps_forget(struct space *space);
/* Forgets the jumps whose addresses are in the map. */
void tail_jumps_remove(struct space *space, const struct map *addresses);

/* ---- tail_hits.c --------------------------------------------------------- */

/* A thread is at an indirect jump, or takes a direct jump for the first time.
 * If the tool does not know how frames end where the jump leads, it finds that
 * out. `*postpone`: the thread must not go on before all threads have stopped.
 * `*goes_to`: the thread must go on there, which is where the jump leads now.
 * Another thread may be about to change the word that the jump reads. 0: it
 * goes on as after any int3. */
struct error *tails_learn(struct probe *probe, const struct event *event,
			  const struct site *site, bool *postpone,
			  uint64_t *goes_to);
/* Has a tail jump led to the entry at which the thread makes this hit, in a
 * frame whose end a breakpoint waits for? `caller` is the return address of the
 * frame. tails_arrive() was called before. */
bool tails_led_to(struct probe *probe, const struct attachment *at,
		  const struct hit *hit, uint64_t caller);
/* A thread is at the int3 of a site that has an attachment of the tool's own
 * breakpoint. tails_arrive() is called before the hits of the user's
 * breakpoints are made, and tails_depart() after that. */
struct error *tails_arrive(struct snapshot *snapshot, const struct site *site,
			   const struct event *event);
struct error *tails_depart(struct snapshot *snapshot, struct site *site,
			   const struct event *event,
			   struct probe_outcome *outcome);
/* Does a breakpoint wait for the end of a frame of this thread (a serial
 * number)? If none does, the entries and returns of the thread need not be
 * reported. */
bool tails_are_awaited(struct probe *probe, uint32_t thread);
/* Is this a hit at the entry of a function that is back in its own frame? */
bool tails_is_back(struct probe *probe, const struct attachment *at,
		   const struct hit *hit);

/* What tails_arrive() and tails_depart() do, for a record of a fast node. `hit`
 * has what all hits of the record have in common; `caller` is the return
 * address of the frame. */
void tails_arrive_fast(struct probe *probe, const struct attachment *at,
		       const struct hit *hit, uint64_t caller);
void tails_depart_fast(struct probe *probe, struct space *space,
		       const struct attachment *at, const struct hit *hit,
		       uint64_t caller, uint64_t target);

#endif
