/*
 * internal.h - what the files of the probe layer share
 *
 *	breakpoint ──resolve──► places ──► sites (one per address, shared)
 *	                                    │ attachments: who sits there
 *	                                    └ slot in an area near the module
 */
#ifndef PROBE_INTERNAL_H
#define PROBE_INTERNAL_H

#include "perftool/arch.h"
#include "perftool/base/map.h"
#include "perftool/probe.h"

/*
 * A program or library as it is mapped in a process: a file at an address. It
 * does not change, so that forked children share it; it lives for as long as
 * somebody has a reference to it, for places are told of after their process
 * has ended.
 */
struct module {
	struct probe *probe;
	size_t users; /* references */
	char *path;   /* as the process names it */
	char *opened; /* to open it by; NULL: it cannot be had */
	char *name;   /* its file name alone, for people and for @MODULE */
	uint64_t bias;
	uint64_t low, high;     /* run-time addresses */
	struct debugfile *file; /* opened when first needed */
	bool unreadable;        /* it could not be opened */
};

/* A module in one space. */
struct loaded {
	struct module *module;
	bool present; /* while the maps are read again */
	/* breakpoints up to this number were looked for here */
	uint32_t resolved, resolved_inlined;
};

VEC_STRUCT(file_list, struct debugfile *);

/* In which way a site belongs to a breakpoint. */
enum role {
	ROLE_PLACE,         /* any instruction */
	ROLE_ENTRY,         /* a function's first instruction */
	ROLE_RETURN,        /* ret: an exit */
	ROLE_JUMP,          /* a tail jump: an exit */
	ROLE_JUMP_IF,       /* an exit when taken */
	ROLE_JUMP_INDIRECT, /* an exit when it leaves the function */
};

/* Where a breakpoint wants to be, in addresses of the file. */
struct spot {
	uint64_t address;
	enum role role;
	struct function function; /* name NULL: unknown */
	const char *file; /* of a FILE:LINE, else NULL: by the address */
	uint32_t line;
	bool inlined;    /* the entry of a copy, in `function` */
	uint64_t target; /* of a jump, unless it is an indirect one */
};
VEC_STRUCT(spot_list, struct spot);

/* How much of a label's text is kept, with its zero. */
#define LABEL_SIZE 96
struct label_text {
	char bytes[LABEL_SIZE];
};

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
	struct range_list ranges; /* run-time; of ROLE_JUMP_INDIRECT */
	bool has_cfa;
	struct cfa_rule cfa;
	struct bound_list bound;
};
VEC_STRUCT(attachment_list, struct attachment *);

enum purpose {
	SITE_USER,      /* breakpoints of the user */
	SITE_LIBRARIES, /* the run-time linker reports a change of libraries */
	SITE_CALIBRATE_FROM,
	SITE_CALIBRATE_TO,
	SITE_START,  /* everything is relocated; and SITE_USER */
	SITE_ACTION, /* the program sets a signal's action; and SITE_USER */
};

struct site {
	uint64_t address;
	enum purpose purpose;
	struct insn insn;
	struct arch_slot slot;
	bool has_slot; /* else the instruction is stepped in place */
	bool inserted; /* the int3 is in memory */
	struct attachment_list attachments;
};

/* Memory for slots. A slot is never given to another instruction: a thread may
 * be inside one for as long as it likes. */
#define AREA_SIZE (1024 * 1024)

/* An entry of the table in the target: never taken out. */
struct stored {
	uint64_t site, slot;
	uint32_t index; /* in the table */
};

/* What is ours in the target's memory: see store.c. */
struct store {
	uint64_t address; /* 0: there is none */
	bool handles;     /* its handler is that of SIGTRAP */
	VEC(struct stored) entries;
	struct map by_site, by_slot; /* address -> number in entries + 1 */
	struct map taken;            /* index in the table -> the same */
	VEC(struct store_area) areas;
	/* all slots lie here: a quick "no" for signals */
	uint64_t low, high;
	/* of a tool that died, not known to be ours any more: site -> the byte
	 * that was there, + 1. They stay in, and so does the handler. */
	struct map left;
	struct mapping_list maps; /* when last read; empty: read them anew */
};

