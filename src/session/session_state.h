/*
 * session_state.h - the state of a session, and what the files of the session
 * layer offer to each other
 *
 * The state of run control is one value of enum run_state:
 *
 *	NOTHING     no process is measured: none was measured yet, or all
 *	            have ended or were detached from
 *	STARTING    the program was launched, and is kept before its first
 *	            instruction: the tool measures there what a hit costs
 *	FOREGROUND  the program runs, and the user waits for it
 *	BACKGROUND  an attached program runs while the user enters commands;
 *	            session_serve() handles its events
 *	HELD        the program stands still for the command that the session
 *	            carries out
 *	STOPPED     the program stands still until the user continues it
 *	ENDING      the measurement is over: no hit counts any more. The
 *	            program, if it still exists, is ending, or the tool is
 *	            detaching from it
 *	KILLING     the same, and the tool kills every process that is left
 *	            and every new child
 *
 * The transitions, and what makes them:
 *
 *	NOTHING     -> STOPPED     begin_program(): a program was launched or
 *	                           attached to, and all of its threads stand
 *	                           still
 *	STOPPED     -> STARTING    session_run(), right after that
 *	            -> BACKGROUND  session_attach(), right after that
 *	            -> FOREGROUND  session_continue()
 *	STARTING    -> FOREGROUND  the first instruction comes next
 *	            -> STOPPED     the user interrupts
 *	FOREGROUND  -> STOPPED     a breakpoint is reached; if the program was
 *	                           launched, also when the user interrupts, or
 *	                           when the given duration is over
 *	            -> BACKGROUND  the user interrupts, or the duration is
 *	                           over, and the program was attached to
 *	BACKGROUND  -> FOREGROUND  session_continue()
 *	            -> STOPPED     a breakpoint is reached
 *	            -> HELD        stand_still() (which passes through STOPPED)
 *	HELD        -> BACKGROUND  go_on(), when the command is over
 *	            -> FOREGROUND  session_continue()
 *	            -> STOPPED     a breakpoint was reached meanwhile
 *
 *	each of these five
 *	            -> NOTHING     the last process has ended, or was detached
 *	                           from
 *	            -> ENDING      session_kill(), session_end_program(), or an
 *	                           event that could not be handled
 *	            -> KILLING     `failure` is set: the program must not go on
 *
 *	ENDING      -> KILLING     kill_followed()
 *	KILLING     -> ENDING      all killed processes have ended
 *	ENDING      -> STOPPED     begin_program(), for the next program
 *
 * The state alone does not tell whether a process exists: `followed` does.
 * `followed` may be empty in ENDING and KILLING, because only the next program
 * ends these two states. `followed` may also be empty in HELD and BACKGROUND:
 * the last process may end while the program is held, when nobody handles its
 * events.
 *
 * Other members hold what the state does not: how the program came to be
 * measured (`attached`), what has become of its main process (enum main_state),
 * and whether the event loop runs (`in_loop`). The event loop runs at some
 * moments of each state.
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
#include "perftool/process_share.h"
#include "perftool/session.h"
#include "perftool/split.h"
#include "perftool/target.h"

/* `trace FILE`: the session writes rows to this file until tracing is turned
 * off. */
struct tracing {
	FILE *file; /* NULL: off */
	char *path;
	enum trace_format format;
	uint64_t serial;
	int failure;        /* errno of the first failed write; 0: none */
	VEC(uint32_t) legs; /* empty: the legs are all legs */
};

/* A request of `time` that is kept for libraries that the program loads later.
 * The texts are copies, which the request owns. */
struct pending_time {
	/* `condition` and `by` may be NULL */
	char *pattern, *condition, *by;
	struct split_view view;
	size_t most;
	/* For a pattern: the paths of the modules in which the pattern was
	 * searched, and whether it has named a function of the program. */
	struct strmap searched;
	bool found;
	/* For a name: the numbers of the breakpoints that the name has already.
	 * For a pattern: 0. */
	uint32_t entry, exit_point;
};
void pending_time_deinit(struct pending_time *pending);

