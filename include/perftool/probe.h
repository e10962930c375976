/*
 * probe.h - breakpoints: what the user asked for, where that is in the program,
 * and which thread reached it
 *
 * A request (struct breakpoint) is what the user wrote. The layer resolves a
 * request to places, one or many, in every module (program or library) that has
 * them. It does so when the request is made, and again when a module is loaded
 * later. A place takes effect through a site: an address in the memory of a
 * process where the tool writes an int3, or a jump to code that records the hit
 * (a fast node). The instruction that this displaces is executed in an
 * out-of-line slot. The breakpoints of one address share the site.
 *
 * The layer reports hits to its caller (the session) as events, together with
 * everything else that the caller has to know: see probe_event.h. The caller
 * runs the event loop of target.h and passes every event of a process to
 * probe_handle().
 */
#ifndef PERFTOOL_PROBE_H
#define PERFTOOL_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "perftool/base/clock.h"
#include "perftool/base/error.h"
#include "perftool/base/hit.h"
#include "perftool/base/interrupt.h"
#include "perftool/base/map.h"
#include "perftool/base/str.h"
#include "perftool/base/string_list.h"
#include "perftool/base/vec.h"
#include "perftool/debuginfo.h"
#include "perftool/expr.h"
#include "perftool/probe_event.h"
#include "perftool/target.h"
#include "perftool/target/target_events.h"

struct probe;
struct module;

enum request_kind {
	REQUEST_PLACE,
	REQUEST_ENTRY,
	/* the entry, and the places where inlined copies begin */
	REQUEST_BEGIN,
	REQUEST_EXIT, /* every instruction at which the function is left */
	/* where a frame of the function ends: at a return of the function, or
	 * of a function to which the frame was left by a tail jump */
	REQUEST_RETURN,
	REQUEST_BLOCKS, /* the first instruction of each basic block */
	/* each instruction at which control enters a line of the function, or
	 * leaves the function's own code: run_spots.c of the folder request */
	REQUEST_RUNS,
	/* where a function is called: doc/RULES.md, "Blocks, calls,
	 * allocations, locks" */
	REQUEST_CALLS,
	REQUEST_ALLOCATIONS, /* calls of functions that allocate memory */
	/* calls of functions that take or release a mutex, a read-write lock or
	 * a semaphore, or wait for a condition: before the call that tries to
	 * take it, when it was taken, and before the call that releases it */
	REQUEST_SYNC_TEST,
	REQUEST_SYNC_ENTER,
	REQUEST_SYNC_EXIT,
	/* writes to an object in memory, or accesses to it: probe_watch() */
	REQUEST_WATCH,
	/* the ends of unwindings: probe_add_unwinds() */
	REQUEST_UNWINDS,
	/* The calls with which the C library's functions of POSIX threads wait
	 * in the kernel for a lock that another thread has, the instructions
	 * behind these calls, and the calls with which they wake threads that
	 * wait for a mutex: wait_spots.c of the folder request. The location
	 * is any text. rdi has the address of the lock's word at a call. */
	REQUEST_WAITS,
	REQUEST_WAIT_ENDS,
	REQUEST_WAKES,
};

/* Is the request for places where threads wait for locks? */
static inline bool request_is_of_waits(enum request_kind kind)
{
	return kind >= REQUEST_WAITS && kind <= REQUEST_WAKES;
}

/* Is the request for the places where calls of a function end? A copy of the
 * function that was inlined has no such place. */
static inline bool request_is_at_end(enum request_kind kind)
{
	return kind == REQUEST_EXIT || kind == REQUEST_RETURN;
}

/* Is the request for places at which other functions are called? Its location
 * may have `within`. */
static inline bool request_is_of_calls(enum request_kind kind)
{
	return kind >= REQUEST_CALLS && kind <= REQUEST_SYNC_EXIT;
}

/* Has a function that exists only as inlined copies no place for the request?
 */
static inline bool request_needs_own_code(enum request_kind kind)
{
	return request_is_at_end(kind) || kind >= REQUEST_BLOCKS;
}

