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
 *	            -> HELD        session_start() with `held`: the first
 *	                           instruction comes next; or
 *	                           session_continue() of a program that runs
 *	                           on, which goes to BACKGROUND at once
 *	STARTING    -> FOREGROUND  the first instruction comes next
 *	            -> STOPPED     the user interrupts
 *	FOREGROUND  -> STOPPED     a breakpoint is reached; if the program was
 *	                           launched, also when the user interrupts, or
 *	                           when the given duration is over
 *	            -> BACKGROUND  the user interrupts, or the duration is
 *	                           over, and the program was attached to; or
 *	                           session_start() does not wait for the program
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
#include "perftool/debuginfo/code_lines.h"
#include "perftool/interval.h"
#include "perftool/measure.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/probe.h"
#include "perftool/process_share.h"
#include "perftool/session.h"
#include "perftool/session/detail.h"
#include "perftool/session/user_interface.h"
#include "perftool/split.h"
#include "perftool/target.h"
#include "perftool/target/target_events.h"
#include "profile_events.h"

/* `trace FILE`: the session writes one row for each execution of a leg to this
 * file until tracing is turned off. */
struct tracing {
	FILE *file; /* NULL: tracing is off */
	char *path;
	enum trace_format format;
	uint64_t serial;
	int failure;        /* errno of the first failed write; 0: none */
	VEC(uint32_t) legs; /* empty: all legs are traced */
	int64_t from;       /* measured ns, when the trace began */
};

/* A request of `time` that is kept for libraries that the program loads later.
 * The texts are copies, which the request owns. */
struct pending_time {
	/* `condition` and `by` may be NULL */
	char *pattern, *condition, *by;
	struct split_view view;
	size_t most;
	/* For a pattern: the paths of the modules in which the tool has
	 * searched the pattern, and whether the pattern has named a function of
	 * the program. */
	struct strmap searched;
	bool found;
	/* For a plain name: the numbers of the breakpoints that were made for
	 * the name already. For a pattern: 0. */
	uint32_t entry, exit_point;
};
void pending_time_deinit(struct pending_time *pending);

/* The states of run control. The head of this file describes the states and the
 * transitions. is_over() relies on the order of the values. */
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
	MAIN_ENDED, /* the member `end` of struct session says how the process
		     * ended */
	MAIN_LEFT,  /* the main process goes on without the tool */
};

/* the values of `set counting` */
enum counting { COUNTING_AUTO, COUNTING_PROGRAM, COUNTING_RING };

/* the values of `set stacks` */
enum stacks { STACKS_OFF, STACKS_SLOWEST };

/* the values of `set detail` */
enum detail { DETAIL_OFF, DETAIL_AUTO };

/* the values of `set cpu-time` */
enum cpu_time { CPU_TIME_AUTO, CPU_TIME_OFF };

/* The program that was run or attached to last. The tables show these facts. */
struct last_run {
	bool is_known;
	/* the absolute path by which the program was called; NULL: not known */
	char *path;
	/* build ID of the executed file; NULL: the file has none */
	char *build_id;
	/* whether `args` are known */
	bool has_args;
	struct string_list args;
	/* when the main process started and ended; 0: not known, or the process
	 * has not ended as far as the tool knows */
	struct timespec started, ended;
};
void last_run_deinit(struct last_run *run);

