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

/* The program has ended. Returns whether a page is open that will soon ask for
 * the last figures. */
bool live_page_is_watched(const struct live_page *page);

#endif
