/*
 * library_notices.c - the reports and dumps that a session sends its handler of
 * events by itself, after the operation SET has changed REPORTTIME or SHOWSTACK
 */
#include <json-c/json.h>

#include "library_state.h"
#include "perftool/base/monotonic.h"

uint64_t library_notice_time(const struct perftool_session *session)
{
	const struct caller *caller = &session->caller;
	uint64_t next = UINT64_MAX;

	if (caller->report_every)
		next = caller->next_report;
	if (caller->shows_stack && caller->next_dump < next)
		next = caller->next_dump;
	return next;
}

/* Has the operation carried out, and tells the handler what it replies. */
static void send(struct perftool_session *session,
		 enum perftool_event_kind kind, const char *name)
{
	struct json_object *params = json_object_new_object(), *result;
	struct error *error = operation_run(operation_find(name), session->desk,
					    &session->caller, params, &result);

	if (!error)
		library_tell(session, kind,
			     json_object_to_json_string_ext(
				     result, JSON_C_TO_STRING_PLAIN));
	error_destroy(error);
	json_object_put(result);
	json_object_put(params);
}

void library_send_notices(struct perftool_session *session)
{
	struct caller *caller = &session->caller;
	uint64_t now = monotonic_now();

	if (caller->report_every && now >= caller->next_report) {
		send(session, PERFTOOL_EVENT_REPORT, "report");
		caller->next_report = now + caller->report_every;
	}
	now = monotonic_now();
	if (caller->shows_stack && now >= caller->next_dump) {
		send(session, PERFTOOL_EVENT_DUMP, "showstack");
		caller->next_dump =
			now +
			desk_dump_pause(session->desk, monotonic_now() - now);
	}
}