/* The forms of a location (LOC): doc/RULES.md, "Breakpoints". */
enum location_kind {
	LOCATION_FUNCTION, /* FUNC, possibly a glob; FILE:FUNC */
	LOCATION_OFFSET,   /* FUNC+OFFSET, *FUNC; FILE:FUNC+OFFSET */
	LOCATION_LINE,     /* FILE:LINE, or LINE (`name` is NULL) */
	LOCATION_ADDRESS,  /* *ADDRESS */
	LOCATION_DATA,     /* the object of a watchpoint */
	LOCATION_PROBE,    /* probe:PROVIDER:NAME, both possibly globs */
};

struct location {
	char *text; /* as the user wrote the location */
	enum location_kind kind;
	/* the name of a function, a pattern of names, a file, or the NAME of
	 * probe:PROVIDER:NAME */
	char *name;
	/* the FILE of FILE:FUNC..., the PROVIDER, or NULL */
	char *source;
	uint32_t line;
	uint64_t number; /* the OFFSET or the ADDRESS */
	char *module;    /* the name after @MODULE, or NULL */
	/* The path of the file that *ADDRESS is in, once that file is known;
	 * else NULL. With a path, `number` is an address of the file, so that
	 * the location still means the same instruction when the file is mapped
	 * at another address. */
	char *path;
	/* the FUNC of `CALLEE in FUNC`: only places in the code of this
	 * function are meant. NULL: there is no such restriction. */
	struct location *within;
};

struct error *location_parse(const char *text, struct location *out);
/* Parse the location of a request of this kind. The text of REQUEST_CALLS is
 * `CALLEE [in FUNC]`; that of the kinds behind it is their own name (`break
 * allocations` without the word break), with or without `in FUNC`; all others
 * have a plain location. */
struct error *request_parse(enum request_kind kind, const char *text,
			    struct location *out);
void location_deinit(struct location *location);

/* What stands at the place of a request for calls. */
enum place_form {
	FORM_OTHER,
	FORM_CALL,     /* a call of the function itself */
	FORM_CALL_PLT, /* through the procedure linkage table */
	FORM_CALL_GOT, /* through a word of the global offset table */
	FORM_JUMP,     /* a jump that takes the place of a call (a tail call) */
	/* A call, or such a jump, whose target the thread has in a register or
	 * in memory. It is a hit if the target is a function that was asked
	 * for. */
	FORM_INDIRECT,
	FORM_ENTRY, /* the entry of the function that is called */
};

/* What begins at a place of REQUEST_RUNS; several may. */
enum {
	RUN_BLOCK = 1,
	RUN_LINE = 2, /* another line than that of the instruction before */
	RUN_ENTRY = 4,
	RUN_CALL = 8,
	RUN_EXIT = 16,
	RUN_BEHIND_CALL = 32,
	RUN_INLINED = 64, /* code of an inlined call */
	/* a statement of the function, in code whose compiler says where
	 * statements begin (debugfile_statements()) */
	RUN_STATEMENT = 128,
};

/* The marks of places of REQUEST_WAITS and the like: what is waited for (enum
 * lock_kind), and how many bytes the word that rdi points to is behind the
 * beginning of the lock; below 0: not known. */
#define WAIT_MARKS_KINDS 8
static inline uint8_t wait_marks(unsigned kind, int32_t offset)
{
	const bool is_known = offset >= 0 && offset < 31 * 4;

	return (uint8_t)(kind +
			 WAIT_MARKS_KINDS *
				 (is_known ? 1 + (unsigned)offset / 4 : 0));
}
static inline unsigned wait_marks_kind(unsigned marks)
{
	return marks % WAIT_MARKS_KINDS;
}
static inline int32_t wait_marks_offset(unsigned marks)
{
	return ((int32_t)(marks / WAIT_MARKS_KINDS) - 1) * 4;
}

