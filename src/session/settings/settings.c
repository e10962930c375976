/*
 * settings.c - the table of settings, which is the only list of them
 *
 * `set`, `show`, `help`, completion, the man page and the settings in the
 * tables are made from this table (setting_value.c reads and writes the
 * values). To add a setting, add one entry:
 *
 *   - A setting whose value is a member of struct session names it by FIELD().
 *     If another layer uses the value, `.changed` passes it to that layer.
 *   - Any other setting has `.get`, and `.set` unless another command sets it.
 *
 * Invariants, which tests/unit/test_session_settings.c checks: the settings
 * that `set NAME VALUE` sets come first, sorted by name, and each has a
 * summary; the words of a choice are in the order of the enumeration that it
 * sets; `.initial` is a value that the setting may have. The entries that
 * follow are shown by `show`, and are set by the commands that they name.
 */
#include <stddef.h>
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/inside.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/ring.h"
#include "perftool/session/measurements.h"
#include "perftool/session/session_settings.h"
#include "session/names/names.h"
#include "settings.h"

#define FIELD(member)                                                          \
	.field = {offsetof(struct session, member),                            \
		  sizeof(((struct session *)NULL)->member)}
#define SWITCH .type = SETTING_SWITCH, .values = "on|off"
#define MILLIONTHS(number) ((int64_t)((number)*1e6))
#define LIMIT_TICKS(index)                                                     \
	.type = SETTING_DECIMAL, .values = "NUMBER", .most = MILLIONTHS(1e12), \
	FIELD(detail_limits[index])
#define LIMIT_SHARE(index)                                                     \
	.type = SETTING_DECIMAL, .values = "FRACTION", .most = MILLIONTHS(1),  \
	FIELD(detail_limits[index])
#define CHOICE(words) .type = SETTING_CHOICE, .values = (words)

/* ---- handing values to other layers ------------------------------------ */

static void change_affinity(struct session *session)
{
	probe_set_affinity(session->probe, session->affinity);
}

static void change_counting(struct session *session)
{
	probe_stops_changed(session->probe);
}

static void change_compensation(struct session *session)
{
	probe_stops_changed(session->probe);
	measure_set_compensation(session->measure, session->compensation);
	profile_set_compensation(session, session->compensation);
}

static void change_conditions(struct session *session)
{
	probe_set_conditions(session->probe, session->conditions);
}

static void change_cpu_time(struct session *session)
{
	probe_switches_changed(session->probe);
}

static void change_contention(struct session *session)
{
	recorded_watch_locks(session, session->contention);
}

static void change_detail(struct session *session)
{
	recorded_detail_set(session);
}

static void change_index_cache(struct session *session)
{
	probe_set_index_cache(session->probe, session->index_cache);
}

static void change_mechanism(struct session *session)
{
	probe_set_mechanism(session->probe, session->mechanism);
}

static void change_ordering(struct session *session)
{
	probe_set_ordering(session->probe, session->ordering);
}

static void change_ring_size(struct session *session)
{
	probe_set_ring_size(session->probe, RING_BYTES >> session->ring_size);
}

static void change_inside(struct session *session)
{
	measure_set_inside(session->measure, (size_t)session->inside);
	probe_stops_changed(session->probe);
}

/* `add leg` reads the default owner and match of a leg from the session when it
 * needs them. The measure layer has a copy of them for the legs that `add
 * successor` adds. */
static void change_successor_spec(struct session *session)
{
	measure_set_successor_spec(
		session->measure,
		&(struct leg_spec){.owner = session->owner,
				   .adapts = session->owner_adapts,
				   .match = session->match});
}

/* ---- values that are not in one member --------------------------------- */

/* The owners in the order of the words of `set owner`. The first word, auto,
 * means at first the owner thread; the tool may choose another owner when it
 * adds the leg. */
static const enum leg_owner owners[] = {OWNER_THREAD, OWNER_THREAD,
					OWNER_GOROUTINE, OWNER_LEG};

static int64_t get_owner(const struct session *session)
{
	int64_t index = 1;

	if (session->owner_adapts)
		return 0;
	while (owners[index] != session->owner)
		index++;
	return index;
}

