/*
 * settings.c - what `set` and `show` know
 */
#include <stdlib.h>
#include <string.h>

#include "perftool/ring.h"
#include "session_state.h"

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
	{"pending", "auto|on",
	 "names that neither the program nor its libraries have; on: they are "
	 "kept for what is loaded later; auto: you are asked at a terminal, "
	 "elsewhere they are an error (`--pending' is on)"},
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
	else if (str_equal(name, "pending"))
		*place = session->pending;
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
	} else if (str_equal(name, "pending")) {
		session->pending = index == 1;
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

/* ---- showing them ---------------------------------------------------------
 */

/* What other commands than `set NAME VALUE' have chosen. */
static const char *const chosen[] = {"follow fork", "follow exec", "monitor",
				     "track",       "add",         "process",
				     "thread",      "root",        "module"};

static const char *on_or_off(bool on)
{
	return on ? "on" : "off";
}

static void number_or_all(int32_t number, struct str *out)
{
	if (number)
		str_printf(out, "%d", number);
	else
		str_append(out, "all");
}

static void chosen_value(const struct session *session, const char *name,
			 struct str *out)
{
	static const char *const tracks[] = {"none", "successor", "all"};

	if (str_equal(name, "follow fork"))
		str_append(out, on_or_off(session->follow_fork));
	else if (str_equal(name, "follow exec"))
		str_append(out, on_or_off(session->follow_exec));
	else if (str_equal(name, "monitor"))
		str_append(out, on_or_off(session_monitor_is_on(session)));
	else if (str_equal(name, "track"))
		str_append(out, tracks[measure_track(session->measure)]);
	else if (str_equal(name, "add"))
		str_append(out, measure_add_successor(session->measure)
					? "successor"
					: "none");
	else if (str_equal(name, "process"))
		number_or_all(session->tracked_pid, out);
	else if (str_equal(name, "thread"))
		number_or_all(session->tracked_tid, out);
	else if (str_equal(name, "root"))
		str_append(out, context_root(session));
	else
		str_append(out, context_module(session));
}

static void table_value(struct session *session,
			const struct session_setting *setting, struct str *out)
{
	const char *value = setting->values;
	int index;

	for (current(session, setting->name, &index); index > 0; index--)
		value += strcspn(value, "|") + 1;
	str_append_n(out, value, strcspn(value, "|"));
}

const char *setting_at(struct session *session, size_t index, struct str *value)
{
	const size_t in_table =
		sizeof(session_settings) / sizeof(*session_settings) - 1;

	if (index < in_table) {
		table_value(session, &session_settings[index], value);
		return session_settings[index].name;
	}
	index -= in_table;
	if (index >= sizeof(chosen) / sizeof(*chosen))
		return NULL;
	chosen_value(session, chosen[index], value);
	return chosen[index];
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

/* "follow" means "follow fork" and "follow exec"; the memo's two names have a
 * second word, in any case: "root configuration" means "root". NULL means all.
 */
static bool is_meant(const char *asked, const char *name)
{
	size_t length = asked ? strlen(asked) : 0;

	if (!asked || (strncmp(name, asked, length) == 0 &&
		       (!name[length] || name[length] == ' ')))
		return true;
	return (str_equal(name, "root") &&
		str_starts_nocase("root configuration", asked)) ||
	       (str_equal(name, "module") &&
		str_starts_nocase("module context", asked));
}

struct error *session_show(struct session *session, const char *name,
			   struct str *out)
{
	struct str value = {0};
	bool is_shown = false;
	const char *at;

	for (size_t i = 0; (at = setting_at(session, i, &value)); i++) {
		if (is_meant(name, at)) {
			str_printf(out, "%-14s%s\n", at, str_text(&value));
			is_shown = true;
		}
		str_deinit(&value);
	}
	if (is_meant(name, "clock"))
		show_clock(session, out);
	else if (!is_shown)
		return error_create(ERROR_USAGE, "no setting '%s'", name);
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
