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

/* ---- requests ------------------------------------------------------------ */

/* Enter a request and resolve it. The function takes over `condition`, which
 * may be NULL. The breakpoint gets the next free number and belongs to the
 * layer. A location that has no place yet is no error: `problem` of the
 * breakpoint's facts says why there is none. */
struct error *probe_add(struct probe *probe, enum request_kind kind,
			const char *location, struct expr *condition,
			struct breakpoint **out);
/* The same for a breakpoint that is not one of the user's: probe_next() passes
 * over it, and its number, which has the bit PROBE_APART, is not among theirs.
 * Its hits are told as others are. */
#define PROBE_APART UINT32_C(0x80000000)
struct error *probe_add_apart(struct probe *probe, enum request_kind kind,
			      const char *location, struct expr *condition,
			      struct breakpoint **out);
void probe_remove(struct probe *probe, struct breakpoint *breakpoint);
/* Do the same for `count` breakpoints of the list, of which there may be
 * thousands, with one pass over everything that is patched. */
void probe_remove_all(struct probe *probe, struct breakpoint *const *list,
		      size_t count);
struct error *probe_enable(struct probe *probe, struct breakpoint *breakpoint,
			   bool enabled);
/* Do the same for all breakpoints of a list, none of which is a watchpoint. */
struct error *probe_enable_all(struct probe *probe,
			       struct breakpoint *const *list, size_t count,
			       bool enabled);
/* Take all breakpoints that have a condition out of the program, whether they
 * are enabled or not, and also those that are added or get a condition from now
 * on; or put them back in. Those of probe_add_apart() stay. All threads stand
 * still. */
struct error *probe_suspend(struct probe *probe, bool suspended);

/* Set the condition, or the expression whose values the histogram records. Each
 * of the two functions takes over the expression, and binds it (looks up the
 * names in it) at all places of the breakpoint. On failure the breakpoint is as
 * before. */
struct error *probe_set_condition(struct probe *probe,
				  struct breakpoint *breakpoint,
				  struct expr *condition);
struct error *probe_set_value(struct probe *probe,
			      struct breakpoint *breakpoint,
			      struct expr *value);
/*
 * Enter a watchpoint: a breakpoint whose hits are the writes to an object (with
 * `reads`, the accesses to it), which the processor watches for all threads.
 * `text` is the object in the words of the user. Its address is that of the
 * expression `object`, seen from no function, in each process; or `address`, in
 * the process that runs now, if that is not 0. `object` is also the value of
 * the hits: the object as it is behind the instruction that has touched it. The
 * function takes over `object` and `condition`.
 *
 * ERROR_OTHER: the program has as many watchpoints as the processor can watch.
 */
struct watch_request {
	const char *text;
	uint64_t address;
	uint8_t size; /* 1, 2, 4 or 8 bytes */
	bool reads;
};
struct error *probe_watch(struct probe *probe,
			  const struct watch_request *request,
			  struct expr *object, struct expr *condition,
			  struct breakpoint **out);
/* How many watchpoints are enabled. */
size_t probe_watch_count(const struct probe *probe);
/* Does the watchpoint count reads, too? */
bool breakpoint_watches_reads(const struct breakpoint *breakpoint);

/* Have an expression evaluated at every hit of the breakpoint for a leg or a
 * split, and return the index of its value in the hit. Takes the expression
 * over. The caller gives the expression up by its index, with
 * probe_drop_expr(). */
struct error *probe_use_expr(struct probe *probe, struct breakpoint *breakpoint,
			     enum expr_use use, struct expr *expr,
			     uint32_t *index);
void probe_drop_expr(struct probe *probe, struct breakpoint *breakpoint,
		     enum expr_use use, uint32_t index);

/* The text of the expression that has this index from probe_use_expr(); NULL if
 * nothing uses the index. */
const char *probe_expr_text(const struct breakpoint *breakpoint,
			    enum expr_use use, uint32_t index);
/* Set whether the condition of the breakpoint only names a variable or filters
 * hits: `only_names` of the facts. */
void probe_set_only_names(struct breakpoint *breakpoint, bool only_names);
/* Remember that the user is now told of an error in an expression of the
 * breakpoint. Returns false if the user was told before. */
bool probe_tell_once(struct breakpoint *breakpoint);

/* From now on each hit of the breakpoint reports its stack and stack pointer
 * (probe_want_stack()), its frame and stack (probe_want_frame()), or the
 * goroutine that makes it (probe_want_goroutine()). */
void probe_want_stack(struct breakpoint *breakpoint);
void probe_want_frame(struct probe *probe, struct breakpoint *breakpoint);
void probe_want_goroutine(struct probe *probe, struct breakpoint *breakpoint);
/* From now on each hit of any breakpoint, also of one that is added later,
 * reports the goroutine that makes it. */
void probe_want_goroutines(struct probe *probe);

/* Is a place of the breakpoint in a Go program's own code? */
bool probe_is_go(const struct breakpoint *breakpoint);

