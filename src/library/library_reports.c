/*
 * library_reports.c - the tables of a session as a report: a text, JSON, or CSV
 * files
 */
#include "library_state.h"
#include "perftool/session/measurements.h"
#include "perftool/session/session_settings.h"

static const enum report_format formats[] = {
	[PERFTOOL_FORMAT_TEXT] = FORMAT_TEXT,
	[PERFTOOL_FORMAT_JSON] = FORMAT_JSON,
	[PERFTOOL_FORMAT_CSV] = FORMAT_CSV};

_Static_assert((int)PERFTOOL_REPORT_SINCE_LAST == (int)REPORT_SINCE_LAST &&
		       (int)PERFTOOL_REPORT_SO_FAR == (int)REPORT_SO_FAR,
	       "the parts are the same, in the same order");

static struct report_request request_of(struct perftool_session *session,
					const struct perftool_report *report)
{
	struct report_request request = {
		.format = report->format ? formats[report->format]
					 : session_format(session->session),
		.ranked = session_timed_pattern(session->session),
		.repeated = report->is_repeated};

	switch (report->part) {
	case PERFTOOL_REPORT_WHOLE:
		request.part = REPORT_WHOLE;
		break;
	case PERFTOOL_REPORT_SO_FAR:
		request.part = REPORT_SO_FAR;
		break;
	case PERFTOOL_REPORT_SINCE_LAST:
		request.part = REPORT_SINCE_LAST;
		break;
	}
	return request;
}

/* A report that is to be made or written. */
struct reporting {
	const struct perftool_report *report;
	FILE *output;
	const char *path;
	struct str *text;
	enum report_format format;
};

static struct error *get_format(struct perftool_session *session,
				void *argument)
{
	struct reporting *reporting = argument;

	reporting->format = request_of(session, reporting->report).format;
	return NULL;
}

enum perftool_format
perftool_session_format(struct perftool_session *session,
			const struct perftool_report *report)
{
	struct reporting reporting = {.report = report};

	error_destroy(session_call(session, get_format, &reporting));
	for (size_t i = PERFTOOL_FORMAT_TEXT; i <= PERFTOOL_FORMAT_CSV; i++)
		if (formats[i] == reporting.format)
			return (enum perftool_format)i;
	return PERFTOOL_FORMAT_TEXT;
}

static struct error *make_text(struct perftool_session *session, void *argument)
{
	const struct reporting *reporting = argument;
	struct report_request request = request_of(session, reporting->report);

	interpreter_report_text(session->interpreter, &request,
				reporting->output, reporting->text);
	return NULL;
}

void perftool_session_report_text(struct perftool_session *session,
				  const struct perftool_report *report,
				  FILE *output, struct str *out)
{
	struct reporting reporting = {
		.report = report, .output = output, .text = out};

	error_destroy(session_call(session, make_text, &reporting));
}

struct error *perftool_session_write(struct perftool_session *session,
				     const struct str *text, FILE *output,
				     const char *path)
{
	return interpreter_report_write(session->interpreter, text, output,
					path);
}

static struct error *write_report(struct perftool_session *session,
				  void *argument)
{
	const struct reporting *reporting = argument;
	struct report_request request = request_of(session, reporting->report);

	return interpreter_report(session->interpreter, &request,
				  reporting->output, reporting->path);
}

struct error *perftool_session_report(struct perftool_session *session,
				      const struct perftool_report *report,
				      FILE *output, const char *path)
{
	struct reporting reporting = {
		.report = report, .output = output, .path = path};

	return session_call(session, write_report, &reporting);
}

struct error *perftool_report_check_csv(const char *path, int *claim)
{
	return command_check_csv(path, claim);
}

static struct error *print_tables(struct perftool_session *session,
				  void *argument)
{
	(void)argument;
	return interpreter_tables(session->interpreter);
}

struct error *perftool_session_print_tables(struct perftool_session *session)
{
	return session_call(session, print_tables, NULL);
}
