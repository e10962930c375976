/*
 * settings.c - what `set` and `show` know
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "perftool/ring.h"

const struct session_setting session_settings[] = {
	{"affinity", "auto|on|off",
	 "keep tool and program on one CPU; auto: while it has one thread"},
	{"columns", "auto|memo",
	 "what a leg table shows: each leg's name and the figures that tell "
	 "most, or the memo's columns and ours behind them"},
	{"compensation", "on|off",
	 "take the tool's own cost out of what is reported"},
	{"conditions", "auto|filter|name",
	 "filter: a node counts only when its condition is true; name: the "
	 "condition only names the histogram variable; auto: those of `attach "
	 "condition' name, as in the Mesa memo, and all others filter"},
	{"cpu-time", "auto|off",
	 "tell time on a CPU from waiting, in the leg table, where the kernel "
	 "tells of context switches; each costs the program a microsecond or "
	 "two more then"},
	{"exit-kill", "on|off",
	 "a program that is run dies with perftool, should that be killed"},
	{"format", "text|json|csv", "the form that tables are printed in"},
	{"match", "last|first|nested|outermost",
	 "how legs added from now on match their nodes"},
	{"mechanism", "auto|int3|fast",
	 "how places are watched: by a jump to code that records the hit "
	 "(fast) where that can be, else by a stop (int3); `mechanism=' of a "
	 "breakpoint comes before"},
	{"ordering", "on|off",
	 "a jump notes the time when all that stands before it has been done; "
	 "off: it costs half as much, but what then still waits for memory or "
	 "for a result is timed with what comes next"},
	{"owner", "auto|thread|goroutine|leg",
	 "who holds the legs added from now on; auto: the goroutine in a Go "
	 "program, elsewhere the thread"},
	{"ring-size", "1M|512K|256K|128K|64K",
	 "how much memory a thread of the program may have for records of "
	 "jumps; one that fills it waits for perftool to read them"},
	{NULL, NULL, NULL},
};

/* Which of the `|`-separated values it is; -1: none of them. */
static int index_of(const char *values, const char *value)
{
	size_t length = strlen(value);

	for (int i = 0; *values; i++) {
		size_t span = strcspn(values, "|");

		if (span == length && strncmp(values, value, length) == 0)
			return i;
		values += span + (values[span] == '|');
	}
	return -1;
}

struct error *find_mechanism(const char *name, enum mechanism *out)
{
	static const char names[] = "auto|int3|fast";
	int index = index_of(names, name);

	if (index < 0)
		return error_create(ERROR_USAGE,
				    "mechanism is one of %s, not '%s'", names,
				    name);
	*out = (enum mechanism)index;
	return NULL;
}

static const enum leg_owner owners[] = {OWNER_THREAD, OWNER_THREAD,
					OWNER_GOROUTINE, OWNER_LEG};

static int owner_index(const struct session *session)
{
	int index = 1;

	if (session->owner_adapts)
		return 0;
	while (owners[index] != session->owner)
		index++;
	return index;
}

/* Of those that are added from now on, and that `add successor` enters. */
static void apply_to_legs(struct session *session, const char *name, int index)
{
	if (str_equal(name, "match")) {
		session->match = (enum leg_match)index;
	} else {
		session->owner = owners[index];
		session->owner_adapts = index == 0;
	}
	measure_set_successor_spec(
		session->measure,
		&(struct leg_spec){.owner = session->owner,
				   .adapts = session->owner_adapts,
				   .match = session->match});
}

static int *current(struct session *session, const char *name, int *place)
{
	if (str_equal(name, "affinity"))
		*place = (int)session->affinity;
	else if (str_equal(name, "compensation"))
		*place = !session->compensation;
	else if (str_equal(name, "columns"))
		*place = session->memo_columns;
	else if (str_equal(name, "conditions"))
		*place = (int)session->conditions;
	else if (str_equal(name, "cpu-time"))
		*place = !session->cpu_time;
	else if (str_equal(name, "exit-kill"))
		*place = !session->exit_kill;
	else if (str_equal(name, "format"))
		*place = (int)session->format;
	else if (str_equal(name, "match"))
		*place = (int)session->match;
	else if (str_equal(name, "mechanism"))
		*place = (int)session->mechanism;
	else if (str_equal(name, "ordering"))
		*place = !session->ordering;
	else if (str_equal(name, "ring-size"))
		*place = session->ring_size;
	else
		*place = owner_index(session);
	return place;
}

