/*
 * probe.h - breakpoints: what was asked for, where it is, which thread reached
 * it
 *
 * A request (struct breakpoint) is what the user wrote. It is resolved to
 * places, one or many, in every module (program or library) that has them,
 * now or when the module is loaded. A place is made real by a site: an int3
 * in the memory of a process, with the instruction it displaced relocated to
 * an out-of-line slot. Sites are shared by the breakpoints of one address.
 *
 * Hits leave as events, with everything else that the owner has to know: see
 * probe_event.h. The owner runs the event loop of target.h and gives every
 * event of a process to probe_handle().
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
	REQUEST_BEGIN,  /* the entry, and where inlined copies begin */
	REQUEST_EXIT,   /* where the code leaves a function */
	REQUEST_RETURN, /* where its frame ends, whoever returns */
};

/* What LOC means: spec of commands, "Breakpoints". */
enum location_kind {
	LOCATION_FUNCTION, /* FUNC, possibly a glob; FILE:FUNC */
	LOCATION_OFFSET,   /* FUNC+OFFSET, *FUNC; FILE:FUNC+OFFSET */
	LOCATION_LINE,     /* FILE:LINE, or LINE (`name` is NULL) */
	LOCATION_ADDRESS,  /* *ADDRESS */
};

struct location {
	char *text; /* as written */
	enum location_kind kind;
	char *name;   /* function, pattern or file */
	char *source; /* FILE of FILE:FUNC..., or NULL */
	uint32_t line;
	uint64_t number; /* offset or address */
	char *module;    /* of @MODULE, or NULL */
	/* The file that *ADDRESS is in, by its path, once that is known: then
	 * `number` is an address of the file, for the next time it is mapped
	 * elsewhere. Else NULL. */
	char *path;
};

struct error *location_parse(const char *text, struct location *out);
void location_deinit(struct location *location);

/* An address where a breakpoint sits. */
struct place {
	uint64_t address; /* run-time; of the file while nothing runs */
	const struct module *module; /* NULL for *ADDRESS outside of all */
	struct function function;    /* name NULL: not known */
	const char *file;            /* source, NULL: not known */
	uint32_t line;
	bool inlined; /* a copy of what was asked for, inlined into it */
	/* which of debugfile_source_frames(): the one that names of expressions
	 * are looked up in, and the innermost that a stop shows */
	unsigned frame, stop_frame;
	bool gone;    /* its module was unloaded; it is the last one known */
	bool is_jump; /* an exit where the function goes on in another */
	size_t next;  /* number of another at the same offset, of another file;
			 0: none */
};
VEC_STRUCT(place_list, struct place);

/* An expression that legs or splits refer to by its index, which stays theirs
 * as long as they use it. */
struct used_expr {
	struct expr *expr; /* NULL: of no users */
	unsigned users;
};
VEC_STRUCT(used_expr_list, struct used_expr);
enum expr_use {
	USE_KEY,   /* its value goes into the `keys` of a hit */
	USE_LABEL, /* its label goes into the `labels` */
};

/* How a place is watched: spec of probes, "Which mechanism". */
enum mechanism {
	MECHANISM_AUTO, /* as a jump where that can be, else by an int3; that of
			   a breakpoint: as is set for all */
	MECHANISM_INT3,
	MECHANISM_FAST, /* the same as auto; tables say where it could not be */
};

/* With what `set mechanism` begins; tests build it with another. */
#ifndef DEFAULT_MECHANISM
#define DEFAULT_MECHANISM MECHANISM_AUTO
#endif

