/*
 * written_tables.c - the tables as text, as JSON, and as files of CSV, one for
 * each table
 */
#include "written_tables.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "command/output.h"
#include "perftool/base/alloc.h"
#include "perftool/base/file_claim.h"
#include "perftool/base/path.h"
#include "perftool/session/measurements.h"
#include "perftool/session/user_interface.h"

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

static char *csv_name(const char *path, size_t part)
{
	return path_of_table(path, csv_parts[part].name);
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

struct error *csv_save(const struct interpreter *interpreter,
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