/* The head of this file describes the states and the transitions. The order of
 * the values counts: see is_over(). */
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

/* What has become of the main process, which is the process that was launched
 * or attached to first. In a program of several processes, the main process may
 * end before the others. */
enum main_state {
	MAIN_NONE, /* there was no main process yet */
	MAIN_FOLLOWED,
	MAIN_ENDED, /* the member `end` says how */
	MAIN_LEFT,  /* the main process goes on without the tool */
};

/* `set cpu-time` */
enum cpu_time { CPU_TIME_AUTO, CPU_TIME_OFF };

/* What was run or attached to last. The tables show it. */
struct last_run {
	bool is_known;
	/* the absolute path, as the program was called; NULL: not known */
	char *path;
	/* build ID of the executed file; NULL: the file has none */
	char *build_id;
	/* whether `args` are known */
	bool has_args;
	struct string_list args;
	/* when the main process started and ended; 0: not known, or not ended
	 * as far as the tool knows */
	struct timespec started, ended;
};
void last_run_deinit(struct last_run *run);

/* A process whose hits count. */
struct followed {
	struct process *process;
	pid_t pid;
	/* the process got a SIGINT in this run */
	bool interrupted;
	/* A Ctrl-C that was meant for the tool was also sent to this process,
	 * and is still pending there. */
	bool owes_interrupt;
	/* the process was created by vfork and runs in its parent's memory */
	bool borrowed;
	/* The kernel's name of the process, and its command line, as they were
	 * when the tool last read them. NULL: the tool could not read them. */
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

	/* What `run` executes: the path of the file, and the word by which the
	 * user named it. */
	char *program, *program_word;
	/* The program is a script, and `probe_program_file()` is the file of
	 * its interpreter. */
	bool is_script;
	struct string_list args, env, directories;

	struct last_run last_run;
	struct host host;
	bool knows_host;

	struct followed_list followed;
	/* the main process; NULL: there is none, or it has ended or was left */
	struct process *process;
	/* pid of the main process, also after its end */
	pid_t last_pid;
	/* the only CPU that the tool may use since its start; -1: there are
	 * several */
	int only_cpu;
	/* the program may use only that CPU, too */
	bool shares_cpu;
	/* process group that gets the terminal while the program runs; 0: none
	 */
	pid_t group;
	/* only enter_state() and begin_program() change it */
	enum run_state state;
	/* the tool attached to the measured program; false: the tool launched
	 * it */
	bool attached;
	/* the event loop runs */
	bool in_loop;
	/* the user may interrupt the present command, which then undoes what it
	 * has done */
	bool is_abandonable;
	/* when the program began to stand still for a command */
	uint64_t still_since;
	/* for how long, in ns, the program has already stood still for this
	 * command */
	uint64_t stood;
	/* the clock of the measurements runs */
	bool clock_runs;
	bool was_run;
	enum main_state main_state;
	struct session_stop end; /* how the main process ended */
	/* pid of the main process, if the tool launched it and let go of it,
	 * and has to wait for its end; 0: there is no such process */
	pid_t awaited;
	struct session_stop stop;
	/* a stop came while the program stood still for a command, and the user
	 * was not told of it yet */
	bool has_untold;
	struct session_stop untold;
	/* a thread of a stopped process */
	struct thread *selected;
	/* Breakpoints that other threads reached while the tool was stopping
	 * all threads. They become the next stops. */
	VEC(struct session_stop) pending_stops;
	/* when the run began, on the tool's clock */
	uint64_t started;
	/* How long programs have stood still for the tool, in ns, since the
	 * session began. This time does not count for the duration of a run. */
	uint64_t still_ns;
	/* columns of tables: `memo', names of columns, or NULL for `auto' */
	char *columns;
	/* `time' was given a pattern in this session */
	bool timed_pattern;
	/* The monitor was turned on or off before, so the first node does not
	 * turn it on. */
	bool monitor_was_set;
	/* when the user asked for the end of the run; 0: not yet */
	uint64_t asked_at;
	/* hits that were not counted, because there was no time for them after
	 * the user had asked for the end: see probe_events.c */
	uint64_t uncounted;
	/* number of hits that the probe layer has reported */
	uint64_t hits_told;
	/* when the processes were killed; 0: they were not */
	uint64_t kill_since;
	/* when the event loop will next reclaim the terminal and show the
	 * progress */
	uint64_t next_look;
	/* see session_set_every(); 0: never */
	uint64_t every;
	/* how many times `every` had passed when tables were last due */
	uint64_t told_times;

