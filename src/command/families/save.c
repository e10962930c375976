/*
 * save.c - write tables as text, JSON or CSV, for the commands that print and
 * for files
 */
#include "save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "command/output.h"
#include "legs_view.h"
#include "perftool/base/alloc.h"
#include "perftool/base/file_claim.h"
#include "perftool/base/path.h"
#include "perftool/base/str.h"
#include "perftool/session/calls.h"
#include "perftool/session/contended_locks.h"
#include "perftool/session/profile_reports.h"
#include "perftool/session/source.h"
#include "perftool/session/spy.h"
#include "perftool/session/ticks.h"

static const struct {
	enum report_part part;
	const char *name;
} csv_parts[] = {
	{PART_NODES, "nodes"},           {PART_LEGS, "legs"},
	{PART_HISTOGRAMS, "histograms"}, {PART_SPLITS, "by"},
	{PART_PROCESSES, "processes"},
};
enum { CSV_PARTS = sizeof(csv_parts) / sizeof(*csv_parts) };

/* Returns the tables (parts) that are written as CSV. A request for all tables
 * includes the table by process if several processes were measured. */
static unsigned csv_parts_of(const struct tables *tables, unsigned parts)
{
	return parts == PART_ALL && tables->process_count > 1
		       ? parts | PART_PROCESSES
		       : parts;
}

void write_tables(const struct tables *tables, unsigned parts,
		  enum report_format format,
		  const struct report_options *options, struct str *out)
{
	size_t start = out->length;

	if (format == FORMAT_CSV)
		parts = csv_parts_of(tables, parts);
	switch (format) {
	case FORMAT_TEXT:
		report_text(tables, parts, options, out);
		break;
	case FORMAT_JSON:
		report_json(tables, out);
		break;
	case FORMAT_CSV:
		for (size_t i = 0; i < CSV_PARTS; i++) {
			if (!(parts & csv_parts[i].part))
				continue;
			if (out->length > start)
				str_append_char(out, '\n');
			report_csv(tables, csv_parts[i].part, out);
		}
		break;
	}
}

/* Returns the name of the file for one table: "y-legs.csv" for the paths
 * "y.csv" and "y". The caller frees the result. */
static char *csv_file_name(const char *path, const char *table)
{
	size_t length = strlen(path);

	if (path_has_ending(path, ".csv"))
		length -= strlen(".csv");
	return xasprintf("%.*s-%s.csv", (int)length, path, table);
}

static char *csv_name(const char *path, size_t part)
{
	return csv_file_name(path, csv_parts[part].name);
}

/* Is a file written for this table? The table by process is written if several
 * processes were measured. It is also written if its file exists from an
 * earlier run, because otherwise the file would describe another run than the
 * other files. */
static bool is_saved(const struct tables *tables, size_t part, const char *name)
{
	return (csv_parts_of(tables, PART_ALL) & csv_parts[part].part) ||
	       access(name, F_OK) == 0;
}

static struct error *save_part(const struct session_ui *ui,
			       const struct tables *tables, const char *path,
			       size_t part, struct str *saved)
{
	CLEANUP(free_pointer) char *name = csv_name(path, part);
	struct str text = {0};
	struct error *error;

	if (!is_saved(tables, part, name))
		return NULL;
	report_csv(tables, csv_parts[part].part, &text);
	error = output_file(ui, name, &text);
	str_deinit(&text);
	str_printf(saved, "%s%s", saved->length ? ", " : "", name);
	return error;
}

/* Writes a CSV file for each table. The function appends the names of the files
 * to `saved'. */
static struct error *save_csv(const struct interpreter *interpreter,
			      const struct session_ui *ui, const char *path,
			      struct str *saved)
{
	const struct tables *tables =
		session_tables(interpreter->options.session);
	struct error *error = NULL;

	for (size_t i = 0; !error && i < CSV_PARTS; i++)
		error = save_part(ui, tables, path, i, saved);
	return error;
}

struct error *command_check_csv(const char *path, int *claim)
{
	int first = -1;

	for (size_t i = 0; i < CSV_PARTS; i++) {
		CLEANUP(free_pointer) char *name = csv_name(path, i);
		struct error *error = NULL;
		int fd;

		/* whether the other tables (by process) will be written is not
		 * known yet */
		if (!(csv_parts[i].part & PART_ALL))
			continue;
		fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
		if (fd < 0)
			error = error_system(errno, "cannot write %s", name);
		else if (first < 0)
			error = file_claim(fd, name);
		if (first < 0)
			first = fd;
		else if (fd >= 0)
			close(fd);
		if (!error)
			continue;
		if (first >= 0)
			close(first);
		return error;
	}
	*claim = first;
	return NULL;
}

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

/* Appends a profile. None of these fails if there is something to report. */
typedef void profile_writer(struct session *session, enum report_format format,
			    const struct report_options *look, struct str *out);

static void write_spy(struct session *session, enum report_format format,
		      const struct report_options *look, struct str *out)
{
	if (format == FORMAT_JSON)
		error_destroy(session_spy_json(session, out));
	else if (format == FORMAT_TEXT)
		error_destroy(session_spy_display(session, SPY_MIN, SPY_MINSON,
						  look->columns, out));
}

static void write_flat(struct session *session, enum report_format format,
		       const struct report_options *look, struct str *out)
{
	error_destroy(session_print_flat(session, format, look, out));
}

