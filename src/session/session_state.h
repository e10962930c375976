/*
 * session_state.h - the state of a session, and what the files of the session
 * layer offer to each other
 *
 * The state of run control is one of enum run_state:
 *
 *	NOTHING     nothing is measured: nothing was, or all of it has ended or
 *	            was detached from
 *	STARTING    the program was launched, and is kept before its first
 *	            instruction: what a hit costs is measured there
 *	FOREGROUND  the program runs, and the user waits for it
 *	BACKGROUND  a program that was attached to runs while the user enters
 *	            commands; session_serve() handles its events
 *	HELD        it stands still for the command that is being carried out
 *	STOPPED     the program stands still until the user lets it go on
 *	ENDING      the measuring is over: no hit counts any more. The program,
 *	            if it is there, is ending or is being let go
 *	KILLING     the same, and every process that is left, or is born, is
 *	            killed
 *
 * The transitions, and what makes them:
 *
 *	NOTHING     -> STOPPED     begin_program(): a program was launched or
 *	                           attached to, and all of its threads stand
 *	STOPPED     -> STARTING    session_run(), right after that
 *	            -> BACKGROUND  session_attach(), right after that
 *	            -> FOREGROUND  session_continue()
 *	STARTING    -> FOREGROUND  the first instruction comes next
 *	            -> STOPPED     the user interrupts
 *	FOREGROUND  -> STOPPED     a breakpoint is reached; if the program was
 *	                           launched, also when the user interrupts, or
 *	                           when the time that was given is over
 *	            -> BACKGROUND  the user interrupts, or the time is over, and
 *	                           the program was attached to
 *	BACKGROUND  -> FOREGROUND  session_continue()
 *	            -> STOPPED     a breakpoint is reached
 *	            -> HELD        stand_still() (which passes through STOPPED)
 *	HELD        -> BACKGROUND  go_on(), when the command is over
 *	            -> FOREGROUND  session_continue()
 *	            -> STOPPED     a breakpoint was reached meanwhile
 *
 *	each of these five
 *	            -> NOTHING     the last process has ended or was let go of
 *	            -> ENDING      session_kill(), session_end_program(), or an
 *	                           event that could not be handled
 *	            -> KILLING     `failure`: the program must not go on
 *
 *	ENDING      -> KILLING     kill_followed()
 *	KILLING     -> ENDING      all that was killed has ended
 *	ENDING      -> STOPPED     begin_program(), of the next program
 *
 * The state alone does not tell whether a process is there: `followed` does. It
 * may be empty in ENDING and KILLING, which are left by the next program only.
 * It may be empty in HELD and BACKGROUND, too, if the last process has ended
 * while the program was held, when nobody handles its events.
 *
 * What the state is not about is in other members: how the program came to be
 * there (`attached`), what has become of its main process (enum main_state),
 * and whether the event loop runs (`in_loop`), which it does in some moments of
 * each state.
 */
#ifndef SESSION_STATE_H
#define SESSION_STATE_H

#include "perftool/base/clock.h"
#include "perftool/base/host.h"
#include "perftool/base/inherited.h"
#include "perftool/base/interrupt.h"
#include "perftool/base/string_list.h"
#include "perftool/interval.h"
#include "perftool/measure.h"
#include "perftool/probe.h"
#include "perftool/process.h"
#include "perftool/session.h"
#include "perftool/split.h"
#include "perftool/target.h"

/* `trace FILE`: rows go there until it is turned off. */
struct tracing {
	FILE *file; /* NULL: off */
	char *path;
	enum trace_format format;
	uint64_t serial;
	int failure; /* errno of the first write that failed; 0: none has */
	VEC(uint32_t) legs; /* empty: all */
};

/* A request of `time` that is kept, for libraries yet to come: its texts are
 * copies. */
struct pending_time {
	char *pattern, *condition, *by; /* or NULL, the latter two */
	struct split_view view;
	size_t most;
	/* a pattern: where it was looked for (paths of modules), and whether it
	 * has named something of the program's */
	struct strmap searched;
	bool found;
	/* a name: the breakpoints it has got already; 0: a pattern */
	uint32_t entry, exit_point;
};
void pending_time_deinit(struct pending_time *pending);

/* See the head of this file, also for the transitions. The order counts: see
 * is_over(). */
enum run_state {
	RUN_NOTHING,
	RUN_STARTING,
	RUN_FOREGROUND,
	RUN_BACKGROUND,
	RUN_HELD,
	RUN_STOPPED,
	RUN_ENDING,
	RUN_KILLING,
};

