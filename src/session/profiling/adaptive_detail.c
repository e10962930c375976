/*
 * adaptive_detail.c - when the detail is looked at and changed: see
 * adaptive_detail.h
 */
#include "adaptive_detail.h"

#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/probe/breakpoint_requests.h"
#include "recorded_profiles.h"

/* Ticks a second of each thread's time on CPUs; and if the tool stops threads
 * for them. */
#define TICK_RATE 250
#define STOPPING_RATE 50
/* A slice of the window, in ns. */
#define SLICE 100000000u
/* For so many ns new nodes are tried before their cost is looked at. */
#define TRIAL 10000000u
/* how many functions may have nodes at the same time */
#define MOST_FUNCTIONS_DETAILED 100

static bool is_builtin_system(void *context, const struct session_class *class)
{
	(void)context;
	return str_starts(class->module, "ld-linux") ||
	       str_equal(class->module, "[vdso]") ||
	       str_equal(class->module, "linux-vdso.so.1");
}

void adaptive_detail_init(struct adaptive_detail *detail,
			  struct session *session)
{
	*detail = (struct adaptive_detail){.session = session,
					   .is_system = is_builtin_system};
	recorder_init(&detail->recorder, session);
}

static void forget_functions(struct adaptive_detail *detail)
{
	for (size_t i = 0; i < detail->functions.count; i++) {
		vec_free(&detail->functions.data[i].made);
		free(detail->functions.data[i].module);
	}
	vec_free(&detail->functions);
	vec_free(&detail->changes);
	detail_choice_deinit(&detail->choice);
}

void adaptive_detail_deinit(struct adaptive_detail *detail)
{
	forget_functions(detail);
	map_deinit(&detail->nodes);
	map_deinit(&detail->legs);
	vec_free(&detail->refusals);
	recorder_deinit(&detail->recorder);
}

static struct adaptive_detail *detail_of(const struct session *session)
{
	return &session->recorded->detail;
}

void session_set_system_classes(struct session *session,
				session_system_fn *is_system, void *context)
{
	struct adaptive_detail *detail = detail_of(session);

	detail->is_system = is_system ? is_system : is_builtin_system;
	detail->system_context = context;
}

/* ---- on and off ---------------------------------------------------------- */

static struct error *start_ticks(struct adaptive_detail *detail)
{
	struct sampling sampling = {.event = SAMPLED_TICKS, .rate = TICK_RATE};
	struct sampler_account account;

	TRY(recorder_start(&detail->recorder, &sampling));
	sampler_get_account(detail->recorder.sampler, &account);
	if (account.by_kernel)
		return NULL;
	recorder_stop(&detail->recorder);
	sampling.rate = STOPPING_RATE;
	return recorder_start(&detail->recorder, &sampling);
}

static void begin(struct adaptive_detail *detail)
{
	struct error *error = start_ticks(detail);

	if (error) {
		session_note(detail->session,
			     "functions are not detailed, because there are no "
			     "ticks: %s",
			     error_message(error));
		error_destroy(error);
		return;
	}
	detail->is_on = true;
	detail->looked = detail->began = detail->next_look = 0;
	detail->paused = detail->sampled = 0;
	detail->allowance = detail->later_pause = 0;
	detail->is_prepared = false;
}

static void end(struct adaptive_detail *detail)
{
	adaptive_remove_all(detail);
	recorder_stop(&detail->recorder);
	recorder_flush(&detail->recorder);
	forget_functions(detail);
	detail->is_on = detail->is_changing = false;
}

void recorded_detail_set(struct session *session)
{
	struct adaptive_detail *detail = detail_of(session);
	bool on = session->detail == DETAIL_AUTO;

	if (on && !detail->is_on)
		begin(detail);
	else if (!on && detail->is_on)
		end(detail);
}

void recorded_tables_go(struct session *session)
{
	struct adaptive_detail *detail = detail_of(session);

	adaptive_remove_all(detail);
	vec_clear(&detail->changes);
	map_deinit(&detail->nodes);
	map_deinit(&detail->legs);
	detail->nodes = detail->legs = (struct map){0};
}

void recorded_detail_begins(struct session *session)
{
	struct adaptive_detail *detail = detail_of(session);

	/* The program before has ended while its threads were to stop. */
	adaptive_forgo(detail);
	detail->is_changing = detail->is_prepared = false;
	detail->looked = 0;
}

/* ---- looking ------------------------------------------------------------- */

/* Do the nodes of the session count now, so that new ones would? */
static bool counts(const struct session *session)
{
	return session->clock_runs && !session->is_suspended &&
	       (measure_monitor(session->measure) || !session->monitor_was_set);
}