/* An address where a breakpoint sits. */
struct place {
	/* a run-time address; while no program runs, an address of the file */
	uint64_t address;
	/* NULL for an *ADDRESS that is in no module */
	const struct module *module;
	/* the function that contains the address; its name is NULL if the
	 * function is not known */
	struct function function;
	/* the source file; NULL if it is not known */
	const char *file;
	uint32_t line;
	/* The place is the beginning of an inlined copy of the requested
	 * function. */
	bool inlined;
	/* Two indices into debugfile_source_frames(): `frame` is the frame in
	 * which names of expressions are looked up, `stop_frame` is the
	 * innermost frame that a stop shows. */
	unsigned frame, stop_frame;
	/* The module of the place was unloaded. The place is kept because the
	 * breakpoint has no other. */
	bool gone;
	/* The place is a tail jump, with which the function leaves its frame to
	 * another function. */
	bool is_jump;
	enum place_form form;
	uint8_t marks; /* RUN_..., or wait_marks() */
	/* how often the place was reached with the condition true */
	uint64_t hits;
	/* The number (from 1) of the next place of the breakpoint that has the
	 * same offset in another file; 0 if there is none. */
	size_t next;
};
VEC_STRUCT(place_list, struct place);

enum expr_use {
	/* the value of the expression is reported in the `keys` of a hit */
	USE_KEY,
	/* the label that the expression gives is reported in the `labels` of a
	 * hit */
	USE_LABEL,
};

/* How the tool watches a place: doc/RULES.md, "Which mechanism". */
enum mechanism {
	/* The place is a jump if that is possible, else an int3. As the
	 * mechanism of one breakpoint: the mechanism that `set mechanism`
	 * chooses for all breakpoints. */
	MECHANISM_AUTO,
	MECHANISM_INT3,
	/* Like MECHANISM_AUTO, but the tables also report the places where a
	 * jump was not possible. */
	MECHANISM_FAST,
};

/* The initial value of `set mechanism`. Tests build the tool with another
 * value. */
#ifndef DEFAULT_MECHANISM
#define DEFAULT_MECHANISM MECHANISM_AUTO
#endif

/* A request of the user, together with its places and what was counted there.
 * The layer owns breakpoints, and other layers only see their facts. */
struct breakpoint;

/* What is known of a breakpoint at one moment. The pointers belong to the
 * breakpoint. They are valid until the breakpoint changes or is removed. */
struct breakpoint_facts {
	uint32_t id;
	enum request_kind kind;
	enum mechanism mechanism;
	const struct location *location;
	/* NULL: the breakpoint is unconditional */
	const struct expr *condition;
	bool is_always; /* the condition is a constant, and true */
	/* As in the memo: the condition only names the variable that a
	 * histogram counts, and every hit counts. */
	bool only_names;
	/* The expression whose values the histogram of the breakpoint records:
	 * the one given with `value=`, else the first variable of the
	 * condition. NULL: the histogram has no values. */
	const struct expr *value;
	bool enabled;
	/* The user has deleted the breakpoint. It is kept because the node
	 * table still shows its row. */
	bool deleted;
	/* The breakpoint had a place, in this run of the program or in an
	 * earlier one. */
	bool was_found;
	/* The breakpoint has a place in the program that the user has named. */
	bool is_of_program;
	/* The function of the breakpoint was also inlined elsewhere, and these
	 * copies are not places of the breakpoint. */
	bool leaves_out_copies;
	/* The function was inlined, and of some copy the optimizer left no
	 * code. */
	bool is_gone;
	/* The function that was asked for is there, but has no such place: it
	 * does not call the other one, or has no code of its own. */
	bool is_without;
	const struct place_list *places;
	/* the reason why the breakpoint has no place; empty if it has one */
	const char *problem;
	/* The user was told that the condition cannot be evaluated. */
	bool told;
	/* how often the breakpoint was reached with its condition true, and
	 * with its condition false */
	uint64_t hits, misses;
	/* There may be more misses than `misses` says, because fast nodes do
	 * not count theirs. */
	bool misses_unknown;
	/* how many places of the breakpoint are jumps, and how many are int3s;
	 * after the program has ended, the numbers at its end */
	size_t fast, int3;
	/* the reason why one of the int3s is no jump; NULL if that was not
	 * determined */
	const char *slow;
	/* The mechanisms of places whose memory has gone while the program was
	 * measured, because a process executed another program or ended, or
	 * because a library was unloaded. */
	bool was_fast, was_int3;
	const char *was_slow;
};