/* What has become of the main process, that which was run or attached to
 * first: of a program of several processes, it may end before the others. */
enum main_state {
	MAIN_NONE, /* there was none yet */
	MAIN_FOLLOWED,
	MAIN_ENDED, /* as `end` says */
	MAIN_LEFT,  /* it goes on without the tool */
};

/* `set cpu-time` */
enum cpu_time { CPU_TIME_AUTO, CPU_TIME_OFF };

/* What was run or attached to last, for the tables. */
struct last_run {
	bool is_known;
	char *path;     /* as it was called, absolute; NULL: not known */
	char *build_id; /* of the file that is executed; NULL: it has none */
	bool has_args;  /* they are known: */
	struct string_list args;
	/* the main process; 0: not known, or not ended as far as is known */
	struct timespec started, ended;
};
void last_run_deinit(struct last_run *run);

/* A process whose hits count. */
struct followed {
	struct process *process;
	pid_t pid;
	bool interrupted; /* it was given a SIGINT in this run */
	/* a Ctrl-C that was meant for the tool reached it too, and is still
	 * pending there */
	bool owes_interrupt;
	bool borrowed; /* it was born in its parent's memory: by vfork */
	/* what the kernel calls it, and its command line, as they were when
	 * they were read last; NULL: they could not be */
	char *comm, *command;
};
VEC_STRUCT(followed_list, struct followed);

struct session {
	struct session_ui ui;
	struct inherited inherited;
	struct clock clock;
	struct target *target;
	struct probe *probe;
	struct measure *measure;

	/* what `run` runs: the file, and the word it was named by */
	char *program, *program_word;
	bool is_script; /* and `probe_program_file()` that of its interpreter */
	struct string_list args, env, directories;

	struct last_run last_run;
	struct host host;
	bool knows_host;

	struct followed_list followed;
	struct process *process; /* the main one; NULL: it is not there, or
				    not any more */
	pid_t last_pid;          /* of the main one */
	int only_cpu;    /* that the tool was started on; -1: it has several */
	bool shares_cpu; /* the program may use that one only, too */
	pid_t group;     /* process group to hand the terminal to; 0: none */
	enum run_state state; /* changed by enter_state() */
	bool attached;        /* to what is measured; else it was launched */
	bool in_loop;         /* events are being handled */
	bool is_abandonable;  /* what is being done can be ended by the user,
				 and is undone then */
	uint64_t still_since; /* since when it stands still for a command */
	uint64_t stood;       /* for how long it did already, for this one */
	bool clock_runs;      /* the clock of the measurements, that is */
	bool was_run;
	enum main_state main_state;
	struct session_stop end; /* of the main process */
	pid_t awaited; /* the main process, if it was launched and let go of,
			  and the tool has to wait for its end; 0: no */
	struct session_stop stop;
	bool has_untold; /* a stop that came while a command stood still */
	struct session_stop untold;
	struct thread *selected; /* of a stopped process */
	/* breakpoints that others reached while all threads were being
	 * stopped: they are the next stops */
	VEC(struct session_stop) pending_stops;
	uint64_t started;     /* when the run began, on the tool's clock */
	uint64_t still_ns;    /* that programs stood still for our sake, ever:
				 they are not part of how long to measure */
	char *columns;        /* of tables: `memo', names, or NULL: `auto' */
	bool timed_pattern;   /* `time' was given a pattern */
	bool monitor_was_set; /* turned on or off: the first node does not */
	uint64_t asked_at;    /* when the user asked for an end; 0: not yet */
	uint64_t uncounted;   /* hits that there was no time for since:
				 probe_events.c */
	uint64_t hits_told;   /* by the probe layer */
	uint64_t kill_since;  /* since then; 0: nobody was killed yet */
	uint64_t next_look;   /* when to look after the user again */
	uint64_t every;       /* see session_set_every(); 0: never */
	uint64_t told_times;  /* how often that had passed when it was told */

	int32_t tracked_pid, tracked_tid;
	enum leg_owner owner; /* of `add leg` */
	bool owner_adapts;    /* unless somebody says so */
	enum leg_match match;
	enum report_format format;
	bool compensation, ordering;
	enum cpu_time cpu_time;
	enum condition_meaning conditions;
	int ring_size; /* halvings of RING_BYTES */
	bool follow_fork, follow_exec, exit_kill;
	bool pending; /* names that nothing has are kept without a question */
	enum affinity affinity;
	enum mechanism mechanism;