/* A measured process: its hits count. */
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
	/* The kernel's name of the process (comm), and its command line, as
	 * they were when the tool last read them. NULL: the tool could not read
	 * them. */
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
	/* Is the program a script? `probe_program_file()` is then the file of
	 * the script's interpreter. */
	bool is_script;
	struct string_list args, env, directories;
	/* session_set_environment() */
	struct string_list environment;
	bool has_environment;

	struct last_run last_run;
	struct host host;
	bool knows_host;

	struct followed_list followed;
	/* pids of processes that could not be measured any more: the tool
	 * detaches from them when all threads have stopped */
	VEC(pid_t) given_up;
	/* what perftools that died have left in these processes */
	VEC(struct left_counts) left_counts;
	/* the main process; NULL: there is none, or it has ended, or the tool
	 * has detached from it */
	struct process *process;
	/* pid of the main process, also after its end, and its rank */
	pid_t last_pid;
	int64_t last_rank;
	/* the only CPU that the tool may use since its start; -1: the tool may
	 * use several CPUs */
	int only_cpu;
	/* may the program, too, use only that CPU? */
	bool shares_cpu;
	/* process group that gets the terminal while the program runs; 0: none
	 */
	pid_t group;
	/* only enter_state() and begin_program() change it */
	enum run_state state;
	/* the tool attached to the measured program; false: the tool launched
	 * it */
	bool attached;
	/* The main process has executed another program since then. */
	bool has_executed;
	/* The program stands still before its first instruction, from
	 * session_start() with `held` to session_let_begin(). */
	bool holds_start;
	uint64_t events; /* that the event loop has handled */
	/* session_expect(): when the event loop asks its caller again, and the
	 * time between two questions, which grows; 0: it asks as usual. Both
	 * are in ns. */
	uint64_t ask_at, ask_step;
	/* the event loop runs */
	bool in_loop;
	/* session_set_wait() */
	session_wait_fn *wait;
	void *wait_context;
	/* may the user interrupt the present command, which then undoes what it
	 * has done? */
	bool is_abandonable;
	/* when the program began to stand still for the present command */
	uint64_t still_since;
	/* how much time the tool's thread had been on a CPU then, ns */
	uint64_t worked_before;
	/* `still_since` of the stop in which what threads had counted was told
	 * last (settle_counts()) */
	uint64_t settled_in;
	/* until when the program goes on in the middle of a command
	 * (session_relent()) */
	uint64_t respite_until;
	/* for how long, in ns, the program has already stood still for the
	 * present command */
	uint64_t stood;
	/* the clock of the measurements runs */
	bool clock_runs;
	bool was_run;
	enum main_state main_state;
	struct session_stop end; /* how the main process ended, for the user and
				  * the exit status */
	/* pid of the main process, if the tool launched it and has detached
	 * from it, and must still wait for its end; 0: there is no such process
	 */
	pid_t awaited;
	struct session_stop stop;
	/* did a stop come while the program stood still for a command, so that
	 * the user does not know of it yet? `untold` is that stop */
	bool has_untold;
	struct session_stop untold;
	/* the thread that expressions and frames refer to, of a process that
	 * stands still */
	struct thread *selected;
	/* Breakpoints that other threads reached while the tool was stopping
	 * all threads. The session reports them as the next stops. */
	VEC(struct session_stop) pending_stops;
	/* when the present run began, on the tool's clock */
	uint64_t started;
	/* How long programs have stood still for the tool, in ns, since the
	 * session began. This time does not count for the duration of a run. */
	uint64_t still_ns;
	/* columns of tables: `memo', names of columns, or NULL for `auto' */
	char *columns;
	/* `time' was given a pattern in this session */
	bool timed_pattern;
	/* Was the monitor turned on or off before? If so, the first node does
	 * not turn it on. */
	bool monitor_was_set;
	/* session_keep_running() */
	bool keeps_running;
	/* session_suspend(): nodes neither count nor stop the program */
	bool is_suspended;
	/* when the user asked for the end of the run; 0: the user has not asked
	 */
	uint64_t asked_at;
	/* number of hits that were not counted, because there was no time for
	 * them after the user had asked for the end: see probe_events.c */
	uint64_t uncounted;
	/* number of hits that the probe layer has reported */
	uint64_t hits_told;
	/* when the processes were killed; 0: they were not */
	uint64_t kill_since;
	/* when the event loop will next reclaim the terminal and show the
	 * progress */
	uint64_t next_look;
	/* interval of session_set_every(), in ns; 0: no tables are due during
	 * the run */
	uint64_t every;
	/* how often `every` had passed in measured time when tables were last
	 * due */
	uint64_t told_times;

	int32_t tracked_pid, tracked_tid;
	/* Which threads count: by their tids, values of enum thread_use. A
	 * thread that is not in the map counts unless `ignores_threads`. */
	struct map thread_uses;
	/* the nodes of session_take_out() and session_untime(): number -> 1 */
	struct map taken_out;
	bool ignores_threads;
	enum leg_owner owner; /* the default owner of `add leg` */
	/* Does the owner of a leg depend on the program? It does as long as the
	 * user has set no owner. */
	bool owner_adapts;
	enum leg_match match;
	enum report_format format;
	bool compensation, ordering, index_cache, contention;
	enum counting counting;
	/* how many of the slowest executions keep what is inside them */
	int inside;
	enum stacks stacks;
	/* for the stacks of executions: see stack_sampler.c and origins.c of
	 * the folder run. `origin_places` leads from an address of a file to a
	 * struct origin_place. */
	struct sampler *sampler;
	struct module_numbers *modules; /* of recorded frames */
	struct map origin_places;
	enum cpu_time cpu_time;
	enum condition_meaning conditions;
	/* `set detail', and its limits, each in millionths: how much of the
	 * program's time nodes may cost, in percent, and the limits of
	 * perftool/session/detail.h */
	enum detail detail;
	int64_t detail_cost;
	int64_t detail_limits[DETAIL_LIMIT_COUNT];
	/* the setting `ring-size`: how often RING_BYTES is halved for the
	 * buffer in which a thread records its hits */
	int ring_size;
	bool follow_fork, follow_exec, exit_kill;
	/* the setting `pending`: keep a name that no module has, without asking
	 * the user */
	bool pending;
	enum affinity affinity;
	enum mechanism mechanism;

	struct tracing tracing;

	struct call_profile *calls; /* see session/profiling/call_profile.h */

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
	struct measure_interval interval; /* what session_tables_since_last()
					   * reports */
	struct report_interval report_interval;
	/* texts of the keys of legs, by the number of the leg; NULL: no key */
	struct string_list key_texts;
	/* names that the user gave to legs, by the number of the leg; NULL:
	 * none */
	struct string_list leg_names;

	/* requests of `time` for names and patterns that may name functions of
	 * libraries that come later */
	VEC(struct pending_time) pending_times;
	/* session_on_libraries() */
	session_loaded_fn *loaded;
	void *loaded_context;
	/* A pending request was given up after an error, for example because
	 * its pattern named more functions than the user agreed to. */
	bool lost_times;
	/* The tool has to ask the user about what the pending patterns name
	 * now, as soon as all threads stand still. */
	bool must_ask;
	/* The run must not go on because of this error. The error concerns a
	 * library that the program has loaded: for example, a pending pattern
	 * names too many functions there. NULL: there is no such error. */
	struct error *failure;

	/* The frame that expressions and listings refer to. It is frame 0,
	 * unless `frame` has chosen another frame of this thread. The choice is
	 * valid while the thread's pc and stack pointer are those stored here.
	 */
	struct {
		pid_t tid;
		uint64_t pc, sp;
		int number;
	} chosen;

	/* the call stacks that are recorded; see profiling/ */
	struct recorded_profiles *recorded;

	/* The file and the line at which the next `list source` continues. */
	char *listed_file;
	uint32_t listed_line;
};

