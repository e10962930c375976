/* spy_report.c - `spy display`: describes what the Spy has recorded */
#include <inttypes.h>
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/base/host.h"
#include "recorded_profiles.h"

/* What belongs to the description and must be freed after it is written. */
struct description {
	struct spy_report report;
	struct call_stacks stacks;
	struct string_list texts;
	VEC(struct spy_thread) threads;
	VEC(struct spy_break) breaks, starts, stops;
	VEC(const char *) remarks;
	struct str begun, at, program;
};

static void description_deinit(struct description *description)
{
	call_stacks_deinit(&description->stacks);
	string_list_deinit(&description->texts);
	vec_free(&description->threads);
	vec_free(&description->breaks);
	vec_free(&description->starts);
	vec_free(&description->stops);
	vec_free(&description->remarks);
	str_deinit(&description->begun);
	str_deinit(&description->at);
	str_deinit(&description->program);
}

/* Keeps a text, which the description owns from now on, until the description
 * is freed. */
static const char *keep(struct description *description, char *text)
{
	vec_push(&description->texts, text);
	return text;
}

static void describe_breaks(struct description *description,
			    const struct spied_breaks *breaks)
{
	struct spy_report *report = &description->report;

	for (size_t i = 0; i < breaks->list.count; i++) {
		const struct spied_break *at = breaks->list.data[i];
		const struct spy_break entry = {
			.location = at->condition
					    ? keep(description,
						   xasprintf("%s if %s",
							     at->location,
							     at->condition))
					    : at->location,
			.hits = at->hits};

		if (at->kind == SPY_BREAK_SAMPLE)
			vec_push(&description->breaks, entry);
		else if (at->kind == SPY_BREAK_START)
			vec_push(&description->starts, entry);
		else
			vec_push(&description->stops, entry);
	}
	report->breaks = (struct spy_breaks){description->breaks.data,
					     description->breaks.count};
	report->starts = (struct spy_breaks){description->starts.data,
					     description->starts.count};
	report->stops = (struct spy_breaks){description->stops.data,
					    description->stops.count};
}

static void describe_threads(struct description *description)
{
	struct spy_report *report = &description->report;

	for (size_t i = 0; i < description->stacks.threads.count; i++) {
		const struct sampled_thread *thread =
			&description->stacks.threads.data[i];

		vec_push(&description->threads,
			 (struct spy_thread){
				 .has_faults = !thread->misses_end ||
					       thread->minor_faults ||
					       thread->major_faults,
				 .minor_faults = thread->minor_faults,
				 .major_faults = thread->major_faults,
				 .are_least = thread->misses_end});
	}
	report->threads = description->threads.data;
}

/* If faults are what makes samples, none is missing. */
static void count_sampled_faults(struct description *description)
{
	const struct call_stacks *stacks = &description->stacks;
	struct spy_thread *faults = &description->report.faults;
	uint64_t minor = 0, major = 0;

	for (size_t i = 0; i < stacks->samples.count; i++) {
		const struct call_sample *sample = &stacks->samples.data[i];

		minor += sample->reason == SAMPLE_FAULT_MINOR ? sample->weight
							      : 0;
		major += sample->reason == SAMPLE_FAULT_MAJOR ? sample->weight
							      : 0;
	}
	if (minor + major < faults->minor_faults + faults->major_faults)
		return;
	faults->minor_faults = minor;
	faults->major_faults = major;
	faults->are_least = false;
}

/* Sums up what the kernel told of all threads that were seen. */
static void describe_whole(struct description *description,
			   const struct recorder *recorder)
{
	struct spy_report *report = &description->report;
	const struct recorded_thread *thread;
	size_t cursor = 0;
	uint64_t serial;

	report->faults.has_faults = true;
	while ((thread = map_next(&recorder->threads, &cursor, &serial))) {
		report->faults.minor_faults +=
			thread->last.minor - thread->minor_before;
		report->faults.major_faults +=
			thread->last.major - thread->major_before;
		report->faults.are_least |= thread->misses_end;
		report->cpu_time += thread->last.cpu - thread->cpu_before;
	}
	if (report->watch == SPY_PAGEFAULTS)
		count_sampled_faults(description);
}

