/*
 * profile_writer.c - writes a profile that the test describes, so that tests
 * can compare what other tools read from the file with what is true
 *
 * usage: profile_writer FILE [FORMAT] <DESCRIPTION
 *
 * The description is lines of fields, which tabs separate. In a field `%XX` is
 * a byte, and `-` is a text that is not known. Numbers are counted from 0 in
 * the order of the lines.
 *
 *	measurement KIND WATCH RATE ELAPSED TICKS MISSED LOST BROKEN
 *	module NUMBER NAME PATH BUILD-ID IS-PROGRAM BEGIN END OFFSET ENTRY
 *	procedure NAME MODULE FILE LINE ADDRESS IS-WAIT
 *	thread PID TID NAME
 *	place PROCEDURE FILE LINE ADDRESS IS-INLINED
 *	sample THREAD REASON IS-DELAYED IS-BROKEN WEIGHT PLACE... (innermost
 *	first)
 *	arc THREAD CALLER CALLEE SITE SITE-MODULE COUNT UNRETURNED ELAPSED SELF
 *	OUTERMOST (CALLER may be -)
 *	limit ARCS
 *	line MODULE ADDRESS FILE LINE
 *	repeat N (the next sample N times, the N-th with the thread N)
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/report/profile_files.h"

struct line_of_code {
	uint32_t module;
	uint64_t address;
	char *file;
	uint32_t line;
};

struct description {
	struct profile profile;
	struct call_stacks stacks;
	struct call_arcs arcs;
	bool has_samples, has_arcs;
	VEC(struct profile_module) modules;
	VEC(struct line_of_code) lines;
	VEC(char *) texts; /* to be freed */
};

/* ---- fields ---------------------------------------------------------------
 */

