/*
 * source_listing.c - `list source`: prints source lines and marks the lines
 * with breakpoints
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "inspect.h"
#include "perftool/base/alloc.h"
#include "perftool/probe/breakpoint_requests.h"
#include "session/names/names.h"

#define LISTED_LINES 10

static bool has_break(struct session *session, const char *path, uint32_t line)
{
	const struct breakpoint *breakpoint;
	size_t cursor = 0;

	while ((breakpoint = probe_next(session->probe, &cursor))) {
		const struct breakpoint_facts facts =
			breakpoint_facts(breakpoint);

		for (size_t i = 0; !facts.deleted && i < facts.places->count;
		     i++) {
			const struct place *place = &facts.places->data[i];

			if (place->line == line && place->file &&
			    str_equal(place->file, path))
				return true;
		}
	}
	return false;
}

static struct error *print_lines(struct session *session, const char *path,
				 uint32_t first, uint32_t current,
				 struct str *out)
{
	FILE *file = open_source(session, path);
	size_t capacity = 0;
	char *text = NULL;
	uint32_t line = 0;

	if (!file)
		return error_create(ERROR_NOT_FOUND,
				    "source file %s not found; `directory DIR' "
				    "names another directory to search",
				    path);
	while (line < first + LISTED_LINES - 1 &&
	       getline(&text, &capacity, file) > 0) {
		if (++line < first)
			continue;
		text[strcspn(text, "\n")] = '\0';
		str_printf(out, "%s%c%6u  %s\n", line == current ? "=>" : "  ",
			   has_break(session, path, line) ? '*' : ' ', line,
			   text);
	}
	free(text);
	fclose(file);
	if (line < first)
		return error_create(ERROR_NOT_FOUND, "%s has only %u lines",
				    path, line);
	free(session->listed_file);
	session->listed_file = xstrdup(path);
	session->listed_line = first + LISTED_LINES;
	return NULL;
}

/* Finds the source line of the chosen frame. If no line is known, returns false
 * and appends what is known of the frame to `where`. */
static bool current_line(struct session *session, const char **path,
			 uint32_t *line, struct str *where)
{
	struct source_place place;
	struct error *error;

	if (!session->followed.count)
		return false;
	error = find_place(session, &place);
	if (error) {
		error_destroy(error);
		return false;
	}
	*path = place.source.file; /* the text belongs to the module's file */
	*line = place.source.line;
	if (!*path && place.frame.module)
		describe_source_frame(&place.source, place.frame.module, where);
	else if (!*path)
		str_printf(where, "0x%llx", place.frame.regs.rip);
	source_place_clear(&place);
	return *path;
}

static struct error *location_line(struct session *session,
				   const char *location, const char **path,
				   uint32_t *line)
{
	CLEANUP(free_pointer) char *where = in_context(session, location);
	struct place place;

	TRY(probe_locate(session->probe, where, &place));
	if (!place.file)
		return error_create(ERROR_NOT_FOUND,
				    "no line information for %s", location);
	*path = place.file;
	*line = place.line;
	return NULL;
}

struct error *session_list_source(struct session *session, const char *location,
				  struct str *out)
{
	const char *path = NULL, *here = NULL;
	uint32_t line = 0, current = 0;
	struct str where = {0};
	struct error *error = NULL;
	bool is_here;

	TRY(need_program(session));
	/* To mark the current line alone is no reason to stop a running
	 * program. */
	is_here = (!session_runs_on(session) ||
		   (!location && !session->listed_file)) &&
		  current_line(session, &here, &current, &where);
	if (!location && session->listed_file) {
		CLEANUP(free_pointer)
		char *again = xstrdup(session->listed_file);

		str_deinit(&where);
		if (!is_here || !str_equal(here, again))
			current = 0;
		return print_lines(session, again, session->listed_line,
				   current, out);
	}
	if (location) {
		error = location_line(session, location, &path, &line);
	} else if (is_here) {
		path = here;
		line = current;
	} else if (where.length) {
		error = error_create(ERROR_NOT_FOUND,
				     "no line information for %s",
				     str_text(&where));
	} else {
		error = location_line(session, "main", &path, &line);
	}
	str_deinit(&where);
	if (error)
		return error;
	if (!is_here || !str_equal(here, path))
		current = 0;
	return print_lines(session, path, line > 5 ? line - 5 : 1, current,
			   out);
}