/* The user may have made breakpoints at entries since the last look, or have
 * deleted some that were made for functions: these do not come back. */
static void bar_taken(struct adaptive_detail *detail)
{
	for (uint32_t i = 0; i < detail->functions.count; i++) {
		struct detailed_function *function = &detail->functions.data[i];
		bool is_barred;

		function->is_impossible |=
			adaptive_is_deleted(detail, function);
		is_barred = function->is_impossible;

		if (function->is_armed ||
		    detail->choice.functions.data[i].is_barred)
			is_barred |= adaptive_is_taken(detail, function);
		if (is_barred && function->is_armed)
			vec_push(&detail->changes,
				 (struct detail_change){.function = i});
		detail_choice_bar(&detail->choice, i, is_barred);
	}
}

static struct detail_limits limits_of(const struct session *session,
				      size_t first)
{
	return (struct detail_limits){
		.min_total = session_detail_limit(session, first),
		.minimum = session_detail_limit(session, first + 1),
		.threshold = session_detail_limit(session, first + 2),
		.stop_threshold = session_detail_limit(session, first + 3)};
}

/* At the end of a trial only functions lose their nodes that are far too dear;
 * the others are measured until the end of the slice. */
#define FAR_TOO_DEAR 3

static void decide(struct adaptive_detail *detail, bool is_trial, uint64_t now)
{
	const struct session *session = detail->session;
	const struct detail_rules rules = {
		.class = limits_of(session, 0),
		.method = limits_of(session, 4),
		.cost = adaptive_node_share(detail) *
			(is_trial ? FAR_TOO_DEAR : 1),
		.room = adaptive_room(detail),
		.most = MOST_FUNCTIONS_DETAILED,
		.may_change = !is_trial && adaptive_may_change(detail)};

	bar_taken(detail);
	detail_choice_decide(&detail->choice, &rules, now, &detail->changes);
	adaptive_prepare(detail);
}

bool recorded_look(struct session *session, uint64_t now)
{
	struct adaptive_detail *detail = detail_of(session);
	bool is_slice_over = now >= detail->slice_end;

	if (!detail->is_on || detail->is_changing || now < detail->next_look)
		return false;
	detail->next_look = now + SLICE;
	if (!counts(session)) {
		detail->looked = 0;
		return false;
	}
	if (!detail->looked) {
		adaptive_begin_costs(detail, now);
		detail->slice_end = now + SLICE;
		return false;
	}
	adaptive_measure_costs(detail, now);
	if (is_slice_over) {
		adaptive_take_ticks(detail);
		detail->slice_end = now + SLICE;
	}
	decide(detail, !is_slice_over, now);
	if (is_slice_over)
		detail_choice_advance(&detail->choice);
	detail->next_look = detail->slice_end;
	detail->is_changing = detail->changes.count;
	return detail->is_changing;
}

uint64_t recorded_next_look(const struct session *session)
{
	const struct adaptive_detail *detail = detail_of(session);

	return detail->is_on && !detail->is_changing && detail->next_look
		       ? detail->next_look
		       : UINT64_MAX;
}

bool recorded_changes(const struct session *session)
{
	return detail_of(session)->is_changing;
}

void recorded_change(struct session *session)
{
	struct adaptive_detail *detail = detail_of(session);

	detail->still_since = clock_now(&session->clock);
	if (is_over(session))
		vec_clear(&detail->changes);
	adaptive_change(detail);
}

void recorded_changed(struct session *session)
{
	struct adaptive_detail *detail = detail_of(session);
	const uint64_t now = clock_now(&session->clock);
	const double pause = (double)(now - detail->still_since);

	detail->is_changing = false;
	adaptive_charge_pause(detail, pause);
	session->still_ns += now - detail->still_since;
	if (!session->followed.count)
		return;
	adaptive_begin_costs(detail, now);
	detail->next_look = now + TRIAL;
	detail->slice_end = now + SLICE;
}

/* ---- what was made so ---------------------------------------------------- */

bool recorded_made_node(const struct session *session, uint32_t node,
			bool *is_out)
{
	const struct adaptive_detail *detail = detail_of(session);
	const struct breakpoint *breakpoint;

	*is_out = false;
	if (!map_get_number(&detail->nodes, (uint64_t)node + 1))
		return false;
	breakpoint = probe_find(session->probe, node);
	*is_out = !breakpoint || !breakpoint_facts(breakpoint).enabled;
	return true;
}

bool recorded_made_leg(const struct session *session, uint32_t leg)
{
	return map_get_number(&detail_of(session)->legs, (uint64_t)leg + 1);
}