	struct tracing tracing;

	/* `set module context': a source file, or a library, by the name that
	 * places have it by; NULL: none */
	struct {
		char *name;
		bool is_source;
	} context;

	/* session_tables(): the last ones and what they refer to */
	struct tables tables;
	VEC(struct report_node) report_nodes;
	VEC(struct report_leg) report_legs, report_shares;
	VEC(uint64_t *) report_addresses;
	VEC(const char *) report_args;
	VEC(struct report_setting) report_settings;
	struct string_list report_strings;
	struct measure_interval interval; /* session_tables_since_last() */
	struct report_interval report_interval;
	struct string_list key_texts; /* of legs, by number; NULL: no key */
	struct string_list leg_names; /* given by the user, the same */

	/* `time` of patterns that name no function yet */
	VEC(struct pending_time) pending_times;
	bool lost_times; /* one named more than could be asked about */
	bool must_ask;   /* about what they name now, when all stand still */
	/* what has come is no reason to go on with the run; or NULL */
	struct error *failure;

	/* the frame to look at: number 0, unless `frame' has chosen another of
	 * this thread, which has stood at this pc and stack since */
	struct {
		pid_t tid;
		uint64_t pc, sp;
		int number;
	} chosen;

	/* `list source` goes on from here */
	char *listed_file;
	uint32_t listed_line;
};

/* Make a transition. From ENDING and KILLING there is none to an earlier state:
 * such a call changes nothing. */
void enter_state(struct session *session, enum run_state state);

/* Is the measuring over? Nothing counts then, and nothing is asked. */
static inline bool is_over(const struct session *session)
{
	return session->state >= RUN_ENDING;
}

/* Does the program run while commands are entered, but for a command that
 * holds it? */
static inline bool goes_on(const struct session *session)
{
	return session->state == RUN_BACKGROUND || session->state == RUN_HELD;
}

