/*
 * counted_calls.h - the calls of a profile that threads count by themselves in
 * their blocks (perftool/base/call_block.h): counted_calls.c
 */
#ifndef PROBE_COUNTED_CALLS_H
#define PROBE_COUNTED_CALLS_H

#include "perftool/probe.h"
#include "perftool/ring.h"

struct attachment;
struct fast_site;
struct finished_stop;
struct ring;
struct space;
struct thread;

/* Prepare the block of a ring, if the threads of its space count calls. */
void calls_prepare(const struct probe *probe, struct ring *ring);
/* The cost of hits is known better: write it into the block. */
void calls_set_costs(const struct probe *probe, struct ring *ring);

/* How many hits of calls the ring's thread has counted by itself. (The program
 * may write anything there.) */
uint64_t calls_hits(const struct ring *ring);
/* What such a hit costs according to calibration, ns. */
double calls_cost(const struct probe *probe);

/* Does the thread of the hit count calls by itself? Hits that the tool makes
 * for it are then made in its block. */
bool calls_are_counted(const struct probe *probe, const struct hit *hit);
/* A thread is stopped at a breakpoint of probe_add_calls(), and counts calls by
 * itself: have the hit made in its block. `caller` is the return address of the
 * frame. Returns false if the caller must report the hit. */
bool calls_take_hit(struct probe *probe, const struct thread *thread,
		    const struct attachment *at, const struct hit *hit,
		    uint64_t caller);
/* As calls_take_hit(), for a tail jump to `target`, a run-time address, or a
 * return of the tool's own breakpoint. Hits at places where no frame of a
 * function of the profile can be are left out. */
void calls_take_tail(struct probe *probe, const struct thread *thread,
		     const struct attachment *at, const struct hit *hit,
		     uint64_t target);

/* Has the thread, which counts calls by itself, an open call whose frame has
 * this CFA? If the frame is not on the thread's own stack, this is not known,
 * and the function returns true. */
bool calls_await(const struct thread *thread, uint64_t frame);

/* The calibration of the ring's thread begins: its calls are to be counted
 * apart from those of the program. It is over, and the thread is stopped. */
struct calls_kept {
	bool is_kept;
	struct call_block header;
	struct call_activation last[2];
};
void calls_keep(struct ring *ring, struct calls_kept *out);
void calls_put_back(struct ring *ring, const struct calls_kept *kept);
/* What do the calls of the calibration seem to take, ns? Returns false if the
 * thread has counted none. */
bool calls_calibrated(const struct probe *probe, struct ring *ring,
		      double *own);

/* The tool has held the thread of the ring for so long: this is no time of its
 * calls. */
void calls_held(const struct probe *probe, struct ring *ring, double ns);
/* The tool has held all threads. */
void calls_held_all(const struct probe *probe, double ns);
/* A thread is about to go on, and its stop has lasted until then as far as the
 * tool knows. This must be told before the thread goes on: of a call that ends
 * before the tool has told it, too little would be taken, and of one that
 * begins before that and ends later, too much. */
void calls_resume(const struct probe *probe, const struct thread *thread,
		  uint64_t until, struct finished_stop *finished);
/* The same for a thread that will add the end of the stop to the time of its
 * calls by itself (resumption.c). */
void calls_resume_by_itself(const struct probe *probe,
			    const struct thread *thread,
			    struct finished_stop *finished);
/* Such a thread was taken out of the code that does so. `added`: it had done
 * it. */
void calls_resumed_unseen(const struct probe *probe, struct ring *ring,
			  bool added);
/* A stop of a thread is over: the tool knows better now. */
void calls_resumed(struct probe *probe, const struct finished_stop *finished);

/* The next record of the ring tells of a call: tell it. */
void calls_tell_one(struct probe *probe, struct ring *ring);
/* Tell the caller of the layer that it may read the block of the ring.
 * `is_last`: the block is about to vanish. */
void calls_tell(const struct probe *probe, struct ring *ring, bool is_last);

/* A thread that was put back to a site with these registers, after its call was
 * counted, will come to the site once more: let it not count that call. */
void calls_skip(struct ring *ring, const struct fast_site *fast,
		const struct user_regs_struct *regs);
/* Does the thread trap in the counting code at `pc` because the tool must make
 * its hit? */
bool calls_are_untold(const struct space *space, uint64_t pc);

#endif
