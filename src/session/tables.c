/*
 * tables.c - what the session knows, as data for the report layer
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "internal.h"
#include "perftool/base/alloc.h"

/* A string that lives until the next tables are made. */
static const char *keep(struct session *session, char *text)
{
	vec_push(&session->report_strings, text);
	return text;
}

static void fill_places(struct session *session,
			const struct breakpoint *breakpoint,
			struct report_node *row)
{
	const struct place_list *places = &breakpoint->places;
	const struct place *first = &places->data[0];
	uint64_t *addresses;
	char *function;

	if (!places->count)
		return;
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

/* What its hits were made by: those where it is now, and those where it was. */
static void fill_mechanism(const struct breakpoint *breakpoint,
			   struct report_node *row)
{
	bool fast = breakpoint->fast || breakpoint->was_fast;
	bool int3 = breakpoint->int3 || breakpoint->was_int3;

	row->mechanism = !fast ? "int3" : int3 ? "fast, int3" : "fast";
	if (breakpoint->int3)
		row->int3_reason = breakpoint->slow;
	if (breakpoint->was_int3 && !row->int3_reason)
		row->int3_reason = breakpoint->was_slow;
}

/* Does its condition filter nothing? */
static bool only_names(const struct session *session,
		       const struct breakpoint *breakpoint)
{
	return session->conditions == CONDITIONS_NAME ||
	       (session->conditions == CONDITIONS_AS_GIVEN &&
		breakpoint->only_names);
}

static void fill_nodes(struct session *session)
{
	const struct measure_node *node;

	for (size_t i = 0; (node = measure_node_at(session->measure, i)); i++) {
		struct breakpoint *breakpoint =
			probe_find_any(session->probe, node->id);
		struct report_node row = {.stats = node};

		if (breakpoint) {
			row.kind = breakpoint_kind(breakpoint);
			row.location = breakpoint->location.text;
			fill_mechanism(breakpoint, &row);
			if (breakpoint->condition)
				row.condition =
					expr_text(breakpoint->condition);
			row.only_names = breakpoint->value &&
					 only_names(session, breakpoint);
			fill_places(session, breakpoint, &row);
		}
		row.by_text = node_split_text(session, node);
		vec_push(&session->report_nodes, row);
	}
}

/* ---- legs ------------------------------------------------------------------
 */

static const char *keep_text(struct session *session, struct str *text)
{
	return keep(session, str_take(text));
}

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

static void fill_legs(struct session *session)
{
	const struct measure_leg *leg;

	for (size_t i = 0; (leg = measure_leg_at(session->measure, i)); i++) {
		struct report_leg row = {
			.stats = leg,
			.resolution =
				measure_leg_resolution(session->measure, leg),
			.below_resolution = measure_leg_below_resolution(
				session->measure, leg)};

		if (leg->id < session->key_texts.count)
			row.key_text = session->key_texts.data[leg->id];
		fill_name(session, &row);
		row.by_text = leg_split_text(session, leg);
		vec_push(&session->report_legs, row);
	}
}

static void fill_program(struct session *session, struct tables *tables)
{
	struct report_program *program = &tables->program;

	const struct string_list *args =
		session->run_program ? &session->run_args : &session->args;

	program->path =
		session->run_program ? session->run_program : session->program;
	for (size_t i = 0; i < args->count; i++)
		vec_push(&session->report_args, args->data[i]);
	vec_push(&session->report_args, NULL);
	program->args = session->report_args.data;
	program->pid = session->last_pid;
	program->exit_status = -1;
	if (session->process) {
		program->state =
			session_runs_on(session) ? "running" : "stopped";
	} else if (session->detached) {
		program->state = "detached";
	} else if (session->has_end) {
		program->state = session->end.reason == STOP_EXITED
					 ? "exited"
					 : "signaled";
		if (session->end.reason == STOP_EXITED)
			program->exit_status = session->end.status;
		else
			program->exit_signal = session->end.signal;
	}
}

static void forget_last(struct session *session)
{
	vec_clear(&session->report_nodes);
	vec_clear(&session->report_legs);
	vec_clear(&session->report_args);
	for (size_t i = 0; i < session->report_addresses.count; i++)
		free(session->report_addresses.data[i]);
	vec_clear(&session->report_addresses);
	string_list_clear(&session->report_strings);
}

/* Nothing was done where there is but one CPU to be on. */
static const char *placement(const struct session *session)
{
	const char *text = probe_placement(session->probe);

	return text && session->shares_cpu ? "tool and program on one CPU, the "
					     "only one they may use"
					   : text;
}

static const char *cpu_problem(const struct session *session)
{
	return session->cpu_time ? probe_switches_problem(session->probe)
				 : "set cpu-time is off";
}

/* ISO 8601: "2024-02-29T23:59:59.001+05:30". */
static char *local_time(void)
{
	char date[32], zone[8] = "+0000";
	struct timespec now;
	struct tm parts;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &parts);
	strftime(date, sizeof(date), "%FT%T", &parts);
	strftime(zone, sizeof(zone), "%z", &parts);
	return xasprintf("%s.%03d%.3s:%.2s", date, (int)(now.tv_nsec / 1000000),
			 zone, zone + 3);
}

