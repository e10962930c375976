/*
 * probe_state.h - what the files of the probe layer share
 *
 *	breakpoint ──resolve──► places ──► sites (one per address, shared)
 *	                                    │ attachments: breakpoints there
 *	                                    └ slot in an area near the module
 */
#ifndef PROBE_INTERNAL_H
#define PROBE_INTERNAL_H

#include "probe/calibrate/calibrate.h"
#include "probe/survive/cover.h"
#include "probe/fast/fast_site.h"
#include "mechanism.h"
#include "probe/process/module.h"
#include "perftool/arch.h"
#include "perftool/base/map.h"
#include "perftool/probe.h"
#include "probe/request/place_list.h"
#include "probe/rings/rings.h"
#include "probe/site/site.h"
#include "space.h"
#include "probe/site/spot.h"
#include "probe/site/store.h"
#include "probe/rings/context_switches.h"
#include "probe/arrival/tails.h"

/* How much of a label's text is kept, with its zero. */
#define LABEL_SIZE 96
struct label_text {
	char bytes[LABEL_SIZE];
};

/* A thread at a site without a slot: its instruction is executed in place once
 * all threads have stopped. */
struct stepping {
	struct thread *thread; /* NULL: none */
	struct process *process;
	struct site *site;
	/* what is told once it is done; of no thread where the hit stops the
	 * program */
	struct finished_stop finished;
};

/* A thread on its way to a site that it was counted at: see signal.c. */
struct interrupted {
	uint32_t thread; /* serial */
	pid_t pid;
	uint64_t site;
	bool moved; /* its handler has returned to somewhere else */
	struct user_regs_struct regs;
};

/* A thread whose handler returns to near a place that may move: see amid.c. */
struct amid {
	uint32_t thread; /* serial */
	pid_t pid;
	uint64_t home;   /* the place */
	uint64_t pc, sp; /* where the handler returns to */
	bool counted;    /* what belongs at home was, on this way */
	bool is_watched; /* it has moved meanwhile */
	bool is_back;    /* and its next arrival at `site` is none */
	uint64_t site;
};

/* What was said of a signal that we have sent anew: see merged.c. */
struct merged {
	uint32_t thread; /* serial */
	pid_t pid;
	siginfo_t info;
};

/* What int3s have cost one process since cliff.c began to look at it. */
struct cliff {
	pid_t process;  /* 0: none yet */
	uint64_t began; /* ns of the tool's clock */
	uint64_t used;  /* its processor time then, ns */
	double held;    /* ns that its threads were held since */
	double around;  /* ns that their int3s took before and after that */
	double stops;   /* how often they were */
	unsigned told;  /* breakpoints that were named in this run */
};

struct probe {
	struct target *target;
	const struct clock *clock;
	struct probe_ops ops;
	VEC(struct breakpoint *) breakpoints; /* index: number - 1 */
	struct module *program; /* the file that the user has named */
	/* the libraries that it will have, before it runs; see linked.c */
	VEC(struct module *) linked;
	char *found_in;           /* and which breakpoints were found in */
	struct space_list spaces; /* of processes; else one without */
	/* modules of this run that are no more: what was looked for there */
	VEC(struct loaded) searched;
	pid_t main;                    /* the process that was adopted first */
	VEC(struct open_file *) files; /* kept open from run to run */
	struct debug_directories debug_directories;
	struct strmap noted; /* remarks that were made */
	bool is_many;        /* the same is done with many functions, */
	bool is_unasked;     /* and not for a command */
	size_t many;         /* remarks on these */
	uint64_t next_watch; /* when to look after the handlers again */
	uint64_t next_look;  /* and after the sites */
	bool own_stop;       /* the stop of all threads was asked for here */
	struct calibration calibration;
	struct costs costs;
	struct cliff cliff;
	struct finished_stop finished;
	VEC(struct interrupted) interrupted;
	VEC(struct amid) amid;
	VEC(struct merged) merged;
	/* of the hit being made */
	VEC(struct value) keys;
	VEC(struct label) labels;
	VEC(struct label_text) label_texts;
	struct breakpoint *adding; /* its errors are those of probe_add() */
	struct stepping stepping;
	uint32_t cookie;     /* of our rings, in those of all tools */
	uint64_t ring_bytes; /* that one ring may have at most */
	struct ring_list rings;
	VEC(struct fast_site *) fast_sites; /* index: number - 1 */
	struct switches switches;
	struct tails tails;
	enum mechanism mechanism;
	bool ordered; /* jumps: see struct trampoline_spec */
	enum condition_meaning conditions;
	bool follow_fork, follow_exec;
	bool wants_goroutines; /* of all breakpoints */
	enum affinity affinity;
	struct process *pinned;        /* shares a CPU with the tool */
	bool unpinnable;               /* asked, and it is not wanted now */
	bool was_pinned, was_unpinned; /* at hits: for the header */
	bool had_jumps;
};

