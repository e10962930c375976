/*
 * tables.c - makes the tables: what the session knows, as data for the report
 * layer
 */
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/rank.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/session/measurements.h"
#include "perftool/session/session_settings.h"
#include "perftool/session/user_interface.h"
#include "session/requests/requests.h"
#include "session/settings/settings.h"
#include "tables.h"

/* Keeps a string until the session makes the next tables. */
static const char *keep(struct session *session, char *text)
{
	vec_push(&session->report_strings, text);
	return text;
}

static const char *keep_text(struct session *session, struct str *text)
{
	return keep(session, str_take(text));
}

static void fill_places(struct session *session,
			const struct breakpoint *breakpoint,
			struct report_node *row)
{
	const struct place_list *places = breakpoint_facts(breakpoint).places;
	const struct place *first;
	uint64_t *addresses;
	char *function;

	if (!places->count)
		return;
	first = &places->data[0];
	addresses = xcalloc(places->count, sizeof(*addresses));
	vec_push(&session->report_addresses, addresses);
	for (size_t i = 0; i < places->count; i++)
		addresses[i] = places->data[i].address;
	row->addresses = addresses;
	row->address_count = places->count;
	row->file = first->file;
	row->line = first->line;
	function = place_function(first);
	if (function)
		row->function = keep(session, function);
	if (first->module) {
		row->module = module_name(first->module);
		row->load_bias = module_bias(first->module);
	}
}

/* Describes the mechanisms, int3 or jump, that have made the node's hits, at
 * its present places and at its earlier places; or else that it is watched. */
static void fill_mechanism(const struct breakpoint *breakpoint,
			   struct report_node *row)
{
	const struct breakpoint_facts facts = breakpoint_facts(breakpoint);
	bool fast = facts.fast || facts.was_fast;
	bool int3 = facts.int3 || facts.was_int3;

	if (facts.kind == REQUEST_WATCH) {
		row->mechanism = "debug register";
		return;
	}
	row->mechanism = !fast ? "int3" : int3 ? "fast, int3" : "fast";
	if (facts.int3)
		row->int3_reason = facts.slow;
	if (facts.was_int3 && !row->int3_reason)
		row->int3_reason = facts.was_slow;
}

static void fill_nodes(struct session *session)
{
	const struct measure_node *node;

	for (size_t i = 0; (node = measure_node_at(session->measure, i)); i++) {
		struct breakpoint *breakpoint =
			probe_find_any(session->probe, node->id);
		struct report_node row = {.stats = node};
		struct str place = {0};

		if (breakpoint) {
			row.kind = breakpoint_kind(breakpoint);
			row.location =
				breakpoint_facts(breakpoint).location->text;
			fill_mechanism(breakpoint, &row);
			if (breakpoint_facts(breakpoint).condition)
				row.condition = expr_text(
					breakpoint_facts(breakpoint).condition);
			row.only_names =
				condition_only_names(session, breakpoint);
			fill_places(session, breakpoint, &row);
		}
		if (node_place(session, node->id, &place))
			row.place = keep_text(session, &place);
		row.by_text = node_split_text(session, node);
		if (recorded_made_node(session, node->id, &row.is_out))
			row.made_by = "detail";
		vec_push(&session->report_nodes, row);
	}
}

/* ---- legs -------------------------------------------------------------- */

static void fill_name(struct session *session, struct report_leg *row)
{
	const struct leg_spec *spec = &row->stats->spec;
	struct str name = {0}, place = {0};

	leg_name(session, row->stats, &name);
	row->name = keep_text(session, &name);
	if (node_place(session, spec->from, &place))
		row->from_place = keep_text(session, &place);
	if (node_place(session, spec->to, &place))
		row->to_place = keep_text(session, &place);
}

void set_stats(const struct session *session, struct report_leg *row,
	       const struct measure_leg *stats)
{
	row->stats = stats;
	row->resolution = measure_leg_resolution(session->measure, stats);
	row->below_resolution =
		measure_leg_below_resolution(session->measure, stats);
}

static void fill_legs(struct session *session)
{
	const struct measure_leg *leg;

	for (size_t i = 0; (leg = measure_leg_at(session->measure, i)); i++) {
		struct report_leg row = {0};

		set_stats(session, &row, leg);
		if (leg->id < session->key_texts.count)
			row.key_text = session->key_texts.data[leg->id];
		fill_name(session, &row);
		row.by_text = leg_split_text(session, leg);
		if (recorded_made_leg(session, leg->id))
			row.made_by = "detail";
		vec_push(&session->report_legs, row);
	}
}

static void fill_args(struct session *session, const struct string_list *args,
		      struct report_program *program)
{
	for (size_t i = 0; i < args->count; i++)
		vec_push(&session->report_args, args->data[i]);
	vec_push(&session->report_args, NULL);
	program->args = session->report_args.data;
}