	int32_t tracked_pid, tracked_tid;
	enum leg_owner owner; /* the default of `add leg` */
	/* The owner adapts itself to the program, because the user has set
	 * none. */
	bool owner_adapts;
	enum leg_match match;
	enum report_format format;
	bool compensation, ordering;
	enum cpu_time cpu_time;
	enum condition_meaning conditions;
	/* how often RING_BYTES is halved */
	int ring_size;
	bool follow_fork, follow_exec, exit_kill;
	/* Keep a name that no module has, without asking the user. */
	bool pending;
	enum affinity affinity;
	enum mechanism mechanism;

	struct tracing tracing;

	/* `set module context`: a source file or a library, by the name that
	 * locations use for it. NULL: no context is set. */
	struct {
		char *name;
		bool is_source;
	} context;

	/* The tables that session_tables() returned last, and the data that
	 * they refer to. */
	struct tables tables;
	VEC(struct report_node) report_nodes;
	VEC(struct report_leg) report_legs, report_shares;
	VEC(uint64_t *) report_addresses;
	VEC(const char *) report_args;
	VEC(struct report_setting) report_settings;
	struct string_list report_strings;
	struct measure_interval interval; /* of session_tables_since_last() */
	struct report_interval report_interval;
	/* texts of the keys of legs, by the number of the leg; NULL: no key */
	struct string_list key_texts;
	/* names that the user gave to legs, by the number of the leg; NULL:
	 * none */
	struct string_list leg_names;

	/* requests of `time` for names and patterns that may name functions of
	 * libraries that come later */
	VEC(struct pending_time) pending_times;
	/* A pending request was given up after an error, for example because
	 * its pattern named more functions than the user agreed to. */
	bool lost_times;
	/* The tool has to ask the user about what the pending patterns name
	 * now, as soon as all threads stand still. */
	bool must_ask;
	/* The run must not go on because of this error, which concerns a
	 * library that has been loaded: for example, a pending pattern names
	 * too many functions there. NULL: there is no such error. */
	struct error *failure;

	/* The frame to look at. It is frame 0, unless `frame` has chosen
	 * another frame of this thread. The choice is valid while the thread's
	 * pc and stack pointer are those stored here. */
	struct {
		pid_t tid;
		uint64_t pc, sp;
		int number;
	} chosen;

	/* Where the next `list source` continues. */
	char *listed_file;
	uint32_t listed_line;
};

/* Makes a transition. There is no transition from ENDING or KILLING to an
 * earlier state: such a call changes nothing. */
void enter_state(struct session *session, enum run_state state);

/* Is the measurement over? If so, nothing counts any more, and the user is
 * asked nothing. */
static inline bool is_over(const struct session *session)
{
	return session->state >= RUN_ENDING;
}

/* Does the program run while the user enters commands? It may stand still for
 * the present command (HELD). */
static inline bool goes_on(const struct session *session)
{
	return session->state == RUN_BACKGROUND || session->state == RUN_HELD;
}

