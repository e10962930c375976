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

/* A program or library of a process, or the program's file by itself. */
struct module {
	struct probe *probe;
	char *path; /* to open it by */
	char *name; /* its file name alone, for people and for @MODULE */
	uint64_t bias;
	uint64_t low, high;     /* run-time addresses */
	struct debugfile *file; /* opened when first needed */
	bool unreadable;        /* it could not be opened */
	bool retired;           /* unloaded, but a place still tells of it */
	bool present;           /* while the maps are read again */
	uint32_t resolved, resolved_inlined; /* breakpoints up to this number
			      were looked for here */
};
VEC_STRUCT(module_list, struct module *);

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
};
VEC_STRUCT(spot_list, struct spot);

/* A breakpoint at a site. */
struct attachment {
	struct breakpoint *breakpoint;
	enum role role;
	struct module *module;
	struct function function;
	struct range_list ranges; /* run-time; of ROLE_JUMP_INDIRECT */
	bool has_cfa;
	struct cfa_rule cfa;
	struct bound_expr *condition, *value;
	char *problem; /* why one of them cannot be had at this place */
	VEC(struct bound_expr *) keys;
};
VEC_STRUCT(attachment_list, struct attachment *);

enum purpose {
	SITE_USER,      /* breakpoints of the user */
	SITE_LIBRARIES, /* the run-time linker reports a change of libraries */
	SITE_CALIBRATE_FROM,
	SITE_CALIBRATE_TO,
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

/* Memory for slots: SLOTS_PER_AREA of them, never reused: a thread may be
 * inside one for as long as it likes. */
#define AREA_SIZE (1024 * 1024)
#define SLOTS_PER_AREA (AREA_SIZE / ARCH_SLOT_SIZE)

struct area {
	uint64_t address;
	size_t used;
	struct site *sites[SLOTS_PER_AREA]; /* NULL: no slot of a site */
};
VEC_STRUCT(area_list, struct area *);

/* The memory of a process (and of the vfork children that borrow it). */
struct space {
	struct process *process; /* NULL: it has ended, its modules stay */
	bool foreign; /* after exec of another program: only places with
			 @MODULE resolve */
	struct module_list modules;
	struct map sites; /* address -> struct site */
	struct area_list areas;
	/* all addresses in an area lie here: a quick "no" for signals */
	uint64_t areas_low, areas_high;
	uint64_t calibrate_from; /* 0: none */
	bool has_linker;         /* SITE_LIBRARIES is in, */
	bool told;               /* and was reached, */
	bool has_libraries; /* and what the program is linked with is there */
};

/* Samples the figure is taken from: the last ones. */
#define CALIBRATION_WINDOW 256

/* A calibration under way: see calibrate.c. */
struct calibration {
	struct thread *thread; /* NULL: none is under way */
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
	struct site *site;
};

/* A thread on its way to a site that it was counted at: see signal.c. */
struct interrupted {
	uint32_t thread; /* serial */
	struct user_regs_struct regs;
};

struct probe {
	struct target *target;
	const struct clock *clock;
	struct probe_ops ops;
	VEC(struct breakpoint *) breakpoints; /* index: number - 1 */
	struct module *program;        /* the file alone, while nothing runs */
	struct space *space;           /* of the adopted process, or NULL */
	VEC(struct open_file *) files; /* kept open from run to run */
	struct calibration calibration;
	struct finished_stop finished;
	VEC(struct interrupted) interrupted;
	struct module_list retired;
	VEC(struct value) keys;    /* of the hit being made */
	struct breakpoint *adding; /* its errors are those of probe_add() */
	struct stepping stepping;
	bool filtering;
	enum affinity affinity;
	bool pinned;
	bool unpinnable;               /* asked, and it is not wanted now */
	bool was_pinned, was_unpinned; /* at hits: for the header */
};

/* modules.c */
struct open_file;
struct module *module_create(struct probe *probe, const char *path);
void module_destroy(struct module *module);
void close_files(struct probe *probe);
struct error *space_read_modules(struct probe *probe, struct space *space);
bool module_matches(const struct module *module, const char *name);
struct module *space_module_at(struct space *space, uint64_t address);

/* resolve.c: the spots of a location in one module, appended. */
struct error *resolve_in_module(struct probe *probe, struct module *module,
				const struct breakpoint *breakpoint,
				struct spot_list *out);

/*
 * A function that is inlined wherever it is called has no symbol, but every
 * copy has an entry. (It has no exit that could be told from its caller's.)
 * All debug information of the module is read for that.
 */
struct error *resolve_inlined(struct module *module, bool is_program,
			      const struct breakpoint *breakpoint,
			      struct spot_list *out);

/* exits.c: where a function is left, appended. */
struct error *find_exits(struct debugfile *file,
			 const struct function *function,
			 struct spot_list *out);

/* site.c */
struct error *site_get(struct probe *probe, struct space *space,
		       struct thread *thread, uint64_t address,
		       struct site **out);
/* Make memory agree with who is attached and enabled. */
struct error *site_update(struct space *space, struct site *site);
void site_destroy(struct site *site);
/* The bytes the program has there, without our int3s; may be fewer. */
struct error *read_original(struct space *space, uint64_t address,
			    uint8_t *bytes, size_t size, size_t *got);

/* space.c */
struct space *space_create(struct process *process);
void space_destroy(struct space *space);
struct error *space_reserve(struct space *space, struct thread *thread,
			    uint64_t low, uint64_t high);
struct error *space_find_area(struct space *space, struct thread *thread,
			      uint64_t low, uint64_t high, size_t slots,
			      struct area **out);
/* The site whose slot holds this pc, or NULL. */
struct site *space_slot_at(struct space *space, uint64_t pc);
/* Room for `size` bytes of code of our own in an area. */
struct error *space_code(struct space *space, struct thread *thread,
			 const void *code, size_t size, uint64_t *address);
/* The original bytes, into a process that has a copy of the memory. */
struct error *space_write_originals(struct space *space,
				    struct process *process);
/* A module is no longer mapped: its sites and places are no more. */
void space_drop_module(struct probe *probe, struct space *space,
		       struct module *module);
/* The thread that remote calls can be made in: one that is STOPPED. */
struct thread *space_stopped_thread(struct space *space);

/* attach.c: breakpoints at sites */
struct error *attach_spot(struct probe *probe, struct space *space,
			  struct breakpoint *breakpoint, struct module *module,
			  const struct spot *spot);
void place_describe(struct module *module, const struct spot *spot,
		    struct place *out);
void detach_breakpoint(struct probe *probe, struct breakpoint *breakpoint);
struct error *update_sites(struct probe *probe, struct breakpoint *breakpoint);
/* Bind the breakpoint's expressions anew at all its places. */
struct error *bind_breakpoint(struct probe *probe,
			      struct breakpoint *breakpoint);
void attachment_destroy(struct attachment *attachment);

/* breakpoint.c */
void breakpoint_destroy(struct breakpoint *breakpoint);
void forget_places(struct probe *probe);

/* search.c: search what was not searched yet. */
struct error *resolve_new_modules(struct probe *probe);
/* Say why a breakpoint without a place has none. */
void describe_problem(struct probe *probe, struct breakpoint *breakpoint);

/* calibrate.c */
struct error *calibrate_prepare(struct probe *probe, struct space *space,
				struct thread *thread);
/* Begin in a thread that is STOPPED or AT_TRAP and would go on at `pc`; it is
 * resumed. `arrival`: of the break to be reported in the end, or 0. */
struct error *calibrate_begin(struct probe *probe, struct thread *thread,
			      uint64_t pc, uint64_t arrival, uint32_t pairs);
bool calibrate_is_due(const struct probe *probe, uint64_t now);
/* What was found holds no longer: the placement has changed. */
void calibrate_invalidate(struct probe *probe);
struct error *calibrate_trap(struct probe *probe, const struct event *event,
			     struct site *site);
/* All threads are stopped, the one that calibrates perhaps half-way. */
struct error *calibrate_stopped(struct probe *probe);

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
/* Has this thread been counted at the site, before a handler ran? */
struct error *is_reached_again(struct probe *probe, struct thread *thread,
			       uint64_t address, bool *again);
void forget_interrupted(struct probe *probe, const struct thread *thread);

/* stack.c: which stack a stack pointer is on; 0: not known. */
uint64_t stack_of(struct thread *thread, uint64_t sp);

/* placement.c: tool and program on one CPU */
void placement_hit(struct probe *probe, struct process *process);
void placement_calibrate(struct probe *probe, struct process *process,
			 bool begin);
void placement_new_thread(struct probe *probe, struct process *process);
void placement_stopped(struct probe *probe);
void placement_end(struct probe *probe);

#endif
