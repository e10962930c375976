/*
 * save.c - tables as text, JSON or CSV: where they are printed, and in files
 */
#include "save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "legs_view.h"
#include "output.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

static const struct {
	enum report_part part;
	const char *name;
} csv_parts[] = {
	{PART_NODES, "nodes"},
	{PART_LEGS, "legs"},
	{PART_HISTOGRAMS, "histograms"},
	{PART_SPLITS, "by"},
};
enum { CSV_PARTS = sizeof(csv_parts) / sizeof(*csv_parts) };

void write_tables(const struct tables *tables, unsigned parts,
		  enum report_format format,
		  const struct report_options *options, struct str *out)
{
	size_t start = out->length;

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

static bool ends_in(const char *path, const char *ending)
{
	size_t length = strlen(path), tail = strlen(ending);

	return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

/* "y-legs.csv", of "y.csv" and of "y". */
static char *csv_name(const char *path, size_t part)
{
	size_t length = strlen(path);

	if (ends_in(path, ".csv"))
		length -= strlen(".csv");
	return xasprintf("%.*s-%s.csv", (int)length, path,
			 csv_parts[part].name);
}

static struct error *save_csv(const struct interpreter *interpreter,
			      const struct session_ui *ui, const char *path)
{
	const struct tables *tables =
		session_tables(interpreter->options.session);
	struct error *error = NULL;

	for (size_t i = 0; !error && i < CSV_PARTS; i++) {
		char *name = csv_name(path, i);
		struct str text = {0};

		report_csv(tables, csv_parts[i].part, &text);
		error = output_file(ui, name, &text);
		str_deinit(&text);
		free(name);
	}
	return error;
}

struct error *command_check_csv(const char *path)
{
	for (size_t i = 0; i < CSV_PARTS; i++) {
		CLEANUP(free_pointer) char *name = csv_name(path, i);
		int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

		if (fd < 0)
			return error_system(errno, "cannot write %s", name);
		close(fd);
	}
	return NULL;
}

static struct error *save_as(struct call *call, const char *path,
			     enum report_format format)
{
	struct report_options options = {
		.memo = session_memo_columns(call->session)};
	struct str text = {0};
	struct error *error;

	write_tables(session_tables(call->session), PART_ALL, format, &options,
		     &text);
	error = output_file(call->interpreter->options.ui, path, &text);
	str_deinit(&text);
	if (!error)
		str_printf(&call->said, "Tables saved in %s\n", path);
	return error;
}

struct error *run_save_tables(struct call *call)
{
	const char *path = call_word(call, 0);

	if (ends_in(path, ".json"))
		return save_as(call, path, FORMAT_JSON);
	if (ends_in(path, ".txt"))
		return save_as(call, path, FORMAT_TEXT);
	if (ends_in(path, ".csv")) {
		int stem = (int)(strlen(path) - strlen(".csv"));

		TRY(save_csv(call->interpreter, call->interpreter->options.ui,
			     path));
		str_printf(&call->said,
			   "Tables saved in %.*s-nodes.csv, %.*s-legs.csv, "
			   "%.*s-histograms.csv and %.*s-by.csv\n",
			   stem, path, stem, path, stem, path, stem, path);
		return NULL;
	}
	return error_create(ERROR_USAGE,
			    "`%s' does not end in .json, .csv or .txt", path);
}

static const struct tables *
requested_tables(struct session *session, const struct report_request *request)
{
	return request->part == REPORT_SINCE_LAST
		       ? session_tables_since_last(session)
		       : session_tables(session);
}

static void write_text(const struct legs_selection *selection,
		       const struct report_request *request,
		       const struct report_options *look, struct str *out)
{
	struct report_options options = *look;
	struct str text = {0};

	options.unexecuted = selection->unexecuted;
	report_text(&selection->tables, PART_ALL, &options, &text);
	if (request->repeated)
		report_heading(&selection->tables, options.color, out);
	str_append(out, str_text(&text));
	if (request->part != REPORT_WHOLE)
		str_append_char(out, '\n');
	str_deinit(&text);
}

void interpreter_report_text(struct interpreter *interpreter,
			     const struct report_request *request, FILE *output,
			     struct str *out)
{
	const struct tables *tables =
		requested_tables(interpreter->options.session, request);
	const struct report_interval so_far = {.to = tables->summary.elapsed};
	struct legs_view view = {.sort = LEGS_BY_TOTAL, .only_executed = true};
	struct report_options look = output_look(interpreter, output, false);
	struct legs_selection selection;

	if (!request->ranked || request->format != FORMAT_TEXT)
		view = (struct legs_view){0};
	legs_select(tables, &view, &selection);
	if (request->part == REPORT_SO_FAR)
		selection.tables.interval = &so_far;
	if (request->format == FORMAT_TEXT)
		write_text(&selection, request, &look, out);
	else if (request->repeated)
		report_json_line(&selection.tables, out);
	else
		report_json(&selection.tables, out);
	legs_selection_deinit(&selection);
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

/* What the user wants to end is the measuring, where that goes on. */
static struct error *report_csv_files(const struct interpreter *interpreter,
				      const struct report_request *request,
				      const char *path)
{
	struct session_ui ui = {0};

	if (interpreter->options.ui)
		ui = *interpreter->options.ui;
	if (request->part != REPORT_WHOLE)
		ui.interrupted = NULL;
	return save_csv(interpreter, &ui, path);
}

struct error *interpreter_report(struct interpreter *interpreter,
				 const struct report_request *request,
				 FILE *output, const char *path)
{
	struct str text = {0};
	struct error *error;

	if (request->format == FORMAT_CSV && path)
		return report_csv_files(interpreter, request, path);
	interpreter_report_text(interpreter, request, output, &text);
	error = interpreter_report_write(interpreter, &text, output, path);
	str_deinit(&text);
	return error;
}