struct breakpoint {
	uint32_t id;
	enum request_kind kind;
	enum mechanism mechanism;
	struct location location;
	struct expr *condition; /* NULL: unconditional */
	/* the memo's: the condition names the variable that a histogram counts,
	 * and each hit counts */
	bool only_names;
	struct expr *value; /* what its histogram records: `value=`, else the
			       condition's first variable; NULL: nothing */
	bool value_given;
	struct used_expr_list keys, labels;
	bool enabled;
	bool deleted;         /* kept for its row in the node table */
	bool wants_frame;     /* its hits need frame and stack */
	bool wants_stack;     /* its hits need stack and sp */
	bool wants_goroutine; /* and, in a Go program, which one makes them */
	bool was_found;     /* it had a place, in this run of the program or an
			       earlier one */
	bool is_of_program; /* in the one the user has named */
	/* Its function was also inlined, in places that are not its own. */
	bool leaves_out_copies;
	bool is_gone; /* it was inlined, and of a copy no code is left */
	struct place_list places;
	struct map place_at; /* offset in the file -> number of a place */
	struct str problem;  /* why there is no place, when there is none */
	bool told;           /* that its condition cannot be evaluated */
	bool is_bound_anew;  /* its expressions, at a place that has come */
	/* `tried`: the condition of which it is known whether it is a constant
	 * that is true; NULL: of none */
	const struct expr *tried;
	bool is_always;
	uint64_t hits;       /* times it was reached with its condition true */
	uint64_t misses;     /* with its condition false */
	bool misses_unknown; /* there may be more of them: fast ones are not
				counted */
	/* of the places where it is now, or was in the end */
	size_t fast, int3;
	const char *slow; /* why one of the latter is; NULL: nobody asked */
	/* of those that went with their memory while the program was measured:
	 * another was executed, a library unloaded, a process has ended */
	bool was_fast, was_int3;
	const char *was_slow;
	uint64_t recent;       /* int3s hit at it since cliff.c has looked */
	bool is_told_of_cliff; /* that these slow the program down */
};

/* The owner of the probe layer: where events go, and what the layer asks. */
struct probe_client {
	void *context;
	/* All events: see perftool/probe_event.h. */
	void (*event)(void *context, const struct probe_event *event);
	/* Is what was asked of the layer to be given up? Searches end with
	 * ERROR_INTERRUPTED then. */
	struct interrupt interrupt;
	/* Would a hit stop the program? The answer may change only where
	 * probe_stops_changed() says so. */
	bool (*stops)(void *context, const struct breakpoint *breakpoint);
	/* Does the hit that was just told stop the program? It may be of a
	 * thread that is not tracked. */
	bool (*stops_thread)(void *context, const struct breakpoint *breakpoint,
			     pid_t pid, pid_t tid);
	/* Are context switches wanted? See probe_switches_changed(). */
	bool (*wants_switches)(void *context);
	/* $node(N): false if there is no such node. */
	bool (*node_count)(void *context, uint32_t node, uint64_t *count);
};

struct probe *probe_create(struct target *target, const struct clock *clock,
			   const struct probe_client *client);
void probe_destroy(struct probe *probe);

/* ---- the program --------------------------------------------------------- */

/* The file that requests are resolved in while nothing runs. `called`: what
 * the user calls it, `path` or a link to it. */
struct error *probe_set_program(struct probe *probe, const char *path,
				const char *called);
/* Look at that file again: it may have changed on disk. */
struct error *probe_set_program_again(struct probe *probe);
/* NULL: none was set. */
struct debugfile *probe_program_file(const struct probe *probe);

/*
 * A program was launched, its one thread is STOPPED at its first instruction,
 * or a process was attached to and all its threads are STOPPED (and those of
 * the processes that share its memory, which are followed as if they had been
 * forked by it now): remove what a perftool that died has left there, reserve
 * slots, find its modules, put the breakpoints in. It can then be resumed;
 * calibration runs first, in one thread. What cannot be covered should the tool
 * die is noted.
 */
struct error *probe_adopt(struct probe *probe, struct process *process);
/* The same for one that is measured beside those that are. */
struct error *probe_join(struct probe *probe, struct process *process);

/*
 * Before attaching: open the files a running process has mapped and look for
 * the breakpoints there, so that it needs to stand still for less.
 */
void probe_preload(struct probe *probe, pid_t pid);

/*
 * Let go of a process whose threads are all STOPPED (with it go those that
 * share its memory): every byte as it was (verified), no thread in a slot, no
 * signal disposition of ours; then it is detached and forgotten. One that
 * borrows the memory of another stays as it is: it goes with that one. A thread
 * that waits for its vfork child is let go of when that child has left the
 * memory; if it is the only one it is waited for, for a second.
 */
struct error *probe_release(struct probe *probe, struct process *process);

/* Are children followed, and what they execute? Both on at first. */
void probe_set_follow(struct probe *probe, bool fork, bool exec);

/* ---- requests -------------------------------------------------------------
 */

/* Enter a request; takes over `condition` (may be NULL). The number is the
 * next free one. A place that is not there yet is no error: see `problem`. */
struct error *probe_add(struct probe *probe, enum request_kind kind,
			const char *location, struct expr *condition,
			struct breakpoint **out);
void probe_remove(struct probe *probe, struct breakpoint *breakpoint);
struct error *probe_enable(struct probe *probe, struct breakpoint *breakpoint,
			   bool enabled);