static void apply(struct session *session, const char *name, int index)
{
	if (str_equal(name, "affinity")) {
		session->affinity = (enum affinity)index;
		probe_set_affinity(session->probe, session->affinity);
	} else if (str_equal(name, "compensation")) {
		session->compensation = index == 0;
		measure_set_compensation(session->measure,
					 session->compensation);
	} else if (str_equal(name, "columns")) {
		session->memo_columns = index == 1;
	} else if (str_equal(name, "conditions")) {
		session->conditions = (enum condition_meaning)index;
		probe_set_conditions(session->probe, session->conditions);
	} else if (str_equal(name, "cpu-time")) {
		session->cpu_time = index == 0;
		probe_switches_changed(session->probe);
	} else if (str_equal(name, "exit-kill")) {
		/* for the next run */
		session->exit_kill = index == 0;
	} else if (str_equal(name, "mechanism")) {
		session->mechanism = (enum mechanism)index;
		probe_set_mechanism(session->probe, session->mechanism);
	} else if (str_equal(name, "ordering")) {
		session->ordering = index == 0;
		probe_set_ordering(session->probe, session->ordering);
	} else if (str_equal(name, "ring-size")) {
		session->ring_size = index;
		probe_set_ring_size(session->probe, RING_BYTES >> index);
	} else if (str_equal(name, "format")) {
		session->format = (enum report_format)index;
	} else {
		apply_to_legs(session, name, index);
	}
}

static const struct session_setting *find(const char *name)
{
	for (const struct session_setting *at = session_settings; at->name;
	     at++)
		if (str_equal(at->name, name))
			return at;
	return NULL;
}

struct error *session_set(struct session *session, const char *name,
			  const char *value)
{
	const struct session_setting *setting = find(name);
	int index;

	if (!setting)
		return error_create(ERROR_USAGE, "no setting '%s'", name);
	index = index_of(setting->values, value);
	if (index < 0)
		return error_create(ERROR_USAGE, "%s is one of %s, not '%s'",
				    name, setting->values, value);
	if (str_equal(name, "ordering"))
		/* what a hit costs changes for all at once */
		TRY(stand_still(session));
	apply(session, name, index);
	return NULL;
}

static void show_setting(struct session *session,
			 const struct session_setting *setting, struct str *out)
{
	const char *value = setting->values;
	int index;

	for (current(session, setting->name, &index); index > 0; index--)
		value += strcspn(value, "|") + 1;
	str_printf(out, "%-14s%.*s\n", setting->name, (int)strcspn(value, "|"),
		   value);
}

static void show_clock(struct session *session, struct str *out)
{
	const char *remark = clock_remark(&session->clock);

	clock_settle(&session->clock);
	str_printf(out, "%-14s%s", "clock", clock_source(&session->clock));
	if (remark)
		str_printf(out, " (%s)", remark);
	str_printf(out, ", resolution %.3g ns\n", session->clock.resolution);
}

static void show_follow(struct session *session, struct str *out)
{
	str_printf(out, "%-14s%s\n", "follow fork",
		   session->follow_fork ? "on" : "off");
	str_printf(out, "%-14s%s\n", "follow exec",
		   session->follow_exec ? "on" : "off");
}

static void show_modes(struct session *session, struct str *out)
{
	static const char *const tracks[] = {"none", "successor", "all"};

	str_printf(out, "%-14s%s\n", "monitor",
		   session_monitor_is_on(session) ? "on" : "off");
	str_printf(out, "%-14s%s\n", "track",
		   tracks[measure_track(session->measure)]);
	str_printf(out, "%-14s%s\n", "add",
		   measure_add_successor(session->measure) ? "successor"
							   : "none");
	if (session->tracked_tid)
		str_printf(out, "%-14s%d\n", "thread", session->tracked_tid);
	else if (session->tracked_pid)
		str_printf(out, "%-14s%d\n", "process", session->tracked_pid);
	else
		str_printf(out, "%-14s%s\n", "process", "all");
}

struct error *session_show(struct session *session, const char *name,
			   struct str *out)
{
	const struct session_setting *setting = name ? find(name) : NULL;

	if (setting) {
		show_setting(session, setting, out);
	} else if (name && str_equal(name, "clock")) {
		show_clock(session, out);
	} else if (name && str_starts(name, "follow")) {
		show_follow(session, out);
	} else if (name &&
		   (str_equal(name, "monitor") || str_equal(name, "track") ||
		    str_equal(name, "add") || str_equal(name, "process"))) {
		show_modes(session, out);
	} else if (name && (str_starts_nocase("root configuration", name) ||
			    str_starts_nocase("module context", name))) {
		show_context(session, out);
	} else if (name) {
		return error_create(ERROR_USAGE, "no setting '%s'", name);
	} else {
		for (setting = session_settings; setting->name; setting++)
			show_setting(session, setting, out);
		show_follow(session, out);
		show_modes(session, out);
		show_context(session, out);
		show_clock(session, out);
	}
	return NULL;
}

bool session_memo_columns(const struct session *session)
{
	return session->memo_columns;
}

enum report_format session_format(const struct session *session)
{
	return session->format;
}
