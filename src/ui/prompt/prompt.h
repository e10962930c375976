/*
 * prompt.h - the prompt: the line editor with its history and its candidates,
 * the questions that perftool asks, and the pager that shows long output
 *
 * This folder uses terminal.
 */
#ifndef UI_PROMPT_H
#define UI_PROMPT_H

#include "ask.h"
#include "candidates.h"
#include "editor.h"
#include "history.h"
#include "pager.h"

#endif