/* Look for a location in all files, and for the names of a condition (NULL:
 * there is none), as probe_add() will do. The program may run meanwhile. The
 * layer keeps what this function reads, so that probe_add() is faster. `*out`
 * is a breakpoint that is nowhere, and whose facts say whether a place was
 * found (`was_found`) and, if not, why. probe_end_seek() destroys it. The
 * function fails if probe_add() would fail in the same way. */
struct error *probe_seek(struct probe *probe, enum request_kind kind,
			 const char *location, const struct expr *condition,
			 struct breakpoint **out);
void probe_end_seek(struct breakpoint *sought);

/* The modules that are loaded at a moment. held_modules_are_all() says whether
 * they are those that are loaded now, so that what was found in them then is
 * all that there is. held_modules_let_go() ends the hold. */
VEC_STRUCT(held_modules, struct module *);
void probe_hold_modules(struct probe *probe, struct held_modules *out);
bool held_modules_are_all(struct probe *probe, const struct held_modules *held);
void held_modules_let_go(struct held_modules *held);

/* Tell the layer which libraries the program is linked with, before the program
 * runs: target_linked_libraries(). The layer forgets the libraries when another
 * program is set and when the program starts. */
void probe_set_linked(struct probe *probe, const struct string_list *paths);
/* Will a breakpoint that has no place get one when the libraries of
 * probe_set_linked() are loaded? */
bool probe_will_find(struct probe *probe, struct breakpoint *breakpoint);

/* Find the first place of a location, without setting a breakpoint there. If
 * there is none, the function returns ERROR_NOT_FOUND, and the message says
 * what was looked for. */
struct error *probe_locate(struct probe *probe, const char *location,
			   struct place *out);

/* Move the breakpoint to another location: its places from now on are the
 * places of `location` alone. */
struct error *probe_move(struct probe *probe, struct breakpoint *breakpoint,
			 const char *location);

/* Announce that breakpoints of many functions will be added. Until
 * probe_end_many(), the user is told only the first remarks on these functions;
 * probe_end_many() tells how many more there were. `asked`: a command of the
 * user adds the breakpoints. A remark on them is then made even if it was made
 * earlier. */
void probe_begin_many(struct probe *probe, bool asked);
void probe_end_many(struct probe *probe);

/* ---- profiles of calls
 * ----------------------------------------------------------------- */

/*
 * Enter two breakpoints, of the tool's own, for all functions that the location
 * names: one at their entries, and one where their frames end. Their hits are
 * told as PROBE_EVENT_CALL; they never stop the program, and probe_next()
 * leaves them out. Functions of libraries that are loaded later get them, too.
 * Inlined copies do not. A place that cannot have a breakpoint is left out, and
 * the user is told. On failure there is no breakpoint.
 */
struct error *probe_add_calls(struct probe *probe, const char *location,
			      struct breakpoint **entries,
			      struct breakpoint **ends);
/*
 * Enter a breakpoint, of the tool's own, where longjmp and the unwinders of
 * exceptions go on in another frame. A hit is told as PROBE_EVENT_CALL, too. It
 * says how far the stack was unwound. Functions that the program has for this
 * purpose under other names are not known.
 */
struct error *probe_add_unwinds(struct probe *probe, struct breakpoint **out);
bool breakpoint_is_of_calls(const struct breakpoint *breakpoint);

/* The program has stood still for so long: this is no time of the calls that
 * threads count by themselves. */
void probe_hold_calls(struct probe *probe, double ns);

/* A function whose calls are counted. */
struct called_function {
	struct function function;
	/* The layer keeps the module until probe_destroy(). */
	const struct module *module;
	/* A place of the function, its entry or an exit, was an int3 when the
	 * mechanisms of all places were last determined, or when its memory has
	 * gone. */
	bool by_int3;
};
/* The functions that have had breakpoints of probe_add_calls(), by their
 * numbers, which begin at 0 and are never used again. NULL: there are not so
 * many. A function that is loaded again has the same number. */
const struct called_function *probe_called(const struct probe *probe,
					   uint32_t number);

/* Find a breakpoint by its number. NULL if there is none, or if it was deleted.
 */
struct breakpoint *probe_find(const struct probe *probe, uint32_t id);
/* Return the breakpoints one by one in the order of their numbers, including
 * deleted ones. Start with *cursor = 0 and continue until NULL. The caller may
 * free the breakpoint that was just returned with probe_forget(). */
struct breakpoint *probe_next(const struct probe *probe, size_t *cursor);
/* Find a breakpoint by its number, even if it was deleted. NULL if there is
 * none. */
struct breakpoint *probe_find_any(const struct probe *probe, uint32_t id);
/* Tell the user each file of which a part could not be read since the last
 * call. The tool treats such a part as missing. */
void probe_check_files(struct probe *probe);
/* Determine again why a breakpoint has no place, and write the reason into its
 * `problem`; for one breakpoint, or for all. */