/* What the kernel takes for a struct sigaction. */
struct action {
	uint64_t handler, flags, restorer, mask;
};

/* What the program does with SIGTRAP: see trap_action.c. */
struct trap_action {
	struct action action; /* handler 0: the default; then no more of it */
	bool is_whole;        /* else the handler alone is known */
	struct range heard;   /* sigaction(): SITE_ACTION is its entry */
	bool is_unknown;      /* asking has failed */
	bool was_delivered;   /* a SIGTRAP, since it was set */
	/* a thread that is about to set it (its serial; 0: none), to what */
	uint32_t setter;
	uint64_t next;
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
	struct store store;
	struct trap_action trap; /* not of those that borrow the memory */
	uint64_t calibrate_from; /* 0: none */
	bool was_hit;            /* for the placement */
	bool has_linker;         /* SITE_LIBRARIES is in, */
	bool told;               /* and was reached, */
	bool has_libraries; /* and what the program is linked with is there */
	bool has_started;   /* and relocated: indirect functions are known */
	bool awaits_start;  /* somebody asked for one */
};
VEC_STRUCT(space_list, struct space *);

/* Samples the figure is taken from: the last ones. */
#define CALIBRATION_WINDOW 256

/* A calibration under way: see calibrate.c. */
struct calibration {
	struct thread *thread; /* NULL: none is under way */
	struct process *process;
	uint64_t script; /* that leads the thread back */
	size_t script_length;
	struct user_regs_struct regs;
	uint64_t mask;
	uint64_t arrival; /* of the break in which it began; 0: no break */
	uint32_t wanted, done;
	uint64_t from_resume; /* of the pair under way */
	double samples[CALIBRATION_WINDOW];
	size_t sample_count; /* of this placement, ever */
	double cost, spread; /* results, ns */
	uint64_t next;       /* time of the next one */
	uint64_t interval;   /* and from there to the one after it, ns */
};

/* A stop that is over and not reported yet: see report_finished(). */
struct finished_stop {
	struct holder holder; /* its serial 0: none */
	bool is_break;
	uint64_t arrival, resume;
	double cost; /* as calibrated when it began */
};

/* A thread at a site without a slot: its instruction is executed in place once
 * all threads have stopped. */
struct stepping {
	struct thread *thread; /* NULL: none */
	struct process *process;
	struct site *site;
};

/* A thread on its way to a site that it was counted at: see signal.c. */
struct interrupted {
	uint32_t thread; /* serial */
	pid_t pid;
	uint64_t site;
	bool moved; /* its handler has returned to somewhere else */
	struct user_regs_struct regs;
};

/* What was said of a signal that we have sent anew: see merged.c. */
struct merged {
	uint32_t thread; /* serial */
	pid_t pid;
	siginfo_t info;
};

struct probe {
	struct target *target;
	const struct clock *clock;
	struct probe_ops ops;
	VEC(struct breakpoint *) breakpoints; /* index: number - 1 */
	struct module *program;   /* the file that the user has named */
	struct space_list spaces; /* of processes; else one without */
	/* modules of this run that are no more: what was looked for there */
	VEC(struct loaded) searched;
	pid_t main;                    /* the process that was adopted first */
	VEC(struct open_file *) files; /* kept open from run to run */
	struct debug_directories debug_directories;
	struct strmap noted; /* remarks that were made */
	uint64_t next_watch; /* when to look after the handlers again */
	bool own_stop;       /* the stop of all threads was asked for here */
	struct calibration calibration;
	struct finished_stop finished;
	VEC(struct interrupted) interrupted;
	VEC(struct merged) merged;
	/* of the hit being made */
	VEC(struct value) keys;
	VEC(struct label) labels;
	VEC(struct label_text) label_texts;
	struct breakpoint *adding; /* its errors are those of probe_add() */
	struct stepping stepping;
	bool filtering;
	bool follow_fork, follow_exec;
	enum affinity affinity;
	struct process *pinned;        /* shares a CPU with the tool */
	bool unpinnable;               /* asked, and it is not wanted now */
	bool was_pinned, was_unpinned; /* at hits: for the header */
};