static void set_owner(struct session *session, int64_t index)
{
	session->owner = owners[index];
	session->owner_adapts = index == 0;
}

static int64_t get_monitor(const struct session *session)
{
	return session_monitor_is_on(session);
}

static int64_t get_track(const struct session *session)
{
	return measure_track(session->measure);
}

static int64_t get_add(const struct session *session)
{
	return measure_add_successor(session->measure);
}

static void get_columns(struct session *session, struct str *out)
{
	str_append(out, session_columns(session));
}

static struct error *set_columns(struct session *session, const char *text)
{
	if (!str_equal(text, "auto") && !str_equal(text, "memo"))
		TRY(report_check_columns(text));
	free(session->columns);
	session->columns = xstrdup(text);
	return NULL;
}

static void get_root(struct session *session, struct str *out)
{
	str_append(out, context_root(session));
}

static void get_module(struct session *session, struct str *out)
{
	str_append(out, context_module(session));
}

static void get_clock(struct session *session, struct str *out)
{
	const char *remark = clock_remark(&session->clock);

	clock_settle(&session->clock);
	str_append(out, clock_source(&session->clock));
	if (remark)
		str_printf(out, " (%s)", remark);
	str_printf(out, ", resolution %.3g ns", session->clock.resolution);
}

/* ---- the table --------------------------------------------------------- */