void probe_describe_problem(struct probe *probe, struct breakpoint *breakpoint);
void probe_describe_problems(struct probe *probe);
/* Free a deleted breakpoint whose row in the node table nothing needs. */
void probe_forget(struct probe *probe, struct breakpoint *breakpoint);
/* Remove and free a breakpoint that probe_add() has made and that the caller
 * refuses. If the breakpoint is the newest one, the next breakpoint gets its
 * number. */
void probe_take_back(struct probe *probe, struct breakpoint *breakpoint);
/* Free all deleted breakpoints that were kept for their rows. */
void probe_forget_deleted(struct probe *probe);

/* Find the functions that a pattern names now, in the modules of the process or
 * in the program's file. `time GLOB` makes legs for these functions. Modules
 * whose path is in `searched` are left out (NULL: no module is). Aliases are
 * merged. For *ADDRESS the result is the function that contains the address;
 * that function may have no name. */
struct named_function {
	struct function function;
	const struct module *module;
	/* Only processes that run other programs than the one that the user
	 * named map the module. */
	bool foreign;
	/* The module is the program that the user named, or a library that this
	 * program is linked with. */
	bool linked;
};
VEC_STRUCT(named_function_list, struct named_function);
struct error *probe_functions(struct probe *probe, const char *location,
			      const struct strmap *searched,
			      struct named_function_list *out);
/* Find out where the frames of these functions end. The next command that makes
 * breakpoints there need not do so, and the program stands still for a shorter
 * time. Fails only if the user interrupts it. */
struct error *probe_prepare_exits(struct probe *probe,
				  const struct named_function_list *functions);

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

/* The modules of the process, in the form in which expressions look names up in
 * them. */
struct expr_modules probe_expr_modules(const struct process *process);
/* The program's file, and those of the libraries that it asks for, before it
 * runs: as far as they are where libraries usually are. Returns their number.
 * 0: there is no program, or it runs. */
size_t probe_linked_files(struct probe *probe, struct debugfile *const **out);

/* The path and the name of the modules of probe_vdso(). */
#define PROBE_VDSO "[vdso]"
/* The code that the kernel has put into the process (the vdso), whose image is
 * at [low, end): a module that nothing else tells, and at which there are no
 * breakpoints. Its bias and its range are not set. NULL: it cannot be read. */
const struct module *probe_vdso(struct probe *probe, struct process *process,
				uint64_t low, uint64_t end);
/* The module that contains a run-time address of a process, or NULL. */
const struct module *probe_module_at(struct probe *probe,
				     struct process *process, uint64_t address);
/* Is there code of the tool at a run-time address: an out-of-line slot, a
 * trampoline, or what it calls? If a thread with these registers is in a slot,
 * `regs` becomes what the program expects, and `*place` is the pc in the
 * program. Else `*place` is 0, and `regs` stays as it is: the registers are the
 * tool's. */
bool probe_own_code(struct process *process, uint64_t address,
		    struct user_regs_struct *regs, uint64_t *place);
/* The address of the instruction at which a thread is whose registers have this
 * pc. If the thread has executed an int3 of the tool, the pc is behind it.
 * Where the displaced instruction has one byte, another instruction begins
 * there, and only `in_kernel` tells that it was the int3: the thread executed
 * the kernel, or was stopped. */
uint64_t probe_stands_at(const struct process *process, uint64_t pc,
			 bool in_kernel);
/* The modules, by an index from 0 and in no particular order; NULL after the
 * last one. If processes run, these are the modules of all of them, each file
 * once; else the only one is the program's file. */
const struct module *probe_module(struct probe *probe, size_t index);

/* The name of the module's file, without the directory. For the program, the
 * name of the link by which the user called it. */
const char *module_name(const struct module *module);
uint64_t module_bias(const struct module *module);
/* Does @NAME mean this module? NAME may be the name of the file, its path, its
 * soname, the part of a name before a dot, or a glob. */
bool module_matches(const struct module *module, const char *name);
/* The path of the module's file, as the process names it. */
const char *module_path(const struct module *module);
/* The debug information of the module's file, which is opened at the first
 * call. NULL if the file cannot be read. The module owns the result. */
struct debugfile *module_file(const struct module *module);
/* The same, with debug information that has been found since the module's file
 * was opened: in the directories of probe_add_debug_directory(). */
struct debugfile *module_file_again(const struct module *module);
/* The run-time addresses of the module, from the first page to the last. */
struct range module_range(const struct module *module);
/* Keep a module, with its name and its file, also when no process maps it any
 * more. The caller gives it up with module_drop() before probe_destroy(). */
const struct module *module_keep(const struct module *module);
void module_drop(const struct module *module);
/* Do two modules come from the same file, perhaps at different addresses? */
bool module_is_same_file(const struct module *a, const struct module *b);
/* This number changes when modules have come or gone, in any process. */
uint64_t probe_module_changes(const struct probe *probe);

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