struct breakpoint_facts breakpoint_facts(const struct breakpoint *breakpoint);
/* The number of a breakpoint, and whether it has a condition, as in its facts.
 * These functions are cheap enough to be called at each hit. */
uint32_t breakpoint_id(const struct breakpoint *breakpoint);
bool breakpoint_has_condition(const struct breakpoint *breakpoint);

/* The caller of the probe layer: the function that receives its events, and the
 * functions by which the layer asks the caller. */
/* A leg whose hits threads may count by themselves. */
struct countable {
	uint32_t leg;
	uint32_t from, to; /* the numbers of the two breakpoints */
	/* The caller holds activations of the leg, so threads must not begin
	 * now to count it. */
	bool is_open;
	/* It matches by order, by `first` if `keeps_first`, else by `last`. */
	bool by_order, keeps_first;
	/* A leg ends at `from`, or begins at `to`: threads must not count this
	 * leg unless they count that one, too. */
	bool from_ends, to_begins;
};

struct probe_client {
	void *context;
	/* Receives all events: see perftool/probe_event.h. */
	void (*event)(void *context, const struct probe_event *event);
	/* Does the user want the current operation of the layer to be given up?
	 * A search then ends with ERROR_INTERRUPTED. */
	struct interrupt interrupt;
	/* The layer tells how far an operation that may take long has come: it
	 * has done its work at `done` of `count` places. `what` names the work.
	 * The layer calls this function often, and at the end of the operation
	 * once with `done` equal to `count`, even if the operation has failed.
	 * NULL: the caller shows no progress. */
	void (*working)(void *context, const char *what, size_t done,
			size_t count);
	/* Would a hit of the breakpoint stop the program? When the answer
	 * changes, the caller must call probe_stops_changed(). */
	bool (*stops)(void *context, const struct breakpoint *breakpoint);
	/* Does the hit that was just reported stop the program? The hit may be
	 * of a process that the user does not track. */
	bool (*stops_thread)(void *context, const struct breakpoint *breakpoint,
			     pid_t pid, pid_t tid);
	/* Must a hit of the breakpoint stop its thread for a moment, so that
	 * the caller can look at the thread? Its places are then int3s. NULL:
	 * no breakpoint needs this. When the answer changes, the caller must
	 * call probe_stops_changed(). */
	bool (*inspects)(void *context, const struct breakpoint *breakpoint);
	/* Which leg begins at the breakpoint, if threads can count all hits of
	 * that leg by themselves? Returns false if they cannot. When the answer
	 * changes, the caller must call probe_stops_changed(). */
	bool (*countable)(void *context, const struct breakpoint *breakpoint,
			  struct countable *out);
	/* May threads count the calls of a profile by themselves? When the
	 * answer changes, the caller must call probe_stops_changed(). */
	bool (*counts_calls)(void *context);
	/* Append the name of a leg that threads count by themselves. */
	void (*leg_name)(void *context, uint32_t leg, struct str *out);
	/* Does the caller want context switches? See probe_switches_changed().
	 */
	bool (*wants_switches)(void *context);
	/* Find the hit count of a node, which is the value of $node(N) in an
	 * expression. Returns false if there is no such node. */
	bool (*node_count)(void *context, uint32_t node, uint64_t *count);
};

struct probe *probe_create(struct target *target, const struct clock *clock,
			   const struct probe_client *client);
void probe_destroy(struct probe *probe);

/* ---- the program --------------------------------------------------------- */

/* Set the file that requests are resolved in while no program runs. `called` is
 * the name by which the user calls the program: `path`, or a link to that file.
 * Returns an error if the file cannot be opened. */
struct error *probe_set_program(struct probe *probe, const char *path,
				const char *called);