static void write_graph(struct session *session, enum report_format format,
			const struct report_options *look, struct str *out)
{
	error_destroy(session_print_graph(session, format, look, out));
}

static void write_functions(struct session *session, enum report_format format,
			    const struct report_options *look, struct str *out)
{
	error_destroy(session_print_functions(session, format, look, out));
}

static void write_source(struct session *session, enum report_format format,
			 const struct report_options *look, struct str *out)
{
	(void)look;
	error_destroy(session_print_source(session, NULL, format, out));
}

static void write_contention(struct session *session, enum report_format format,
			     const struct report_options *look, struct str *out)
{
	error_destroy(session_print_contention(session, format, look, out));
}

static bool has_graph(const struct session *session)
{
	return session_ticks_were_on(session) || session_profiles_arcs(session);
}

static const struct {
	const char *name; /* of the member of JSON, and of the file of CSV */
	bool (*exists)(const struct session *session);
	profile_writer *write;
	const char *title; /* in a report for people */
} profiles[] = {
	{"spy", session_spy_was_on, write_spy, "The Spy\xe2\x80\x99s display"},
	{"flat", session_ticks_were_on, write_flat, "Ticks by procedure"},
	{"graph", has_graph, write_graph, "Callers and callees"},
	{"functions", session_profiles_calls, write_functions,
	 "Calls and times of functions"},
	{"source", session_profiles_source, write_source,
	 "Executions and times of source lines"},
	{"contention", session_watched_locks, write_contention,
	 "Waits for locks"},
};
enum { PROFILES = sizeof(profiles) / sizeof(*profiles) };

/* Waits for locks are no profile, but tables like the others: they are saved
 * with them, and front ends get them with them. */
static bool is_with_tables(size_t profile)
{
	return profiles[profile].exists == session_watched_locks;
}

/* Appends one of the profiles to the last report of batch mode. */
static void append_profile(struct session *session, size_t profile,
			   enum report_format format,
			   const struct report_options *look, struct str *out)
{
	struct str text = {0};

	profiles[profile].write(session, format, look, &text);
	if (!text.length)
		return;
	if (format == FORMAT_JSON) {
		/* without the line end */
		CLEANUP(free_pointer)
		char *value = xasprintf("%.*s", (int)text.length - 1,
					str_text(&text));

		report_json_member(profiles[profile].name, value, out);
	} else {
		if (out->length)
			str_append_char(out, '\n');
		str_append(out, str_text(&text));
	}
	str_deinit(&text);
}

static void append_profiles(struct session *session,
			    const struct report_request *request,
			    const struct report_options *look, struct str *out)
{
	for (size_t i = 0; request->part == REPORT_WHOLE && i < PROFILES; i++)
		if (profiles[i].exists(session))
			append_profile(session, i, request->format, look, out);
}

void append_contention(struct session *session, enum report_format format,
		       const struct report_options *look, struct str *out)
{
	for (size_t i = 0; format != FORMAT_TEXT && i < PROFILES; i++)
		if (is_with_tables(i) && profiles[i].exists(session))
			append_profile(session, i, format, look, out);
}

/* A listing in a report for people has so many lines at most. */
#define LISTED_LINES 150

/* Cuts a text after so many lines, and says so. */
static char *first_lines(struct str *text)
{
	const char *begin = str_text(text), *at = begin;
	struct str cut = {0};
	size_t left = 0;

	for (int i = 0; i < LISTED_LINES && at; i++) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	if (!at || !*at)
		return str_take(text);
	str_append_n(&cut, begin, (size_t)(at - begin));
	for (; *at; at++)
		left += *at == '\n';
	str_printf(&cut, "... and %zu further lines\n", left);
	str_deinit(text);
	return str_take(&cut);
}

void collect_listings(struct session *session, struct page_listings *out)
{
	const struct report_options look = {0};

	for (size_t i = 0; i < PROFILES; i++) {
		struct str text = {0};

		if (profiles[i].exists(session))
			profiles[i].write(session, FORMAT_TEXT, &look, &text);
		if (text.length)
			vec_push(out,
				 (struct page_listing){profiles[i].title,
						       first_lines(&text)});
		str_deinit(&text);
	}
}

/* Writes a CSV file for each profile, or only for those that are saved with the
 * tables. Appends the names to `saved`. */
static struct error *save_profiles(const struct interpreter *interpreter,
				   const struct session_ui *ui,
				   const char *path, bool with_tables,
				   struct str *saved)
{
	struct session *session = interpreter->options.session;
	const struct report_options look = {0};
	struct error *error = NULL;

	for (size_t i = 0; !error && i < PROFILES; i++) {
		CLEANUP(free_pointer)
		char *name = csv_file_name(path, profiles[i].name);
		struct str text = {0};

		if (!profiles[i].exists(session) ||
		    (with_tables && !is_with_tables(i)))
			continue;
		profiles[i].write(session, FORMAT_CSV, &look, &text);
		if (text.length) {
			error = output_file(ui, name, &text);
			str_printf(saved, "%s%s", saved->length ? ", " : "",
				   name);
		}
		str_deinit(&text);
	}
	return error;
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
	struct error *error = save_csv(
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
	error = save_csv(interpreter, &ui, path, &saved);
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
