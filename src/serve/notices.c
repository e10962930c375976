/*
 * notices.c - what the server sends front ends that have not asked for it
 *
 * A report is made once for all front ends to which it goes, and written once
 * in each encoding: of a leg with many buckets it has some 50 kB, and the tool
 * would take a processor from the program.
 */
#include "notices.h"

#include "perftool/base/host.h"
#include "perftool/base/monotonic.h"
#include "perftool/operations.h"

/* A report that is due within this part of its interval is sent together with
 * one that is due now. */
#define EARLY 8

void notice_send(struct front_end *front_end, const struct notice *notice)
{
	struct str text = {0};

	wire_notice(front_end->wire, notice, &text);
	front_end_send(front_end, &text);
	str_deinit(&text);
}

/* ---- one notice for several front ends ----------------------------------- */

/* A notice, and its text in each encoding that a front end has needed. */
struct shared_notice {
	struct notice notice;
	struct json_object *data;
	struct str text[ENCODING_JSON + 1];
};

/* Prepares a notice with what an operation replies. */
static void shared_notice_init(struct shared_notice *shared,
			       const struct server *server, const char *name,
			       const struct operation *operation)
{
	*shared = (struct shared_notice){
		.notice = {.name = name,
			   .pid = server->pid,
			   .time = host_time_ms(),
			   .wrapper = operation->reply_wrapper}};
}

static void shared_notice_deinit(struct shared_notice *shared)
{
	for (size_t i = 0; i <= ENCODING_JSON; i++)
		str_deinit(&shared->text[i]);
	json_object_put(shared->data);
}

/* Asks for what the notice tells. It stays empty if the operation fails. */
static void shared_notice_fill(struct shared_notice *shared,
			       struct server *server,
			       const struct operation *operation)
{
	struct json_object *params = json_object_new_object();
	struct caller nobody = {0};

	error_destroy(perftool_session_operate(server->session, operation,
					       &nobody, params, &shared->data));
	json_object_put(params);
	shared->notice.data = shared->data;
}

static void shared_notice_send(struct shared_notice *shared,
			       struct front_end *front_end)
{
	struct str *text = &shared->text[wire_encoding(front_end->wire)];

	if (!text->length)
		wire_notice(front_end->wire, &shared->notice, text);
	front_end_send(front_end, text);
}

/* ---- reports and dumps --------------------------------------------------- */

static bool report_is_due(const struct caller *caller, uint64_t now)
{
	return caller->report_every && now >= caller->next_report;
}

static bool any_report_is_due(const struct server *server, uint64_t now)
{
	for (size_t i = 0; i < server->front_ends.count; i++)
		if (report_is_due(&server->front_ends.data[i]->caller, now))
			return true;
	return false;
}

void notices_report(struct server *server, uint64_t now)
{
	const struct operation *operation = operation_find("report");
	struct shared_notice report;

	if (!any_report_is_due(server, now))
		return;
	shared_notice_init(&report, server, "report", operation);
	for (size_t i = 0; i < server->front_ends.count; i++) {
		struct front_end *front_end = server->front_ends.data[i];
		struct caller *caller = &front_end->caller;

		if (!report_is_due(caller, now + caller->report_every / EARLY))
			continue;
		/* An early report does not make the next one earlier, so that
		 * the interval is kept. */
		if (caller->next_report < now)
			caller->next_report = now;
		caller->next_report += caller->report_every;
		if (front_end_has_output(front_end))
			continue;
		if (!report.data)
			shared_notice_fill(&report, server, operation);
		shared_notice_send(&report, front_end);
	}
	shared_notice_deinit(&report);
}

void notices_dump(struct server *server, uint64_t now)
{
	const struct operation *operation = operation_find("showstack");
	uint64_t pause = perftool_session_dump_pause(server->session, 0);
	struct shared_notice dump;

	shared_notice_init(&dump, server, "dump", operation);
	for (size_t i = 0; i < server->front_ends.count; i++) {
		struct front_end *front_end = server->front_ends.data[i];
		struct caller *caller = &front_end->caller;

		if (!caller->shows_stack || now < caller->next_dump)
			continue;
		/* A report may have been added just now. */
		front_end_write(front_end);
		if (!dump.data && !front_end_has_output(front_end)) {
			shared_notice_fill(&dump, server, operation);
			pause = perftool_session_dump_pause(
				server->session, monotonic_now() - now);
		}
		caller->next_dump = now + pause;
		if (front_end_has_output(front_end))
			continue;
		shared_notice_send(&dump, front_end);
	}
	shared_notice_deinit(&dump);
}

uint64_t notices_next(const struct server *server)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; i < server->front_ends.count; i++) {
		const struct caller *at = &server->front_ends.data[i]->caller;

		if (at->report_every && at->next_report < next)
			next = at->next_report;
		if (at->shows_stack && at->next_dump < next)
			next = at->next_dump;
	}
	return next;
}
