/*
 * session.c - the session object: making and destroying it, what it tells the
 * user, and the state of its tables
 */
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/session/measurements.h"
#include "perftool/session/user_interface.h"
#include "session/requests/requests.h"
#include "session/run/run.h"
#include "session/settings/settings.h"
#include "session_state.h"

void session_note(struct session *session, const char *format, ...)
{
	va_list ap;
	char *text;

	va_start(ap, format);
	text = xvasprintf(format, ap);
	va_end(ap);
	session->ui.note(session->ui.context, text);
	free(text);
}

static bool is_interrupted(void *context)
{
	const struct session *session = context;
	const struct session_ui *ui = &session->ui;

	return session->is_abandonable && !session->in_loop &&
	       ui->interrupting && ui->interrupting(ui->context);
}

struct interrupt session_interrupt(struct session *session)
{
	return (struct interrupt){is_interrupted, session};
}

struct error *check_interrupt(struct session *session)
{
	if (!is_interrupted(session))
		return NULL;
	return error_create(ERROR_INTERRUPTED, "interrupted");
}

struct session *session_create(const struct session_ui *ui)
{
	struct session *session = xcalloc(1, sizeof(*session));
	struct clock_inputs inputs;
	struct probe_client client;

	session->ui = *ui;
	session->only_cpu = only_cpu(0);
	inherited_change(&session->inherited);
	inputs = clock_inputs(session->inherited.is_counter_forbidden);
	clock_init(&session->clock, &inputs);
	session->target = target_create(&session->clock);
	target_set_interrupt(session->target,
			     (struct interrupt){ui->interrupting, ui->context});
	session_probe_client(session, &client);
	session->probe =
		probe_create(session->target, &session->clock, &client);
	session->measure = measure_create();
	profile_create(session);
	measure_set_mixed(session->measure, note_mixed, session);
	session->modules = module_numbers_create();
	session->recorded = recorded_create(session);
	measure_set_keeper(session->measure, origin_keep, session);
	settings_begin(session);
	probe_set_index_cache(session->probe, session->index_cache);
	return session;
}

void session_destroy(struct session *session)
{
	if (!session)
		return;
	if (session->followed.count)
		error_destroy(session->attached ? session_detach(session, NULL)
						: session_kill(session));
	error_destroy(session_trace_off(session));
	error_destroy(session->failure);
	recorded_destroy(session->recorded);
	profile_destroy(session);
	origins_forget_places(session);
	sampler_end(session);
	module_numbers_destroy(session->modules);
	probe_destroy(session->probe);
	target_destroy(session->target);
	measure_destroy(session->measure);
	free(session->program);
	free(session->program_word);
	last_run_deinit(&session->last_run);
	host_deinit(&session->host);
	for (size_t i = 0; i < session->followed.count; i++)
		followed_deinit(&session->followed.data[i]);
	vec_free(&session->followed);
	vec_free(&session->given_up);
	forget_left_counts(session);
	vec_free(&session->left_counts);
	vec_free(&session->pending_stops);
	for (size_t i = 0; i < session->pending_times.count; i++)
		pending_time_deinit(&session->pending_times.data[i]);
	vec_free(&session->pending_times);
	string_list_deinit(&session->args);
	string_list_deinit(&session->env);
	string_list_deinit(&session->environment);
	string_list_deinit(&session->directories);
	measure_interval_deinit(&session->interval);
	vec_free(&session->report_nodes);
	vec_free(&session->report_legs);
	vec_free(&session->report_shares);
	for (size_t i = 0; i < session->report_addresses.count; i++)
		free(session->report_addresses.data[i]);
	vec_free(&session->report_addresses);
	vec_free(&session->report_args);
	vec_free(&session->report_settings);
	string_list_deinit(&session->report_strings);
	string_list_deinit(&session->key_texts);
	string_list_deinit(&session->leg_names);
	map_deinit(&session->thread_uses);
	map_deinit(&session->taken_out);
	vec_free(&session->tracing.legs);
	free(session->columns);
	free(session->listed_file);
	free(session->context.name);
	free(session);
}

/* ---- tables and modes -------------------------------------------------- */

struct error *session_initialize_tables(struct session *session)
{
	const struct measure_node *node;
	const struct measure_leg *leg;

	TRY(discard_counts(session));
	recorded_tables_go(session);
	for (size_t i = 0; (leg = measure_leg_at(session->measure, i)); i++)
		release_leg(session, leg);
	for (size_t i = 0; (node = measure_node_at(session->measure, i)); i++)
		release_node_split(session, node);
	measure_initialize(session->measure, clock_now(&session->clock));
	probe_forget_deleted(session->probe);
	string_list_clear(&session->key_texts);
	string_list_clear(&session->leg_names);
	return NULL;
}

struct error *session_zero_tables(struct session *session)
{
	TRY(discard_counts(session));
	measure_zero(session->measure, clock_now(&session->clock));
	recorded_zero(session);
	return NULL;
}

struct error *session_monitor(struct session *session, bool on)
{
	if (!on && session->keeps_running)
		return session_suspend(session, true);
	clock_settle(&session->clock);
	session->monitor_was_set = true;
	if (on == measure_monitor(session->measure) && !session->is_suspended)
		return NULL;
	TRY(discard_counts(session));
	measure_set_monitor(session->measure, on, clock_now(&session->clock));
	probe_stops_changed(session->probe);
	if (!session->is_suspended)
		return NULL;
	session->is_suspended = false;
	return probe_suspend(session->probe, false);
}

struct error *session_suspend(struct session *session, bool suspended)
{
	if (suspended == session->is_suspended)
		return suspended ? NULL : session_monitor(session, true);
	if (!suspended)
		return session_monitor(session, true);
	TRY(discard_counts(session));
	session->monitor_was_set = session->is_suspended = true;
	measure_set_monitor(session->measure, false,
			    clock_now(&session->clock));
	probe_stops_changed(session->probe);
	return probe_suspend(session->probe, true);
}

struct error *session_keep_running(struct session *session)
{
	session->keeps_running = true;
	return session->monitor_was_set && !measure_monitor(session->measure)
		       ? session_suspend(session, true)
		       : NULL;
}

bool session_monitor_is_on(const struct session *session)
{
	return measure_monitor(session->measure);
}

struct error *session_set_add(struct session *session, bool successor)
{
	if (successor == measure_add_successor(session->measure))
		return NULL;
	TRY(settle_counts(session));
	measure_set_add_successor(session->measure, successor);
	probe_switches_changed(session->probe);
	if (successor)
		probe_want_goroutines(session->probe);
	return NULL;
}

struct error *session_set_track(struct session *session,
				enum measure_track track)
{
	if (track == measure_track(session->measure))
		return NULL;
	TRY(discard_counts(session));
	measure_set_track(session->measure, track);
	if (track == TRACK_SUCCESSOR)
		probe_want_goroutines(session->probe);
	return NULL;
}

bool session_node_count(void *context, uint32_t node, uint64_t *count)
{
	struct session *session = context;
	const struct measure_node *found;

	probe_read_counts(session->probe);
	found = measure_node(session->measure, node);
	/* A breakpoint becomes a node only when it is first reached. Until then
	 * the count of an existing breakpoint is 0. */
	*count = found ? found->count : 0;
	return found || probe_find(session->probe, node);
}
