/*
 * page_text.h - the live page as one HTML text that needs no other file
 */
#ifndef SERVE_HTTP_PAGE_TEXT_H
#define SERVE_HTTP_PAGE_TEXT_H

#include "perftool/base/str.h"

/* Appends the page, with its style and its scripts inside. `nonce` is the word
 * by which the browser knows that they are ours: the header
 * Content-Security-Policy has it, too. */
void page_text(const char *nonce, struct str *out);

#endif