/* Read the program's file again, because the file may have changed on disk. */
struct error *probe_set_program_again(struct probe *probe);
/* The debug information of the program's file. NULL if no program was set. */
struct debugfile *probe_program_file(const struct probe *probe);

/*
 * Begin to control a process. Either the process was launched, and its only
 * thread is STOPPED at its first instruction; or the tool attached to the
 * process, and all its threads are STOPPED. In the second case the threads of
 * all processes that share its memory are STOPPED too, and these processes are
 * followed as if the process had forked them now.
 *
 * The function removes what a perftool that died has left in the memory,
 * reserves memory for slots, finds the modules and inserts the breakpoints.
 * Afterwards the process can be resumed; a calibration runs first, in one
 * thread. The function tells the user what will go wrong in the process should
 * the tool die.
 */
struct error *probe_adopt(struct probe *probe, struct process *process);
/* Like probe_adopt(), for a process that is measured in addition to those that
 * are measured already. */
struct error *probe_join(struct probe *probe, struct process *process);

/*
 * Open the files that a running process has mapped, and look for the
 * breakpoints in them, before the tool attaches to the process. The process
 * then has to stand still for a shorter time.
 */
void probe_preload(struct probe *probe, pid_t pid);

/*
 * End the control of a process whose threads are all STOPPED, and of the
 * processes that share its memory. Afterwards every byte of its code is as it
 * was (the function reads the bytes back), no thread is in a slot, and no
 * signal disposition of the tool is left. The process is then detached and
 * forgotten.
 *
 * If the process borrows the memory of another process, the function leaves the
 * process as it is: it is let go together with the process that owns the
 * memory. A thread that waits for its vfork child is let go when that child has
 * left the memory. If that thread is the only one of the process, the function
 * waits for it for up to a second.
 */
struct error *probe_release(struct probe *probe, struct process *process);

/* Set whether processes that a measured process forks are measured, too, and
 * whether a process is still measured after it has executed another program.
 * Both are on at first. */
void probe_set_follow(struct probe *probe, bool fork, bool exec);

/* ---- events -------------------------------------------------------------- */

enum probe_action {
	/* the layer has handled the event completely, and the thread goes on */
	PROBE_HANDLED,
	/* A breakpoint stops the program. The thread that hit the breakpoint is
	 * AT_TRAP and is to go on at `resume_pc`. */
	PROBE_STOP,
	/* a signal has stopped the thread; the caller of the layer decides
	 * whether the thread gets the signal, and calls probe_deliver() */
	PROBE_SIGNAL,
	PROBE_END, /* a process that was followed has ended */
	/* All threads have stopped (EVENT_ALL_STOPPED). If the caller of the
	 * layer has not asked for the stop, the caller resumes all threads. */
	PROBE_STOPPED,
};

struct probe_outcome {
	enum probe_action action;
	struct breakpoint *breakpoint; /* for PROBE_STOP */
	/* for PROBE_STOP: the argument of target_resume_at() */
	uint64_t resume_pc;
};

/* Resume all STOPPED threads. Before that, the function updates the sites to
 * what the breakpoints need now. */
struct error *probe_resume_all(struct probe *probe);
/* All threads are STOPPED, and the client keeps them so, although it may not
 * have asked for this stop. From now on the time is not the tool's. */
void probe_stop_is_kept(struct probe *probe);

/* Handle one event of the target. `outcome` says what the caller has to
 * do. */
struct error *probe_handle(struct probe *probe, const struct event *event,
			   struct probe_outcome *outcome);

/* After PROBE_SIGNAL: let the thread of the event go on with this signal, or
 * without one (0). */
struct error *probe_deliver(struct probe *probe, const struct event *event,
			    int signal);

/* Report now the hits that fast nodes have recorded so far. A hit is not
 * reported if it comes after a record that its thread has not completed yet.
 * The call takes 20 us if any thread has a ring, because a record may need that
 * long to become visible to the tool. */
void probe_catch_up(struct probe *probe);
/* Tell what threads have counted by themselves until now. probe_catch_up() does
 * this, too. */