const struct session_setting session_settings[] = {
	{.name = "affinity",
	 CHOICE("auto|on|off"),
	 .initial = AFFINITY_AUTO,
	 .summary = "keep tool and program on one CPU",
	 .help = "auto: while it has one thread, and until it asks for its "
		 "CPUs",
	 FIELD(affinity),
	 .changed = change_affinity},
	{.name = "columns",
	 .type = SETTING_TEXT,
	 .values = "auto|memo|NAME,NAME...",
	 .summary = "what a leg table shows: auto, memo, or columns by name",
	 .help = "auto: each leg's name and the most useful figures; memo: the "
		 "leg and node tables of the Mesa memo, and its form of times; "
		 "names: `help print legs' lists them",
	 .get_text = get_columns,
	 .set_text = set_columns},
	{.name = "compensation",
	 SWITCH,
	 .initial = true,
	 .summary = "subtract the tool's own cost from what is reported",
	 FIELD(compensation),
	 .needs_still = true,
	 .changed = change_compensation},
	{.name = "conditions",
	 CHOICE("auto|filter|name"),
	 .initial = CONDITIONS_AS_GIVEN,
	 .summary = "filter: a node counts only when its condition is true",
	 .help = "name: a condition only names the variable of a histogram; "
		 "auto: conditions of `attach condition' name a variable, as "
		 "in the Mesa memo, and all others filter",
	 FIELD(conditions),
	 .needs_still = true,
	 .changed = change_conditions},
	{.name = "contention",
	 SWITCH,
	 .initial = false,
	 .summary = "record who waits for which lock, and who holds it",
	 .help = "`print contention' shows it; a thread that finds a lock free "
		 "pays nothing for this",
	 .needs_still = true,
	 FIELD(contention),
	 .changed = change_contention},
	{.name = "counting",
	 CHOICE("auto|program|ring"),
	 .initial = COUNTING_AUTO,
	 .summary = "where hits of fast nodes become executions of a leg",
	 .help = "program: the program's threads match the hits and add up the "
		 "executions, of every leg that needs no more than that, which "
		 "costs far less where hits are frequent; ring: the threads "
		 "record each hit, and perftool counts; auto: program",
	 FIELD(counting),
	 .needs_still = true,
	 .changed = change_counting},
	{.name = "cpu-time",
	 CHOICE("auto|off"),
	 .initial = CPU_TIME_AUTO,
	 .summary =
		 "show in the leg table how much time was on a CPU and how "
		 "much was waiting, where the kernel reports context switches",
	 .help = "each context switch then costs the program one to two "
		 "microseconds more",
	 FIELD(cpu_time),
	 .changed = change_cpu_time},
	{.name = "detail",
	 CHOICE("off|auto"),
	 .initial = DETAIL_OFF,
	 .summary = "auto: functions that take much of the program's time get "
		    "nodes and legs by themselves, and lose them again",
	 .help = "perftool samples the program, and times the functions that "
		 "matter now as `time' does; `detail-cost' is what that may "
		 "cost; `show detail' says what it costs, and which functions "
		 "are called too often; what you have made yourself stays",
	 FIELD(detail),
	 .needs_still = true,
	 .describe = recorded_describe_detail,
	 .changed = change_detail},
	{.name = "detail-class-min-total",
	 LIMIT_TICKS(0),
	 .initial = MILLIONTHS(50),
	 .summary = "under `set detail auto', after how many ticks of the "
		    "program a class "
		    "can be detailed"},
	{.name = "detail-class-minimum",
	 LIMIT_TICKS(1),
	 .initial = MILLIONTHS(5),
	 .summary = "under `set detail auto', how many ticks a class needs to "
		    "be detailed"},
	{.name = "detail-class-stop-threshold",
	 LIMIT_SHARE(3),
	 .initial = MILLIONTHS(0.02),
	 .summary = "under `set detail auto', the share of the ticks below "
		    "which a class is "
		    "detailed no more"},
	{.name = "detail-class-threshold",
	 LIMIT_SHARE(2),
	 .initial = MILLIONTHS(0.05),
	 .summary = "under `set detail auto', the share of the ticks from "
		    "which a class is "
		    "detailed"},
	{.name = "detail-cost",
	 .type = SETTING_DECIMAL,
	 .values = "PERCENT",
	 .most = MILLIONTHS(1000),
	 .initial = MILLIONTHS(3),
	 .summary =
		 "by how many percent `set detail auto' may slow the program "
		 "down",
	 FIELD(detail_cost)},
	{.name = "detail-method-min-total",
	 LIMIT_TICKS(4),
	 .initial = MILLIONTHS(50),
	 .summary = "under `set detail auto', after how many ticks of the "
		    "program functions "
		    "can get nodes"},
	{.name = "detail-method-minimum",
	 LIMIT_TICKS(5),
	 .initial = MILLIONTHS(5),
	 .summary = "under `set detail auto', how many ticks a function needs "
		    "to get nodes"},
	{.name = "detail-method-stop-threshold",
	 LIMIT_SHARE(7),
	 .initial = MILLIONTHS(0.02),
	 .summary = "under `set detail auto', the share of the ticks below "
		    "which a function "
		    "loses its nodes"},
	{.name = "detail-method-threshold",
	 LIMIT_SHARE(6),
	 .initial = MILLIONTHS(0.05),
	 .summary = "under `set detail auto', the share of the ticks from "
		    "which a function "
		    "gets nodes"},
	/* A change of `ordering` changes the cost of a hit for all threads at
	 * once, so the program must stand still. */
	/* A change of exit-kill applies to the next run. */
	{.name = "exit-kill",
	 SWITCH,
	 .initial = true,
	 .summary = "if perftool is killed, the program that it started is "
		    "killed, too",
	 FIELD(exit_kill)},
	{.name = "format",
	 CHOICE("text|json|csv"),
	 .initial = FORMAT_TEXT,
	 .summary = "the form that tables are printed in",
	 FIELD(format)},
	{.name = "index-cache",
	 SWITCH,
	 .initial = true,
	 .summary = "keep the index of large debug information in a file for "
		    "the next start",
	 .help = "the files are in $XDG_CACHE_HOME/perftool, else in "
		 "~/.cache/perftool, and may be removed at any time",
	 FIELD(index_cache),
	 .changed = change_index_cache},
	{.name = "inside",
	 .type = SETTING_NUMBER,
	 .values = "NUMBER",
	 .most = LEG_SLOWEST,
	 .initial = 0,
	 .summary = "of how many slowest executions of each leg to keep what "
		    "other legs and nodes recorded during them",
	 .help = "`print slowest inside' shows it; perftool then counts each "
		 "hit from a record, as by `set counting ring'",
	 .needs_still = true,
	 FIELD(inside),
	 .changed = change_inside},
	{.name = "match",
	 CHOICE("last|first|nested|outermost"),
	 .initial = MATCH_LAST,
	 .summary = "how legs added from now on match their nodes",
	 FIELD(match),
	 .changed = change_successor_spec},
	{.name = "mechanism",
	 CHOICE("auto|int3|fast"),
	 .initial = DEFAULT_MECHANISM,
	 .summary =
		 "how places are watched: by a jump to code that records the "
		 "hit (fast) where that is possible, else by a stop (int3)",
	 .help = "`mechanism=' of a breakpoint overrides this",
	 FIELD(mechanism),
	 .needs_still = true,
	 .changed = change_mechanism},
	{.name = "ordering",
	 SWITCH,
	 .initial = true,
	 .summary = "a jump reads the clock only when all instructions before "
		    "it have finished",
	 .help = "off: a jump costs half as much, but instructions before it "
		 "that still wait for memory or for a result are timed with "
		 "the code after it",
	 .needs_still = true,
	 FIELD(ordering),
	 .changed = change_ordering},
	{.name = "owner",
	 CHOICE("auto|thread|goroutine|leg"),
	 .initial = 0,
	 .summary = "who owns the legs added from now on",
	 .help = "auto: the goroutine in a Go program, elsewhere the thread",
	 .get = get_owner,
	 .set = set_owner,
	 .changed = change_successor_spec},
	{.name = "pending",
	 CHOICE("auto|on"),
	 .initial = false,
	 .summary = "whether to keep names that neither the program nor its "
		    "libraries have",
	 .help = "on: perftool keeps them for what is loaded later; auto: "
		 "perftool asks at a terminal, elsewhere they are an error "
		 "(`--pending' means on)",
	 FIELD(pending)},
	{.name = "ring-size",
	 CHOICE("1M|512K|256K|128K|64K"),
	 .initial = 0,
	 .summary = "how much memory a thread of the program may have for "
		    "records of jumps",
	 .help = "a thread that has filled it waits until perftool has read "
		 "the records",
	 FIELD(ring_size),
	 .changed = change_ring_size},

	{.name = "stacks",
	 CHOICE("off|slowest"),
	 .initial = STACKS_OFF,
	 .summary = "slowest: keep the callers and the arguments of the "
		    "slowest executions, as they were at the start",
	 .help = "`print slowest' shows them; the nodes at which legs begin "
		 "are int3s then",
	 .needs_still = true,
	 FIELD(stacks),
	 .changed = change_counting},

	/* The settings that other commands set. */
	{.name = "follow fork",
	 SWITCH,
	 .initial = true,
	 .set_by = "set follow",
	 FIELD(follow_fork)},
	{.name = "follow exec",
	 SWITCH,
	 .initial = true,
	 .set_by = "set follow",
	 FIELD(follow_exec)},
	{.name = "monitor", SWITCH, .set_by = "monitor", .get = get_monitor},
	{.name = "track",
	 CHOICE("none|successor|all"),
	 .initial = TRACK_ALL,
	 .set_by = "track",
	 .get = get_track},
	{.name = "add",
	 CHOICE("none|successor"),
	 .set_by = "add successor",
	 .get = get_add},
	{.name = "process",
	 .type = SETTING_NUMBER,
	 .most = INT32_MAX,
	 .zero = "all",
	 .set_by = "set process",
	 FIELD(tracked_pid)},
	{.name = "thread",
	 .type = SETTING_NUMBER,
	 .most = INT32_MAX,
	 .zero = "all",
	 .set_by = "set thread",
	 FIELD(tracked_tid)},
	{.name = "root",
	 .type = SETTING_TEXT,
	 .set_by = "set root configuration",
	 .get_text = get_root},
	{.name = "module",
	 .type = SETTING_TEXT,
	 .set_by = "set module context",
	 .get_text = get_module},
	/* The tool itself chooses the clock. The tables describe the clock in
	 * an object of its own, so the list of settings leaves it out. */
	{.name = "clock",
	 .type = SETTING_TEXT,
	 .set_by = "",
	 .is_left_out = true,
	 .get_text = get_clock},
	{.name = NULL},
};

const char *session_columns(const struct session *session)
{
	return session->columns ? session->columns : "auto";
}

enum report_format session_format(const struct session *session)
{
	return session->format;
}