void session_note(struct session *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Has the user asked to end what is being done, and can it be? */
struct interrupt session_interrupt(struct session *session);
struct error *check_interrupt(struct session *session);

/* leg_names.c: "entry", "line" and the like, a constant; append where a node
 * is ("begin", "exit begin", "a.c:10"; false: it is gone), and what a leg is
 * called. */
const char *breakpoint_kind(const struct breakpoint *breakpoint);
bool node_place(struct session *session, uint32_t id, struct str *out);
void leg_name(struct session *session, const struct measure_leg *leg,
	      struct str *out);

/* probe_events.c: the hits that there was no time for are told of, if there are
 * any; the callbacks of the probe layer. */
void note_uncounted(struct session *session);
void session_probe_client(struct session *session, struct probe_client *out);
/* Say that order does not tell executions of a leg apart; `context`: the
 * session. */
void note_mixed(void *context, const struct measure_leg *leg, int32_t tid);

/* Does a hit by this thread stop the program, as things are now? */
bool hit_stops(const struct session *session,
	       const struct breakpoint *breakpoint, pid_t pid, pid_t tid);

/* $node(N), as expressions ask for it; the context is the session. */
bool session_node_count(void *session, uint32_t node, uint64_t *count);

/* Not deleted, or an error that says so. */
struct error *find_breakpoint(struct session *session, uint32_t id,
			      struct breakpoint **out);

/* leg_ends.c: the breakpoints that a leg is asked for between, of which some
 * may be new; 0: the wildcard. Take back what is new, when no leg comes of it.
 */
struct leg_ends {
	uint32_t from, to;
	bool made_from, made_to;
	struct str said; /* on the new ones; what comes of it may be added */
};
struct error *find_leg_ends(struct session *session,
			    const struct leg_request *request,
			    struct leg_ends *out);
void forget_leg_ends(struct session *session, struct leg_ends *ends);

/* program_start.c: the environment that the program is started in, a NULL at
 * the end; the caller frees the list, whose strings are others'. */
VEC_STRUCT(environment, const char *);
void launch_environment(const struct session *session, struct environment *out);

/* unknown_names.c: an error if nothing has what a breakpoint is named by, or
 * will have it, unless the user wants to keep it. */
struct error *check_known(struct session *session,
			  struct breakpoint *breakpoint);
/* The same of a pattern of `time' that no function has: where nobody can be
 * asked it is kept. */
struct error *check_pattern(const struct session *session, const char *pattern);

/* breakpoints.c: it goes; its row in the node table stays, if it has one. */
void remove_breakpoint(struct session *session, struct breakpoint *breakpoint);

/* Does its condition filter nothing? See `attach condition'. */
bool condition_only_names(const struct session *session,
			  const struct breakpoint *breakpoint);

/* A leg between two breakpoints, which become nodes. */
struct error *add_one_leg(struct session *session,
			  const struct leg_request *request, uint32_t from_id,
			  uint32_t to_id, uint32_t *id, struct str *out);

/* Of so many legs that a command adds a line each is said, and then how many
 * more there are. */
#define MOST_LEGS_SAID 20
void say_more_legs(size_t count, struct str *out);

/* ---- splits.c ------------------------------------------------------------ */

/* "EXPR" or ":EXPR". */
struct error *parse_by(const char *text, struct expr **out, bool *at_to);

/* Can a leg between the two be split so? Nothing is changed. */
struct error *check_by(struct session *session, const char *by,
		       struct breakpoint *from, struct breakpoint *to);

struct error *split_leg(struct session *session, uint32_t id, const char *by,
			const struct split_view *view);

/* It goes, or is no longer split: nobody needs its expressions any more. */
void release_leg(struct session *session, const struct measure_leg *leg);
void release_leg_split(struct session *session, const struct measure_leg *leg);
void release_node_split(struct session *session,
			const struct measure_node *node);

/* The expression it is split by, or NULL. */
const char *leg_split_text(struct session *session,
			   const struct measure_leg *leg);
const char *node_split_text(struct session *session,
			    const struct measure_node *node);

/* A condition of an unconditional one, and a row in the node table. */
struct error *make_node(struct session *session, struct breakpoint *breakpoint,
			struct str *out);

/* The function of a place, for people: "f", "ns::f(int)", "prog+0x1180" where
 * only its address is known; NULL: nothing is. The caller frees it. */
char *place_function(const struct place *place);

/* "entry of f, x.c:7" */
void describe_breakpoint(struct session *session,
			 const struct breakpoint *breakpoint, struct str *out);

/* One at the exit of a function that is there, but has none. */
bool has_no_exit(struct session *session, const struct breakpoint *breakpoint);
#define NO_EXIT "no exit: it never returns, or is inlined wherever it is called"

/* inspection.c: the thread to look at, standing still: the one chosen, else the
 * first that does. */
struct error *need_thread(struct session *session, struct thread **out);
/* How debug information of a module (NULL: none) reaches a thread. */
void make_reader(struct process *process, const struct module *module,
		 const struct user_regs_struct *regs,
		 struct frame_reader *reader);

/* ---- backtrace.c
 * -------------------------------------------------------------
 */

/* A frame of the machine. */
struct frame {
	struct thread *thread;
	const struct module *module; /* NULL: not known */
	struct debugfile *file;      /* of it, or NULL */
	struct user_regs_struct regs;
	bool exact; /* the pc is that of an instruction yet to come, and no
		       return address, which may be behind the function */
};

/* One of the frames of the source that it is. */
struct source_place {
	struct frame frame;
	unsigned inlined;           /* which one: 0, the innermost */
	int number;                 /* counted from the innermost of all */
	struct source_frame source; /* to be cleared */
};

/* The frame to look at: the one that was chosen, if the thread still stands
 * there, else the innermost. */
struct error *find_place(struct session *session, struct source_place *out);
void source_place_clear(struct source_place *place);

/* How many of the calls that were inlined at this run-time address, and begin
 * there, a stop does not show: up to that of a breakpoint there. The module's
 * file must be there. */
unsigned frames_ahead(struct session *session, const struct module *module,
		      uint64_t pc);

/* The address of the instruction that the frame is at, in its file. */
uint64_t frame_address(const struct frame *frame);

/* Is it at its function's first instruction, or at one of those that a
 * breakpoint at an exit is at? */
void frame_expr_place(struct session *session, const struct frame *frame,
		      unsigned inlined, struct expr_place *out);

/* How an expression reaches the frame; `regs` and `scratch` must last. */
void frame_input(struct session *session, const struct frame *frame,
		 struct user_regs_struct *regs, struct scratch *scratch,
		 struct expr_input *out);

/* ---- variable_list.c
 * ------------------------------------------------------------
 */

/* "x=7, s=...": the arguments of a frame, as part of its line. */
void print_arguments(struct session *session, const struct frame *frame,
		     unsigned inlined, struct str *out);

/* Without its directories. */
const char *base_name(const char *path);
/* "work ()", "ns::work(int)"; NULL: "??". */
void describe_function(const char *name, struct str *out);
/* "work () at x.c:7", or "in MODULE". */
void describe_source_frame(const struct source_frame *frame,
			   const struct module *module, struct str *out);
/* "f () at x.c:7" of a run-time address, "?? in MODULE" where nothing names
 * it. */
void describe_address(struct session *session, struct process *process,
		      uint64_t address, struct str *out);

/* ---- processes.c: those whose hits count ----------------------------------
 */

void follow(struct session *session, struct process *process);
struct followed *find_followed(struct session *session, pid_t pid);

/* Of one of them; NULL: of none, also when it is ending. */
struct thread *followed_thread(struct session *session, pid_t tid);

/* It has ended, with a status as of wait(2). */
void process_ended(struct session *session, struct process *process,
		   int status);

/* process_names.c: read what it is called, and tell the measure layer; the same
 * of all that are there. */
void read_process_name(struct followed *followed);
void tell_process_name(struct session *session,
		       const struct followed *followed);
void renew_process_names(struct session *session);
void followed_deinit(struct followed *followed);

/* shares.c: what each process has of report_legs goes into report_shares; how
 * many processes that are. */
size_t fill_shares(struct session *session);
/* They tell of session->interval, of which the legs do not tell yet. */
void replace_shares(struct session *session);

/* tables.c: what a row tells of, and what follows from that. */
void set_stats(const struct session *session, struct report_leg *row,
	       const struct measure_leg *stats);

/* See `holds` of struct session_ui. */
void tell_holding(const struct session *session, bool on);

/* One that went on without us has ended, with such a status: it is the main
 * one. */
void awaited_ended(struct session *session, int status);

/* It goes on without us. The process may be forgotten already: then only its
 * address and number count. */
void process_left(struct session *session, const struct process *process,
		  pid_t pid);

/* What there is to say when all have ended or gone. */
void describe_last_end(const struct session *session,
		       struct session_stop *stop);

/* Its number in the innermost of the pid namespaces it is in; 0: it is in none
 * but the one seen from here. */
pid_t inner_pid(pid_t pid);

/* "7 in its pid namespace" between the two; nothing if it is in none. */
void describe_inner_pid(pid_t pid, const char *before, const char *after,
			struct str *out);

/* The one CPU that a process (0: the tool) may use; -1: there are several. */
int only_cpu(pid_t pid);

/* A new program is there: forget how the last one ended. */
void begin_program(struct session *session, struct process *process);

/* What the tables say of the program from now on, until the next one: all are
 * copied. `args` NULL: they are not known. */
void remember_program(struct session *session, const char *path,
		      const char *build_id, const char *const *args,
		      size_t count);
/* The absolute path of what `run` runs, as the user calls it, which the caller
 * frees; and the build id of its file. NULL: there is none. */
char *program_path(const struct session *session);
const char *program_build_id(const struct session *session);

/* The clock of the measurements stands or runs. */
void run_clock(struct session *session, bool runs, uint64_t time);

/* ---- file_rights.c
 * ---------------------------------------------------------------
 */

/* A tracer takes such rights away: what is measured would be another program,
 * in effect. An error when this one cannot be run as it is meant. */
struct error *check_rights(const char *path);

/* leak_sanitizer.c: a program with LeakSanitizer is about to be launched, which
 * would fail. */
void note_leak_checker(struct session *session);

/* A process has executed its file, but no instruction of it: has it lost rights
 * for being traced? */
void note_lost_rights(struct session *session, pid_t pid);

/* ---- name_context.c
 * --------------------------------------------------------------
 */

/* A place as the user wrote it, with the context's file or library where the
 * context has it, for the caller to free. */
char *in_context(struct session *session, const char *text);

/* function_list.c: of *NAME, elsewhere the address of a function, the glob,
 * where functions are meant anyway; every other pattern as it is. */
char *function_pattern(const char *pattern);
/* The pattern of all functions of the context, likewise; NULL: none is set. */
char *all_of_context(const struct session *session);
/* The names of the program and of the context's file or library, as `show'
 * prints them; "none" where there is none. */
const char *context_root(const struct session *session);
const char *context_module(const struct session *session);
/* Source files of the program, and libraries. */
void complete_contexts(struct session *session, const char *prefix,
		       session_visit_fn *visit, void *context);

/* ---- settings.c, setting_value.c --------------------------------------------
 */

/* All that `show` shows; ends with a NULL name. */
extern const struct session_setting session_settings[];

/* Give every setting its first value. */
void settings_begin(struct session *session);

/* The value of a setting, for people; appended. */
void setting_value(struct session *session,
		   const struct session_setting *setting, struct str *out);

/* What the user has typed to a value, and a value to what the user would type,
 * which is appended. Not of a SETTING_TEXT. */
struct error *setting_parse(const struct session_setting *setting,
			    const char *text, int64_t *out);
void setting_append(const struct session_setting *setting, int64_t value,
		    struct str *out);

/* `mechanism=` has the words of the setting. */
struct error *find_mechanism(const char *name, enum mechanism *out);

/* ---- run.c ------------------------------------------------------------------
 */

/* What ends a run of the event loop, and what it found. */
struct run {
	struct session_stop *stop;
	uint64_t deadline; /* UINT64_MAX: none; and `still_ns` as it was then */
	uint64_t still_ns;
	/* The user is waiting: Ctrl-C and the deadline end it. */
	bool foreground;
	/* Asked often; true ends it. NULL: nobody to ask. */
	session_enough_fn *enough;
	void *context;
	uint64_t next_question;
	bool stopping;   /* all threads were asked to stop */
	bool suspending; /* the same, to be suspended */
	pid_t given_up;  /* a child, to be let go when all have stopped */
	bool over;
};

/* SIGKILL for all that is followed. */
void kill_followed(struct session *session);

/* Handle events until the run is over. On failure nothing is left: what was
 * attached is detached, what was launched is killed. */
struct error *run_events(struct session *session, struct run *run);

/* ---- deadlines.c ------------------------------------------------------------
 */

/* When the time that was given is over; UINT64_MAX: never. */
uint64_t deadline_of(const struct session *session, const struct run *run);
/* The wait for events ends then, or when tables are due. */
void set_deadline(struct session *session, const struct run *run, uint64_t now);
/* Have tables written, if it is time to, or the user asks for them. Returns
 * what time it is then: nothing happens before what they tell of. */
uint64_t look_at_reports(struct session *session, uint64_t now);

/* The end of a thread or process while another process is attached to; the
 * context is the session. See target_set_bystander(). */
void bystander_event(void *context, const struct event *event);

/* Ask all threads to stop; from now on the clock of the measurements stands. */
struct error *stop_threads(struct session *session, uint64_t time);

/* A breakpoint reached during the last stop, if it still is one. */
bool take_pending_stop(struct session *session, struct session_stop *stop);

/* ---- control.c --------------------------------------------------------------
 */

/* Handle events, with somebody waiting for a stop. */
struct error *run_in_foreground(struct session *session, uint64_t duration,
				struct session_stop *stop);

/* Stop everything and wait until it has; hits count as ever. */
struct error *stop_everything(struct session *session);

/* ---- session_attach.c
 * ---------------------------------------------------------------
 */

/* "3.2 ms" */
void describe_pause(uint64_t ns, struct str *out);
/* "Attached to process 7 (name), 2 threads" */
void describe_attached(const struct process *process, struct str *out);
/* A remark if a signal has stopped it. */
void note_stopped(struct session *session, const struct process *process);

/* attached_processes.c: attach to a process beside those that are. */
struct error *attach_another(struct session *session, pid_t pid,
			     struct str *out);

/* Let go of all there is, everything being stopped; what fails is noted. */
void release_everything(struct session *session);

/* If it runs while commands are entered: not until this command is over. */
struct error *stand_still(struct session *session);

/* Out of it again, unless a breakpoint was reached meanwhile: by a command that
 * has seen enough, for session_go_on() comes in the end. */
struct error *go_on(struct session *session);

/* The same, and something must be there to look at. */
struct error *need_still(struct session *session);

/* Libraries were loaded: what do the pending patterns of `time` name now? */
void session_time_pending(struct session *session);

/* `must_ask`, and all threads are stopped: the same, with the question.
 * `foreground`: the program has the terminal. */
void ask_pending(struct session *session, bool foreground);

/* An error when there is nothing to set breakpoints in. */
struct error *need_program(struct session *session);

/* An error when nothing is there. */
struct error *need_process(struct session *session);
/* May as many files be open as it takes to measure anything? */
struct error *need_files(void);

/* The words of a command line, with a NULL at the end; NULL is allowed. */
void free_words(char **words);

void trace_execution(void *session, const struct execution *execution);

#endif