/* These take the expression over and bind it at all places; on failure the
 * breakpoint is as before. */
struct error *probe_set_condition(struct probe *probe,
				  struct breakpoint *breakpoint,
				  struct expr *condition);
struct error *probe_set_value(struct probe *probe,
			      struct breakpoint *breakpoint,
			      struct expr *value);
/* One more user of an expression at every hit; dropped by its index. */
struct error *probe_use_expr(struct probe *probe, struct breakpoint *breakpoint,
			     enum expr_use use, struct expr *expr,
			     uint32_t *index);
void probe_drop_expr(struct probe *probe, struct breakpoint *breakpoint,
		     enum expr_use use, uint32_t index);

/* Its hits tell their frame, or which goroutine makes them, from now on. */
void probe_want_frame(struct probe *probe, struct breakpoint *breakpoint);
void probe_want_goroutine(struct probe *probe, struct breakpoint *breakpoint);
/* The same of all breakpoints, and of those that are yet to come. */
void probe_want_goroutines(struct probe *probe);

/* Is a place of it in a Go program's own code? */
bool probe_is_go(const struct breakpoint *breakpoint);

/* Look for a location in all files now, and for the names of a condition (NULL:
 * none), as probe_add() will: what was read once is at hand then. The program
 * may run meanwhile. */
void probe_prepare(struct probe *probe, enum request_kind kind,
		   const char *location, const struct expr *condition);

/* What the program is linked with, before it runs: target_linked_libraries().
 * Another program, and its start, forget it. */
void probe_set_linked(struct probe *probe, const struct string_list *paths);
/* Will a breakpoint without a place have one when these are loaded? */
bool probe_will_find(struct probe *probe, struct breakpoint *breakpoint);

/* The first place of a location, without a breakpoint there; ERROR_NOT_FOUND
 * says what was looked for. */
struct error *probe_locate(struct probe *probe, const char *location,
			   struct place *out);

/* It is at this place from now on, and nowhere else. */
struct error *probe_move(struct probe *probe, struct breakpoint *breakpoint,
			 const char *location);

/* From here on breakpoints of many functions are added: of the remarks on them
 * only some are made, and how many there were. `asked`: by a command, which is
 * answered as if nothing had been said before. */
void probe_begin_many(struct probe *probe, bool asked);
void probe_end_many(struct probe *probe);

/* By number, not deleted ones; NULL: none. */
struct breakpoint *probe_find(const struct probe *probe, uint32_t id);
/* In order of number, with the deleted ones; start with *cursor = 0, and go on
 * until NULL. The one just returned may be forgotten meanwhile. */
struct breakpoint *probe_next(const struct probe *probe, size_t *cursor);
/* By number, a deleted one too; NULL: none. */
struct breakpoint *probe_find_any(const struct probe *probe, uint32_t id);
/* A remark for each file of which a part could not be read since the last call:
 * what is there counts as missing. */
void probe_check_files(struct probe *probe);
/* Say anew, in `problem`, why one without a place has none, or all of them. */
void probe_describe_problem(struct probe *probe, struct breakpoint *breakpoint);
void probe_describe_problems(struct probe *probe);
/* Forget a deleted one, whose row nobody needs. */
void probe_forget(struct probe *probe, struct breakpoint *breakpoint);
/* Remove a breakpoint that probe_add() has made and that the caller refuses. If
 * it is the newest breakpoint, the next one gets its number. */
void probe_take_back(struct probe *probe, struct breakpoint *breakpoint);
/* Forget the rows kept of deleted ones. */
void probe_forget_deleted(struct probe *probe);

/* The functions a pattern names now, in the modules of the process or in the
 * program's file, but for those whose path is in `searched` (NULL: in all):
 * what `time GLOB` makes legs for. Aliases are merged. Of *ADDRESS it is the
 * one that has the address, which may have no name. */
struct named_function {
	struct function function;
	const struct module *module;
	bool foreign; /* only in what other programs than the named one map */
	bool linked;  /* in that one, or in what it is linked with */
};
VEC_STRUCT(named_function_list, struct named_function);
struct error *probe_functions(struct probe *probe, const char *location,
			      const struct strmap *searched,
			      struct named_function_list *out);

/* ---- events
 * ------------------------------------------------------------------ */