/* note.c: one line for the user */
void note(struct probe *probe, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same of an error that is no reason to give up; NULL and ERROR_GONE are
 * nothing. Destroys it. */
void note_error(struct probe *probe, struct error *error);

/* modules.c */
struct open_file;
struct module *module_create(struct probe *probe, const char *path,
			     char *opened);
struct module *module_ref(struct module *module);
void module_unref(struct module *module); /* NULL is allowed */
void close_files(struct probe *probe);
struct error *space_read_modules(struct probe *probe, struct space *space);
/* The same of a process that is not stopped; only files are opened. */
struct error *preload_modules(struct probe *probe, pid_t pid,
			      struct space *space);
struct error *probe_open_file(struct probe *probe, const char *path,
			      struct debugfile **out);
bool module_matches(const struct module *module, const char *name);
struct module *space_module_at(struct space *space, uint64_t address);
/* order.c: how expressions look names up in the modules. */
struct expr_modules space_expr_modules(struct space *space);

/* resolve.c: are a module and a function of it meant, by @MODULE or @VERSION
 * and by FILE? The module's file must have been opened for a function. */
bool location_means_module(const struct location *location,
			   const struct module *module);
bool location_means_function(const struct location *location,
			     const struct module *module,
			     const struct function *function);
/* The spots of a location in one module, appended. */
struct error *resolve_in_module(struct probe *probe, struct space *space,
				struct module *module,
				const struct breakpoint *breakpoint,
				struct spot_list *out);

/* indirect.c: what the resolver of an indirect function has chosen, as far as
 * the words that hold it tell; false: they do not, or do not yet. */
bool find_implementation(struct space *space, const struct module *module,
			 const struct function *resolver, struct function *out);
/* Have SITE_START where everything is relocated. */
struct error *watch_start(struct probe *probe, struct space *space);
/* search.c: SITE_START was reached: what was put off is looked for. */
struct error *resolve_started(struct probe *probe, struct space *space);

/*
 * The entries of the copies that were inlined (they have no exits that could be
 * told from their callers'). `is_meant`: of this module, though no @MODULE says
 * so. All debug information of the module is searched for that.
 */
struct error *resolve_inlined(struct module *module, bool is_meant,
			      const struct breakpoint *breakpoint,
			      struct spot_list *out);

static inline bool is_jump(enum role role)
{
	return role == ROLE_JUMP || role == ROLE_JUMP_IF ||
	       role == ROLE_JUMP_INDIRECT;
}

/* exits.c: where a function is left, appended. */
struct error *find_exits(struct debugfile *file,
			 const struct function *function,
			 struct spot_list *out);
/* A function that only goes on in another ends where that begins: say so.
 * `exits`: all of its own. */
void note_jumps(struct probe *probe, struct debugfile *file,
		const struct function *function, const struct spot *exits,
		size_t count);

/* site.c */
struct error *site_get(struct probe *probe, struct space *space,
		       uint64_t address, struct site **out);
struct site *site_clone(const struct site *site);
/* Make memory agree with who is attached and enabled. */
struct error *site_update(struct space *space, struct site *site);
/* Out of memory, whoever wants it; fails if the byte is not back. */
struct error *site_take_out(struct space *space, struct site *site);
void site_destroy(struct site *site);
/* The bytes the program has there, without our int3s; may be fewer. */
struct error *read_original(struct space *space, uint64_t address,
			    uint8_t *bytes, size_t size, size_t *got);

/* space.c */
struct space *space_create(struct probe *probe, struct process *process);
/* That of a forked child: the same modules, sites and slots. */
struct space *space_clone(struct probe *probe, const struct space *space,
			  struct process *child);
void space_destroy(struct probe *probe, struct space *space);
/* Its process is no more. */
void space_end(struct probe *probe, struct space *space);
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
bool space_map_pc(struct space *space, struct user_regs_struct *regs);
/* The processes that use the memory, its own and those that borrow it, as
 * target_next_process() has them. */
struct process *space_user(const struct space *space, size_t *cursor);
/* The STOPPED thread for remote calls that concern the memory alone: of its
 * process, or of one that borrows it. */
struct error *space_calling_thread(const struct space *space,
				   struct thread **out);
/* No STOPPED thread of the process stays in a slot. */
struct error *space_move_out(struct space *space, struct process *process);
/* The original bytes, into a process that has a copy of the memory. */
struct error *space_write_originals(struct space *space,
				    struct process *process);
/* A module is no longer mapped: its sites and places are no more. */
void space_drop_module(struct probe *probe, struct space *space,
		       struct module *module);
/* store.c: what is ours in the target's memory */
/* Find room for `slots` slots within reach of all of [low, high), mapping
 * memory if there is none. */
struct error *store_find_room(struct space *space, uint64_t low, uint64_t high,
			      size_t slots, uint64_t *address);
/* Take what store_find_room() found. */
struct error *store_take(struct space *space, uint64_t address, size_t slots);
/* The slot this site had before; 0: none. */
uint64_t store_slot_of(const struct space *space, uint64_t site);
/* The site whose slot is there; 0: none. */
uint64_t store_site_of(const struct space *space, uint64_t slot);
/* Enter a site that has a slot, before its int3 is in memory. */
struct error *store_enter(struct space *space, const struct site *site);
/* Its int3 has been taken out. */
struct error *store_leave(struct space *space, const struct site *site);
/* What the table is to say at that index from now on. */
struct error *store_write_entry(struct space *space, uint32_t index,
				const struct store_entry *entry);
/* May int3s be in, and is SIGTRAP handled by our doing? Said to whoever finds
 * the store. */
struct error *store_set_live(struct space *space, bool live);
struct error *store_set_handles(struct space *space, bool handles);
/* The mapping of an address, as far as it is known; valid until the next
 * store_forget_maps(). */
const struct mapping *store_mapping_at(struct space *space, uint64_t address);
/* What is mapped may be another from now on. */
void store_forget_maps(struct store *store);
/* The site has an int3 that a tool which died has left, and that stays. */
static inline bool store_has_left(const struct store *store, uint64_t site,
				  uint8_t *original)
{
	uintptr_t byte = (uintptr_t)map_get(&store->left, site);

	*original = (uint8_t)(byte - 1);
	return byte != 0;
}
/* How many bytes of its page precede a site, of those that are kept. */
static inline size_t store_before_size(uint64_t site)
{
	uint64_t into = site % ARCH_PAGE;

	return into < STORE_BEFORE ? into : STORE_BEFORE;
}
const struct mapping *find_mapping(const struct mapping_list *maps,
				   uint64_t address);
/* Is it of a store, or of slots? */
bool is_own_mapping(const struct mapping *mapping);
/* Note what the target's memory was found to hold. */
void store_mirror_entry(struct store *store, uint32_t index,
			const struct store_entry *entry);
void store_mirror_area(struct store *store, const struct store_area *area);
void store_copy(const struct store *from, struct store *to);
void store_deinit(struct store *store);

/* restore.c: the int3s of a tool that died */
struct leftover {
	uint32_t index; /* in the table */
	struct store_entry entry;
};
VEC_STRUCT(leftover_list, struct leftover);
struct restored {
	size_t removed; /* of the program's code */
	size_t changed; /* not known to be ours: they stay */
	size_t foreign; /* the program has put other memory there */
};
struct error *restore_sites(struct space *space,
			    const struct mapping_list *maps,
			    struct leftover_list *leftovers,
			    struct restored *out);

/* recover.c: what a perftool that died has left */
struct error *recover(struct probe *probe, struct space *space);

/* cover.c: what ours will leave */
/* Should the tool die, sites go on by themselves: have SIGTRAP handled. */
void cover(struct probe *probe, struct space *space);
/* The same for those that borrow the memory and were there before. */
void cover_borrowers(struct probe *probe, struct space *space);
/* Undo that; the store stays. */
struct error *uncover(struct space *space);
struct error *uncover_borrower(struct space *space, struct process *process);
/* Is the handler still there? The kernel removes it at an int3 in a thread
 * that blocks SIGTRAP. */
bool is_uncovered(const struct space *space);
/* Then have it handled again, and say so; all threads are STOPPED. */
void cover_again(struct probe *probe, struct space *space);
/* What a seccomp filter may do then is said once; nobody need be stopped. */
void warn_of_filters(struct probe *probe, struct space *space);
/* Is this our handler? */
bool is_survivor(const struct space *space, const struct action *action);

/* overwritten.c: say which breakpoints are not in memory any more; all threads
 * are STOPPED. */
void note_overwritten(struct probe *probe, struct space *space);

/* trap_action.c: what an int3 does to the program's handling of SIGTRAP */
struct error *get_action(struct process *process, struct action *action);
struct error *set_action(struct process *process, const struct action *action);
/* Ask what the program does with SIGTRAP; a thread of it is STOPPED. */
struct error *learn_action(struct space *space);
/* Has it changed without our having heard of it, as far as /proc tells? */
bool is_action_new(const struct space *space);
/* Have a site tell of changes, if the libc is there. */
struct error *hear_actions(struct probe *probe, struct space *space);
/* The thread is at that site. */
struct error *note_action(struct thread *thread);
/* A thread is at a site: what was to be set is set, unless it is the setter, on
 * its way there. */
void settle_action(struct thread *thread, const struct site *site);
void note_delivered(struct thread *thread, int signal);
/* Did a SIGTRAP that a thread had blocked, or that is ignored, reset what the
 * program does with it? */
struct error *seems_reset(struct space *space, bool *reset);

/*
 * A thread AT_TRAP by an int3 of ours, to go on at `pc`: if that has reset what
 * the program does with SIGTRAP, it is put back, and the thread is STOPPED.
 * `may_block`: not if SIGTRAP was unblocked for the int3.
 */
struct error *undo_reset(struct probe *probe, struct thread *thread,
			 uint64_t pc, bool may_block);
/* After that, or with it: let the thread go on. */
struct error *resume_from_int3(struct probe *probe, struct thread *thread,
			       uint64_t pc, uint64_t *resumed);
/* All threads are STOPPED, and no int3 is on its way: put it back if needed. */
void keep_action(struct probe *probe, struct space *space);

/* attachment.c: breakpoints at sites */
struct error *attach_spot(struct probe *probe, struct space *space,
			  struct breakpoint *breakpoint, struct module *module,
			  const struct spot *spot);
/* The place has a reference to the module. */
void place_describe(struct module *module, const struct spot *spot,
		    struct place *out);
void detach_breakpoint(struct probe *probe, struct breakpoint *breakpoint);
struct error *update_sites(struct probe *probe, struct breakpoint *breakpoint);
/* Bind the breakpoint's expressions anew at all its places. */
void release_bound(struct bound_list *list);
/* At its address. */
void bind_attachment(struct space *space, struct attachment *attachment,
		     uint64_t address);
/* The same of all whose meaning depends on what is loaded: that has changed. */
void bind_again(struct space *space);
struct error *bind_breakpoint(struct probe *probe,
			      struct breakpoint *breakpoint);
void attachment_unref(struct attachment *attachment);
void places_clear(struct place_list *places);

/* Is there a process? */
static inline bool probe_is_live(const struct probe *probe)
{
	return probe->spaces.count && probe->spaces.data[0]->process;
}

/* breakpoint.c */
void breakpoint_destroy(struct breakpoint *breakpoint);
void forget_places(struct probe *probe);

/* search.c: search what was not searched yet, in one space or in all. */
struct error *resolve_in_space(struct probe *probe, struct space *space);
struct error *resolve_everywhere(struct probe *probe);
/* A module goes that breakpoints were looked for in. */
void remember_searched(struct probe *probe, const struct loaded *loaded);
void forget_searched(struct probe *probe);
/* Say why a breakpoint without a place has none. */
void describe_problem(struct probe *probe, struct breakpoint *breakpoint);

/* calibrate.c */
struct error *calibrate_prepare(struct probe *probe, struct space *space);
/* Begin in a thread that is STOPPED or AT_TRAP and would go on at `pc`; if it
 * can be, it is resumed. `arrival`: of the break to be reported in the end, or
 * 0. */
struct error *calibrate_begin(struct probe *probe, struct thread *thread,
			      uint64_t pc, uint64_t arrival, uint32_t pairs,
			      bool *begun);
bool calibrate_is_due(const struct probe *probe, const struct space *space,
		      uint64_t now);
/* What was found holds no longer: the placement has changed. */
void calibrate_invalidate(struct probe *probe);
struct error *calibrate_trap(struct probe *probe, const struct event *event,
			     struct site *site);
/* All threads are stopped, the one that calibrates perhaps half-way. */
struct error *calibrate_stopped(struct probe *probe);

/* adopt.c */
struct error *adopt(struct probe *probe, struct process *process);
/* Every byte as it was, no thread in a slot, no disposition of ours. */
struct error *space_release(struct probe *probe, struct space *space);

/* events.c */
void forget_thread(struct probe *probe, const struct thread *thread);
/* Ask all threads to stop, not for the user's sake. */
struct error *stop_for_us(struct probe *probe);

/* hits.c: report what the enabled breakpoints of a site count, now that the
 * thread of the event has reached it; one that stops the program goes to the
 * outcome. */
struct error *make_hits(struct probe *probe, const struct event *event,
			const struct site *site, struct probe_outcome *outcome);

/* trap.c */
struct error *handle_trap(struct probe *probe, const struct event *event,
			  struct probe_outcome *outcome);
/* All threads are stopped: execute what a site without a slot displaced. */
struct error *finish_step(struct probe *probe);
void begin_hold(const struct probe *probe, const struct event *event,
		bool is_break, struct finished_stop *out);
/*
 * Report the last stop. This is put off until the next event has arrived:
 * on one CPU the program goes on when the tool begins to wait, so whatever the
 * tool did in between would count as the program's time.
 */
void report_finished(struct probe *probe);

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

void forget_interrupted(struct probe *probe, const struct thread *thread);
void forget_interrupted_of(struct probe *probe, const struct process *process);
/* A forked child goes on where its parent was. */
void inherit_interrupted(struct probe *probe, const struct thread *parent,
			 struct thread *child);

/* stack.c: which stack a stack pointer is on; 0: not known. */
uint64_t stack_of(struct thread *thread, uint64_t sp);

/* placement.c: tool and program on one CPU */
void placement_hit(struct probe *probe, struct process *process);
void placement_calibrate(struct probe *probe, struct process *process,
			 bool begin);
void placement_new_thread(struct probe *probe, struct process *process);
void placement_stopped(struct probe *probe);
void placement_new_process(struct probe *probe, struct process *child);
/* It is no more, or goes on without us. */
void placement_end(struct probe *probe, struct process *process);
void placement_leave(struct probe *probe, struct process *process);

#endif
