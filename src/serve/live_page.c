/*
 * live_page.c - see live_page.h
 *
 * A browser has no connection of its own: each message may come by another one.
 * So each message is handled as one of a front end that has connected just now,
 * and leaves at once.
 */
#include "live_page.h"

#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/base/monotonic.h"
#include "serve/http/http.h"

#include "server.h"

#define MS 1000000u /* ns */

/* An open page asks about once a second. Where answers are slow, the page asks
 * at longer distances. The server takes a page for open until ATTENTION ns, or
 * twice the page's distance, have passed since it asked; but no longer than
 * MOST_ATTENTION. */
#define ATTENTION (3000ull * MS)
#define MOST_ATTENTION (15000ull * MS)

struct live_page {
	struct server *server;
	struct http *http;
	uint64_t last_asked; /* time of CLOCK_MONOTONIC; 0: never */
	/* the longest of the last distances between two requests, in ns: older
	 * ones count for less */
	uint64_t distance;
};

/* Gives the message to the reader of messages, where it ends with its line. A
 * line break inside of JSON is a space. */
static void push(struct wire *wire, const char *text, size_t length)
{
	char *line = xmalloc(length + 1);

	for (size_t i = 0; i < length; i++)
		line[i] = text[i] == '\n' || text[i] == '\r' ? ' ' : text[i];
	line[length] = '\n';
	wire_push(wire, line, length + 1);
	free(line);
}

static void note_asking(struct live_page *page)
{
	const uint64_t now = monotonic_now();

	page->distance -= page->distance / 4;
	if (page->last_asked && now - page->last_asked > page->distance)
		page->distance = now - page->last_asked;
	page->last_asked = now;
}

static bool answer(void *context, const char *text, size_t length,
		   struct str *reply)
{
	struct live_page *page = context;
	struct server *server = page->server;
	struct front_end *visitor = server_front_end(server, -1);
	struct request request;
	bool is_message = false;

	note_asking(page);
	/* A notice cannot be sent to a browser. */
	visitor->was_told_start = true;
	push(visitor->wire, text, length);
	if (wire_next(visitor->wire, &request)) {
		is_message = wire_encoding(visitor->wire) == ENCODING_JSON;
		if (is_message)
			server_handle(server, visitor, &request);
		request_deinit(&request);
	}
	str_append_n(reply, str_text(&visitor->output), visitor->output.length);
	server_forget(server, visitor);
	return is_message;
}

static void opened(void *context, int fd)
{
	const struct live_page *page = context;

	perftool_session_wake_at(page->server->session, fd);
}

struct error *live_page_create(struct server *server, uint16_t port,
			       struct live_page **out)
{
	struct live_page *page = xcalloc(1, sizeof(*page));
	const struct http_options options = {.port = port,
					     .context = page,
					     .answer = answer,
					     .opened = opened};
	struct error *error = http_create(&options, &page->http);

	if (error) {
		free(page);
		return error;
	}
	page->server = server;
	perftool_session_wake_at(server->session, http_listener(page->http));
	*out = page;
	return NULL;
}

void live_page_destroy(struct live_page *page)
{
	if (!page)
		return;
	http_destroy(page->http);
	free(page);
}

const char *live_page_address(const struct live_page *page)
{
	return http_address(page->http);
}

int live_page_file(const struct live_page *page)
{
	return http_file(page->http);
}

int live_page_patience(const struct live_page *page)
{
	return http_patience(page->http);
}

bool live_page_run(struct live_page *page)
{
	return http_run(page->http);
}

uint64_t live_page_asked(const struct live_page *page)
{
	return page->last_asked;
}

uint64_t live_page_attention(const struct live_page *page)
{
	uint64_t attention = 2 * page->distance;

	if (!page->last_asked)
		return 0;
	if (attention < ATTENTION)
		attention = ATTENTION;
	if (attention > MOST_ATTENTION)
		attention = MOST_ATTENTION;
	return page->last_asked + attention;
}