enum probe_action {
	PROBE_HANDLED, /* nothing more to do; the thread goes on */
	PROBE_STOP,    /* a breakpoint stops: its thread is AT_TRAP and goes on
			  at `resume_pc` */
	PROBE_SIGNAL,  /* the owner decides: target_deliver() */
	PROBE_END,     /* a process that was followed has ended */
	PROBE_STOPPED, /* EVENT_ALL_STOPPED: whoever has not asked for it
			  resumes them all */
};

struct probe_outcome {
	enum probe_action action;
	struct breakpoint *breakpoint; /* PROBE_STOP */
	uint64_t resume_pc;            /* PROBE_STOP: for target_resume_at() */
};

/* Let all threads that are STOPPED go on, with the breakpoints as they are to
 * be now. */
struct error *probe_resume_all(struct probe *probe);

/* Handle one event. */
struct error *probe_handle(struct probe *probe, const struct event *event,
			   struct probe_outcome *outcome);

/* After PROBE_SIGNAL: let the thread of the event go on with this signal, or
 * with none (0). */
struct error *probe_deliver(struct probe *probe, const struct event *event,
			    int signal);

/* Tell now of the hits that fast nodes have written so far, but for those that
 * come after one which its thread has not completed yet. It takes 20 us, if
 * any thread has a ring: so long a record may be on its way. */
void probe_catch_up(struct probe *probe);

/* ---- looking ---------------------------------------------------------------
 */

/* Registers of a STOPPED thread as the program expects them: a pc inside a
 * slot is mapped to the instruction it stands for. */
struct error *probe_get_regs(struct probe *probe, struct thread *thread,
			     struct user_regs_struct *regs);

/* Its modules, as expressions look names up in them. */
struct expr_modules probe_expr_modules(const struct process *process);

/* The module that holds a run-time address of a process, or NULL. */
const struct module *probe_module_at(struct probe *probe,
				     struct process *process, uint64_t address);
/* In no particular order, index from 0: those of all processes, each file
 * once, or the program's file. */
const struct module *probe_module(struct probe *probe, size_t index);

/* File name alone; of the program, of the link that it was called by. */
const char *module_name(const struct module *module);
uint64_t module_bias(const struct module *module);
/* Is it meant by @NAME: the file's name, its path, its soname, what stands
 * before a dot of it, or a glob? */
bool module_matches(const struct module *module, const char *name);
/* The path as its process has it. */
const char *module_path(const struct module *module);
/* Opened when first asked for; NULL: cannot be read. */
struct debugfile *module_file(const struct module *module);

/* What ops.wants_switches() says is another now. */
void probe_switches_changed(struct probe *probe);

/* Why context switches of some threads cannot be heard of; NULL: they can. */
const char *probe_switches_problem(const struct probe *probe);

/* "one CPU" and the like, for the header; NULL: nothing was done. */
const char *probe_placement(const struct probe *probe);

/* ---- settings
 * ------------------------------------------------------------------ */

/* `mechanism=`. */
void probe_set_breakpoint_mechanism(struct probe *probe,
				    struct breakpoint *breakpoint,
				    enum mechanism mechanism);
/* `set mechanism`. */
void probe_set_mechanism(struct probe *probe, enum mechanism mechanism);
/* `set ring-size`: how many bytes of records a thread may have that are not
 * read yet, a power of two between 64 KiB and RING_BYTES. For rings that are
 * full from now on; none becomes smaller. */
void probe_set_ring_size(struct probe *probe, uint64_t bytes);
/* `set ordering`: a jump's time is that when all before it has been done. On
 * unless this says otherwise, while all threads are stopped. */
void probe_set_ordering(struct probe *probe, bool ordered);
/* What ops.stops() says of some breakpoint may be another now. */
void probe_stops_changed(struct probe *probe);

/* `set conditions`: does a condition filter the hits, or only name a variable,
 * as the memo has it? */
enum condition_meaning {
	CONDITIONS_AS_GIVEN, /* those that only name do, the others filter */
	CONDITIONS_FILTER,
	CONDITIONS_NAME,
};
void probe_set_conditions(struct probe *probe, enum condition_meaning meaning);

/* Another directory to look for separate debug information in, asked before
 * the system's; files that are open already are opened anew when they have no
 * debug information and a process maps them again. */
void probe_add_debug_directory(struct probe *probe, const char *directory);

enum affinity { AFFINITY_AUTO, AFFINITY_ON, AFFINITY_OFF };
void probe_set_affinity(struct probe *probe, enum affinity affinity);

#endif