void probe_read_counts(struct probe *probe);
/* The caller is about to discard what is open: tell what threads have counted
 * until now, and have them forget the activations that they have open. */
void probe_discard_counts(struct probe *probe);

/* ---- queries ------------------------------------------------------------- */

/* Read the registers of a STOPPED thread as the program expects them: a pc
 * inside a slot is replaced by the address of the instruction that the slot
 * stands for. */
struct error *probe_get_regs(struct probe *probe, struct thread *thread,
			     struct user_regs_struct *regs);

/* Tell the layer that the answer of probe_client.wants_switches() has changed.
 */
void probe_switches_changed(struct probe *probe);

/* The reason why the tool cannot get the context switches of some threads; NULL
 * if it gets those of all threads. */
const char *probe_switches_problem(const struct probe *probe);

/* On which CPUs the tool and the program were executed, for the heading of the
 * tables: "tool and program on one CPU" and the like. NULL if no breakpoint was
 * hit yet. */
const char *probe_placement(const struct probe *probe);

/* How many times as much as calibration has found have hits at jumps cost the
 * program so far? `*samples`: how many samples of the program's threads tell
 * this; 0: too few do. */
double probe_cost_in_run(const struct probe *probe, uint64_t *samples);

/* Does the breakpoint wait for the end of frames of a function that may leave
 * them to other functions by tail jumps? The jumps and returns of those then
 * cost threads as much as hits do. */
bool probe_frames_go_on(const struct probe *probe, uint32_t breakpoint);

/* Returns the reason why no place of the process can be a jump; NULL if places
 * can. NULL as `process`: a process that is yet to be started. */
const char *probe_refuses_jumps(const struct probe *probe,
				const struct process *process);

/* ---- settings ------------------------------------------------------------ */

/* Set the mechanism of one breakpoint: `mechanism=`. */
void probe_set_breakpoint_mechanism(struct probe *probe,
				    struct breakpoint *breakpoint,
				    enum mechanism mechanism);
/* The caller reads the registers and the memory of each thread that hits the
 * breakpoint. So the breakpoint is an int3, and if it waits for the ends of
 * frames, all places where frames end after tail jumps are int3s, too: the hit
 * is told while the thread stands there. */
void probe_want_thread(struct probe *probe, struct breakpoint *breakpoint);
/* Set the mechanism of the breakpoints that have none of their own: `set
 * mechanism`. */
void probe_set_mechanism(struct probe *probe, enum mechanism mechanism);
/* Set how many bytes of unread records one thread may have, a power of two
 * between 64 KiB and RING_BYTES: `set ring-size`. The limit applies to rings
 * that fill up from now on; no ring becomes smaller. */
void probe_set_ring_size(struct probe *probe, uint64_t bytes);
/* Set whether a trampoline reads the time of a hit only when the processor has
 * completed everything before it: `set ordering`. At first this is on. All
 * threads must be stopped during the call. */
void probe_set_ordering(struct probe *probe, bool ordered);
/* Tell the layer that the answer of probe_client.stops() may have changed for
 * some breakpoint. */
void probe_stops_changed(struct probe *probe);

/* Does a condition filter the hits, or does it only name a variable, as in the
 * memo? This is what `set conditions` chooses. */
enum condition_meaning {
	/* a condition with `only_names` names a variable, and every other
	 * condition filters the hits */
	CONDITIONS_AS_GIVEN,
	CONDITIONS_FILTER,
	CONDITIONS_NAME,
};
void probe_set_conditions(struct probe *probe, enum condition_meaning meaning);

/* Add a directory in which to look for separate debug information before the
 * system's directories. A file that is open already is opened again if it has
 * no debug information and a process maps it again. */
void probe_add_debug_directory(struct probe *probe, const char *directory);

/* Set whether the index of large debug information is kept in files for the
 * next start of the tool: `set index-cache`. At first this is off. */
void probe_set_index_cache(struct probe *probe, bool on);

enum affinity { AFFINITY_AUTO, AFFINITY_ON, AFFINITY_OFF };
void probe_set_affinity(struct probe *probe, enum affinity affinity);

#endif