void session_note(struct session *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* session_interrupt(): what long computations ask to learn whether the user has
 * asked to end the present command, and whether the command may be ended.
 * check_interrupt(): an error if both are true. */
struct interrupt session_interrupt(struct session *session);
struct error *check_interrupt(struct session *session);

/* leg_names.c. breakpoint_kind() returns a constant text, for example "entry"
 * or "line". node_place() appends where a node is ("begin", "exit begin",
 * "a.c:10"), and returns false if the node's breakpoint no longer exists.
 * leg_name() appends the name of a leg. */
const char *breakpoint_kind(const struct breakpoint *breakpoint);
bool node_place(struct session *session, uint32_t id, struct str *out);
void leg_name(struct session *session, const struct measure_leg *leg,
	      struct str *out);

/* probe_events.c. note_uncounted() tells the user how many hits were not
 * counted for lack of time, if there were any. session_probe_client() fills in
 * the callbacks of the probe layer. */
void note_uncounted(struct session *session);
void session_probe_client(struct session *session, struct probe_client *out);
/* Tells the user that executions of a leg cannot be told apart by the order of
 * their hits. `context` is the session. */
void note_mixed(void *context, const struct measure_leg *leg, int32_t tid);

/* Would a hit of this breakpoint by this thread stop the program now? */
bool hit_stops(const struct session *session,
	       const struct breakpoint *breakpoint, pid_t pid, pid_t tid);

/* The value of $node(N) in expressions. `session` is the session. */
bool session_node_count(void *session, uint32_t node, uint64_t *count);

/* Finds a breakpoint that is not deleted, or returns an error which says that
 * there is none. */
struct error *find_breakpoint(struct session *session, uint32_t id,
			      struct breakpoint **out);

/* leg_ends.c. find_leg_ends() finds the two breakpoints of a requested leg, and
 * makes those that do not exist yet. The number 0 is the wildcard.
 * forget_leg_ends() removes the new ones again, if no leg could be added. */
struct leg_ends {
	uint32_t from, to;
	bool made_from, made_to;
	/* what was said about the new breakpoints; the caller may append */
	struct str said;
};
struct error *find_leg_ends(struct session *session,
			    const struct leg_request *request,
			    struct leg_ends *out);
void forget_leg_ends(struct session *session, struct leg_ends *ends);

/* program_start.c. Makes the environment with which the program is started; the
 * list ends with NULL. The caller frees the list, but not its strings, which
 * others own. */
VEC_STRUCT(environment, const char *);
void launch_environment(const struct session *session, struct environment *out);

/* unknown_names.c. Returns an error if neither the program nor its libraries
 * have the name that the breakpoint was given, unless the user wants to keep
 * the breakpoint. */
struct error *check_known(struct session *session,
			  struct breakpoint *breakpoint);
/* The same of a pattern of `time' that no function has: where nobody can be
 * asked it is kept. */
struct error *check_pattern(const struct session *session, const char *pattern);

/* breakpoints.c. Removes a breakpoint. If the breakpoint has a row in the node
 * table, the row stays. */
void remove_breakpoint(struct session *session, struct breakpoint *breakpoint);

/* Does the condition of this breakpoint filter no hits, but only name a
 * variable? See `attach condition`. */
bool condition_only_names(const struct session *session,
			  const struct breakpoint *breakpoint);

/* Adds a leg between two breakpoints, both of which become nodes. */
struct error *add_one_leg(struct session *session,
			  const struct leg_request *request, uint32_t from_id,
			  uint32_t to_id, uint32_t *id, struct str *out);

/* A command that adds legs says one line for each of the first MOST_LEGS_SAID
 * legs. say_more_legs() then says how many more legs there are. */
#define MOST_LEGS_SAID 20
void say_more_legs(size_t count, struct str *out);

/* ---- splits.c ---------------------------------------------------------- */

/* Parses "EXPR" or ":EXPR". `*at_to` becomes true for the second form. The
 * caller destroys `*out`. */
struct error *parse_by(const char *text, struct expr **out, bool *at_to);

/* Can a leg between these two breakpoints be split by this expression? Returns
 * an error if not. Nothing is changed. */
struct error *check_by(struct session *session, const char *by,
		       struct breakpoint *from, struct breakpoint *to);

struct error *split_leg(struct session *session, uint32_t id, const char *by,
			const struct split_view *view);

/* release_leg() drops the expressions that a leg uses, when the leg is deleted.
 * The other two drop the expression of a split, when the split ends. */
void release_leg(struct session *session, const struct measure_leg *leg);
void release_leg_split(struct session *session, const struct measure_leg *leg);
void release_node_split(struct session *session,
			const struct measure_node *node);

/* Returns the text of the expression that splits the leg or node, or NULL if
 * there is no split. */
const char *leg_split_text(struct session *session,
			   const struct measure_leg *leg);
const char *node_split_text(struct session *session,
			    const struct measure_node *node);

/* Enters a breakpoint in the node table. A breakpoint without a condition gets
 * the condition 1. */
struct error *make_node(struct session *session, struct breakpoint *breakpoint,
			struct str *out);

/* Returns the name of the function of a place for the user: "f", "ns::f(int)",
 * or "prog+0x1180" if only the address of the function is known. NULL: no
 * function is known. The caller frees the text. */
char *place_function(const struct place *place);

/* Appends a text such as "entry of f, x.c:7". */
void describe_breakpoint(struct session *session,
			 const struct breakpoint *breakpoint, struct str *out);

/* Is this a breakpoint at the exit of a function that was found, but has no
 * exit? */
bool has_no_exit(struct session *session, const struct breakpoint *breakpoint);
#define NO_EXIT "no exit: it never returns, or is inlined wherever it is called"

/* inspection.c. Returns the thread to look at, and has the program stand still.
 * It is the thread that the user has chosen, or else the first thread that
 * stands still. */
struct error *need_thread(struct session *session, struct thread **out);
/* Makes a reader through which the debug information of a module (NULL: none)
 * reads the memory and the registers of a thread. `regs` must live as long as
 * `*reader`. */
void make_reader(struct process *process, const struct module *module,
		 const struct user_regs_struct *regs,
		 struct frame_reader *reader);

/* ---- backtrace.c ------------------------------------------------------- */

/* A frame of the machine: the frame of one call that was not inlined. In the
 * source it may stand for several frames. */
struct frame {
	struct thread *thread;
	const struct module *module; /* NULL: not known */
	struct debugfile *file;      /* file of the module, or NULL */
	struct user_regs_struct regs;
	/* The pc is the address of the instruction that comes next. Otherwise
	 * the pc is a return address, which may lie behind the end of the
	 * function. */
	bool exact;
};

/* A frame of the source: one of those for which a frame of the machine stands.
 */
struct source_place {
	struct frame frame;
	unsigned inlined;           /* which of them; 0: the innermost */
	int number;                 /* counted from the thread's innermost frame
				     */
	struct source_frame source; /* source_place_clear() frees its texts */
};

/* Finds the frame to look at: the frame that the user has chosen, if the thread
 * still stands where it stood then; else the innermost frame. The caller calls
 * source_place_clear(). */
struct error *find_place(struct session *session, struct source_place *out);
void source_place_clear(struct source_place *place);

/* Returns how many frames of inlined calls a stop at this run-time address does
 * not show. These calls begin exactly at this address, so they have not begun
 * yet. If a stopping breakpoint at this address belongs to one of the calls,
 * the frame of that call is shown. The module's file must be known. */
unsigned frames_ahead(struct session *session, const struct module *module,
		      uint64_t pc);

/* Returns the address of the frame's instruction in the module's file. */
uint64_t frame_address(const struct frame *frame);

/* Describes the place of a frame to the expression layer. It also tells whether
 * the frame is at the first instruction of its function, or at an instruction
 * where a breakpoint at an exit is. */
void frame_expr_place(struct session *session, const struct frame *frame,
		      unsigned inlined, struct expr_place *out);

/* Makes the input by which expressions read the frame. `regs` and `scratch`
 * must live as long as `*out`. */
void frame_input(struct session *session, const struct frame *frame,
		 struct user_regs_struct *regs, struct scratch *scratch,
		 struct expr_input *out);

/* ---- variable_list.c --------------------------------------------------- */

/* Appends the arguments of a frame, for example "x=7, s=...", as a part of the
 * frame's line. */
void print_arguments(struct session *session, const struct frame *frame,
		     unsigned inlined, struct str *out);

/* Returns the file name without its directories; a pointer into `path`. */
const char *base_name(const char *path);
/* Appends "work ()" or "ns::work(int)". If `name` is NULL, appends "??". */
void describe_function(const char *name, struct str *out);
/* Appends "work () at x.c:7", or "work () in MODULE" if no line is known. */
void describe_source_frame(const struct source_frame *frame,
			   const struct module *module, struct str *out);
/* Appends a description of a run-time address: "f () at x.c:7", or "?? in
 * MODULE" where no function is known. */
void describe_address(struct session *session, struct process *process,
		      uint64_t address, struct str *out);

/* ---- processes.c: the processes whose hits count ----------------------- */

void follow(struct session *session, struct process *process);
struct followed *find_followed(struct session *session, pid_t pid);

/* Finds a thread of the followed processes. NULL: no followed process has this
 * thread, or the thread is ending. */
struct thread *followed_thread(struct session *session, pid_t tid);

/* Notes the end of a process. `status` is as of wait(2). */
void process_ended(struct session *session, struct process *process,
		   int status);

/* process_names.c. read_process_name() reads the name of a process from the
 * kernel. tell_process_name() passes the name to the measure layer.
 * renew_process_names() does both for all followed processes. */
void read_process_name(struct followed *followed);
void tell_process_name(struct session *session,
		       const struct followed *followed);
void renew_process_names(struct session *session);
void followed_deinit(struct followed *followed);

/* shares.c. fill_shares() adds to report_shares what each process has of the
 * legs in report_legs, and returns the number of the processes. */
size_t fill_shares(struct session *session);
/* Has the rows of report_shares show the shares of session->interval. The
 * caller calls this while the rows of report_legs still show the legs of the
 * whole measurement. */
void replace_shares(struct session *session);

/* tables.c. Sets the leg that a row shows, and the members of the row that
 * depend on the leg. */
void set_stats(const struct session *session, struct report_leg *row,
	       const struct measure_leg *stats);

/* Calls `holds` of struct session_ui. */
void tell_holding(const struct session *session, bool on);

/* Notes the end of the awaited process, which is the main process and went on
 * without the tool. `status` is as of wait(2). */
void awaited_ended(struct session *session, int status);

/* Notes that a process goes on without the tool. The target layer may have
 * forgotten the process already: this function uses only the address `process`
 * and the pid. */
void process_left(struct session *session, const struct process *process,
		  pid_t pid);

/* Tells how the run ended, after all processes have ended or were left. */
void describe_last_end(const struct session *session,
		       struct session_stop *stop);

/* Returns the number of a process in the innermost pid namespace that the
 * process belongs to. Returns 0 if the process belongs to no other namespace
 * than the one that the tool sees. */
pid_t inner_pid(pid_t pid);

/* Appends "7 in its pid namespace" with `before` and `after` around it. Appends
 * nothing if the process has no namespace of its own. */
void describe_inner_pid(pid_t pid, const char *before, const char *after,
			struct str *out);

/* Returns the only CPU that a process (0: the tool) may use, or -1 if the
 * process may use several. */
int only_cpu(pid_t pid);

/* Begins a new program, whose main process is `process`: forgets how the last
 * program ended, and follows the process. */
void begin_program(struct session *session, struct process *process);

/* Remembers what the tables say of the program from now on, until the next
 * program begins. All texts are copied. `args` NULL: the arguments are not
 * known. */
void remember_program(struct session *session, const char *path,
		      const char *build_id, const char *const *args,
		      size_t count);
/* program_modules.c. program_path() returns the absolute path of what `run`
 * executes, as the user calls it; the caller frees it. program_build_id()
 * returns the build ID of the program's file. NULL: there is no program, or no
 * build ID. */
char *program_path(const struct session *session);
const char *program_build_id(const struct session *session);

/* Starts or stops the clock of the measurements. */
void run_clock(struct session *session, bool runs, uint64_t time);

/* ---- file_rights.c ----------------------------------------------------- */

/* Returns an error if the program needs rights that its file gives to it
 * (set-user-ID, set-group-ID) and would not get them. The kernel does not give
 * these rights to a traced process, so the tool would in effect measure another
 * program. */
struct error *check_rights(const char *path);

/* leak_sanitizer.c. Tells the user if the program that is about to be launched
 * has LeakSanitizer, which fails in a traced program. */
void note_leak_checker(struct session *session);

/* Tells the user if a process has lost rights because it is traced. The process
 * has executed its file, but no instruction of the file yet. */
void note_lost_rights(struct session *session, pid_t pid);

/* ---- name_context.c ---------------------------------------------------- */

/* Returns the place as the user wrote it. If the file or library of the module
 * context has this place, the result names that file or library, too. The
 * caller frees the text. */
char *in_context(struct session *session, const char *text);

/* function_list.c. Returns the pattern for a command that expects functions.
 * Elsewhere *NAME means the address of a function; in such a command it is a
 * glob, and the result is written so that it is read as a glob. Every other
 * pattern stays as it is. The caller frees the text. */
char *function_pattern(const char *pattern);
/* Returns the pattern of all functions of the module context; NULL: no context
 * is set. The caller frees the text. */
char *all_of_context(const struct session *session);
/* Return the name of the program, and the name of the context's file or
 * library, as `show` prints them; "none" where there is none. */
const char *context_root(const struct session *session);
const char *context_module(const struct session *session);
/* Visits the candidates for a module context: source files of the program, and
 * libraries. */
void complete_contexts(struct session *session, const char *prefix,
		       session_visit_fn *visit, void *context);

/* ---- settings.c, setting_value.c --------------------------------------- */

/* All settings that `show` shows. The last entry has the name NULL. */
extern const struct session_setting session_settings[];

/* Gives every setting its initial value. */
void settings_begin(struct session *session);

/* Appends the value of a setting, for the user. */
void setting_value(struct session *session,
		   const struct session_setting *setting, struct str *out);

/* setting_parse() converts the text that the user has typed to a value.
 * setting_append() appends the text that the user would type for a value.
 * Neither is for a SETTING_TEXT. */
struct error *setting_parse(const struct session_setting *setting,
			    const char *text, int64_t *out);
void setting_append(const struct session_setting *setting, int64_t value,
		    struct str *out);

/* Converts the word after `mechanism=`. The words are those of the setting
 * `mechanism`. */
struct error *find_mechanism(const char *name, enum mechanism *out);

/* ---- run.c ------------------------------------------------------------- */

/* One run of the event loop: what ends it, and what it has found. */
struct run {
	struct session_stop *stop;
	/* `deadline`: when the run ends, on the tool's clock; UINT64_MAX:
	 * never. `still_ns`: session->still_ns when the run began. */
	uint64_t deadline;
	uint64_t still_ns;
	/* The user waits for the program: Ctrl-C and the deadline end the run.
	 */
	bool foreground;
	/* The event loop calls this often; true ends the run. NULL: there is
	 * nothing to call. */
	session_enough_fn *enough;
	void *context;
	uint64_t next_question;
	/* all threads were asked to stop */
	bool stopping;
	/* all threads were asked to stop, so that the tool can be suspended */
	bool suspending;
	/* a child that the tool will let go of when all threads have stopped */
	pid_t given_up;
	bool over;
};

/* Sends SIGKILL to all followed processes. */
void kill_followed(struct session *session);

/* Handles events until the run is over. If it fails, no process is left: the
 * tool has detached from what was attached, and killed what was launched. */
struct error *run_events(struct session *session, struct run *run);

/* ---- deadlines.c ------------------------------------------------------- */

/* Returns when the duration of the run is over, on the tool's clock.
 * UINT64_MAX: never. */
uint64_t deadline_of(const struct session *session, const struct run *run);
/* Sets the time at which the wait for events ends: the deadline of the run, or
 * the moment when the next tables are due. */
void set_deadline(struct session *session, const struct run *run, uint64_t now);
/* Has tables written if they are due or if the user asks for them. Returns the
 * time after that. The caller must treat later events as not earlier than this
 * time, because the tables tell of everything up to then. */
uint64_t look_at_reports(struct session *session, uint64_t now);

/* Handles the end of a thread or process while the tool attaches to another
 * process. `context` is the session. See target_set_bystander(). */
void bystander_event(void *context, const struct event *event);

/* Asks all threads to stop. The clock of the measurements stops at `time`. */
struct error *stop_threads(struct session *session, uint64_t time);

/* Takes the next breakpoint that was reached during the last stop, if it still
 * stops the program. Returns false if there is none. */
bool take_pending_stop(struct session *session, struct session_stop *stop);

/* ---- control.c --------------------------------------------------------- */

/* Runs the event loop while the user waits for a stop. `duration` is in ns; 0:
 * no limit. */
struct error *run_in_foreground(struct session *session, uint64_t duration,
				struct session_stop *stop);

/* Stops all threads and waits until they have stopped. Hits count as usual
 * meanwhile. */
struct error *stop_everything(struct session *session);

/* ---- session_attach.c -------------------------------------------------- */

/* Appends a duration, for example "3.2 ms". */
void describe_pause(uint64_t ns, struct str *out);
/* Appends "Attached to process 7 (name), 2 threads". */
void describe_attached(const struct process *process, struct str *out);
/* Gives the user a remark if a signal has stopped the process. */
void note_stopped(struct session *session, const struct process *process);

/* attached_processes.c. Attaches to a process beside those that are measured
 * already. */
struct error *attach_another(struct session *session, pid_t pid,
			     struct str *out);

/* Lets go of all processes, whose threads must all be stopped. Errors become
 * remarks to the user. */
void release_everything(struct session *session);

/* Stops a program that runs while the user enters commands, until the present
 * command is over. Does nothing in all other states. */
struct error *stand_still(struct session *session);

/* Ends stand_still(), unless a breakpoint was reached meanwhile. A command
 * calls it as soon as it needs the program to stand still no longer; at the end
 * of each command, session_go_on() calls it. */
struct error *go_on(struct session *session);

/* Calls stand_still(), and returns an error if there is no process. */
struct error *need_still(struct session *session);

/* Looks for functions that pending patterns of `time` name now. The caller
 * calls it when libraries were loaded. */
void session_time_pending(struct session *session);

/* Does the same when `must_ask` is set and all threads are stopped, and asks
 * the user the question. `foreground`: the program has the terminal. */
void ask_pending(struct session *session, bool foreground);

/* Returns an error if there is no program to set breakpoints in. */
struct error *need_program(struct session *session);

/* Returns an error if no process is measured. */
struct error *need_process(struct session *session);
/* Returns an error if the limit of open files is too low to measure anything.
 */
struct error *need_files(void);

/* Frees the words of a command line, a list that ends with NULL. `words` may be
 * NULL. */
void free_words(char **words);

void trace_execution(void *session, const struct execution *execution);

#endif