/* Describes how the program was called: the program that was run last, or else
 * the program that `run` would run. */
static void fill_call(struct session *session, struct report_program *program)
{
	const struct last_run *run = &session->last_run;

	if (run->is_known) {
		program->path = run->path;
		program->build_id = run->build_id;
		if (run->has_args)
			fill_args(session, &run->args, program);
	} else if (session->program) {
		program->path = keep(session, program_path(session));
		program->build_id = program_build_id(session);
		fill_args(session, &session->args, program);
	}
}

static void fill_program(struct session *session, struct tables *tables)
{
	struct report_program *program = &tables->program;

	fill_call(session, program);
	program->pid = session->last_pid;
	program->exit_status = -1;
	if (session->process) {
		program->state =
			session_runs_on(session) ? "running" : "stopped";
	} else if (session->main_state == MAIN_LEFT) {
		program->state = "detached";
	} else if (session->main_state == MAIN_ENDED) {
		program->state = session->end.reason == STOP_EXITED
					 ? "exited"
					 : "signaled";
		if (session->end.reason == STOP_EXITED)
			program->exit_status = session->end.status;
		else
			program->exit_signal = session->end.signal;
	}
}

/* ---- where and when ---------------------------------------------------- */

/* Returns the time as text, or NULL if the time is not known. */
static const char *keep_time(struct session *session, struct timespec time)
{
	struct str text = {0};

	if (!time.tv_sec)
		return NULL;
	host_time_text(time, &text);
	return keep_text(session, &text);
}

static int64_t rank_of_session(const struct session *session)
{
	return session->last_pid ? session->last_rank : rank_of_tool();
}

static const struct host *host_of(struct session *session)
{
	if (!session->knows_host)
		host_read(&session->host);
	session->knows_host = true;
	return &session->host;
}

void session_name_parts(struct session *session, struct name_parts *out)
{
	*out = (struct name_parts){.pid = session->last_pid,
				   .host = host_of(session)->name,
				   .rank = rank_of_session(session)};
}

static void fill_surroundings(struct session *session, struct tables *tables)
{
	host_of(session);
	tables->host = session->host.name;
	tables->kernel = session->host.kernel;
	tables->cpu = session->host.cpu;
	tables->rank = rank_of_session(session);
	tables->has_rank = tables->rank != RANK_NONE;
	tables->at = keep_time(session, host_time());
	tables->started = keep_time(session, session->last_run.started);
	tables->ended = keep_time(session, session->last_run.ended);
}

static void fill_settings(struct session *session, struct tables *tables)
{
	for (const struct session_setting *at = session_settings; at->name;
	     at++) {
		struct report_setting setting = {.name = at->name};
		struct str value = {0};

		if (at->is_left_out)
			continue;
		setting_value(session, at, &value);
		setting.value = keep_text(session, &value);
		vec_push(&session->report_settings, setting);
	}
	tables->settings = session->report_settings.data;
	tables->setting_count = session->report_settings.count;
	tables->is_untracked = measure_track(session->measure) == TRACK_NONE;
}

static void forget_last(struct session *session)
{
	vec_clear(&session->report_nodes);
	vec_clear(&session->report_legs);
	vec_clear(&session->report_shares);
	vec_clear(&session->report_args);
	vec_clear(&session->report_settings);
	for (size_t i = 0; i < session->report_addresses.count; i++)
		free(session->report_addresses.data[i]);
	vec_clear(&session->report_addresses);
	string_list_clear(&session->report_strings);
}

/* Describes which CPUs the tool has chosen for itself and for the program. If
 * only one CPU may be used, the tool has chosen nothing, and the text says so.
 */
static const char *placement(const struct session *session)
{
	const char *text = probe_placement(session->probe);

	return text && session->shares_cpu ? "tool and program on one CPU, the "
					     "only one they may use"
					   : text;
}

static const char *cpu_problem(const struct session *session)
{
	return session->cpu_time == CPU_TIME_OFF
		       ? "set cpu-time is off"
		       : probe_switches_problem(session->probe);
}

/* Returns the function that the report layer calls to learn whether the user
 * wants to end its work. In the event loop there is no such function: a user
 * who interrupts there wants to end the measurement, and not the tables that
 * are written during it. */
static struct interrupt report_interrupt(const struct session *session)
{
	const struct session_ui *ui = &session->ui;

	if (session->in_loop)
		return (struct interrupt){0};
	return (struct interrupt){ui->interrupting, ui->context};
}

