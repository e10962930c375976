/*
 * save.c - the command `save tables`, and the report of batch mode
 */
#include "save.h"

#include <stdlib.h>
#include <string.h>

#include "appended_profiles.h"
#include "command/output.h"
#include "legs_view.h"
#include "perftool/base/alloc.h"
#include "perftool/base/path.h"
#include "perftool/base/str.h"
#include "perftool/session/calls.h"
#include "perftool/session/contended_locks.h"
#include "perftool/session/measurements.h"
#include "perftool/session/profile_reports.h"
#include "perftool/session/source.h"
#include "perftool/session/spy.h"
#include "perftool/session/ticks.h"
#include "perftool/session/user_interface.h"
#include "written_tables.h"

static const struct tables *
requested_tables(struct session *session, const struct report_request *request)
{
	return request->part == REPORT_SINCE_LAST
		       ? session_tables_since_last(session)
		       : session_tables(session);
}

static void write_form(const struct legs_selection *selection,
		       const struct report_request *request,
		       const struct report_options *look, struct str *out)
{
	struct report_options options = *look;
	struct str text = {0};

	options.unexecuted = selection->unexecuted;
	options.unreached = selection->unreached;
	options.beyond = selection->beyond;
	write_tables(&selection->tables, PART_ALL, request->format, &options,
		     &text);
	if (request->repeated)
		report_heading(&selection->tables, options.color, out);
	str_append(out, str_text(&text));
	if (request->part != REPORT_WHOLE)
		str_append_char(out, '\n');
	str_deinit(&text);
}

/* Is a profile all that was measured? The tables of nodes and legs, which have
 * no rows, are then left out. */
static bool is_profile_alone(const struct session *session,
			     const struct tables *tables,
			     const struct report_request *request)
{
	return request->format == FORMAT_TEXT &&
	       request->part == REPORT_WHOLE && !tables->node_count &&
	       !tables->leg_count &&
	       (session_profiles_calls(session) ||
		session_ticks_were_on(session) ||
		session_profiles_source(session) ||
		session_watched_locks(session) || session_spy_was_on(session));
}

static struct error *save_as(struct call *call, const char *path,
			     enum report_format format)
{
	struct report_options options =
		output_look(call->interpreter, NULL, false);
	struct str text = {0};
	struct error *error;

	write_tables(session_tables(call->session), PART_ALL, format, &options,
		     &text);
	append_contention(call->session, format, &options, &text);
	error = output_file(call->interpreter->options.ui, path, &text);
	str_deinit(&text);
	if (!error)
		str_printf(&call->said, "Tables saved in %s\n", path);
	return error;
}

static struct error *save_as_csv(struct call *call, const char *path)
{
	struct str saved = {0};
	struct error *error = csv_save(
		call->interpreter, call->interpreter->options.ui, path, &saved);

	if (!error)
		error = save_profiles(call->interpreter,
				      call->interpreter->options.ui, path, true,
				      &saved);
	if (!error)
		str_printf(&call->said, "Tables saved in %s\n",
			   str_text(&saved));
	str_deinit(&saved);
	return error;
}

struct error *run_save_tables(struct call *call)
{
	CLEANUP(free_pointer) char *path = NULL;

	TRY(output_path(call->session, call_word(call, 0), &path));
	if (path_has_ending(path, ".json"))
		return save_as(call, path, FORMAT_JSON);
	if (path_has_ending(path, ".txt"))
		return save_as(call, path, FORMAT_TEXT);
	if (path_has_ending(path, ".csv"))
		return save_as_csv(call, path);
	return error_create(ERROR_USAGE,
			    "`%s' does not end in .json, .csv or .txt", path);
}

/* CSV has no form for the Spy's display. */
static void tell_of_spy(const struct interpreter *interpreter,
			const struct report_request *request)
{
	const struct session_ui *ui = interpreter->options.ui;

	if (ui && request->part == REPORT_WHOLE &&
	    request->format == FORMAT_CSV &&
	    session_spy_was_on(interpreter->options.session))
		ui->note(ui->context,
			 "the Spy's display has no form as CSV; `-f json' and "
			 "`save profile FILE' write its samples");
}

const char *interpreter_unseen_profile(const struct interpreter *interpreter)
{
	return session_unseen_profile(interpreter->options.session);
}

void interpreter_report_text(struct interpreter *interpreter,
			     const struct report_request *request, FILE *output,
			     struct str *out)
{
	struct session *session = interpreter->options.session;
	const struct tables *tables = requested_tables(session, request);
	const struct report_interval so_far = {.to = tables->summary.elapsed};
	struct legs_view view = {.sort = LEGS_BY_TOTAL, .only_executed = true};
	struct report_options look = output_look(interpreter, output, false);
	struct legs_selection selection;

	if (!interpreter->options.interactive)
		look.all_columns_by = "-o FILE";
	if (!request->ranked || request->format != FORMAT_TEXT)
		view = (struct legs_view){0};
	legs_select(tables, &view, &selection);
	if (request->part == REPORT_SO_FAR)
		selection.tables.interval = &so_far;
	if (request->format == FORMAT_JSON && request->repeated)
		report_json_line(&selection.tables, out);
	else if (!is_profile_alone(session, tables, request))
		write_form(&selection, request, &look, out);
	legs_selection_deinit(&selection);
	append_profiles(session, request, &look, out);
	tell_of_spy(interpreter, request);
}

struct error *interpreter_report_write(struct interpreter *interpreter,
				       const struct str *text, FILE *output,
				       const char *path)
{
	if (!path)
		path = "the report";
	else if (str_equal(path, "-"))
		path = "standard output";
	return output_write(interpreter->options.ui, output, path,
			    str_text(text), text->length);
}

/* Writes the CSV files of a report. If the user asks to end while the tool
 * still measures, the request is about the measurement. It must not cut off
 * these files, so the writer does not ask for it. */
static struct error *report_csv_files(const struct interpreter *interpreter,
				      const struct report_request *request,
				      const char *path)
{
	struct session_ui ui = {0};
	struct str saved = {0};
	struct error *error;

	if (interpreter->options.ui)
		ui = *interpreter->options.ui;
	if (request->part != REPORT_WHOLE)
		ui.interrupted = NULL;
	error = csv_save(interpreter, &ui, path, &saved);
	if (!error && request->part == REPORT_WHOLE)
		error = save_profiles(interpreter, &ui, path, false, &saved);
	str_deinit(&saved);
	tell_of_spy(interpreter, request);
	return error;
}

struct error *interpreter_report(struct interpreter *interpreter,
				 const struct report_request *request,
				 FILE *output, const char *path)
{
	struct str text = {0};
	struct error *error;

	if (!output)
		return report_csv_files(interpreter, request, path);
	interpreter_report_text(interpreter, request, output, &text);
	error = interpreter_report_write(interpreter, &text, output, path);
	str_deinit(&text);
	return error;
}