/* Take the next field off the line. */
static char *field(char **line)
{
	char *text = strsep(line, "\t");
	char *to, *from;

	if (!text) {
		fputs("profile_writer: a field is missing\n", stderr);
		exit(2);
	}
	for (to = from = text; *from; to++) {
		unsigned byte;

		if (*from == '%' && sscanf(from + 1, "%2x", &byte) == 1) {
			*to = (char)byte;
			from += 3;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
	return text;
}

static const char *text_field(struct description *all, char **line)
{
	const char *text = field(line);
	char *copy;

	if (strcmp(text, "-") == 0)
		return NULL;
	copy = xstrdup(text);
	vec_push(&all->texts, copy);
	return copy;
}

static uint64_t number_field(char **line)
{
	const char *text = field(line);

	return strcmp(text, "-") == 0 ? NO_PROCEDURE : strtoull(text, NULL, 0);
}

static uint32_t small_field(char **line)
{
	return (uint32_t)number_field(line);
}

/* ---- lines ----------------------------------------------------------------
 */

static void read_measurement(struct description *all, char *line)
{
	struct profile_measurement *to = &all->profile.measurement;

	to->kind = text_field(all, &line);
	to->watch = text_field(all, &line);
	to->rate = strtod(field(&line), NULL);
	to->elapsed = number_field(&line);
	to->ticks = number_field(&line);
	to->missed = number_field(&line);
	to->lost = number_field(&line);
	to->broken = number_field(&line);
}

static void read_module(struct description *all, char *line)
{
	struct profile_module module = {.number = small_field(&line)};

	module.name = text_field(all, &line);
	module.path = text_field(all, &line);
	module.build_id = text_field(all, &line);
	module.is_program = number_field(&line) != 0;
	module.code_begin = number_field(&line);
	module.code_end = number_field(&line);
	module.code_offset = number_field(&line);
	module.entry = number_field(&line);
	vec_push(&all->modules, module);
}

static void read_procedure(struct description *all, char *line)
{
	struct procedure procedure = {.name = text_field(all, &line)};

	procedure.module = text_field(all, &line);
	procedure.file = text_field(all, &line);
	procedure.line = small_field(&line);
	procedure.address = number_field(&line);
	procedure.is_wait = number_field(&line) != 0;
	procedures_number(&all->stacks.procedures, &procedure);
}

static void read_thread(struct description *all, char *line)
{
	struct sampled_thread thread = {.pid = (pid_t)number_field(&line)};

	thread.tid = (pid_t)number_field(&line);
	thread.name = text_field(all, &line);
	thread.entry = NO_PROCEDURE;
	call_stacks_thread(&all->stacks, &thread);
}

static void read_place(struct description *all, char *line)
{
	struct call_place place = {.procedure = small_field(&line)};

	place.file = text_field(all, &line);
	place.line = small_field(&line);
	place.address = number_field(&line);
	place.is_inlined = number_field(&line) != 0;
	call_stacks_place(&all->stacks, &place);
}

static void read_sample(struct description *all, char *line, unsigned repeat)
{
	struct call_sample sample = {.thread = small_field(&line)};
	VEC(uint32_t) places = {0};
	bool is_broken;

	sample.reason = (enum sample_reason)number_field(&line);
	sample.is_delayed = number_field(&line) != 0;
	is_broken = number_field(&line) != 0;
	sample.weight = number_field(&line);
	while (line)
		vec_push(&places, small_field(&line));
	sample.stack = call_stacks_stack(&all->stacks, places.data,
					 places.count, is_broken);
	call_stacks_add(&all->stacks, &sample);
	for (unsigned i = 1; i < repeat; i++) {
		sample.thread++;
		call_stacks_add(&all->stacks, &sample);
	}
	vec_free(&places);
	all->has_samples = true;
}

static void read_arc(struct description *all, char *line)
{
	struct call_arc arc = {.thread = small_field(&line)};

	arc.caller = small_field(&line);
	arc.callee = small_field(&line);
	arc.site = number_field(&line);
	arc.site_module = small_field(&line);
	arc.times.count = number_field(&line);
	arc.times.unreturned = number_field(&line);
	arc.times.elapsed = (int64_t)strtoll(field(&line), NULL, 0);
	arc.times.self = (int64_t)strtoll(field(&line), NULL, 0);
	arc.times.outermost = (int64_t)strtoll(field(&line), NULL, 0);
	call_arcs_add(&all->arcs, &arc);
	all->has_arcs = true;
}

static void read_line_of_code(struct description *all, char *line)
{
	struct line_of_code code = {.module = small_field(&line)};

	code.address = number_field(&line);
	code.file = (char *)text_field(all, &line);
	code.line = small_field(&line);
	vec_push(&all->lines, code);
}

static void read_line(struct description *all, char *line, unsigned *repeat)
{
	const char *word = field(&line);

	if (strcmp(word, "measurement") == 0)
		read_measurement(all, line);
	else if (strcmp(word, "module") == 0)
		read_module(all, line);
	else if (strcmp(word, "procedure") == 0)
		read_procedure(all, line);
	else if (strcmp(word, "thread") == 0)
		read_thread(all, line);
	else if (strcmp(word, "place") == 0)
		read_place(all, line);
	else if (strcmp(word, "sample") == 0)
		read_sample(all, line, *repeat);
	else if (strcmp(word, "arc") == 0)
		read_arc(all, line);
	else if (strcmp(word, "limit") == 0)
		all->arcs.limit = number_field(&line);
	else if (strcmp(word, "line") == 0)
		read_line_of_code(all, line);
	if (strcmp(word, "repeat") == 0)
		*repeat = (unsigned)number_field(&line);
	else
		*repeat = 1;
}

/* ---- the profile ----------------------------------------------------------
 */

static bool find_line(void *context, uint32_t module, uint64_t address,
		      const char **file, uint32_t *line)
{
	const struct description *all = context;

	for (size_t i = 0; i < all->lines.count; i++) {
		const struct line_of_code *at = &all->lines.data[i];

		if (at->module == module && at->address == address) {
			*file = at->file;
			*line = at->line;
			return true;
		}
	}
	return false;
}

static struct error *write_profile(struct description *all, const char *path,
				   const char *word, struct str *remarks)
{
	const struct writer writer = {0};
	enum profile_format format;

	if (word)
		TRY(profile_format_of_word(word, &format));
	else
		TRY(profile_format_of_path(path, &format));
	all->profile.stacks = all->has_samples ? &all->stacks : NULL;
	all->profile.arcs = all->has_arcs ? &all->arcs : NULL;
	all->profile.arc_procedures = &all->stacks.procedures;
	all->profile.modules = all->modules.data;
	all->profile.module_count = all->modules.count;
	all->profile.find_line = find_line;
	all->profile.context = all;
	return profile_file_write(&all->profile, format, path, &writer,
				  remarks);
}

static void release(struct description *all)
{
	call_stacks_deinit(&all->stacks);
	call_arcs_deinit(&all->arcs);
	for (size_t i = 0; i < all->texts.count; i++)
		free(all->texts.data[i]);
	vec_free(&all->texts);
	vec_free(&all->modules);
	vec_free(&all->lines);
}

int main(int argc, char **argv)
{
	struct description all = {0};
	struct str remarks = {0};
	struct error *error;
	char *line = NULL;
	size_t size = 0;
	ssize_t length;
	unsigned repeat = 1;

	if (argc < 2) {
		fputs("usage: profile_writer FILE [FORMAT] <DESCRIPTION\n",
		      stderr);
		return 2;
	}
	while ((length = getline(&line, &size, stdin)) > 0) {
		if (line[length - 1] == '\n')
			line[length - 1] = '\0';
		read_line(&all, line, &repeat);
	}
	free(line);
	error = write_profile(&all, argv[1], argc > 2 ? argv[2] : NULL,
			      &remarks);
	fputs(str_text(&remarks), stdout);
	if (error)
		fprintf(stderr, "profile_writer: %s\n", error_message(error));
	release(&all);
	str_deinit(&remarks);
	length = error != NULL;
	error_destroy(error);
	return (int)length;
}