/* note.c: one line for the user */
void note(struct probe *probe, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same of an error that is no reason to give up; NULL and ERROR_GONE are
 * nothing. Destroys it. */
void note_error(struct probe *probe, struct error *error);

/* Is there a process? */
/* Does a hit count only when the breakpoint's condition is true? */
static inline bool condition_filters(const struct probe *probe,
				     const struct breakpoint *breakpoint)
{
	if (!breakpoint->condition || probe->conditions == CONDITIONS_NAME)
		return false;
	return probe->conditions == CONDITIONS_FILTER ||
	       !breakpoint->only_names;
}

static inline bool probe_is_live(const struct probe *probe)
{
	return probe->spaces.count && probe->spaces.data[0]->process;
}

/* breakpoint.c */
void breakpoint_destroy(struct breakpoint *breakpoint);
void forget_places(struct probe *probe);

/* adopt.c */
struct error *adopt(struct probe *probe, struct process *process);
/* Every byte as it was, no thread in a slot, no disposition of ours. */
struct error *space_release(struct probe *probe, struct space *space);

/* events.c */
void forget_thread(struct probe *probe, const struct thread *thread);
/* Ask all threads to stop, not for the user's sake. */
struct error *stop_for_us(struct probe *probe);

/* cliff.c: a thread was held. */
void cliff_held(struct probe *probe, const struct finished_stop *finished);
/* An int3 of the user's was hit; name the breakpoint that slows the program
 * down, if one does. */
void cliff_hit(struct probe *probe, const struct site *site, pid_t process,
	       uint64_t time);

/* hits.c: report what the enabled breakpoints of a site count, now that the
 * thread of the event has reached it; one that stops the program goes to the
 * outcome. */
struct error *count_hits(struct probe *probe, const struct event *event,
			 struct site *site, struct probe_outcome *outcome);
/* trap.c: the same, and what an int3 means to the placement and the cliff. */
struct error *make_hits(struct probe *probe, const struct event *event,
			struct site *site, struct probe_outcome *outcome);

/* libc_stop.c. Is it a libc, or a program that has it within? (A program that
 * defines a function of libc's itself calls that one in the end.) */
bool has_libc(const struct debugfile *file);
/* Where the module is a libc, a site for this purpose at one of its functions;
 * `*out`: that function, or {0}. */
struct error *stop_in_libc(struct probe *probe, struct space *space,
			   struct module *module, const char *function,
			   enum purpose purpose, struct range *out);

/* overwritten.c. Look, now and then, whether all sites are still in memory; if
 * not, all threads are asked to stop. */
struct error *look_at_sites(struct probe *probe, uint64_t now);
/* All threads that use the memory are STOPPED: put those in again that are not
 * there any more, where that is safe, and say so. */
void mend_sites(struct probe *probe, struct space *space);
/* Were kernel uprobes hit in the process, now or earlier? */
bool find_uprobes(struct space *space);
/* Have a site tell that the process is about to end, if its libc is there. */
struct error *watch_end(struct probe *probe, struct space *space);
/* It is: say which sites are not in memory. Its threads may run. */
void tell_missing(struct probe *probe, struct space *space,
		  const struct process *process);

/* trap.c */
struct error *handle_trap(struct probe *probe, const struct event *event,
			  struct probe_outcome *outcome);
/* All threads are stopped: execute what a site without a slot displaced. */
struct error *finish_step(struct probe *probe);
/* A thread is at a site of the user, AT_TRAP behind its first byte. */
struct error *user_trap(struct probe *probe, const struct event *event,
			struct site *site, struct probe_outcome *outcome);
void begin_hold(const struct probe *probe, const struct event *event,
		struct finished_stop *out);
/*
 * Report the last stop. This is put off until the next event has arrived:
 * on one CPU the program goes on when the tool begins to wait, so whatever the
 * tool did in between would count as the program's time.
 */
void tell_finished(struct probe *probe, struct finished_stop *finished);

/* signal.c: a signal must not be delivered with the pc in a slot. */
struct error *prepare_signal(struct probe *probe, struct thread *thread,
			     int signal);
struct error *handle_return(struct probe *probe, const struct event *event);
/* Has this thread been counted at the site, before a handler ran? */
struct error *is_reached_again(struct probe *probe, struct thread *thread,
			       uint64_t address, bool *again);
/* merged.c: a SIGTRAP that was pending at a hit. Blocked again, it is sent
 * anew; the program gets what its sender had said. */
struct error *send_merged(struct probe *probe, struct thread *thread,
			  const siginfo_t *info);
struct error *give_merged(struct probe *probe, struct thread *thread);
void forget_merged(struct probe *probe, const struct thread *thread);
void forget_merged_of(struct probe *probe, const struct process *process);

/* The same of a record of a jump: is it of a thread that was interrupted behind
 * it, as far as the base register (as of DWARF) tells? */
bool is_recorded_again(struct probe *probe, pid_t pid, uint64_t site,
		       unsigned base_register, uint64_t base);
void forget_interrupted(struct probe *probe, const struct thread *thread);
void forget_interrupted_of(struct probe *probe, const struct process *process);
/* A forked child goes on where its parent was. */
void inherit_interrupted(struct probe *probe, const struct thread *parent,
			 struct thread *child);

/* amid.c. A signal interrupts the thread at regs->rip, perhaps in the slot of
 * that site (0: in none). Is that near a place that may move? */
bool is_amid(const struct space *space, uint64_t pc);
void note_amid(struct probe *probe, const struct space *space,
	       const struct thread *thread, const struct user_regs_struct *regs,
	       uint64_t slot);
/* The next arrival of the thread at the site's int3 is none. */
void pass_later(struct probe *probe, const struct thread *thread,
		uint64_t site);
/* What belongs at `home` is about to move; all threads have stopped. */
void watch_amid(struct probe *probe, const struct space *space, uint64_t home);
bool is_amid_watched(const struct probe *probe, const struct thread *thread);
/* Its handler has returned; it goes on in the slot of the site there, or not.
 */
struct error *return_amid(struct probe *probe, struct thread *thread,
			  const struct user_regs_struct *regs, bool in_slot);
/* Has it been counted already that reaches this site's int3? */
bool is_passed_amid(struct probe *probe, const struct thread *thread,
		    uint64_t address);
void forget_amid(struct probe *probe, const struct thread *thread);
void forget_amid_of(struct probe *probe, const struct process *process);
void inherit_amid(struct probe *probe, const struct thread *parent,
		  struct thread *child);

/* stack.c: which stack a stack pointer is on; 0: not known. */
uint64_t stack_of(struct thread *thread, uint64_t sp);

#endif