/* All that was told of is counted. */
static void make_tables(struct session *session, uint64_t now)
{
	struct tables *tables = &session->tables;

	clock_settle(&session->clock);
	measure_set_clock_resolution(session->measure,
				     session->clock.resolution);
	forget_last(session);
	fill_nodes(session);
	fill_legs(session);
	*tables = (struct tables){.version = PERFTOOL_VERSION,
				  .at = keep(session, local_time()),
				  .clock_source = clock_source(&session->clock),
				  .clock_remark = clock_remark(&session->clock),
				  .clock_resolution = session->clock.resolution,
				  .placement = placement(session),
				  .cpu_problem = cpu_problem(session),
				  .nodes = session->report_nodes.data,
				  .node_count = session->report_nodes.count,
				  .legs = session->report_legs.data,
				  .leg_count = session->report_legs.count};
	fill_program(session, tables);
	measure_get_summary(session->measure, now, &tables->summary);
}

const struct tables *session_tables(struct session *session)
{
	probe_catch_up(session->probe);
	make_tables(session, clock_now(&session->clock));
	return &session->tables;
}

/* ---- since the last time ---------------------------------------------------
 */

void session_count_intervals(struct session *session)
{
	measure_count_intervals(session->measure);
}

/* The rows, which are those of the whole, tell of the interval. */
static void replace_stats(struct session *session)
{
	const struct measure_interval *interval = &session->interval;

	for (size_t i = 0; i < interval->nodes.count; i++)
		session->report_nodes.data[i].stats = &interval->nodes.data[i];
	for (size_t i = 0; i < interval->legs.count; i++) {
		const struct measure_leg *leg = &interval->legs.data[i];
		struct report_leg *row = &session->report_legs.data[i];

		row->stats = leg;
		row->resolution = measure_leg_resolution(session->measure, leg);
		row->below_resolution =
			measure_leg_below_resolution(session->measure, leg);
	}
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

struct error *session_slowest(struct session *session, int64_t leg, size_t max,
			      struct execution_list *out)
{
	const struct measure_leg *at;
	bool found = false;

	*out = (struct execution_list){0};
	probe_catch_up(session->probe);
	for (size_t i = 0; (at = measure_leg_at(session->measure, i)); i++) {
		if (leg >= 0 && at->id != (uint64_t)leg)
			continue;
		found = true;
		for (size_t j = 0; j < at->slowest.count; j++)
			vec_push(out, at->slowest.data[j]);
	}
	if (!found && leg >= 0)
		return error_create(ERROR_NOT_FOUND, "no leg %lld",
				    (long long)leg);
	if (out->count)
		qsort(out->data, out->count, sizeof(*out->data), longer_first);
	if (out->count > max)
		out->count = max;
	return NULL;
}