/* Is the measurement over? If so, no hit counts any more, and the session asks
 * the user nothing. */
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

/* Makes a transition to another state of run control. There is no transition
 * from ENDING or KILLING to an earlier state: such a call changes nothing. */
void enter_state(struct session *session, enum run_state state);

void session_note(struct session *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Long computations call session_interrupt()'s function to learn whether the
 * user has asked to end the present command, if that command can be undone.
 * check_interrupt() returns an error if this is so. */
struct interrupt session_interrupt(struct session *session);
struct error *check_interrupt(struct session *session);

/* Gets the value of $node(N) in expressions, which is the count of node N.
 * `session` is the session. */
bool session_node_count(void *session, uint32_t node, uint64_t *count);

/* measured_program.c. Makes the environment with which the program is started;
 * the list ends with NULL. The caller frees the list, but not its strings,
 * which belong to the session and to the tool's own environment. */
VEC_STRUCT(environment, const char *);
void launch_environment(const struct session *session, struct environment *out);

/* Returns the name of the function of a place for the user: "f", "ns::f(int)",
 * or "prog+0x1180" if only the address of the function is known. NULL: no
 * function is known. The caller frees the text. */
char *place_function(const struct place *place);
/* Returns the name that tables have for a function without a symbol around an
 * address of the file: MODULE+0xSTART; NULL: nothing tells where it begins. The
 * caller frees it. */
char *nameless_function(struct debugfile *file, const char *module,
			uint64_t address);

/* Appends a text such as "entry of f, x.c:7". */
void describe_breakpoint(struct session *session,
			 const struct breakpoint *breakpoint, struct str *out);

/* Returns how many frames of inlined calls `where` must leave out for a thread
 * that has stopped at the run-time address `pc`. The code of these calls begins
 * exactly at this address, so the thread has not begun to execute them. If a
 * stopping breakpoint at this address belongs to one of the calls, the frame of
 * that call is not left out. The module's file must be known. */
unsigned frames_ahead(struct session *session, const struct module *module,
		      uint64_t pc);

/* Appends the name of a function with its parameters: "work ()" or
 * "ns::work(int)". If `name` is NULL, appends "??". */
void describe_function(const char *name, struct str *out);
/* Appends a frame of the source: "work () at x.c:7", or "work () in MODULE" if
 * no line is known. */
void describe_source_frame(const struct source_frame *frame,
			   const struct module *module, struct str *out);
/* Appends a description of a run-time address: "f () at x.c:7", or "?? in
 * MODULE" where no function is known. */
void describe_address(struct session *session, struct process *process,
		      uint64_t address, struct str *out);

/* Asks all threads to stop, and stops the clock of the measurements at `time`.
 */
struct error *stop_threads(struct session *session, uint64_t time);

/* Stops a program that runs while the user enters commands (BACKGROUND), until
 * the present command is over. Does nothing in all other states. */
struct error *stand_still(struct session *session);

/* Continues a program that stand_still() has stopped, unless a thread has
 * reached a breakpoint meanwhile. A command calls go_on() as soon as the
 * command no longer needs the program to stand still; at the end of each
 * command, session_go_on() calls it. */
struct error *go_on(struct session *session);

/* Calls stand_still(), and returns an error if there is no process. */
struct error *need_still(struct session *session);

/* Returns an error if there is no program to set breakpoints in. */
struct error *need_program(struct session *session);

/* program_path() returns the absolute path of what `run`
 * executes, as the user calls it; the caller frees it. program_build_id()
 * returns the build ID of the program's file. NULL: there is no program, or no
 * build ID. */
char *program_path(const struct session *session);
const char *program_build_id(const struct session *session);

/* Is this a breakpoint at the exit of a function, where the tool has found the
 * function, but no exit in it? */
bool has_no_exit(struct session *session, const struct breakpoint *breakpoint);
#define NO_EXIT "no exit: it never returns, or is inlined wherever it is called"

/* Remembers how the program ended, to tell the user later. The program has
 * ended while nobody waited for the end. */
void keep_end(struct session *session);

/* ---- count_settlement.c
 * -------------------------------------------------------- */

/* A command is about to change what threads may count by themselves: the
 * program stands still, and what they have counted until now is told. */
struct error *settle_counts(struct session *session);
/* A command is about to discard all that is open, also what threads have open
 * by their own count: the same, and threads forget what they have open. */
struct error *discard_counts(struct session *session);

/* source_file.c: opens a source file: by the path that the compiler recorded,
 * else below one of the directories that the user has added, else below the
 * current directory. NULL: there is none. */
FILE *open_source(struct session *session, const char *path);

/* ---- profiling/recorded_profiles.c: what profiles must know of the run
 * ------------- */

struct recorded_profiles *recorded_create(struct session *session);
void recorded_destroy(struct recorded_profiles *recorded);
/* Is the Spy, or are the ticks of the profiler, on? */
bool recorded_has_requests(const struct session *session);
/* The probe layer has handled an event of the target. */
void recorded_event(struct session *session, const struct event *event);
/* A breakpoint was hit that is not one of the user's (probe_add_apart()). */
struct probe_event;
void recorded_hit(struct session *session, const struct probe_event *event);
/* The clock of the measurements runs from `time` on, or stands still. */
void recorded_clock(struct session *session, bool runs, uint64_t time);
/* Everything that is measured has stood still between these times. */
void recorded_stood(struct session *session, uint64_t from, uint64_t to);
/* The process executes another program. */
void recorded_program_changed(struct session *session, pid_t pid);
/* The setting `contention` has changed. All threads stand still. */
void recorded_watch_locks(struct session *session, bool on);
/* `zero tables`: the figures of waits for locks become 0. */
void recorded_zero(struct session *session);
/* A process is followed from now on; or it is not any more, because it has
 * ended or the tool is about to detach from it. */
void recorded_process_came(struct session *session, struct process *process);
void recorded_process_left(struct session *session, struct process *process);

/* ---- profiling/adaptive_detail.c: `set detail auto`
 * ------------------------------------------------ */

/* The setting has changed; the program stands still. */
void recorded_detail_set(struct session *session);
/* All rows of the tables are about to go: the breakpoints of their functions go
 * with them. */
void recorded_tables_go(struct session *session);
/* Decides which functions get or lose nodes now. Returns true if some do: the
 * caller has all threads stop, calls recorded_change(), has the threads go on,
 * and calls recorded_changed(). recorded_changes() returns true until then. */
bool recorded_look(struct session *session, uint64_t now);
bool recorded_changes(const struct session *session);
void recorded_change(struct session *session);
void recorded_changed(struct session *session);
/* When to call recorded_look() next, on the tool's clock; UINT64_MAX: never. */
uint64_t recorded_next_look(const struct session *session);
/* Was the node, or the leg, made so? `*is_out`: its function has lost it again.
 */
bool recorded_made_node(const struct session *session, uint32_t node,
			bool *is_out);
bool recorded_made_leg(const struct session *session, uint32_t leg);
/* What the detail does; NULL: it is off. Valid until the next call. */
const struct report_detail *recorded_detail(struct session *session);
/* Appends what `show detail` says besides the value. */
void recorded_describe_detail(struct session *session, struct str *out);

/* left_behind.c: Keeps a copy of what a perftool that died has left of a leg.
 * forget_left_counts() forgets all of them. */
void keep_left_counts(struct session *session,
		      const struct left_counts *counts);
void forget_left_counts(struct session *session);

#endif
