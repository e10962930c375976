/*
 * report_of_session.c - see perftool/session/report_of_session.h
 *
 * Source files are read for the report as `list source` reads them. The report
 * shows lines of one file many times, so the text of the last file is kept.
 */
#include "perftool/session/report_of_session.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/session/measurements.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "perftool/base/alloc.h"
#include "perftool/session/calls.h"
#include "perftool/session/ticks.h"
#include "recorded_profiles.h"

/* A larger file is no source text. */
#define LARGEST_SOURCE (256 << 20)

/* The slowest executions of all legs that the report is given. */
#define SLOWEST 2000

struct source_cache {
	struct session *session;
	char *path; /* NULL: no file was read */
	struct str text;
	VEC(size_t) lines; /* where each line begins */
};

struct page_request {
	struct source_cache source;
	struct report_page page;
	struct str *out;
};

/* ---- source text ----------------------------------------------------------
 */

static void read_stream(FILE *file, struct source_cache *cache)
{
	char block[65536];
	struct stat status;
	size_t length;

	if (fstat(fileno(file), &status) != 0 || !S_ISREG(status.st_mode) ||
	    status.st_size > LARGEST_SOURCE)
		return;
	while ((length = fread(block, 1, sizeof(block), file)) > 0)
		str_append_n(&cache->text, block, length);
}

static void find_lines(struct source_cache *cache)
{
	const char *text = str_text(&cache->text);
	size_t at = 0;

	while (at < cache->text.length) {
		const char *end =
			memchr(text + at, '\n', cache->text.length - at);

		vec_push(&cache->lines, at);
		at = end ? (size_t)(end - text) + 1 : cache->text.length;
	}
}

static void forget_source(struct source_cache *cache)
{
	free(cache->path);
	cache->path = NULL;
	str_deinit(&cache->text);
	vec_free(&cache->lines);
}

static void load_source(struct source_cache *cache, const char *path)
{
	FILE *file;

	if (cache->path && str_equal(cache->path, path))
		return;
	forget_source(cache);
	cache->path = xstrdup(path);
	file = open_source(cache->session, path);
	if (!file)
		return;
	read_stream(file, cache);
	fclose(file);
	find_lines(cache);
}

static size_t read_source(void *context, const char *path, uint32_t first,
			  uint32_t count, struct str *out)
{
	struct source_cache *cache = context;
	size_t line = first - 1, read = 0;

	load_source(cache, path);
	for (; read < count && line < cache->lines.count; line++, read++) {
		size_t from = cache->lines.data[line];
		size_t to = line + 1 < cache->lines.count
				    ? cache->lines.data[line + 1] - 1
				    : cache->text.length;

		str_append_n(out, str_text(&cache->text) + from, to - from);
		str_append_char(out, '\n');
	}
	return read;
}

/* ---- the command ----------------------------------------------------------
 */

static bool needs_quotes(const char *word)
{
	return !*word || word[strspn(word, "abcdefghijklmnopqrstuvwxyz"
					   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789_-+=.,:/@%")];
}

/* Appends a word as a shell takes it. */
static void append_word(const char *word, struct str *out)
{
	if (!needs_quotes(word)) {
		str_append(out, word);
		return;
	}
	str_append_char(out, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			str_append(out, "'\\''");
		else
			str_append_char(out, *word);
	}
	str_append_char(out, '\'');
}

/* Appends the command line of the process that writes the report. */
static void append_command(struct str *out)
{
	FILE *file = fopen("/proc/self/cmdline", "re");
	size_t capacity = 0;
	char *word = NULL;

	while (file && getdelim(&word, &capacity, '\0', file) > 0) {
		if (out->length)
			str_append_char(out, ' ');
		append_word(word, out);
	}
	free(word);
	if (file)
		fclose(file);
}

/* ---- the report -----------------------------------------------------------
 */

/* Writes the page. `profile` is NULL if nothing was recorded. */
static void write_page(void *context, const struct profile *profile)
{
	struct page_request *request = context;
	struct session *session = request->source.session;
	struct report_page *page = &request->page;
	struct execution_list slowest = {0};
	struct str command = {0};

	page->profile = profile;
	page->tables = profile ? profile->tables : session_tables(session);
	/* (The tables may count hits, by which a leg forgets executions. So the
	 * list is made after them. Without a number of a leg it has no error.)
	 */
	error_destroy(session_slowest(session, -1, SLOWEST, &slowest,
				      &page->is_added_up));
	page->slowest = slowest.data;
	page->slowest_count = slowest.count;
	append_command(&command);
	page->command = command.length ? str_text(&command) : NULL;
	report_page_html(page, request->out);
	str_deinit(&command);
	vec_free(&slowest);
}

void session_report_page(struct session *session,
			 const struct page_listing *listings, size_t count,
			 struct str *out)
{
	struct page_request request = {.source = {.session = session},
				       .page = {.listings = listings,
						.listing_count = count,
						.read_source = read_source},
				       .out = out};

	request.page.context = &request.source;
	if (!session_with_samples(session, write_page, &request))
		write_page(&request, NULL);
	forget_source(&request.source);
}
