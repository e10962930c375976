/*
 * prompt.h - the prompt: the line editor with its history and its candidates,
 * the questions that perftool asks, the pager that shows long output, and the
 * prompt of `perftool ctl`
 *
 * This folder uses terminal.
 */
#ifndef UI_PROMPT_H
#define UI_PROMPT_H

#include "ask.h"
#include "candidates.h"
#include "control_prompt.h"
#include "editor.h"
#include "history.h"
#include "pager.h"

#endif