static void make_tables(struct session *session, uint64_t now)
{
	struct tables *tables = &session->tables;
	size_t process_count;

	clock_settle(&session->clock);
	/* A mean of many readings is better than the step of the counter. */
	measure_set_clock_resolution(session->measure,
				     session->clock.tsc
					     ? clock_tick(&session->clock)
					     : session->clock.resolution);
	forget_last(session);
	fill_nodes(session);
	fill_legs(session);
	process_count = fill_shares(session);
	*tables = (struct tables){.version = PERFTOOL_VERSION,
				  .clock_source = clock_source(&session->clock),
				  .clock_remark = clock_remark(&session->clock),
				  .clock_resolution = session->clock.resolution,
				  .placement = placement(session),
				  .cpu_problem = cpu_problem(session),
				  .nodes = session->report_nodes.data,
				  .node_count = session->report_nodes.count,
				  .legs = session->report_legs.data,
				  .leg_count = session->report_legs.count,
				  .process_count = process_count,
				  .detail = recorded_detail(session),
				  .interrupt = report_interrupt(session)};
	fill_program(session, tables);
	fill_surroundings(session, tables);
	fill_settings(session, tables);
	tables->cost_factor =
		probe_cost_in_run(session->probe, &tables->cost_samples);
	measure_get_summary(session->measure, now, &tables->summary);
}

const struct tables *session_tables(struct session *session)
{
	/* The tables count all hits that fast nodes have recorded so far. */
	probe_catch_up(session->probe);
	make_tables(session, clock_now(&session->clock));
	leave_out_empty(session);
	return &session->tables;
}

/* ---- since the last time ----------------------------------------------- */

void session_count_intervals(struct session *session)
{
	measure_count_intervals(session->measure);
}

/* Replaces the counts in the rows of legs and nodes, which are those of the
 * whole measurement, by the counts of the interval. */
static void replace_stats(struct session *session)
{
	const struct measure_interval *interval = &session->interval;

	/* replace_shares() comes first: it compares the shares with the legs
	 * that the rows show now. */
	replace_shares(session);
	for (size_t i = 0; i < interval->nodes.count; i++)
		session->report_nodes.data[i].stats = &interval->nodes.data[i];
	for (size_t i = 0; i < interval->legs.count; i++)
		set_stats(session, &session->report_legs.data[i],
			  &interval->legs.data[i]);
}

const struct tables *session_tables_since_last(struct session *session)
{
	uint64_t now, elapsed;

	probe_catch_up(session->probe);
	now = clock_now(&session->clock);
	make_tables(session, now);
	measure_interval_deinit(&session->interval);
	measure_since_last(session->measure, now, &session->interval);
	replace_stats(session);
	leave_out_empty(session);
	elapsed = session->tables.summary.elapsed;
	session->tables.summary = session->interval.summary;
	session->report_interval = (struct report_interval){
		.from = elapsed - session->interval.summary.elapsed,
		.to = elapsed};
	session->tables.interval = &session->report_interval;
	return &session->tables;
}

static int longer_first(const void *a, const void *b)
{
	const struct execution *x = a, *y = b;

	return x->duration < y->duration   ? 1
	       : x->duration > y->duration ? -1
					   : 0;
}

/* Lists the executions that are kept of a leg, or of all legs: all of them, the
 * longest first. */
static struct error *list_slowest(struct session *session, int64_t leg,
				  struct execution_list *out, bool *added_up)
{
	const struct measure_leg *at;
	bool found = false;

	*out = (struct execution_list){0};
	*added_up = false;
	probe_catch_up(session->probe);
	for (size_t i = 0; (at = measure_leg_at(session->measure, i)); i++) {
		if (leg >= 0 && at->id != (uint64_t)leg)
			continue;
		found = true;
		*added_up |= at->added_up != 0;
		for (size_t j = 0; j < at->slowest.count; j++)
			vec_push(out, at->slowest.data[j]);
	}
	if (!found && leg >= 0)
		return error_create(ERROR_NOT_FOUND, "there is no leg %lld",
				    (long long)leg);
	if (out->count)
		qsort(out->data, out->count, sizeof(*out->data), longer_first);
	return NULL;
}

struct error *session_slowest(struct session *session, int64_t leg, size_t max,
			      struct execution_list *out, bool *added_up)
{
	TRY(list_slowest(session, leg, out, added_up));
	if (out->count > max)
		out->count = max;
	return NULL;
}

struct error *session_slowest_inside(struct session *session, int64_t leg,
				     size_t max, struct execution_list *out)
{
	size_t count = 0;
	bool added_up;

	TRY(list_slowest(session, leg, out, &added_up));
	for (size_t i = 0; i < out->count; i++)
		if (out->data[i].inside && count < max)
			out->data[count++] = out->data[i];
	out->count = count;
	if (count || session->inside)
		return NULL;
	vec_free(out);
	return error_create(
		ERROR_NOT_FOUND,
		"nothing was kept of what is inside executions; `set inside 3' "
		"keeps it, from then on, of the 3 slowest of each leg");
}
