/*
 * live_page.h - the live page as a front end of the server
 */
#ifndef SERVE_LIVE_PAGE_H
#define SERVE_LIVE_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "perftool/base/error.h"

struct server;
struct live_page;

/* Serves the page at this port of 127.0.0.1; 0: at one that is free. */
struct error *live_page_create(struct server *server, uint16_t port,
			       struct live_page **out);
void live_page_destroy(struct live_page *page);

/* Returns the address of the page. */
const char *live_page_address(const struct live_page *page);

/* Returns the file that can be read when there is something to do, and in how
 * many ms there is something to do anyway; -1: never. */
int live_page_file(const struct live_page *page);
int live_page_patience(const struct live_page *page);

/* Answers browsers. Returns whether one of them had a message. */
bool live_page_run(struct live_page *page);

/* When has a page asked last? 0: never. In ns of CLOCK_MONOTONIC. */
uint64_t live_page_asked(const struct live_page *page);
/* By when will a page that is still open have asked again? 0: no page has
 * asked. In ns of CLOCK_MONOTONIC. */
uint64_t live_page_attention(const struct live_page *page);

#endif
