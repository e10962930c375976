/*
 * control_prompt.h - the prompt of `perftool ctl`, whose lines a perftool that
 * serves carries out
 */
#ifndef UI_CONTROL_PROMPT_H
#define UI_CONTROL_PROMPT_H

#include "perftool/serve.h"

/* Runs the prompt until the user leaves or the server ends. `greets`: says
 * first which process is served. Returns the exit status. */
int control_prompt(struct control *control, bool greets);

#endif