static void describe_account(struct spy_account *out,
			     const struct recorder *recorder)
{
	struct sampler_account account;

	recorder_get_account(recorder, &account);
	*out = (struct spy_account){.by_kernel = account.by_kernel,
				    .why = account.why,
				    .wakeups = account.wakeups,
				    .missed = account.missed,
				    .missed_running = account.missed_running,
				    .missed_waiting = account.missed_waiting,
				    .missed_preempted =
					    account.missed_preempted,
				    .lost = account.lost,
				    .least_log = account.least_log,
				    .wanted_log = account.wanted_log,
				    .stacks = recorder->log.stacks,
				    .frames = recorder->log.frames,
				    .broken = recorder->log.broken,
				    .unwinding = account.unwind_ns,
				    .spent = account.spent_ns,
				    .stopped = account.stopped_ns};
	for (size_t i = 0; i < sizeof(out->delays) / sizeof(*out->delays); i++)
		out->delays[i] = account.delays[i];
}

static void describe_own_code(struct description *description,
			      const struct recorder *recorder)
{
	struct spy_report *report = &description->report;

	if (!recorder->in_tool)
		return;
	vec_push(&description->remarks,
		 keep(description,
		      xasprintf("Ticks that found a thread in perftool's "
				"code, and count for no procedure: "
				"%" PRIu64 ".",
				recorder->in_tool)));
	report->remarks = description->remarks.data;
	report->remark_count = description->remarks.count;
}

static void describe_program(struct description *description,
			     struct session *session)
{
	struct spy_report *report = &description->report;

	if (session->last_run.path) {
		str_append(&description->program, session->last_run.path);
		for (size_t i = 0; i < session->last_run.args.count; i++)
			str_printf(&description->program, " %s",
				   session->last_run.args.data[i]);
		report->program = str_text(&description->program);
	}
	report->pid = session->last_pid;
}

static enum spy_scope scope_of(const struct spy *spy)
{
	if (spy->by_break_thread)
		return SPY_BREAK_THREAD;
	return spy->recorded_tid ? SPY_ONE_THREAD : SPY_ALL_THREADS;
}

struct error *session_spy_display(struct session *session, double min,
				  double min_son, int columns, struct str *out)
{
	struct spy *spy = &session->recorded->spy;
	struct description description = {0};
	struct spy_report *report = &description.report;

	if (!spy->was_on)
		return error_create(ERROR_OTHER,
				    "the Spy has recorded nothing; `spy on' "
				    "turns it on");
	TRY(session_spy_off(session));
	recorder_resolve(&spy->recorder, &description.stacks);
	host_time_text(spy->began, &description.begun);
	host_time_text(host_time(), &description.at);
	*report = (struct spy_report){.begun = str_text(&description.begun),
				      .at = str_text(&description.at),
				      .watch = spy->recorded_watch,
				      .rate = spy->rate,
				      .scope = scope_of(spy),
				      .tid = spy->recorded_tid,
				      .uses_starts = spy->used_starts,
				      .recorded =
					      recorder_elapsed(&spy->recorder),
				      .stacks = &description.stacks,
				      .min = min,
				      .minson = min_son,
				      .is_terminal = columns > 0,
				      .columns = columns};
	describe_program(&description, session);
	describe_breaks(&description, &spy->breaks);
	describe_threads(&description);
	describe_whole(&description, &spy->recorder);
	describe_account(&report->account, &spy->recorder);
	describe_own_code(&description, &spy->recorder);
	report_spy_display(report, out);
	description_deinit(&description);
	spy->is_seen = true;
	recorder_tell_of_none(&spy->recorder, "samples", "spy on",
			      "spy display");
	return NULL;
}
